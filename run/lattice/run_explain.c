#include "run/lattice/run_explain.h"
#include "solver/plan/coarse_choice.h"
#include "solver/plan/collision_limits.h"
#include "run/process/console.h"
#include "core/machine/host_memory.h"
#include "solver/plan/resolution.h"
#include "run/lattice/run_lattice.h"
#include "run/lattice/run_levels.h"
#include "run/lattice/run_memory.h"
#include "run/lattice/run_offers.h"
#include "run/lattice/run_plan.h"
#include "run/lattice/run_time.h"
#include "run/lattice/within.h"
#include "core/text/words.h"
#include <math.h>
#include <stdlib.h>

static void explain_lattice(const ht_run *run, const ht_solver_reasons *r) {
  const ht_segment_options *asked = &run->given.settings->segment;
  char why[96] = "prescribed";
  const double widest_mm = ht_widest_opening_mm(&run->vessel.placed.openings);
  const double spacing_mm = run->domain.mask.grid.spacing_mm[0], across = widest_mm / spacing_mm;
  double needed = widest_mm / (r->units.dx_m * 1e3) * r->cell_reynolds / r->cell_reynolds_max;
  if (run->vessel.mask_edited)
    snprintf(why, sizeof why, "that of the edited mask");
  else if (ht_case_within_across(run->given.settings) > 0)
    snprintf(why, sizeof why, "by lattice.within");
  else if (ht_run_lattice_is_auto(run->given.settings))
    snprintf(why, sizeof why, "at least %d; the cell Reynolds number needs %.1f%s",
             HT_LEAST_NODES_ACROSS, needed,
             across > 1.2 * fmax(HT_LEAST_NODES_ACROSS, needed) ? "; a narrow place more" : "");
  else
    snprintf(why, sizeof why, "set by %s", asked->spacing_mm > 0 ? "spacing_mm" : "nodes_across");
  ht_console_note("lattice  %.4g mm: %.1f nodes across the widest opening (%s); %lld fluid nodes",
                  spacing_mm, across, why, (long long)run->tiling.nodes);
}

/* is_foretold: `now` is that of a run which is not this one. */
static void tell_memory(const ht_host_needs *needs, double now, int is_foretold, double gpu,
                        const ht_solver_options *options) {
  int pulses = options->waveform && options->waveform->period_s > 0;
  char of_gpu[64] = "", more[96] = "";
  if (gpu > 0)
    snprintf(of_gpu, sizeof of_gpu, "%s of the GPU for the lattice, ", ht_memory_words(gpu).text);
  if (needs->unrest > 0)
    snprintf(more, sizeof more, "; %s more if %s", ht_memory_words(needs->unrest).text,
             pulses ? "its beats do not repeat" : "it does not come to rest");
  ht_console_note(
      "memory   about %s%s at most while the flow is computed: %s %s, %s for %s, %s to read the "
      "flow%s",
      of_gpu, ht_memory_words(now + needs->lattice + needs->reading).text,
      ht_memory_words(now).text, is_foretold ? "before it" : "now",
      ht_memory_words(needs->lattice).text, gpu > 0 ? "its tables" : "the lattice",
      ht_memory_words(needs->reading).text, more);
}

static double scan_voxels(const ht_run *run) {
  const ht_volume *scan = &run->imported.scan;
  return scan->values ? (double)ht_grid_voxels(&scan->grid) : 0;
}

/* Explains the memory of rank 0, which has the flow, and its share of the lattice. A GPU run makes
 * the wall while the flow is computed, so its points are not known yet. */
