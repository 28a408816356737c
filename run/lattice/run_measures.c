#include "run/lattice/run_measures.h"
#include "core/mpi/ranks.h"
#include "core/numbers/units.h"
#include "run/lattice/run_extensions.h"
#include "run/lattice/run_plan.h"
#include "run/openings/place_flows.h"
#include "run/process/console.h"
#include "solver/lattice/device_memory.h"
#include "solver/plan/collision_limits.h"
#include <math.h>

double ht_widest_opening_mm(const ht_openings *openings) {
  double widest = 0;
  for (int i = 0; i < openings->count; i++) widest = fmax(widest, 2 * openings->item[i].radius_mm);
  return widest;
}

static double extension_mm3(const ht_opening *opening, const ht_case *settings) {
  ht_extend_options options = ht_run_usual_extensions(settings);
  double diameters =
      opening->role == HT_ROLE_INLET ? options.inlet_diameters : options.outlet_diameters;
  return diameters * 2 * opening->radius_mm * HT_PI * opening->radius_mm * opening->radius_mm;
}

/* Returns the highest velocity over the mean over the section and the period. The peak of a
 * paraboloid is twice the mean; Womersley profiles are flatter, and lead in phase near the wall. */
static double peak_factor(const ht_case *settings, double diameter_mm) {
  ht_solver_options options = ht_case_solver(settings);
  double factor = options.profile == HT_PROFILE_PLUG ? 1 : 2;
  double noise = 1 + HT_NOISE_PEAK * options.inlet_noise;
  double mean = ht_waveform_mean(&settings->inflow);
  if (mean > 0) factor *= ht_waveform_peak(&settings->inflow) / mean;
  if (options.profile < HT_PROFILE_WOMERSLEY || !options.waveform || !(mean > 0))
    return factor * noise;
  if (settings->inflow.period_s > 0)
    ht_profile_peak(&settings->inflow, 1e-3 * diameter_mm, ht_solver_least_kinematic(&options),
                    &factor);
  return factor * noise;
}

ht_collision ht_run_collision_at(const ht_run_measures *of, double spacing_mm) {
  ht_solver_options options = ht_run_options(of->settings, &of->vessel->placed.openings);
  double least_pa_s, most_pa_s;
  ht_blood_range(&options.blood, options.viscosity_pa_s, &least_pa_s, &most_pa_s);
  double cell = 1e-3 * spacing_mm * options.density_kg_m3 / least_pa_s;
  return ht_collision_for(cell * fmax(of->size.speed_m_s, of->size.throat_speed_m_s));
}

ht_solver_options ht_run_options_at(const ht_run_measures *of, double spacing_mm) {
  ht_solver_options options = ht_run_options(of->settings, &of->vessel->placed.openings);
  if (of->settings->collision < 0) options.collision = ht_run_collision_at(of, spacing_mm);
  return options;
}

/* Measures the throat; unknown where there is no flow yet, or no memory to search it. */
static void measure_throat(const ht_openings *openings, ht_run_measures *of) {
  ht_throat throat;
  double mean = ht_waveform_mean(&of->settings->inflow);
  double peak = ht_waveform_peak(&of->settings->inflow);
  if (ht_run_throat(of->settings, of->vessel, openings, &throat) != HT_OK ||
      !(throat.speed_m_s > 0))
    return;
  of->size.throat_mm = 2 * sqrt(throat.area_mm2 / HT_PI);
  of->size.throat_speed_m_s = throat.speed_m_s * (mean > 0 ? peak / mean : 1);
}

static double reynolds_of(const ht_opening *inlet, const ht_case *settings) {
  const ht_solver_options *options = &settings->solver;
  double least_pa_s, most_pa_s, diameter_m = 2e-3 * inlet->radius_mm;
  ht_blood_range(&options->blood, options->viscosity_pa_s, &least_pa_s, &most_pa_s);
  return 4e-6 * inlet->flow_ml_s / (HT_PI * diameter_m) * options->density_kg_m3 / least_pa_s;
}

static void measure_vessel(const ht_openings *openings, double volume_ml, ht_run_measures *of) {
  ht_device_memory memory;
  of->size.volume_mm3 = 1000 * volume_ml;
  of->size.widest_mm = ht_widest_opening_mm(openings);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_WALL) continue;
    of->size.volume_mm3 += extension_mm3(one, of->settings);
    if (one->role != HT_ROLE_INLET) continue;
    double mean = one->flow_ml_s / (HT_PI * one->radius_mm * one->radius_mm); /* mL/s / mm2 = m/s */
    double speed = peak_factor(of->settings, 2 * one->radius_mm) * mean;
    of->size.speed_m_s = fmax(of->size.speed_m_s, speed);
    of->size.flow_m3_s += 1e-6 * one->flow_ml_s;
    of->reynolds = fmax(of->reynolds, reynolds_of(one, of->settings));
  }
  measure_throat(openings, of);
  if (ht_device_memory_describe(of->settings->solver.device, &memory) != HT_OK) return;
  int gpus = memory.device == HT_DEVICE_CUDA ? ht_ranks() : 1; /* one rank each */
  of->size.available_bytes = gpus * (double)memory.available_bytes;
  of->size.total_bytes = (double)memory.total_bytes;
}

void ht_run_measure(const ht_case *settings, const ht_run_vessel *vessel, double volume_ml,
                    ht_run_measures *of) {
  ht_openings openings = vessel->placed.openings;
  const int mark = ht_console_warnings();
  *of = (ht_run_measures){.settings = settings, .vessel = vessel};
  of->has_flow = ht_place_flows(settings, &openings) == HT_OK; /* if not, reported later */
  /* the warnings of the chosen lattice come later */
  ht_console_drop_warnings(mark, ht_console_warnings());
  of->openings = openings;
  measure_vessel(&openings, volume_ml, of);
}
