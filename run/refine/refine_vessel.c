#include "run/refine/refine_vessel.h"
#include "core/numbers/units.h"
#include "segment/openings/front_tree.h"
#include "segment/openings/steady_radius.h"
#include "segment/shape/chamfer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_VOXELS = HT_REFINE_CELL * HT_REFINE_CELL * HT_REFINE_CELL, THIRDS = 3 };

/* Diameter of a throat over that of the vessel after it, above which it is no narrowing: 3/4 of its
 * area. */
static const double narrow = 0.866;

/* Speed of another narrow place that has a jet, too, over that of the throat. */
static const double as_fast = 0.5;

/* ---- the cells ---- */

static uint8_t kind_of(const ht_mask *mask, const int first[3]) {
  int vessel = 0, extension = 0;
  for (int n = 0; n < OF_VOXELS; n++) {
    const int at[3] = {first[0] + n % HT_REFINE_CELL,
                       first[1] + n / HT_REFINE_CELL % HT_REFINE_CELL,
                       first[2] + n / HT_REFINE_CELL / HT_REFINE_CELL};
    if (!ht_voxel_in_grid(mask->grid.dim, at)) continue;
    const uint8_t what = mask->inside[ht_voxel_index(mask->grid.dim, at)];
    vessel += what == HT_VESSEL;
    extension += what == HT_EXTENSION;
  }
  if (2 * (vessel + extension) < OF_VOXELS) return HT_SOLID;
  return vessel >= extension ? HT_VESSEL : HT_EXTENSION;
}

static ht_status make_cells(const ht_mask *mask, ht_mask *cells) {
  ht_grid grid = mask->grid;
  const double middle[3] = {0.5 * (HT_REFINE_CELL - 1), 0.5 * (HT_REFINE_CELL - 1),
                            0.5 * (HT_REFINE_CELL - 1)};
  ht_grid_position(&mask->grid, middle, grid.origin_mm);
  for (int a = 0; a < 3; a++) {
    grid.dim[a] = (mask->grid.dim[a] + HT_REFINE_CELL - 1) / HT_REFINE_CELL;
    grid.spacing_mm[a] *= HT_REFINE_CELL;
  }
  HT_TRY(ht_mask_alloc(&grid, cells));
  const int64_t count = ht_grid_voxels(&grid);
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < count; c++) {
    int at[3];
    ht_voxel_place(grid.dim, c, at);
    for (int a = 0; a < 3; a++) at[a] *= HT_REFINE_CELL;
    cells->inside[c] = kind_of(mask, at);
  }
  return HT_OK;
}

static ht_status measure_depth(ht_refine_vessel *vessel) {
  const int64_t count = ht_grid_voxels(&vessel->cells.grid);
  HT_TRY(ht_alloc((void **)&vessel->depth, (size_t)count, sizeof *vessel->depth, "the levels"));
  for (int64_t c = 0; c < count; c++)
    vessel->depth[c] = vessel->cells.inside[c] ? HT_CHAMFER_FAR : 0;
  ht_chamfer(vessel->cells.grid.dim, ht_chamfer_thirds, vessel->depth);
  return HT_OK;
}

double ht_refine_depth_mm(const ht_refine_vessel *vessel, int64_t cell) {
  return (vessel->depth[cell] / (double)THIRDS - 0.5) * vessel->cells.grid.spacing_mm[0];
}

/* ---- the ends ---- */

static ht_status find_ends(const ht_domain *domain, ht_refine_vessel *vessel) {
  uint8_t *mark = NULL;
  int64_t *found = NULL;
  HT_TRY(ht_alloc((void **)&mark, (size_t)ht_grid_voxels(&domain->mask.grid), 1, "the levels"));
  ht_status status =
      ht_alloc((void **)&found, (size_t)ht_mask_count(&domain->mask), sizeof *found, "the levels");
  for (int p = 0; p < domain->ports && status == HT_OK; p++) {
    const ht_opening *opening = &domain->port[p].opening;
    vessel->end[vessel->ends++] =
        (ht_refine_end){.cells = (double)ht_port_extension(domain, p, mark, found) / OF_VOXELS,
                        .diameter_mm = 2 * opening->radius_mm,
                        .is_inlet = opening->role == HT_ROLE_INLET};
  }
  free(mark), free(found);
  return status;
}

/* ---- their sections ---- */

/* The wall lies up to a cell before the first solid one, and the middle up to a cell off the
 * deepest: the two cancel, as in narrowest.c. */
static void measure_sections(const ht_front_tree *tree, ht_refine_vessel *vessel) {
  const double to_mm = 2.0 / THIRDS * vessel->cells.grid.spacing_mm[0];
  for (int64_t i = 0; i < tree->geodesic.reached.count; i++) {
    const int64_t cell = tree->geodesic.reached.item[i];
    ht_refine_section *one = &vessel->section[tree->of[i]];
    vessel->of[cell] = tree->of[i];
    one->cells++;
    one->diameter_mm = fmax(one->diameter_mm, to_mm * vessel->depth[cell]);
  }
  for (int s = 0; s < vessel->sections; s++) {
    ht_refine_section *one = &vessel->section[s];
    const int before = tree->item[s].before;
    if (tree->item[s].flow_ml_s == 0 && before >= 0)
      one->diameter_mm = fmax(one->diameter_mm, vessel->section[before].diameter_mm);
  }
}

