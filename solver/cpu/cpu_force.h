/* The CPU backend's sweeps for a body force. Private to solver/cpu/. */
#ifndef HT_CPU_FORCE_H
#define HT_CPU_FORCE_H

#include "solver/lattice/backend.h"

/* Adds the force of tables->acceleration (body_force.h) to the fluid nodes of the tiles [begin,
 * end) of `values`, a copy in the layout of cpu_layout.h, after their collision. fp32 or fp64. */
void ht_cpu_accelerate(const ht_lattice_tables *tables, void *values, int64_t begin, int64_t end);

/* Sum of c g over all nodes of such a copy, of any precision; solid nodes hold zeros.
 * HT_ERR_MEMORY.
 */
ht_status ht_cpu_momentum(const ht_lattice_tables *tables, const void *values, int threads,
                          double momentum[3]);

#endif
