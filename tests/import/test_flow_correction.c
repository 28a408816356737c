/* Tests of import/flow_correction against the true flow of phantoms. */
#include "tests/check.h"
#include "core/numbers/vector3.h"
#include "import/flow_correction/flow_correction.h"
#include "import/flow_correction/noise_mask.h"
#include "import/flow_correction/unwrap.h"
#include "phantom/phase_contrast/flow_images.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_ok(ht_status status) {
  if (status != HT_OK) fail_msg("%d: %s", (int)status, ht_error_message());
}

static void make_phantom(ht_phantom_kind kind, const ht_pc_options *options, ht_pc_phantom *made) {
  ht_phantom_options phantom;
  ht_phantom_defaults(kind, &phantom);
  assert_ok(ht_pc_make(&phantom, options, made));
}

/* Returns the part of the values that a smaller venc leaves wrong by one lap or more, in per cent,
 * among voxels whose true velocities spread by less than half of venc over their neighbours. */
static double wrong_percent(int is_plane, int times, double times_venc, double noise) {
  ht_pc_options options;
  ht_pc_phantom truth, made;
  ht_flow_corrected done = {NULL};
  int64_t wrong = 0, count = 0, wrapped = 0;
  ht_pc_defaults(&options);
  options.is_plane = is_plane;
  options.times = times;
  if (!is_plane) options.voxels_across = 5;                /* a plane: 8 */
  make_phantom(HT_PHANTOM_PIPE_OBLIQUE, &options, &truth); /* venc is 1.1 times the peak */
  options.venc_m_s = truth.measured.encoding[0].venc_m_s / 1.1 / times_venc;
  options.noise = noise;
  make_phantom(HT_PHANTOM_PIPE_OBLIQUE, &options, &made);
  assert_ok(ht_flow_mask_noise(&made.measured, &done));
  const ht_measured_flow *m = &made.measured;
  const int64_t voxels = ht_grid_voxels(&m->grid);
  const double venc = m->encoding[0].venc_m_s;
  for (int t = 0; t < m->times; t++)
    for (int e = 0; e < m->encodings; e++)
      for (int64_t v = 0; v < voxels; v++)
        wrapped += fabs(ht_measured_part(&truth.measured, t, e)[v]) > venc;
  assert_true(wrapped > 0);
  assert_ok(ht_flow_unwrap(&made.measured, &done));
  for (int t = 0; t < m->times; t++)
    for (int e = 0; e < m->encodings; e++)
      for (int64_t v = 0; v < voxels; v++) {
        const double away =
            fabs(ht_measured_part(m, t, e)[v] - ht_measured_part(&truth.measured, t, e)[v]);
        if (m->magnitude[t * voxels + v] < 700 || truth.measured.magnitude[v] < 990) continue;
        count++;
        wrong += away > venc;
      }
  ht_flow_corrected_free(&done);
  ht_pc_free(&truth);
  ht_pc_free(&made);
  return 100. * (double)wrong / (double)count;
}

HT_TEST(wrapped_velocities_are_unwrapped) {
  for (int n = 0; n < 2; n++) {
    assert_near(wrong_percent(1, 20, 1.4, 0.05 * n), 0, 0);
    assert_near(wrong_percent(1, 20, 2.1, 0.05 * n), 0, 1);
  }
  assert_near(wrong_percent(0, 8, 2.1, 0.05), 0, 1);
  assert_near(wrong_percent(1, 4, 2.1, 0.05), 0, 1);
}

/* ---- Offset and noise ---- */

/* Flow through the plane, mean over the beat, mL/s, along the vessel. */
static double mean_flow(const ht_measured_flow *flow, const ht_vessel_station *station) {
  uint8_t inside[64 * 64];
  float share[64 * 64];
  double sum = 0, p[3];
  for (int64_t i = 0; i < ht_grid_voxels(&flow->grid); i++) {
    ht_grid_voxel_position(&flow->grid, i, p);
    inside[i] =
        ht_distance(p, station->point_mm) < station->radius_mm + 0.5 * flow->grid.spacing_mm[0];
  }
  ht_measured_share(flow, inside, share);
  for (int t = 0; t < flow->times; t++) sum += ht_measured_plane_flow(flow, t, 0, share);
  return sum / flow->times;
}

