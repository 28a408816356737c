#include "throat.h"
#include "axis.h"
#include "geodesic.h"
#include "units.h"
#include "vector3.h"
#include <stdlib.h>
#include <string.h>

enum { BAND = 2 * HT_STEP_FACE, HALF_MOST = 8 }; /* thickness of a front; fronts for a direction */

/* A front's own area is true to some 20 per cent: only those that may be the fastest are measured
 * on a plane. Near an opening a front is not whole: the opening's own area counts there. */
static const double worth = 0.6, whole_radii = 1.25;

/* One connected piece of the voxels between two distances from the inlet. */
typedef struct {
  int band;
  int64_t voxels;
  double centre[3];   /* centroid, voxel index */
  double flow_ml_s;   /* through it, away from the inlet */
  int before, behind; /* pieces with the most contact and with the most flow; -1: none */
} piece;

/* Faces, edges and corners that two pieces share. */
typedef struct {
  int near, far; /* the one nearer to the inlet */
  int64_t contact;
} joint;

typedef struct {
  ht_geodesic geodesic;
  int32_t *of; /* [reached] the voxel's piece; owned, as are the others */
  piece *item;
  int count;
  joint *joint;
  int joints, room;
} fronts;

static int band_of(const fronts *f, int64_t i) {
  return f->geodesic.distance[f->geodesic.reached.item[i]] / BAND;
}

static void fronts_free(fronts *f) {
  ht_geodesic_free(&f->geodesic);
  free(f->of), free(f->item), free(f->joint);
}

static int64_t nearest_voxel(const ht_mask *mask, const double position_mm[3]) {
  double least = INFINITY, p[3];
  int64_t best = -1;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    if (!mask->inside[v]) continue;
    ht_grid_voxel_position(&mask->grid, v, p);
    double away = ht_distance(p, position_mm);
    if (away < least) least = away, best = v;
  }
  return best;
}

/* ---- pieces ---- */

static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Voxels of one front that touch are one piece. */
static void join(fronts *f) {
  const ht_geodesic *g = &f->geodesic;
  for (int64_t i = 0; i < g->reached.count; i++) {
    int64_t next[26];
    int neighbours = ht_vessel_neighbours(g->mask, g->reached.item[i], next, NULL);
    f->of[i] = (int32_t)i;
    for (int k = 0; k < neighbours; k++) {
      int32_t there = g->place[next[k]];
      if (there < 0 || there >= i || band_of(f, there) != band_of(f, i)) continue;
      f->of[root_of(f->of, there)] = root_of(f->of, (int32_t)i);
    }
  }
}

/* From the number of its first voxel to that of the piece: nearer fronts come first. */
static ht_status number_pieces(fronts *f) {
  int64_t voxels = f->geodesic.reached.count;
  for (int64_t i = 0; i < voxels; i++) f->of[i] = root_of(f->of, (int32_t)i);
  for (int64_t i = 0; i < voxels; i++) f->count += f->of[i] == i;
  HT_TRY(ht_alloc((void **)&f->item, (size_t)f->count, sizeof *f->item, "a vessel's fronts"));
  f->count = 0;
  int32_t *number;
  HT_TRY(ht_alloc((void **)&number, (size_t)voxels, sizeof *number, "a vessel's fronts"));
  for (int64_t i = 0; i < voxels; i++)
    if (f->of[i] == i) {
      f->item[f->count] = (piece){.band = band_of(f, i), .before = -1, .behind = -1};
      number[i] = f->count++;
    }
  for (int64_t i = 0; i < voxels; i++) f->of[i] = number[f->of[i]];
  free(number);
  return HT_OK;
}

static void measure_pieces(fronts *f) {
  const ht_geodesic *g = &f->geodesic;
  for (int64_t i = 0; i < g->reached.count; i++) {
    int at[3];
    piece *one = &f->item[f->of[i]];
    ht_voxel_place(g->mask->grid.dim, g->reached.item[i], at);
    for (int a = 0; a < 3; a++) one->centre[a] += at[a];
    one->voxels++;
  }
  for (int p = 0; p < f->count; p++)
    for (int a = 0; a < 3; a++) f->item[p].centre[a] /= (double)f->item[p].voxels;
}

