/* A run that is stopped at a step and goes on from the state that it kept gives the bits of the run
 * that was not: every kind of flow, collision and precision; and what a state refuses. With "gpu"
 * as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/memory_stream.h"
#include "tests/solver/common/oblique_fork.h"
#include "tests/solver/common/pipe_domain.h"
#include <stdlib.h>
#include <string.h>

static ht_device device;

/* ---- a state in memory ---- */

/* ---- the observer ---- */

/* A sum over all that it was shown, in order. */
typedef struct {
  int64_t samples;
  uint64_t sum;
  int is_ready;
} watcher;

static ht_status make_ready(void *user) {
  ((watcher *)user)->is_ready = 1;
  return HT_OK;
}

static void add(const void *bytes, size_t size, uint64_t *sum) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) *sum = (*sum ^ at[i]) * 1099511628211u;
}

static ht_status observe(void *user, const ht_flow_sample *sample) {
  watcher *to = user;
  assert_true(to->is_ready);
  to->samples++;
  add(&sample->time_s, sizeof sample->time_s, &to->sum);
  add(&sample->beat, sizeof sample->beat, &to->sum);
  add(sample->flow->velocity_m_s, 3 * (size_t)sample->flow->nodes * sizeof(float), &to->sum);
  add(sample->flow->pressure_pa, (size_t)sample->flow->nodes * sizeof(float), &to->sum);
  add(sample->flow->stress_pa, 6 * (size_t)sample->flow->nodes * sizeof(float), &to->sum);
  add(sample->flow_ml_s, (size_t)sample->ports * sizeof(double), &to->sum);
  add(sample->pressure_pa, (size_t)sample->ports * sizeof(double), &to->sum);
  return HT_OK;
}

static ht_status move_observer(void *user, const ht_flow *flow, ht_state *stream) {
  watcher *of = user;
  assert_true(flow->nodes > 0 && of->is_ready);
  HT_TRY(HT_STATE_OF(stream, of->samples));
  return HT_STATE_OF(stream, of->sum);
}

/* ---- a run ---- */

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_waveform waveform;
  ht_solver_options options;
  ht_solve_keeping keeping;
  ht_flow flow;
  ht_flow_stats stats;
  watcher seen;
  uint8_t *coarser;
} fixture;

typedef void (*set_up)(fixture *f);

static void pipe_of(fixture *f, int across, int length, double spacing_mm, double flow_ml_s) {
  assert_int_equal(ht_pipe_domain(across, length, 2, 1, spacing_mm, flow_ml_s, &f->domain), HT_OK);
}

static void beat_of(fixture *f, double period_s) {
  ht_harmonics series = {.period_s = period_s, .mean_ml_s = 1, .harmonics = 1};
  series.cosine_ml_s[0] = 0.5;
  assert_int_equal(ht_waveform_series(&series, &f->waveform), HT_OK);
  f->options.waveform = &f->waveform;
}

static void begin(fixture *f, set_up prepare) {
  memset(f, 0, sizeof *f);
  ht_solver_defaults(&f->options);
  f->options.device = device;
  f->options.threads = 1;
  f->options.observe = observe;
  f->options.ready = make_ready;
  f->options.observe_user = &f->seen;
  f->keeping =
      (ht_solve_keeping){.every_s = 1e9, .keep = ht_memory_keep, .move_observer = move_observer};
  f->options.keeping = &f->keeping;
  prepare(f);
  assert_int_equal(ht_tiling_build(&f->domain.mask, NULL, &f->tiling), HT_OK);
}

static ht_status solve(fixture *f) {
  return ht_solve(&f->domain, &f->tiling, &f->options, NULL, &f->flow, &f->stats);
}

static void end(fixture *f) {
  ht_flow_free(&f->flow);
  ht_tiling_free(&f->tiling);
  ht_domain_free(&f->domain);
  free(f->coarser);
}

