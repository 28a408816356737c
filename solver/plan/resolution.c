#include "solver/plan/resolution.h"
#include "solver/lattice/backend.h"
#include "solver/plan/collision_limits.h"
#include "solver/plan/plan.h"
#include "solver/plan/plan_sound.h"
#include "solver/plan/time_step.h"
#include "core/text/words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILE_NODES = 32 }; /* across the section whose profile is looked at */

static const double to_spare = 0.9;     /* of the largest cell Reynolds number */
static const double utilisation = 0.75; /* of tiles in vessels of 20 nodes across and more */
static const double voxel_bytes = 16; /* of the other stages: masks, distances, numbers of nodes */
static const double domain_bytes = 123; /* the same of a box of 20 voxels a node, as is usual */

static const double huge_page = 2 << 20; /* bytes; of the CPU's copies, see backend_cpu.c */

/* Interpolated walls: links through a piece of wall as large as a voxel's face (5 to 5.7). */
static const double links_a_face = 5.6;

static int runs_on_gpu(const ht_solver_options *options) {
  int on_gpu = 0;
  return ht_choose_device(options->device, &on_gpu) == HT_OK && on_gpu;
}

/* Bytes of a link, its slip and its part of the tables of planes, blocks and tiles: on a GPU the
 * tables of block_walls.cuh, on a CPU ht_wall_link and the tables of cpu_walls.h. */
static double link_bytes(const ht_solver_options *options) {
  double slip = options->precision == HT_FP64 ? sizeof(double) : sizeof(float);
  return slip + (runs_on_gpu(options) ? 8 + 16 + 3 : sizeof(ht_wall_link) + 24 + 6);
}

double ht_solver_bytes(int64_t tiles, ht_collision collision, ht_precision precision) {
  double a_node = 2.0 * HT_COLLISION_DIRECTIONS(collision) * ht_precision_bytes(precision) +
                  3 * sizeof(float) + sizeof(uint32_t);
  if (collision == HT_CUMULANT && precision != HT_FP16) /* the correction of diagonals */
    a_node += 12.0 * ht_precision_bytes(precision);
  return (double)tiles *
         (HT_TILE_NODES * a_node + HT_TILE_NEIGHBOURS * sizeof(int32_t) + sizeof(uint64_t));
}

double ht_wall_bytes(const ht_solver_options *options, double nodes, double nodes_across) {
  double faces = options->walls == HT_WALLS_INTERPOLATED ? 4 / nodes_across * nodes : 0;
  return faces * links_a_face * link_bytes(options);
}

/* ---- the memory of the machine ---- */

static int adds_beats(const ht_solver_options *options) {
  return options->max_cycles > options->cycles;
}

/* Bytes of a node: its numbers and its fields; with a pulse also the mean, the fields of its peak
 * and the velocities that beats are compared with. */
static const double numbers_bytes = 8, fields_bytes = 40;

static double flow_bytes(const ht_solver_options *options) {
  const double velocity = 12;
  if (!ht_solver_is_pulse(options)) return numbers_bytes + fields_bytes;
  return numbers_bytes + 3 * fields_bytes + (adds_beats(options) ? 2 : 1) * velocity;
}

/* Bytes of a node: ht_turbulence and its results; with a steady inflow also the mean, and that of
 * the first half. */
static double unrest_bytes(const ht_solver_options *options) {
  const double a_phase = 16, results = 8, means = 40 + 12;
  if (ht_solver_is_pulse(options))
    return adds_beats(options) ? a_phase * ht_tke_phases(options->samples) + results : 0;
  return options->averages && !options->stop_at_max_steps ? means + a_phase + results : 0;
}

static double links_of(const ht_lattice_size *size, const ht_solver_options *options) {
  return options->walls == HT_WALLS_INTERPOLATED ? links_a_face * ht_wall_faces(size) : 0;
}

/* The host keeps the tables that it made for the GPU (backend.h, blocks.h): of a slot, a tile, a
 * link, and a face, the addresses of nodes at walls. */
