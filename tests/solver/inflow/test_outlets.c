/* Outlets: shares of the flow, and the 3-element Windkessel against its equation, alone and at the
 * end of a vessel. With "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "solver/inflow/outlets.h"
#include "solver/plan/plan.h"
#include "solver/plan/plan_ports.h"
#include "tests/solver/common/oblique_fork.h"
#include "tests/solver/common/pipe_domain.h"
#include "tests/solver/common/chosen_device.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_device device;

/* A duct of 10 x 10 along x with one of 6 x 6 that leaves it along y: inlet, wide outlet, narrow
 * outlet. */
enum { LENGTH = 36, WIDE = 10, NARROW = 6, SIDE = 14, SAMPLES = 24 };

static void set_port(ht_domain *domain, int p, int axis, int plane, int inward, ht_role role) {
  ht_port *port = &domain->port[p];
  int at[3];
  *port = (ht_port){.axis = axis, .inward = inward};
  port->direction[axis] = inward;
  port->opening.role = role;
  snprintf(port->opening.name, HT_NAME_MAX, p ? "outlet-%d" : "inlet", p);
  port->node = calloc(WIDE * WIDE, sizeof(int64_t));
  assert_non_null(port->node);
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    ht_voxel_place(domain->mask.grid.dim, v, at);
    if (domain->mask.inside[v] && at[axis] == plane) port->node[port->nodes++] = v;
  }
}

static void make_fork(double flow_ml_s, ht_domain *domain) {
  int dim[3] = {LENGTH + 2, WIDE + SIDE + 2, WIDE + 2}, at[3];
  memset(domain, 0, sizeof *domain);
  ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = 0.3;
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    ht_voxel_place(dim, v, at);
    int in_depth = at[2] >= 1 && at[2] <= WIDE, low = (WIDE - NARROW) / 2;
    int main_duct = at[0] >= 1 && at[0] <= LENGTH && at[1] >= 1 && at[1] <= WIDE && in_depth;
    int side_duct = at[0] > 14 && at[0] <= 14 + NARROW && at[1] > WIDE && at[1] <= WIDE + SIDE &&
                    at[2] > low && at[2] <= low + NARROW;
    domain->mask.inside[v] = main_duct || side_duct;
  }
  domain->ports = 3;
  set_port(domain, 0, 0, 1, 1, HT_ROLE_INLET);
  set_port(domain, 1, 0, LENGTH, -1, HT_ROLE_OUTLET);
  set_port(domain, 2, 1, WIDE + SIDE, -1, HT_ROLE_OUTLET);
  assert_int_equal(domain->port[1].nodes, WIDE * WIDE);
  assert_int_equal(domain->port[2].nodes, NARROW * NARROW);
  domain->port[0].opening.flow_ml_s = flow_ml_s;
}

typedef struct {
  ht_domain domain;
  ht_tiling tiling;
  ht_waveform waveform;
  ht_solver_options options;
  ht_flow flow;
  ht_flow_stats stats;
  int seen;
  double time_s[SAMPLES], pressure_pa[SAMPLES]; /* at the first outlet's port */
} fixture;

static void begin(fixture *f, ht_outlet_model outlets) {
  memset(f, 0, sizeof *f);
  make_fork(0.4, &f->domain);
  ht_solver_defaults(&f->options);
  f->options.device = device;
  f->options.outlets = outlets;
}

static void pulsate(fixture *f, double swing, double period_s) {
  ht_harmonics series = {.period_s = period_s, .mean_ml_s = 1, .harmonics = 1};
  series.cosine_ml_s[0] = swing;
  assert_int_equal(ht_waveform_series(&series, &f->waveform), HT_OK);
  f->options.waveform = &f->waveform;
  f->options.profile = HT_PROFILE_WOMERSLEY;
  f->options.samples = SAMPLES;
  f->options.max_velocity_lu = 0.1;
}

