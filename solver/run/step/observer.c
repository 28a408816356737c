#include "solver/run/step/observer.h"

ht_status ht_observer_ready(const ht_solver_options *options) {
  return options->ready ? options->ready(options->observe_user) : HT_OK;
}

ht_status ht_observer_show(const ht_solve_setup *setup, const ht_flow *flow,
                           const ht_flow_sample *moment, const double *flow_lu,
                           const double *pressure_pa) {
  const ht_domain *domain = setup->domain;
  double flow_ml_s[HT_OPENINGS_MAX];
  if (!setup->options->observe) return HT_OK;
  for (int p = 0; p < domain->ports; p++) {
    int out = domain->port[p].opening.role == HT_ROLE_OUTLET;
    flow_ml_s[p] = (out ? -1e6 : 1e6) * ht_units_flow_m3_s(&setup->plan.units, flow_lu[p]);
  }
  ht_flow_sample sample = *moment;
  sample.flow = flow;
  sample.ports = domain->ports;
  sample.flow_ml_s = flow_ml_s;
  sample.pressure_pa = pressure_pa;
  return setup->options->observe(setup->options->observe_user, &sample);
}