/* ---- joints ---- */

static ht_status count_contact(fronts *f, int near, int far) {
  /* A piece's voxels come one after another, as do those of a band: recent joints are likely. */
  for (int j = f->joints - 1; j >= 0 && j >= f->joints - 64; j--)
    if (f->joint[j].near == near && f->joint[j].far == far) {
      f->joint[j].contact++;
      return HT_OK;
    }
  if (f->joints == f->room) {
    int room = 2 * f->room + 256;
    joint *larger = realloc(f->joint, (size_t)room * sizeof *larger);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for a vessel's fronts");
    f->joint = larger;
    f->room = room;
  }
  f->joint[f->joints++] = (joint){near, far, 1};
  return HT_OK;
}

static ht_status find_joints(fronts *f) {
  const ht_geodesic *g = &f->geodesic;
  for (int64_t i = 0; i < g->reached.count; i++) {
    int64_t next[26];
    int neighbours = ht_vessel_neighbours(g->mask, g->reached.item[i], next, NULL);
    for (int k = 0; k < neighbours; k++) {
      int32_t there = g->place[next[k]];
      if (there < 0 || band_of(f, there) != band_of(f, i) - 1) continue;
      HT_TRY(count_contact(f, f->of[there], f->of[i]));
    }
  }
  return HT_OK;
}

/* ---- flow ---- */

/* Of an opening, out of the vessel; the voxel is its place. */
static void leave(fronts *f, const ht_opening *opening, double flow_ml_s) {
  int64_t voxel = nearest_voxel(f->geodesic.mask, opening->centre_mm);
  int32_t place = voxel >= 0 ? f->geodesic.place[voxel] : -1;
  if (place >= 0) f->item[f->of[place]].flow_ml_s += flow_ml_s;
}

/* Which piece is before each, and how much contact there is with all before it. */
static void find_before(fronts *f, int64_t *total, int64_t *most) {
  for (int j = 0; j < f->joints; j++) {
    const joint *one = &f->joint[j];
    total[one->far] += one->contact;
    if (one->contact <= most[one->far]) continue;
    most[one->far] = one->contact;
    f->item[one->far].before = one->near;
  }
}

/* From the far ends back to the inlet. Joints are in the order of the far pieces' fronts. */
static ht_status pass_on(fronts *f) {
  int64_t *total;
  double *largest;
  HT_TRY(ht_alloc((void **)&total, 2 * (size_t)f->count, sizeof *total, "a vessel's fronts"));
  ht_status status =
      ht_alloc((void **)&largest, (size_t)f->count, sizeof *largest, "a vessel's fronts");
  if (status == HT_OK) find_before(f, total, total + f->count);
  for (int j = f->joints - 1; status == HT_OK && j >= 0; j--) {
    const joint *one = &f->joint[j];
    double flow = f->item[one->far].flow_ml_s * (double)one->contact / (double)total[one->far];
    f->item[one->near].flow_ml_s += flow;
    if (fabs(flow) < largest[one->near]) continue;
    largest[one->near] = fabs(flow);
    f->item[one->near].behind = one->far;
  }
  free(total), free(largest);
  return status;
}

static int by_front(const void *a, const void *b) {
  const joint *x = a, *y = b;
  return (x->far > y->far) - (x->far < y->far);
}

static ht_status make_fronts(const ht_mask *mask, int64_t inlet, fronts *f) {
  HT_TRY(ht_geodesic_make(mask, &f->geodesic));
  HT_TRY(ht_geodesic_from(&f->geodesic, inlet, -1));
  size_t voxels = (size_t)f->geodesic.reached.count;
  HT_TRY(ht_alloc((void **)&f->of, voxels, sizeof *f->of, "a vessel's fronts"));
  join(f);
  HT_TRY(number_pieces(f));
  measure_pieces(f);
  HT_TRY(find_joints(f));
  if (f->joints > 0) qsort(f->joint, (size_t)f->joints, sizeof *f->joint, by_front);
  return HT_OK;
}

