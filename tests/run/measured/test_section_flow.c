/* Tests of run/measured: sections of a vessel in a plane, and the measured flow through them, of
 * phantoms whose flow is known. */
#include "tests/check.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "phantom/phase_contrast/flow_images.h"
#include "run/measured/measured_frame.h"
#include "run/measured/opening_flow.h"
#include <stdlib.h>
#include <string.h>

static void assert_ok(ht_status status) {
  if (status != HT_OK) fail_msg("%d: %s", (int)status, ht_error_message());
}

static void says(const char *text) {
  if (!strstr(ht_error_message(), text)) fail_msg("'%s' lacks '%s'", ht_error_message(), text);
}

static void make_images(int is_plane, double percent, double across, int orientation,
                        ht_pc_phantom *made) {
  ht_phantom_options phantom;
  ht_pc_options options;
  ht_phantom_defaults(HT_PHANTOM_COARCTATION, &phantom);
  ht_pc_defaults(&options);
  options.is_plane = is_plane;
  options.plane_percent = percent;
  options.voxels_across = across;
  options.orientation = orientation;
  options.noise = is_plane ? 0.05 : 0.02; /* venc is that of the jet */
  options.times = is_plane ? 20 : 8;
  assert_ok(ht_pc_make(&phantom, &options, made));
}

/* A coarctation of an aorta, and its flow as a volume: the ascending and the descending aorta cross
 * a plane below the arch, three branches one above it. */
typedef struct {
  ht_phantom phantom;
  ht_pc_phantom volume;
} vessel;

static int make_vessel(void **state) {
  ht_phantom_options options;
  vessel *made = calloc(1, sizeof *made);
  *state = made;
  ht_phantom_defaults(HT_PHANTOM_COARCTATION, &options);
  if (!made || ht_phantom_make(&options, NULL, &made->phantom) != HT_OK) return 1;
  make_images(0, 0, 9, 3, &made->volume);
  return 0;
}

static int free_vessel(void **state) {
  vessel *made = *state;
  ht_phantom_free(&made->phantom);
  ht_pc_free(&made->volume);
  free(made);
  return 0;
}

static double truth(const ht_pc_phantom *made) {
  double sum = 0;
  for (int t = 0; t < made->measured.times; t++) sum += made->flow_ml_s[t];
  return sum / made->measured.times;
}

static void the_sections_of_a_plane_are_told_apart(void **state) {
  const ht_phantom *phantom = &((vessel *)*state)->phantom;
  static const double below[3] = {0, 0, -30}, up[3] = {0, 0, 1};
  ht_vessel_cut cut;
  ht_cut_piece piece;
  int ascending, descending;
  double away;
  assert_ok(ht_vessel_cut_make(&phantom->truth, below, up, &cut));
  assert_int_equal(cut.sections, 2);
  ascending = ht_vessel_cut_nearest(&cut, phantom->openings.item[0].centre_mm, 5, &away);
  descending = ht_vessel_cut_nearest(&cut, phantom->openings.item[1].centre_mm, 5, NULL);
  assert_int_not_equal(ascending, descending);
  assert_near(away, 0, 1);
  assert_near(cut.section[ascending].area_mm2, 452.4, 15);
  assert_near(cut.section[descending].area_mm2, 254.5, 10);
  assert_int_equal(ht_vessel_cut_nearest(&cut, below, 2, NULL), -1);
  assert_ok(ht_vessel_cut_piece(&cut, ascending, &phantom->openings, 0, &piece));
  assert_true(piece.alone);
  assert_int_equal(piece.side, -1);
  assert_ok(ht_vessel_cut_piece(&cut, descending, &phantom->openings, 0, &piece));
  assert_false(piece.alone); /* the branches */
  assert_ok(ht_vessel_cut_piece(&cut, descending, &phantom->openings, 1, &piece));
  assert_true(piece.alone);
  ht_vessel_cut_free(&cut);
}

/* Planes of the ascending aorta, across and with their pixels' axes in other orders. */
static void the_flow_through_a_plane_is_right(void **state) {
  const ht_phantom *phantom = &((vessel *)*state)->phantom;
  static const struct {
    double across, bar;
    int orientation;
  } cases[] = {{8, 2, 0}, {8, 2, 13}, {5, 5, 6}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    ht_pc_phantom made;
    ht_vessel_cut cut;
    ht_section_flow flow;
    ht_cut_piece piece;
    make_images(1, 5, cases[c].across, cases[c].orientation, &made);
    assert_ok(ht_measured_plane_cut(&made.measured, &phantom->truth, &cut));
    const int section = ht_vessel_cut_nearest(&cut, made.station.point_mm, 1, NULL);
    assert_ok(ht_vessel_cut_piece(&cut, section, &phantom->openings, 0, &piece));
    assert_true(piece.alone);
    assert_ok(ht_section_flow_measure(&made.measured, &cut, section, &flow));
    const double wanted = truth(&made);
    assert_near(-piece.side * flow.mean_ml_s, wanted, cases[c].bar / 100 * wanted);
    for (int t = 0; t < flow.times; t++)
      assert_near(-piece.side * flow.flow_ml_s[t], made.flow_ml_s[t], 0.2 * wanted); /* noise */
    assert_near(flow.across, cases[c].across, 0.3);
    assert_near(flow.beyond_ml_s, 0, 0.03 * wanted);
    ht_section_flow_free(&flow);
    made.measured.grid.origin_mm[0] += 7; /* the patient moved */
    assert_ok(ht_section_flow_measure(&made.measured, &cut, section, &flow));
    assert_true(-piece.side * flow.beyond_ml_s > 0.08 * wanted);
    ht_section_flow_free(&flow);
    ht_vessel_cut_free(&cut);
    ht_pc_free(&made);
  }
}

