/* phantom/phantom: the ground truth of a phantom, against formulas and against itself. */
#include "tests/check.h"
#include "tests/phantom/phantom_check.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = HT_PHANTOM_KINDS, READY = HT_PHANTOM_PIPE_OBLIQUE + 1 /* with a case of its own */ };
static const char *const kind_names[KINDS] = {"aneurysm",     "coarctation", "pipe",
                                              "pipe-oblique", "fda-nozzle",  "stenosis"};

static void make(ht_phantom_kind kind, double spacing_mm, double tilt_degrees,
                 ht_phantom *phantom) {
  ht_phantom_options options;
  ht_phantom_defaults(kind, &options);
  options.spacing_mm = spacing_mm;
  options.tilt_degrees = tilt_degrees;
  if (ht_phantom_make(&options, NULL, phantom) != HT_OK) fail_msg("%s", ht_error_message());
}

/* One phantom of each kind with its defaults, the long ones on a coarser scan; made once, only
 * read. */
static ht_phantom usual[KINDS];
static const double usual_mm[KINDS] = {0, 0, 0, 0, 0.8, 0.5};

static int make_usual(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) make((ht_phantom_kind)k, usual_mm[k], NAN, &usual[k]);
  return 0;
}

static int free_usual(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) ht_phantom_free(&usual[k]);
  return 0;
}

static double truth_volume_mm3(const ht_phantom *phantom) {
  const double *s = phantom->truth.grid.spacing_mm;
  return (double)ht_mask_count(&phantom->truth) * s[0] * s[1] * s[2];
}

/* ---- The vessel alone ---- */

/* Voxels agree with their distance, and the number of nodes is about the requested one. */
HT_TEST(the_vessel_alone) {
  for (int k = 0; k < KINDS; k++) {
    ht_mask mask;
    assert_int_equal(ht_phantom_vessel((ht_phantom_kind)k, 20000, &mask), HT_OK);
    assert_near((double)ht_mask_count(&mask), 20000, 1500);
    for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v += 3) {
      double at[3];
      ht_grid_voxel_position(&mask.grid, v, at);
      assert_int_equal(mask.inside[v], ht_phantom_distance((ht_phantom_kind)k, at) < 0);
    }
    ht_mask_free(&mask);
  }
  ht_mask none;
  assert_int_equal(ht_phantom_vessel(HT_PHANTOM_PIPE, 999, &none), HT_ERR_USAGE);
  assert_null(none.inside);
}

/* ---- Options ---- */

HT_TEST(every_kind_has_a_name) {
  for (int k = 0; k < KINDS; k++) {
    ht_phantom_kind kind;
    assert_int_equal(ht_phantom_kind_parse(kind_names[k], &kind), HT_OK);
    assert_int_equal(kind, k);
  }
}

HT_TEST(an_unknown_kind_is_refused_with_the_list) {
  ht_phantom_kind kind;
  assert_int_equal(ht_phantom_kind_parse("kidney", &kind), HT_ERR_USAGE);
  assert_non_null(strstr(ht_error_message(), "kidney"));
  for (int k = 0; k < KINDS; k++) assert_non_null(strstr(ht_error_message(), kind_names[k]));
}

HT_TEST(options_out_of_range_are_refused) {
  ht_phantom_options good, bad;
  ht_phantom_defaults(HT_PHANTOM_ANEURYSM, &good);
  bad = good, bad.spacing_mm = 1.01; /* the branch has a radius of 1 mm */
  assert_refused(&bad, "spacing");
  bad = good, bad.spacing_mm = -0.4;
  assert_refused(&bad, "spacing");
  bad = good, bad.spacing_mm = NAN;
  assert_refused(&bad, "spacing");
  bad = good, bad.noise = 0.6;
  assert_refused(&bad, "noise");
  bad = good, bad.noise = NAN;
  assert_refused(&bad, "noise");
  bad = good, bad.tilt_degrees = 16;
  assert_refused(&bad, "tilt");
  bad = good, bad.kind = (ht_phantom_kind)KINDS;
  assert_refused(&bad, "kind");
}

