/* Warnings about a computed flow. */
#include "solver/plan/collision_limits.h"
#include "run/process/console.h"
#include "run/lattice/run_levels.h"
#include "run/mask/mask_warn.h"
#include "run/openings/narrow_place.h"
#include "run/numbers/run_outcome.h"
#include "run/numbers/summary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double highest_velocity_lu = 0.1;
static const double largest_imbalance = HT_PERIODIC_IMBALANCE; /* also of a steady flow */
static const double largest_moment_imbalance = 0.015;          /* of the peak inflow */
static const double largest_inflow_error = 0.02;               /* fraction of the prescribed flow */
static const double largest_pressure_error = 0.02;             /* of the drop along the vessel */
static const double laminar_reynolds = 2000;                   /* pipe flow */
static const double largest_slow_left = 0.02;                  /* the solver goes on to 0.01 */

/* Warns of narrow places: one may have fewer nodes across than every opening. */
static void warn_of_narrowings(const ht_domain *domain) {
  ht_openings openings = {.count = domain->ports};
  ht_narrow_place place[HT_OPENINGS_MAX];
  for (int p = 0; p < domain->ports; p++) openings.item[p] = domain->port[p].opening;
  int count = ht_narrow_places(&domain->mask, &openings, place);
  for (int i = 0; i < count; i++)
    if (round(place[i].across) < HT_WALL_NODES_ACROSS)
      ht_console_warn("the vessel narrows to some %.0f lattice nodes across between '%s' and '%s': "
                      "velocity, pressure drop and wall shear stress of the narrowing are coarse; "
                      "%d are needed there: set a smaller --spacing or more --nodes-across",
                      place[i].across, place[i].inlet->name, place[i].outlet->name,
                      HT_WALL_NODES_ACROSS);
}

/* Warns of backflow. A millionth of the largest flow does not count: where blood has hardly moved,
 * rounding has a sign. */
static void warn_of_backflow(const ht_flow_stats *stats, const ht_port_result *port) {
  double largest = 0;
  for (int p = 0; p < stats->ports; p++) largest = fmax(largest, fabs(stats->port[p].flow_ml_s));
  if (port->role == HT_ROLE_OUTLET && port->flow_ml_s < -1e-6 * largest)
    ht_console_warn("blood flows in through the outlet '%s' (%.3g mL/s in the mean), at the mean "
                    "pressure that an outlet prescribes in either direction: this "
                    "pressure is too high compared with the other outlets, or it is an inlet: set "
                    "its role and its flow_ml_s",
                    port->name, -port->flow_ml_s);
}

/* Warns of a steady flow whose inlet misses its flow. The inlet is corrected until the flow is
 * steady; a flow that was stopped before is reported as not steady. */
static void warn_of_inflow(const ht_flow_stats *stats, const ht_openings *placed,
                           const ht_port_result *port) {
  const ht_opening *opening = ht_openings_named(placed, port->name);
  int is_result = stats->period_s == 0 && ht_flow_is_result(stats);
  if (!is_result || port->role != HT_ROLE_INLET || !opening || !(opening->flow_ml_s > 0)) return;
  double off = port->flow_ml_s / opening->flow_ml_s - 1;
  if (fabs(off) <= largest_inflow_error) return;
  ht_console_warn("the flow through the inlet '%s' is %.4g mL/s, %.1f %% %s than the %.4g that are "
                  "asked for: these are the numbers of that flow; set a smaller "
                  "flow.steady_tolerance in the case file",
                  port->name, port->flow_ml_s, 100 * fabs(off), off > 0 ? "more" : "less",
                  opening->flow_ml_s);
}

static double pressure_span(const ht_flow_stats *stats) {
  double high = -INFINITY, low = INFINITY;
  for (int p = 0; p < stats->ports; p++) {
    high = fmax(high, stats->port[p].pressure_pa);
    low = fmin(low, stats->port[p].pressure_pa);
  }
  return high - low;
}

/* Returns the remedy for an outlet that misses its pressure. The loss is learned in beats that do
 * not count. */