static double gpu_tables_bytes(const ht_lattice_size *size, const ht_solver_options *options) {
  const double a_slot = 2 * sizeof(uint32_t), a_face = 115, a_node = 2;
  const double a_tile = HT_TILE_NODES * a_slot + HT_TILE_NEIGHBOURS * sizeof(int32_t);
  const double a_link = sizeof(ht_wall_link) + sizeof(uint32_t) + 4;
  return (double)size->tiles * a_tile + a_link * links_of(size, options) +
         a_face * ht_wall_faces(size) + a_node * size->nodes;
}

/* Bytes that pass between GPU and host: fields, or the state (ht_cuda_host_room()). */
static double gpu_room_bytes(const ht_lattice_size *size, const ht_solver_options *options) {
  const double fields = 10 * sizeof(double), packed = 0.98; /* share of the slots with a node */
  double stored =
      HT_COLLISION_DIRECTIONS(options->collision) * ht_precision_bytes(options->precision);
  return fmax(fields, stored) * size->nodes / packed;
}

/* The two copies begin and end with a page. */
static double cpu_copies_bytes(const ht_lattice_size *size, const ht_solver_options *options) {
  return ht_solver_bytes(size->tiles, options->collision, options->precision) + huge_page;
}

double ht_wall_faces(const ht_lattice_size *size) {
  return 4 / size->nodes_across * size->nodes;
}

ht_host_needs ht_solver_host_needs(const ht_lattice_size *size, const ht_solver_options *options) {
  double value = options->precision == HT_FP64 ? sizeof(double) : sizeof(float);
  double slots = (double)size->tiles * HT_TILE_NODES;
  double image = slots * HT_COLLISION_DIRECTIONS(options->collision) * value +
                 sizeof(double) * links_of(size, options);
  double flow = flow_bytes(options) * size->nodes;
  ht_host_needs needs = {.unrest = unrest_bytes(options) * size->nodes};
  if (runs_on_gpu(options)) { /* the image is there at the start alone */
    double room = gpu_room_bytes(size, options);
    needs.lattice = gpu_tables_bytes(size, options);
    needs.reading = room + fmax(flow, image + (numbers_bytes + fields_bytes) * size->nodes);
  } else {
    needs.lattice =
        cpu_copies_bytes(size, options) + ht_wall_bytes(options, size->nodes, size->nodes_across);
    needs.reading = image + flow;
  }
  return needs;
}

static int64_t tiles_of(double nodes) {
  return (int64_t)(nodes / utilisation / HT_TILE_NODES) + 1;
}

static double bytes_at(const ht_vessel_size *vessel, const ht_solver_options *options,
                       double spacing_mm) {
  double nodes = vessel->volume_mm3 / pow(spacing_mm, 3);
  return ht_solver_bytes(tiles_of(nodes), options->collision, options->precision) +
         ht_wall_bytes(options, nodes, vessel->widest_mm / spacing_mm) + voxel_bytes * nodes;
}

double ht_resolution_finest_mm(const ht_vessel_size *vessel, const ht_solver_options *options,
                               double bytes) {
  double fits_mm = vessel->widest_mm, too_fine_mm = 1e-6 * vessel->widest_mm;
  for (int halving = 0; halving < 60; halving++) {
    double middle_mm = sqrt(fits_mm * too_fine_mm);
    if (bytes_at(vessel, options, middle_mm) <= bytes)
      fits_mm = middle_mm;
    else
      too_fine_mm = middle_mm;
  }
  return fits_mm;
}

/* The finest spacing that fits over the one that is needed, with another collision and precision:
 * at most 1 where these can be run. */
static double excess(const ht_vessel_size *vessel, const ht_solver_options *options,
                     const ht_resolution *chosen, ht_collision collision, ht_precision precision) {
  ht_solver_options other = *options;
  other.collision = collision;
  other.precision = precision;
  double needed_mm =
      chosen->spacing_mm * ht_cell_reynolds_max(&other) / ht_cell_reynolds_max(options);
  return ht_resolution_finest_mm(vessel, &other, vessel->available_bytes) / needed_mm;
}