static void solve(fixture *f) {
  assert_int_equal(ht_tiling_build(&f->domain.mask, NULL, &f->tiling), HT_OK);
  ht_status status = ht_solve(&f->domain, &f->tiling, &f->options, NULL, &f->flow, &f->stats);
  if (status != HT_OK) print_error("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
}

static void end(fixture *f) {
  ht_flow_free(&f->flow);
  ht_tiling_free(&f->tiling);
  ht_domain_free(&f->domain);
}

/* ---- shares ---- */

static ht_status shares(const fixture *f, double share[HT_OPENINGS_MAX]) {
  ht_outlet_settings settings = ht_plan_outlet_settings(&f->options);
  return ht_outlet_shares(&f->domain, &settings, share);
}

static void test_shares(void **unused) {
  (void)unused;
  fixture f;
  double share[HT_OPENINGS_MAX];
  begin(&f, HT_OUTLETS_AREA);
  assert_int_equal(shares(&f, share), HT_OK);
  assert_true(fabs(share[1] - 100 / 136.0) < 1e-12 && share[0] == 0);
  f.options.outlets = HT_OUTLETS_MURRAY; /* 10 and 6 across: 10^n to 6^n */
  assert_int_equal(shares(&f, share), HT_OK);
  assert_near(share[2], 216 / 1216.0, 1e-12);
  f.options.murray_exponent = 2.5;
  assert_int_equal(shares(&f, share), HT_OK);
  assert_near(share[1] / share[2], pow(10.0 / 6, 2.5), 1e-12);
  f.domain.port[1].opening.radius_mm = 2; /* of the openings, where they are known */
  f.domain.port[2].opening.radius_mm = 1;
  assert_int_equal(shares(&f, share), HT_OK);
  assert_near(share[1] / share[2], pow(2, 2.5), 1e-12);
  f.options.outlets = HT_OUTLETS_FRACTIONS;
  assert_int_equal(shares(&f, share), HT_ERR_CASE); /* none */
  f.domain.port[1].opening.flow_fraction = 0.7;
  f.domain.port[2].opening.flow_fraction = 0.2;
  assert_int_equal(shares(&f, share), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "0.9"));
  f.domain.port[2].opening.flow_fraction = 0.3;
  assert_int_equal(shares(&f, share), HT_OK);
  assert_near(share[2], 0.3, 1e-12);
  assert_int_equal(ht_widest_outlet(&f.domain), 1);
  ht_domain_free(&f.domain);
}

/* More than the natural share: half of the flow through a third of the area. */
static void check_split(fixture *f) {
  f->domain.port[1].opening.flow_fraction = f->domain.port[2].opening.flow_fraction = 0.5;
  solve(f);
  for (int p = 1; p < 3; p++) {
    print_message("%s: %.5f of %.5f mL/s\n", f->stats.port[p].name, f->stats.port[p].flow_ml_s,
                  f->stats.port[0].flow_ml_s);
    assert_near(f->stats.port[p].flow_ml_s / 0.4, 0.5, 1e-3 * 0.5);
  }
  end(f);
}

static void test_split(void **unused) {
  (void)unused;
  fixture f;
  begin(&f, HT_OUTLETS_FRACTIONS);
  check_split(&f);
  begin(&f, HT_OUTLETS_FRACTIONS);
  pulsate(&f, 0.5, 0.15);
  check_split(&f);
}

/* ---- Windkessel ---- */

/* Pressure at an angular frequency for a flow of 1. */
static double complex impedance(const double w[3], double omega) {
  return w[0] + w[2] / (1 + I * omega * w[1] * w[2]);
}

