#include "bench/measure/bench_levels.h"
#include "bench/measure/bench_measure.h"
#include "bench/measure/bench_report.h"
#include "bench/measure/bench_statistics.h"
#include "core/machine/clock.h"
#include "run/process/interrupt.h"
#include "solver/levels/levels.h"
#include "tiling/tiling.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A pipe with two levels, and a uniform one. */
enum { LEVELS, UNIFORM, BOTH };

static const double tau = 0.51, speed = 0.05;

typedef struct {
  int across, levels; /* in voxels of the coarsest level; its length is along axis 0 */
  int length;
  ht_mask mask[2];
  uint8_t *refined;
  float *distance[2];
  ht_levels *made;
  double updates; /* node updates of a coarse step */
  int64_t steps;  /* coarse, of one timing */
} pipe_flow;

typedef struct {
  const ht_bench_options *options;
  ht_device device;
  pipe_flow flow[BOTH];
  double rate[BOTH][HT_BENCH_REPEATS];
} measurement;

/* ---- the pipes ---- */

/* The distance from the wall, in spacings of the level, of a voxel at (y, z). */
static double wall_distance(const pipe_flow *flow, int level, double y, double z) {
  const double across = flow->across << level;
  return 0.48 * across - hypot(y + 0.5 - 0.5 * across, z + 0.5 - 0.5 * across);
}

static ht_status make_level(pipe_flow *flow, int level) {
  const int across = flow->across << level, length = flow->length << level;
  const ht_grid grid = ht_grid_make(length, across, across);
  const int64_t voxels = ht_grid_voxels(&grid);
  HT_TRY(ht_mask_alloc(&grid, &flow->mask[level]));
  HT_TRY(ht_alloc((void **)&flow->distance[level], (size_t)voxels, sizeof(float), "the pipe"));
  for (int64_t row = 0; row < voxels / length; row++) {
    const float distance =
        (float)wall_distance(flow, level, (double)(row % across), (double)(row / across));
    for (int64_t v = row * length; v < (row + 1) * length; v++) {
      flow->distance[level][v] = distance;
      flow->mask[level].inside[v] = distance > 0;
    }
  }
  return HT_OK;
}

/* The next level is in the middle half of the length, between tiles. */
static ht_status refine(pipe_flow *flow) {
  const int64_t voxels = ht_grid_voxels(&flow->mask[0].grid), quarter = flow->length / 4;
  HT_TRY(ht_alloc((void **)&flow->refined, (size_t)voxels, 1, "the pipe"));
  for (int64_t v = 0; v < voxels; v++) {
    const int64_t x = v % flow->length;
    flow->refined[v] = x >= quarter && x < 3 * quarter;
  }
  return HT_OK;
}

static ht_status make_levels(const measurement *m, ht_precision precision, ht_collision collision,
                             pipe_flow *flow) {
  ht_level_setup level[2];
  for (int l = 0; l < flow->levels; l++) {
    HT_TRY(make_level(flow, l));
    level[l] = (ht_level_setup){.mask = &flow->mask[l], .wall_distance = flow->distance[l]};
  }
  if (flow->levels > 1) HT_TRY(refine(flow));
  level[0].refined = flow->refined;
  const ht_levels_setup setup = {.levels = flow->levels,
                                 .level = level,
                                 .lattice = {.tau = 0.5 + (tau - 0.5) * 2 / flow->levels,
                                             .precision = precision,
                                             .collision = collision,
                                             .compressibility = collision == HT_CUMULANT
                                                                    ? HT_QUASI_COMPRESSIBLE
                                                                    : HT_INCOMPRESSIBLE,
                                             .device = m->device,
                                             .threads = m->options->threads,
                                             .periodic = {1, 0, 0}}};
  return ht_levels_create(&setup, &flow->made);
}

/* ---- the flow ---- */

typedef struct {
  const pipe_flow *flow;
  const ht_tiling *tiling;
  int level;
} start;

/* Poiseuille's profile. */
static void start_node(void *user, int64_t node, ht_node_state *state) {
  const start *from = user;
  const int local = (int)(node % HT_TILE_NODES);
  const int32_t *tile = from->tiling->position + 3 * (node / HT_TILE_NODES);
  const int y = HT_TILE_SIDE * tile[1] - from->tiling->origin[1] + ((local >> 2) & 3);
  const int z = HT_TILE_SIDE * tile[2] - from->tiling->origin[2] + (local >> 4);
  const double inside =
      wall_distance(from->flow, from->level, y, z) / (0.48 * (from->flow->across << from->level));
  state->velocity[0] = speed * inside * (2 - inside);
}

static ht_status begin(pipe_flow *flow) {
  flow->updates = 0;
  for (int l = 0; l < flow->levels; l++) {
    start from = {flow, ht_levels_tiling(flow->made, l), l};
    const uint64_t *own = ht_levels_own(flow->made, l);
    HT_TRY(ht_lattice_set(ht_levels_lattice(flow->made, l), start_node, &from));
    for (int64_t t = 0; t < from.tiling->tiles; t++)
      flow->updates += __builtin_popcountll(own[t]) << l;
  }
  return HT_OK;
}

static void free_flow(pipe_flow *flow) {
  ht_levels_free(flow->made);
  for (int l = 0; l < flow->levels; l++) {
    ht_mask_free(&flow->mask[l]);
    free(flow->distance[l]);
  }
  free(flow->refined);
  *flow = (pipe_flow){0};
}