/* ---- areas ---- */

static double spacing(const fronts *f) {
  return f->geodesic.mask->grid.spacing_mm[0];
}

static double front_radius_mm(const fronts *f, const piece *one) {
  double thickness = (double)BAND / HT_STEP_FACE;
  return spacing(f) * sqrt((double)one->voxels / thickness / HT_PI);
}

/* By the front's own area. */
static double rough_speed(const fronts *f, const piece *one) {
  double radius = front_radius_mm(f, one);
  return fabs(one->flow_ml_s) / (HT_PI * radius * radius);
}

static int is_whole(const fronts *f, const piece *one, const ht_openings *openings) {
  double at[3];
  ht_grid_position(&f->geodesic.mask->grid, one->centre, at);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *opening = &openings->item[i];
    if (opening->role == HT_ROLE_WALL) continue;
    double reach = whole_radii * opening->radius_mm + 2 * spacing(f);
    if (ht_distance(at, opening->centre_mm) < reach) return 0;
  }
  return 1;
}

/* Along the centreline, over about a radius to both sides. */
static int direction_at(const fronts *f, int p, double direction[3]) {
  int from = p, to = p;
  double radius = front_radius_mm(f, &f->item[p]) / spacing(f);
  int fronts_away = (int)fmin(HALF_MOST, fmax(1, radius / 2));
  double a[3], b[3];
  for (int k = 0; k < fronts_away && f->item[from].before >= 0; k++) from = f->item[from].before;
  for (int k = 0; k < fronts_away && f->item[to].behind >= 0; k++) to = f->item[to].behind;
  ht_grid_position(&f->geodesic.mask->grid, f->item[from].centre, a);
  ht_grid_position(&f->geodesic.mask->grid, f->item[to].centre, b);
  for (int r = 0; r < 3; r++) direction[r] = b[r] - a[r];
  return ht_normalise(direction);
}

/* The section across `axis`. */
static ht_status cross(const fronts *f, const ht_axis *axis, double flow_ml_s, ht_throat *here) {
  double radius_mm;
  *here = (ht_throat){.flow_ml_s = flow_ml_s};
  HT_TRY(ht_axis_section(f->geodesic.mask, axis, 0, &radius_mm, here->centre_mm));
  here->area_mm2 = HT_PI * radius_mm * radius_mm;
  if (here->area_mm2 > 0) here->speed_m_s = flow_ml_s / here->area_mm2;
  return HT_OK;
}

static ht_status section_at(const fronts *f, int p, ht_axis *axis, ht_throat *here) {
  const piece *one = &f->item[p];
  *axis = (ht_axis){.radius_mm = front_radius_mm(f, one) + spacing(f)};
  *here = (ht_throat){.speed_m_s = 0};
  ht_grid_position(&f->geodesic.mask->grid, one->centre, axis->centre_mm);
  if (!direction_at(f, p, axis->direction)) return HT_OK;
  return cross(f, axis, fabs(one->flow_ml_s), here);
}

/* The axis moved along itself, or turned. */
static ht_axis moved(const ht_axis *axis, int way, double angle, double step_mm) {
  ht_axis to = *axis;
  double across[2][3], sign = way % 2 ? -1 : 1;
  ht_span_across(axis->direction, across);
  for (int r = 0; r < 3; r++) {
    if (way < 2)
      to.centre_mm[r] += sign * step_mm * axis->direction[r];
    else
      to.direction[r] += sign * angle * across[way / 2 - 1][r];
  }
  ht_normalise(to.direction);
  return to;
}

