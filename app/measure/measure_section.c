#include "app/measure/measure_section.h"
#include "app/measure/section_rows.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The section's line, for a picture of it. */
static ht_status keep_contour(const ht_placed_section *placed, ht_measurement *to) {
  const ht_contour *outer = &placed->cut.contour[placed->section.contour];
  HT_TRY(ht_alloc((void **)&to->contour_mm, 3 * (size_t)outer->count, sizeof(float), "a section"));
  to->contour_points = outer->count;
  for (int k = 0; k < outer->count; k++) {
    double at_mm[3];
    ht_plane_place(&placed->cut, placed->cut.point[outer->first + k].at, at_mm);
    for (int r = 0; r < 3; r++) to->contour_mm[3 * k + r] = (float)at_mm[r];
  }
  return HT_OK;
}

/* The area within the surface that the flow's walls follow; that of the voxels' wall may be 4 % off
 * where few voxels lie across. */
static double area_of(const ht_results *results, const ht_placed_section *placed) {
  const double reach_mm = 2 * results->flow.grid.spacing_mm[0], wall_mm2 = placed->section.area_mm2;
  double area_mm2;
  if (results->outline.count > 0 &&
      ht_plane_section_outline(&placed->cut, &placed->section, &results->outline, reach_mm,
                               &area_mm2))
    return area_mm2;
  return wall_mm2;
}

static void describe(const ht_results *results, const ht_placed_section *placed,
                     ht_measurement *to) {
  double away_mm;
  int next;
  to->is_pulsatile = results->stats.period_s > 0;
  to->area_mm2 = area_of(results, placed);
  to->perimeter_mm = placed->section.perimeter_mm;
  to->diameter_mm = 2 * sqrt(to->area_mm2 / HT_PI);
  to->others = placed->section.others;
  ht_plane_place(&placed->cut, placed->section.centroid, to->centre_mm);
  to->along_mm = ht_station_position(results, to->centre_mm, &away_mm, &next);
  if (!(away_mm < to->diameter_mm / 2)) to->along_mm = NAN;
  const int is_mixed = isfinite(to->along_mm) && next > 0 &&
                       (results->station[next - 1].is_mixed || results->station[next].is_mixed);
  snprintf(to->remark, sizeof to->remark, "%s%s%s", placed->remark,
           placed->remark[0] && is_mixed ? "; " : "",
           is_mixed ? "a sac or a junction is here, and the section may have a part of it" : "");
}

/* Turns normal and axis to the side to which the blood flows on average. */
static void orient(const ht_placed_section *placed, double flow_ml_s, ht_measurement *to) {
  const double side = ht_dot(placed->cut.normal, placed->axis) < 0 ? -1 : 1;
  const double way = flow_ml_s < 0 ? -1 : 1;
  for (int r = 0; r < 3; r++) {
    to->axis[r] = way * placed->axis[r];
    to->normal[r] = way * side * placed->cut.normal[r];
  }
  to->turn_degrees = acos(fmin(1, ht_dot(to->axis, to->normal))) * 180 / HT_PI;
}

ht_status ht_measure_section(const ht_results *results, const ht_measure_place *place,
                             ht_measurement *measurement) {
  ht_placed_section placed;
  double flow_ml_s = 0;
  memset(measurement, 0, sizeof *measurement);
  HT_TRY(ht_section_place(results, place, &placed));
  describe(results, &placed, measurement);
  ht_status status = ht_section_rows(results, &placed, measurement, &flow_ml_s);
  if (status == HT_OK) orient(&placed, flow_ml_s, measurement);
  if (status == HT_OK) status = keep_contour(&placed, measurement);
  ht_placed_section_free(&placed);
  if (status != HT_OK) ht_measurement_free(measurement);
  return status;
}
