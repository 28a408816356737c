#include "bench/measure/bench_check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two calls, each of an odd number of steps. Far fewer steps than a flow takes: noise in a closed
 * box decays, so rounding grows relative to the remaining values (fp32 on the cavity: 5e-6 after 50
 * steps, 1e-4 after 1000), while a wrong neighbour shows at once. */
static const int64_t check_steps[] = {27, 13};

double ht_bench_tolerance(ht_precision precision) {
  return precision == HT_FP64 ? 1e-12 : precision == HT_FP32 ? 1e-5 : 0.5;
}

typedef struct {
  double *density, *velocity;
} fields;

static void free_fields(fields *f) {
  free(f->density);
  free(f->velocity);
  *f = (fields){0};
}

static ht_status alloc_fields(int64_t tiles, fields *f) {
  size_t nodes = (size_t)tiles * HT_TILE_NODES;
  *f = (fields){0};
  HT_TRY(ht_alloc((void **)&f->density, nodes, sizeof(double), "the check"));
  ht_status status = ht_alloc((void **)&f->velocity, 3 * nodes, sizeof(double), "the check");
  if (status != HT_OK) free_fields(f);
  return status;
}

static ht_status run(const ht_bench_domain *domain, const ht_bench_model *model, ht_device device,
                     int threads, fields *result) {
  ht_bench_flow flow;
  HT_TRY(ht_bench_flow_create(domain, model, device, threads, 1, &flow));
  ht_status status = ht_bench_flow_step(&flow, check_steps[0]);
  if (status == HT_OK) status = ht_bench_flow_step(&flow, check_steps[1]);
  if (status == HT_OK)
    status = ht_bench_flow_read(&flow, domain->tiling.tiles, result->density, result->velocity);
  ht_bench_flow_free(&flow);
  return status;
}

/* NaN if any value is NaN. */
static double relative_difference(const double *value, const double *reference, int64_t count) {
  double difference = 0, size = 0;
  for (int64_t i = 0; i < count; i++) {
    difference += (value[i] - reference[i]) * (value[i] - reference[i]);
    size += reference[i] * reference[i];
  }
  return sqrt(difference / size);
}

static ht_status compare(const ht_bench_domain *domain, const ht_bench_model *model,
                         ht_device device, int threads, fields *reference, fields *result,
                         double *error) {
  ht_bench_model plain = *model;
  int64_t nodes = domain->tiling.tiles * HT_TILE_NODES;
  if (strcmp(plain.layout, HT_BENCH_DIAGONALS) != 0)
    plain.layout = ht_bench_model_has_walls(model) ? HT_BENCH_WALLS : HT_BENCH_PRODUCT;
  plain.precision = HT_FP64;
  HT_TRY(run(domain, &plain, HT_DEVICE_CPU, threads, reference));
  HT_TRY(run(domain, model, device, threads, result));
  double of_density = relative_difference(result->density, reference->density, nodes);
  double of_velocity = relative_difference(result->velocity, reference->velocity, 3 * nodes);
  *error = of_density > of_velocity ? of_density : of_velocity;
  if (isnan(of_density) || isnan(of_velocity)) *error = NAN;
  return HT_OK;
}

ht_status ht_bench_check(const ht_bench_geometry *geometry, const ht_bench_model *model,
                         ht_device device, int threads, double *error) {
  ht_bench_geometry small;
  ht_bench_domain domain;
  ht_bench_model flow = *model;
  fields reference, result;
  *error = NAN;
  flow.step = HT_STEP_FLOW; /* the others only move data */
  ht_bench_geometry_shrink(geometry, &small);
  HT_TRY(ht_bench_domain_make(&small, &domain));
  ht_status status = alloc_fields(domain.tiling.tiles, &reference);
  if (status == HT_OK) {
    status = alloc_fields(domain.tiling.tiles, &result);
    if (status == HT_OK)
      status = compare(&domain, &flow, device, threads, &reference, &result, error);
    free_fields(&result);
    free_fields(&reference);
  }
  ht_bench_domain_free(&domain);
  return status;
}
