#include "run/state/sac_ways.h"
#include <stdlib.h>

void ht_sac_ways_free(ht_sac_ways *ways) {
  for (int i = 0; ways && i < ways->ways; i++) ht_vessel_path_free(&ways->way[i].path);
  free(ways);
}
