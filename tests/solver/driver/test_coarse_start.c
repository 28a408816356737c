/* A start from the flow on a lattice of twice the spacing: the coarse domain, the same answer in
 * fewer steps, steady and pulsatile, the same bits with any number of threads, and what refuses. */
#include "tests/check.h"
#include "solver/plan/coarse_choice.h"
#include "solver/run/coarse/coarse_domain.h"
#include "solver/samples/coarse_values.h"
#include "solver/samples/flow_read.h"
#include "tests/solver/common/pipe_domain.h"
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 18, LONG = 13, SAMPLES = 10 };

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_waveform waveform;
  ht_solver_options options;
  ht_flow flow;
  ht_flow_stats stats;
} fixture;

static void begin(fixture *f) {
  memset(f, 0, sizeof *f);
  assert_int_equal(ht_pipe_domain(ACROSS, LONG, 2, 1, 0.2, 0.5, &f->domain), HT_OK);
  assert_int_equal(ht_tiling_build(&f->domain.mask, NULL, &f->tiling), HT_OK);
  ht_solver_defaults(&f->options);
  f->options.device = HT_DEVICE_CPU;
  f->options.threads = 1;
}

static ht_status solve(fixture *f, int coarse_start) {
  f->options.coarse_start = coarse_start;
  return ht_solve(&f->domain, &f->tiling, &f->options, NULL, &f->flow, &f->stats);
}

static void end(fixture *f) {
  ht_flow_free(&f->flow);
  ht_tiling_free(&f->tiling);
  ht_domain_free(&f->domain);
}

static double drop_pa(const ht_flow_stats *stats) {
  return stats->port[0].port_pressure_pa - stats->port[1].port_pressure_pa;
}

/* sqrt(sum (a - b)^2 / sum a^2) */
static double difference(const float *a, const float *b, int64_t count) {
  double off = 0, all = 0;
  for (int64_t i = 0; i < count; i++) {
    off += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    all += (double)a[i] * a[i];
  }
  return sqrt(off / all);
}

static void test_every_second_node(void **unused) {
  (void)unused;
  fixture f;
  ht_domain coarse;
  begin(&f);
  const int *dim = f.domain.mask.grid.dim;
  assert_int_equal(ht_alloc((void **)&f.domain.wall_distance,
                            (size_t)ht_grid_voxels(&f.domain.mask.grid), sizeof(float), "walls"),
                   HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&f.domain.mask.grid); v++)
    f.domain.wall_distance[v] = f.domain.mask.inside[v] ? 3 : -3;
  assert_int_equal(ht_coarse_domain_make(&f.domain, &coarse), HT_OK);
  assert_true(coarse.mask.grid.spacing_mm[1] == 2 * f.domain.mask.grid.spacing_mm[1]);
  for (int64_t v = 0; v < ht_grid_voxels(&coarse.mask.grid); v++) {
    int at[3], there[3];
    ht_voxel_place(coarse.mask.grid.dim, v, at);
    for (int a = 0; a < 3; a++) there[a] = 2 * at[a];
    int inside =
        ht_voxel_in_grid(dim, there) ? f.domain.mask.inside[ht_voxel_index(dim, there)] : HT_SOLID;
    assert_int_equal(coarse.mask.inside[v], inside);
    assert_true(coarse.wall_distance[v] == (inside ? 1.5F : -1.5F) || !inside);
  }
  /* Each port is the whole section of the coarse pipe, on the last plane with fluid. */
  for (int p = 0; p < 2; p++) {
    const ht_port *port = &coarse.port[p];
    int64_t plane = (int64_t)coarse.mask.grid.dim[0] * coarse.mask.grid.dim[1];
    int64_t first = port->node[0] / plane * plane, count = 0;
    for (int64_t v = first; v < first + plane; v++) count += coarse.mask.inside[v] != HT_SOLID;
    assert_int_equal(port->nodes, count);
    assert_int_equal(coarse.mask.inside[port->node[0] + port->inward * plane] != HT_SOLID, 1);
    int64_t beyond = port->node[0] - port->inward * plane;
    assert_true(beyond < 0 || coarse.mask.inside[beyond] == HT_SOLID);
  }
  ht_domain_free(&coarse);
  end(&f);
}

