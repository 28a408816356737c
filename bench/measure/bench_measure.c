#include "bench/measure/bench_measure.h"
#include "bench/measure/bench_check.h"
#include "core/machine/clock.h"
#include "run/process/interrupt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR = 2 };

/* ---- what all rows share ---- */

/* Returns the size of the copy: where memory is short, an eighth of what is free. */
static int64_t copy_bytes(const ht_bench_setting *setting) {
  int64_t bytes = (int64_t)setting->options->copy_mib << 20;
  int64_t most = setting->memory.available_bytes / 8;
  return most > 0 && bytes > most ? most : bytes;
}

ht_status ht_bench_begin(const ht_bench_options *options, ht_bench_setting *setting) {
  memset(setting, 0, sizeof *setting);
  setting->options = options;
  HT_TRY(ht_device_memory_describe(options->device, &setting->memory));
  return ht_copy_create(setting->memory.device, options->threads, copy_bytes(setting),
                        &setting->copy);
}

void ht_bench_end(ht_bench_setting *setting) {
  ht_copy_free(setting->copy);
  setting->copy = NULL;
}

/* ---- timing ---- */

/* One of up to two flows that are timed in turns, and what was measured. */
typedef struct {
  ht_bench_flow flow;
  int64_t steps;
  double *rate, *copy, *of_copy; /* [repeats] updates/s, bytes/s, fraction */
} runner;

static ht_status stop_if_asked(void) {
  return ht_interrupt_asked() ? ht_fail(HT_ERR_INTERRUPTED, "interrupted") : HT_OK;
}

static ht_status time_steps(runner *r, int64_t steps, double *seconds) {
  double began = ht_clock_s();
  HT_TRY(ht_bench_flow_step(&r->flow, steps));
  *seconds = ht_clock_s() - began;
  return HT_OK;
}

/* The number of steps that takes about the requested time. It is even, because in-place streaming
 * alternates between two kinds of steps. The first steps also warm up. */
static ht_status choose_steps(runner *r, double wanted) {
  double seconds = 0;
  HT_TRY(time_steps(r, 2, &seconds));
  for (r->steps = 2;; r->steps *= 4) {
    HT_TRY(stop_if_asked());
    HT_TRY(time_steps(r, r->steps, &seconds));
    if (seconds > 0.2 * wanted) break;
  }
  r->steps = 2 * (int64_t)ceil(0.5 * (double)r->steps * wanted / seconds);
  return HT_OK;
}

static ht_status time_once(const ht_bench_setting *setting, const ht_bench_domain *domain,
                           const ht_bench_model *model, runner *r, int repeat) {
  double seconds;
  HT_TRY(stop_if_asked());
  HT_TRY(ht_copy_measure(setting->copy, &r->copy[repeat]));
  HT_TRY(time_steps(r, r->steps, &seconds));
  r->rate[repeat] = (double)domain->tiling.nodes * (double)r->steps / seconds;
  r->of_copy[repeat] = r->rate[repeat] * ht_bench_model_bytes(model) / r->copy[repeat];
  return HT_OK;
}

static ht_status time_all(const ht_bench_setting *setting, const ht_bench_domain *domain,
                          const ht_bench_model *model, int count, runner *r) {
  for (int m = 0; m < count; m++) HT_TRY(choose_steps(&r[m], setting->options->seconds));
  for (int i = 0; i < setting->options->repeats; i++)
    for (int m = 0; m < count; m++) HT_TRY(time_once(setting, domain, &model[m], &r[m], i));
  return HT_OK;
}

/* ---- rows ---- */

static ht_bench_statistic not_measured(void) {
  return (ht_bench_statistic){NAN, NAN, NAN};
}

static ht_bench_statistic scale(ht_bench_statistic s, double factor) {
  return (ht_bench_statistic){s.median * factor, s.low * factor, s.high * factor};
}

static void describe(const ht_bench_setting *setting, const ht_bench_domain *domain,
                     const ht_bench_model *model, ht_bench_row *row) {
  memset(row, 0, sizeof *row);
  memcpy(row->geometry, domain->geometry.label, sizeof row->geometry);
  row->model = *model;
  row->nodes = domain->tiling.nodes;
  row->porosity = domain->porosity;
  row->utilisation = domain->tiling.utilisation;
  row->utilisation_at_origin_000 = domain->tiling.utilisation_at_origin_000;
  row->repeats = setting->options->repeats;
  row->mflups = row->copy = row->ratio = not_measured();
  row->gb_s = row->of_datasheet = row->of_copy = row->error = row->bytes_a_node = NAN;
  row->paper_mflups = row->paper_fraction = row->paper_utilisation = row->paper_peer = NAN;
}

