/* The lattice's sound in a pulse: the lines of a vessel against the theory of an even line, the
 * step that the plan takes for it, and the flow out of a long pipe at each moment. */
#include "tests/check.h"
#include "solver/plan/collision_choice.h"
#include "tests/solver/common/pipe_domain.h"
#include "solver/plan/plan.h"
#include "solver/plan/resolution.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <stdlib.h>
#include <string.h>

static const double density = HT_BLOOD_DENSITY_KG_M3;
static const double kinematic = HT_BLOOD_VISCOSITY_PA_S / HT_BLOOD_DENSITY_KG_M3;
static const double swing = 0.6;

static void make_wave(double period_s, ht_waveform *waveform) {
  ht_harmonics series = {
      .period_s = period_s, .mean_ml_s = 1, .harmonics = 1, .sine_ml_s = {swing}};
  assert_int_equal(ht_waveform_series(&series, waveform), HT_OK);
}

static ht_sound_pulse pulse_of(const ht_waveform *waveform) {
  return ht_sound_pulse_of(waveform, kinematic, density);
}

/* A straight pipe along `axis`, and its lines. */
static void make_lines(int diameter, int length, int axis, double spacing_mm,
                       const ht_windkessel *windkessel, ht_sound_lines *lines) {
  ht_domain domain;
  ht_sound_end end[2] = {{.is_inlet = 1}, {.share = 1}};
  assert_int_equal(ht_pipe_domain(diameter, length, axis, 1, spacing_mm, 1, &domain), HT_OK);
  if (windkessel) end[1].windkessel = *windkessel;
  for (int p = 0; p < 2; p++) {
    const ht_port *port = &domain.port[p];
    int at[3];
    end[p].radius = diameter / 2.0;
    for (int64_t i = 0; i < port->nodes; i++) {
      ht_voxel_place(domain.mask.grid.dim, port->node[i], at);
      for (int a = 0; a < 3; a++) end[p].centre[a] += (double)at[a] / (double)port->nodes;
    }
  }
  assert_int_equal(ht_sound_lines_make(&domain.mask, 2, end, lines), HT_OK);
  assert_int_equal(lines->lines, 1);
  ht_domain_free(&domain);
}

/* Returns 2 J1(z) / (z J0(z)), z = i^(3/2) x, by the series of both. */
static double complex womersley(double x) {
  double complex square = -I * x * x / 4, j0 = 0, j1 = 0, term = 1; /* (i z / 2)^2 = i x^2 / 4 */
  square = -square;
  for (int k = 0; k < 60; k++) {
    j0 += term;
    j1 += term / (k + 1);
    term *= square / ((k + 1.0) * (k + 1.0));
  }
  return j1 / j0;
}

/* Deviation of an even line's flow out, by its exact impedances. */
static double theory(double radius_m, double length_m, double period_s, double speed_m_s,
                     double complex end) {
  double w = 2 * HT_PI / period_s, area = HT_PI * radius_m * radius_m;
  double complex z = I * w * density / area / (1 - womersley(radius_m * sqrt(w / kinematic)));
  double complex y = I * w * area / (density * speed_m_s * speed_m_s);
  double complex along = csqrt(z * y) * length_m, own = csqrt(z / y);
  return swing / (1 + swing) * cabs(1 / (ccosh(along) + end / own * csinh(along)) - 1);
}

