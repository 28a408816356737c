/* Numbers of a computed flow. */
#ifndef HT_MEASURED_H
#define HT_MEASURED_H

#include "export/beat/gradient.h"
#include "export/wall/wall.h"
#include "run/record/plausible_summary.h"
#include "run/record/sac_summary.h"
#include "run/record/sensitivity.h"

typedef struct {
  ht_gradient gradient;
  ht_wall_stats wall;
  ht_cycle_stats cycle_stats;
  ht_sac_numbers sac;
  ht_sac_mesh sac_mesh; /* points 0: no sac was found. Owned */
  ht_plausible plausible;
  ht_sensitivity sensitivity;
} ht_measured;

#endif