static void same_flow(const ht_flow *a, const ht_flow *b) {
  size_t nodes = (size_t)a->nodes;
  assert_int_equal(a->nodes, b->nodes);
  assert_memory_equal(a->velocity_m_s, b->velocity_m_s, 3 * nodes * sizeof(float));
  assert_memory_equal(a->pressure_pa, b->pressure_pa, nodes * sizeof(float));
  assert_memory_equal(a->stress_pa, b->stress_pa, 6 * nodes * sizeof(float));
  assert_int_equal(a->tke_j_m3 != NULL, b->tke_j_m3 != NULL);
  if (!a->tke_j_m3) return;
  assert_memory_equal(a->tke_j_m3, b->tke_j_m3, nodes * sizeof(float));
  assert_memory_equal(a->tke_peak_j_m3, b->tke_peak_j_m3, nodes * sizeof(float));
}

/* Checks that the figures are the same, but for the times that the runs took. */
static void same_stats(const ht_flow_stats *a, const ht_flow_stats *b) {
  ht_flow_stats one = *a, other = *b;
  one.seconds = other.seconds = one.mflups = other.mflups = 0;
  one.coarse_seconds = other.coarse_seconds = 0;
  assert_memory_equal(&one, &other, sizeof one);
}

/* Runs from a state, or from the start where it is NULL, to the end, or to `step` where that is not
 * 0: then the state is kept. */
static ht_status run_from(set_up prepare, ht_memory *from, int64_t step, ht_memory *kept,
                          fixture *f) {
  ht_state stream = ht_memory_stream(from, 1);
  begin(f, prepare);
  f->keeping.at_step = step;
  f->keeping.user = kept;
  if (from) {
    f->keeping.resume = &stream;
    from->at = 0;
  }
  return solve(f);
}

static void stop_at(set_up prepare, ht_memory *from, int64_t step, ht_memory *kept) {
  fixture f;
  assert_int_equal(run_from(prepare, from, step, kept, &f), HT_ERR_INTERRUPTED);
  assert_true(kept->size > 0);
  end(&f);
}

static ht_status go_on(set_up prepare, ht_memory *state, fixture *f) {
  return run_from(prepare, state, 0, NULL, f);
}

/* Stops at each of these shares of the steps, and goes on from there to the next: the last state
 * has what was lost in any before it. */
static void stop_often(set_up prepare, int64_t steps, int shares, const double *share,
                       ht_memory *state) {
  for (int k = 0; k < shares; k++) {
    ht_memory next = {0};
    stop_at(prepare, k ? state : NULL, (int64_t)(share[k] * (double)steps), &next);
    assert_true(k == 0 || state->at == state->size); /* all of it was read */
    ht_memory_free(state);
    *state = next;
  }
}

typedef struct {
  ht_flow_stats stats;
  int64_t samples;
} outcome;

/* Stops at each of these shares of the steps. What came of the run that was not stopped. */
static outcome check(set_up prepare, const char *name, int shares, const double *share) {
  fixture whole, rest;
  ht_memory state = {0};
  begin(&whole, prepare);
  if (solve(&whole) != HT_OK) fail_msg("%s: %s", name, ht_error_message());
  print_message("%s: %lld steps, %lld samples\n", name, (long long)whole.stats.steps,
                (long long)whole.seen.samples);
  stop_often(prepare, whole.stats.steps, shares, share, &state);
  if (go_on(prepare, &state, &rest) != HT_OK) fail_msg("%s: %s", name, ht_error_message());
  same_flow(&whole.flow, &rest.flow);
  same_stats(&whole.stats, &rest.stats);
  assert_int_equal(whole.seen.samples, rest.seen.samples);
  assert_true(whole.seen.sum == rest.seen.sum);
  assert_int_equal(state.at, state.size);
  ht_memory_free(&state);
  end(&rest);
  end(&whole);
  return (outcome){whole.stats, whole.seen.samples};
}

/* ---- the flows ---- */

/* Adds a wall between the nodes, so that walls are interpolated. */
static void add_wall(ht_domain *domain, double across) {
  const int *dim = domain->mask.grid.dim;
  int64_t voxels = ht_grid_voxels(&domain->mask.grid);
  assert_int_equal(
      ht_alloc((void **)&domain->wall_distance, (size_t)voxels, sizeof(float), "the wall"), HT_OK);
  for (int64_t v = 0; v < voxels; v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    double x = at[0] - 0.5 * (dim[0] - 1), y = at[1] - 0.5 * (dim[1] - 1);
    double distance = 0.5 * across + 0.05 - hypot(x, y);
    int inside = domain->mask.inside[v] != HT_SOLID;
    domain->wall_distance[v] = (float)(inside ? fmax(distance, 0.05) : fmin(distance, -0.05));
  }
}