static const char *remedy_of_outlet(const ht_flow_stats *stats, int cycles) {
  if (stats->period_s == 0) return "set a smaller flow.steady_tolerance in the case file";
  if (cycles > 1) return "set more flow.cycles";
  return "with one beat (flow.cycles 1) the solver cannot learn the pressure drop of the straight "
         "extension at each outlet, so the flow divides wrongly: set flow.cycles to 3 or more";
}

/* Warns of an outlet. The solver finds the pressure drop of the extension beyond an outlet while
 * the flow settles: in too few beats, or in a flow that never settles, not all of it. One beat
 * alone is never a result. */
static void warn_of_outlet(const ht_case *settings, const ht_flow_stats *stats,
                           const ht_openings *placed, const ht_port_result *port) {
  const ht_opening *opening = ht_openings_named(placed, port->name);
  int is_given = ht_place_outlet_model(settings, placed) == HT_OUTLETS_PRESSURE;
  int is_one_beat = stats->period_s > 0 && stats->cycles == 1;
  if (!(ht_flow_is_result(stats) || is_one_beat) || !is_given || stats->ports < 3) return;
  if (!opening || port->role != HT_ROLE_OUTLET) return;
  double off_pa = port->pressure_pa - opening->pressure_pa, span_pa = pressure_span(stats);
  if (!(fabs(off_pa) > largest_pressure_error * span_pa)) return;
  ht_console_warn(
      "the pressure at the outlet '%s' is %.3g Pa, %.3g Pa %s than the %.3g Pa that are "
      "asked for, %.0f %% of the drop along the vessel: the flow divides among the "
      "outlets by these pressures; %s",
      port->name, port->pressure_pa, fabs(off_pa), off_pa > 0 ? "more" : "less",
      opening->pressure_pa, 100 * fabs(off_pa) / span_pa,
      remedy_of_outlet(stats, ht_case_solver(settings).cycles));
}

/* Returns the outlet that gets the least of the flow for what is planned by its width; `share`:
 * what it gets, and what is planned. NULL: no outlet or inflow, or outlets of several pressures. */
static const ht_port_result *least_served(const ht_case *settings, const ht_flow_stats *stats,
                                          const ht_openings *placed, double share[2]) {
  const double inflow_ml_s = ht_place_inflow_ml_s(placed);
  const ht_port_result *least = NULL;
  const ht_opening *first = NULL;
  double planned_ml_s[HT_OPENINGS_MAX];
  ht_place_outflows(settings, placed, planned_ml_s);
  for (int p = 0; p < stats->ports && inflow_ml_s > 0; p++) {
    const ht_opening *opening = ht_openings_named(placed, stats->port[p].name);
    if (!opening || opening->role != HT_ROLE_OUTLET) continue;
    if (first && opening->pressure_pa != first->pressure_pa) return NULL;
    first = opening;
    const double gets = stats->port[p].flow_ml_s / inflow_ml_s;
    const double gives = planned_ml_s[opening - placed->item] / inflow_ml_s;
    if (least && gets / gives >= share[0] / share[1]) continue;
    least = &stats->port[p], share[0] = gets, share[1] = gives;
  }
  return least;
}

/* Warns of outlets of one pressure, by which a flow passes an outlet by. */
static void warn_of_division(const ht_case *settings, const ht_flow_stats *stats,
                             const ht_openings *placed) {
  const double wide = 0.05, little = 0.1; /* of the flow; of what Murray's law gives */
  double share[2];
  if (!ht_flow_is_result(stats) || ht_place_outlet_model(settings, placed) != HT_OUTLETS_PRESSURE)
    return;
  const ht_port_result *outlet = least_served(settings, stats, placed, share);
  if (!outlet || share[1] < wide || share[0] >= little * share[1]) return;
  ht_console_warn("'%s' gets %.2g %% of the flow, and by its width (Murray's law) %.0f %%: all "
                  "outlets have one pressure, so only the vessels in the scan divide the flow, not "
                  "those beyond the outlets; set outlets.model to murray, or give the outlets "
                  "their pressures",
                  outlet->name, 100 * share[0], 100 * share[1]);
}

/* Warns of a compressible flow. max_velocity_lu is that of the inlet, whose velocity may lie far
 * below it where the throat sets the step: the warning gives a value that shortens the step. */
