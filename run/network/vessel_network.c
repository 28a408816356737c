#include "run/network/vessel_network.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "run/openings/place_outlets.h"
#include "segment/openings/front_tree.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A throat with more of the area after it is no narrowing; Young & Tsai's factor of its loss. */
static const double narrow = 0.75, loss_factor = 1.52;

typedef struct {
  const ht_openings *openings;
  const double *diameters; /* [openings] length of each flow extension */
  const ht_network_blood *blood;
  ht_front_tree tree;
  int *front;   /* [openings] front of each opening; -1: a wall. Owned, as are the others */
  int *ends;    /* [fronts] elements that begin at it: marked fronts and openings there */
  int *element; /* [fronts] its element; -1: it leads to no opening */
} builder;

/* Marks the fronts between an opening and the main inlet. */
static void mark_way(int front, const ht_front_tree *tree, builder *of) {
  of->ends[front]++;
  while (of->element[front] < 0) {
    of->element[front] = 0;
    front = tree->item[front].before;
    if (front < 0) return;
    of->ends[front]++;
  }
}

/* Returns the area of a front, m2. */
static double area_of(const builder *of, const ht_front *one) {
  const ht_opening *near = NULL;
  double at[3], least = INFINITY;
  ht_front_centre_mm(&of->tree, one, at);
  for (int i = 0; i < of->openings->count; i++) {
    const ht_opening *opening = &of->openings->item[i];
    const double away = ht_distance(at, opening->centre_mm);
    if (opening->role == HT_ROLE_WALL || ht_front_is_whole(&of->tree, one, opening)) continue;
    if (away < least) least = away, near = opening;
  }
  const double radius_m = 1e-3 * (near ? near->radius_mm : ht_front_radius_mm(&of->tree, one));
  return HT_PI * radius_m * radius_m;
}

static void add_front(const builder *of, int front, ht_network_element *element) {
  const double area = area_of(of, &of->tree.item[front]);
  const double length = 1e-3 * HT_BAND_VOXELS * of->tree.geodesic.mask->grid.spacing_mm[0];
  element->friction_pa_s_m3 += 8 * HT_PI * of->blood->viscosity_pa_s * length / (area * area);
  element->inertance_pa_s2_m3 += of->blood->density_kg_m3 * length / area;
}

static double dynamic_of(const builder *of, const ht_opening *opening) {
  const double area = 1e-6 * HT_PI * opening->radius_mm * opening->radius_mm;
  return 0.5 * of->blood->density_kg_m3 / (area * area);
}

/* Density times length over area. */
static double extension_inertance(const builder *of, int i) {
  const double radius_m = 1e-3 * of->openings->item[i].radius_mm;
  return of->blood->density_kg_m3 * of->diameters[i] * 2 / (HT_PI * radius_m);
}

/* Puts the openings of a front to the end of its element, or of one of its own each. 0: no room. */
static int end_at(const builder *of, int front, ht_network *network, int *outlet) {
  const int own = of->element[front];
  for (int i = 0; i < of->openings->count; i++) {
    const ht_opening *opening = &of->openings->item[i];
    if (of->front[i] != front) continue;
    int at = own;
    if (of->ends[front] > 1) {
      if (network->elements == HT_NETWORK_MAX) return 0;
      at = network->elements++;
      network->element[at] = (ht_network_element){.before = own};
    }
    if (opening->role == HT_ROLE_INLET) {
      network->element[at].source_share = opening->flow_ml_s / ht_place_inflow_ml_s(of->openings);
    } else {
      network->element[at].is_outlet = 1;
      network->element[at].loss_pa_s2_m6 += dynamic_of(of, opening);
      network->element[at].inertance_pa_s2_m3 += extension_inertance(of, i);
      outlet[i] = at;
    }
  }
  return 1;
}

/* Makes the elements in the order of the fronts, of which the nearer ones come first. 0: no room.
 */
