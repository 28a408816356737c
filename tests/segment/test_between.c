/* The vessel between points: the points snap to it, the way follows it, what touches it stays out.
 */
#include "segment/shape/heap.h"
#include "segment/path/places.h"
#include "segment/segment.h"
#include "tests/segment/tube_scan.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

static void message_has(const char *part) {
  if (!strstr(ht_error_message(), part)) fail_msg("'%s' is not in: %s", part, ht_error_message());
}

/* Computes a place on the axis of a tube, `along_mm` from its middle, `off_mm` to the side. */
static void place_on(const tube *t, double along_mm, double off_mm, double p[3]) {
  double unit[3], across[2][3];
  memcpy(unit, t->along, sizeof unit);
  ht_normalise(unit);
  ht_span_across(unit, across);
  for (int r = 0; r < 3; r++) p[r] = t->through[r] + along_mm * unit[r] + off_mm * across[0][r];
}

static ht_segment_options between(const tube *t, double first_mm, double last_mm) {
  ht_segment_options options;
  ht_segment_defaults(&options);
  options.spacing_mm = 0.4;
  options.points = 2;
  place_on(t, first_mm, 0, options.point_mm[0]);
  place_on(t, last_mm, 0, options.point_mm[1]);
  return options;
}

static void test_heap(void **unused) {
  (void)unused;
  ht_heap heap = {0};
  for (int64_t n = 0; n < 5000; n++) ok(ht_heap_push(&heap, (double)(n * 7919 % 499), n));
  ht_heap_item before = ht_heap_pop(&heap);
  while (heap.count > 0) {
    ht_heap_item next = ht_heap_pop(&heap);
    assert_true(before.key < next.key || (before.key == next.key && before.voxel < next.voxel));
    before = next;
  }
  free(heap.item);
}

static void test_places(void **unused) {
  (void)unused;
  const int dim[3] = {40, 17, 5};
  ht_places places;
  ok(ht_places_make(dim, &places));
  for (int64_t v = 0; v < 40 * 17 * 5; v += 13) {
    int at[3];
    ht_voxel_place(dim, v, at);
    ok(ht_places_set(&places, at, (int32_t)v));
  }
  for (int64_t v = 0; v < 40 * 17 * 5; v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    assert_int_equal(ht_places_get(&places, at), v % 13 == 0 ? v : -1);
  }
  ht_places_free(&places);
}

/* A tube whose radius, ends and points are known; a second one that leaves it alone. */
static void test_tube(void **unused) {
  (void)unused;
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  make.tubes = 2;
  make.tube[1] = make.tube[0];
  make.tube[1].radius_mm = 2.5; /* larger and brighter to an eye on the whole scan */
  make.tube[1].through[1] += 9;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0], -9, 8);
  options.points = 3; /* the third lies between the others */
  place_on(&make.tube[0], 0, 1, options.point_mm[2]);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(report.points, 3);
  for (int p = 0; p < 3; p++) {
    assert_int_equal(report.point[p].is_end, p < 2);
    assert_true(report.point[p].away_mm == 0);
    assert_near(report.point[p].radius_mm, 2, 0.1);
  }
  for (int p = 0; p < 2; p++)
    assert_true(ht_distance(report.point[p].centre_mm, options.point_mm[p]) < 0.5);
  assert_near(report.lower, 200, 10); /* half-way from 100 to 300 */
  make.tubes = 1;
  /* the vessel goes on beyond the points; between them no node is wrong by half a voxel */
  int64_t wrong = 0, nodes = ht_grid_voxels(&mask.grid);
  for (int64_t v = 0; v < nodes; v++) {
    double p[3], unit[3], along = 0;
    ht_grid_voxel_position(&mask.grid, v, p);
    memcpy(unit, make.tube[0].along, sizeof unit);
    ht_normalise(unit);
    for (int r = 0; r < 3; r++) along += (p[r] - make.tube[0].through[r]) * unit[r];
    if (along < -9 || along > 8) continue;
    double distance = tube_scan_distance(&make, p);
    wrong += mask.inside[v] ? distance > 0.3 : distance < -0.3;
  }
  assert_int_equal(wrong, 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* A point next to the vessel moves into it, up to 5 mm; farther off it is an error. */
static void test_snap(void **unused) {
  (void)unused;
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0], -8, 8);
  place_on(&make.tube[0], 8, 5, options.point_mm[1]);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_near(report.point[1].away_mm, 3, 1);
  assert_true(tube_scan_distance(&make, report.point[1].centre_mm) < -1.5);
  ht_mask_free(&mask);
  place_on(&make.tube[0], 8, 9, options.point_mm[1]);
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
  message_has("point 2");
  message_has("within 5 mm");
  options.point_mm[1][0] = 300;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_CASE);
  message_has("point 2, [300.0");
  message_has("RAS");
  memcpy(options.point_mm[1], options.point_mm[0], sizeof options.point_mm[1]);
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
  message_has("one place");
  ht_volume_free(&scan);
}