static void steady(fixture *f) {
  pipe_of(f, 8, 9, 0.3, 0.4);
  add_wall(&f->domain, 8);
  f->options.walls = HT_WALLS_INTERPOLATED;
}

static void steady_double(fixture *f) {
  steady(f);
  f->options.precision = HT_FP64;
  f->options.collision = HT_MRT;
}

static void steady_half(fixture *f) {
  steady(f);
  f->options.precision = HT_FP16;
  f->options.max_steps = 1500;
  f->options.stop_at_max_steps = 1;
}

static void coarse(fixture *f) {
  pipe_of(f, 18, 13, 0.2, 0.5);
  f->options.coarse_start = 1;
}

/* The peak is at the beat's begin, which is that of the start: the first beat does not repeat it,
 * and one more is run. */
static void coarse_beats(fixture *f) {
  pipe_of(f, 17, 9, 0.15, 0.1);
  beat_of(f, 0.05);
  f->options.coarse_start = 1;
  f->options.samples = 10;
  f->options.cycles = 3;
  f->options.max_velocity_lu = 0.1;
}

/* Two outlets, whose loss is found while the flow settles. */
static void fork_of(fixture *f, double flow_ml_s) {
  const ht_fork_shape shape = {9, 14, 7, 5};
  assert_int_equal(ht_oblique_fork_domain(&shape, 0.4, flow_ml_s, &f->domain), HT_OK);
  f->options.walls = HT_WALLS_INTERPOLATED;
}

static void fork_for_a_while(fixture *f) {
  fork_of(f, 0.4);
  f->options.max_steps = 2500;
  f->options.stop_at_max_steps = 1;
}

static void fork_beats(fixture *f) {
  fork_of(f, 0.1);
  beat_of(f, 0.1);
  f->options.coarse_start = 1;
  f->options.samples = 10;
  f->options.cycles = 3;
  f->options.max_velocity_lu = 0.1;
}

/* Noise at the inlet: the flow does not come to rest, and means are taken. */
static void noisy(fixture *f) {
  pipe_of(f, 8, 9, 0.3, 0.4);
  f->options.inlet_noise = 0.02;
  f->options.averages = 1;
  f->options.max_steps = 4000;
}

static void pulse(fixture *f) {
  pipe_of(f, 8, 16, 0.3, 0.2);
  beat_of(f, 0.06);
  f->options.outlets = HT_OUTLETS_WINDKESSEL;
  f->options.samples = 12;
  f->options.cycles = 5;
  f->options.max_velocity_lu = 0.1;
  f->options.cuff_pa[0] = 130;
  f->options.cuff_pa[1] = 100;
  ht_opening *outlet = &f->domain.port[1].opening;
  outlet->windkessel[0] = 1e7;
  outlet->windkessel[1] = 1e-10;
  outlet->windkessel[2] = 5e8;
  outlet->windkessel_start_pa = 100;
}

/* The same from a coarse lattice, which tunes the outlets before the run that is stopped; without a
 * proximal resistance. */
static void coarse_pulse(fixture *f) {
  pulse(f);
  ht_opening outlet = f->domain.port[1].opening;
  ht_domain_free(&f->domain);
  pipe_of(f, 9, 9, 0.3, 0.2);
  beat_of(f, 0.03);
  memcpy(f->domain.port[1].opening.windkessel, outlet.windkessel, sizeof outlet.windkessel);
  f->domain.port[1].opening.windkessel[0] = 0;
  f->domain.port[1].opening.windkessel_start_pa = outlet.windkessel_start_pa;
  f->options.coarse_start = 1;
  f->options.cycles = 4;
}

/* Beats that differ, by noise, so that several count. */
static void beats(fixture *f) {
  pipe_of(f, 8, 9, 0.3, 0.2);
  beat_of(f, 0.03);
  f->options.inlet_noise = 0.1;
  f->options.samples = 10;
  f->options.cycles = 3;
  f->options.max_cycles = 7;
  f->options.max_velocity_lu = 0.1;
}

