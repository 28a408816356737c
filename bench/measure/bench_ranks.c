#include "bench/measure/bench_ranks.h"
#include "bench/measure/bench_check.h"
#include "bench/measure/bench_geometry.h"
#include "bench/measure/bench_layout.h"
#include "bench/measure/bench_measure.h"
#include "bench/measure/bench_statistics.h"
#include "core/machine/clock.h"
#include "run/process/interrupt.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rank, and all of them. */
enum { ONE, ALL, BOTH };

/* Steps of the comparison, in two calls, and the largest number of nodes, as it takes 70 bytes of
 * the host for each. */
static const int64_t check_steps[] = {27, 13};
static const int64_t check_most_nodes = 100000000;

typedef struct {
  const ht_bench_options *options;
  ht_device device;
  int ranks;
  ht_bench_model model;
  const ht_bench_domain *domain[BOTH];
  ht_bench_flow flow[BOTH];
  int64_t steps[BOTH];
  double rate[BOTH][HT_BENCH_REPEATS];
} measurement;

static ht_status stop_if_asked(void) {
  return ht_interrupt_asked() ? ht_fail(HT_ERR_INTERRUPTED, "interrupted") : HT_OK;
}

/* ---- speed ---- */

static ht_status time_steps(measurement *m, int k, int64_t steps, double *seconds) {
  double began = ht_clock_s();
  HT_TRY(stop_if_asked());
  HT_TRY(ht_bench_flow_step(&m->flow[k], steps));
  *seconds = ht_clock_s() - began;
  return HT_OK;
}

/* Chooses the number of steps that takes about the requested time; the first also warm up. */
static ht_status choose_steps(measurement *m, int k) {
  double seconds = 0, wanted = m->options->seconds;
  HT_TRY(time_steps(m, k, 64, &seconds));
  for (int64_t steps = 64;; steps *= 4) {
    HT_TRY(time_steps(m, k, steps, &seconds));
    m->steps[k] = 2 * (int64_t)ceil(0.5 * (double)steps * wanted / seconds);
    if (seconds > 0.2 * wanted) return HT_OK;
  }
}

static ht_status time_both(measurement *m) {
  double seconds;
  for (int k = 0; k < BOTH; k++) HT_TRY(choose_steps(m, k));
  for (int i = 0; i < m->options->repeats; i++)
    for (int k = 0; k < BOTH; k++) {
      HT_TRY(time_steps(m, k, m->steps[k], &seconds));
      m->rate[k][i] = (double)m->domain[k]->tiling.nodes * (double)m->steps[k] / seconds;
    }
  return HT_OK;
}

static ht_status create(measurement *m, int k) {
  return ht_bench_flow_create(m->domain[k], &m->model, m->device, m->options->threads, k == ONE,
                              &m->flow[k]);
}

static void print_columns(int ranks) {
  char all[24];
  snprintf(all, sizeof all, "%d ranks", ranks);
  printf("\n%-24s %-7s %-5s %-6s %8s %10s %10s %8s %17s %10s  %s\n", "geometry", "model", "prec.",
         "", "nodes", "one", all, "factor", "(range)", "crossing", "flow");
  printf("%-24s %-7s %-5s %-6s %8s %10s %10s %8s %17s %10s\n", "", "", "", "", "10^6", "MFLUPS",
         "MFLUPS", "", "", "MB/step");
}

static void print_row(measurement *m, const char *scaling, const char *flow) {
  const int repeats = m->options->repeats;
  double factor[HT_BENCH_REPEATS];
  char model[16], range[32];
  ht_lattice_cost cost = {0};
  ht_bench_flow_cost(&m->flow[ALL], &cost);
  for (int i = 0; i < repeats; i++) factor[i] = m->rate[ALL][i] / m->rate[ONE][i];
  const ht_bench_statistic of = ht_bench_summarize(factor, repeats);
  const double one = ht_bench_summarize(m->rate[ONE], repeats).median;
  const double all = ht_bench_summarize(m->rate[ALL], repeats).median;
  ht_bench_model_name(&m->model, model);
  snprintf(range, sizeof range, "(%.3f to %.3f)", of.low, of.high);
  printf("%-24s %-7.7s %-5s %-6s %8.2f %10.0f %10.0f %8.3f %17s %10.3f  %s\n",
         m->domain[ALL]->geometry.label, model, ht_precision_words[m->model.precision], scaling,
         1e-6 * (double)m->domain[ALL]->tiling.nodes, 1e-6 * one, 1e-6 * all, of.median, range,
         1e-6 * (double)cost.crossing_bytes, flow);
  fflush(stdout);
}

/* ---- the same flow ---- */

/* Density, then velocity. */
static ht_status read_flow(measurement *m, int k, double *to) {
  const int64_t tiles = m->domain[k]->tiling.tiles;
  for (int i = 0; i < 2; i++) HT_TRY(ht_bench_flow_step(&m->flow[k], check_steps[i]));
  return ht_bench_flow_read(&m->flow[k], tiles, to, to + tiles * HT_TILE_NODES);
}

static double difference(const double *one, const double *all, int64_t values, int *same) {
  double apart = 0, size = 0;
  *same = memcmp(one, all, (size_t)values * sizeof *one) == 0;
  for (int64_t i = 0; i < values; i++) {
    apart += (all[i] - one[i]) * (all[i] - one[i]);
    size += one[i] * one[i];
  }
  return sqrt(apart / size);
}

