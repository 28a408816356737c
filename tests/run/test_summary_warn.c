/* run/numbers/summary_warn: the warnings about beats that vary, and about a blood pressure out of
 * reach. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"
#include "run/process/console.h"
#include "run/numbers/plausibility.h"
#include "run/numbers/summary.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

static ht_case settings;
static ht_run run;

/* Returns 1 where the warnings from number `from` on hold the text. */
static int warned(int from, const char *text) {
  for (int i = from; i < ht_console_warnings(); i++)
    if (strstr(ht_console_warning(i), text)) return 1;
  return 0;
}

static void begin(const char *collision) {
  const ht_warnings before = run.warnings; /* the same one is given once */
  memset(&run, 0, sizeof run);
  run.warnings = before;
  ht_console_warnings_to(&run.warnings);
  ht_case_defaults(&settings);
  run.given.settings = &settings;
  run.domain.mask.grid.spacing_mm[0] = 1;
  run.solved.stats = (ht_flow_stats){.period_s = 0.8, .cycles = 7, .cycle_change = 0.38};
  run.manifest.plan.throat_cell_reynolds = 400; /* a jet */
  strcpy(run.solved.stats.collision, collision);
}

/* A slow beat has cumulants for the lattice's sound: it is not turbulent. */
HT_TEST(test_a_slow_beat_with_cumulants) {
  int from = ht_console_warnings();
  begin("cumulant");
  run.manifest.plan.throat_cell_reynolds = 10;
  run.solved.stats.cycles = 6; /* the same warning is printed once */
  ht_summary_warn(&run);
  assert_true(warned(from, "the flow is not periodic yet"));
  assert_false(warned(from, "turbulent"));
}

/* Checks an inflow and outflow that differ at a moment, not in the mean. */
HT_TEST(test_a_moment_that_is_off) {
  int from = ht_console_warnings();
  begin("lbgk");
  run.solved.stats.cycle_change = 0;
  run.solved.stats.moment_imbalance = 0.01;
  ht_summary_warn(&run);
  assert_false(warned(from, "of the peak inflow"));
  run.solved.stats.moment_imbalance = -0.74;
  run.solved.stats.moment_in_ml_s = 0.7, run.solved.stats.moment_out_ml_s = 1.344;
  run.solved.stats.moment_time_s = 0.12;
  ht_summary_warn(&run);
  assert_true(
      warned(from, "0.12 s after the begin of the beat 0.7 mL/s flow in and 1.344 mL/s out"));
  assert_true(warned(from, "differ by 74 % of the peak inflow"));
  assert_true(warned(from, "set flow.sound_deviation to 0.01"));
}

/* Checks that a jet's beats that vary are no error: the errors of the means count. */
HT_TEST(test_beats_that_vary) {
  int from = ht_console_warnings();
  begin("cumulant");
  run.solved.stats.averaged = 150, run.solved.stats.beats = 3;
  ht_summary_warn_averaged(&run);
  assert_true(warned(from, "the flow is probably turbulent"));
  assert_true(warned(from, "varies by 38 %"));
  assert_true(warned(from, "the standard errors say how good they are"));
  from = ht_console_warnings();
  begin("mrt");
  run.solved.stats.averaged = 150, run.solved.stats.beats = 3;
  ht_summary_warn_averaged(&run);
  assert_true(warned(from, "the beats do not repeat one another"));
}

static void judge_plausible(void) {
  ht_run_judge_plausible(&run.vessel.placed.openings, &run.ahead.path, &run.solved.stats,
                         &run.measured);
}

static char *printed(void) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  ht_summary_print(stream, &run);
  fclose(stream);
  return text;
}