/* Names one setting that suffices, else two together, else the nearest. */
static void advise(const ht_vessel_size *vessel, const ht_solver_options *options,
                   const ht_resolution *chosen, char *text, size_t size) {
  int may_mrt = options->collision == HT_LBGK, may_fp16 = options->precision == HT_FP32;
  double by_mrt = excess(vessel, options, chosen, HT_MRT, options->precision);
  double by_fp16 = excess(vessel, options, chosen, options->collision, HT_FP16);
  double by_both = excess(vessel, options, chosen, HT_MRT, HT_FP16);
  const char *mrt = may_mrt && by_mrt <= 1 ? ", or --collision mrt (half the nodes across)" : "";
  const char *fp16 = may_fp16 && by_fp16 <= 1 ? ", or --precision fp16" : "";
  snprintf(text, size, "%s%s", mrt, fp16);
  if (text[0] || !may_mrt) return;
  if (may_fp16 && by_both <= 1)
    snprintf(text, size, ", or --collision mrt together with --precision fp16");
  else
    snprintf(text, size, ", or with --collision mrt at most %.2g times", 1 / by_mrt);
}

static ht_status refuse(const ht_vessel_size *vessel, const ht_solver_options *options,
                        const ht_resolution *chosen) {
  char others[160];
  double finest_mm = ht_resolution_finest_mm(vessel, options, vessel->available_bytes);
  advise(vessel, options, chosen, others, sizeof others);
  return ht_fail(HT_ERR_MEMORY,
                 "the lattice needs %.0f nodes across the widest opening (spacing %.3g mm) for a "
                 "cell Reynolds number of at most %.0f at %.3g m/s: about %s, of which %s "
                 "are free. What helps: an inflow of at most %.2g times this one%s",
                 chosen->nodes_across, chosen->spacing_mm, chosen->cell_reynolds_max,
                 vessel->speed_m_s, ht_memory_words(chosen->bytes).text,
                 ht_memory_words(vessel->available_bytes).text, chosen->spacing_mm / finest_mm,
                 others);
}

/* A round section, 32 nodes across. */
static ht_status disc(ht_port *port, int dim[3]) {
  enum { ACROSS = PROFILE_NODES };
  const double middle = (ACROSS + 1) / 2.0;
  memset(port, 0, sizeof *port);
  dim[0] = 1;
  dim[1] = dim[2] = ACROSS + 2;
  port->direction[0] = 1;
  HT_TRY(ht_alloc((void **)&port->node, (size_t)dim[1] * dim[2], sizeof *port->node, "a section"));
  for (int64_t v = 0; v < (int64_t)dim[1] * dim[2]; v++) {
    double y = (double)(v % dim[1]) - middle, z = (double)(v / dim[1]) - middle;
    if (y * y + z * z < ACROSS * ACROSS / 4.0) port->node[port->nodes++] = v;
  }
  return HT_OK;
}

ht_status ht_profile_peak(const ht_waveform *inflow, double diameter_m, double kinematic_m2_s,
                          double *factor) {
  const int moments = 256;
  int dim[3];
  ht_port port;
  ht_inlet_modes modes = {0};
  ht_waveform *unit;
  HT_TRY(disc(&port, dim));
  ht_status status = ht_alloc((void **)&unit, 1, sizeof *unit, "the waveform");
  if (status == HT_OK) {
    *unit = *inflow;
    status = ht_waveform_scale(unit, 1);
    if (status == HT_OK)
      status = ht_inlet_modes_make(dim, &port, HT_PROFILE_WOMERSLEY, unit,
                                   diameter_m / PROFILE_NODES, kinematic_m2_s, &modes);
    free(unit);
  }
  if (status == HT_OK) *factor = ht_inlet_modes_peak(&modes, moments) * (double)port.nodes;
  ht_inlet_modes_free(&modes);
  free(port.node);
  return status;
}