/* Sections of a volume, straight and at an angle to the vessel and to the voxels. */
static void the_flow_in_a_volume_is_right_at_any_angle(void **state) {
  const ht_phantom *phantom = &((vessel *)*state)->phantom;
  static const double normals[][3] = {{0, 0, 1}, {0.3, 0.1, 0.95}, {-0.4, 0.4, 0.82}};
  const ht_pc_phantom *made = &((vessel *)*state)->volume;
  const double wanted = truth(made);
  for (size_t n = 0; n < sizeof normals / sizeof *normals; n++)
    for (int k = 0; k < 4; k++) {
      ht_vessel_cut cut;
      ht_section_flow flow;
      double normal[3], point[3];
      for (int r = 0; r < 3; r++) {
        normal[r] = normals[n][r];
        point[r] = made->station.point_mm[r] + 1.1 * k * made->station.along[r];
      }
      ht_normalise(normal);
      assert_ok(ht_vessel_cut_make(&phantom->truth, point, normal, &cut));
      assert_ok(ht_section_flow_measure(&made->measured, &cut,
                                        ht_vessel_cut_nearest(&cut, point, 1, NULL), &flow));
      assert_near(flow.mean_ml_s, wanted, 0.02 * wanted);
      ht_section_flow_free(&flow);
      ht_vessel_cut_free(&cut);
    }
}

/* Each outlet gets the share of its area, and the narrow branches are too few voxels wide. */
static void the_flow_of_each_opening_is_measured(void **state) {
  const ht_phantom *phantom = &((vessel *)*state)->phantom;
  const ht_measured_flow *images = &((vessel *)*state)->volume.measured;
  const double wanted = truth(&((vessel *)*state)->volume), shares = 81 + 25 + 16 + 20.25;
  for (int i = 0; i < phantom->openings.count; i++) {
    ht_opening_flow flow;
    assert_ok(ht_opening_flow_measure(images, &phantom->truth, &phantom->openings, i, &flow));
    if (i < 2) {
      assert_near(flow.mean_ml_s, i == 0 ? wanted : -wanted * 81 / shares, 0.02 * wanted);
      assert_int_equal(flow.sections, 5);
      assert_near(flow.spread, 0, 0.02);
      assert_near(flow.across, i == 0 ? 9 : 6.75, 0.5);
      assert_near(ht_dot(flow.normal, phantom->openings.item[i].direction), -1, 0.03);
    } else if (flow.sections == 0) {
      assert_non_null(strstr(flow.why, "voxels of the measured images wide"));
    } else {
      assert_true(flow.mean_ml_s < 0);
    }
    ht_opening_flow_free(&flow);
  }
}

static void what_cannot_be_measured_is_refused(void **state) {
  const ht_phantom *phantom = &((vessel *)*state)->phantom;
  const double across[3] = {0, 1, 0};
  ht_pc_phantom made;
  ht_vessel_cut cut;
  ht_section_flow flow;
  make_images(1, 5, 8, 0, &made);
  ht_grid *grid = &made.measured.grid;
  const ht_grid whole = *grid;
  grid->origin_mm[2] = -64; /* below the vessel, which ends at -54 */
  assert_int_equal(ht_measured_plane_cut(&made.measured, &phantom->truth, &cut), HT_ERR_CASE);
  says("misses the vessel: they are ");
  assert_near(atof(strstr(ht_error_message(), "they are ") + 9), 10, 1.5);
  *grid = whole;
  grid->origin_mm[0] += 13; /* over its middle */
  assert_ok(ht_measured_plane_cut(&made.measured, &phantom->truth, &cut));
  assert_int_equal(ht_section_flow_measure(&made.measured, &cut, 0, &flow), HT_ERR_CASE);
  says("outside the measured images");
  ht_vessel_cut_free(&cut);
  *grid = whole;
  memcpy(made.measured.encoding[0].direction, across, sizeof across);
  assert_ok(ht_measured_plane_cut(&made.measured, &phantom->truth, &cut));
  assert_int_equal(ht_section_flow_measure(&made.measured, &cut, 0, &flow), HT_ERR_CASE);
  says("90 degrees from the normal");
  ht_vessel_cut_free(&cut);
  ht_pc_free(&made);
}