/* ---- the values between the nodes ---- */

/* Fluid or not, and pressure, by the place in a box of 10 x 9 x 8. */
static uint32_t drawn(const int at[3]) {
  uint32_t bits = 1u + (uint32_t)(at[0] + 10 * (at[1] + 9 * at[2]));
  for (int n = 0; n < 3; n++) bits = (bits ^ bits >> 13) * 0x5bd1e995u;
  return bits ^ bits >> 15;
}

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_flow flow;
  ht_coarse_values values;
} between;

/* Makes a flow in that box with its axis order[a] stored as axis a. */
static void make_between(const int order[3], int is_rough, between *b) {
  static const int dim[3] = {10, 9, 8};
  ht_solver_options options;
  memset(b, 0, sizeof *b);
  ht_mask *mask = &b->domain.mask;
  for (int a = 0; a < 3; a++) mask->grid.dim[a] = dim[order[a]];
  for (int a = 0; a < 3; a++) mask->grid.spacing_mm[a] = mask->grid.direction[a][a] = 1;
  assert_int_equal(
      ht_alloc((void **)&mask->inside, (size_t)ht_grid_voxels(&mask->grid), 1, "a box"), HT_OK);
  ht_solver_defaults(&options);
  for (int pass = 0; pass < 2; pass++) {
    int stored[3], at[3];
    for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
      ht_voxel_place(mask->grid.dim, v, stored);
      for (int a = 0; a < 3; a++) at[order[a]] = stored[a];
      const uint32_t bits = drawn(at);
      const int solid = bits % 8 == 0 || at[0] < 2;
      if (pass == 0) mask->inside[v] = solid ? HT_SOLID : HT_VESSEL;
      if (pass == 0 || solid) continue;
      const int64_t node = ht_flow_node(&b->flow, v);
      b->flow.pressure_pa[node] = (float)(bits >> 8) / (1 << 24);
      for (int a = 0; a < 3; a++)
        b->flow.velocity_m_s[3 * node + a] = (float)(bits >> (8 + a) & 1023) / 1024;
    }
    if (pass > 0) break;
    assert_int_equal(ht_tiling_build(mask, NULL, &b->tiling), HT_OK);
    assert_int_equal(ht_flow_alloc(&b->domain, &b->tiling, &options, &b->flow), HT_OK);
  }
  assert_int_equal(ht_coarse_values_make(&b->domain, &b->flow, is_rough, &b->values), HT_OK);
}

/* Returns the largest difference of the values between the nodes `at` and the next. */
static double off_between(const between *a, const between *b, const int order[3], const int at[3]) {
  enum { EACH = 2, PLACES = EACH * EACH * EACH };
  const ht_coarse_places places = {EACH, {{0.25, 0.75}, {0.25, 0.75}, {0.25, 0.75}}};
  double one[PLACES][HT_COARSE_VALUES], other[PLACES][HT_COARSE_VALUES], off = 0;
  int stored[3];
  for (int k = 0; k < 3; k++) stored[k] = at[order[k]];
  const int has = ht_coarse_values_between(&a->values, at, &places, one[0]);
  assert_int_equal(ht_coarse_values_between(&b->values, stored, &places, other[0]), has);
  for (int n = 0; n < PLACES && has; n++) {
    const int place[3] = {n / 4, n / 2 % 2, n % 2};
    const int there = 4 * place[order[0]] + 2 * place[order[1]] + place[order[2]];
    for (int k = 0; k < HT_COARSE_STRESS; k++) off = fmax(off, fabs(one[n][k] - other[there][k]));
  }
  return off;
}