/* The outlet's extension has a sponge. */
static void mark_extension(ht_domain *domain, int from) {
  int at[3];
  const double cut[3] = {6, 6, from + 0.5};
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    ht_voxel_place(domain->mask.grid.dim, v, at);
    if (domain->mask.inside[v] && at[2] > from) domain->mask.inside[v] = HT_EXTENSION;
  }
  for (int p = 0; p < 2; p++)
    if (domain->port[p].opening.role == HT_ROLE_OUTLET)
      ht_grid_position(&domain->mask.grid, cut, domain->port[p].opening.centre_mm);
}

static void jet(fixture *f) {
  pipe_of(f, 10, 26, 0.5, 20);
  mark_extension(&f->domain, 18);
  add_wall(&f->domain, 10);
  f->options.walls = HT_WALLS_INTERPOLATED;
  f->options.collision = HT_CUMULANT;
  f->options.averages = 1;
  f->options.steady_tolerance = 1e-9;
  f->options.max_steps = 3000;
  f->options.stop_at_max_steps = 1;
  f->options.inlet_noise = 0.05;
}

static void jet_pulse(fixture *f) {
  jet(f);
  beat_of(f, 0.005);
  f->options.cycles = 3;
  f->options.samples = 10;
  f->options.stop_at_max_steps = 0;
  f->options.max_steps = 0;
}

/* The middle of a long vessel has half of the spacing. */
static void levels_of(fixture *f, int from, int to) {
  const int *dim = f->domain.mask.grid.dim;
  const int64_t voxels = ht_grid_voxels(&f->domain.mask.grid);
  f->coarser = calloc((size_t)voxels, 1);
  for (int64_t v = 0; v < voxels; v++) {
    const int64_t z = v / dim[0] / dim[1];
    f->coarser[v] = z < from || z >= to;
  }
  f->options.coarser = f->coarser;
  f->options.halvings = 1;
}

static void levels(fixture *f) {
  pipe_of(f, 10, 56, 0.3, 0.2);
  add_wall(&f->domain, 10);
  levels_of(f, 24, 32);
  f->options.walls = HT_WALLS_INTERPOLATED;
  f->options.collision = HT_MRT;
  f->options.max_steps = 600;
  f->options.stop_at_max_steps = 1;
}

static void levels_pulse(fixture *f) {
  pipe_of(f, 10, 72, 0.5, 10);
  mark_extension(&f->domain, 56);
  add_wall(&f->domain, 10);
  levels_of(f, 24, 32);
  beat_of(f, 0.005);
  f->options.walls = HT_WALLS_INTERPOLATED;
  f->options.collision = HT_CUMULANT;
  f->options.cycles = 3;
  f->options.samples = 10;
}

/* The outlet, with its sponge and a Windkessel, is on the finer level. */
static void levels_outlet(fixture *f) {
  levels_pulse(f);
  free(f->coarser);
  levels_of(f, 40, 80);
  f->options.outlets = HT_OUTLETS_WINDKESSEL;
  ht_opening *outlet = &f->domain.port[1].opening;
  outlet->windkessel[0] = 2e7;
  outlet->windkessel[1] = 1e-10;
  outlet->windkessel[2] = 1e8;
}

/* ---- tests ---- */

static void test_steady(void **unused) {
  static const double share[] = {0.03, 0.5, 0.9};
  (void)unused;
  check(steady, "steady", 3, share);
  check(steady_double, "fp64, MRT", 1, share + 1);
  check(steady_half, "fp16", 1, share + 1);
}

static void test_coarse_start(void **unused) {
  static const double share[] = {0.05, 0.6};
  (void)unused;
  assert_true(check(coarse, "coarse start", 2, share).stats.coarse_steps > 0);
}

static void test_coarse_beats(void **unused) {
  static const double share[] = {0.03, 0.3, 0.7};
  (void)unused;
  outcome whole = check(coarse_beats, "coarse beats", 3, share);
  assert_int_equal(whole.stats.cycles, 4);
  assert_int_equal(whole.samples, 2 * 10);
}