/* ---- timing ---- */

/* Ends with a look at the coarsest level, which waits for the device. */
static ht_status time_steps(const pipe_flow *flow, int64_t steps, double *seconds) {
  ht_lattice_monitor monitor;
  const double began = ht_clock_s();
  if (ht_interrupt_asked()) return ht_fail(HT_ERR_INTERRUPTED, "interrupted");
  HT_TRY(ht_levels_step(flow->made, steps));
  HT_TRY(ht_lattice_watch(ht_levels_lattice(flow->made, 0), &monitor));
  *seconds = ht_clock_s() - began;
  if (monitor.max_speed < 0.3) return HT_OK;
  return ht_fail(HT_ERR_VALIDATION, "the flow diverged: its largest speed is %g",
                 monitor.max_speed);
}

/* Chooses the number of steps that takes about the requested time; the first also warm up. */
static ht_status choose_steps(const measurement *m, pipe_flow *flow) {
  const double wanted = m->options->seconds;
  double seconds = 0;
  HT_TRY(time_steps(flow, 2, &seconds));
  for (int64_t steps = 2;; steps *= 4) {
    HT_TRY(time_steps(flow, steps, &seconds));
    flow->steps = (int64_t)ceil((double)steps * wanted / seconds);
    if (seconds > 0.2 * wanted) return HT_OK;
  }
}

static ht_status time_both(measurement *m) {
  double seconds;
  for (int k = 0; k < BOTH; k++) HT_TRY(choose_steps(m, &m->flow[k]));
  for (int i = 0; i < m->options->repeats; i++)
    for (int k = 0; k < BOTH; k++) {
      HT_TRY(time_steps(&m->flow[k], m->flow[k].steps, &seconds));
      m->rate[k][i] = m->flow[k].updates * (double)m->flow[k].steps / seconds;
    }
  return HT_OK;
}

/* ---- rows ---- */

static void print_columns(void) {
  printf("\n%6s %-9s %-5s %10s %10s %10s %10s %8s  %s\n", "across", "model", "prec.", "updates",
         "us/step", "levels", "uniform", "ratio", "(range)");
  printf("%6s %-9s %-5s %10s %10s %10s %10s\n", "", "", "", "10^6/step", "", "MFLUPS", "MFLUPS");
}

static void print_row(measurement *m, ht_precision precision, ht_collision collision) {
  const int repeats = m->options->repeats;
  double ratio[HT_BENCH_REPEATS];
  for (int i = 0; i < repeats; i++) ratio[i] = m->rate[LEVELS][i] / m->rate[UNIFORM][i];
  const ht_bench_statistic of = ht_bench_summarize(ratio, repeats);
  const double levels = ht_bench_summarize(m->rate[LEVELS], repeats).median;
  const double uniform = ht_bench_summarize(m->rate[UNIFORM], repeats).median;
  const double updates = m->flow[LEVELS].updates;
  printf("%6d %-9s %-5s %10.3f %10.1f %10.1f %10.1f %8.3f  (%.3f to %.3f)\n",
         m->flow[LEVELS].across, ht_collision_words[collision], ht_precision_words[precision],
         1e-6 * updates, 1e6 * updates / levels, 1e-6 * levels, 1e-6 * uniform, of.median, of.low,
         of.high);
  fflush(stdout);
}

static ht_status measure(measurement *m, int across, ht_precision precision,
                         ht_collision collision) {
  ht_status status = HT_OK;
  m->flow[LEVELS] = (pipe_flow){.across = across, .levels = 2, .length = 4 * across};
  m->flow[UNIFORM] = (pipe_flow){.across = 2 * across, .levels = 1, .length = 4 * across};
  for (int k = 0; k < BOTH && status == HT_OK; k++) {
    status = make_levels(m, precision, collision, &m->flow[k]);
    if (status == HT_OK) status = begin(&m->flow[k]);
  }
  if (status == HT_OK) status = time_both(m);
  if (status == HT_OK) print_row(m, precision, collision);
  for (int k = 0; k < BOTH; k++) free_flow(&m->flow[k]);
  return status;
}

static ht_status measure_size(measurement *m, int across) {
  const ht_bench_options *o = m->options;
  for (int p = HT_FP32; p <= HT_FP64; p++)
    for (int c = 0; ht_collision_words[c]; c++)
      if (ht_bench_wants(o->precisions, 1u << HT_FP32, p) &&
          ht_bench_wants(o->collisions, 1u << HT_CUMULANT, c))
        HT_TRY(measure(m, across, (ht_precision)p, (ht_collision)c));
  return HT_OK;
}

static ht_status measure_all(measurement *m) {
  static const int standard[] = {64, 128};
  print_columns();
  if (m->options->size) return measure_size(m, m->options->size / 4 * 4);
  for (int i = 0; i < 2; i++) HT_TRY(measure_size(m, standard[i]));
  return HT_OK;
}

ht_status ht_bench_levels(const ht_bench_options *options, int argc, char **argv) {
  static measurement m;
  static ht_bench_report report;
  ht_bench_setting setting;
  HT_TRY(ht_bench_report_begin(options, argc, argv, &report));
  HT_TRY(ht_bench_begin(options, &setting));
  report.setting = &setting;
  ht_bench_report_heading(&report, stdout);
  ht_bench_end(&setting);
  m = (measurement){.options = options, .device = setting.memory.device};
  return measure_all(&m);
}
