/* The parts of the segmentation: quantiles, pieces, blocks, gaps, bone, presets, the ball as
 * region, the bias field, the level set. */
#include "segment/level/bias.h"
#include "segment/voxels/block.h"
#include "segment/level/bone.h"
#include "segment/level/gaps.h"
#include "segment/voxels/pieces.h"
#include "segment/settings/preset.h"
#include "segment/voxels/quantile.h"
#include "segment/segment.h"
#include "tests/segment/tube_scan.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

static void ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s", ht_error_message());
}

static uint32_t random_bits(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static int ascending(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

HT_TEST(selection_is_sorting) {
  enum { MANY = 5000 };
  static float values[MANY], sorted[MANY];
  static uint8_t where[MANY];
  uint32_t seed = 1;
  int64_t counted = 0;
  for (int v = 0; v < MANY; v++) {
    values[v] = ((float)random_bits(&seed) - 8e6f) * (v % 7 ? 1e-3f : 1e6f);
    where[v] = v % 3 != 0;
    if (where[v]) sorted[counted++] = values[v];
  }
  qsort(sorted, (size_t)counted, sizeof *sorted, ascending);
  for (int64_t rank = 0; rank < counted; rank += 111) {
    float found;
    ok(ht_select(values, where, MANY, rank, &found));
    assert_true(found == sorted[rank]);
  }
}

static ht_mask random_mask(int nx, int ny, int nz, int of_ten) {
  ht_grid grid = ht_grid_make(nx, ny, nz);
  ht_mask mask;
  uint32_t seed = 5;
  ok(ht_mask_alloc(&grid, &mask));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++)
    mask.inside[v] = random_bits(&seed) % 10 < (uint32_t)of_ten;
  return mask;
}

/* Neighbours in the mask are of one piece, others are counted where they are, and pieces that are
 * one by way of neighbours have one number: flooding a piece finds its stated number of voxels. */
HT_TEST(pieces_are_connected_and_whole) {
  ht_mask mask = random_mask(23, 17, 19, 3);
  const int *dim = mask.grid.dim;
  ht_pieces pieces;
  ok(ht_pieces_find(&mask, 1, &pieces));
  int64_t all = 0;
  for (int p = 0; p < pieces.count; p++) all += pieces.piece[p].voxels;
  assert_int_equal(all, ht_mask_count(&mask));
  assert_true(pieces.count > 100);
  uint8_t *seen = calloc((size_t)pieces.count, 1);
  int next = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    int piece = ht_pieces_at(&pieces, dim, at);
    assert_int_equal(piece >= 0, mask.inside[v]);
    if (piece < 0) continue;
    if (!seen[piece]) assert_int_equal(piece, next++); /* numbered as they come */
    seen[piece] = 1;
    for (int a = 0; a < 3; a++) {
      int beside[3] = {at[0], at[1], at[2]};
      if (++beside[a] == dim[a]) continue;
      int other = ht_pieces_at(&pieces, dim, beside);
      assert_true(other < 0 || other == piece);
    }
  }
  free(seen);
  ht_pieces_free(&pieces);
  ht_mask_free(&mask);
}

/* Block by block as in one: 70 voxels are two blocks along each axis. */
HT_TEST(rings_do_not_see_the_blocks) {
  ht_mask mask = random_mask(70, 66, 68, 0), ring;
  ht_volume distance;
  uint32_t seed = 3;
  int64_t voxels = ht_grid_voxels(&mask.grid);
  for (int n = 0; n < 40; n++) mask.inside[random_bits(&seed) % (uint32_t)voxels] = 1;
  ok(ht_itk_distance(&mask, NULL, &distance));
  ok(ht_mask_ring(&mask, 1, 2.5, 6.2, NULL, &ring));
  for (int64_t v = 0; v < voxels; v++)
    assert_int_equal(ring.inside[v], distance.values[v] > 2.5f && distance.values[v] <= 6.2f);
  ht_mask_free(&ring);
  ok(ht_mask_ring(&mask, 1, 4.5, INFINITY, NULL, &ring));
  for (int64_t v = 0; v < voxels; v++) assert_int_equal(ring.inside[v], distance.values[v] > 4.5f);
  ht_mask_free(&ring);
  ht_volume_free(&distance);
  ht_mask_free(&mask);
}