static void test_fork(void **unused) {
  static const double share[] = {0.3, 0.6, 0.9};
  (void)unused;
  check(fork_for_a_while, "fork", 2, share);
  assert_true(check(fork_beats, "fork, coarse beats", 3, share).stats.coarse_steps > 0);
}

static void test_means(void **unused) {
  static const double share[] = {0.3, 0.5, 0.7025, 0.95};
  (void)unused;
  outcome whole = check(noisy, "means", 4, share);
  assert_int_equal(whole.stats.averaged, HT_AVERAGE_SAMPLES);
}

static void test_pulse(void **unused) {
  static const double share[] = {0.07, 0.4, 0.47, 0.8, 0.97};
  (void)unused;
  check(pulse, "Windkessel and cuff", 5, share);
}

/* Stops in the lead, right after it, and in a beat that counts. */
static void test_coarse_pulse(void **unused) {
  static const double share[] = {0.2, 1. / 3, 0.6, 0.8};
  (void)unused;
  outcome whole = check(coarse_pulse, "cuff, coarse beats", 4, share);
  assert_true(whole.stats.coarse_steps > 0);
  assert_int_equal(whole.stats.cuff_tuned, 2); /* on each lattice once */
  assert_int_equal(whole.stats.cycles, 5);
}

static void test_beats(void **unused) {
  static const double share[] = {0.5, 0.72, 0.95};
  (void)unused;
  check(beats, "beats that differ", 3, share);
}

static void test_jet(void **unused) {
  static const double share[] = {0.5, 0.86};
  (void)unused;
  assert_int_equal(check(jet, "jet", 2, share).stats.diagonals_corrected, 1);
  check(jet_pulse, "jet, pulse", 2, share);
  assert_int_equal(check(levels, "levels", 2, share).stats.levels, 2);
  check(levels_pulse, "levels, pulse", 2, share);
  check(levels_outlet, "levels, Windkessel", 1, share);
}

/* A state of another run is refused, wherever it is cut, and never half used. */
static void test_refusals(void **unused) {
  ht_memory state = {0};
  fixture f;
  (void)unused;
  stop_at(steady, NULL, 300, &state);
  size_t size = state.size;
  for (int quarter = 0; quarter < 4; quarter++) {
    state.size = size * (size_t)quarter / 4;
    assert_int_equal(go_on(steady, &state, &f), HT_ERR_FORMAT);
    end(&f);
  }
  state.size = size;
  assert_int_equal(go_on(noisy, &state, &f), HT_ERR_FORMAT); /* other walls and ports */
  end(&f);
  assert_int_equal(go_on(steady_double, &state, &f), HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "does not fit"));
  end(&f);
  assert_int_equal(go_on(pulse, &state, &f), HT_ERR_FORMAT);
  end(&f);
  ht_memory_free(&state);
}

/* A report's request to stop, too, keeps a state first. */
static int stop_at_once(void *user, const char *stage, double done, double total,
                        const char *note) {
  (void)user, (void)stage, (void)done, (void)total, (void)note;
  return 1;
}

static void test_interrupted(void **unused) {
  ht_memory state = {0};
  fixture whole, f;
  ht_progress progress = {.report = stop_at_once};
  (void)unused;
  begin(&whole, steady);
  assert_int_equal(solve(&whole), HT_OK);
  begin(&f, steady);
  f.keeping.user = &state;
  ht_status status = ht_solve(&f.domain, &f.tiling, &f.options, &progress, &f.flow, &f.stats);
  assert_int_equal(status, HT_ERR_INTERRUPTED);
  assert_true(state.size > 0);
  end(&f);
  assert_int_equal(go_on(steady, &state, &f), HT_OK);
  same_flow(&whole.flow, &f.flow);
  same_stats(&whole.stats, &f.stats);
  ht_memory_free(&state);
  end(&f);
  end(&whole);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steady),       cmocka_unit_test(test_coarse_start),
      cmocka_unit_test(test_fork),         cmocka_unit_test(test_means),
      cmocka_unit_test(test_pulse),        cmocka_unit_test(test_coarse_beats),
      cmocka_unit_test(test_beats),        cmocka_unit_test(test_jet),
      cmocka_unit_test(test_refusals),     cmocka_unit_test(test_interrupted),
      cmocka_unit_test(test_coarse_pulse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