static int is_written(const char *key) {
  static char text[1 << 16];
  assert_int_equal(ht_summary_write("test_summary.json", &run), HT_OK);
  FILE *file = fopen("test_summary.json", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  remove("test_summary.json");
  remove("summary.csv");
  return strstr(text, key) != NULL;
}

/* Checks that means whose inflow and outflow differ are no result, and are not taken for one. */
HT_TEST(test_means_that_do_not_balance) {
  for (int balanced = 0; balanced < 2; balanced++) {
    begin("cumulant");
    strcpy(run.given.folder, ".");
    run.solved.stats.averaged = 150, run.solved.stats.beats = 3;
    run.solved.stats.mass_imbalance = balanced ? 0 : 0.08;
    run.solved.stats.cycle_change = 0.41; /* a warning that was not there yet */
    int from = ht_console_warnings();
    ht_summary_warn_averaged(&run);
    assert_int_equal(warned(from, "probably turbulent"), balanced);
    char *text = printed();
    assert_int_equal(strstr(text, "means over 3 beats, which do not repeat") != NULL, balanced);
    assert_int_equal(strstr(text, ": IN AND OUT DIFFER") != NULL, !balanced);
    free(text);
    assert_int_equal(is_written("\"averages\""), balanced);
  }
}

/* Checks too few beats for means: the printed reason is that of the pictures, though two beats
 * count. */
HT_TEST(test_beats_that_still_change) {
  begin("cumulant");
  run.solved.stats.averaged = 0, run.solved.stats.beats = 2, run.solved.stats.cycles = 3;
  run.solved.stats.mass_imbalance = 1e-6;
  run.solved.stats.cycle_change = 0.13;
  char *text = printed();
  assert_non_null(strstr(text, ": NOT PERIODIC YET"));
  assert_null(strstr(text, ": IN AND OUT DIFFER"));
  free(text);
}

/* Returns the last number of an opening's line; NaN: there is none. */
static double printed_drop(const char *name) {
  char *text = printed(), *rest = text;
  double drop = NAN;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strstr(line, name)) drop = strtod(strrchr(line, ' '), NULL);
  free(text);
  return drop;
}

/* Checks that drops count from the inlet with the largest flow; of equal flows, from the first. */
HT_TEST(test_drops_from_the_main_inlet) {
  const double second_ml_s[] = {3, 1.005}, drop_mmhg[] = {2, 4};
  for (int c = 0; c < 2; c++) {
    begin("lbgk");
    ht_flow_stats *stats = &run.solved.stats;
    stats->ports = 3;
    for (int p = 0; p < 3; p++) {
      const double pa = HT_PA_PER_MMHG * (p == 0 ? 5 : p == 1 ? 3 : 1);
      stats->port[p] = (ht_port_result){.role = p == 2 ? HT_ROLE_OUTLET : HT_ROLE_INLET,
                                        .flow_ml_s = p == 1 ? second_ml_s[c] : 1,
                                        .pressure_pa = pa};
      snprintf(stats->port[p].name, HT_NAME_MAX, "opening-%d", p + 1);
    }
    assert_float_equal(printed_drop("opening-3"), drop_mmhg[c], 1e-6);
    char key[64];
    snprintf(key, sizeof key, "\"pressure_drop_from_inlet_mmhg\": %g", drop_mmhg[c]);
    assert_true(is_written(key));
  }
}

/* Checks that the first inlet is the main one where none has a flow yet. */
HT_TEST(test_main_inlet_of_openings) {
  static ht_openings openings;
  assert_null(ht_openings_main_inlet(&openings));
  openings.count = 3;
  openings.item[0].role = HT_ROLE_OUTLET;
  openings.item[1].role = openings.item[2].role = HT_ROLE_INLET;
  assert_ptr_equal(ht_openings_main_inlet(&openings), &openings.item[1]);
  openings.item[1].flow_ml_s = 2;
  openings.item[2].flow_ml_s = 2.01;
  assert_ptr_equal(ht_openings_main_inlet(&openings), &openings.item[1]);
  openings.item[2].flow_ml_s = 2.1;
  assert_ptr_equal(ht_openings_main_inlet(&openings), &openings.item[2]);
}

/* Beats that vary and are not averaged. */
HT_TEST(test_too_few_beats) {
  int from = ht_console_warnings();
  begin("cumulant");
  ht_summary_warn(&run);
  assert_true(warned(from, "set flow.max_cycles to 10 or more"));
  from = ht_console_warnings();
  begin("lbgk");
  ht_summary_warn(&run);
  assert_true(warned(from, "set more flow.cycles than 7"));
}