static void add_cost(const runner *r, ht_bench_row *row) {
  ht_lattice_cost cost = {0};
  ht_bench_flow_cost(&r->flow, &cost);
  row->bytes_a_node = (double)cost.bytes / (double)row->nodes;
  row->registers = cost.registers;
  row->occupancy = cost.occupancy;
}

/* Sorts the samples, so it has to come last. */
static void summarize(const ht_bench_setting *setting, runner *r, ht_bench_row *row) {
  int repeats = setting->options->repeats;
  row->steps = r->steps;
  row->mflups = scale(ht_bench_summarize(r->rate, repeats), 1e-6);
  row->copy = scale(ht_bench_summarize(r->copy, repeats), 1e-9);
  row->of_copy = ht_bench_summarize(r->of_copy, repeats).median;
  row->gb_s = 1e-3 * row->mflups.median * ht_bench_model_bytes(&row->model);
  if (setting->memory.bytes_per_s > 0)
    row->of_datasheet = 1e9 * row->gb_s / setting->memory.bytes_per_s;
}

/* The speed of the second over that of the first, pair by pair. */
static ht_bench_statistic summarize_ratio(const runner *r, int repeats) {
  double ratio[HT_BENCH_REPEATS];
  for (int i = 0; i < repeats; i++) ratio[i] = r[1].rate[i] / r[0].rate[i];
  return ht_bench_summarize(ratio, repeats);
}

static ht_status prepare(const ht_bench_setting *setting, const ht_bench_domain *domain,
                         const ht_bench_model *model, runner *r) {
  size_t repeats = (size_t)setting->options->repeats;
  HT_TRY(ht_alloc((void **)&r->rate, repeats, sizeof(double), "the timings"));
  HT_TRY(ht_alloc((void **)&r->copy, repeats, sizeof(double), "the timings"));
  HT_TRY(ht_alloc((void **)&r->of_copy, repeats, sizeof(double), "the timings"));
  return ht_bench_flow_create(domain, model, setting->memory.device, setting->options->threads, 1,
                              &r->flow);
}

static void release(runner *r) {
  ht_bench_flow_free(&r->flow);
  free(r->rate);
  free(r->copy);
  free(r->of_copy);
}

static ht_status time_models(const ht_bench_setting *setting, const ht_bench_domain *domain,
                             const ht_bench_model *model, int count, ht_bench_row *row) {
  runner r[PAIR];
  ht_status status = HT_OK;
  memset(r, 0, sizeof r);
  for (int m = 0; m < count && status == HT_OK; m++)
    status = prepare(setting, domain, &model[m], &r[m]);
  for (int m = 0; m < count && status == HT_OK; m++) add_cost(&r[m], &row[m]);
  if (status == HT_OK) status = time_all(setting, domain, model, count, r);
  if (status == HT_OK && count == PAIR) row[1].ratio = summarize_ratio(r, row[1].repeats);
  for (int m = 0; m < count && status == HT_OK; m++) summarize(setting, &r[m], &row[m]);
  for (int m = 0; m < count; m++) release(&r[m]);
  return status;
}

ht_status ht_bench_measure(const ht_bench_setting *setting, const ht_bench_domain *domain,
                           const ht_bench_model *model, int count, ht_bench_row *row) {
  int wrong = 0;
  for (int m = 0; m < count; m++) describe(setting, domain, &model[m], &row[m]);
  for (int m = 0; m < count; m++) {
    HT_TRY(stop_if_asked());
    HT_TRY(ht_bench_check(&domain->geometry, &model[m], setting->memory.device,
                          setting->options->threads, &row[m].error));
    row[m].wrong = !(row[m].error <= ht_bench_tolerance(model[m].precision));
    wrong += row[m].wrong;
  }
  if (count == 1 && wrong) return HT_OK;
  if (wrong == 0) return time_models(setting, domain, model, count, row);
  for (int m = 0; m < count; m++) /* the right one of a pair is timed alone */
    if (!row[m].wrong) HT_TRY(time_models(setting, domain, &model[m], 1, &row[m]));
  return HT_OK;
}
