#include "segment/openings/front_tree.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { BAND = HT_BAND_VOXELS * HT_STEP_FACE, HALF_MOST = 8 }; /* fronts for a direction */

/* Radii of an opening within which a front is not whole. */
static const double whole_radii = 1.25;

static int band_of(const ht_front_tree *tree, int64_t i) {
  return tree->geodesic.distance_of[i] / BAND;
}

void ht_front_tree_free(ht_front_tree *tree) {
  ht_geodesic_free(&tree->geodesic);
  free(tree->of), free(tree->item), free(tree->joint);
}

/* ---- fronts ---- */

static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Voxels of one front that touch are one. */
static void join(ht_front_tree *tree) {
  const ht_geodesic *g = &tree->geodesic;
  for (int64_t i = 0; i < g->reached.count; i++) {
    int64_t next[26];
    int neighbours = ht_vessel_neighbours(g->mask, g->reached.item[i], next, NULL);
    tree->of[i] = (int32_t)i;
    for (int k = 0; k < neighbours; k++) {
      int32_t there = g->place[next[k]];
      if (there < 0 || there >= i || band_of(tree, there) != band_of(tree, i)) continue;
      tree->of[root_of(tree->of, there)] = root_of(tree->of, (int32_t)i);
    }
  }
}

/* Replaces the number of a piece's first voxel by that of its front: nearer fronts come first. */
static ht_status number_pieces(ht_front_tree *tree) {
  int64_t voxels = tree->geodesic.reached.count;
  for (int64_t i = 0; i < voxels; i++) tree->of[i] = root_of(tree->of, (int32_t)i);
  for (int64_t i = 0; i < voxels; i++) tree->count += tree->of[i] == i;
  HT_TRY(
      ht_alloc((void **)&tree->item, (size_t)tree->count, sizeof *tree->item, "a vessel's fronts"));
  tree->count = 0;
  int32_t *number;
  HT_TRY(ht_alloc((void **)&number, (size_t)voxels, sizeof *number, "a vessel's fronts"));
  for (int64_t i = 0; i < voxels; i++)
    if (tree->of[i] == i) {
      tree->item[tree->count] = (ht_front){.band = band_of(tree, i), .before = -1, .behind = -1};
      number[i] = tree->count++;
    }
  for (int64_t i = 0; i < voxels; i++) tree->of[i] = number[tree->of[i]];
  free(number);
  return HT_OK;
}

static void measure_pieces(ht_front_tree *tree) {
  const ht_geodesic *g = &tree->geodesic;
  for (int64_t i = 0; i < g->reached.count; i++) {
    int at[3];
    ht_front *one = &tree->item[tree->of[i]];
    ht_voxel_place(g->mask->grid.dim, g->reached.item[i], at);
    for (int a = 0; a < 3; a++) one->centre[a] += at[a];
    one->voxels++;
  }
  for (int p = 0; p < tree->count; p++)
    for (int a = 0; a < 3; a++) tree->item[p].centre[a] /= (double)tree->item[p].voxels;
}

/* ---- joints ---- */

static ht_status count_contact(ht_front_tree *tree, int near, int far) {
  /* A front's voxels come one after another, as do those of a band: recent joints are likely. */
  for (int j = tree->joints - 1; j >= 0 && j >= tree->joints - 64; j--)
    if (tree->joint[j].near == near && tree->joint[j].far == far) {
      tree->joint[j].contact++;
      return HT_OK;
    }
  if (tree->joints == tree->room) {
    int room = 2 * tree->room + 256;
    ht_front_joint *larger = realloc(tree->joint, (size_t)room * sizeof *larger);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for a vessel's fronts");
    tree->joint = larger;
    tree->room = room;
  }
  tree->joint[tree->joints++] = (ht_front_joint){near, far, 1};
  return HT_OK;
}

static ht_status find_joints(ht_front_tree *tree) {
  const ht_geodesic *g = &tree->geodesic;
  for (int64_t i = 0; i < g->reached.count; i++) {
    int64_t next[26];
    int neighbours = ht_vessel_neighbours(g->mask, g->reached.item[i], next, NULL);
    for (int k = 0; k < neighbours; k++) {
      int32_t there = g->place[next[k]];
      if (there < 0 || band_of(tree, there) != band_of(tree, i) - 1) continue;
      HT_TRY(count_contact(tree, tree->of[there], tree->of[i]));
    }
  }
  return HT_OK;
}

/* ---- flow ---- */

/* Finds the front before each, and its contact with all fronts before it. */
static void find_before(ht_front_tree *tree, int64_t *total, int64_t *most) {
  for (int j = 0; j < tree->joints; j++) {
    const ht_front_joint *one = &tree->joint[j];
    total[one->far] += one->contact;
    if (one->contact <= most[one->far]) continue;
    most[one->far] = one->contact;
    tree->item[one->far].before = one->near;
  }
}

/* Passes the flows from the far ends back to the inlet. Joints are in the order of the far
 * fronts. */
static ht_status pass_on(ht_front_tree *tree) {
  int64_t *total;
  double *largest;
  HT_TRY(ht_alloc((void **)&total, 2 * (size_t)tree->count, sizeof *total, "a vessel's fronts"));
  ht_status status =
      ht_alloc((void **)&largest, (size_t)tree->count, sizeof *largest, "a vessel's fronts");
  if (status == HT_OK) find_before(tree, total, total + tree->count);
  for (int j = tree->joints - 1; status == HT_OK && j >= 0; j--) {
    const ht_front_joint *one = &tree->joint[j];
    double flow = tree->item[one->far].flow_ml_s * (double)one->contact / (double)total[one->far];
    tree->item[one->near].flow_ml_s += flow;
    if (fabs(flow) < largest[one->near]) continue;
    largest[one->near] = fabs(flow);
    tree->item[one->near].behind = one->far;
  }
  free(total), free(largest);
  return status;
}

