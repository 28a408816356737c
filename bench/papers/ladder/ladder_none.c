/* The ladder where there is no CUDA compiler: it has no rungs. */
#include "bench/papers/ladder/ladder.h"
#include "bench/papers/ladder/ladder_values.h"

static ht_status none(void) {
  return ht_fail(HT_ERR_DEVICE,
                 "this program was built without CUDA and has no layouts to compare; "
                 "build it where nvcc is");
}

const ht_ladder_rung *ht_ladder_rungs(int *count) {
  static const ht_ladder_rung nothing;
  *count = 0;
  return &nothing;
}

ht_status ht_ladder_create(const char *rung, const ht_ladder_setup *setup, ht_ladder **ladder) {
  (void)rung, (void)setup;
  *ladder = NULL;
  return none();
}

void ht_ladder_free(ht_ladder *ladder) {
  (void)ladder;
}

ht_status ht_ladder_step(ht_ladder *ladder, int64_t steps) {
  (void)ladder, (void)steps;
  return none();
}

ht_status ht_ladder_read(ht_ladder *ladder, double *density, double *velocity) {
  (void)ladder, (void)density, (void)velocity;
  return none();
}

ht_status ht_ladder_values(ht_ladder *ladder, double *values) {
  (void)ladder, (void)values;
  return none();
}

void ht_ladder_measure_cost(const ht_ladder *ladder, ht_lattice_cost *cost) {
  (void)ladder;
  *cost = (ht_lattice_cost){0};
}
