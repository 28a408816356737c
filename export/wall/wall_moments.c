#include "export/wall/wall_moments.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_wall_moments_alloc(int64_t points, int moments, ht_wall_moments *to) {
  static const char what[] = "the wall's load at moments of the beat";
  memset(to, 0, sizeof *to);
  size_t count = (size_t)moments;
  ht_status status = ht_alloc((void **)&to->time_s, count, sizeof *to->time_s, what);
  if (status == HT_OK)
    status = ht_alloc((void **)&to->highest_pa, count, sizeof *to->highest_pa, what);
  if (status == HT_OK) status = ht_alloc((void **)&to->step, count, (size_t)points, what);
  if (status != HT_OK) {
    ht_wall_moments_free(to);
    return status;
  }
  to->points = points;
  to->moments = moments;
  to->every = 1;
  return HT_OK;
}

ht_status ht_wall_moments_begin(int64_t points, int samples, ht_wall_moments *to) {
  int every = (samples + HT_MOMENTS_MOST - 1) / HT_MOMENTS_MOST;
  HT_TRY(ht_wall_moments_alloc(points, (samples + every - 1) / every, to));
  to->every = every;
  return HT_OK;
}

void ht_wall_moments_keep(ht_wall_moments *to, const ht_surface *surface, int index,
                          double time_s) {
  int moment = to->every > 0 ? index / to->every : 0;
  if (to->every == 0 || index % to->every || moment >= to->moments) return;
  float highest = 0;
  for (int64_t p = 0; p < to->points; p++) highest = fmaxf(highest, surface->wss_mag_pa[p]);
  to->time_s[moment] = time_s;
  to->highest_pa[moment] = highest;
  for (int64_t p = 0; p < to->points; p++) {
    float share = highest > 0 ? surface->wss_mag_pa[p] / highest : 0;
    to->step[moment * to->points + p] = (uint8_t)lroundf(255 * sqrtf(share));
  }
}

ht_status ht_wall_moments_move(ht_wall_moments *to, ht_state *stream) {
  size_t moments = (size_t)to->moments;
  HT_TRY(ht_state_part(stream, "wall at moments"));
  HT_TRY(ht_state_bytes(stream, to->time_s, moments * sizeof *to->time_s));
  HT_TRY(ht_state_bytes(stream, to->highest_pa, moments * sizeof *to->highest_pa));
  return ht_state_bytes(stream, to->step, moments * (size_t)to->points);
}

void ht_wall_moments_free(ht_wall_moments *moments) {
  if (!moments) return;
  free(moments->time_s);
  free(moments->highest_pa);
  free(moments->step);
  memset(moments, 0, sizeof *moments);
}
