#include "segment/openings/throat.h"
#include "segment/shape/axis.h"
#include "segment/openings/front_tree.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

/* A front's own area is accurate to some 20 per cent: only fronts that may be the fastest are
 * measured on a plane. Near an opening a front is not whole: the opening's own area counts
 * there. */
static const double worth = 0.6;

static double spacing(const ht_front_tree *tree) {
  return tree->geodesic.mask->grid.spacing_mm[0];
}

/* Mean speed over the front's own area. */
static double rough_speed(const ht_front_tree *tree, const ht_front *one) {
  double radius = ht_front_radius_mm(tree, one);
  return fabs(one->flow_ml_s) / (HT_PI * radius * radius);
}

static int is_whole(const ht_front_tree *tree, const ht_front *one, const ht_openings *openings) {
  for (int i = 0; i < openings->count; i++)
    if (openings->item[i].role != HT_ROLE_WALL && !ht_front_is_whole(tree, one, &openings->item[i]))
      return 0;
  return 1;
}

/* The section across `axis`. */
static ht_status cross(const ht_front_tree *tree, const ht_axis *axis, double flow_ml_s,
                       ht_throat *here) {
  double radius_mm;
  *here = (ht_throat){.flow_ml_s = flow_ml_s};
  HT_TRY(ht_axis_section(tree->geodesic.mask, axis, 0, &radius_mm, here->centre_mm));
  here->area_mm2 = HT_PI * radius_mm * radius_mm;
  if (here->area_mm2 > 0) here->speed_m_s = flow_ml_s / here->area_mm2;
  return HT_OK;
}

static ht_status section_at(const ht_front_tree *tree, int p, ht_axis *axis, ht_throat *here) {
  const ht_front *one = &tree->item[p];
  *axis = (ht_axis){.radius_mm = ht_front_radius_mm(tree, one) + spacing(tree)};
  *here = (ht_throat){.speed_m_s = 0};
  ht_front_centre_mm(tree, one, axis->centre_mm);
  if (!ht_front_direction(tree, p, axis->direction)) return HT_OK;
  return cross(tree, axis, fabs(one->flow_ml_s), here);
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
static ht_status tighten(const ht_front_tree *tree, ht_axis *axis, ht_throat *throat) {
  enum { WAYS = 6, TRIES = 4 };
  const double least = 0.01; /* a smaller gain comes from the pixels */
  double angle = 0.2, step_mm = spacing(tree);
  for (int halving = 0; halving < 3; halving++, angle /= 2, step_mm /= 2)
    for (int n = 0, gained = 1; n < TRIES && gained; n++) {
      gained = 0;
      for (int way = 0; way < WAYS; way++) {
        ht_throat there;
        ht_axis to = moved(axis, way, angle, step_mm);
        HT_TRY(cross(tree, &to, throat->flow_ml_s, &there));
        if (!(there.speed_m_s > (1 + least) * throat->speed_m_s)) continue;
        *throat = there;
        *axis = to;
        gained = 1;
      }
    }
  return HT_OK;
}

static ht_status measure(const ht_front_tree *tree, const ht_openings *openings,
                         ht_throat *throat) {
  double fastest = throat->speed_m_s;
  ht_axis axis, best;
  int found = 0;
  for (int p = 0; p < tree->count; p++)
    if (is_whole(tree, &tree->item[p], openings))
      fastest = fmax(fastest, rough_speed(tree, &tree->item[p]));
  for (int p = 0; p < tree->count; p++) {
    ht_throat here;
    if (!is_whole(tree, &tree->item[p], openings) ||
        rough_speed(tree, &tree->item[p]) < worth * fastest)
      continue;
    HT_TRY(section_at(tree, p, &axis, &here));
    if (!(here.speed_m_s > throat->speed_m_s)) continue;
    *throat = here;
    best = axis;
    found = 1;
  }
  return found ? tighten(tree, &best, throat) : HT_OK;
}

/* ---- all of it ---- */

static void look_at_openings(const ht_openings *openings, const double *outflow_ml_s,
                             ht_throat *throat) {
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    double area_mm2 = HT_PI * one->radius_mm * one->radius_mm;
    double flow_ml_s = ht_opening_flow(openings, outflow_ml_s, i);
    if (!(area_mm2 > 0) || flow_ml_s / area_mm2 <= throat->speed_m_s) continue;
    *throat = (ht_throat){
        .flow_ml_s = flow_ml_s, .area_mm2 = area_mm2, .speed_m_s = flow_ml_s / area_mm2};
    memcpy(throat->centre_mm, one->centre_mm, sizeof throat->centre_mm);
  }
}

static void measure_ways(const ht_front_tree *tree, const ht_openings *openings,
                         ht_throat *throat) {
  int from = ht_front_at(tree, throat->centre_mm);
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    if (one->role != HT_ROLE_OUTLET) continue;
    throat->to_outlet_mm[i] = ht_front_distance_mm(tree, from, ht_front_at(tree, one->centre_mm));
  }
}

ht_status ht_throat_find(const ht_mask *mask, const ht_openings *openings,
                         const double *outflow_ml_s, ht_throat *throat) {
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  ht_front_tree tree;
  memset(throat, 0, sizeof *throat);
  if (!inlet || !(inlet->flow_ml_s > 0)) return HT_OK;
  ht_status status = ht_front_tree_make(mask, openings, outflow_ml_s, &tree);
  if (status == HT_OK && tree.count > 0) {
    look_at_openings(openings, outflow_ml_s, throat);
    status = measure(&tree, openings, throat);
    if (status == HT_OK) measure_ways(&tree, openings, throat);
  }
  ht_front_tree_free(&tree);
  return status;
}
