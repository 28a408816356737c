/* Samples of the flow over its beats. */
#ifndef HT_SAMPLED_H
#define HT_SAMPLED_H

#include "export/beat/beat.h"
#include "export/beat/beat_series.h"
#include "export/wall/wall.h"
#include "export/wall/wall_moments.h"
#include "run/folder/series_file.h"

typedef struct {
  ht_wall_cycle cycle;      /* load on the wall over a beat; samples 0: a steady flow. Owned */
  ht_wall_moments moments;  /* of the last beat; moments 0: none. Owned */
  ht_beat beat;             /* samples 0: a steady flow not yet exported. Owned */
  ht_beat batches;          /* of a steady inflow's averaged flow: beat is the series. Owned */
  ht_series_record *record; /* fields at each sample, being written; NULL: none. Owned */
  ht_beat_series series;    /* these, being read; samples 0: none. Owned */
} ht_sampled;

/* Returns the source of the flow's mean numbers: its beats, or the parts of a time of averaging. */
const ht_beat *ht_sampled_beat(const ht_sampled *sampled);

/* Returns the load on the wall over the beat; NULL: the flow is steady. */
const ht_wall_cycle *ht_sampled_cycle(const ht_sampled *sampled);

#endif
