#include "app/compare/measured/judge_times.h"
#include "app/compare/measured/judged.h"
#include "app/measure/measure.h"
#include "core/numbers/units.h"
#include "run/measured/section_flow.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of sections along the centreline at most; they are a diameter of a voxel apart at least.
 */
enum { ALONG_MOST = 24, PIECE_LEAST = 3 };

/* Computed flows that differ by less are one: no vessel leaves between their sections. */
static const double SAME_FLOW = 0.02;
/* Share of the largest flow through a section; less is none. */
static const double IDLE_FLOW = 0.05;

/* ---- flows of a section ---- */

/* Interpolates the rows of a computed section with a flow at the scan's times. */
static ht_status take_computed(const ht_judged *of, const ht_measurement *m,
                               ht_judged_section *to) {
  double time_s[HT_SECTION_ROWS_MAX], flow_ml_s[HT_SECTION_ROWS_MAX];
  int rows = 0;
  to->computed_ml_s = m->row[0].flow_ml_s;
  for (int i = 1; i < m->rows && i < HT_SECTION_ROWS_MAX; i++)
    if (isfinite(m->row[i].flow_ml_s)) {
      time_s[rows] = m->row[i].time_s;
      flow_ml_s[rows++] = m->row[i].flow_ml_s;
    }
  const int has_beat = m->from == HT_MOMENTS_SERIES || m->from == HT_MOMENTS_STATIONS;
  if (!has_beat || rows < 3 || of->measured.times < 2 || !(of->measured.period_s > 0)) return HT_OK;
  HT_TRY(ht_alloc((void **)&to->computed_at_ml_s, (size_t)of->measured.times, sizeof(double),
                  "the flow of a section"));
  for (int t = 0; t < of->measured.times; t++)
    for (int s = 0; s < rows; s++)
      to->computed_at_ml_s[t] += ht_judge_sample_part(of, t, time_s, rows, s) * flow_ml_s[s];
  return HT_OK;
}

/* Measures the flow through the section of `cut` at the computed section's centre. Returns 0 where
 * the scan cannot: too few voxels across it, or it lies partly outside. */
static ht_status take_measured(ht_judged *of, const ht_vessel_cut *cut, ht_judged_section *to,
                               int *taken) {
  ht_section_flow flow;
  const double reach_mm = sqrt(to->area_mm2 / HT_PI);
  const int section = ht_vessel_cut_nearest(cut, to->centre_mm, reach_mm, NULL);
  *taken = 0;
  if (section < 0) return HT_OK;
  ht_status status = ht_section_flow_measure(&of->measured, cut, section, &flow);
  if (status == HT_ERR_CASE) return HT_OK;
  HT_TRY(status);
  double side = 0;
  for (int r = 0; r < 3; r++) side += to->normal[r] * cut->grid.direction[r][2];
  side = side < 0 ? -1 : 1;
  to->measured_at_ml_s = flow.flow_ml_s;
  to->diameter_voxels = flow.across;
  for (int t = 0; t < of->measured.times; t++) {
    to->measured_at_ml_s[t] *= side;
    to->measured_ml_s += of->weight[t] * to->measured_at_ml_s[t];
  }
  *taken = 1;
  return HT_OK;
}

static void free_section(ht_judged_section *section) {
  free(section->measured_at_ml_s);
  free(section->computed_at_ml_s);
  memset(section, 0, sizeof *section);
}

/* Adds the section at a place; leaves it out where case or scan have none there. `cut`: the plane
 * of the scan; NULL: the section's own. */
static ht_status add_section(ht_judged *of, const ht_measure_place *place, const char *name,
                             const ht_vessel_cut *cut) {
  ht_measurement m;
  ht_vessel_cut own = {.sections = 0};
  int taken = 0;
  if (of->sections == HT_JUDGED_SECTIONS_MAX) return HT_OK;
  ht_judged_section *to = &of->section[of->sections];
  ht_status status = ht_measure(&of->results, place, &m);
  if (status == HT_ERR_USAGE || status == HT_ERR_VESSEL) return of->left_out++, HT_OK;
  HT_TRY(status);
  snprintf(to->name, sizeof to->name, "%s", name);
  memcpy(to->centre_mm, m.centre_mm, sizeof to->centre_mm);
  memcpy(to->normal, m.normal, sizeof to->normal);
  to->along_mm = m.along_mm;
  to->area_mm2 = m.area_mm2;
  status = take_computed(of, &m, to);
  ht_measurement_free(&m);
  if (status == HT_OK && !cut)
    status = ht_vessel_cut_make(&of->results.vessel, to->centre_mm, to->normal, &own);
  if (status == HT_OK) status = take_measured(of, cut ? cut : &own, to, &taken);
  ht_vessel_cut_free(&own);
  of->sections += taken;
  of->left_out += !taken;
  if (!taken) free_section(to);
  return status;
}

/* ---- sections of a volume ---- */

static double voxel_mm(const ht_judged *of) {
  const double *mm = of->measured.grid.spacing_mm;
  return cbrt(mm[0] * mm[1] * mm[2]);
}

static ht_status add_along(ht_judged *of) {
  const ht_results *results = &of->results;
  if (results->stations < 2) return HT_OK;
  const double from_mm = results->station[0].along_mm;
  const double length_mm = results->station[results->stations - 1].along_mm - from_mm;
  const int count = (int)fmin(ALONG_MOST, fmax(1, floor(length_mm / (2 * voxel_mm(of)))));
  for (int s = 0; s < count; s++) {
    const ht_measure_place place = {.kind = HT_AT_STATION,
                                    .along_mm = from_mm + (s + 0.5) / count * length_mm};
    HT_TRY(add_section(of, &place, "", NULL));
  }
  return HT_OK;
}