static void warn_of_sound(const ht_flow_plan *plan, const ht_flow_stats *stats) {
  char value[40] = "a smaller value";
  double inlet_lu = plan->inlet_cell_reynolds * (ht_run_finest_tau(plan, stats) - 0.5) / 3;
  double most_lu = inlet_lu * highest_velocity_lu / stats->max_velocity_lu;
  if (!(stats->max_velocity_lu > highest_velocity_lu)) return;
  if (most_lu > 0) snprintf(value, sizeof value, "%.2g", 0.95 * most_lu);
  ht_console_warn("the highest lattice velocity is %.3f, above %g: compressibility errors grow "
                  "with its square; set flow.max_velocity_lu to %s in the case file",
                  stats->max_velocity_lu, highest_velocity_lu, value);
}

/* Warns of an imbalance. The lattice fluid is slightly compressible: if the beat is not much longer
 * than the travel time of sound through the vessel, the fluid stores inflow and releases it
 * later. */
static void warn_of_imbalance(const ht_flow_stats *stats) {
  if (fabs(stats->mass_imbalance) <= largest_imbalance) return;
  if (stats->period_s > 0)
    ht_console_warn(
        "flow in and out differ by %.2f %% over the beat: do not use these numbers; set a "
        "smaller flow.sound_deviation (sound is too slow on this lattice) or more "
        "flow.cycles",
        100 * stats->mass_imbalance);
  else if (stats->steady)
    ht_console_warn("flow in and out differ by %.2f %%: the flow has not settled everywhere; set a "
                    "smaller flow.steady_tolerance in the case file",
                    100 * stats->mass_imbalance);
}

/* Warns of one moment: the numbers of the mean flow are right, those of that moment are not. */
static void warn_of_moment(const ht_flow_stats *stats) {
  double off = stats->moment_imbalance;
  if (fabs(off) <= largest_moment_imbalance) return;
  ht_console_warn("%.3g s after the begin of the beat %.4g mL/s flow in and %.4g mL/s out, which "
                  "differ by %.2g %% of the peak inflow: pressures, wall shear stress and OSI of "
                  "such moments are off by as much (means over the beat are not); sound is too "
                  "slow on this lattice: set flow.sound_deviation to %.1g in the case file, for "
                  "some %.1f times the steps",
                  stats->moment_time_s, stats->moment_in_ml_s, stats->moment_out_ml_s,
                  100 * fabs(off), HT_SOUND_DEVIATION, sqrt(fabs(off) / HT_SOUND_DEVIATION));
}

/* Returns 1 for a turbulent flow; cumulants are also taken for slow beats, for the lattice's
 * sound. */
static int is_turbulent(const ht_flow_plan *plan, const ht_flow_stats *stats) {
  double cell_reynolds = fmax(plan->inlet_cell_reynolds, plan->throat_cell_reynolds);
  return strcmp(stats->collision, ht_collision_words[HT_CUMULANT]) == 0 &&
         ht_collision_has_jets(HT_CUMULANT, cell_reynolds);
}

static void warn_of_change(const ht_flow_plan *plan, const ht_flow_stats *stats) {
  if (stats->cycles == 1)
    ht_console_warn("one beat cannot show whether the flow is periodic: set more flow.cycles");
  else if (is_turbulent(plan, stats))
    ht_console_warn("the last beat differs from the one before by %.2g %% (velocity in the vessel "
                    "at peak inflow): the flow still settles, or it is turbulent and never "
                    "repeats; set flow.max_cycles to %d or more, so that the numbers become means "
                    "over at least %d beats with their standard errors",
                    100 * stats->cycle_change, stats->cycles + HT_LEAST_BEATS, HT_LEAST_BEATS);
  else
    ht_console_warn("the flow is not periodic yet: its velocity at peak inflow differs by %.1f %% "
                    "from that of the beat before; set more flow.cycles than %d",
                    100 * stats->cycle_change, stats->cycles);
}

/* Warns of an unsteady flow. A change of 1: the first measurement after a start from rest. */
static void warn_of_unsteady(const ht_flow_stats *stats) {
  char change[60] = ", too few to tell how far from it";
  if (stats->steady_change < 1)
    snprintf(change, sizeof change, " at a relative change of %.1e per step", stats->steady_change);
  ht_console_warn("the flow is not steady: it was stopped after %lld step%s%s",
                  (long long)stats->steps, stats->steps == 1 ? "" : "s", change);
}

