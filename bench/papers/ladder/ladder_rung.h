/* A rung of the ladder and the setup of its flow. */
#ifndef HT_LADDER_RUNG_H
#define HT_LADDER_RUNG_H

#include "solver/lattice/lattice_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rung with interpolated walls, where the setup has wall_distance. */
#define HT_LADDER_LIST_WALLS "list-walls"

typedef struct ht_ladder ht_ladder;

typedef struct {
  const char *name;   /* as the benchmark's --layout takes it */
  const char *what;   /* one line */
  const char *source; /* the publication */
} ht_ladder_rung;

typedef struct {
  const ht_mask *mask;     /* borrowed during create; rungs that are not tiled work from it */
  const ht_tiling *tiling; /* borrowed until ht_ladder_free */
  double tau;
  ht_precision precision;
  ht_step_kind step_kind;
  const float *wall_distance; /* as in ht_lattice_setup, for the rung with interpolated walls; the
                                 others have half-way walls. Borrowed during create */
  double noise_lu;            /* as in ht_lattice_setup: the same start for the same mask */
} ht_ladder_setup;

#ifdef __cplusplus
}
#endif
#endif