static void make_offset(ht_phantom_kind kind, double offset, ht_pc_phantom *made) {
  ht_pc_options options;
  ht_pc_defaults(&options);
  options.is_plane = 1;
  options.plane_percent = 20;
  options.voxels_across = 12;
  options.noise = 0.03;
  options.offset = offset;
  make_phantom(kind, &options, made);
}

HT_TEST(the_phase_offset_is_found_in_still_tissue) {
  for (int order = 1; order <= 2; order++) {
    const ht_flow_corrections wanted = {.offset_order = order};
    ht_import_notes notes = {"", ""};
    ht_flow_corrected done;
    ht_pc_phantom made, plain;
    make_offset(HT_PHANTOM_COARCTATION, 0.06, &made);
    make_offset(HT_PHANTOM_COARCTATION, 0, &plain);
    const double venc = made.measured.encoding[0].venc_m_s;
    const double wanted_ml_s = mean_flow(&plain.measured, &made.station);
    assert_ok(ht_flow_correct(&made.measured, &wanted, &notes, &done));
    assert_near(done.offset[0][0], 0, 0.005 * venc);
    assert_near(done.offset[0][1], 0.06 * 0.6 * venc, 0.005 * venc);
    assert_near(done.offset[0][2], 0.06 * 0.4 * venc, 0.005 * venc);
    assert_near(mean_flow(&made.measured, &made.station), wanted_ml_s, 0.02 * fabs(wanted_ml_s));
    assert_non_null(strstr(notes.text, order == 2 ? "quadratic" : "a plane was fitted"));
    ht_flow_corrected_free(&done);
    ht_pc_free(&made);
    ht_pc_free(&plain);
  }
}

/* Few times and a venc far above the flow: the noise hides in each voxel that the blood flows. */
HT_TEST(slow_blood_is_not_still_tissue) {
  static const ht_flow_corrections automatic;
  ht_pc_options options;
  ht_pc_phantom made;
  ht_flow_corrected done;
  ht_pc_defaults(&options);
  options.times = 5;
  options.noise = 0.03;
  options.venc_m_s = 3;
  make_phantom(HT_PHANTOM_COARCTATION, &options, &made);
  assert_ok(ht_flow_correct(&made.measured, &automatic, NULL, &done));
  assert_true(done.still > 10000);
  /* Of the noise of 23,500 voxels, 0.04 m/s each, some 0.0005 are left; the blood has up to 1. */
  for (int e = 0; e < made.measured.encodings; e++)
    for (int k = 0; k < 4; k++) assert_near(done.offset[e][k], 0, 0.001 * options.venc_m_s);
  ht_flow_corrected_free(&done);
  ht_pc_free(&made);
}

/* In noise that hides the beat, some blood passes for still tissue, and its flow for an offset; not
 * where the vessel is known. */
HT_TEST(a_known_vessel_is_no_still_tissue) {
  const ht_flow_corrections wanted = {.noise = HT_CORRECT_OFF, .unwrap = HT_CORRECT_OFF};
  double flow[2], plain = 0;
  for (int known = 0; known < 2; known++) {
    ht_flow_corrections with = wanted;
    ht_flow_corrected done;
    ht_pc_phantom made;
    ht_pc_options options;
    uint8_t vessel[64 * 64];
    double p[3];
    ht_pc_defaults(&options);
    options.is_plane = 1;
    options.voxels_across = 12;
    options.venc_m_s = 2.72; /* 8 times the peak */
    options.noise = 0.05;
    make_phantom(HT_PHANTOM_PIPE, &options, &made);
    plain = mean_flow(&made.measured, &made.station);
    for (int64_t i = 0; i < ht_grid_voxels(&made.measured.grid); i++) {
      ht_grid_voxel_position(&made.measured.grid, i, p);
      vessel[i] = ht_distance(p, made.station.point_mm) < 1.3 * made.station.radius_mm;
    }
    if (known) with.vessel = vessel;
    assert_ok(ht_flow_correct(&made.measured, &with, NULL, &done));
    assert_true(done.still > 100);
    flow[known] = mean_flow(&made.measured, &made.station);
    ht_flow_corrected_free(&done);
    ht_pc_free(&made);
  }
  assert_near(flow[0] / plain, 1, 0.08);
  assert_near(flow[1] / plain, 1, 0.03);
}