HT_TEST(test_a_pressure_out_of_reach) {
  int from = ht_console_warnings();
  begin("cumulant");
  ht_flow_plan *plan = &run.manifest.plan;
  *plan = (ht_flow_plan){.tunes = 1, .asked_mmhg = {120, 80}, .tuned_beats = 1};
  run.solved.stats.ports = 1;
  run.solved.stats.port[0] = (ht_port_result){.role = HT_ROLE_INLET,
                                              .flow_ml_s = 80,
                                              .highest_pressure_pa = 137 * HT_PA_PER_MMHG,
                                              .lowest_pressure_pa = 71 * HT_PA_PER_MMHG};
  ht_summary_warn(&run);
  assert_true(warned(from, "set more flow.cycles than 5"));
  from = ht_console_warnings();
  plan->refused_beats = 3;
  ht_summary_warn(&run);
  assert_true(warned(from, "the cuff was before a narrowing")); /* not cut short */
  assert_true(warned(from, "of 120 over 80 mmHg cannot be reached"));
  assert_true(warned(from, "the inlet has 137 over 71, a pulse of 66 mmHg in place of 40"));
  assert_true(warned(from, "no Windkessel removes it"));
}

/* Gives a steady flow with two outlets, of 2 and 1 mm: the law's shares are 8/9 and 1/9. */
static void divide(double narrow_ml_s, double narrow_pa) {
  static const char *const names[] = {"inlet", "wide", "narrow"};
  const double flow_ml_s[] = {1, 1 - narrow_ml_s, narrow_ml_s}, pressure_pa[] = {0, 0, narrow_pa};
  ht_flow_stats *stats = &run.solved.stats;
  ht_openings *placed = &run.vessel.placed.openings;
  begin("lbgk");
  stats->period_s = 0, stats->steady = 1;
  stats->ports = placed->count = 3;
  for (int p = 0; p < 3; p++) {
    ht_opening *opening = &placed->item[p];
    *opening =
        (ht_opening){.role = p ? HT_ROLE_OUTLET : HT_ROLE_INLET, .radius_mm = p == 1 ? 2 : 1};
    opening->pressure_pa = pressure_pa[p];
    opening->flow_ml_s = p ? 0 : flow_ml_s[p];
    stats->port[p] = (ht_port_result){.role = opening->role, .flow_ml_s = flow_ml_s[p]};
    snprintf(opening->name, sizeof opening->name, "%s", names[p]);
    snprintf(stats->port[p].name, sizeof stats->port[p].name, "%s", names[p]);
  }
}

/* Checks that a flow that passes an outlet by is told, where nobody set the pressures. */
HT_TEST(test_an_outlet_that_is_passed_by) {
  int from = ht_console_warnings();
  divide(0.02, 0);
  ht_summary_warn(&run);
  divide(0.002, 7);
  ht_summary_warn(&run);
  divide(0.002, 0);
  settings.outlets = HT_OUTLETS_MURRAY;
  ht_summary_warn(&run);
  assert_false(warned(from, "Murray's law"));
  divide(0.002, 0);
  ht_summary_warn(&run);
  assert_true(
      warned(from, "'narrow' gets 0.2 % of the flow, and by its width (Murray's law) 11 %"));
}

/* Checks that the inlet's pressure is that of the arm only where a branch has it, too. */
HT_TEST(test_a_pressure_of_the_inlet_alone) {
  begin("cumulant");
  run.manifest.plan = (ht_flow_plan){.tunes = 1, .asked_mmhg = {140, 75}, .tuned_beats = 1};
  ht_flow_stats *stats = &run.solved.stats;
  stats->ports = 3;
  for (int p = 0; p < 3; p++)
    stats->port[p] = (ht_port_result){.role = p ? HT_ROLE_OUTLET : HT_ROLE_INLET,
                                      .flow_ml_s = 80,
                                      .highest_pressure_pa = (140 - 12 * p) * HT_PA_PER_MMHG,
                                      .lowest_pressure_pa = 75 * HT_PA_PER_MMHG};
  strcpy(stats->port[1].name, "arm");
  int from = ht_console_warnings();
  ht_summary_warn(&run);
  assert_true(warned(from, "inlet, 140 mmHg, is 12 above that of every outlet ('arm': 128)"));
  assert_true(warned(from, "drops at one moment have it, too")); /* not cut short */
  assert_true(warned(from, "would show less than the blood pressure that was given"));
  run.manifest.plan = (ht_flow_plan){.heart_rate_per_min = 143, .asked_mmhg = {110, 70}};
  from = ht_console_warnings();
  ht_summary_warn(&run); /* under stress nothing is tuned, and its pressures are results */
  assert_true(warned(from, "'arm': 128): a cuff on the arm would show less. Between rigid walls"));
  assert_false(warned(from, "the Windkessels were tuned"));
  stats->port[1].highest_pressure_pa = 131 * HT_PA_PER_MMHG;
  from = ht_console_warnings();
  ht_summary_warn(&run);
  assert_false(warned(from, "above that of every outlet"));
  stats->port[1] = stats->port[2];
  stats->ports = 2; /* it may be beyond the narrowing */
  ht_summary_warn(&run);
  assert_false(warned(from, "above that of every outlet"));
}

