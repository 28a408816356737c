/* The lattice of a case: how fine it has to be, and what a run says of it and of its step. */
#include "console.h"
#include "copy_rate.h"
#include "resolution.h"
#include "run.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double widest_mm(const ht_openings *openings) {
  double widest = 0;
  for (int i = 0; i < openings->count; i++) widest = fmax(widest, 2 * openings->item[i].radius_mm);
  return widest;
}

/* ---- choosing it ---- */

static double extension_mm3(const ht_opening *opening, const ht_extend_options *options) {
  double diameters =
      opening->role == HT_ROLE_INLET ? options->inlet_diameters : options->outlet_diameters;
  return diameters * 2 * opening->radius_mm * pi * opening->radius_mm * opening->radius_mm;
}

/* Highest velocity / mean over the section and the period. The peak of a paraboloid is twice the
 * mean; Womersley profiles are flatter. */
static double peak_factor(const ht_case *settings) {
  double factor = ht_case_solver(settings).profile == HT_PROFILE_PLUG ? 1 : 2;
  double mean = ht_waveform_mean(&settings->inflow);
  return mean > 0 ? factor * ht_waveform_peak(&settings->inflow) / mean : factor;
}

static void measure_vessel(const ht_run *run, const ht_openings *openings, ht_vessel_size *vessel) {
  ht_device_memory memory;
  vessel->volume_mm3 = 1000 * run->manifest.segment.volume_ml;
  vessel->widest_mm = widest_mm(openings);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_WALL) continue;
    vessel->volume_mm3 += extension_mm3(one, &run->settings->extensions);
    if (one->role != HT_ROLE_INLET) continue;
    double mean = one->flow_ml_s / (pi * one->radius_mm * one->radius_mm); /* mL/s / mm2 = m/s */
    double speed = peak_factor(run->settings) * mean;
    vessel->speed_m_s = fmax(vessel->speed_m_s, speed);
  }
  if (ht_device_memory_describe(run->settings->solver.device, &memory) == HT_OK)
    vessel->available_bytes = (double)memory.available_bytes;
}

int ht_run_lattice_is_auto(const ht_run *run) {
  return run->settings->segment.nodes_across == 0 && !(run->settings->segment.spacing_mm > 0);
}

ht_status ht_run_choose_lattice(const ht_run *run, double *spacing_mm) {
  ht_openings openings = run->placed.openings;
  ht_vessel_size vessel = {0};
  ht_resolution chosen;
  ht_solver_options options = ht_case_solver(run->settings);
  *spacing_mm = 0;
  if (ht_place_flows(run->settings, &openings) != HT_OK) return HT_OK; /* told later */
  measure_vessel(run, &openings, &vessel);
  if (!(vessel.speed_m_s > 0 && vessel.widest_mm > 0)) return HT_OK;
  HT_TRY(ht_resolution_choose(&vessel, &options, HT_LEAST_NODES_ACROSS, &chosen));
  if (chosen.spacing_mm > 0.99 * run->manifest.segment.spacing_mm) return HT_OK;
  ht_console_note("lattice: %d nodes across the widest opening are too few for %.3g m/s: %.0f, for "
                  "a cell Reynolds number of %.3g (at most %.0f)",
                  HT_LEAST_NODES_ACROSS, vessel.speed_m_s, chosen.nodes_across,
                  chosen.cell_reynolds, chosen.cell_reynolds_max);
  *spacing_mm = chosen.spacing_mm;
  return HT_OK;
}

/* ---- what is said before a run ---- */

static void explain_lattice(const ht_run *run, const ht_solver_reasons *r) {
  const ht_segment_options *asked = &run->settings->segment;
  char why[96] = "asked for";
  double across = widest_mm(&run->placed.openings) / (r->units.dx_m * 1e3);
  if (run->mask_edited)
    snprintf(why, sizeof why, "that of the edited mask");
  else if (ht_run_lattice_is_auto(run))
    snprintf(why, sizeof why, "at least %d; the cell Reynolds number needs %.1f",
             HT_LEAST_NODES_ACROSS, across * r->cell_reynolds / r->cell_reynolds_max);
  else
    snprintf(why, sizeof why, "asked for by %s",
             asked->spacing_mm > 0 ? "spacing_mm" : "nodes_across");
  ht_console_note("lattice  %.4g mm: %.1f nodes across the widest opening (%s); %lld fluid nodes, "
                  "about %.3g MB",
                  r->units.dx_m * 1e3, across, why, (long long)run->tiling.nodes,
                  1e-6 * ht_solver_bytes(run->tiling.tiles, run->settings->solver.precision));
}

static void explain_step(const ht_solver_options *options, const ht_solver_reasons *r) {
  const char *where = r->of_outlets ? ", driven by the outlets' pressures," : " at the inlet";
  if (r->step_of_viscosity)
    ht_console_note("step     %.3g s: a longer one would take tau above %g, where half-way walls "
                    "slip; %.3g m/s%s is %.3g on the lattice",
                    r->units.dt_s, r->tau_max, r->speed_m_s, where, r->speed_lu);
  else
    ht_console_note(
        "step     %.3g s: %.3g m/s%s is %.3g on the lattice (max_velocity_lu %g; errors "
        "of compressibility go with its square)",
        r->units.dt_s, r->speed_m_s, where, r->speed_lu, options->max_velocity_lu);
}

ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options) {
  ht_solver_reasons r;
  HT_TRY(ht_solver_explain(&run->domain, options, &r));
  explain_lattice(run, &r);
  explain_step(options, &r);
  ht_console_note(
      "numbers  Reynolds number %.0f; tau %.4f (%g to %g); cell Reynolds number %.3g (at "
      "most %.0f with %s)",
      r.reynolds, r.tau, r.tau_min, r.tau_max, r.cell_reynolds, r.cell_reynolds_max,
      ht_collision_words[options->collision]);
  double period_s = options->waveform ? options->waveform->period_s : 0;
  if (period_s > 0)
    ht_console_note("steps    %.0f to a beat of %.3g s, %d beats, %d moments of the last are kept",
                    period_s / r.units.dt_s, period_s, options->cycles, options->samples);
  else if (options->stop_at_max_steps)
    ht_console_note("steps    %lld, as asked", (long long)r.most_steps);
  else
    ht_console_note("steps    some %.2g to the steady state, %lld at most",
                    (double)(r.likely_steps < r.most_steps ? r.likely_steps : r.most_steps),
                    (long long)r.most_steps);
  return HT_OK;
}
