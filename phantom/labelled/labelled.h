/* Random scans with a label for each voxel, to train a network that finds vessels.
 *
 * Everything follows from the seed: the scanner, the part of the body, the vessels. A volume is
 * made on one thread, so that many are made at once; the bits do not depend on the threads. They
 * are a caricature: what a voxel is counts, not what a patient looks like. */
#ifndef HT_LABELLED_H
#define HT_LABELLED_H

#include "phantom/labelled/labelled_types.h"
#include "core/work/progress.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t seed;
  int edge; /* voxels along each axis */
  double spacing_mm[3];
  unsigned has;   /* HT_LABELLED_... */
  float whole[2]; /* what the scan that this is cut from has as its low and its high brightness: the
                     background, and blood or what is brighter in many places; in its unit */
  int16_t *scan;  /* [edge][edge][edge], x fastest, as the next two; owned */
  uint8_t *label; /* HT_LABEL_...; owned */
  int8_t *distance; /* to the nearest wall of any vessel, negative inside, rounded down, in 1/32 of
                       the narrowest voxel's width, clipped at +-127; owned */
} ht_labelled;

/* Makes the volume of a seed on the calling thread. HT_ERR_MEMORY; HT_ERR_USAGE for an edge out of
 * range. The caller frees. */
ht_status ht_labelled_make(uint64_t seed, int edge, ht_labelled *volume);
void ht_labelled_free(ht_labelled *volume);

/* Writes the volumes of `count` seeds from `seed` on into one file, on all cores (OpenMP). Header,
 * 64 bytes, little endian: "HTLABELS", int32 version (1), edge, count, 0, uint64 seed, zeros. Then
 * for each volume, in the order of the seeds: scan, label, distance, uint64 seed, float32
 * spacing_mm[3], uint32 has, float32 whole[2]. HT_ERR_MEMORY, HT_ERR_WRITE, HT_ERR_USAGE,
 * HT_ERR_INTERRUPTED. `progress` may be NULL. */
ht_status ht_labelled_write(const char *path, uint64_t seed, int count, int edge,
                            const ht_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
