#include "bench/measure/bench_layout.h"
#include "solver/lattice/device_memory.h"
#include "phantom/geometry.h"
#include "core/text/words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_bench_step_words[] = {"flow", "read-write", "propagate", NULL};

static const double relaxation_time = 0.6, noise_lu = 0.01;

/* ---- the list ---- */

int ht_bench_layout_number(int number, ht_bench_layout *layout) {
  static const ht_bench_layout ours[] = {
      {HT_BENCH_PRODUCT, "the solver of hemotile run", ""},
      {HT_BENCH_COMPACT, "the same in half the memory, for cases that do not fit otherwise", ""},
      {HT_BENCH_WALLS, "the solver with interpolated walls, at random positions on the links", ""},
      {HT_BENCH_DIAGONALS, "cumulants with the flow along diagonals corrected", ""}};
  enum { OURS = sizeof ours / sizeof ours[0] };
  int count;
  const ht_ladder_rung *rungs = ht_ladder_rungs(&count);
  if (number >= OURS + count) return 0;
  if (number < OURS) {
    *layout = ours[number];
    return 1;
  }
  const ht_ladder_rung *rung = &rungs[number - OURS];
  *layout = (ht_bench_layout){rung->name, rung->what, rung->source};
  return 1;
}

const char *ht_bench_layouts_lacking(void) {
  ht_bench_layout layout;
  return ht_bench_layout_number(4, &layout)
             ? ""
             : " (the others need a GPU, and this hemotile was built without CUDA)";
}

ht_status ht_bench_layout_find(const char *name, const char **found) {
  ht_bench_layout layout;
  char list[512] = "";
  *found = NULL;
  for (int i = 0; ht_bench_layout_number(i, &layout); i++) {
    if (strcmp(layout.name, name) == 0) *found = layout.name;
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", layout.name);
  }
  if (*found) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "there is no layout '%s'; allowed is %s, or all%s", name, list,
                 ht_bench_layouts_lacking());
}

/* ---- models ---- */

void ht_bench_model_name(const ht_bench_model *model, char name[16]) {
  static const char *const blood[] = {"", "-cy", "-ca"}; /* by ht_blood_model */
  if (model->step != HT_STEP_FLOW)
    snprintf(name, 16, "%s%s", ht_bench_step_words[model->step],
             model->collision == HT_CUMULANT ? "-27" : "");
  else if (model->collision == HT_CUMULANT)
    snprintf(name, 16, "%s%s", ht_collision_words[HT_CUMULANT], blood[model->blood]);
  else
    snprintf(name, 16, "%s-%s%s", ht_collision_words[model->collision],
             model->fluid == HT_INCOMPRESSIBLE ? "inc" : "quasi", blood[model->blood]);
}

int ht_bench_model_same(const ht_bench_model *a, const ht_bench_model *b) {
  return strcmp(a->layout, b->layout) == 0 && a->precision == b->precision &&
         a->collision == b->collision && a->fluid == b->fluid && a->step == b->step &&
         a->blood == b->blood;
}

double ht_bench_model_bytes(const ht_bench_model *model) {
  return 2.0 * HT_COLLISION_DIRECTIONS(model->collision) * ht_precision_bytes(model->precision);
}

static int is_compact(const ht_bench_model *model) {
  return strcmp(model->layout, HT_BENCH_COMPACT) == 0;
}

static int is_product(const ht_bench_model *model) {
  return strcmp(model->layout, HT_BENCH_PRODUCT) == 0 || strcmp(model->layout, HT_BENCH_WALLS) == 0;
}

static int corrects_diagonals(const ht_bench_model *model) {
  return strcmp(model->layout, HT_BENCH_DIAGONALS) == 0;
}

static int is_rung(const ht_bench_model *model) {
  return !is_product(model) && !is_compact(model) && !corrects_diagonals(model);
}

int ht_bench_model_has_walls(const ht_bench_model *model) {
  return strcmp(model->layout, HT_BENCH_WALLS) == 0 ||
         strcmp(model->layout, HT_LADDER_LIST_WALLS) == 0;
}

int ht_bench_model_possible(const ht_bench_model *model, ht_device device, char why[128]) {
  why[0] = 0;
  if (is_product(model)) return 1;
  if (corrects_diagonals(model)) {
    if (model->collision != HT_CUMULANT || model->precision == HT_FP16 ||
        model->step != HT_STEP_FLOW)
      snprintf(why, 128, "layout %s has cumulants in fp32 and fp64 only", model->layout);
  } else if (device != HT_DEVICE_CUDA)
    snprintf(why, 128, "layout %s runs on a GPU only", model->layout);
  else if (is_rung(model) && model->collision == HT_CUMULANT)
    snprintf(why, 128, "layout %s has D3Q19 only", model->layout);
  else if (is_rung(model) && model->step == HT_STEP_FLOW &&
           (model->collision != HT_LBGK || model->fluid != HT_INCOMPRESSIBLE ||
            model->blood != HT_NEWTONIAN))
    snprintf(why, 128, "layout %s has lbgk, incompressible, newtonian only", model->layout);
  return !why[0];
}