/* Warns of slow parts in a flow that is steady as a whole (slow_parts.h of the solver): most of it
 * moves much faster. */
static void warn_of_slow_parts(const ht_flow_stats *stats) {
  if (!stats->steady || stats->period_s > 0 || stats->slow_left <= largest_slow_left) return;
  ht_console_warn("the slow parts of the vessel, a sac for one, had not come to rest: the velocity "
                  "there may still change by %.0f %%; give more --max-steps, and if that does not "
                  "help, the blood there never comes to rest: take its numbers as a rough guide",
                  100 * stats->slow_left);
}

/* Warns of a pulse that is out of reach: no Windkessel removes a vessel's own pressure drop, and
 * the inlet's pulse is at least that. */
static void warn_of_reach(const ht_flow_plan *plan, double high, double low) {
  const double *asked = plan->asked_mmhg;
  double pulse = high - low, asked_pulse = asked[0] - asked[1];
  ht_console_warn(
      "the blood pressure of %g over %g mmHg cannot be reached: the inlet has %.0f over %.0f, a "
      "pulse of %.0f mmHg in place of %.0f (Windkessels tuned %d times, refused %d times). %s. The "
      "results hold for the inlet's pressures. Check cardiac output and heart rate, the vessel's "
      "width in pictures/mask_on_scan.png, and that the cuff was before a narrowing",
      asked[0], asked[1], high, low, pulse, asked_pulse, plan->tuned_beats, plan->refused_beats,
      pulse > asked_pulse ? "At the peak of the inflow the drop along the vessel comes on top of "
                            "the pressure at its outlets, and no Windkessel removes it"
                          : "Output, heart rate and vessel do not match it");
}

/* Warns that the cuff's pressure is taken for the inlet's, while the arm is beyond an outlet.
 * Between stiff walls the inertia of the blood raises the upstroke at the inlet alone. Under stress
 * nothing is tuned to the cuff. */
static void warn_of_arm(const ht_flow_plan *plan, const ht_flow_stats *stats, double high) {
  const double much_mmhg = 10;
  const ht_port_result *most = NULL;
  int outlets = 0;
  for (int p = 0; p < stats->ports; p++) {
    const ht_port_result *port = &stats->port[p];
    if (port->role != HT_ROLE_OUTLET) continue;
    outlets++;
    if (!most || port->highest_pressure_pa > most->highest_pressure_pa) most = port;
  }
  double there = most ? most->highest_pressure_pa / HT_PA_PER_MMHG : high;
  if (outlets > 1 && high - there > much_mmhg)
    ht_console_warn(
        "the highest pressure at the inlet, %.0f mmHg, is %.0f above that of every outlet ('%s': "
        "%.0f): a cuff on the arm would show less%s. Between rigid walls the inertia of the blood "
        "raises the upstroke; drops at one moment have it, too, and so may the drop peak to peak",
        high, high - there, most->name, there,
        plan->tunes ? " than the blood pressure that was given" : "");
}

/* Warns of pressures that miss the cuff's. In the first beats the Windkessels are tuned to them.
 * `cycles`: number of prescribed beats; those that were added tune nothing. */
static void warn_of_cuff(const ht_flow_plan *plan, const ht_flow_stats *stats, int cycles) {
  const ht_port_result *inlet = ht_port_main_inlet(stats->port, stats->ports);
  if (!(plan->tunes || plan->heart_rate_per_min > 0) || !inlet || stats->period_s == 0) return;
  double high = inlet->highest_pressure_pa / HT_PA_PER_MMHG;
  double low = inlet->lowest_pressure_pa / HT_PA_PER_MMHG;
  warn_of_arm(plan, stats, high);
  if (!plan->tunes) return;
  if (fabs(high - plan->asked_mmhg[0]) <= HT_CUFF_MMHG &&
      fabs(low - plan->asked_mmhg[1]) <= HT_CUFF_MMHG)
    return;
  if (plan->refused_beats > 0) {
    warn_of_reach(plan, high, low);
    return;
  }
  ht_console_warn(
      "the pressure at the inlet is %.0f over %.0f mmHg, and the blood pressure is %g "
      "over %g: the Windkessels were tuned %d times, in %d beats; set more flow.cycles than %d",
      high, low, plan->asked_mmhg[0], plan->asked_mmhg[1], plan->tuned_beats, cycles, cycles);
}

