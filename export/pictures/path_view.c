#include "export/pictures/path_view.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <string.h>

const ht_rgb ht_path_thin = {255, 176, 32};
const ht_rgb ht_path_mixed = {106, 182, 255};

/* Finds the tangent over about a radius to both sides, since the centres of sections scatter. */
static void set_tangent(const ht_vessel_path *path, int s, ht_path_frame *frame) {
  const ht_station *at = path->station;
  int before = s, behind = s, last = path->stations - 1;
  double reach_mm = frame->radius_mm;
  while (before > 0 && at[s].along_mm - at[before].along_mm < reach_mm) before--;
  while (behind < last && at[behind].along_mm - at[s].along_mm < reach_mm) behind++;
  for (int r = 0; r < 3; r++) frame->tangent[r] = at[behind].centre_mm[r] - at[before].centre_mm[r];
  if (!ht_normalise(frame->tangent)) memcpy(frame->tangent, at[s].direction, sizeof frame->tangent);
}

/* Sets the vectors across the path from a direction's part across it. Returns 0 if it has none. */
static int set_across(const double direction[3], ht_path_frame *frame) {
  double along = ht_dot(direction, frame->tangent);
  for (int r = 0; r < 3; r++) frame->across[0][r] = direction[r] - along * frame->tangent[r];
  if (!(ht_length(frame->across[0]) > 0.1) || !ht_normalise(frame->across[0])) return 0;
  ht_cross(frame->tangent, frame->across[0], frame->across[1]);
  return 1;
}

static void set_any_across(ht_path_frame *frame) {
  double across[2][3];
  ht_span_across(frame->tangent, across);
  memcpy(frame->across, across, sizeof across);
}

static void begin(ht_path_frame *frame) {
  static const double head[3] = {0, 0, 1}, front[3] = {0, -1, 0};
  int along_body = fabs(frame->tangent[2]) > 0.7;
  if (!set_across(along_body ? front : head, frame)) set_any_across(frame);
}

/* Carries the vectors across to the next frame by the least rotation between the tangents; an r
 * across t0 becomes r - (r . t1) (t0 + t1) / (1 + t0 . t1). */
static int carry(const ht_path_frame *from, ht_path_frame *to) {
  const double *r = from->across[0];
  double part = ht_dot(r, to->tangent) / fmax(1e-3, 1 + ht_dot(from->tangent, to->tangent));
  double turned[3];
  for (int k = 0; k < 3; k++) turned[k] = r[k] - part * (from->tangent[k] + to->tangent[k]);
  return set_across(turned, to);
}

/* The vessel's radius at a station; at a mixed one, interpolated between the nearest unmixed
 * stations. */
static double radius_at(const ht_vessel_path *path, int s) {
  int last = path->stations - 1, before = s, behind = s;
  while (before > 0 && path->station[before].is_mixed) before--;
  while (behind < last && path->station[behind].is_mixed) behind++;
  const ht_station *a = &path->station[before], *b = &path->station[behind];
  if (a->is_mixed && b->is_mixed) a = b = &path->station[s];
  if (a->is_mixed) a = b;
  if (b->is_mixed) b = a;
  double step_mm = b->along_mm - a->along_mm;
  double part = step_mm > 0 ? (path->station[s].along_mm - a->along_mm) / step_mm : 0;
  return sqrt(a->area_mm2 / HT_PI) + part * (sqrt(b->area_mm2 / HT_PI) - sqrt(a->area_mm2 / HT_PI));
}

ht_status ht_path_frames(const ht_vessel_path *path, ht_path_frame **frame) {
  HT_TRY(ht_alloc((void **)frame, (size_t)path->stations + 1, sizeof **frame, "a path's frames"));
  for (int s = 0; s < path->stations; s++) {
    ht_path_frame *to = *frame + s;
    to->along_mm = path->station[s].along_mm;
    to->radius_mm = radius_at(path, s);
    memcpy(to->centre_mm, path->station[s].centre_mm, sizeof to->centre_mm);
    set_tangent(path, s, to);
    if (s == 0 || !carry(to - 1, to)) begin(to);
  }
  return HT_OK;
}

void ht_path_frame_at(const ht_path_frame *frame, int count, double along_mm, ht_path_frame *at) {
  int s = 0;
  while (s + 2 < count && frame[s + 1].along_mm <= along_mm) s++;
  *at = frame[s];
  if (count < 2) return;
  const ht_path_frame *to = &frame[s + 1];
  double step = to->along_mm - at->along_mm;
  double part = step > 0 ? fmin(fmax((along_mm - at->along_mm) / step, 0), 1) : 0;
  at->along_mm += part * step;
  at->radius_mm += part * (to->radius_mm - at->radius_mm);
  for (int r = 0; r < 3; r++) {
    at->centre_mm[r] += part * (to->centre_mm[r] - at->centre_mm[r]);
    at->tangent[r] += part * (to->tangent[r] - at->tangent[r]);
    at->across[0][r] += part * (to->across[0][r] - at->across[0][r]);
  }
  ht_normalise(at->tangent);
  double first[3];
  memcpy(first, at->across[0], sizeof first);
  if (!set_across(first, at)) set_any_across(at);
}

double ht_path_widest(const ht_path_frame *frame, int count) {
  double widest = 0;
  for (int s = 0; s < count; s++) widest = fmax(widest, frame[s].radius_mm);
  return widest;
}

double ht_scan_voxel_mm(const ht_volume *scan) {
  const double *s = scan->grid.spacing_mm;
  return cbrt(s[0] * s[1] * s[2]);
}

/* ---- marks ---- */

static int narrowest_of(const ht_vessel_path *path) {
  const ht_station *at = path->station;
  int best = 0;
  for (int s = 1; s < path->stations; s++)
    if (!at[s].is_mixed && (at[best].is_mixed || at[s].area_mm2 < at[best].area_mm2)) best = s;
  return best;
}

static int nearest_to(const ht_vessel_path *path, double along_mm) {
  int best = 0;
  for (int s = 1; s < path->stations; s++)
    if (fabs(path->station[s].along_mm - along_mm) < fabs(path->station[best].along_mm - along_mm))
      best = s;
  return best;
}

/* Inserts a station in ascending order, once. */
static void insert(ht_path_marks *marks, int station) {
  int at = marks->count;
  for (int m = 0; m < marks->count; m++)
    if (marks->station[m] == station) return;
  for (; at > 0 && marks->station[at - 1] > station; at--)
    marks->station[at] = marks->station[at - 1];
  marks->station[at] = station;
  marks->count++;
}

void ht_path_marks_find(const ht_vessel_path *path, ht_path_marks *marks) {
  double length_mm = path->station[path->stations - 1].along_mm, diameter_mm = 0;
  int narrowest = narrowest_of(path);
  *marks = (ht_path_marks){0};
  for (int s = 0; s < path->stations; s++)
    diameter_mm += 2 * sqrt(path->station[s].area_mm2 / HT_PI) / path->stations;
  int even = (int)fmin(HT_PATH_MARKS_MOST - 1, fmax(7, length_mm / fmax(diameter_mm, 1e-6)));
  for (int m = 0; m < even; m++) insert(marks, nearest_to(path, (m + 0.5) / even * length_mm));
  insert(marks, narrowest);
  for (int m = 0; m < marks->count; m++)
    if (marks->station[m] == narrowest) marks->narrowest = m;
}