/* The fastest section is the smallest around there: one across the vessel, in the throat itself. */
static ht_status tighten(const fronts *f, ht_axis *axis, ht_throat *throat) {
  enum { WAYS = 6, TRIES = 4 };
  const double least = 0.01; /* a gain below this is the pixels' */
  double angle = 0.2, step_mm = spacing(f);
  for (int halving = 0; halving < 3; halving++, angle /= 2, step_mm /= 2)
    for (int n = 0, gained = 1; n < TRIES && gained; n++) {
      gained = 0;
      for (int way = 0; way < WAYS; way++) {
        ht_throat there;
        ht_axis to = moved(axis, way, angle, step_mm);
        HT_TRY(cross(f, &to, throat->flow_ml_s, &there));
        if (!(there.speed_m_s > (1 + least) * throat->speed_m_s)) continue;
        *throat = there;
        *axis = to;
        gained = 1;
      }
    }
  return HT_OK;
}

static ht_status measure(const fronts *f, const ht_openings *openings, ht_throat *throat) {
  double fastest = throat->speed_m_s;
  ht_axis axis, best;
  int found = 0;
  for (int p = 0; p < f->count; p++)
    if (is_whole(f, &f->item[p], openings)) fastest = fmax(fastest, rough_speed(f, &f->item[p]));
  for (int p = 0; p < f->count; p++) {
    ht_throat here;
    if (!is_whole(f, &f->item[p], openings) || rough_speed(f, &f->item[p]) < worth * fastest)
      continue;
    HT_TRY(section_at(f, p, &axis, &here));
    if (!(here.speed_m_s > throat->speed_m_s)) continue;
    *throat = here;
    best = axis;
    found = 1;
  }
  return found ? tighten(f, &best, throat) : HT_OK;
}

/* ---- all of it ---- */

static double flow_of(const ht_openings *openings, const double *outflow_ml_s, int i) {
  const ht_opening *one = &openings->item[i];
  if (one->role == HT_ROLE_INLET) return one->flow_ml_s;
  return one->role == HT_ROLE_OUTLET ? outflow_ml_s[i] : 0;
}

static void look_at_openings(const ht_openings *openings, const double *outflow_ml_s,
                             ht_throat *throat) {
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    double area_mm2 = HT_PI * one->radius_mm * one->radius_mm;
    double flow_ml_s = flow_of(openings, outflow_ml_s, i);
    if (!(area_mm2 > 0) || flow_ml_s / area_mm2 <= throat->speed_m_s) continue;
    *throat = (ht_throat){flow_ml_s, area_mm2, flow_ml_s / area_mm2, {0, 0, 0}};
    memcpy(throat->centre_mm, one->centre_mm, sizeof throat->centre_mm);
  }
}

static const ht_opening *main_inlet(const ht_openings *openings) {
  const ht_opening *most = NULL;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_INLET || !(one->flow_ml_s > 0)) continue;
    if (!most || one->flow_ml_s > most->flow_ml_s) most = one;
  }
  return most;
}

ht_status ht_throat_find(const ht_mask *mask, const ht_openings *openings,
                         const double *outflow_ml_s, ht_throat *throat) {
  fronts f = {.count = 0};
  memset(throat, 0, sizeof *throat);
  const ht_opening *inlet = main_inlet(openings);
  int64_t start = inlet ? nearest_voxel(mask, inlet->centre_mm) : -1;
  if (start < 0) return HT_OK;
  look_at_openings(openings, outflow_ml_s, throat);
  ht_status status = make_fronts(mask, start, &f);
  for (int i = 0; i < openings->count && status == HT_OK; i++) {
    const ht_opening *one = &openings->item[i];
    double out = flow_of(openings, outflow_ml_s, i) * (one->role == HT_ROLE_INLET ? -1 : 1);
    if (one != inlet && out != 0) leave(&f, one, out);
  }
  if (status == HT_OK) status = pass_on(&f);
  if (status == HT_OK) status = measure(&f, openings, throat);
  fronts_free(&f);
  return status;
}