void ht_summary_warn(const ht_run *run) {
  const ht_flow_stats *stats = &run->solved.stats;
  const ht_openings *placed = &run->vessel.placed.openings;
  ht_warn_of_coarse_openings(&run->domain);
  warn_of_narrowings(&run->domain);
  for (int p = 0; p < stats->ports; p++) {
    warn_of_backflow(stats, &stats->port[p]);
    warn_of_inflow(stats, placed, &stats->port[p]);
    warn_of_outlet(run->given.settings, stats, placed, &stats->port[p]);
  }
  warn_of_division(run->given.settings, stats, placed);
  warn_of_sound(&run->manifest.plan, stats);
  if (ht_flow_fault_of(stats) == HT_FLOW_NOT_PERIODIC)
    warn_of_change(&run->manifest.plan, stats);
  else if (ht_flow_fault_of(stats) == HT_FLOW_NOT_STEADY)
    warn_of_unsteady(stats);
  warn_of_slow_parts(stats);
  warn_of_imbalance(stats);
  warn_of_moment(stats);
  warn_of_cuff(&run->manifest.plan, stats, ht_case_solver(run->given.settings).cycles);
  if (stats->reynolds > laminar_reynolds)
    ht_console_warn("the Reynolds number is %.0f: above about %g the flow is not laminar and not "
                    "steady in the body; take the numbers as a rough guide",
                    stats->reynolds, laminar_reynolds);
}

/* Describes the error of means of beats that vary, "" where it is not known. */
static void describe_error(double error_mmhg, char text[80]) {
  text[0] = 0;
  if (error_mmhg > 0)
    snprintf(text, 80, "; the standard error of the pressure drop is %.2g mmHg", error_mmhg);
}

static void warn_of_varying(const ht_flow_plan *plan, const ht_flow_stats *stats,
                            const char *error) {
  double percent = 100 * stats->cycle_change;
  if (is_turbulent(plan, stats))
    ht_console_warn("the flow is probably turbulent: no beat repeats the one before (the velocity "
                    "in the vessel at peak inflow varies by %.2g %%). In a patient this is not an "
                    "error. The numbers are means over %d beats%s: the standard errors say how "
                    "good they are (`error` in summary.json)",
                    percent, stats->beats, error);
  else
    ht_console_warn("the beats do not repeat one another (the velocity in the vessel at peak "
                    "inflow varies by %.2g %%): the numbers are means over %d beats%s",
                    percent, stats->beats, error);
}

void ht_summary_warn_averaged(const ht_run *run) {
  const ht_flow_stats *stats = &run->solved.stats;
  char error[80];
  if (ht_flow_fault_of(stats) != HT_FLOW_AVERAGED) return;
  describe_error(ht_gradient_error(ht_sampled_beat(&run->sampled), &run->measured.gradient), error);
  if (stats->period_s > 0)
    warn_of_varying(&run->manifest.plan, stats, error);
  else
    ht_console_warn("the flow does not come to rest: the numbers are means over the last %.3g s, "
                    "whose two halves differ by %.2g %% in velocity%s",
                    stats->averaged_s, 100 * stats->averaged_drift, error);
}

/* Explains the cause: a coarse lattice does not resolve the oscillating layer at the wall, and few
 * beats do not correct the inflow. */