/* No axis comes first: the same flow with its axes stored in another order has the same values. */
static void test_axes_in_another_order(void **unused) {
  (void)unused;
  static const int as_is[3] = {0, 1, 2}, turned[3] = {2, 0, 1};
  for (int is_rough = 0; is_rough < 2; is_rough++) {
    between a, b;
    double off = 0;
    int at[3];
    make_between(as_is, is_rough, &a);
    make_between(turned, is_rough, &b);
    for (at[2] = -1; at[2] < 8; at[2]++)
      for (at[1] = -1; at[1] < 9; at[1]++)
        for (at[0] = -1; at[0] < 10; at[0]++) off = fmax(off, off_between(&a, &b, turned, at));
    print_message("axes in another order, rough %d: %.2g\n", is_rough, off);
    assert_true(off < 1e-5);
    between *both[] = {&a, &b};
    for (int k = 0; k < 2; k++) {
      ht_coarse_values_free(&both[k]->values);
      ht_flow_free(&both[k]->flow);
      ht_tiling_free(&both[k]->tiling);
      ht_domain_free(&both[k]->domain);
    }
  }
}

static void test_steady(void **unused) {
  (void)unused;
  fixture rest, one, two;
  begin(&rest);
  begin(&one);
  begin(&two);
  two.options.threads = 2;
  assert_int_equal(solve(&rest, 0), HT_OK);
  assert_int_equal(solve(&one, 1), HT_OK);
  assert_int_equal(solve(&two, 1), HT_OK);
  print_message("drop %.5f Pa after %lld steps from rest; %.5f Pa after %lld coarse and %lld\n",
                drop_pa(&rest.stats), (long long)rest.stats.steps, drop_pa(&one.stats),
                (long long)one.stats.coarse_steps, (long long)one.stats.steps);
  assert_true(one.stats.coarse_steps > 0 && rest.stats.coarse_steps == 0);
  assert_true(one.stats.steps < rest.stats.steps);
  /* The bar is 0.5 %; what the steady tolerance leaves of a pipe is below 0.2 %. */
  assert_near(drop_pa(&one.stats) / drop_pa(&rest.stats), 1, 2e-3);
  int64_t nodes = rest.flow.nodes;
  assert_true(difference(rest.flow.velocity_m_s, one.flow.velocity_m_s, 3 * nodes) <= 1e-3);
  assert_true(difference(rest.flow.stress_pa, one.flow.stress_pa, 6 * nodes) <= 2e-3);
  assert_memory_equal(one.flow.velocity_m_s, two.flow.velocity_m_s,
                      3 * (size_t)nodes * sizeof(float));
  end(&rest);
  end(&one);
  end(&two);
}

static void begin_pulse(fixture *f) {
  const ht_harmonics series = {
      .period_s = 0.2, .mean_ml_s = 1, .harmonics = 1, .cosine_ml_s = {0}, .sine_ml_s = {0.5}};
  const double windkessel[3] = {5e6, 1e-9, 4.5e7}; /* 5 Pa at the mean flow; a time of 45 ms */
  begin(f);
  assert_int_equal(ht_waveform_series(&series, &f->waveform), HT_OK);
  f->options.waveform = &f->waveform;
  f->options.profile = HT_PROFILE_WOMERSLEY;
  f->options.samples = SAMPLES;
  f->options.cycles = 4;
  f->options.sound_deviation = 1; /* fewer steps */
  f->options.outlets = HT_OUTLETS_WINDKESSEL;
  f->domain.port[0].opening.flow_ml_s = 0.1;
  memcpy(f->domain.port[1].opening.windkessel, windkessel, sizeof windkessel);
}