static int stop(void *user, const char *stage, double done, double total, const char *note) {
  (void)stage, (void)total, (void)note;
  return ++*(int *)user > 3 && done > 0;
}

HT_TEST(a_wish_to_stop_is_heard) {
  int calls = 0;
  ht_progress progress = {.report = stop, .user = &calls};
  ht_phantom_options options;
  ht_phantom phantom;
  ht_phantom_defaults(HT_PHANTOM_PIPE, &options);
  assert_int_equal(ht_phantom_make(&options, &progress, &phantom), HT_ERR_INTERRUPTED);
  assert_int_equal(calls, 4);
  assert_null(phantom.scan.values);
  assert_null(phantom.truth.inside);
  assert_null(phantom.distance.values);
}

/* ---- The vessel ---- */

/* The scan is as long as the sum of its slices' thicknesses; its faces cut the ends. */
/* The automatic threshold of segment/ keeps at most 0.3 of the scan as the vessel. */
HT_TEST(the_vessel_is_a_small_part_of_the_scan) {
  for (int k = 0; k < KINDS; k++) {
    const ht_mask *truth = &usual[k].truth;
    double share = (double)ht_mask_count(truth) / (double)ht_grid_voxels(&truth->grid);
    if (!(share < 0.27)) fail_msg("%s: %.2f of the scan", kind_names[k], share);
  }
}

HT_TEST(the_pipe_has_the_volume_of_a_cylinder) {
  static const ht_phantom_kind kind[] = {HT_PHANTOM_PIPE, HT_PHANTOM_PIPE_OBLIQUE};
  static const double cosine[] = {1, 3 / 3.7416573867739413}; /* to z; (1, 2, 3) / sqrt(14) */
  for (int i = 0; i < 2; i++) {
    ht_phantom phantom;
    make(kind[i], 0.17, NAN, &phantom);
    const ht_grid *grid = &phantom.truth.grid;
    double along = grid->dim[2] * grid->spacing_mm[2] / cosine[i];
    double expected = HT_PI * phantom.pipe_radius_mm * phantom.pipe_radius_mm * along;
    assert_near(phantom.pipe_radius_mm, 2, 0);
    assert_near(phantom.pipe_length_mm, (grid->dim[2] - 1) * grid->spacing_mm[2] / cosine[i], 1e-9);
    assert_near(truth_volume_mm3(&phantom) / expected, 1, 0.01);
    ht_phantom_free(&phantom);
  }
}

HT_TEST(the_pipes_distance_is_that_to_a_cylinder) {
  const double axis[2][3] = {{0, 0, 1}, {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)}};
  for (int i = 0; i < 2; i++)
    for (int n = 0; n < 200; n++) {
      double p[3] = {-5 + 0.05 * n, 4 - 0.037 * n, -7 + 0.07 * n}, along = 0, square = 0;
      for (int c = 0; c < 3; c++) along += p[c] * axis[i][c], square += p[c] * p[c];
      double expected = sqrt(square - along * along) - 2;
      ht_phantom_kind kind = i ? HT_PHANTOM_PIPE_OBLIQUE : HT_PHANTOM_PIPE;
      assert_near(ht_phantom_distance(kind, p), expected, 1e-9);
    }
}

HT_TEST(the_sac_and_the_narrowing_have_their_size) {
  const double sac[3] = {0.5, -8.0, 0.2};
  assert_near(ht_phantom_distance(HT_PHANTOM_ANEURYSM, sac), -3.5, 0.05);
  /* 150 degrees along the arch: radius 5; the ascending aorta: 12. */
  double s = 150 * HT_PI / 180;
  const double narrow[3] = {-14 * cos(s), -21 * cos(s), 2 + sin(s) * hypot(14, 21)};
  const double ascending[3] = {-14, -21, -35};
  assert_near(ht_phantom_distance(HT_PHANTOM_COARCTATION, narrow), -5, 0.1);
  assert_near(ht_phantom_distance(HT_PHANTOM_COARCTATION, ascending), -12, 0.1);
}

