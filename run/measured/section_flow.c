#include "run/measured/section_flow.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

static const double BEYOND =
    1.5; /* voxels around the vessel, to look for flow beyond its outline */
static const double MARGIN = 0.5;        /* voxels around the vessel that may hold blood of it */
static const double REACH = 2.5;         /* of the weight to both sides of a plane, in voxels */
static const double OUTSIDE_MOST = 0.02; /* part of a section that may lie outside the images */
static const double ALONG_LEAST = 0.94;  /* cosine of 20 degrees: of a direction to the normal */

/* What is summed: voxels around the section, and the plane. */
typedef struct {
  const ht_measured_flow *flow;
  const ht_vessel_cut *cut;
  int section;
  double normal[3];
  double margin;   /* voxels around the vessel that count */
  double voxel_mm; /* in the plane; of a volume the mean of the three sides */
  double reach_mm; /* of the weight along the normal; 0: a plane */
  uint8_t *inside; /* [voxels] */
  float *weight;   /* [voxels] share of blood, then mm2 */
} sum;

static int is_plane(const ht_measured_flow *flow) {
  return flow->grid.dim[2] == 1;
}

static void set_plane(sum *s) {
  s->margin = MARGIN;
  const ht_grid *grid = &s->flow->grid;
  const double *mm = grid->spacing_mm;
  double along[3];
  for (int r = 0; r < 3; r++) s->normal[r] = s->cut->grid.direction[r][2];
  s->voxel_mm = is_plane(s->flow) ? sqrt(mm[0] * mm[1]) : cbrt(mm[0] * mm[1] * mm[2]);
  if (is_plane(s->flow)) return;
  ht_grid_from_lps(grid, s->normal, along);
  for (int a = 0; a < 3; a++) s->reach_mm += REACH * fabs(along[a]) * mm[a];
}

static double height_mm(const sum *s, const double place_mm[3]) {
  double index[3];
  ht_grid_index(&s->cut->grid, place_mm, index);
  return index[2] * s->cut->grid.spacing_mm[2];
}

static int is_vessel(const ht_mask *mask, const double at[3], const double step[3], double mm) {
  double place[3], index[3];
  int voxel[3];
  for (int r = 0; r < 3; r++) place[r] = at[r] + mm * step[r];
  ht_grid_index(&mask->grid, place, index);
  for (int a = 0; a < 3; a++) voxel[a] = (int)floor(index[a] + 0.5);
  return ht_voxel_in_grid(mask->grid.dim, voxel) &&
         mask->inside[ht_voxel_index(mask->grid.dim, voxel)] != 0;
}

/* Counts the directions in which a place at this distance from another lies in the vessel. */
static int count_vessel(const sum *s, const double at[3], double mm, int *directions) {
  int count = 0;
  *directions = 0;
  for (int n = 0; n < 27; n++) {
    double step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    /* Of a plane, only steps in it: along the normal its slice has a thickness. */
    if (is_plane(s->flow)) {
      const double off = ht_dot(step, s->normal);
      for (int r = 0; r < 3; r++) step[r] -= off * s->normal[r];
    }
    if (!ht_normalise(step)) continue;
    ++*directions;
    count += is_vessel(s->cut->mask, at, step, mm);
  }
  return count;
}

/* Finds whether a place lies in the vessel or at the margin around it (1), or so deep in it that
 * its voxel is all blood (2). */
static int depth(const sum *s, const double at[3]) {
  int all;
  if (!is_vessel(s->cut->mask, at, s->normal, 0))
    return count_vessel(s, at, s->margin * s->voxel_mm, &all) > 0;
  return 1 + (count_vessel(s, at, s->voxel_mm, &all) == all);
}

/* Finds whether a voxel may hold blood of the section's vessel (1), or is all blood (2): of a plane
 * anywhere, or everywhere, in its slice. */
static int holds_blood(const sum *s, const double at[3], double height) {
  enum { LAYERS = 5 };
  const double thick = is_plane(s->flow) ? s->flow->grid.spacing_mm[2] : 0;
  const double reach = (s->margin + 0.5) * s->voxel_mm + 0.5 * thick + 0.6 * fabs(height);
  int most = 0, least = 2;
  for (int k = 0; k < (thick > 0 ? LAYERS : 1); k++) {
    double place[3];
    const double off = thick > 0 ? (k - 0.5 * (LAYERS - 1)) / LAYERS * thick : 0;
    for (int r = 0; r < 3; r++) place[r] = at[r] + off * s->normal[r];
    const int one = depth(s, place);
    most = one > most ? one : most;
    least = one < least ? one : least;
  }
  if (most == 0 || ht_vessel_cut_nearest(s->cut, at, reach, NULL) != s->section) return 0;
  return least > 1 ? 2 : 1;
}

/* Marks the voxels that hold blood, one layer more than the weight reaches: a voxel amid others
 * tells the magnitude of blood. */