static int by_front(const void *a, const void *b) {
  const ht_front_joint *x = a, *y = b;
  return (x->far > y->far) - (x->far < y->far);
}

static ht_status make_fronts(const ht_mask *mask, int64_t inlet, ht_front_tree *tree) {
  HT_TRY(ht_geodesic_make(mask, &tree->geodesic));
  HT_TRY(ht_geodesic_from(&tree->geodesic, inlet, -1));
  size_t voxels = (size_t)tree->geodesic.reached.count;
  HT_TRY(ht_alloc((void **)&tree->of, voxels, sizeof *tree->of, "a vessel's fronts"));
  join(tree);
  HT_TRY(number_pieces(tree));
  measure_pieces(tree);
  HT_TRY(find_joints(tree));
  if (tree->joints > 0) qsort(tree->joint, (size_t)tree->joints, sizeof *tree->joint, by_front);
  return HT_OK;
}

ht_status ht_front_tree_from(const ht_mask *mask, int64_t voxel, ht_front_tree *tree) {
  memset(tree, 0, sizeof *tree);
  HT_TRY(make_fronts(mask, voxel, tree));
  return pass_on(tree);
}

/* ---- the inlet and the flows ---- */

double ht_opening_flow(const ht_openings *openings, const double *outflow_ml_s, int i) {
  const ht_opening *one = &openings->item[i];
  if (one->role == HT_ROLE_INLET) return one->flow_ml_s;
  return one->role == HT_ROLE_OUTLET ? outflow_ml_s[i] : 0;
}

int ht_front_at(const ht_front_tree *tree, const double position_mm[3]) {
  int64_t voxel = ht_mask_nearest(tree->geodesic.mask, position_mm, NULL);
  int32_t place = voxel >= 0 ? tree->geodesic.place[voxel] : -1;
  return place >= 0 ? tree->of[place] : -1;
}

/* Gives the front at each opening the flow that leaves there. */
static void leave(ht_front_tree *tree, const ht_openings *openings, const double *outflow_ml_s) {
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    double out = ht_opening_flow(openings, outflow_ml_s, i) * (one->role == HT_ROLE_INLET ? -1 : 1);
    int front = one != inlet && out != 0 ? ht_front_at(tree, one->centre_mm) : -1;
    if (front >= 0) tree->item[front].flow_ml_s += out;
  }
}

ht_status ht_front_tree_make(const ht_mask *mask, const ht_openings *openings,
                             const double *outflow_ml_s, ht_front_tree *tree) {
  memset(tree, 0, sizeof *tree);
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  int64_t start = inlet ? ht_mask_nearest(mask, inlet->centre_mm, NULL) : -1;
  if (start < 0) return HT_OK;
  HT_TRY(make_fronts(mask, start, tree));
  leave(tree, openings, outflow_ml_s);
  return pass_on(tree);
}

/* ---- measures ---- */

static double spacing(const ht_front_tree *tree) {
  return tree->geodesic.mask->grid.spacing_mm[0];
}

double ht_front_radius_mm(const ht_front_tree *tree, const ht_front *one) {
  return spacing(tree) * sqrt((double)one->voxels / HT_BAND_VOXELS / HT_PI);
}

double ht_front_distance_mm(const ht_front_tree *tree, int from, int to) {
  int at = to;
  while (at >= 0 && at != from) at = tree->item[at].before;
  if (at < 0 || from < 0) return 0;
  double bands = tree->item[to].band - tree->item[from].band;
  return bands * HT_BAND_VOXELS * spacing(tree);
}

void ht_front_centre_mm(const ht_front_tree *tree, const ht_front *one, double centre_mm[3]) {
  ht_grid_position(&tree->geodesic.mask->grid, one->centre, centre_mm);
}

int ht_front_whole_at(const ht_mask *mask, const double centre_mm[3], const ht_opening *opening) {
  double reach_mm = fmax(whole_radii * opening->radius_mm, ht_opening_overhang_mm(opening)) +
                    2 * mask->grid.spacing_mm[0];
  return ht_distance(centre_mm, opening->centre_mm) >= reach_mm;
}

int ht_front_is_whole(const ht_front_tree *tree, const ht_front *one, const ht_opening *opening) {
  double at[3];
  ht_front_centre_mm(tree, one, at);
  return ht_front_whole_at(tree->geodesic.mask, at, opening);
}

int ht_front_direction(const ht_front_tree *tree, int p, double direction[3]) {
  int from = p, to = p;
  double radius = ht_front_radius_mm(tree, &tree->item[p]) / spacing(tree);
  int fronts_away = (int)fmin(HALF_MOST, fmax(1, radius / 2));
  double a[3], b[3];
  for (int k = 0; k < fronts_away && tree->item[from].before >= 0; k++)
    from = tree->item[from].before;
  for (int k = 0; k < fronts_away && tree->item[to].behind >= 0; k++) to = tree->item[to].behind;
  ht_grid_position(&tree->geodesic.mask->grid, tree->item[from].centre, a);
  ht_grid_position(&tree->geodesic.mask->grid, tree->item[to].centre, b);
  for (int r = 0; r < 3; r++) direction[r] = b[r] - a[r];
  return ht_normalise(direction);
}