/* Two vessels that nothing joins. */
static void test_no_way(void **unused) {
  (void)unused;
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  make.tubes = 2;
  make.tube[1] = make.tube[0];
  make.tube[1].through[1] += 10;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0], -5, 5);
  place_on(&make.tube[1], 5, 0, options.point_mm[1]);
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
  message_has("no vessel joins");
  ht_volume_free(&scan);
}

/* Checks the place where the branch was cut off: on its axis, two diameters from the wall, along
 * it. */
static void check_branch(const ht_segment_branch *branch, const tube *own, const tube *side,
                         const double back[3]) {
  double off[3], along = 0, beside = 0, turn = 0;
  for (int r = 0; r < 3; r++) off[r] = branch->centre_mm[r] - side->through[r];
  for (int r = 0; r < 3; r++) {
    along -= (branch->centre_mm[r] - own->through[r]) * back[r];
    turn -= branch->direction[r] * back[r];
  }
  double middle = ht_dot(off, back);
  for (int r = 0; r < 3; r++) beside += pow(off[r] - middle * back[r], 2);
  assert_true(branch->is_tube);
  if (along < 5.5 || along > 9) fail_msg("cut %.2f mm from the axis", along);
  if (sqrt(beside) > 0.4) fail_msg("%.2f mm beside the branch's axis", sqrt(beside));
  if (turn < 0.97) fail_msg("turned: cosine %.3f", turn);
  if (fabs(branch->radius_mm - 1.3) > 0.2) fail_msg("radius %.2f mm", branch->radius_mm);
}

/* A tube of the same brightness that touches is another vessel; a gap in the scan is none in the
 * vessel; a side branch is kept for two diameters. */
static void test_neighbours(void **unused) {
  (void)unused;
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  double across[2][3], unit[3];
  make.tubes = 3;
  make.tube[1] = make.tube[2] = make.tube[0];
  memcpy(unit, make.tube[0].along, sizeof unit);
  ht_normalise(unit);
  ht_span_across(unit, across);
  for (int r = 0; r < 3; r++) { /* crosses next to it, and leaves it */
    make.tube[1].through[r] += 4.05 * across[0][r];
    make.tube[1].along[r] = unit[r] + 0.25 * across[1][r];
    make.tube[2].along[r] = across[1][r];
    make.tube[2].through[r] -= 7 * across[1][r] + 5 * unit[r];
  }
  make.tube[2].half_length_mm = 7;
  make.tube[2].radius_mm = 1.3;
  make.tubes = 3;
  tube_scan_volume(&make, &scan);
  double gap_mm[3];
  place_on(&make.tube[0], 5, 0, gap_mm);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
    double p[3], along = 0;
    ht_grid_voxel_position(&scan.grid, v, p);
    for (int r = 0; r < 3; r++) along += (p[r] - gap_mm[r]) * unit[r];
    if (fabs(along) < 0.7) scan.values[v] = 100;
  }
  ht_segment_options options = between(&make.tube[0], -9, 9);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(report.bridges, 1);
  assert_true(report.parted >= 1);
  int64_t of_other = 0, of_branch = 0;
  double deepest = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double p[3], off[3];
    if (!mask.inside[v]) continue;
    ht_grid_voxel_position(&mask.grid, v, p);
    tube_scan one = make;
    one.tubes = 1;
    double own = tube_scan_distance(&one, p);
    one.tube[0] = make.tube[1];
    of_other += own > 0.8 && tube_scan_distance(&one, p) < -0.8;
    one.tube[0] = make.tube[2];
    if (own < 0.8 || tube_scan_distance(&one, p) > 0) continue;
    for (int r = 0; r < 3; r++) off[r] = p[r] - make.tube[0].through[r];
    of_branch++;
    deepest = fmax(deepest, -ht_dot(off, across[1]));
  }
  assert_int_equal(of_other, 0);
  assert_true(of_branch > 0);
  /* two diameters of 2.6 mm beyond the wall at 2 mm, half of one for the cut, and the tube's own
   * margin */
  if (deepest < 7.3 || deepest > 10.8) fail_msg("the branch is kept up to %.2f mm", deepest);
  assert_int_equal(report.branches, 1);
  check_branch(&report.branch[0], &make.tube[0], &make.tube[2], across[1]);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* Distance of a place along a tube, from its middle. */