/* The Windkessel's state goes on, too. */
static void test_pulse(void **unused) {
  (void)unused;
  fixture rest, from;
  begin_pulse(&rest);
  begin_pulse(&from);
  assert_int_equal(solve(&rest, 0), HT_OK);
  assert_int_equal(solve(&from, 1), HT_OK);
  int64_t beat = rest.stats.steps / 4, nodes = rest.flow.nodes;
  double velocity = difference(rest.flow.velocity_m_s, from.flow.velocity_m_s, 3 * nodes);
  double stress = difference(rest.flow.stress_pa, from.flow.stress_pa, 6 * nodes);
  print_message("drop %.4f and %.4f Pa, outlet %.3f and %.3f Pa; velocity %.1e, stress %.1e, "
                "beats change by %.1e and %.1e\n",
                drop_pa(&rest.stats), drop_pa(&from.stats), rest.stats.port[1].pressure_pa,
                from.stats.port[1].pressure_pa, velocity, stress, rest.stats.cycle_change,
                from.stats.cycle_change);
  assert_int_equal(from.stats.cycles, 4);
  int peak = (int)lround(from.stats.peak_time_s / from.stats.period_s * SAMPLES);
  assert_int_equal(from.stats.steps, HT_COARSE_FINE_BEATS * beat + beat / SAMPLES * (peak + 1));
  assert_true(from.stats.coarse_steps > 0 && from.stats.coarse_steps < 2 * beat);
  assert_true(from.stats.steady);
  assert_near(drop_pa(&from.stats) / drop_pa(&rest.stats), 1, 5e-3);
  assert_near(from.stats.port[1].pressure_pa, rest.stats.port[1].pressure_pa,
              5e-3 * drop_pa(&rest.stats) + 2e-3 * rest.stats.port[1].pressure_pa);
  assert_true(velocity <= 5e-3 && stress <= 5e-3);
  end(&rest);
  end(&from);
}

/* A gap three nodes wide. On the coarse lattice it has two, and is a third too wide. */
static void make_gap(ht_domain *domain) {
  enum { WIDE = 72, MIDDLE = 37 };
  int at[3];
  assert_int_equal(ht_pipe_domain(WIDE, LONG, 2, 1, 0.2, 0.5, domain), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    ht_voxel_place(domain->mask.grid.dim, v, at);
    if (abs(at[1] - MIDDLE) > 1) domain->mask.inside[v] = HT_SOLID;
  }
  for (int p = 0; p < 2; p++) {
    ht_port *port = &domain->port[p];
    int64_t count = 0;
    for (int64_t i = 0; i < port->nodes; i++)
      if (domain->mask.inside[port->node[i]]) port->node[count++] = port->node[i];
    port->nodes = count;
  }
}

/* The start says how far off its flow is; the run corrects it. */
static void test_a_start_that_is_far_off(void **unused) {
  (void)unused;
  fixture f;
  memset(&f, 0, sizeof f);
  make_gap(&f.domain);
  assert_int_equal(ht_tiling_build(&f.domain.mask, NULL, &f.tiling), HT_OK);
  ht_solver_defaults(&f.options);
  f.options.device = HT_DEVICE_CPU;
  f.options.threads = 1;
  assert_int_equal(solve(&f, 1), HT_OK);
  print_message("off by %.3f; %lld steps, in %.4f mL/s\n", f.stats.coarse_off,
                (long long)f.stats.steps, f.stats.port[0].flow_ml_s);
  assert_true(f.stats.coarse_steps > 0);
  assert_true(f.stats.coarse_off > 0.1); /* of a third too much area */
  assert_near(f.stats.port[0].flow_ml_s / 0.5, 1, 5e-3);
  end(&f);
}

/* A coarse run that does not come to rest in so few steps leaves a note; the run goes on. */
static void test_failure_begins_from_rest(void **unused) {
  (void)unused;
  fixture f;
  begin(&f);
  f.options.max_steps = 600;
  assert_int_equal(solve(&f, 1), HT_ERR_NOT_STEADY);
  assert_int_equal(f.stats.steps, 600);
  assert_int_equal(f.stats.coarse_steps, 0);
  assert_string_equal(f.stats.coarse_note, "its flow does not come to rest");
  end(&f);
}

/* Fails once, as a flow that diverges does. */
static ht_status diverge_once(void *user, const ht_flow_sample *sample) {
  (void)sample;
  int *samples = user;
  return ++*samples == 2 ? ht_fail(HT_ERR_DIVERGED, "for the test") : HT_OK;
}