/* Adds the sections a diameter inside the openings. */
static ht_status add_openings(ht_judged *of) {
  const ht_openings *openings = &of->results.placed.openings;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    ht_measure_place place = {.kind = HT_AT_PLANE};
    if (one->role != HT_ROLE_INLET && one->role != HT_ROLE_OUTLET) continue;
    for (int r = 0; r < 3; r++)
      place.point_mm[r] = one->centre_mm[r] - 2 * one->radius_mm * one->direction[r];
    HT_TRY(add_section(of, &place, one->name, NULL));
  }
  return HT_OK;
}

/* ---- sections of a plane ---- */

static ht_status add_plane(ht_judged *of) {
  ht_vessel_cut cut;
  ht_status status = ht_measured_plane_cut(&of->measured, &of->results.vessel, &cut);
  if (status != HT_OK) return status;
  for (int s = 0; s < cut.sections && status == HT_OK; s++) {
    ht_measure_place place = {.kind = HT_AT_PLANE, .has_normal = 1};
    for (int r = 0; r < 3; r++) {
      place.point_mm[r] = cut.section[s].centre_mm[r];
      place.normal[r] = cut.grid.direction[r][2];
    }
    status = add_section(of, &place, "", &cut);
  }
  ht_vessel_cut_free(&cut);
  return status;
}

/* ---- pieces without branches ---- */

static void close_piece(ht_judged *of, int first, int count) {
  double sum[2] = {0}, squares[2] = {0};
  if (count < PIECE_LEAST || of->pieces == HT_JUDGED_PIECES_MAX) return;
  ht_judged_piece *piece = &of->piece[of->pieces++];
  for (int s = first; s < first + count; s++) {
    const double flow[2] = {of->section[s].measured_ml_s, of->section[s].computed_ml_s};
    of->section[s].piece = of->pieces;
    for (int k = 0; k < 2; k++) sum[k] += flow[k], squares[k] += flow[k] * flow[k];
  }
  double spread[2];
  for (int k = 0; k < 2; k++) {
    sum[k] /= count;
    const double variance = fmax(0, squares[k] - count * sum[k] * sum[k]) / (count - 1);
    spread[k] = 100 * sqrt(variance) / fabs(sum[k]);
  }
  *piece = (ht_judged_piece){count,
                             of->section[first].along_mm,
                             of->section[first + count - 1].along_mm,
                             sum[0],
                             sum[1],
                             spread[0],
                             spread[1]};
}

/* Divides the sections along the centreline, which come first, where the computed flow changes. */
static void find_pieces(ht_judged *of, int along) {
  int first = 0;
  for (int s = 1; s < along; s++) {
    const double before = of->section[first].computed_ml_s;
    if (fabs(of->section[s].computed_ml_s - before) <= SAME_FLOW * fabs(before)) continue;
    close_piece(of, first, s - first);
    first = s;
  }
  close_piece(of, first, along - first);
}

/* Leaves out sections through which nearly no blood flows: of a plane along the vessel, or through
 * both arms of a loop. */
static void drop_idle(ht_judged *of) {
  double most = 0;
  int kept = 0;
  for (int s = 0; s < of->sections; s++) most = fmax(most, fabs(of->section[s].computed_ml_s));
  for (int s = 0; s < of->sections; s++) {
    if (fabs(of->section[s].computed_ml_s) < IDLE_FLOW * most)
      free_section(&of->section[s]);
    else
      of->section[kept++] = of->section[s];
  }
  of->left_out += of->sections - kept;
  of->sections = kept;
}

/* ---- agreement ---- */

int ht_judged_flows(const ht_judged *judged, int moment, double *computed, double *measured) {
  int count = 0;
  for (int s = 0; s < judged->sections; s++) {
    const ht_judged_section *one = &judged->section[s];
    if (moment == HT_JUDGED_MEAN) {
      computed[count] = one->computed_ml_s;
      measured[count++] = one->measured_ml_s;
    }
    for (int t = 0; moment == HT_JUDGED_BEAT && t < judged->measured.times; t++) {
      if (!one->computed_at_ml_s) break;
      computed[count] = one->computed_at_ml_s[t];
      measured[count++] = one->measured_at_ml_s[t];
    }
  }
  return count;
}

static ht_status agree(ht_judged *of) {
  const int all = (of->sections + 1) * of->measured.times;
  double *value;
  HT_TRY(ht_alloc((void **)&value, 2 * (size_t)all, sizeof *value, "the flows"));
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++)
    of->flow[m] = ht_agreement_of(value, value + all, ht_judged_flows(of, m, value, value + all));
  free(value);
  return HT_OK;
}

ht_status ht_judge_flows(ht_judged *judged) {
  if (judged->measured.grid.dim[2] == 1) {
    HT_TRY(add_plane(judged));
  } else {
    if (judged->parts < 3) return HT_OK;
    HT_TRY(add_along(judged));
    drop_idle(judged);
    find_pieces(judged, judged->sections);
    HT_TRY(add_openings(judged));
  }
  HT_TRY(agree(judged));
  return ht_judge_delay(judged);
}