static void fill_box(ht_mask *mask, int x0, int x1, int y0, int y1, int z0, int z1) {
  for (int z = z0; z <= z1; z++)
    for (int y = y0; y <= y1; y++)
      for (int x = x0; x <= x1; x++) {
        const int at[3] = {x, y, z};
        mask->inside[ht_voxel_index(mask->grid.dim, at)] = 1;
      }
}

/* A vessel in two parts, two voxels apart; a notch in its side stays a notch. */
HT_TEST(a_gap_is_bridged_and_a_notch_is_not) {
  ht_mask mask = random_mask(40, 12, 12, 0);
  const int notch[3] = {6, 6, 8}, gap[3] = {18, 5, 5};
  int bridges;
  fill_box(&mask, 0, 17, 3, 8, 3, 8);
  fill_box(&mask, 20, 39, 3, 8, 3, 8);
  mask.inside[ht_voxel_index(mask.grid.dim, notch)] = 0;
  ok(ht_bridge_gaps(&mask, 0.5, NULL, &bridges));
  assert_int_equal(bridges, 0);
  ok(ht_bridge_gaps(&mask, 2, NULL, &bridges));
  assert_int_equal(bridges, 1);
  assert_int_equal(mask.inside[ht_voxel_index(mask.grid.dim, gap)], 1);
  assert_int_equal(mask.inside[ht_voxel_index(mask.grid.dim, notch)], 0);
  ht_mask_free(&mask);
}

/* Two vessels side by side, two voxels apart, have no gap between them. */
HT_TEST(vessels_side_by_side_stay_apart) {
  for (int apart = 1; apart <= 2; apart++) {
    ht_mask mask = random_mask(40, 14, 12, 0);
    int bridges;
    fill_box(&mask, 0, 39, 1, 5, 3, 8);
    fill_box(&mask, 0, 39, 6 + apart, 10 + apart, 3, 8);
    ok(ht_bridge_gaps(&mask, 2, NULL, &bridges));
    assert_int_equal(bridges, 0);
    ht_mask_free(&mask);
  }
}

/* A slab of bone with a rim as bright as blood goes, a clip of the same brightness stays. */
HT_TEST(bone_goes_with_its_rim) {
  ht_mask zone = random_mask(30, 30, 30, 10);
  ht_volume scan;
  double bone_ml;
  ok(ht_volume_alloc(&zone.grid, &scan));
  for (int64_t v = 0; v < 27000; v++) {
    int x = (int)(v % 30);
    scan.values[v] = x < 4 ? 1200 : x < 5 ? 400 : 40;
  }
  const int clip[3] = {20, 15, 15}, rim[3] = {4, 15, 15}, far[3] = {8, 15, 15};
  scan.values[ht_voxel_index(zone.grid.dim, clip)] = 1200;
  ok(ht_bone_remove(&scan, 700, NULL, &zone, &bone_ml));
  assert_near(bone_ml, 4.5, 0.5); /* 4 layers and a rim of one or two, 0.9 mL each */
  assert_int_equal(zone.inside[ht_voxel_index(zone.grid.dim, clip)], 1);
  assert_int_equal(zone.inside[ht_voxel_index(zone.grid.dim, rim)], 0);
  assert_int_equal(zone.inside[ht_voxel_index(zone.grid.dim, far)], 1);
  ht_volume_free(&scan);
  ht_mask_free(&zone);
}

HT_TEST(presets_fill_what_is_automatic) {
  char text[256];
  ht_segment_options options, used;
  ht_segment_defaults(&options);
  used = ht_preset_apply(&options, text, sizeof text);
  assert_string_equal(text, "");
  assert_true(used.bias == HT_BIAS_NONE && isnan(used.bone) && used.gap_mm == 0);
  options.preset = HT_PRESET_CTA_HEAD;
  options.method = HT_SEGMENT_LEVELSET; /* given: holds */
  used = ht_preset_apply(&options, text, sizeof text);
  assert_true(used.method == HT_SEGMENT_LEVELSET && used.bone == 700);
  assert_non_null(strstr(text, "cta-head: method levelset"));
  assert_non_null(strstr(text, "bone above 700"));
  options.preset = HT_PRESET_TOF_MRA;
  options.bias = HT_BIAS_NONE;
  used = ht_preset_apply(&options, text, sizeof text);
  assert_true(used.bias == HT_BIAS_NONE && used.gap_mm == 1 && isnan(used.bone));
}