/* Radius 2 mm, length 60 mm; x = 2.3 and 7.2. */
static void test_an_even_line(void **unused) {
  (void)unused;
  const double radius_m = 2e-3, length_m = 60e-3;
  for (int k = 0; k < 2; k++) {
    const double period_s = k ? 0.1 : 1;
    ht_waveform waveform;
    ht_sound_lines lines;
    make_wave(period_s, &waveform);
    const ht_sound_pulse pulse = pulse_of(&waveform);
    make_lines(16, 240, 2, 0.25, NULL, &lines);
    for (double speed = k ? 10 : 2; speed < 50; speed *= 2) {
      double got = ht_sound_deviation(&lines, &pulse, speed);
      double expected = theory(radius_m, length_m, period_s, speed, 0);
      print_message("period %g s, %g m/s: %.4f, exact %.4f\n", period_s, speed, got, expected);
      assert_near(got, expected, 0.06 * expected);
    }
    double least = ht_sound_least_speed(&lines, &pulse, 0.01);
    assert_true(ht_sound_deviation(&lines, &pulse, least) <= 0.01);
    assert_true(ht_sound_deviation(&lines, &pulse, 0.95 * least) > 0.01);
    ht_sound_lines_free(&lines);
  }
}

/* One vessel on several lattices and axes. */
static void test_another_lattice(void **unused) {
  (void)unused;
  ht_waveform waveform;
  double least[3];
  make_wave(0.5, &waveform);
  const ht_sound_pulse pulse = pulse_of(&waveform);
  for (int k = 0; k < 3; k++) {
    ht_sound_lines lines;
    make_lines(k ? 24 : 9, k ? 320 : 120, k, k ? 0.1875 : 0.5, NULL, &lines);
    least[k] = ht_sound_least_speed(&lines, &pulse, 0.01);
    ht_sound_lines_free(&lines);
  }
  print_message("least speed %.3f, %.3f, %.3f m/s\n", least[0], least[1], least[2]);
  assert_near(least[1] / least[2], 1, 1e-6);
  assert_near(least[0] / least[2], 1, 0.05);
}

/* A Windkessel lets the pressure in the vessel swing: more is stored. */
static void test_a_windkessel(void **unused) {
  (void)unused;
  const double period_s = 0.5, w = 2 * HT_PI / period_s;
  const ht_windkessel windkessel = {
      .proximal_pa_s_m3 = 1e9, .compliance_m3_pa = 1e-10, .distal_pa_s_m3 = 9e9};
  const double complex end = windkessel.proximal_pa_s_m3 +
                             windkessel.distal_pa_s_m3 / (1 + I * w * windkessel.distal_pa_s_m3 *
                                                                  windkessel.compliance_m3_pa);
  ht_waveform waveform;
  ht_sound_lines open, closed;
  make_wave(period_s, &waveform);
  const ht_sound_pulse pulse = pulse_of(&waveform);
  make_lines(16, 240, 2, 0.25, NULL, &open);
  make_lines(16, 240, 2, 0.25, &windkessel, &closed);
  double got = ht_sound_deviation(&closed, &pulse, 20);
  double expected = theory(2e-3, 60e-3, period_s, 20, end);
  print_message("with a Windkessel %.4f, exact %.4f; without %.4f\n", got, expected,
                ht_sound_deviation(&open, &pulse, 20));
  assert_near(got, expected, 0.06 * expected);
  assert_true(got > 1.5 * ht_sound_deviation(&open, &pulse, 20));
  ht_sound_lines_free(&open);
  ht_sound_lines_free(&closed);
}

/* A ball next to a pipe stores what its volume holds at the pressure of its place, and carries
 * nothing. */