static double along_mm(const ht_front_tree *tree, int from, int to) {
  return (tree->item[to].band - tree->item[from].band) * HT_BAND_VOXELS *
         tree->geodesic.mask->grid.spacing_mm[0];
}

/* Takes the bumps from the sections between an opening's and the inlet. room: [4][sections]. */
static void steady_way(const ht_front_tree *tree, int last, double *room,
                       ht_refine_vessel *vessel) {
  const int most = vessel->sections;
  double *along = room, *radius = room + most, *steady = room + 2 * most, *number = room + 3 * most;
  int count = 0;
  for (int s = last; s >= 0; s = tree->item[s].before) number[count++] = s;
  for (int i = 0; i < count; i++) { /* from the inlet on */
    const int s = (int)number[count - 1 - i];
    along[i] = along_mm(tree, (int)number[count - 1], s);
    radius[i] = 0.5 * vessel->section[s].diameter_mm;
  }
  ht_steady_radius(count, along, radius, steady);
  for (int i = 0; i < count; i++) {
    ht_refine_section *one = &vessel->section[(int)number[count - 1 - i]];
    one->diameter_mm = fmin(one->diameter_mm, 2 * steady[i]);
  }
}

static ht_status take_bumps(const ht_front_tree *tree, const ht_openings *openings,
                            ht_refine_vessel *vessel) {
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  double *room;
  HT_TRY(ht_alloc((void **)&room, 4 * (size_t)vessel->sections, sizeof *room, "the levels"));
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one == inlet || one->role == HT_ROLE_WALL) continue;
    steady_way(tree, ht_front_at(tree, one->centre_mm), room, vessel);
  }
  free(room);
  return HT_OK;
}

static void set_speeds(const ht_front_tree *tree, double peak_of_mean, ht_refine_vessel *vessel) {
  for (int s = 0; s < vessel->sections; s++) {
    ht_refine_section *one = &vessel->section[s];
    const double area_mm2 = HT_PI / 4 * one->diameter_mm * one->diameter_mm;
    if (area_mm2 > 0) /* mL/s / mm2 = m/s */
      one->speed_m_s = peak_of_mean * fabs(tree->item[s].flow_ml_s) / area_mm2;
  }
}

/* Marks a narrow section, what is right before it, and what its jet reaches, if the vessel is wider
 * there, apart from a sac. Fronts nearer to the inlet come first. reached: room for a byte for each
 * section. */
static void mark_jet(const ht_front_tree *tree, int at, double narrow_mm, double reach_mm,
                     uint8_t *reached, ht_refine_vessel *vessel) {
  double widest_mm = 0;
  memset(reached, 0, (size_t)vessel->sections);
  reached[at] = 1;
  for (int s = at + 1; s < vessel->sections; s++) {
    const int before = tree->item[s].before;
    if (before < 0 || !reached[before] || along_mm(tree, at, s) > reach_mm) continue;
    reached[s] = 1;
    if (vessel->section[s].speed_m_s > 0)
      widest_mm = fmax(widest_mm, vessel->section[s].diameter_mm);
  }
  if (narrow_mm >= narrow * widest_mm) return;
  for (int s = at; s < vessel->sections; s++) vessel->section[s].is_jet |= reached[s];
  for (int s = at; s >= 0 && along_mm(tree, s, at) <= HT_REFINE_BEFORE * narrow_mm;
       s = tree->item[s].before)
    vessel->section[s].is_jet = 1;
}

/* Tells whether a section is the narrowest within two of its diameters. */
static int is_narrowest(const ht_front_tree *tree, const ht_refine_vessel *vessel, int at) {
  const double own_mm = vessel->section[at].diameter_mm;
  for (int s = at; s >= 0 && along_mm(tree, s, at) <= 2 * own_mm; s = tree->item[s].before)
    if (vessel->section[s].diameter_mm < own_mm) return 0;
  for (int s = at; s >= 0 && along_mm(tree, at, s) <= 2 * own_mm; s = tree->item[s].behind)
    if (vessel->section[s].diameter_mm < own_mm) return 0;
  return 1;
}

static double jet_mm(const ht_refine_flow *flow, double speed_m_s, double diameter_mm) {
  return ht_refine_jet_mm(flow->jet_diameters, speed_m_s, diameter_mm, flow->kinematic_m2_s);
}