HT_TEST(a_ball_is_a_region) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_options options;
  double beyond = 0;
  tube_scan_volume(&make, &scan);
  ht_segment_defaults(&options);
  options.spacing_mm = 0.4;
  options.has_sphere = 1;
  options.sphere_radius_mm = 7;
  memcpy(options.sphere_mm, make.tube[0].through, sizeof options.sphere_mm);
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
    double p[3], square = 0;
    if (!mask.inside[v]) continue;
    ht_grid_voxel_position(&mask.grid, v, p);
    for (int r = 0; r < 3; r++) square += pow(p[r] - options.sphere_mm[r], 2);
    beyond = fmax(beyond, sqrt(square));
  }
  assert_true(beyond > 6.5 && beyond < 7.8); /* to about a voxel, 0.8 mm */
  ht_mask_free(&mask);
  options.sphere_mm[0] = 500;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_CASE);
  const double between[3] = {20.5, 20.5,
                             20.5}; /* the box around the ball has voxels, it has none */
  ht_grid_position(&scan.grid, between, options.sphere_mm);
  options.sphere_radius_mm = 0.45;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "no voxel of the scan lies in the ball"));
  options.sphere_radius_mm = 0;
  assert_int_equal(ht_segment_check(&options), HT_ERR_CASE);
  ht_volume_free(&scan);
}

/* Two tissues under a slope of 40 %: the slope is found to a tenth of itself. */
HT_TEST(the_bias_field_is_found) {
  ht_grid grid = ht_grid_make(40, 36, 32);
  const ht_box all = {{0, 0, 0}, {39, 35, 31}};
  const int first[3] = {0, 0, 0};
  ht_volume scan;
  ht_bias bias;
  uint32_t seed = 9;
  ok(ht_volume_alloc(&grid, &scan));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int x = (int)(v % 40), tissue = (x / 5 + (int)(v / 40 / 6)) % 2 ? 300 : 200;
    double noise = (double)(random_bits(&seed) % 1000) / 100;
    scan.values[v] = (float)((tissue + noise) * (0.8 + 0.4 * x / 39));
  }
  ok(ht_bias_find(&scan, &all, NULL, &bias));
  ht_bias_divide(&bias, first, &scan);
  double low = 0, high = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    if (v % 40 < 10) low += scan.values[v];
    if (v % 40 >= 30) high += scan.values[v];
  }
  if (fabs(high / low - 1) > 0.05) fail_msg("%.3f remains of 1.36", high / low);
  ht_bias_free(&bias);
  ht_volume_free(&scan);
}

HT_TEST(the_level_set_finds_the_tube) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_report report;
  ht_segment_options options;
  tube_scan_volume(&make, &scan);
  ht_segment_defaults(&options);
  options.method = HT_SEGMENT_LEVELSET;
  options.spacing_mm = 0.25;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  double ratio = tube_scan_volume_ratio(&make, &mask);
  if (fabs(ratio - 1) > 0.04) fail_msg("volume ratio %.3f", ratio); /* 0.08 voxel of radius */
  assert_int_equal(tube_scan_wrong(&make, &mask, 0.25), 0);
  assert_non_null(strstr(report.method, "level set from threshold"));
  ht_mask_free(&mask);
  options.method = HT_SEGMENT_FILE;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "mask: FILE"));
  ht_volume_free(&scan);
}

/* Black blood: the threshold finds it, the level set would take all around it, too. */
HT_TEST(the_level_set_refuses_a_dark_vessel) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  ht_mask mask;
  ht_segment_options options;
  make.tissue = 300;
  make.blood = 100;
  tube_scan_volume(&make, &scan);
  ht_segment_defaults(&options);
  options.spacing_mm = 0.25;
  options.lower = 0;
  options.upper = 200;
  options.method = HT_SEGMENT_THRESHOLD;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
  assert_near(tube_scan_volume_ratio(&make, &mask), 1, 0.04);
  ht_mask_free(&mask);
  options.method = HT_SEGMENT_LEVELSET;
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, NULL), HT_ERR_VESSEL);
  assert_non_null(strstr(ht_error_message(), "brighter"));
  assert_null(mask.inside);
  ht_volume_free(&scan);
}