static double along_tube(const tube *t, const double p[3]) {
  double unit[3], off[3];
  memcpy(unit, t->along, sizeof unit);
  ht_normalise(unit);
  for (int r = 0; r < 3; r++) off[r] = p[r] - t->through[r];
  return ht_dot(off, unit);
}

/* Nodes within `reach_mm` of the middle of the first tube that are wrong by more than `slack_mm`.
 */
static int64_t wrong_near_middle(const tube_scan *make, const ht_mask *mask, double reach_mm,
                                 double slack_mm) {
  int64_t wrong = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask->grid); v++) {
    double p[3];
    ht_grid_voxel_position(&mask->grid, v, p);
    if (fabs(along_tube(&make->tube[0], p)) > reach_mm) continue;
    double distance = tube_scan_distance(make, p);
    wrong += mask->inside[v] ? distance > slack_mm : distance < -slack_mm;
  }
  return wrong;
}

static tube_scan small_scan(void) {
  tube_scan make = tube_scan_default();
  make.dim[0] = make.dim[1] = 44;
  return make;
}

/* Two tubes, side by side and parallel. */
static tube_scan two_tubes(double apart_mm) {
  tube_scan make = small_scan();
  make.tubes = 2;
  make.tube[1] = make.tube[0];
  place_on(&make.tube[0], 0, apart_mm, make.tube[1].through);
  return make;
}

/* The way keeps to its vessel through a gap, although a vessel that touches has none, and that
 * vessel stays out although it touches all along. */
static void test_touching_gap(void **unused) {
  (void)unused;
  tube_scan make = two_tubes(4.1);
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  make.tubes = 1;
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
    double p[3];
    ht_grid_voxel_position(&scan.grid, v, p);
    if (fabs(along_tube(&make.tube[0], p)) < 0.7 && tube_scan_distance(&make, p) < 0.05)
      scan.values[v] = 100;
  }
  ht_segment_options options = between(&make.tube[0], -9, 9);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(report.bridges, 1);
  assert_true(report.parted >= 1);
  assert_true(report.contacts > 1);           /* on its wall, where the other touches */
  for (int c = 0; c < report.contacts; c++) { /* to a voxel's diagonal, and 3/4 of one */
    double off_mm = tube_scan_distance(&make, report.contact_mm[c]);
    assert_true(off_mm > 0 && off_mm < 1.07 + 0.75 * 0.59);
  }
  assert_int_equal(report.lefts, 1); /* and is told */
  /* where they touch the wall is that of the tube and 3/4 of a voxel */
  assert_int_equal(wrong_near_middle(&make, &mask, 8, 0.75), 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* Two vessels side by side, 1.4 mm apart: what lies between them is no gap. */
static void test_side_by_side(void **unused) {
  (void)unused;
  tube_scan make = two_tubes(5.4);
  ht_volume scan;
  ht_mask mask = {0};
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0], -8, 8);
  place_on(&make.tube[1], 8, 0, options.point_mm[1]);
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
  message_has("crosses over to another vessel that runs beside it");
  for (int apart = 0; apart <= 6; apart += 3) { /* points beside each other: only the way across */
    place_on(&make.tube[0], apart - 4, 0, options.point_mm[0]);
    place_on(&make.tube[1], -4, 0, options.point_mm[1]);
    assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
    message_has("crosses over to another vessel that runs beside it");
  }
  options = between(&make.tube[0], -8, 8); /* each of them is one */
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(report.bridges, 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* The third tube joins the first two at their ends. */
static tube_scan bent_vessel(double apart_mm) {
  tube_scan make = two_tubes(apart_mm);
  const double wider_mm = apart_mm - 5.2; /* than there is room for around the centre */
  make.dim[0] = make.dim[1] = 44 + (int)(wider_mm / 0.5);
  make.dim[2] = 66;
  for (int t = 0; t < 2; t++) place_on(&make.tube[t], 0, -wider_mm / 2, make.tube[t].through);
  make.tubes = 3;
  make.tube[0].half_length_mm = make.tube[1].half_length_mm = 21;
  make.tube[2] = make.tube[0];
  make.tube[2].half_length_mm = apart_mm / 2;
  double end_mm[2][3];
  for (int t = 0; t < 2; t++) place_on(&make.tube[t], 21, 0, end_mm[t]);
  for (int r = 0; r < 3; r++) {
    make.tube[2].through[r] = (end_mm[0][r] + end_mm[1][r]) / 2;
    make.tube[2].along[r] = end_mm[1][r] - end_mm[0][r];
  }
  return make;
}

/* Finds the vessel of two points, which has to lead round the bend, and nowhere else. */
static void check_way_round(const tube_scan *make, const ht_volume *scan, const char *method) {
  ht_mask mask;
  ht_segment_report report;
  ht_segment_options options = between(&make->tube[0], -18, 0);
  place_on(&make->tube[1], -17, 0, options.point_mm[1]);
  ok(ht_segment_volume(scan, &options, NULL, &mask, &report));
  assert_int_equal(report.bridges, 0);
  assert_non_null(strstr(report.method, method));
  int64_t bend = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double p[3];
    ht_grid_voxel_position(&mask.grid, v, p);
    if (!mask.inside[v]) continue;
    assert_true(tube_scan_distance(make, p) < 0.8);
    bend += ht_distance(p, make->tube[2].through) < 1;
  }
  assert_true(bend > 20);
  assert_int_equal(report.points, 2);
  for (int p = 0; p < 2; p++) assert_true(report.point[p].is_end);
  ht_mask_free(&mask);
}