/* Mean flow and one harmonic, from rest: the decay of the start, and then the impedance. */
static void test_equation(void **unused) {
  (void)unused;
  const double value[3] = {0.1e9, 0.6e-9, 1.2e9}, period_s = 0.9, mean = 3e-6, swing = 2e-6;
  const double omega = 2 * HT_PI / period_s, lag_s = value[1] * value[2];
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    int steps = fine ? 8000 : 4000;
    double dt_s = period_s / steps, worst = 0;
    ht_windkessel w = {value[0], value[1], value[2], 0};
    for (int s = 1; s <= 4 * steps; s++) {
      double t = s * dt_s, flow = mean + swing * cos(omega * t);
      double complex stored = swing * (impedance(value, omega) - value[0]);
      double rest = mean * value[2] + creal(stored);
      double exact = value[0] * flow + mean * value[2] + creal(stored * cexp(I * omega * t)) -
                     rest * exp(-t / lag_s);
      ht_windkessel_step(&w, flow, dt_s);
      worst = fmax(worst, fabs(ht_windkessel_pressure(&w, flow) - exact));
    }
    error[fine] = worst / (mean * (value[0] + value[2]));
  }
  print_message("Windkessel: error %.1e with 4000 steps a period, %.1e with 8000\n", error[0],
                error[1]);
  assert_true(error[1] < 3e-4);
  assert_true(error[0] / error[1] > 1.9); /* first order */
}

/* Outlet 1, with 0.6 of a flow of 0.4 mL/s. */
static ht_status fit(const fixture *f, ht_windkessel *w) {
  ht_outlet_settings settings = ht_plan_outlet_settings(&f->options);
  return ht_windkessel_make(&f->domain, 1, &settings, 0.6, 4e-7, w);
}

static void test_fit(void **unused) {
  (void)unused;
  fixture f;
  ht_windkessel w;
  begin(&f, HT_OUTLETS_WINDKESSEL);
  assert_int_equal(fit(&f, &w), HT_ERR_CASE);
  f.options.mean_pressure_pa = 12000;
  f.options.compliance_m3_pa = 1e-9;
  f.options.wave_speed_m_s = 6;
  assert_int_equal(fit(&f, &w), HT_OK);
  assert_near(w.proximal_pa_s_m3 + w.distal_pa_s_m3, 12000 / 2.4e-7, 1);
  assert_near(w.proximal_pa_s_m3 * 9e-6 / (1060 * 6), 1, 1e-9);
  assert_near(w.compliance_m3_pa, 6e-10, 1e-20);
  f.options.wave_speed_m_s = 600;
  assert_int_equal(fit(&f, &w), HT_ERR_CASE);
  f.domain.port[1].opening.windkessel[0] = 1e8; /* its own, but not all of them */
  assert_int_equal(fit(&f, &w), HT_ERR_CASE);
  ht_domain_free(&f.domain);
}

static ht_status observe(void *user, const ht_flow_sample *sample) {
  fixture *f = user;
  const ht_flow *flow = sample->flow;
  const ht_port *port = &f->domain.port[1];
  assert_true(f->seen < SAMPLES);
  f->time_s[f->seen] = sample->time_s;
  for (int64_t i = 0; i < port->nodes; i++)
    f->pressure_pa[f->seen] +=
        flow->pressure_pa[ht_flow_node(flow, port->node[i])] / (double)port->nodes;
  f->seen++;
  return HT_OK;
}

/* One outlet, so that its flow is known; the flow turns back for a while. */
static void test_pipe_with_windkessel(void **unused) {
  (void)unused;
  const double value[3] = {0.3e9, 0.05e-9, 3e9}, period_s = 0.4, mean = 0.4e-6, swing = 1.2;
  const double behind_pa = 500, omega = 2 * HT_PI / period_s;
  fixture f;
  memset(&f, 0, sizeof f);
  assert_int_equal(ht_pipe_domain(10, 16, 2, 1, 0.3, 1e6 * mean, &f.domain), HT_OK);
  ht_solver_defaults(&f.options);
  f.options.device = device;
  f.options.outlets = HT_OUTLETS_WINDKESSEL;
  f.options.cycles = 4;
  f.options.observe = observe;
  f.options.observe_user = &f;
  memcpy(f.domain.port[1].opening.windkessel, value, sizeof value);
  f.domain.port[1].opening.pressure_pa = behind_pa;
  pulsate(&f, swing, period_s);
  solve(&f);
  double worst = 0, size = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double complex beat = impedance(value, omega) * swing * mean;
    double change = creal(beat * cexp(I * omega * f.time_s[k]));
    double exact = behind_pa + (value[0] + value[2]) * mean + change;
    worst = fmax(worst, fabs(f.pressure_pa[k] - exact));
    size = fmax(size, fabs(change));
  }
  print_message(
      "pipe with a Windkessel: pressure %.2f %% of its swing (%.0f Pa) off, mean %.1f Pa\n",
      100 * worst / size, size, f.stats.port[1].port_pressure_pa);
  assert_true(worst <= 0.02 * size);
  end(&f);
}