static void mark(const sum *s) {
  const ht_grid *grid = &s->flow->grid;
  const ht_cut_section *section = &s->cut->section[s->section];
  const double thickest =
      is_plane(s->flow) ? 0.5 * grid->spacing_mm[2] : s->reach_mm * (1 + 1 / REACH);
  /* A section is at most so long that it is a tenth as wide. */
  const double farthest = 10 * sqrt(section->area_mm2 / HT_PI) + thickest + 2 * s->voxel_mm;
  double at[3];
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    ht_grid_voxel_position(grid, v, at);
    const double height = height_mm(s, at);
    if (fabs(height) < thickest && ht_distance(at, section->centre_mm) < farthest)
      s->inside[v] = (uint8_t)holds_blood(s, at, height);
  }
}

/* Turns shares of blood into areas. */
static void weigh(const sum *s) {
  const ht_grid *grid = &s->flow->grid;
  const double *mm = grid->spacing_mm;
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    double at[3], area = mm[0] * mm[1];
    if (!(s->weight[v] > 0)) continue;
    ht_grid_voxel_position(grid, v, at);
    const double height = height_mm(s, at);
    if (s->reach_mm > 0)
      area = fabs(height) < s->reach_mm
                 ? area * mm[2] * (1 + cos(HT_PI * height / s->reach_mm)) / (2 * s->reach_mm)
                 : 0;
    s->weight[v] *= (float)area;
  }
}

/* Adds up the flow at each time; returns the mean over the times. */
static double add_up(const sum *s, int times, double *flow_ml_s) {
  double v[3], mean = 0;
  memset(flow_ml_s, 0, (size_t)times * sizeof *flow_ml_s);
  for (int64_t voxel = 0; voxel < ht_grid_voxels(&s->flow->grid); voxel++) {
    if (!(s->weight[voxel] > 0)) continue;
    for (int t = 0; t < times; t++) {
      ht_measured_velocity(s->flow, t, voxel, v);
      flow_ml_s[t] += s->weight[voxel] * ht_dot(v, s->normal); /* m/s mm2 is mL/s */
    }
  }
  for (int t = 0; t < times; t++) mean += flow_ml_s[t] / times;
  return mean;
}

/* ---- What cannot be measured ---- */

static int is_in_images(const ht_grid *grid, const double place_mm[3], int axes) {
  double index[3];
  ht_grid_index(grid, place_mm, index);
  for (int a = 0; a < axes; a++)
    if (index[a] < -0.5 || index[a] > grid->dim[a] - 0.5) return 0;
  return 1;
}

/* Returns the part of a section that lies outside the images, with the weight's reach. */
static double part_outside(const ht_measured_flow *flow, const ht_vessel_cut *cut, int section,
                           double reach_mm) {
  const int axes = is_plane(flow) ? 2 : 3;
  int64_t out = 0, all = 0;
  for (int64_t p = 0; p < ht_grid_voxels(&cut->grid); p++) {
    double at[3], place[3];
    int in = 1;
    if (cut->label[p] != section + 1) continue;
    ht_grid_voxel_position(&cut->grid, p, at);
    for (int side = -1; side <= 1; side += 2) {
      for (int r = 0; r < 3; r++) place[r] = at[r] + side * reach_mm * cut->grid.direction[r][2];
      in &= is_in_images(&flow->grid, place, axes);
    }
    out += !in;
    all++;
  }
  return all ? (double)out / (double)all : 1;
}

static ht_status check(const sum *s, const ht_section_flow *made) {
  const ht_measured_flow *flow = s->flow;
  if (flow->encodings == 1 && fabs(ht_dot(flow->encoding[0].direction, s->normal)) < ALONG_LEAST)
    return ht_fail(HT_ERR_CASE,
                   "one direction is measured, %.0f degrees from the normal of the section, and "
                   "the flow through it needs that across it, or all three",
                   acos(fabs(ht_dot(flow->encoding[0].direction, s->normal))) * 180 / HT_PI);
  if (made->outside > OUTSIDE_MOST)
    return ht_fail(HT_ERR_CASE, "%.0f %% of the vessel's section lie outside the measured images",
                   100 * made->outside);
  if (made->across < HT_SECTION_FEWEST_ACROSS)
    return ht_fail(HT_ERR_CASE,
                   "the vessel is %.1f voxels of the measured images wide at the section, and its "
                   "flow needs at least %d",
                   made->across, HT_SECTION_FEWEST_ACROSS);
  return HT_OK;
}

/* ---- All of it ---- */

/* Finds the share of blood of each voxel. */
static ht_status find_share(sum *s) {
  const size_t voxels = (size_t)ht_grid_voxels(&s->flow->grid);
  HT_TRY(ht_alloc((void **)&s->inside, voxels, 1, "the measured section"));
  HT_TRY(ht_alloc((void **)&s->weight, voxels, sizeof *s->weight, "the measured section"));
  mark(s);
  ht_measured_share(s->flow, s->inside, s->weight);
  return HT_OK;
}