ht_status ht_resolution_choose(const ht_vessel_size *vessel, const ht_solver_options *options,
                               double least_nodes_across, ht_resolution *chosen) {
  double kinematic = ht_solver_least_kinematic(options); /* as in the plan */
  chosen->cell_reynolds_max = ht_cell_reynolds_max(options);
  double speed_m_s = vessel->speed_m_s; /* the limits of LBGK and MRT are those of the inlet */
  double coarsest_mm = 1e3 * to_spare * chosen->cell_reynolds_max * kinematic / speed_m_s;
  double in_throat = ht_collision_limits_of(options->collision)->cell_reynolds_max;
  if (ht_collision_is_for_jets(options->collision) && vessel->throat_speed_m_s > 0)
    coarsest_mm =
        fmin(coarsest_mm, 1e3 * to_spare * in_throat * kinematic / vessel->throat_speed_m_s);
  chosen->nodes_across = fmax(least_nodes_across, ceil(vessel->widest_mm / coarsest_mm));
  chosen->spacing_mm = vessel->widest_mm / chosen->nodes_across;
  chosen->cell_reynolds = speed_m_s * chosen->spacing_mm * 1e-3 / kinematic;
  chosen->bytes = bytes_at(vessel, options, chosen->spacing_mm);
  if (vessel->available_bytes > 0 && chosen->bytes > vessel->available_bytes)
    return refuse(vessel, options, chosen);
  return HT_OK;
}

/* ---- the estimate ---- */

static int describe_ends(const ht_mask *mask, const ht_openings *openings, ht_sound_end *end) {
  int ends = 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role == HT_ROLE_WALL) continue;
    end[ends] = (ht_sound_end){.radius = one->radius_mm / mask->grid.spacing_mm[0],
                               .is_inlet = one->role == HT_ROLE_INLET,
                               .share = one->radius_mm * one->radius_mm};
    ht_grid_index(&mask->grid, one->centre_mm, end[ends++].centre);
  }
  return ends;
}

ht_status ht_vessel_sound(const ht_mask *mask, const ht_openings *openings,
                          const ht_solver_options *options, ht_vessel_size *vessel) {
  ht_sound_end end[HT_OPENINGS_MAX];
  ht_sound_lines lines;
  vessel->sound_m_s = vessel->jet_sound_m_s = 0;
  if (!ht_solver_is_pulse(options)) return HT_OK;
  const ht_sound_pulse pulse = ht_sound_pulse_of(
      options->waveform, ht_solver_least_kinematic(options), options->density_kg_m3);
  ht_status status = ht_sound_lines_make(mask, describe_ends(mask, openings, end), end, &lines);
  if (status == HT_OK) {
    vessel->sound_m_s = ht_sound_least_speed(&lines, &pulse, ht_plan_sound_aim(options, 0));
    vessel->jet_sound_m_s = ht_sound_least_speed(&lines, &pulse, ht_plan_sound_aim(options, 1));
  }
  ht_sound_lines_free(&lines);
  return status;
}

/* Time to settle, as settle_steps of the plan: the vessel's volume passes, and a profile
 * develops. */
static double settle_s(const ht_vessel_size *vessel, double kinematic_m2_s) {
  double radius_m = 0.5e-3 * vessel->widest_mm;
  double flush_s = vessel->flow_m3_s > 0 ? 1e-9 * vessel->volume_mm3 / vessel->flow_m3_s : 0;
  return 1.6 * (flush_s + radius_m * radius_m / (5.78 * kinematic_m2_s));
}

void ht_solver_estimate(const ht_vessel_size *vessel, const ht_solver_options *options,
                        double spacing_mm, ht_run_estimate *estimate) {
  double least_pa_s, most_pa_s, period_s = options->waveform ? options->waveform->period_s : 0;
  ht_blood_range(&options->blood, options->viscosity_pa_s, &least_pa_s, &most_pa_s);
  ht_plan plan = {.units = {.dx_m = 1e-3 * spacing_mm},
                  .least_viscosity_pa_s = least_pa_s,
                  .most_viscosity_pa_s = most_pa_s,
                  .peak_speed_m_s = vessel->speed_m_s,
                  .peak_cell_m2_s = vessel->speed_m_s * 1e-3 * spacing_mm,
                  .throat_speed_m_s = vessel->throat_speed_m_s};
  plan.sound_m_s = ht_plan_has_jets(&plan, options) ? vessel->jet_sound_m_s : vessel->sound_m_s;
  *estimate = (ht_run_estimate){.nodes = vessel->volume_mm3 / pow(spacing_mm, 3),
                                .bytes = bytes_at(vessel, options, spacing_mm),
                                .step_s = ht_plan_step_s(&plan, options),
                                .on_gpu = runs_on_gpu(options)};
  if (!estimate->on_gpu) {
    const ht_lattice_size size = {tiles_of(estimate->nodes), estimate->nodes,
                                  vessel->widest_mm / spacing_mm};
    const ht_host_needs needs = ht_solver_host_needs(&size, options);
    estimate->bytes = needs.lattice + needs.reading + domain_bytes * estimate->nodes;
  }
  double time_s = period_s > 0 ? period_s * options->cycles
                               : settle_s(vessel, least_pa_s / options->density_kg_m3);
  estimate->steps = time_s / estimate->step_s;
  if (options->stop_at_max_steps) estimate->steps = (double)options->max_steps;
}