HT_TEST(air_is_masked_and_the_vessel_is_not) {
  ht_pc_phantom made;
  ht_flow_corrected done = {NULL};
  int64_t air = 0, masked = 0;
  double p[3];
  make_offset(HT_PHANTOM_PIPE, 0, &made);
  assert_ok(ht_flow_mask_noise(&made.measured, &done));
  for (int64_t i = 0; i < ht_grid_voxels(&made.measured.grid); i++) {
    ht_grid_voxel_position(&made.measured.grid, i, p);
    const double away = ht_distance(p, made.station.point_mm) / made.station.radius_mm;
    if (away < 3.5) assert_int_equal(done.noise[i], 0);
    air += away > 4.1;
    masked += away > 4.1 && done.noise[i];
  }
  assert_true(air > 10);
  assert_true(masked > 0.95 * (double)air);
  ht_flow_corrected_free(&done);
  ht_pc_free(&made);
}

HT_TEST(what_is_off_changes_nothing) {
  const ht_flow_corrections off = {HT_CORRECT_OFF, HT_CORRECT_OFF, HT_CORRECT_OFF, 1, NULL};
  ht_pc_phantom made, plain;
  ht_flow_corrected done;
  make_offset(HT_PHANTOM_COARCTATION, 0.06, &made);
  make_offset(HT_PHANTOM_COARCTATION, 0.06, &plain);
  assert_ok(ht_flow_correct(&made.measured, &off, NULL, &done));
  assert_memory_equal(made.measured.velocity_m_s, plain.measured.velocity_m_s,
                      (size_t)(ht_grid_voxels(&made.measured.grid) * made.measured.times) *
                          sizeof(float));
  ht_flow_corrected_free(&done);
  ht_pc_free(&made);
  ht_pc_free(&plain);
}

/* All at once, as a scanner gives them: wrapped, with noise and an offset. */
HT_TEST(the_corrected_flow_is_right) {
  static const ht_flow_corrections automatic;
  ht_pc_options options;
  ht_pc_phantom made;
  ht_flow_corrected done;
  ht_pc_defaults(&options);
  options.is_plane = 1;
  options.plane_percent = 20;
  options.voxels_across = 10;
  options.noise = 0.05;
  options.offset = 0.05;
  options.venc_m_s = 0.5; /* the peak is 0.69 */
  make_phantom(HT_PHANTOM_COARCTATION, &options, &made);
  const double truth = made.station.flow_ml_s;
  assert_true(fabs(mean_flow(&made.measured, &made.station) / truth - 1) > 0.1);
  assert_ok(ht_flow_correct(&made.measured, &automatic, NULL, &done));
  assert_true(done.unwrapped > 20);
  assert_near(mean_flow(&made.measured, &made.station) / truth, 1, 0.02);
  ht_flow_corrected_free(&done);
  ht_pc_free(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrapped_velocities_are_unwrapped),
      cmocka_unit_test(the_phase_offset_is_found_in_still_tissue),
      cmocka_unit_test(slow_blood_is_not_still_tissue),
      cmocka_unit_test(a_known_vessel_is_no_still_tissue),
      cmocka_unit_test(air_is_masked_and_the_vessel_is_not),
      cmocka_unit_test(what_is_off_changes_nothing),
      cmocka_unit_test(the_corrected_flow_is_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
