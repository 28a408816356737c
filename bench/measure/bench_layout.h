/* The storage layouts that are timed: the solver's own and the rungs of the ladder, through one set
 * of calls. */
#ifndef HT_BENCH_LAYOUT_H
#define HT_BENCH_LAYOUT_H

#include "bench/measure/bench_geometry.h"
#include "bench/papers/ladder/ladder.h"
#include "solver/lattice/lattice.h"

#define HT_BENCH_PRODUCT   "hemotile"
#define HT_BENCH_COMPACT   "hemotile-compact"   /* the same in half the memory, see lattice.h */
#define HT_BENCH_WALLS     "hemotile-walls"     /* the same with interpolated walls */
#define HT_BENCH_DIAGONALS "hemotile-diagonals" /* cumulants with the correction of diagonals */

typedef struct {
  const char *name, *what, *source; /* `source`: the publication; "" for ours */
} ht_bench_layout;

/* The product first, then the rungs of the ladder in its order; 0 after the last. */
int ht_bench_layout_number(int number, ht_bench_layout *layout);

/* Returns why this build has no rungs, in brackets; "" if it has them. */
const char *ht_bench_layouts_lacking(void);

/* Finds a layout by its name. HT_ERR_USAGE: lists what is allowed. */
ht_status ht_bench_layout_find(const char *name, const char **found);

typedef struct {
  const char *layout;
  ht_precision precision;
  ht_collision collision;
  ht_compressibility fluid;
  ht_step_kind step;
  ht_blood_model blood;
} ht_bench_model;

/* "lbgk-inc", "mrt-quasi", "lbgk-inc-cy", "read-write", "propagate". */
void ht_bench_model_name(const ht_bench_model *model, char name[16]);

/* Tells whether they are the same model and step. */
int ht_bench_model_same(const ht_bench_model *a, const ht_bench_model *b);

/* Tells whether the model has interpolated walls; 0: half-way. */
int ht_bench_model_has_walls(const ht_bench_model *model);

/* Tells whether the layout supports this model on this device; else 0, and `why` has the reason. */
int ht_bench_model_possible(const ht_bench_model *model, ht_device device, char why[128]);

/* Bytes that a step has to move per node: 19 values, with cumulants 27, each read once and written
 * once. */
double ht_bench_model_bytes(const ht_bench_model *model);

typedef struct {
  ht_device device;
  ht_lattice *lattice; /* one of the two */
  ht_ladder *ladder;
} ht_bench_flow;

/* Starts every layout from the same small random velocities. `device` is CPU or CUDA; alone: see
 * ht_lattice_setup. As ht_lattice_create and ht_ladder_create. The caller frees. */
ht_status ht_bench_flow_create(const ht_bench_domain *domain, const ht_bench_model *model,
                               ht_device device, int threads, int alone, ht_bench_flow *flow);
void ht_bench_flow_free(ht_bench_flow *flow);

/* Runs `steps` steps and waits for their end. */
ht_status ht_bench_flow_step(ht_bench_flow *flow, int64_t steps);

/* density [tiles][64], velocity [tiles][64][3]. */
ht_status ht_bench_flow_read(ht_bench_flow *flow, int64_t tiles, double *density, double *velocity);

/* Bytes and nodes of the layout, as ht_lattice_measure_cost. */
void ht_bench_flow_cost(const ht_bench_flow *flow, ht_lattice_cost *cost);

/* The words of ht_step_kind on the command line; NULL after the last. */
extern const char *const ht_bench_step_words[];

#endif