/* The slope of a distance is 1; in a fillet between two tubes, to first order. */
static double slope_at(ht_phantom_kind kind, const double p[3], double step_mm) {
  double square = 0;
  for (int c = 0; c < 3; c++) {
    double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
    up[c] += step_mm, down[c] -= step_mm;
    double rise = ht_phantom_distance(kind, up) - ht_phantom_distance(kind, down);
    square += rise * rise / (4 * step_mm * step_mm);
  }
  return sqrt(square);
}

static void position_of(const ht_grid *grid, int64_t voxel, double position_mm[3]) {
  const double index[3] = {(double)(voxel % grid->dim[0]),
                           (double)(voxel / grid->dim[0] % grid->dim[1]),
                           (double)(voxel / grid->dim[0] / grid->dim[1])};
  ht_grid_position(grid, index, position_mm);
}

HT_TEST(the_distance_has_slope_one_near_the_wall) {
  for (int k = 0; k < KINDS; k++) {
    const ht_volume *distance = &usual[k].distance;
    double spacing = distance->grid.spacing_mm[0], sum = 0, p[3];
    int64_t tested = 0, voxels = ht_grid_voxels(&distance->grid);
    for (int64_t v = 0; v < voxels; v += 11) {
      if (fabs(distance->values[v]) > 0.5 * spacing) continue;
      position_of(&distance->grid, v, p);
      assert_near(ht_phantom_distance((ht_phantom_kind)k, p), distance->values[v], 1e-4);
      double slope = slope_at((ht_phantom_kind)k, p, 1e-4 * spacing);
      if (!(slope > 0.7 && slope < 1.4))
        fail_msg("%s: slope %g at [%g %g %g]", kind_names[k], slope, p[0], p[1], p[2]);
      sum += slope;
      tested++;
    }
    assert_true(tested > 200);
    assert_near(sum / (double)tested, 1, 0.01);
  }
}

/* The distances of two voxels differ by no more than the distance between them (in fillets to first
 * order), also on the axes of the tubes and between branches. */
HT_TEST(the_distance_has_no_jumps) {
  for (int k = 0; k < KINDS; k++) {
    const ht_grid *grid = &usual[k].distance.grid;
    const int64_t stride[3] = {1, grid->dim[0], (int64_t)grid->dim[0] * grid->dim[1]};
    for (int64_t v = 0; v < ht_grid_voxels(grid); v++)
      for (int a = 0; a < 3; a++) {
        if (v / stride[a] % grid->dim[a] + 1 == grid->dim[a]) continue;
        double step = usual[k].distance.values[v + stride[a]] - usual[k].distance.values[v];
        if (fabs(step) > 1.25 * grid->spacing_mm[a])
          fail_msg("%s: %g mm over %g mm at voxel %lld", kind_names[k], step, grid->spacing_mm[a],
                   (long long)v);
      }
  }
}

HT_TEST(the_mask_is_where_the_distance_is_negative) {
  for (int k = 0; k < KINDS; k++) {
    const ht_phantom *phantom = &usual[k];
    int64_t voxels = ht_grid_voxels(&phantom->truth.grid);
    for (int64_t v = 0; v < voxels; v++)
      assert_int_equal(phantom->truth.inside[v], phantom->distance.values[v] < 0);
    assert_int_equal(ht_grid_check(&phantom->scan.grid), HT_OK);
    for (int a = 0; a < 3; a++) {
      assert_int_equal(phantom->truth.grid.dim[a], phantom->scan.grid.dim[a]);
      assert_int_equal(phantom->distance.grid.dim[a], phantom->scan.grid.dim[a]);
      assert_near(phantom->truth.grid.origin_mm[a], phantom->scan.grid.origin_mm[a], 0);
      assert_near(phantom->distance.grid.origin_mm[a], phantom->scan.grid.origin_mm[a], 0);
    }
  }
}