void ht_summary_warn_pulse(const ht_run *run) {
  const ht_beat *beat = ht_sampled_beat(&run->sampled);
  const ht_flow_stats *stats = &run->solved.stats;
  const ht_waveform *wave = &run->given.settings->inflow;
  if (stats->cycles < 2 || !(wave->period_s > 0) || beat->ports != stats->ports) return;
  for (int p = 0; p < stats->ports; p++) {
    const ht_opening *opening =
        ht_openings_named(&run->vessel.placed.openings, stats->port[p].name);
    if (!opening || opening->role != HT_ROLE_INLET || !(opening->flow_ml_s > 0)) continue;
    double unit = opening->flow_ml_s / ht_waveform_mean(wave), most = 0, there = 0;
    for (int k = 0; k < beat->samples; k++) {
      double asked = unit * ht_waveform_value(wave, beat->time_s[k]);
      if (asked > most)
        most = asked, there = ht_beat_mean(beat, beat->flow_ml_s, beat->ports, k, p);
    }
    double off = there / most - 1;
    if (!(fabs(off) > largest_inflow_error)) continue;
    ht_console_warn(
        "at its peak the flow through the inlet '%s' is %.4g mL/s, %.1f %% %s than the "
        "%.4g that are asked for, and pressure drops there are about %.0f %% too %s: the "
        "lattice is coarse for the pulse's layer at the wall, or the beats are too few "
        "to correct the inflow; set more flow.cycles or more --nodes-across",
        stats->port[p].name, there, 100 * fabs(off), off > 0 ? "more" : "less", most,
        200 * fabs(off), off > 0 ? "high" : "low");
  }
}

static const char *const ends[2] = {"inlet", "outlet"};

static void warn_of_second(const ht_gradient *gradient) {
  if (!gradient->has_second) return;
  ht_console_warn("the vessel is narrow at a second place, too, %.0f mm beyond the inlet (by %.0f "
                  "%% of the diameter): the numbers of the narrowing are those of the narrowest "
                  "place, %.0f mm beyond it, from %.0f to %.0f mm; %s has the pressure all along",
                  gradient->second.along_mm, gradient->second_narrow_diameter_percent,
                  gradient->place[1].along_mm, gradient->place[0].along_mm,
                  gradient->place[2].along_mm, HT_FILE_CENTRELINE);
}

/* Warns of the section that the throat is compared with. */
static void warn_of_reference(const ht_gradient *g) {
  const double much_percent = 5;
  const double *percent = g->reach_diameter_percent;
  for (int side = 0; side < 2; side++)
    if (g->is_short[side])
      ht_console_warn("the narrowing %.0f mm beyond the inlet reaches the vessel's %s: it is "
                      "compared with the rest of the vessel alone, and the pressure drop is that "
                      "of the part in the vessel; include more of the vessel at its %s",
                      g->place[1].along_mm, ends[side], ends[side]);
  if (percent[1] - percent[0] > much_percent)
    ht_console_warn("the degree of the narrowing depends on how much of the vessel around it "
                    "counts: %.0f %% of the diameter are given, %.0f to %.0f %% are found with 2 "
                    "to 8 diameters of it; choose the reference by %s, and name it",
                    g->narrow_diameter_percent, percent[0], percent[1], HT_FILE_CENTRELINE);
  if (g->is_junction)
    ht_console_warn("the narrowest section, %.0f mm beyond the inlet, is next to a sac or another "
                    "vessel, in whose mouth no section is measured: the vessel may be narrower "
                    "there than the numbers of the narrowing say; look at pictures/sections.png",
                    g->place[1].along_mm);
}

void ht_summary_warn_narrowing(const ht_gradient *gradient) {
  for (int side = 0; side < 2; side++)
    if (gradient->end_diameter_percent[side] > 0)
      ht_console_warn("the vessel narrows up to its %s, by %.0f %% of the diameter: the narrowest "
                      "place may lie beyond it, so that narrowing has no degree and no pressure "
                      "drop%s; include more of the vessel at its %s",
                      ends[side], gradient->end_diameter_percent[side],
                      gradient->is_narrow ? " (those given are of another)" : "", ends[side]);
  if (!gradient->is_narrow) return;
  warn_of_second(gradient);
  warn_of_reference(gradient);
}

void ht_summary_warn_wall(const ht_wall_stats *wall) {
  const double share = 0.01; /* of the area: less is a point or two */
  if (!(wall->coarse_share > share)) return;
  ht_console_warn(
      "dx+ is above %d on %.0f %% of the wall (99 %% is below %.3g): the lattice does not "
      "resolve the wall's layer there, and the wall shear stress is off (in a coarctation with 80, "
      "its 99th percentile is 30 %% above that with 40); `dx_plus` in %s shows where; set a "
      "smaller "
      "--spacing or more --nodes-across",
      HT_DX_PLUS_COARSE, 100 * wall->coarse_share, wall->dx_plus_p99, HT_FILE_WALL);
}