/* A wave that is at its crest at every sample: the mean flow is not that of the samples, 1.3 times
 * as large. */
static void test_wave_between_samples(void **unused) {
  (void)unused;
  const double value[3] = {0.3e9, 0.02e-9, 1e9};
  enum { FEW = 8 };
  fixture f;
  memset(&f, 0, sizeof f);
  assert_int_equal(ht_pipe_domain(10, 16, 2, 1, 0.3, 0.4, &f.domain), HT_OK);
  ht_solver_defaults(&f.options);
  f.options.device = device;
  f.options.outlets = HT_OUTLETS_WINDKESSEL;
  f.options.cycles = 2;
  memcpy(f.domain.port[1].opening.windkessel, value, sizeof value);
  ht_harmonics series = {.period_s = 0.4, .mean_ml_s = 1, .harmonics = FEW};
  series.cosine_ml_s[FEW - 1] = 0.3;
  assert_int_equal(ht_waveform_series(&series, &f.waveform), HT_OK);
  f.options.waveform = &f.waveform;
  f.options.samples = FEW;
  solve(&f);
  print_message("wave between samples: %.4f mL/s in, %.4f mL/s out\n", f.stats.port[0].flow_ml_s,
                f.stats.port[1].flow_ml_s);
  assert_near(f.stats.port[0].flow_ml_s / 0.4, 1, 0.01);
  assert_near(f.stats.mass_imbalance, 0, 0.002);
  end(&f);
}

/* The resistances decide, not the ducts: mean pressure = resistance * mean flow at both. */
static void check_fork(const double wide[3], const double narrow[3]) {
  fixture f;
  begin(&f, HT_OUTLETS_WINDKESSEL);
  memcpy(f.domain.port[1].opening.windkessel, wide, 3 * sizeof *wide);
  memcpy(f.domain.port[2].opening.windkessel, narrow, 3 * sizeof *narrow);
  pulsate(&f, 0.8, 0.2);
  f.options.cycles = 4;
  solve(&f);
  for (int p = 1; p < 3; p++) {
    const double *w = p == 1 ? wide : narrow;
    const ht_port_result *port = &f.stats.port[p];
    double exact_pa = (w[0] + w[2]) * port->flow_ml_s * 1e-6;
    print_message("%s: %.4f mL/s, %.1f Pa, resistance * flow %.1f Pa\n", port->name,
                  port->flow_ml_s, port->port_pressure_pa, exact_pa);
    assert_near(port->port_pressure_pa / exact_pa, 1, 0.01);
  }
  double ratio = (narrow[0] + narrow[2]) / (wide[0] + wide[2]);
  assert_near(f.stats.port[1].flow_ml_s / f.stats.port[2].flow_ml_s / ratio, 1, 0.05);
  assert_true(f.stats.cycle_change <= 0.01);
  end(&f);
}

/* Proximal resistances in the others are above the impedance of sound on this lattice, 4 and 50
 * times: they have to stay stable. */