/* Two vessels side by side that join far from the points: the way leads round, through blood. */
static void test_way_round(void **unused) {
  (void)unused;
  tube_scan make = bent_vessel(5.2);
  ht_volume scan;
  tube_scan_volume(&make, &scan);
  check_way_round(&make, &scan, "by the brightest way");
  ht_volume_free(&scan);
}

/* A thin vessel joins the two wide ones near the points: the way does not lead through it. */
static void test_thin_shortcut(void **unused) {
  (void)unused;
  tube_scan make = bent_vessel(13);
  tube *thin = &make.tube[3];
  ht_volume scan;
  double end_mm[2][3];
  make.tubes = 4;
  for (int t = 0; t < 2; t++) place_on(&make.tube[t], -8 + 4 * t, 0, end_mm[t]);
  *thin = (tube){.radius_mm = 0.9, .half_length_mm = ht_distance(end_mm[0], end_mm[1]) / 2};
  for (int r = 0; r < 3; r++) {
    thin->through[r] = (end_mm[0][r] + end_mm[1][r]) / 2;
    thin->along[r] = end_mm[1][r] - end_mm[0][r];
  }
  tube_scan_volume(&make, &scan);
  check_way_round(&make, &scan, "by the widest way");
  ht_volume_free(&scan);
}

/* Two side branches, and far from the vessel another that joins them and runs on to both sides: no
 * structure runs along the vessel. */
static tube_scan joined_branches(void) {
  tube_scan make = small_scan();
  double across[2][3], unit[3];
  make.tubes = 4;
  memcpy(unit, make.tube[0].along, sizeof unit);
  ht_normalise(unit);
  ht_span_across(unit, across);
  for (int t = 1; t < 4; t++) {
    make.tube[t] = make.tube[0];
    make.tube[t].radius_mm = t < 3 ? 1.3 : 0.8;
    make.tube[t].half_length_mm = t < 3 ? 3.5 : 13;
    for (int r = 0; r < 3; r++) {
      if (t < 3) make.tube[t].along[r] = across[0][r];
      make.tube[t].through[r] += (t < 3 ? 3.5 : 7) * across[0][r];
      if (t < 3) make.tube[t].through[r] += (t == 1 ? -7 : 0) * unit[r];
    }
  }
  return make;
}

static void test_joined_branches(void **unused) {
  (void)unused;
  tube_scan make = joined_branches();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0], -9, 9);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  for (int t = 1; t < 3; t++) {
    double in_branch[3];
    int at[3];
    place_on(&make.tube[0], t == 1 ? -7 : 0, 4, in_branch);
    if (!mask.inside[ht_grid_nearest(&mask.grid, in_branch, at)])
      fail_msg("branch %d is lost (parted %d, %.3g mL, told %d)", t, report.parted,
               report.parted_ml, report.lefts);
  }
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* A vessel mostly next to lung, with tissue on one side and another vessel in it: the tissue is no
 * vessel, and the other vessel stays out. */