static int warned_of_inflow(double flow_ml_s) {
  int from = ht_console_warnings();
  run.solved.stats.port[0].flow_ml_s = flow_ml_s;
  ht_summary_warn(&run);
  return warned(from, "the flow through the inlet 'in' is ");
}

/* More than 2 % off in a steady flow. */
HT_TEST(test_an_inlet_that_misses_its_flow) {
  int from = ht_console_warnings();
  begin("lbgk");
  run.vessel.placed.openings.count = 1;
  run.vessel.placed.openings.item[0].role = HT_ROLE_INLET;
  run.vessel.placed.openings.item[0].flow_ml_s = 4;
  strcpy(run.vessel.placed.openings.item[0].name, "in");
  run.solved.stats = (ht_flow_stats){.ports = 1, .steady = 1};
  run.solved.stats.port[0].role = HT_ROLE_INLET;
  strcpy(run.solved.stats.port[0].name, "in");
  assert_false(warned_of_inflow(3.93));
  assert_false(warned_of_inflow(4.07));
  assert_true(warned_of_inflow(3.9));
  assert_true(warned(from, "3.9 mL/s, 2.5 % less than the 4 that are asked for"));
  assert_true(warned_of_inflow(4.1));
  assert_true(warned(from, "4.1 mL/s, 2.5 % more than the 4 that are asked for"));
  run.solved.stats.steady = 0; /* said already */
  assert_false(warned_of_inflow(3.9));
  run.solved.stats.averaged = 20;
  assert_true(warned_of_inflow(3.8));
}

/* Checks that the proposed value brings the highest velocity below 0.1, also where the inlet is
 * slow. */
HT_TEST(test_a_fast_lattice) {
  int from = ht_console_warnings();
  begin("cumulant");
  run.solved.stats.max_velocity_lu = 0.19;
  run.solved.stats.tau = 0.5003;
  run.manifest.plan.inlet_cell_reynolds = 400; /* 0.04 on the lattice */
  ht_summary_warn(&run);
  assert_true(warned(from, "velocity is 0.190, above 0.1"));
  assert_true(warned(from, "set flow.max_velocity_lu to 0.02 in the case file"));
  from = ht_console_warnings();
  run.solved.stats.max_velocity_lu = 0.2;
  run.solved.stats.tau = 0.5 + 0.0003 / 4; /* of the coarsest of three levels */
  run.manifest.plan.levels = 3;
  ht_summary_warn(&run);
  assert_true(warned(from, "set flow.max_velocity_lu to 0.019 in the case file"));
}

/* Returns the warning of a pulse by its peak: at most 2 % off, of 20 mL/s. */
static int warned_of_peak(double flow_ml_s) {
  int from = ht_console_warnings();
  run.sampled.beat.flow_ml_s[1] = flow_ml_s;
  ht_summary_warn_pulse(&run);
  return warned(from, "at its peak the flow through the inlet 'in' is ");
}

HT_TEST(test_a_pulse_that_misses_its_peak) {
  static double time_s[] = {0, 0.2, 0.4, 0.6}, flow_ml_s[] = {10, 20, 10, 0};
  const ht_harmonics series = {
      .period_s = 0.8, .mean_ml_s = 1, .harmonics = 1, .cosine_ml_s = {0}, .sine_ml_s = {1}};
  int from = ht_console_warnings();
  begin("cumulant");
  assert_int_equal(ht_waveform_series(&series, &settings.inflow), HT_OK);
  run.vessel.placed.openings.count = run.solved.stats.ports = 1;
  run.vessel.placed.openings.item[0].role = HT_ROLE_INLET;
  run.vessel.placed.openings.item[0].flow_ml_s = 10;
  strcpy(run.vessel.placed.openings.item[0].name, "in");
  strcpy(run.solved.stats.port[0].name, "in");
  run.sampled.beat =
      (ht_beat){.beats = 1, .samples = 4, .ports = 1, .time_s = time_s, .flow_ml_s = flow_ml_s};
  assert_false(warned_of_peak(19.7));
  assert_false(warned_of_peak(20.3));
  assert_true(warned_of_peak(19.4));
  assert_true(warned(from, "19.4 mL/s, 3.0 % less than the 20 that are asked for, and pressure "
                           "drops there are about 6 % too low"));
  run.solved.stats.cycles = 1; /* in which the flow rises from rest */
  assert_false(warned_of_peak(19.4));
}