/* Marks the jets of the throat and of other narrow places that are about as fast. */
static ht_status mark_jets(const ht_front_tree *tree, const ht_refine_flow *flow,
                           ht_refine_vessel *vessel) {
  const int throat = ht_front_at(tree, flow->throat->centre_mm);
  const double throat_mm = 2 * sqrt(flow->throat->area_mm2 / HT_PI);
  const double throat_m_s = flow->peak_of_mean * flow->throat->speed_m_s;
  uint8_t *reached;
  HT_TRY(ht_alloc((void **)&reached, (size_t)vessel->sections, 1, "the levels"));
  if (throat >= 0)
    mark_jet(tree, throat, throat_mm, jet_mm(flow, throat_m_s, throat_mm), reached, vessel);
  for (int s = 0; s < vessel->sections; s++) {
    const ht_refine_section *one = &vessel->section[s];
    if (one->speed_m_s >= as_fast * throat_m_s && !one->is_jet && is_narrowest(tree, vessel, s))
      mark_jet(tree, s, one->diameter_mm, jet_mm(flow, one->speed_m_s, one->diameter_mm), reached,
               vessel);
  }
  free(reached);
  return HT_OK;
}

static ht_status find_sections(const ht_front_tree *tree, const ht_refine_flow *flow,
                               ht_refine_vessel *vessel) {
  const int64_t count = ht_grid_voxels(&vessel->cells.grid);
  HT_TRY(ht_alloc((void **)&vessel->of, (size_t)count, sizeof *vessel->of, "the levels"));
  for (int64_t c = 0; c < count; c++) vessel->of[c] = -1;
  HT_TRY(ht_alloc((void **)&vessel->section, (size_t)tree->count, sizeof *vessel->section,
                  "the levels"));
  vessel->sections = tree->count;
  measure_sections(tree, vessel);
  HT_TRY(take_bumps(tree, flow->openings, vessel));
  set_speeds(tree, flow->peak_of_mean, vessel);
  return mark_jets(tree, flow, vessel);
}

ht_status ht_refine_vessel_make(const ht_domain *domain, const ht_refine_flow *flow,
                                ht_refine_vessel *vessel) {
  ht_front_tree tree = {.count = 0};
  ht_mask own = {0};
  memset(vessel, 0, sizeof *vessel);
  if (!(flow->throat->speed_m_s > 0)) return HT_OK;
  HT_TRY(make_cells(&domain->mask, &vessel->cells));
  HT_TRY(measure_depth(vessel));
  HT_TRY(find_ends(domain, vessel));
  ht_status status = ht_mask_alloc(&vessel->cells.grid, &own);
  const int64_t count = ht_grid_voxels(&vessel->cells.grid);
  for (int64_t c = 0; status == HT_OK && c < count; c++)
    own.inside[c] = vessel->cells.inside[c] == HT_VESSEL;
  if (status == HT_OK) status = ht_front_tree_make(&own, flow->openings, flow->outflow_ml_s, &tree);
  if (status == HT_OK && tree.count > 0) status = find_sections(&tree, flow, vessel);
  ht_front_tree_free(&tree);
  ht_mask_free(&own);
  return status;
}

void ht_refine_vessel_free(ht_refine_vessel *vessel) {
  ht_mask_free(&vessel->cells);
  free(vessel->depth), free(vessel->of), free(vessel->section);
  memset(vessel, 0, sizeof *vessel);
}

/* ---- an estimate ---- */

/* Adds what a section takes, by its layers at the wall, each half a block thicker than needed,
 * because levels change at whole blocks. */
static void add_section(const ht_refine_rules *rules, const ht_refine_section *section,
                        ht_refine_cost *cost) {
  ht_fine_reason why;
  double inside = 0; /* of the area, by levels that are coarser */
  for (int level = ht_refine_section_level(rules, section, &why); level >= 0; level--) {
    double layer_mm = ht_refine_layer_mm(rules, section, level);
    if (layer_mm > 0) layer_mm += 4 * ldexp(rules->spacing_mm, level - 1);
    const double core = fmax(0, 1 - 2 * layer_mm / fmax(section->diameter_mm, 1e-9));
    const double cells = fmax(0, core * core - inside) * (double)section->cells;
    cost->updates += cells * ht_refine_work(level);
    cost->nodes += cells * ldexp(1, -3 * level);
    inside = fmax(inside, core * core);
  }
}

ht_refine_cost ht_refine_cost_at(const ht_refine_vessel *vessel, const ht_refine_rules *rules) {
  const ht_refine_cost one = {1, 1};
  ht_refine_cost cost = {0, 0};
  double cells = 0;
  for (int e = 0; e < vessel->ends; e++) {
    const int level = ht_refine_end_level(rules, &vessel->end[e]);
    cost.updates += vessel->end[e].cells * ht_refine_work(level);
    cost.nodes += vessel->end[e].cells * ldexp(1, -3 * level);
    cells += vessel->end[e].cells;
  }
  for (int s = 0; s < vessel->sections; s++) {
    add_section(rules, &vessel->section[s], &cost);
    cells += (double)vessel->section[s].cells;
  }
  cost.updates *= HT_REFINE_OVERHEAD / fmax(1, cells);
  cost.nodes *= HT_REFINE_OVERHEAD / fmax(1, cells);
  return rules->most > 0 && cells > 0 && cost.updates <= HT_REFINE_PAYS ? cost : one;
}