static void explain_memory(const ht_run *run, const ht_solver_options *options,
                           ht_run_needs *needs) {
  const int64_t tiles = (int64_t)(ht_refined_cost(&run->refined).nodes * (double)run->tiling.tiles);
  const ht_lattice_size size = {tiles, (double)run->tiling.nodes,
                                ht_widest_opening_mm(&run->vessel.placed.openings) /
                                    run->domain.mask.grid.spacing_mm[0]};
  const ht_run_memory memory = ht_run_memory_of(&size, options, (double)run->ahead.wall.points,
                                                ht_run_has_idle_cores(&run->given));
  const double now =
      run->given.dry
          ? ht_run_memory_before(scan_voxels(run), (double)ht_grid_voxels(&run->vessel.mask.grid),
                                 size.nodes)
          : ht_host_memory_used();
  tell_memory(&memory.host, now, run->given.dry, memory.gpu, options);
  needs->gpu_mb = 1e-6 * memory.gpu;
  needs->mb = 1e-6 * (memory.host.lattice + memory.host.reading + memory.host.unrest);
}

static void explain_throat(const ht_flow_plan *plan, const ht_solver_reasons *r) {
  const double *at = plan->throat_centre_mm;
  if (!(r->throat_speed_m_s > 0)) return;
  ht_console_note("throat   %.3g mm at [%.1f, %.1f, %.1f], %.1f nodes across: the fastest place, "
                  "%.3g m/s over its section (%.3g on the lattice), cell Reynolds number %.3g",
                  plan->throat_mm, at[0], at[1], at[2], plan->throat_nodes_across,
                  r->throat_speed_m_s, r->throat_speed_lu, r->throat_cell_reynolds);
}

static void warn_of_sound(const ht_solver_options *options, const ht_solver_reasons *r) {
  if (r->keeps_sound) return;
  ht_console_warn(
      "at moments of the beat the flow out will differ from the flow in by up to %.2g %% "
      "of the peak: the lattice's sound needs shorter steps than %s can take; set %smore "
      "--nodes-across",
      100 * r->sound_off, ht_collision_words[options->collision],
      options->collision == ht_collision_most_capable() ? "" : "flow.collision to auto, or ");
}

/* Names the price, and what would lower it. */
static void explain_sound(const ht_solver_reasons *r) {
  ht_console_note("step     %.3g s: sound travels at %.3g m/s on the lattice, so that the flow out "
                  "differs from the flow in by %.2g %% of the peak at most; %.2g times the steps "
                  "that the velocity alone would need (a larger flow.sound_deviation lowers that)",
                  r->units.dt_s, r->sound_m_s, 100 * r->sound_off, r->step_of_sound);
}

/* Tells the deviation where the velocity sets the step. */
static void explain_deviation(const ht_solver_reasons *r) {
  if (!(r->sound_m_s > 0) || r->step_of_sound > 1 || r->sound_off <= HT_SOUND_DEVIATION) return;
  ht_console_note(
      "sound    %.3g m/s on the lattice: at moments of the beat the flow out differs from "
      "the flow in by up to %.2g %% of the peak (flow.sound_deviation: %g lowers that)",
      r->sound_m_s, 100 * r->sound_off, HT_SOUND_DEVIATION);
}

static void explain_step(const ht_solver_options *options, const ht_solver_reasons *r) {
  const char *where = r->of_outlets ? ", driven by the outlets' pressures," : " at the inlet";
  const int pulsatile = options->waveform && options->waveform->period_s > 0;
  const char *when = pulsatile ? ", at the beat's peak" : "";
  if (r->step_of_sound > 1)
    explain_sound(r);
  else if (r->step_of_throat)
    ht_console_note("step     %.3g s: %.3g m/s in the throat (the mean over its section%s) is %.3g "
                    "on the lattice (compressibility errors grow with its square)",
                    r->units.dt_s, r->throat_speed_m_s, when, r->throat_speed_lu);
  else if (r->step_of_viscosity)
    ht_console_note("step     %.3g s: a longer one puts tau above %g, where half-way walls slip; "
                    "%.3g m/s%s is %.3g on the lattice",
                    r->units.dt_s, r->tau_max, r->speed_m_s, where, r->speed_lu);
  else
    ht_console_note("step     %.3g s: %.3g m/s%s is %.3g on the lattice (max_velocity_lu %g; "
                    "compressibility errors grow with its square)",
                    r->units.dt_s, r->speed_m_s, where, r->speed_lu, options->max_velocity_lu);
}