ht_status ht_section_share(const ht_measured_flow *flow, const ht_vessel_cut *cut, int section,
                           float **share) {
  sum s = {.flow = flow, .cut = cut, .section = section};
  set_plane(&s);
  const ht_status status = find_share(&s);
  free(s.inside);
  if (status != HT_OK) free(s.weight);
  *share = status == HT_OK ? s.weight : NULL;
  return status;
}

/* Finds the mean flow in the ring around the voxels that count. */
static ht_status look_beyond(sum *s, ht_section_flow *made) {
  double *flow_ml_s;
  free(s->inside);
  free(s->weight);
  s->inside = NULL;
  s->weight = NULL;
  s->margin = BEYOND;
  HT_TRY(ht_alloc((void **)&flow_ml_s, (size_t)made->times, sizeof *flow_ml_s, "the flow"));
  const ht_status status = find_share(s);
  if (status == HT_OK) {
    weigh(s);
    made->beyond_ml_s = add_up(s, made->times, flow_ml_s) - made->mean_ml_s;
  }
  free(flow_ml_s);
  return status;
}

static ht_status measure(sum *s, ht_section_flow *made) {
  const double area = s->cut->section[s->section].area_mm2;
  set_plane(s);
  made->across = 2 * sqrt(area / HT_PI) / s->voxel_mm;
  made->outside = part_outside(s->flow, s->cut, s->section, s->reach_mm);
  HT_TRY(check(s, made));
  HT_TRY(ht_alloc((void **)&made->flow_ml_s, (size_t)made->times, sizeof *made->flow_ml_s,
                  "the measured flow"));
  HT_TRY(find_share(s));
  weigh(s);
  made->mean_ml_s = add_up(s, made->times, made->flow_ml_s);
  return look_beyond(s, made);
}

ht_status ht_section_flow_measure(const ht_measured_flow *flow, const ht_vessel_cut *cut,
                                  int section, ht_section_flow *made) {
  sum s = {.flow = flow, .cut = cut, .section = section};
  *made = (ht_section_flow){.times = flow->times};
  ht_status status = measure(&s, made);
  free(s.inside);
  free(s.weight);
  if (status != HT_OK) ht_section_flow_free(made);
  return status;
}

void ht_section_flow_free(ht_section_flow *made) {
  if (!made) return;
  free(made->flow_ml_s);
  memset(made, 0, sizeof *made);
}

/* ---- The plane of a slice ---- */

/* Returns the distance of the vessel from the middle plane of a slice, as far as its pixels reach,
 * mm. */
static double distance_mm(const ht_grid *slice, const ht_mask *mask) {
  double nearest = INFINITY, at[3], index[3];
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double square = 0;
    if (!mask->inside[v]) continue;
    ht_grid_voxel_position(&mask->grid, v, at);
    ht_grid_index(slice, at, index);
    for (int a = 0; a < 3; a++) {
      const double off =
          a == 2 ? fabs(index[a]) : fmax(-0.5 - index[a], index[a] - (slice->dim[a] - 0.5));
      square += pow(fmax(0, off) * slice->spacing_mm[a], 2);
    }
    nearest = fmin(nearest, square);
  }
  return sqrt(nearest);
}

/* Takes sections that no pixel of the slice covers out of the cut. */
static void drop_unseen(const ht_measured_flow *flow, ht_vessel_cut *cut) {
  int kept = 0;
  for (int s = 0; s < cut->sections; s++) {
    const int seen = part_outside(flow, cut, s, 0) < 1;
    for (int64_t p = 0; p < ht_grid_voxels(&cut->grid); p++)
      if (cut->label[p] == s + 1) cut->label[p] = (uint8_t)(seen ? kept + 1 : 0);
    if (seen) cut->section[kept++] = cut->section[s];
  }
  cut->sections = kept;
}

ht_status ht_measured_plane_cut(const ht_measured_flow *flow, const ht_mask *mask,
                                ht_vessel_cut *cut) {
  const ht_grid *grid = &flow->grid;
  double middle[3];
  const double index[3] = {0.5 * (grid->dim[0] - 1), 0.5 * (grid->dim[1] - 1), 0};
  const double normal[3] = {grid->direction[0][2], grid->direction[1][2], grid->direction[2][2]};
  ht_grid_position(grid, index, middle);
  HT_TRY(ht_vessel_cut_make(mask, middle, normal, cut));
  drop_unseen(flow, cut);
  if (cut->sections > 0) return HT_OK;
  ht_vessel_cut_free(cut);
  return ht_fail(HT_ERR_CASE, "the measured slice misses the vessel: they are %.1f mm apart",
                 distance_mm(grid, mask));
}
