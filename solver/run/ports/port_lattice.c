#include "solver/run/ports/port_lattice.h"
#include "solver/run/ports/outlet_pressure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_pressure(const ht_solve_setup *setup, int p, const ht_outlet_states *outlets,
                         ht_lattice_port *out) {
  const ht_plan *plan = &setup->plan;
  out->is_total = outlets->has_sponge;
  out->modes = outlets->of[p] ? 1 : 0;
  out->density_lu = 1;
  if (out->modes) return;
  double pressure_pa = setup->domain->port[p].opening.pressure_pa - plan->reference_pa;
  out->density_lu = ht_units_density_lu(&plan->units, pressure_pa) - 1;
}

/* Sets the velocity of a port. Steady: the speeds themselves, [nodes]; driven: the modes,
 * [modes][nodes]. */
static ht_status set_velocity(const ht_solve_setup *setup, int p, double **speed,
                              ht_lattice_port *out) {
  const ht_inlet_modes *inlet = setup->plan.inlet[p];
  out->kind = HT_PORT_VELOCITY;
  out->modes = ht_port_is_driven(setup, inlet) ? inlet->modes : 0;
  out->speed_lu = inlet->shape;
  if (out->modes) return HT_OK;
  double flow_lu = ldexp(ht_port_mean_flow_lu(setup, p), 2 * out->level);
  HT_TRY(ht_alloc((void **)speed, (size_t)out->nodes, sizeof(double), "the inlet profile"));
  for (int64_t i = 0; i < out->nodes; i++) (*speed)[i] = flow_lu * inlet->shape[i];
  out->speed_lu = *speed;
  return HT_OK;
}

static ht_status set_port(const ht_solve_setup *setup, int p, const ht_outlet_states *outlets,
                          double **speed, ht_lattice_port *out) {
  const ht_port *port = &setup->domain->port[p];
  *out = (ht_lattice_port){.kind = HT_PORT_PRESSURE,
                           .axis = port->axis,
                           .inward = port->inward,
                           .level = port->halvings,
                           .nodes = port->nodes,
                           .voxel = port->node};
  memcpy(out->direction, port->direction, sizeof out->direction);
  if (setup->plan.inlet[p]) return set_velocity(setup, p, speed, out);
  set_pressure(setup, p, outlets, out);
  return HT_OK;
}

static ht_lattice_setup lattice_of(const ht_solve_setup *setup, ht_port_drive *drive,
                                   const ht_lattice_port *port, const ht_sponge *sponge) {
  const ht_solver_options *options = setup->options;
  const ht_domain *domain = setup->domain;
  const ht_plan *plan = &setup->plan;
  return (ht_lattice_setup){
      .tiling = setup->tiling,
      .tau = plan->tau,
      .law = ht_blood_law(&options->blood, options->viscosity_pa_s, &plan->units),
      .precision = options->precision,
      .collision = options->collision,
      .compressibility = options->compressibility,
      .device = options->device,
      .threads = options->threads,
      .ramp_steps = plan->ramp_steps,
      .drive = ht_port_drive_at,
      .drive_user = &drive->of_level[0],
      .ports = domain->ports,
      .port = port,
      .sponge_nodes = sponge->nodes,
      .sponge_voxel = sponge->voxel,
      .sponge_lu = sponge->viscosity_lu,
      .corrects_diagonals = ht_plan_corrects_diagonals(plan, options),
      .wall_distance = options->walls == HT_WALLS_INTERPOLATED ? domain->wall_distance : NULL};
}

ht_status ht_port_sponge_make(const ht_domain *domain, const ht_outlet_states *outlets,
                              ht_sponge *sponge) {
  *sponge = (ht_sponge){0};
  return outlets->has_sponge ? ht_sponge_make(domain, sponge) : HT_OK;
}

ht_status ht_port_lattice_set_up(const ht_solve_setup *setup, ht_outlet_states *outlets,
                                 ht_port_drive *drive, ht_use_lattice_setup use, void *user) {
  ht_lattice_port port[HT_OPENINGS_MAX];
  ht_sponge sponge = {0};
  double *speed[HT_OPENINGS_MAX] = {NULL};
  ht_status status = HT_OK;
  HT_TRY(ht_outlets_make(setup, outlets));
  HT_TRY(ht_port_drive_make(setup, outlets, drive));
  for (int p = 0; p < setup->domain->ports && status == HT_OK; p++)
    status = set_port(setup, p, outlets, &speed[p], &port[p]);
  if (status == HT_OK) status = ht_port_sponge_make(setup->domain, outlets, &sponge);
  if (status == HT_OK) {
    ht_lattice_setup lattice = lattice_of(setup, drive, port, &sponge);
    status = use(user, &lattice);
  }
  for (int p = 0; p < setup->domain->ports; p++) free(speed[p]);
  ht_sponge_free(&sponge);
  return status;
}
