#include "run/network/start_outlets.h"
#include "core/numbers/units.h"
#include "run/process/console.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
  ht_network network;
  ht_network_beat beat;
  ht_waveform inflow; /* of all inlets */
  int outlet[HT_OPENINGS_MAX];
} start;

/* Gives each outlet of the network the Windkessel that the solver will give it. */
static ht_status take_windkessels(const ht_case *settings, const ht_openings *openings,
                                  double flow_m3_s, start *of) {
  const ht_solver_options options = ht_case_solver(settings);
  ht_outlet_settings values = {HT_OUTLETS_MURRAY,        options.murray_exponent,
                               options.density_kg_m3,    options.mean_pressure_pa,
                               options.compliance_m3_pa, options.wave_speed_m_s};
  ht_domain *ports;
  double share[HT_OPENINGS_MAX];
  HT_TRY(ht_alloc((void **)&ports, 1, sizeof *ports, "the outlets"));
  ports->ports = openings->count;
  for (int i = 0; i < openings->count; i++) ports->port[i].opening = openings->item[i];
  ht_status status = ht_outlet_shares(ports, &values, share);
  for (int i = 0; i < openings->count && status == HT_OK; i++) {
    if (of->outlet[i] < 0) continue;
    ht_network_element *element = &of->network.element[of->outlet[i]];
    element->distal_pa = openings->item[i].pressure_pa;
    status = ht_windkessel_make(ports, i, &values, share[i], flow_m3_s, &element->windkessel);
  }
  free(ports);
  return status;
}

static ht_status make(const ht_case *settings, const ht_mask *mask, const ht_throat *throat,
                      const double *diameters, const ht_openings *openings, start *of) {
  const ht_solver_options *solver = &settings->solver;
  ht_network_blood blood = {.density_kg_m3 = solver->density_kg_m3};
  const double flow_ml_s = ht_place_inflow_ml_s(openings);
  double most_pa_s;
  ht_blood_range(&solver->blood, solver->viscosity_pa_s, &blood.viscosity_pa_s, &most_pa_s);
  HT_TRY(
      ht_vessel_network_make(mask, openings, throat, diameters, &blood, &of->network, of->outlet));
  of->inflow = settings->inflow;
  HT_TRY(ht_waveform_scale(&of->inflow, flow_ml_s));
  HT_TRY(take_windkessels(settings, openings, 1e-6 * flow_ml_s, of));
  return ht_network_periodic(&of->network, &of->inflow, &of->beat);
}

int ht_outlets_want_start(const ht_case *settings, const ht_openings *openings,
                          const ht_physiology *physiology) {
  return settings->inflow.period_s > 0 && !physiology->is_all &&
         ht_place_outlet_model(settings, openings) == HT_OUTLETS_WINDKESSEL;
}

ht_status ht_start_outlets(const ht_case *settings, const ht_mask *mask, const ht_throat *throat,
                           const double *extension_diameters, ht_openings *openings) {
  start *of;
  HT_TRY(ht_alloc((void **)&of, 1, sizeof *of, "the network"));
  ht_status status = make(settings, mask, throat, extension_diameters, openings, of);
  for (int i = 0; i < openings->count && status == HT_OK; i++)
    if (of->outlet[i] >= 0)
      openings->item[i].windkessel_start_pa = fmax(0, of->beat.rest_start_pa[of->outlet[i]]);
  if (status == HT_OK) {
    ht_console_note(
        "outlets: begin at the pressures of a beat that repeats itself in a network of %d "
        "elements: %.1f over %.1f mmHg at the inlet",
        of->network.elements, of->beat.systolic_pa / HT_PA_PER_MMHG,
        of->beat.diastolic_pa / HT_PA_PER_MMHG);
  } else if (status != HT_ERR_MEMORY && status != HT_ERR_CASE) {
    ht_console_note("outlets: begin at their mean pressure: %s", ht_error_message());
    status = HT_OK;
  }
  free(of);
  return status;
}
