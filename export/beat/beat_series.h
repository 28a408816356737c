/* Velocity, pressure and the wall's load at the samples of a beat, as 16-bit numbers in a file
 * (run/folder/series_file.h), read piece by piece: the samples are never in memory together.
 *
 * A plane is one number of every entry: of the vessel's voxels in the order of the domain's lattice
 * (x fastest; extensions left out), or of the wall's points. A number is base + step * q with q
 * from 0 to 65535; step is a power of two and base a multiple of it, so that 0 stays 0, the numbers
 * are exact as float, and their low bits are 0, which compresses well. A number is within step / 2
 * of the solver's, which is at most 1/65534 of the plane's range.
 */
#ifndef HT_BEAT_SERIES_H
#define HT_BEAT_SERIES_H

#include "core/vessel/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_SERIES_MOST = 50 }; /* samples */

enum {
  HT_PLANE_VELOCITY = 0, /* m/s, LPS: three planes. These four: of the vessel's voxels */
  HT_PLANE_PRESSURE = 3, /* Pa, gauge */
  HT_PLANE_WSS = 4,      /* Pa, LPS: three planes. These four: of the wall's points */
  HT_PLANE_WALL_PRESSURE = 7,
  HT_PLANES = 8
};

typedef struct {
  double time_s; /* from the start of the beat */
  double base[HT_PLANES], step[HT_PLANES];
  char sha256[64]; /* hex, of the sample's planes; no end */
} ht_beat_series_sample;

typedef struct {
  int samples; /* 0: no series */
  int64_t voxels, points;
  double period_s;
  ht_beat_series_sample sample[HT_SERIES_MOST];
  int file;         /* open for reading. Owned */
  int64_t first_at; /* place of the first plane of the first sample in it */
} ht_beat_series;

/* Bytes of a sample, and where a plane begins in it. */
int64_t ht_beat_series_bytes(int64_t voxels, int64_t points);
int64_t ht_beat_series_plane_at(int64_t voxels, int64_t points, int plane);

/* Numbers [first, first + count) of a plane. Returns 0 where the file cannot be read; *out is then
 * all 0. Several threads may read at a time. */
int ht_beat_series_read(const ht_beat_series *series, int sample, int plane, int64_t first,
                        int64_t count, float *out);

/* The velocity of a sample at the nodes of `flow`, which has the domain's lattice: the flow's own
 * velocity is replaced; 0 in the extensions. HT_ERR_FORMAT: the file cannot be read, or has another
 * number of voxels. */
ht_status ht_beat_series_velocity(const ht_beat_series *series, int sample, const ht_domain *domain,
                                  ht_flow *flow);

/* The size of the wall shear stress at the points, Pa; magnitude: [points]. HT_ERR_FORMAT. */
ht_status ht_beat_series_wss(const ht_beat_series *series, int sample, float *magnitude);

/* Closes the file. */
void ht_beat_series_free(ht_beat_series *series);

#ifdef __cplusplus
}
#endif
#endif