HT_TEST(a_coarser_scan_has_the_same_vessel) {
  ht_phantom coarse;
  make(HT_PHANTOM_ANEURYSM, 0.55, NAN, &coarse);
  assert_near(truth_volume_mm3(&usual[HT_PHANTOM_ANEURYSM]) / truth_volume_mm3(&coarse), 1, 0.01);
  ht_phantom_free(&coarse);
}

/* ---- Openings ---- */

typedef struct {
  int faces; /* bit 2 * axis + upper of every face that the patch has voxels on */
  double centre_mm[3], voxels;
} patch;

static int faces_of(const ht_grid *grid, int64_t voxel) {
  int64_t at[3] = {voxel % grid->dim[0], voxel / grid->dim[0] % grid->dim[1],
                   voxel / grid->dim[0] / grid->dim[1]};
  int faces = 0;
  for (int a = 0; a < 3; a++) {
    if (at[a] == 0) faces |= 1 << (2 * a);
    if (at[a] == grid->dim[a] - 1) faces |= 2 << (2 * a);
  }
  return faces;
}

/* Sets to 2 the voxels connected to `seed`: all of the mask, or only those at the border of the
 * grid. */
static int64_t flood(ht_mask *mask, int64_t seed, int border_only, patch *of) {
  const ht_grid *grid = &mask->grid;
  const int64_t stride[3] = {1, grid->dim[0], (int64_t)grid->dim[0] * grid->dim[1]};
  int64_t *stack = malloc((size_t)ht_grid_voxels(grid) * sizeof *stack), depth = 0, count = 0;
  assert_non_null(stack);
  mask->inside[seed] = 2;
  stack[depth++] = seed;
  while (depth > 0) {
    int64_t v = stack[--depth], at[3] = {v % stride[1], v % stride[2] / stride[1], v / stride[2]};
    double index[3] = {(double)at[0], (double)at[1], (double)at[2]}, p[3];
    ht_grid_position(grid, index, p);
    count++;
    of->faces |= faces_of(grid, v);
    for (int c = 0; c < 3; c++) of->centre_mm[c] += p[c];
    for (int side = 0; side < 6; side++) {
      int64_t to = at[side / 2] + (side % 2 ? 1 : -1),
              next = v + (side % 2 ? 1 : -1) * stride[side / 2];
      if (to < 0 || to >= grid->dim[side / 2] || mask->inside[next] != 1) continue;
      if (border_only && !faces_of(grid, next)) continue;
      mask->inside[next] = 2;
      stack[depth++] = next;
    }
  }
  for (int c = 0; c < 3; c++) of->centre_mm[c] /= (double)count;
  of->voxels = (double)count;
  free(stack);
  return count;
}

/* The patches of the mask on the border of its grid are exactly the openings. */
static void check_patches(ht_phantom *phantom) {
  const ht_grid *grid = &phantom->truth.grid;
  int found = 0, matched[HT_OPENINGS_MAX] = {0};
  for (int64_t v = 0; v < ht_grid_voxels(grid); v++) {
    if (phantom->truth.inside[v] != 1 || !faces_of(grid, v)) continue;
    patch at = {0};
    flood(&phantom->truth, v, 1, &at);
    if (at.faces & (at.faces - 1))
      fail_msg("a vessel leaves the scan over an edge: faces %x near [%g %g %g]", at.faces,
               at.centre_mm[0], at.centre_mm[1], at.centre_mm[2]);
    int face = 0, nearest = 0;
    double least = HUGE_VAL;
    while (at.faces >> face != 1) face++;
    for (int i = 0; i < phantom->openings.count; i++) {
      const double *c = phantom->openings.item[i].centre_mm;
      double off =
          hypot(hypot(c[0] - at.centre_mm[0], c[1] - at.centre_mm[1]), c[2] - at.centre_mm[2]);
      if (off < least) least = off, nearest = i;
    }
    const ht_opening *opening = &phantom->openings.item[nearest];
    const double *s = grid->spacing_mm;
    double pixel = s[0] * s[1] * s[2] / s[face / 2];
    assert_true(least < 0.75 * s[0]);
    /* A pixel on the rim counts as a whole or not at all. */
    assert_near(at.voxels * pixel, ht_opening_plane_mm2(opening),
                0.35 * sqrt(pixel) * 2 * HT_PI * opening->radius_mm);
    found++;
    matched[nearest]++;
  }
  assert_int_equal(found, phantom->openings.count);
  for (int i = 0; i < found; i++) assert_int_equal(matched[i], 1);
}

