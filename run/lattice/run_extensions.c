#include "run/lattice/run_extensions.h"
#include "solver/plan/collision_limits.h"
#include "run/process/console.h"
#include "run/lattice/run_plan.h"
#include "core/numbers/units.h"
#include <math.h>

static const double most_diameters = 5;
static const double narrow = 0.5; /* area of the throat / area of the outlet */
static const double reach_diameters = 10;

ht_extend_options ht_run_usual_extensions(const ht_case *settings) {
  ht_extend_options usual, options = settings->extensions;
  ht_extend_defaults(&usual);
  if (options.outlet_diameters < 0) options.outlet_diameters = usual.outlet_diameters;
  return options;
}

/* Returns 1 where the solver uses the extensions of outlets as sponges, at the throat's largest
 * flow. */
static int has_sponges(const ht_case *settings, const ht_run_vessel *vessel,
                       const ht_throat *throat) {
  ht_solver_options options = ht_run_options(settings, &vessel->placed.openings);
  double least_pa_s, most_pa_s;
  ht_blood_range(&options.blood, options.viscosity_pa_s, &least_pa_s, &most_pa_s);
  double cell = 1e-3 * vessel->mask.grid.spacing_mm[0] * options.density_kg_m3 / least_pa_s;
  ht_collision needed = ht_collision_for(cell * throat->speed_m_s * ht_run_peak_of_mean(&options));
  int asked = settings->collision;
  return ht_collision_is_for_jets(needed) &&
         (asked < 0 || ht_collision_is_for_jets((ht_collision)asked));
}

static void lengthen(const ht_throat *throat, const ht_opening *outlet, double along_mm,
                     int is_quiet, double *diameters) {
  double outlet_mm = 2 * outlet->radius_mm, throat_mm = 2 * sqrt(throat->area_mm2 / HT_PI);
  double reach_mm = reach_diameters * throat_mm;
  double outlet_mm2 = HT_PI * outlet->radius_mm * outlet->radius_mm;
  if (!(along_mm > 0 && along_mm < reach_mm) || throat->area_mm2 >= narrow * outlet_mm2) return;
  *diameters = fmin(most_diameters, *diameters + (reach_mm - along_mm) / outlet_mm);
  if (is_quiet) return;
  ht_console_note("outlet '%s': extended by %.1f diameters, because the throat, %.3g mm wide, is "
                  "only %.0f mm before it, and its jet reaches some %.0f mm (set it with "
                  "extensions.outlet_diameters)",
                  outlet->name, *diameters, throat_mm, along_mm, reach_mm);
}

ht_status ht_run_extensions(const ht_case *settings, const ht_run_vessel *vessel, int is_quiet,
                            double *diameters) {
  const ht_openings *openings = &vessel->placed.openings;
  ht_extend_options usual = ht_run_usual_extensions(settings);
  ht_throat throat;
  for (int i = 0; i < openings->count; i++)
    diameters[i] =
        openings->item[i].role == HT_ROLE_INLET ? usual.inlet_diameters : usual.outlet_diameters;
  if (settings->extensions.outlet_diameters >= 0) return HT_OK;
  HT_TRY(ht_run_throat(settings, vessel, openings, &throat));
  if (!(throat.speed_m_s > 0 && has_sponges(settings, vessel, &throat))) return HT_OK;
  for (int i = 0; i < openings->count; i++)
    lengthen(&throat, &openings->item[i], throat.to_outlet_mm[i], is_quiet, &diameters[i]);
  return HT_OK;
}

ht_status ht_run_build_domain(const ht_case *settings, const ht_run_vessel *vessel,
                              const ht_triangles *surface, int is_quiet, ht_domain *domain) {
  double diameters[HT_OPENINGS_MAX];
  ht_extend_options extensions = ht_run_usual_extensions(settings);
  HT_TRY(ht_run_extensions(settings, vessel, is_quiet, diameters));
  extensions.diameters = diameters;
  extensions.surface = surface;
  return ht_domain_build(&vessel->mask, &vessel->placed.openings, &extensions, domain);
}