static void explain_start(const ht_coarse_choice *coarse, const ht_solver_options *options,
                          int pulsatile) {
  if (coarse->applies && pulsatile)
    ht_console_note("start    %d beats on a lattice of twice the spacing, %.1f nodes across the "
                    "narrowest place; then %.2f on the vessel's own, and more where the last "
                    "does not repeat",
                    options->cycles - HT_COARSE_FINE_BEATS, coarse->across,
                    ht_run_fine_beats(coarse, options));
  else if (coarse->applies)
    ht_console_note("start    from the flow on a lattice of twice the spacing, %.1f nodes across "
                    "the narrowest place",
                    coarse->across);
  else
    ht_console_note("start    from rest, not from a lattice of twice the spacing: %s", coarse->why);
}

static void warn_of_speed(const ht_solver_reasons *r) {
  double speed = fmax(r->speed_m_s, r->throat_speed_m_s);
  if (speed > HT_FASTEST_M_S)
    ht_console_warn(
        "blood would flow with %.3g m/s, and it is nowhere faster than %d m/s: check the inflow "
        "(mL/s), the pressures and the size of the vessel (of a surface: --surface-unit)",
        speed, HT_FASTEST_M_S);
}

/* Warns on the terminal and in the log only: the time does not concern the results. */
static void warn_of_time(const char *text, const char *most, int pulsatile) {
  const int mark = ht_console_warnings();
  ht_console_warn(
      "this run takes about %s%s (Ctrl-C stops it and keeps the finished stages): --within TIME "
      "takes a lattice that fits; a GPU is at least ten times faster%s",
      text, most, pulsatile ? "; fewer flow.cycles, a smaller flow.max_cycles" : "");
  ht_console_drop_warnings(mark, ht_console_warnings());
}

static void explain_time(const ht_run *run, const ht_solver_options *options, double steps,
                         double most, ht_run_needs *needs) {
  const double long_s = 3600, worth_saying = 1.2, nodes = (double)run->tiling.nodes;
  ht_run_time takes = ht_run_expected_time(options, nodes, steps, NULL);
  int pulsatile = options->waveform && options->waveform->period_s > 0;
  int may_last = most > worth_saying * steps; /* longer than what is foretold */
  double most_s = may_last && steps > 0 ? takes.seconds * most / steps : takes.seconds;
  char text[32], longest[32], up_to[100] = "";
  if (!(takes.rate > 0)) return; /* no device: the solver reports that */
  ht_duration_words(takes.seconds, text);
  ht_duration_words(most_s, longest);
  if (may_last)
    snprintf(up_to, sizeof up_to, ", up to %s where %s", longest,
             pulsatile ? "its beats do not repeat" : "the flow does not come to rest");
  ht_console_note("time     about %s%s, for %.2g node updates at some %.2g million a second%s "
                  "(estimated from the memory bandwidth; the progress is more exact)",
                  text, up_to, steps * nodes, 1e-6 * takes.rate,
                  takes.sampling_s > 0 ? ", and the samples of the flow" : "");
  if (most_s > long_s && ht_run_allows(run, most_s)) warn_of_time(text, up_to, pulsatile);
  needs->seconds = takes.seconds;
  needs->longest_s = most_s;
}

