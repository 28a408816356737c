/* Memory of the machine, and of a GPU, that a run takes while its flow is computed. */
#ifndef HT_RUN_MEMORY_H
#define HT_RUN_MEMORY_H

#include "solver/plan/resolution.h"

/* Bytes, of this process where several compute. */
typedef struct {
  ht_host_needs host; /* of the lattice; to read the flow, with the wall's records */
  double gpu;         /* of a GPU, for the lattice; 0: the CPU has it */
} ht_run_memory;

/* Returns what a lattice takes. wall_points: of the wall's surface that the program holds already;
 * 0: it is not made yet. keeps_fits: as ht_cycle_record_bytes. */
ht_run_memory ht_run_memory_of(const ht_lattice_size *size, const ht_solver_options *options,
                               double wall_points, int keeps_fits);

/* Returns about what the program itself holds by then: the scan, the mask in its box, the domain of
 * `nodes`. */
double ht_run_memory_before(double scan_voxels, double box_voxels, double nodes);

#endif