static void test_fork_with_windkessels(void **unused) {
  (void)unused;
  check_fork((double[]){0.5e9, 0.05e-9, 6e9}, (double[]){1e9, 0.05e-9, 2e9});
  check_fork((double[]){0.8e9, 0.02e-9, 2e9}, (double[]){2.2e9, 0.02e-9, 1e9});
  check_fork((double[]){10e9, 0.02e-9, 2e9}, (double[]){10e9, 0.02e-9, 1e9});
}

/* Cumulants at a cell Reynolds number of jets, where an outlet prescribes the total pressure of the
 * blood that comes in: over the face its pressure is the prescribed one all the same. */
static void test_inflow_through_an_outlet(void **unused) {
  (void)unused;
  const double asked_pa = 1000;
  fixture f;
  begin(&f, HT_OUTLETS_PRESSURE);
  f.domain.port[0].opening.flow_ml_s = 3;
  f.domain.port[2].opening.pressure_pa = asked_pa;
  f.options.collision = HT_CUMULANT;
  f.options.stop_at_max_steps = 1;
  f.options.max_steps = 2000;
  solve(&f);
  const ht_port_result *port = &f.stats.port[2];
  double speed = port->mean_velocity_m_s, head_pa = 0.5 * f.options.density_kg_m3 * speed * speed;
  print_message("%s: %.3f mL/s, %.1f Pa of %.1f, head %.1f Pa\n", port->name, port->flow_ml_s,
                port->port_pressure_pa, asked_pa, head_pa);
  assert_true(port->flow_ml_s < 0 && head_pa > 0.2 * asked_pa);
  assert_near(port->port_pressure_pa, asked_pa, 0.1 * head_pa);
  end(&f);
}

/* Equal pressures at the ends of branches that mirror each other, one along an axis: the rest is
 * how the lattice cuts their sections. Without the loss taken out the oblique one gets 24 %. */
static void check_oblique(const fixture *f, double slack_pa) {
  const ht_port_result *port = f->stats.port;
  print_message(
      "oblique fork: %.2f %% out of the oblique branch, %.3f and %.3f Pa at the ends, %.2f "
      "Pa at the inlet, %lld steps\n",
      100 * port[2].flow_ml_s / port[0].flow_ml_s, port[1].pressure_pa, port[2].pressure_pa,
      port[0].pressure_pa, (long long)f->stats.steps);
  assert_near(port[2].flow_ml_s / port[0].flow_ml_s, 0.5, 0.03);
  for (int p = 1; p < 3; p++) assert_near(port[p].pressure_pa, 0, slack_pa);
}

static void begin_oblique(fixture *f, double flow_ml_s) {
  const ht_fork_shape shape = {8, 24, 12, 8};
  memset(f, 0, sizeof *f);
  assert_int_equal(ht_oblique_fork_domain(&shape, 0.5, flow_ml_s, &f->domain), HT_OK);
  ht_solver_defaults(&f->options);
  f->options.device = device;
  f->options.walls = HT_WALLS_INTERPOLATED;
}

static void test_oblique_outlet(void **unused) {
  (void)unused;
  fixture f;
  begin_oblique(&f, 0.8);
  solve(&f);
  check_oblique(&f, 1e-3 * f.stats.port[0].pressure_pa);
  end(&f);
  begin_oblique(&f, 0.5);
  pulsate(&f, 0.5, 0.3);
  f.options.cycles = 1; /* beats are added until the outlets hold */
  f.options.max_cycles = 12;
  solve(&f);
  check_oblique(&f, 0.01 * f.stats.port[0].pressure_pa);
  end(&f);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares),
                                     cmocka_unit_test(test_split),
                                     cmocka_unit_test(test_equation),
                                     cmocka_unit_test(test_fit),
                                     cmocka_unit_test(test_pipe_with_windkessel),
                                     cmocka_unit_test(test_wave_between_samples),
                                     cmocka_unit_test(test_fork_with_windkessels),
                                     cmocka_unit_test(test_inflow_through_an_outlet),
                                     cmocka_unit_test(test_oblique_outlet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
