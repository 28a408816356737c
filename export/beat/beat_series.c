#define _POSIX_C_SOURCE 200809L /* pread */
#include "export/beat/beat_series.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

int64_t ht_beat_series_bytes(int64_t voxels, int64_t points) {
  return 8 * (voxels + points);
}

int64_t ht_beat_series_plane_at(int64_t voxels, int64_t points, int plane) {
  int of_wall = plane >= HT_PLANE_WSS;
  return 2 * (of_wall ? 4 * voxels + (plane - HT_PLANE_WSS) * points : plane * voxels);
}

/* Returns 1 if all bytes could be read. */
static int read_at(int file, void *bytes, size_t size, int64_t at) {
  for (size_t done = 0; done < size;) {
    ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(at + (int64_t)done));
    if (got <= 0) return 0;
    done += (size_t)got;
  }
  return 1;
}

int ht_beat_series_read(const ht_beat_series *series, int sample, int plane, int64_t first,
                        int64_t count, float *out) {
  enum { PIECE = 8192 };
  uint16_t q[PIECE];
  const ht_beat_series_sample *of = &series->sample[sample];
  int64_t at = series->first_at + sample * ht_beat_series_bytes(series->voxels, series->points) +
               ht_beat_series_plane_at(series->voxels, series->points, plane) + 2 * first;
  for (int64_t done = 0; done < count;) {
    int64_t many = count - done < PIECE ? count - done : PIECE;
    if (!read_at(series->file, q, 2 * (size_t)many, at + 2 * done)) {
      memset(out, 0, (size_t)count * sizeof *out);
      return 0;
    }
    for (int64_t i = 0; i < many; i++)
      out[done + i] = (float)(of->base[plane] + of->step[plane] * q[i]);
    done += many;
  }
  return 1;
}

static ht_status unreadable(void) {
  return ht_fail(HT_ERR_FORMAT, "the samples of the beat cannot be read: run `hemotile solve` "
                                "again");
}

/* A row's vessel voxels lie one after the other in a plane. */
ht_status ht_beat_series_velocity(const ht_beat_series *series, int sample, const ht_domain *domain,
                                  ht_flow *flow) {
  enum { PIECE = 4096 };
  float u[3][PIECE];
  int64_t voxels = ht_grid_voxels(&domain->mask.grid), entry = 0, have = 0, at = 0;
  memset(flow->velocity_m_s, 0, 3 * (size_t)flow->nodes * sizeof(float));
  for (int64_t v = 0; v < voxels; v++) {
    if (domain->mask.inside[v] != HT_VESSEL) continue;
    if (at == have) {
      have = series->voxels - entry < PIECE ? series->voxels - entry : PIECE;
      if (have <= 0) return unreadable();
      for (int c = 0; c < 3; c++)
        if (!ht_beat_series_read(series, sample, c, entry, have, u[c])) return unreadable();
      entry += have;
      at = 0;
    }
    float *to = flow->velocity_m_s + 3 * ht_flow_node(flow, v);
    for (int c = 0; c < 3; c++) to[c] = u[c][at];
    at++;
  }
  return entry == series->voxels && at == have ? HT_OK : unreadable();
}

ht_status ht_beat_series_wss(const ht_beat_series *series, int sample, float *magnitude) {
  enum { PIECE = 4096 };
  float t[3][PIECE];
  for (int64_t first = 0; first < series->points; first += PIECE) {
    int64_t count = series->points - first < PIECE ? series->points - first : PIECE;
    for (int c = 0; c < 3; c++)
      if (!ht_beat_series_read(series, sample, HT_PLANE_WSS + c, first, count, t[c]))
        return unreadable();
    for (int64_t i = 0; i < count; i++)
      magnitude[first + i] = sqrtf(t[0][i] * t[0][i] + t[1][i] * t[1][i] + t[2][i] * t[2][i]);
  }
  return HT_OK;
}

void ht_beat_series_free(ht_beat_series *series) {
  if (!series) return;
  if (series->samples > 0) close(series->file);
  memset(series, 0, sizeof *series);
}