static void check_opening(const ht_phantom *phantom, ht_phantom_kind kind,
                          const ht_opening *opening) {
  const ht_grid *grid = &phantom->scan.grid;
  double index[3], normal[3], cosine = 0, length = 0;
  int on_face = 0;
  ht_grid_index(grid, opening->centre_mm, index);
  ht_grid_from_lps(grid, opening->normal, normal);
  for (int a = 0; a < 3; a++) {
    int low = fabs(index[a]) < 1e-9, high = fabs(index[a] - (grid->dim[a] - 1)) < 1e-9;
    assert_true(index[a] > -1e-9 && index[a] < grid->dim[a] - 1 + 1e-9);
    on_face += low || high;
    if (low || high) assert_near(normal[a], high ? 1 : -1, 1e-9);
    cosine += opening->normal[a] * opening->direction[a];
    length += opening->direction[a] * opening->direction[a];
  }
  assert_int_equal(on_face, 1);
  assert_int_equal(opening->at_border, 1);
  assert_near(length, 1, 1e-9);
  assert_true(cosine > 0.6);
  assert_near(opening->area_mm2, HT_PI * opening->radius_mm * opening->radius_mm, 1e-9);
  assert_near(ht_opening_plane_mm2(opening), opening->area_mm2 / cosine, 1e-9);
  assert_near(ht_phantom_distance(kind, opening->centre_mm), -opening->radius_mm,
              0.01 * opening->radius_mm);
}

static void check_roles(const ht_openings *openings) {
  int inlets = 0;
  for (int i = 0; i < openings->count; i++) {
    const ht_opening *one = &openings->item[i];
    inlets += one->role == HT_ROLE_INLET;
    assert_true(one->role == HT_ROLE_INLET || one->role == HT_ROLE_OUTLET);
    assert_int_equal(one->flow_ml_s > 0, one->role == HT_ROLE_INLET);
    for (int j = 0; j < i; j++) assert_string_not_equal(one->name, openings->item[j].name);
  }
  assert_int_equal(inlets, 1);
}

HT_TEST(openings_are_where_the_vessel_leaves_the_scan) {
  static const int count[KINDS] = {3, 5, 2, 2, 2, 2};
  /* coarse: many are made here */
  static const double spacing_mm[KINDS] = {0.5, 1.8, 0.35, 0.35, 0.8, 0.5};
  static const double tilt_max[KINDS] = {15, 10, 8, 8, 0.5, 0.5};
  for (int k = 0; k < KINDS; k++)
    for (int t = -1; t <= 2; t++) {
      ht_phantom phantom;
      make((ht_phantom_kind)k, spacing_mm[k], t == 2 ? NAN : t * tilt_max[k], &phantom);
      assert_int_equal(phantom.openings.count, count[k]);
      for (int i = 0; i < count[k]; i++)
        check_opening(&phantom, (ht_phantom_kind)k, &phantom.openings.item[i]);
      check_roles(&phantom.openings);
      check_patches(&phantom);
      ht_phantom_free(&phantom);
    }
}