HT_TEST(test_two_narrowings) {
  int from = ht_console_warnings();
  ht_gradient gradient = {.is_narrow = 1, .second_narrow_diameter_percent = 30};
  gradient.place[0].along_mm = 95, gradient.place[1].along_mm = 107;
  gradient.place[2].along_mm = 186, gradient.second.along_mm = 57;
  ht_summary_warn_narrowing(&gradient);
  assert_int_equal(ht_console_warnings(), from);
  gradient.has_second = 1;
  ht_summary_warn_narrowing(&gradient);
  assert_true(warned(from, "at a second place, too, 57 mm beyond the inlet (by 30 % of"));
  assert_true(warned(from, "107 mm beyond it, from 95 to 186 mm"));
}

/* Checks the section that a throat is compared with, and a narrowing that the vessel's end
 * hides. */
HT_TEST(test_doubtful_narrowing) {
  int from = ht_console_warnings();
  ht_gradient gradient = {.is_narrow = 1, .narrow_diameter_percent = 52};
  gradient.place[1].along_mm = 7;
  gradient.reach_diameter_percent[0] = 48, gradient.reach_diameter_percent[1] = 52.5;
  ht_summary_warn_narrowing(&gradient);
  assert_int_equal(ht_console_warnings(), from);
  gradient.reach_diameter_percent[1] = 58, gradient.is_short[0] = 1, gradient.is_junction = 1;
  ht_summary_warn_narrowing(&gradient);
  assert_true(warned(from, "the narrowing 7 mm beyond the inlet reaches the vessel's inlet"));
  assert_true(warned(from, "52 % of the diameter are given, 48 to 58 % are found with 2 to 8"));
  assert_true(warned(from, "7 mm beyond the inlet, is next to a sac or another vessel"));
  from = ht_console_warnings();
  gradient = (ht_gradient){.end_diameter_percent = {0, 28}};
  ht_summary_warn_narrowing(&gradient);
  assert_int_equal(ht_console_warnings(), from + 1);
  assert_true(warned(from, "narrows up to its outlet, by 28 % of the diameter"));
}

static int warned_of_outlet(double pressure_pa) {
  int from = ht_console_warnings();
  run.solved.stats.port[2].pressure_pa = pressure_pa;
  ht_summary_warn(&run);
  return warned(from, "the pressure at the outlet 'b' is ");
}

/* More than 2 % of the drop off, where outlets of a given pressure divide the flow. */
HT_TEST(test_an_outlet_that_misses_its_pressure) {
  static const char *const name[] = {"in", "a", "b"};
  int from = ht_console_warnings();
  begin("lbgk");
  run.solved.stats = (ht_flow_stats){.ports = 3, .steady = 1};
  run.vessel.placed.openings.count = 3;
  for (int p = 0; p < 3; p++) {
    ht_opening *opening = &run.vessel.placed.openings.item[p];
    ht_port_result *port = &run.solved.stats.port[p];
    opening->role = port->role = p ? HT_ROLE_OUTLET : HT_ROLE_INLET;
    opening->pressure_pa = port->pressure_pa = p ? 10 * p : 120;
    strcpy(opening->name, name[p]);
    strcpy(port->name, name[p]);
  }
  assert_false(warned_of_outlet(22));
  assert_false(warned_of_outlet(18));
  assert_true(warned_of_outlet(23));
  assert_true(warned(from, "'b' is 23 Pa, 3 Pa more than the 20 Pa that are asked for, 3 %"));
  assert_true(warned(from, "set a smaller flow.steady_tolerance"));
  run.solved.stats.steady = 0; /* said already */
  assert_false(warned_of_outlet(23));
  run.solved.stats.cycles = 1; /* no beat to learn in, nor to compare with */
  run.solved.stats.period_s = settings.solver.cycles = 1;
  assert_true(warned_of_outlet(23));
  assert_true(warned(from, "with one beat (flow.cycles 1) the solver cannot learn"));
  run.solved.stats.steady = 1;
  run.solved.stats.cycles = settings.solver.cycles = 2;
  assert_true(warned_of_outlet(23));
  assert_true(warned(from, "divides among the outlets by these pressures; set more flow.cycles"));
  settings.outlets = HT_OUTLETS_MURRAY; /* the flows are given */
  assert_false(warned_of_outlet(23));
}