/* ---- running ---- */

/* Creates a rung. `distance`: from the walls, NULL: half-way. */
static ht_status create_rung(const ht_bench_domain *domain, const ht_bench_model *model,
                             const float *distance, ht_ladder **ladder) {
  ht_ladder_setup setup = {.mask = &domain->mask,
                           .tiling = &domain->tiling,
                           .tau = relaxation_time,
                           .precision = model->precision,
                           .step_kind = model->step,
                           .wall_distance = distance,
                           .noise_lu = noise_lu};
  return ht_ladder_create(model->layout, &setup, ladder);
}

/* Linux grants more memory than there is, and then kills the program without a message; so this
 * asks first. The CPU keeps two copies of whole tiles. */
static ht_status check_memory(const ht_bench_domain *domain, const ht_bench_model *model) {
  ht_device_memory host;
  double needed = ht_bench_model_bytes(model) * HT_TILE_NODES * (double)domain->tiling.tiles;
  HT_TRY(ht_device_memory_describe(HT_DEVICE_CPU, &host));
  if (host.available_bytes == 0 || needed < (double)host.available_bytes) return HT_OK;
  return ht_fail(HT_ERR_MEMORY,
                 "the distribution functions of %lld nodes in %s need %s, of which %s "
                 "are free; choose a smaller --size or precision",
                 (long long)domain->tiling.nodes, ht_precision_words[model->precision],
                 ht_memory_words(needed).text, ht_memory_words((double)host.available_bytes).text);
}

/* The default blood at a spacing of 0.2 mm, with the time step that makes tau at rest 1. */
static ht_viscosity_law law_of(const ht_bench_model *model) {
  ht_blood blood;
  double least_pa_s, most_pa_s;
  ht_units units = {.dx_m = 2e-4, .density_kg_m3 = HT_BLOOD_DENSITY_KG_M3};
  ht_blood_defaults(&blood);
  blood.model = model->blood;
  ht_blood_range(&blood, HT_BLOOD_VISCOSITY_PA_S, &least_pa_s, &most_pa_s);
  units.dt_s = units.dx_m * units.dx_m * units.density_kg_m3 / (6 * most_pa_s);
  return ht_blood_law(&blood, HT_BLOOD_VISCOSITY_PA_S, &units);
}

static ht_status create_product(const ht_bench_domain *domain, const ht_bench_model *model,
                                ht_device device, int threads, int alone, const float *distance,
                                ht_lattice **lattice) {
  ht_lattice_setup setup = {.tiling = &domain->tiling,
                            .tau = relaxation_time,
                            .precision = model->precision,
                            .collision = model->collision,
                            .compressibility = model->fluid,
                            .law = law_of(model),
                            .step_kind = model->step,
                            .device = device,
                            .threads = threads,
                            .alone = alone,
                            .compact = is_compact(model),
                            .wall_distance = distance,
                            .corrects_diagonals = corrects_diagonals(model),
                            .noise_lu = noise_lu};
  if (device == HT_DEVICE_CPU) HT_TRY(check_memory(domain, model));
  return ht_lattice_create(&setup, lattice);
}

ht_status ht_bench_flow_create(const ht_bench_domain *domain, const ht_bench_model *model,
                               ht_device device, int threads, int alone, ht_bench_flow *flow) {
  float *distance = NULL;
  *flow = (ht_bench_flow){.device = device};
  if (ht_bench_model_has_walls(model)) HT_TRY(ht_geometry_rough_walls(&domain->mask, &distance));
  ht_status status = is_rung(model) ? create_rung(domain, model, distance, &flow->ladder)
                                    : create_product(domain, model, device, threads, alone,
                                                     distance, &flow->lattice);
  free(distance);
  return status;
}

void ht_bench_flow_free(ht_bench_flow *flow) {
  if (!flow) return;
  ht_lattice_free(flow->lattice);
  ht_ladder_free(flow->ladder);
  *flow = (ht_bench_flow){0};
}

ht_status ht_bench_flow_step(ht_bench_flow *flow, int64_t steps) {
  HT_TRY(flow->ladder ? ht_ladder_step(flow->ladder, steps)
                      : ht_lattice_step(flow->lattice, steps));
  return ht_device_wait(flow->device);
}

ht_status ht_bench_flow_read(ht_bench_flow *flow, int64_t tiles, double *density,
                             double *velocity) {
  if (flow->ladder) return ht_ladder_read(flow->ladder, density, velocity);
  ht_lattice_fields fields = {.density = density, .velocity = velocity};
  return ht_lattice_read(flow->lattice, 0, tiles, &fields);
}

void ht_bench_flow_cost(const ht_bench_flow *flow, ht_lattice_cost *cost) {
  if (flow->ladder)
    ht_ladder_measure_cost(flow->ladder, cost);
  else
    ht_lattice_measure_cost(flow->lattice, cost);
}