/* Explains the inflow over a beat, after the waveform was scaled to each inlet's mean flow. */
static void explain_inflow(const ht_waveform *inflow, const ht_openings *openings) {
  double least, most, mean = ht_waveform_mean(inflow);
  if (!(inflow->period_s > 0)) return;
  ht_waveform_range(inflow, &least, &most);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *inlet = &openings->item[i];
    if (inlet->role != HT_ROLE_INLET) continue;
    double unit = inlet->flow_ml_s / mean;
    ht_console_note("inflow   '%s': mean %.4g mL/s, highest %.4g, lowest %.4g over a beat of %.4g "
                    "s (%.4g a minute)",
                    inlet->name, inlet->flow_ml_s, unit * most, unit * least, inflow->period_s,
                    60 / inflow->period_s);
  }
}

ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options, ht_run_needs *needs) {
  ht_solver_reasons r;
  HT_TRY(ht_solver_explain(&run->domain, options, &r));
  explain_lattice(run, &r);
  *needs = (ht_run_needs){.mb = 0};
  explain_memory(run, options, needs);
  explain_step(options, &r);
  explain_deviation(&r);
  warn_of_sound(options, &r);
  explain_throat(&run->manifest.plan, &r);
  warn_of_speed(&r);
  ht_console_note(
      "numbers  Reynolds number %.0f; tau %.4f (%g to %g); cell Reynolds number %.3g (at "
      "most %.0f with %s)",
      r.reynolds, r.tau, r.tau_min, r.tau_max, r.cell_reynolds, r.cell_reynolds_max,
      ht_collision_words[options->collision]);
  explain_inflow(&run->given.settings->inflow, &run->vessel.placed.openings);
  double period_s = options->waveform ? options->waveform->period_s : 0;
  if (period_s > 0)
    ht_console_note(
        "steps    %.0f per beat of %.3g s, %d beats, %d samples of the last beat are kept",
        period_s / r.units.dt_s, period_s, options->cycles, options->samples);
  else if (options->stop_at_max_steps)
    ht_console_note("steps    %lld, as asked", (long long)r.most_steps);
  else
    ht_console_note("steps    some %.2g to the steady state, %lld at most",
                    (double)(r.likely_steps < r.most_steps ? r.likely_steps : r.most_steps),
                    (long long)r.most_steps);
  ht_coarse_choice coarse;
  HT_TRY(ht_coarse_choose(&run->domain, options, &coarse));
  explain_start(&coarse, options, period_s > 0);
  double beats = period_s / r.units.dt_s * options->cycles;
  double steady = (double)(r.likely_steps < r.most_steps ? r.likely_steps : r.most_steps);
  double steps = period_s > 0 ? beats : options->stop_at_max_steps ? (double)r.most_steps : steady;
  const double share = ht_refined_cost(&run->refined).updates;
  const double updates = ldexp(share, options->halvings);
  explain_time(run, options, updates * ht_run_steps_after(&coarse, options, share, steps),
               updates * ht_run_most_steps(&coarse, options, share, steps, (double)r.most_steps),
               needs);
  return HT_OK;
}

/* Tells what other lattices would take. */
static ht_status tell_others(const ht_run *run) {
  enum { LEAST_ACROSS = 8, MOST_ACROSS = 64 };
  ht_run_measures measures;
  ht_lattice_offers *offers;
  HT_TRY(ht_alloc((void **)&offers, 1, sizeof *offers, "the lattices"));
  ht_run_measure(run->given.settings, &run->vessel, ht_mask_ml(&run->vessel.mask), &measures);
  measures.scan_voxels = scan_voxels(run);
  ht_status status =
      ht_run_offer_lattices(&measures, &run->domain, LEAST_ACROSS, MOST_ACROSS, NULL, offers);
  if (status == HT_OK) ht_run_tell_offers(offers);
  free(offers);
  return status;
}

ht_status ht_run_foretell(ht_run *run) {
  ht_solver_options options = ht_run_options(run->given.settings, &run->vessel.placed.openings);
  ht_run_needs needs;
  HT_TRY(ht_run_plan_flow(run->given.settings, &run->vessel, &run->domain, &options,
                          &run->manifest.plan));
  HT_TRY(ht_run_refine(run, &options));
  HT_TRY(ht_run_explain(run, &options, &needs));
  HT_TRY(tell_others(run));
  HT_TRY(ht_run_tell_shorter(run, needs.longest_s));
  run->manifest.plan.expected_s = needs.seconds;
  run->manifest.plan.expected_mb = needs.mb;
  run->manifest.plan.expected_gpu_mb = needs.gpu_mb;
  return HT_OK;
}