/* The smoothing keeps the volume: that of the same scan without noise, smoothed or not. */
HT_TEST(smoothing_keeps_the_volume) {
  tube_scan make = tube_scan_default();
  ht_volume scan;
  int64_t nodes[2];
  make.noise = 0;
  tube_scan_volume(&make, &scan);
  for (int smooth = 0; smooth < 2; smooth++) {
    ht_mask mask;
    ht_segment_options options;
    ht_segment_defaults(&options);
    options.spacing_mm = 0.2;
    options.lower = 200;
    options.smoothing_mm = smooth ? 0.5 : 0; /* a voxel */
    ok(ht_segment_volume(&scan, &options, NULL, &mask, NULL));
    nodes[smooth] = ht_mask_count(&mask);
    ht_mask_free(&mask);
  }
  double change = (double)nodes[1] / (double)nodes[0] - 1;
  if (fabs(change) > 0.01) fail_msg("the volume changed by %.2f %%", 100 * change);
  ht_volume_free(&scan);
}

/* Paints kinds: arteries inside the tubes, and from column `beyond` on another kind. */
static void see(const tube_scan *make, int beyond, int kind, ht_mask *seen) {
  tube_scan_mask(make, seen);
  for (int64_t v = 0; v < ht_grid_voxels(&seen->grid); v++) {
    int at[3];
    ht_voxel_place(seen->grid.dim, v, at);
    seen->inside[v] = seen->inside[v] ? HT_SEEN_ARTERY : HT_SEEN_BACKGROUND;
    if (at[0] >= beyond) seen->inside[v] = (uint8_t)kind;
  }
}

/* A wall of bone as bright as blood touches the tube along its length. */
HT_TEST(the_vessel_is_where_an_artery_is_seen) {
  tube_scan make = tube_scan_default();
  enum { BONE = 34 };
  ht_volume scan;
  ht_mask mask, seen;
  ht_segment_report report;
  ht_segment_options options;
  tube_scan_volume(&make, &scan);
  see(&make, BONE, HT_SEEN_HARD, &seen);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++)
    if (seen.inside[v] == HT_SEEN_HARD && v / make.dim[0] % make.dim[1] < 40) scan.values[v] = 300;
  ht_segment_defaults(&options);
  options.method = HT_SEGMENT_THRESHOLD;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  const double with_bone_ml = report.volume_ml;
  ht_mask_free(&mask);
  options.seen = &seen;
  ok(ht_segment_volume(&scan, &options, NULL, &mask, &report));
  assert_non_null(strstr(report.method, "network, level set from"));
  assert_near(report.lower, 200, 10);
  assert_true(with_bone_ml > 4 * report.volume_ml);
  assert_true(tube_scan_wrong(&make, &mask, 0.5) < ht_mask_count(&mask) / 10);
  ht_mask_free(&mask);
  ht_mask_free(&seen);
  see(&make, 0, HT_SEEN_OTHER, &seen);
  assert_int_equal(ht_segment_volume(&scan, &options, NULL, &mask, &report), HT_ERR_VESSEL);
  assert_non_null(strstr(ht_error_message(), "sees no artery"));
  ht_mask_free(&seen);
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(selection_is_sorting),
      cmocka_unit_test(pieces_are_connected_and_whole),
      cmocka_unit_test(rings_do_not_see_the_blocks),
      cmocka_unit_test(a_gap_is_bridged_and_a_notch_is_not),
      cmocka_unit_test(vessels_side_by_side_stay_apart),
      cmocka_unit_test(bone_goes_with_its_rim),
      cmocka_unit_test(presets_fill_what_is_automatic),
      cmocka_unit_test(a_ball_is_a_region),
      cmocka_unit_test(the_bias_field_is_found),
      cmocka_unit_test(the_level_set_finds_the_tube),
      cmocka_unit_test(the_level_set_refuses_a_dark_vessel),
      cmocka_unit_test(smoothing_keeps_the_volume),
      cmocka_unit_test(the_vessel_is_where_an_artery_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