static void test_a_sac(void **unused) {
  (void)unused;
  ht_waveform waveform;
  ht_sound_lines plain, with;
  ht_domain domain;
  enum { WIDE = 40, LONG = 120, RADIUS = 5, BALL = 12 };
  ht_sound_end end[2] = {{.centre = {8, 20, 0}, .radius = RADIUS, .is_inlet = 1},
                         {.centre = {8, 20, LONG - 1}, .radius = RADIUS, .share = 1}};
  const int dim[3] = {WIDE, WIDE, LONG};
  double pipe = 0, ball = 0;
  make_wave(0.5, &waveform);
  const ht_sound_pulse pulse = pulse_of(&waveform);
  memset(&domain, 0, sizeof domain);
  memcpy(domain.mask.grid.dim, dim, sizeof dim);
  for (int a = 0; a < 3; a++) domain.mask.grid.spacing_mm[a] = 0.4;
  domain.mask.inside = calloc((size_t)WIDE * WIDE * LONG, 1);
  assert_non_null(domain.mask.inside);
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t v = 0; v < (int64_t)WIDE * WIDE * LONG; v++) {
      int at[3];
      ht_voxel_place(dim, v, at);
      double x = at[0] - 8, y = at[1] - 20, z = at[2] - LONG / 2, off = x - RADIUS - BALL + 2;
      int in_pipe = x * x + y * y < RADIUS * RADIUS;
      int in_ball = pass && off * off + y * y + z * z < BALL * BALL;
      domain.mask.inside[v] = (uint8_t)(in_pipe || in_ball);
      pipe += pass && in_pipe;
      ball += in_ball && !in_pipe;
    }
    assert_int_equal(ht_sound_lines_make(&domain.mask, 2, end, pass ? &with : &plain), HT_OK);
  }
  /* Deviation: the integral of pressure over volume. The pipe's mean pressure is half that of its
   * inlet, and so is that of the ball, in the middle. */
  double ratio = ht_sound_deviation(&with, &pulse, 100) / ht_sound_deviation(&plain, &pulse, 100);
  print_message("the ball has %.2f of the pipe's volume: %.3f times the deviation\n", ball / pipe,
                ratio);
  /* The model takes the pressure at the distance of each place in the ball, not at its mouth. */
  assert_true(ratio - 1 > 0.6 * ball / pipe && ratio - 1 < 1.1 * ball / pipe);
  ht_sound_lines_free(&plain);
  ht_sound_lines_free(&with);
  free(domain.mask.inside);
}

/* ---- the plan and the flow ---- */

static void begin(double sound_deviation, ht_waveform *waveform, ht_domain *domain,
                  ht_solver_options *options) {
  make_wave(0.25, waveform);
  assert_int_equal(ht_pipe_domain(6, 70, 2, 1, 1.0 / 3, 0.05, domain), HT_OK);
  ht_solver_defaults(options);
  options->device = HT_DEVICE_CPU;
  options->threads = 1;
  options->profile = HT_PROFILE_WOMERSLEY;
  options->waveform = waveform;
  options->samples = 20;
  options->cycles = 4; /* so that the sound of the start has died away */
  options->sound_deviation = sound_deviation;
}

static ht_status show(void *user, const ht_flow_sample *sample) {
  double *worst = user;
  worst[0] = fmax(worst[0], fabs(sample->flow_ml_s[0] - sample->flow_ml_s[1]));
  worst[1] = fmax(worst[1], sample->flow_ml_s[0]);
  return HT_OK;
}

/* Returns the largest difference, of the peak inflow; *foretold: by the plan. */
static double moment_imbalance(double sound_deviation, double *foretold) {
  ht_waveform waveform;
  ht_domain domain;
  ht_tiling tiling;
  ht_solver_options options;
  ht_plan plan;
  ht_flow flow;
  ht_flow_stats stats;
  double worst[2] = {0};
  begin(sound_deviation, &waveform, &domain, &options);
  options.observe = show;
  options.observe_user = worst;
  assert_int_equal(ht_plan_make(&domain, &options, &plan), HT_OK);
  *foretold = plan.sound_off;
  assert_int_equal(ht_tiling_build(&domain.mask, NULL, &tiling), HT_OK);
  assert_int_equal(ht_solve(&domain, &tiling, &options, NULL, &flow, &stats), HT_OK);
  print_message("%s: in and out differ by %.4f of the peak, foretold %.4f; tau %.4f, %lld steps\n",
                stats.collision, stats.moment_imbalance, *foretold, stats.tau,
                (long long)stats.steps);
  assert_near(fabs(stats.moment_imbalance), worst[0] / worst[1], 1e-6);
  assert_true(fabs(stats.moment_in_ml_s - stats.moment_out_ml_s) / worst[1] >=
              0.999 * fabs(stats.moment_imbalance));
  ht_flow_free(&flow);
  ht_tiling_free(&tiling);
  ht_plan_free(&plan);
  ht_domain_free(&domain);
  return fabs(stats.moment_imbalance);
}

