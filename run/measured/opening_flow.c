#include "run/measured/opening_flow.h"
#include "core/numbers/vector3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MOST = 5, STEPS_MOST = 16 };
static const double STEP = 0.5;       /* radii from section to section */
static const double WIDER_MOST = 1.5; /* area of a branch's section over its opening's: its mouth */

void ht_opening_flow_free(ht_opening_flow *made) {
  if (!made) return;
  free(made->flow_ml_s);
  memset(made, 0, sizeof *made);
}

static void keep_reason(ht_opening_flow *made) {
  if (!made->why[0]) snprintf(made->why, sizeof made->why, "%s", ht_error_message());
}

/* Adds a section's flow, as `side` tells which way its cut's normal points. */
static void add_section(const ht_vessel_cut *cut, int section, int side,
                        const ht_section_flow *flow, double mean_ml_s[], ht_opening_flow *made) {
  if (made->sections == 0) {
    memcpy(made->centre_mm, cut->section[section].centre_mm, sizeof made->centre_mm);
    for (int r = 0; r < 3; r++) made->normal[r] = -side * cut->grid.direction[r][2];
    made->area_mm2 = cut->section[section].area_mm2;
    made->across = flow->across;
    made->beyond = flow->beyond_ml_s / flow->mean_ml_s;
  }
  for (int t = 0; t < flow->times; t++) made->flow_ml_s[t] -= side * flow->flow_ml_s[t];
  mean_ml_s[made->sections++] = -side * flow->mean_ml_s;
}

/* Measures a section of the cut; one that cannot be measured leaves the reason. */
static ht_status take_section(const ht_measured_flow *flow, const ht_vessel_cut *cut, int section,
                              int side, double mean_ml_s[], ht_opening_flow *made) {
  ht_section_flow one;
  const ht_status status = ht_section_flow_measure(flow, cut, section, &one);
  if (status == HT_ERR_MEMORY) return status;
  if (status != HT_OK)
    keep_reason(made);
  else
    add_section(cut, section, side, &one, mean_ml_s, made);
  ht_section_flow_free(&one);
  return HT_OK;
}

/* ---- A plane ---- */

static ht_status measure_plane(const ht_measured_flow *flow, const ht_mask *mask,
                               const ht_openings *openings, int number, double mean_ml_s[],
                               ht_opening_flow *made) {
  ht_vessel_cut cut;
  ht_cut_piece best = {0};
  int section = -1;
  ht_status status = ht_measured_plane_cut(flow, mask, &cut);
  if (status == HT_ERR_CASE) return keep_reason(made), HT_OK;
  for (int s = 0; status == HT_OK && s < cut.sections; s++) {
    ht_cut_piece piece;
    status = ht_vessel_cut_piece(&cut, s, openings, number, &piece);
    if (!piece.alone || (section >= 0 && piece.voxels >= best.voxels)) continue;
    section = s;
    best = piece;
  }
  if (status == HT_OK && section < 0)
    snprintf(made->why, sizeof made->why,
             "no section of the vessel in the measured plane has the flow of '%s' alone: blood "
             "leaves or joins between them",
             openings->item[number].name);
  if (status == HT_OK && section >= 0)
    status = take_section(flow, &cut, section, best.side, mean_ml_s, made);
  ht_vessel_cut_free(&cut);
  return status;
}

/* ---- A volume ---- */

/* The way from an opening into the vessel. */
typedef struct {
  double at_mm[3], along[3], radius_mm;
} way;

/* Moves the way to a section's centre, turns it by half towards the way come, and goes a step. */
static void go_on(const ht_cut_section *section, way *w) {
  double come[3];
  for (int r = 0; r < 3; r++)
    come[r] = section->centre_mm[r] - w->at_mm[r] + STEP * w->radius_mm * w->along[r];
  if (ht_normalise(come) && ht_dot(come, w->along) > 0.5)
    for (int r = 0; r < 3; r++) w->along[r] += come[r];
  ht_normalise(w->along);
  for (int r = 0; r < 3; r++)
    w->at_mm[r] = section->centre_mm[r] + STEP * w->radius_mm * w->along[r];
}

/* Measures at one place of the way, and goes a step; *done where the vessel is no longer the
 * opening's alone. */
static ht_status measure_step(const ht_measured_flow *flow, const ht_mask *mask,
                              const ht_openings *openings, int number, way *w, double mean_ml_s[],
                              ht_opening_flow *made, int *done) {
  ht_vessel_cut cut;
  ht_cut_piece piece = {0};
  HT_TRY(ht_vessel_cut_make(mask, w->at_mm, w->along, &cut));
  const int section = ht_vessel_cut_nearest(&cut, w->at_mm, w->radius_mm, NULL);
  ht_status status =
      section < 0 ? HT_OK : ht_vessel_cut_piece(&cut, section, openings, number, &piece);
  const int is_mouth = section >= 0 && openings->item[number].role == HT_ROLE_OUTLET &&
                       cut.section[section].area_mm2 > WIDER_MOST * openings->item[number].area_mm2;
  *done = !piece.alone || piece.side > 0 || is_mouth;
  if (status == HT_OK && !*done)
    status = take_section(flow, &cut, section, piece.side, mean_ml_s, made);
  if (section >= 0) go_on(&cut.section[section], w);
  ht_vessel_cut_free(&cut);
  return status;
}

static ht_status measure_volume(const ht_measured_flow *flow, const ht_mask *mask,
                                const ht_openings *openings, int number, double mean_ml_s[],
                                ht_opening_flow *made) {
  const ht_opening *opening = &openings->item[number];
  way w = {.radius_mm = opening->radius_mm};
  int done = 0;
  for (int r = 0; r < 3; r++) {
    w.along[r] = -opening->direction[r];
    w.at_mm[r] = opening->centre_mm[r] + STEP * w.radius_mm * w.along[r];
  }
  for (int n = 0; n < STEPS_MOST && !done && made->sections < SECTIONS_MOST; n++)
    HT_TRY(measure_step(flow, mask, openings, number, &w, mean_ml_s, made, &done));
  if (made->sections == 0 && !made->why[0])
    snprintf(made->why, sizeof made->why, "next to '%s' no section has its flow alone",
             opening->name);
  return HT_OK;
}

/* ---- All of it ---- */

/* Divides the sums, and finds how much the sections differ. */
static void average(const double mean_ml_s[], int times, ht_opening_flow *made) {
  double square = 0;
  const int n = made->sections;
  for (int t = 0; t < times; t++) made->flow_ml_s[t] /= n;
  for (int s = 0; s < n; s++) made->mean_ml_s += mean_ml_s[s] / n;
  for (int s = 0; s < n; s++) square += pow(mean_ml_s[s] - made->mean_ml_s, 2);
  if (n > 1) made->spread = sqrt(square / (n - 1)) / fabs(made->mean_ml_s);
}

ht_status ht_opening_flow_measure(const ht_measured_flow *flow, const ht_mask *mask,
                                  const ht_openings *openings, int number, ht_opening_flow *made) {
  double mean_ml_s[SECTIONS_MOST];
  memset(made, 0, sizeof *made);
  HT_TRY(ht_alloc((void **)&made->flow_ml_s, (size_t)flow->times, sizeof *made->flow_ml_s,
                  "the measured flow"));
  HT_TRY(flow->grid.dim[2] == 1 ? measure_plane(flow, mask, openings, number, mean_ml_s, made)
                                : measure_volume(flow, mask, openings, number, mean_ml_s, made));
  if (made->sections > 0) average(mean_ml_s, flow->times, made);
  return HT_OK;
}
