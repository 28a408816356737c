/* The ladder: published layouts of a lattice Boltzmann flow on a GPU, from the plain dense array to
 * lists of neighbours. The benchmark compares the solver with them; nothing else uses them. D3Q19,
 * LBGK incompressible, closed half-way walls (no ports; one rung
 * has interpolated ones), two copies of the distribution functions;
 * CUDA only. */
#ifndef HT_LADDER_H
#define HT_LADDER_H

#include "bench/papers/ladder/ladder_rung.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All rungs, in the order of the ladder: [count]. */
const ht_ladder_rung *ht_ladder_rungs(int *count);

/* Creates a rung. HT_ERR_USAGE (no such rung, or not in this precision), HT_ERR_DEVICE,
 * HT_ERR_MEMORY. */
ht_status ht_ladder_create(const char *rung, const ht_ladder_setup *setup, ht_ladder **ladder);
void ht_ladder_free(ht_ladder *ladder);

/* Steps the rung. HT_ERR_DEVICE. */
ht_status ht_ladder_step(ht_ladder *ladder, int64_t steps);

/* Density deviation and velocity after the last step, in the order of ht_lattice_read:
 * density [tiles][64], velocity [tiles][64][3]; 0 at solid nodes. HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_ladder_read(ht_ladder *ladder, double *density, double *velocity);

void ht_ladder_measure_cost(const ht_ladder *ladder, ht_lattice_cost *cost);

#ifdef __cplusplus
}
#endif
#endif