static void explain(const ht_domain *domain, const ht_solver_options *options, const ht_plan *plan,
                    ht_solver_reasons *reasons) {
  double driven = 0.5 * plan->driven_speed_m_s;
  *reasons = (ht_solver_reasons){.units = plan->units,
                                 .tau = plan->tau,
                                 .reynolds = plan->reynolds,
                                 .cell_reynolds_max = ht_cell_reynolds_max(options),
                                 .speed_m_s = fmax(plan->peak_speed_m_s, driven),
                                 .of_outlets = driven > plan->peak_speed_m_s,
                                 .throat_speed_m_s = plan->throat_speed_m_s,
                                 .most_steps = plan->max_steps};
  ht_plan_tau_range(options->collision, &reasons->tau_min, &reasons->tau_max);
  reasons->speed_lu = ht_units_velocity_lu(&plan->units, reasons->speed_m_s);
  reasons->cell_reynolds = 3 * ht_units_velocity_lu(&plan->units, plan->peak_speed_m_s) /
                           (plan->tau - 0.5) * plan->peak_cell_m2_s /
                           (plan->peak_speed_m_s * plan->units.dx_m);
  reasons->throat_speed_lu = ht_units_velocity_lu(&plan->units, plan->throat_speed_m_s);
  reasons->throat_cell_reynolds =
      3 * reasons->throat_speed_lu / (plan->tau - 0.5) * plan->finest_dx_m / plan->units.dx_m;
  /* Plan before its step is shortened to fit the samples of a beat. */
  ht_plan whole = *plan, silent = *plan;
  silent.sound_m_s = 0;
  whole.units.dt_s = ht_plan_step_s(plan, options);
  silent.units.dt_s = ht_plan_step_s(&silent, options);
  ht_plan without = silent;
  without.throat_speed_m_s = 0;
  double whole_lu = ht_units_velocity_lu(&whole.units, reasons->speed_m_s);
  reasons->step_of_sound = silent.units.dt_s / whole.units.dt_s;
  reasons->sound_m_s = plan->cycle_steps > 0 ? ht_plan_sound_m_s(plan) : 0;
  reasons->sound_off = plan->sound_off;
  reasons->keeps_sound = ht_plan_keeps_sound(plan, options);
  int by_sound = whole.units.dt_s < 0.97 * silent.units.dt_s;
  if (!by_sound) reasons->step_of_sound = 1;
  reasons->step_of_throat =
      !by_sound && whole.units.dt_s < 0.97 * ht_plan_step_s(&without, options);
  reasons->step_of_viscosity =
      !by_sound && !reasons->step_of_throat && whole_lu < 0.97 * options->max_velocity_lu;
  const ht_plan_size size = ht_plan_size_of(domain, options);
  reasons->likely_steps = (int64_t)ht_plan_likely_steps(&size, plan);
}

ht_status ht_solver_explain(const ht_domain *domain, const ht_solver_options *options,
                            ht_solver_reasons *reasons) {
  ht_plan plan;
  ht_status status = ht_plan_make(domain, options, &plan);
  if (status == HT_OK) explain(domain, options, &plan, reasons);
  ht_plan_free(&plan);
  return status;
}