HT_TEST(the_vessel_is_one_piece) {
  for (int k = 0; k < KINDS; k++) {
    const ht_mask *truth = &usual[k].truth;
    int64_t first = 0;
    ht_mask copy;
    patch whole = {0};
    assert_int_equal(ht_mask_alloc(&truth->grid, &copy), HT_OK);
    memcpy(copy.inside, truth->inside, (size_t)ht_grid_voxels(&truth->grid));
    while (!copy.inside[first]) first++;
    assert_int_equal(flood(&copy, first, 0, &whole), ht_mask_count(truth));
    ht_mask_free(&copy);
  }
}

/* ---- The ready cases ---- */

/* "  - {name: inlet, role: inlet, near_mm: [1, 2, 3], flow_ml_s: 4.5}" */
static int read_opening(const char *line, ht_opening *opening) {
  char role[16] = "";
  memset(opening, 0, sizeof *opening);
  const char *near_mm = strstr(line, "near_mm: ["), *flow = strstr(line, "flow_ml_s: ");
  if (sscanf(line, " - {name: %63[^,], role: %15[^,],", opening->name, role) != 2) return 0;
  assert_non_null(near_mm);
  assert_int_equal(sscanf(near_mm, "near_mm: [%lf, %lf, %lf]", &opening->centre_mm[0],
                          &opening->centre_mm[1], &opening->centre_mm[2]),
                   3);
  opening->role = strcmp(role, "inlet") == 0 ? HT_ROLE_INLET : HT_ROLE_OUTLET;
  if (flow) opening->flow_ml_s = strtod(flow + strlen("flow_ml_s: "), NULL);
  return 1;
}

HT_TEST(the_case_files_name_the_true_openings) {
  for (int k = 0; k < READY; k++) {
    const ht_openings *true_openings = &usual[k].openings;
    ht_opening read;
    char path[4096], line[512], wanted[64];
    int openings = 0, kinds = 0;
    snprintf(path, sizeof path, "%s/%s/case.yaml", HT_CASES_FOLDER, kind_names[k]);
    snprintf(wanted, sizeof wanted, "phantom: %s\n", kind_names[k]);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    while (fgets(line, sizeof line, file)) {
      kinds += strcmp(line, wanted) == 0;
      if (!read_opening(line, &read)) continue;
      const ht_opening *truth = &true_openings->item[openings++];
      assert_string_equal(read.name, truth->name);
      assert_int_equal(read.role, truth->role);
      assert_near(read.flow_ml_s, truth->flow_ml_s, 1e-12);
      for (int c = 0; c < 3; c++) assert_near(read.centre_mm[c], truth->centre_mm[c], 0.06);
    }
    fclose(file);
    assert_int_equal(openings, true_openings->count);
    assert_int_equal(kinds, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_vessel_alone),
      cmocka_unit_test(every_kind_has_a_name),
      cmocka_unit_test(an_unknown_kind_is_refused_with_the_list),
      cmocka_unit_test(options_out_of_range_are_refused),
      cmocka_unit_test(a_wish_to_stop_is_heard),
      cmocka_unit_test(the_vessel_is_a_small_part_of_the_scan),
      cmocka_unit_test(the_pipe_has_the_volume_of_a_cylinder),
      cmocka_unit_test(the_pipes_distance_is_that_to_a_cylinder),
      cmocka_unit_test(the_sac_and_the_narrowing_have_their_size),
      cmocka_unit_test(the_distance_has_slope_one_near_the_wall),
      cmocka_unit_test(the_distance_has_no_jumps),
      cmocka_unit_test(the_mask_is_where_the_distance_is_negative),
      cmocka_unit_test(a_coarser_scan_has_the_same_vessel),
      cmocka_unit_test(openings_are_where_the_vessel_leaves_the_scan),
      cmocka_unit_test(the_vessel_is_one_piece),
      cmocka_unit_test(the_case_files_name_the_true_openings),
  };
  return cmocka_run_group_tests(tests, make_usual, free_usual);
}