/* Another examination: turned by 100 degrees and shifted; landmarks found in both bring it back. */
static void landmarks_bring_a_moved_flow_back(void **state) {
  const ht_phantom *phantom = &((vessel *)*state)->phantom;
  ht_pc_phantom *made = &((vessel *)*state)->volume;
  const double c = cos(100 * HT_PI / 180), s = sin(100 * HT_PI / 180);
  const ht_rigid_move away = {.turn = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}}, .shift_mm = {60, -7, 12}};
  const double scan[5][3] = {{0, 0, 0}, {40, 3, -8}, {5, 50, 20}, {-20, 10, 60}, {80, 6, -16}};
  const double point[3] = {made->station.point_mm[0], made->station.point_mm[1],
                           made->station.point_mm[2]};
  double measured[5][3];
  ht_rigid_move back;
  ht_vessel_cut cut;
  for (int m = 0; m < 2; m++) { /* before the move, and after both */
    ht_section_flow flow;
    assert_ok(ht_vessel_cut_make(&phantom->truth, point, made->station.along, &cut));
    assert_ok(ht_section_flow_measure(&made->measured, &cut,
                                      ht_vessel_cut_nearest(&cut, point, 1, NULL), &flow));
    assert_near(flow.mean_ml_s, truth(made), 0.02 * truth(made));
    ht_section_flow_free(&flow);
    ht_vessel_cut_free(&cut);
    if (m) break;
    ht_measured_flow_move(&made->measured, &away);
    for (int i = 0; i < 5; i++) {
      memcpy(measured[i], scan[i], sizeof measured[i]);
      ht_rigid_move_place(&away, measured[i]);
    }
    for (int count = 3; count < 5; count++) {
      assert_ok(ht_rigid_move_fit(count, (const double(*)[3])measured, scan, &back));
      assert_near(back.rms_mm, 0, 1e-9);
      assert_near(back.turn[0][2], -s, 1e-9);
    }
    ht_measured_flow_move(&made->measured, &back);
  }
  measured[3][1] += 2; /* badly found: three others say so */
  assert_ok(ht_rigid_move_fit(4, (const double(*)[3])measured, scan, &back));
  assert_true(back.rms_mm > 0.2 && back.rms_mm < 1);
  assert_ok(ht_rigid_move_fit(1, (const double(*)[3])measured, scan, &back));
  assert_near(back.shift_mm[0], scan[0][0] - measured[0][0], 1e-12);
  assert_near(back.turn[1][1], 1, 0);
  assert_int_equal(ht_rigid_move_fit(2, (const double(*)[3])measured, scan, &back), HT_ERR_CASE);
  says("2 landmarks: give one");
  const double line[3][3] = {{0, 0, 0}, {40, 3, -8}, {80, 6, -15}};
  assert_int_equal(ht_rigid_move_fit(3, line, line, &back), HT_ERR_CASE);
  says("nearly on a line");
}

/* The record of a scan keeps its frame, or a pseudonym of it. */
HT_TEST(another_frame_of_reference_is_refused) {
  ht_measured_flow flow = {.frame_uid = "1.2.3"};
  ht_study scan = {.frame_uid = "1.2.3"};
  assert_ok(ht_measured_frame_check(&flow, &scan, "remedy"));
  flow.landmarks = 1, flow.frame_uid[0] = 0;
  assert_ok(ht_measured_frame_check(&flow, &scan, "remedy"));
  flow.landmarks = 0, strcpy(flow.frame_uid, "1.2.3");
  if (ht_identity_hide_study(&scan) == HT_OK) {
    assert_string_not_equal(scan.frame_uid, "1.2.3");
    assert_ok(ht_measured_frame_check(&flow, &scan, "remedy"));
  }
  strcpy(flow.frame_uid, "1.2.4");
  assert_int_equal(ht_measured_frame_check(&flow, &scan, "remedy"), HT_ERR_CASE);
  says("wrong frame of reference: the measured flow and the scan have different ones");
  scan.frame_uid[0] = 0;
  assert_int_equal(ht_measured_frame_check(&flow, &scan, "remedy"), HT_ERR_CASE);
  says("the scan does not tell its own");
  says("remedy");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sections_of_a_plane_are_told_apart),
      cmocka_unit_test(the_flow_through_a_plane_is_right),
      cmocka_unit_test(the_flow_in_a_volume_is_right_at_any_angle),
      cmocka_unit_test(the_flow_of_each_opening_is_measured),
      cmocka_unit_test(what_cannot_be_measured_is_refused),
      cmocka_unit_test(landmarks_bring_a_moved_flow_back),
      cmocka_unit_test(another_frame_of_reference_is_refused),
  };
  return cmocka_run_group_tests(tests, make_vessel, free_vessel);
}