/* Both flows after the same steps from the same start; in words. */
static ht_status check(measurement *m, char words[64]) {
  const int64_t values = 4 * HT_TILE_NODES * m->domain[ONE]->tiling.tiles;
  double *one = NULL, *all = NULL, apart = 0;
  int same = 0;
  snprintf(words, 64, "not compared");
  if (m->domain[ONE]->tiling.nodes > check_most_nodes || m->model.step != HT_STEP_FLOW)
    return HT_OK;
  HT_TRY(ht_alloc((void **)&one, (size_t)values, sizeof *one, "the check"));
  ht_status status = ht_alloc((void **)&all, (size_t)values, sizeof *all, "the check");
  if (status == HT_OK) status = read_flow(m, ONE, one);
  if (status == HT_OK) status = read_flow(m, ALL, all);
  if (status == HT_OK) apart = difference(one, all, values, &same);
  free(one);
  free(all);
  if (status != HT_OK) return status;
  if (!(apart <= ht_bench_tolerance(m->model.precision)))
    return ht_fail(HT_ERR_VALIDATION, "the flow of %d ranks differs by %.2g from that of one",
                   m->ranks, apart);
  if (same)
    snprintf(words, 64, "the same bits");
  else
    snprintf(words, 64, "differs by %.1e", apart);
  return HT_OK;
}

/* ---- geometries ---- */

static ht_status measure_strong(measurement *m) {
  char words[64];
  HT_TRY(create(m, ONE));
  HT_TRY(create(m, ALL));
  HT_TRY(check(m, words));
  HT_TRY(time_both(m));
  print_row(m, "strong", words);
  return HT_OK;
}

/* Makes a geometry of the same kind with about `ranks` times the nodes. */
static ht_status enlarge(const measurement *m, const ht_bench_geometry *geometry,
                         ht_bench_domain *large) {
  const int *dim = geometry->dim;
  int longest = dim[0] > dim[1] ? dim[0] : dim[1];
  if (dim[2] > longest) longest = dim[2];
  ht_bench_geometry larger;
  HT_TRY(ht_bench_geometry_choose(geometry->name, (int)lround(longest * cbrt(m->ranks)),
                                  geometry->porosity, geometry->seed, &larger));
  return ht_bench_domain_make(&larger, large);
}

/* The one rank keeps its lattice. */
static ht_status measure_weak(measurement *m, const ht_bench_geometry *geometry) {
  ht_bench_domain large;
  if (geometry->kind > HT_BENCH_SPHERES) return HT_OK; /* channels and files have one size */
  HT_TRY(enlarge(m, geometry, &large));
  ht_bench_flow_free(&m->flow[ALL]);
  m->domain[ALL] = &large;
  ht_status status = create(m, ALL);
  if (status == HT_OK) status = time_both(m);
  if (status == HT_OK) print_row(m, "weak", "");
  ht_bench_flow_free(&m->flow[ALL]);
  ht_bench_domain_free(&large);
  return status;
}

static ht_status measure(measurement *m, const ht_bench_geometry *geometry,
                         const ht_bench_domain *domain) {
  m->domain[ONE] = m->domain[ALL] = domain;
  ht_status status = measure_strong(m);
  if (status == HT_OK) status = measure_weak(m, geometry);
  for (int k = 0; k < BOTH; k++) ht_bench_flow_free(&m->flow[k]);
  return status;
}

/* Measures the requested precisions and collisions: fp32 and LBGK by default. */
static ht_status measure_models(measurement *m, const ht_bench_geometry *geometry) {
  const ht_bench_options *o = m->options;
  ht_bench_domain domain;
  HT_TRY(ht_bench_domain_make(geometry, &domain));
  ht_status status = HT_OK;
  for (int p = 0; ht_precision_words[p] && status == HT_OK; p++)
    for (int c = 0; ht_collision_words[c] && status == HT_OK; c++) {
      if (!ht_bench_wants(o->precisions, 1u << HT_FP32, p) ||
          !ht_bench_wants(o->collisions, 1u << HT_LBGK, c))
        continue;
      m->model.precision = (ht_precision)p;
      m->model.collision = (ht_collision)c;
      m->model.fluid = c == HT_CUMULANT ? HT_QUASI_COMPRESSIBLE : HT_INCOMPRESSIBLE;
      status = measure(m, geometry, &domain);
    }
  ht_bench_domain_free(&domain);
  return status;
}

static ht_status measure_geometry(measurement *m, const char *name) {
  const ht_bench_options *o = m->options;
  ht_bench_geometry geometry;
  HT_TRY(ht_bench_geometry_choose(name, o->size, o->porosity, (uint64_t)o->seed, &geometry));
  return measure_models(m, &geometry);
}

static ht_status measure_all(measurement *m) {
  const ht_bench_options *o = m->options;
  ht_bench_geometry geometry;
  for (int i = 0; i < o->geometries.count; i++) HT_TRY(measure_geometry(m, o->geometries.name[i]));
  if (o->mask) HT_TRY(ht_bench_geometry_of_file(o->mask, &geometry));
  if (o->mask) HT_TRY(measure_models(m, &geometry));
  return o->geometries.count || o->mask ? HT_OK : measure_geometry(m, "vessels");
}

ht_status ht_bench_ranks(const ht_bench_options *options, int ranks) {
  static measurement m;
  ht_device_memory memory;
  ht_device asked = options->gpus ? HT_DEVICE_CUDA : options->device;
  HT_TRY(ht_device_memory_describe(asked, &memory));
  m = (measurement){.options = options, .device = memory.device, .ranks = ranks};
  m.model.layout = options->layouts.count ? options->layouts.name[0] : HT_BENCH_PRODUCT;
  printf("# device:  %s, %d ranks against one; layout %s\n", memory.name, ranks, m.model.layout);
  print_columns(ranks);
  return measure_all(&m);
}