static void test_lung(void **unused) {
  (void)unused;
  tube_scan make = two_tubes(5.2);
  ht_volume scan;
  ht_mask mask;
  double side_mm[3], toward[3];
  make.tissue = 50;
  make.blood = 550;
  tube_scan_volume(&make, &scan);
  place_on(&make.tube[0], 0, 1, side_mm);
  for (int r = 0; r < 3; r++) toward[r] = side_mm[r] - make.tube[0].through[r];
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
    double p[3], off[3], blood = fmin(1, fmax(0, (scan.values[v] - 50) / 500));
    ht_grid_voxel_position(&scan.grid, v, p);
    for (int r = 0; r < 3; r++) off[r] = p[r] - make.tube[0].through[r];
    if (ht_dot(off, toward) < 0.7) scan.values[v] -= (float)(900 * (1 - blood));
  }
  ht_segment_options options = between(&make.tube[0], -8, 8);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  make.tubes = 1;
  assert_int_equal(wrong_near_middle(&make, &mask, 7, 0.6), 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* Blood that is far brighter in a bend, as in phase contrast, is vessel in MR; in a CT it is metal,
 * and in a file without tags unless its values show an MR. */
static void test_bright_blood(void **unused) {
  (void)unused;
  enum { MR, CT, MR_VALUES, SCALED, WAYS };
  static const char *const modality[WAYS] = {"MR", "CT", "", ""};
  tube_scan make = small_scan();
  int64_t wrong[WAYS];
  make.tissue = 40;
  for (int m = 0; m < WAYS; m++) {
    ht_volume scan;
    ht_mask mask;
    tube_scan_volume(&make, &scan);
    strcpy(scan.modality, modality[m]);
    for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
      double p[3];
      ht_grid_voxel_position(&scan.grid, v, p);
      if (fabs(along_tube(&make.tube[0], p)) < 1.5 && tube_scan_distance(&make, p) < -0.6)
        scan.values[v] = 800;
      if (m != CT) scan.values[v] = fmaxf(scan.values[v], 0);
      if (m == SCALED) scan.values[v] /= 1000;
    }
    ht_segment_options options = between(&make.tube[0], -9, 9);
    ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
    wrong[m] = wrong_near_middle(&make, &mask, 3, 0.5);
    ht_mask_free(&mask);
    ht_volume_free(&scan);
  }
  assert_int_equal(wrong[MR], 0);
  assert_true(wrong[CT] > 20);
  assert_int_equal(wrong[MR_VALUES], 0);
  assert_true(wrong[SCALED] > 20);
}

/* A vessel that is wider than thick is one vessel. */
static void test_oval(void **unused) {
  (void)unused;
  tube_scan make = two_tubes(2);
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  ht_segment_options options = between(&make.tube[0], -8, 8);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(report.parted, 0);
  assert_int_equal(wrong_near_middle(&make, &mask, 6, 0.35), 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

/* Struts four times as bright as blood, thinner than a voxel, on helices in the wall. */
static double stent_at(const tube *t, const double p[3]) {
  const double width_mm = 0.3, turn_mm = 6;
  const int wires = 4;
  double unit[3], across[2][3], off[3], away, sum = 0, along_mm = along_tube(t, p);
  memcpy(unit, t->along, sizeof unit);
  ht_normalise(unit);
  ht_span_across(unit, across);
  for (int r = 0; r < 3; r++) off[r] = p[r] - t->through[r];
  double x = ht_dot(off, across[0]), y = ht_dot(off, across[1]);
  double wall = hypot(x, y) - t->radius_mm, angle = atan2(y, x) / (2 * 3.14159265358979);
  if (fabs(along_mm) > 6) return 0;
  for (int family = -1; family <= 1; family += 2) {
    double phase = wires * (along_mm / turn_mm + family * angle);
    away = (phase - nearbyint(phase)) * 2 * 3.14159265358979 * t->radius_mm / wires;
    sum += exp(-0.5 * away * away / (width_mm * width_mm));
  }
  return 600 * sum * exp(-0.5 * wall * wall / (width_mm * width_mm));
}

/* The struts of a stent are its wall, not what lies outside or inside of them. */
static void test_stent(void **unused) {
  (void)unused;
  tube_scan make = small_scan();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  tube_scan_volume(&make, &scan);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) {
    double p[3];
    ht_grid_voxel_position(&scan.grid, v, p);
    scan.values[v] += (float)stent_at(&make.tube[0], p);
  }
  ht_segment_options options = between(&make.tube[0], -10, 10);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_int_equal(wrong_near_middle(&make, &mask, 5, 0.4), 0);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_heap),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_tube),
      cmocka_unit_test(test_snap),
      cmocka_unit_test(test_no_way),
      cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_touching_gap),
      cmocka_unit_test(test_side_by_side),
      cmocka_unit_test(test_way_round),
      cmocka_unit_test(test_thin_shortcut),
      cmocka_unit_test(test_joined_branches),
      cmocka_unit_test(test_lung),
      cmocka_unit_test(test_bright_blood),
      cmocka_unit_test(test_oval),
      cmocka_unit_test(test_stent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