/* A run that diverges after a coarse start gives what one from rest gives; one that had no coarse
 * start is not repeated. */
static void test_divergence_begins_from_rest(void **unused) {
  (void)unused;
  fixture rest, again;
  int samples = 0;
  begin_pulse(&rest);
  begin_pulse(&again);
  rest.options.cycles = again.options.cycles = 3;
  again.options.observe = diverge_once;
  again.options.observe_user = &samples;
  assert_int_equal(solve(&rest, 0), HT_OK);
  assert_int_equal(solve(&again, 1), HT_OK);
  assert_int_equal(samples, 2 + SAMPLES);
  assert_int_equal(again.stats.steps, rest.stats.steps);
  assert_int_equal(again.stats.coarse_steps, 0);
  assert_string_equal(again.stats.coarse_note, "the run that began there became unstable");
  assert_true(again.stats.port[1].pressure_pa == rest.stats.port[1].pressure_pa);
  assert_memory_equal(again.flow.velocity_m_s, rest.flow.velocity_m_s,
                      3 * (size_t)rest.flow.nodes * sizeof(float));
  end(&again);
  samples = 0;
  begin_pulse(&again);
  again.options.cycles = 3;
  again.options.observe = diverge_once;
  again.options.observe_user = &samples;
  assert_int_equal(solve(&again, 0), HT_ERR_DIVERGED);
  end(&rest);
  end(&again);
}

static void check_refused(fixture *f, const char *why) {
  ht_coarse_choice choice;
  assert_int_equal(ht_coarse_choose(&f->domain, &f->options, &choice), HT_OK);
  assert_false(choice.applies);
  assert_non_null(strstr(choice.why, why));
}

static void test_where_it_does_not_apply(void **unused) {
  (void)unused;
  fixture f;
  ht_coarse_choice choice;
  begin_pulse(&f);
  check_refused(&f, "coarse_start is off");
  f.options.coarse_start = 1;
  assert_int_equal(ht_coarse_choose(&f.domain, &f.options, &choice), HT_OK);
  assert_true(choice.applies && fabs(choice.across - ACROSS / 2.0) < 0.1);
  assert_true(choice.lead > 0 && choice.lead < SAMPLES);
  f.options.throat_mm = 2; /* in a branch: of a small part of the flow */
  f.options.throat_speed_m_s = 0.001;
  assert_int_equal(ht_coarse_choose(&f.domain, &f.options, &choice), HT_OK);
  assert_true(choice.applies && choice.lead == SAMPLES && fabs(choice.across - 5) < 1e-9);
  f.options.throat_mm = f.options.throat_speed_m_s = 0;
  f.options.cuff_pa[0] = 15000;
  assert_int_equal(ht_coarse_choose(&f.domain, &f.options, &choice), HT_OK);
  assert_true(choice.applies && choice.lead == SAMPLES);
  f.options.cycles--;
  check_refused(&f, "tuned");
  f.options.cuff_pa[0] = 0;
  f.options.cycles = HT_COARSE_FINE_BEATS + HT_COARSE_LEAST_BEATS - 1;
  check_refused(&f, "beats");
  f.options.waveform = NULL;
  f.options.collision = HT_CUMULANT;
  check_refused(&f, "cumulants");
  f.options.collision = HT_LBGK;
  f.options.throat_mm = 2;
  check_refused(&f, "nodes across");
  f.options.throat_mm = 0;
  f.domain.port[0].opening.flow_ml_s = 8;
  check_refused(&f, "cell Reynolds number");
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_second_node),
      cmocka_unit_test(test_axes_in_another_order),
      cmocka_unit_test(test_steady),
      cmocka_unit_test(test_pulse),
      cmocka_unit_test(test_a_start_that_is_far_off),
      cmocka_unit_test(test_failure_begins_from_rest),
      cmocka_unit_test(test_divergence_begins_from_rest),
      cmocka_unit_test(test_where_it_does_not_apply),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