/* 5 mL/s in a vessel 3.9 mm wide, which the border cuts to 8 mm. */
HT_TEST(test_beyond_what_is_usual) {
  static const double wss_pa[] = {1.4, 16.9}, drop_mmhg[] = {2, 21.7};
  for (int beyond = 0; beyond < 2; beyond++) {
    int from = ht_console_warnings();
    begin("mrt");
    strcpy(run.given.folder, ".");
    run.vessel.placed.openings =
        (ht_openings){.count = 1, .item = {{.name = "in", .radius_mm = 4, .even_mm2 = 12}}};
    run.solved.stats =
        (ht_flow_stats){.steady = 1,
                        .ports = 2,
                        .port = {{.name = "in", .role = HT_ROLE_INLET, .flow_ml_s = 5},
                                 {.name = "out", .role = HT_ROLE_OUTLET}}};
    run.solved.stats.port[0].pressure_pa = drop_mmhg[beyond] * HT_PA_PER_MMHG;
    run.measured.wall.wss_mean_pa = wss_pa[beyond];
    judge_plausible();
    assert_near(run.measured.plausible.value[HT_PLAUSIBLE_VELOCITY], 5. / 12, 1e-9);
    assert_int_equal(warned(from, "beyond what is usual in arteries up to 7 mm wide"), beyond);
    assert_int_equal(warned(from, "mean wall shear stress 16.9 Pa (usual 0.2 to 10), pressure drop "
                                  "21.7 mmHg (usual at most 10)"),
                     beyond);
    assert_int_equal(is_written(beyond ? "\"is_beyond\": true" : "\"is_beyond\": false"), 1);
    char *text = printed();
    assert_non_null(strstr(text, "mean velocity 0.417 m/s (usual 0.03 to 0.7)"));
    assert_int_equal(strstr(text, "(usual at most 10): BEYOND") != NULL, beyond);
    free(text);
  }
  run.solved.stats.steady = 0; /* no result: no judgement */
  judge_plausible();
  assert_int_equal(is_written("plausibility"), 0);
}

/* Checks that a run has the warnings from before it, and a run within it those of its own. */
HT_TEST(test_warnings_of_a_run) {
  static ht_warnings outer, inner;
  ht_console_next();
  ht_console_warn("of the command line");
  ht_console_warnings_to(&outer);
  ht_console_warn("of the run");
  ht_console_next();
  ht_console_warn("of the second run");
  ht_console_warnings_to(&inner);
  ht_console_warnings_to(NULL);
  ht_console_warnings_to(&outer);
  ht_console_warn("of the run"); /* given already */
  assert_int_equal(inner.count, 1);
  assert_string_equal(inner.text[0], "of the second run");
  assert_int_equal(outer.count, 2);
  assert_string_equal(outer.text[0], "of the command line");
  ht_console_warnings_to(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_beats_that_vary),
      cmocka_unit_test(test_a_slow_beat_with_cumulants),
      cmocka_unit_test(test_a_moment_that_is_off),
      cmocka_unit_test(test_beyond_what_is_usual),
      cmocka_unit_test(test_means_that_do_not_balance),
      cmocka_unit_test(test_beats_that_still_change),
      cmocka_unit_test(test_drops_from_the_main_inlet),
      cmocka_unit_test(test_main_inlet_of_openings),
      cmocka_unit_test(test_too_few_beats),
      cmocka_unit_test(test_a_pressure_out_of_reach),
      cmocka_unit_test(test_a_pressure_of_the_inlet_alone),
      cmocka_unit_test(test_an_inlet_that_misses_its_flow),
      cmocka_unit_test(test_a_fast_lattice),
      cmocka_unit_test(test_a_pulse_that_misses_its_peak),
      cmocka_unit_test(test_two_narrowings),
      cmocka_unit_test(test_doubtful_narrowing),
      cmocka_unit_test(test_an_outlet_that_misses_its_pressure),
      cmocka_unit_test(test_an_outlet_that_is_passed_by),
      cmocka_unit_test(test_warnings_of_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