static int make_elements(builder *of, ht_network *network, int *outlet) {
  for (int f = 0; f < of->tree.count; f++) {
    const int before = of->tree.item[f].before;
    if (of->element[f] < 0) continue;
    if (before < 0 || of->ends[before] > 1) {
      if (network->elements == HT_NETWORK_MAX) return 0;
      of->element[f] = network->elements++;
      network->element[of->element[f]].before = before < 0 ? -1 : of->element[before];
    } else {
      of->element[f] = of->element[before];
    }
    add_front(of, f, &network->element[of->element[f]]);
    if (!end_at(of, f, network, outlet)) return 0;
  }
  return 1;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Adds the loss behind the throat: A1 is the median area of the fronts after it in its element. */
static ht_status add_throat(const builder *of, const ht_throat *throat, ht_network *network) {
  const int at = throat->area_mm2 > 0 ? ht_front_at(&of->tree, throat->centre_mm) : -1;
  double *area;
  int count = 0;
  if (at < 0 || of->element[at] < 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&area, (size_t)of->tree.count, sizeof *area, "a vessel's network"));
  for (int f = at; f < of->tree.count; f++)
    if (of->element[f] == of->element[at]) area[count++] = area_of(of, &of->tree.item[f]);
  qsort(area, (size_t)count, sizeof *area, by_value);
  const double after = area[count / 2], least = 1e-6 * throat->area_mm2;
  free(area);
  if (least > narrow * after) return HT_OK;
  network->element[of->element[at]].loss_pa_s2_m6 +=
      loss_factor * 0.5 * of->blood->density_kg_m3 * pow(1 / least - 1 / after, 2);
  return HT_OK;
}

/* Finds the fronts of the openings, and marks the ways to them. 0: one is not reached. */
static int find_ends(builder *of) {
  const ht_opening *inlet = ht_openings_main_inlet(of->openings);
  for (int f = 0; f < of->tree.count; f++) of->element[f] = -1;
  for (int i = 0; i < of->openings->count; i++) {
    const ht_opening *one = &of->openings->item[i];
    of->front[i] = -1;
    if (one == inlet || (one->role != HT_ROLE_INLET && one->role != HT_ROLE_OUTLET)) continue;
    of->front[i] = ht_front_at(&of->tree, one->centre_mm);
    if (of->front[i] < 0) return 0;
    mark_way(of->front[i], &of->tree, of);
  }
  return 1;
}

static ht_status build(builder *of, const ht_throat *throat, ht_network *network, int *outlet) {
  const size_t fronts = (size_t)of->tree.count, openings = (size_t)of->openings->count;
  HT_TRY(ht_alloc((void **)&of->front, openings, sizeof *of->front, "a vessel's network"));
  HT_TRY(ht_alloc((void **)&of->ends, fronts, sizeof *of->ends, "a vessel's network"));
  HT_TRY(ht_alloc((void **)&of->element, fronts, sizeof *of->element, "a vessel's network"));
  if (!find_ends(of) || !make_elements(of, network, outlet)) {
    network->elements = 0;
    return HT_OK;
  }
  network->inlet_pa_s2_m6 = dynamic_of(of, ht_openings_main_inlet(of->openings));
  return add_throat(of, throat, network);
}

ht_status ht_vessel_network_make(const ht_mask *mask, const ht_openings *openings,
                                 const ht_throat *throat, const double *extension_diameters,
                                 const ht_network_blood *blood, ht_network *network, int *outlet) {
  builder of = {.openings = openings, .diameters = extension_diameters, .blood = blood};
  double outflow_ml_s[HT_OPENINGS_MAX] = {0};
  memset(network, 0, sizeof *network);
  for (int i = 0; i < openings->count; i++) outlet[i] = -1;
  ht_status status = ht_front_tree_make(mask, openings, outflow_ml_s, &of.tree);
  if (status == HT_OK && of.tree.count > 0) status = build(&of, throat, network, outlet);
  ht_front_tree_free(&of.tree);
  free(of.front), free(of.ends), free(of.element);
  if (status != HT_OK) memset(network, 0, sizeof *network);
  return status;
}