static void test_flow_out_is_flow_in(void **unused) {
  (void)unused;
  double foretold;
  double more = moment_imbalance(1, &foretold); /* by the velocity alone */
  assert_true(more > 0.1 && fabs(more - foretold) <= 0.15 * more);
  double less = moment_imbalance(0.04, &foretold);
  assert_true(less <= 0.04 && fabs(less - foretold) <= 0.2 * less);
}

/* The estimate needs no domain, only the vessel's mask and its openings. */
static void test_the_estimate(void **unused) {
  (void)unused;
  ht_waveform waveform;
  ht_domain domain;
  ht_solver_options options;
  ht_plan plan;
  ht_openings openings = {.count = 2};
  ht_vessel_size vessel = {.widest_mm = 2};
  ht_run_estimate estimate;
  begin(0.04, &waveform, &domain, &options);
  assert_int_equal(ht_plan_make(&domain, &options, &plan), HT_OK);
  for (int p = 0; p < 2; p++) {
    double index[3] = {0};
    openings.item[p] = domain.port[p].opening;
    for (int64_t i = 0; i < domain.port[p].nodes; i++) {
      int at[3];
      ht_voxel_place(domain.mask.grid.dim, domain.port[p].node[i], at);
      for (int a = 0; a < 3; a++) index[a] += (double)at[a] / (double)domain.port[p].nodes;
    }
    ht_grid_position(&domain.mask.grid, index, openings.item[p].centre_mm);
    openings.item[p].radius_mm = 1;
  }
  assert_int_equal(ht_vessel_sound(&domain.mask, &openings, &options, &vessel), HT_OK);
  vessel.speed_m_s = plan.peak_speed_m_s;
  vessel.volume_mm3 = 60;
  ht_solver_estimate(&vessel, &options, domain.mask.grid.spacing_mm[0], &estimate);
  print_message("step %.4g s, estimated %.4g s\n", plan.units.dt_s, estimate.step_s);
  assert_near(estimate.step_s / plan.units.dt_s, 1, 0.1);
  assert_true(estimate.step_s <
              0.5 * options.max_velocity_lu * plan.units.dx_m / plan.peak_speed_m_s);
  ht_plan_free(&plan);
  ht_domain_free(&domain);
}

/* A collision that bears a tau below the least of LBGK and MRT. */
static void test_the_collision_for_it(void **unused) {
  (void)unused;
  ht_waveform waveform;
  ht_domain domain;
  ht_solver_options options;
  ht_collision_choice choice;
  begin(0, &waveform, &domain, &options);
  ht_domain_free(&domain);
  assert_int_equal(ht_pipe_domain(6, 240, 2, 1, 1.0 / 3, 0.05, &domain), HT_OK);
  assert_int_equal(ht_collision_choose(&domain, &options, &choice), HT_OK);
  assert_int_equal(choice.collision, HT_CUMULANT);
  assert_non_null(strstr(choice.why, "sound"));
  options.sound_deviation = 1;
  assert_int_equal(ht_collision_choose(&domain, &options, &choice), HT_OK);
  assert_int_equal(choice.collision, HT_LBGK);
  ht_domain_free(&domain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_even_line),        cmocka_unit_test(test_another_lattice),
      cmocka_unit_test(test_a_windkessel),        cmocka_unit_test(test_a_sac),
      cmocka_unit_test(test_flow_out_is_flow_in), cmocka_unit_test(test_the_collision_for_it),
      cmocka_unit_test(test_the_estimate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
