/* Tests of flow.measured: the inflow of a case from phase-contrast images of every make. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "core/disk/file.h"
#include "core/numbers/vector3.h"
#include "phantom/phase_contrast/flow_images.h"
#include "run/measured/flow_course.h"
#include "run/measured/measured_inlet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_ok(ht_status status) {
  if (status != HT_OK) fail_msg("%d: %s", (int)status, ht_error_message());
}

static void says(const char *text) {
  if (!strstr(ht_error_message(), text)) fail_msg("'%s' lacks '%s'", ht_error_message(), text);
}

/* An aorta with a coarctation, the images of its flow, and the case that they go into. */
typedef struct {
  char folder[64], images[80];
  ht_phantom phantom;
  ht_pc_phantom plane;
  ht_case settings;
  ht_manifest manifest;
} fixture;

static void make_images(const ht_pc_options *options, ht_pc_phantom *made) {
  ht_phantom_options phantom;
  ht_phantom_defaults(HT_PHANTOM_COARCTATION, &phantom);
  assert_ok(ht_pc_make(&phantom, options, made));
  strcpy(made->measured.frame_uid, "1.2.3");
}

static ht_pc_options plane_options(void) {
  ht_pc_options options;
  ht_pc_defaults(&options);
  options.is_plane = 1;
  options.plane_percent = 5;
  options.noise = 0.03;
  return options;
}

static int begin(void **state) {
  fixture *f = calloc(1, sizeof *f);
  ht_phantom_options options;
  const ht_pc_options plane = plane_options();
  *state = f;
  if (!f) return 1;
  strcpy(f->folder, "/tmp/test_measured_inlet.XXXXXX");
  if (!mkdtemp(f->folder)) return 1;
  snprintf(f->images, sizeof f->images, "%s/images", f->folder);
  ht_phantom_defaults(HT_PHANTOM_COARCTATION, &options);
  if (ht_phantom_make(&options, NULL, &f->phantom) != HT_OK) return 1;
  f->phantom.openings.item[0].flow_ml_s = 0;
  make_images(&plane, &f->plane);
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", f->folder);
  const int failed = system(command) != 0;
  ht_phantom_free(&f->phantom);
  ht_pc_free(&f->plane);
  free(f);
  return failed;
}

static void store(fixture *f, ht_measured_flow *flow, ht_pc_convention convention, int turn) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", f->images);
  assert_int_equal(system(command), 0);
  assert_ok(ht_pc_write(f->images, flow, convention, turn));
}

/* Takes the images as the inflow of a fresh case. */
static ht_status take(fixture *f, ht_openings *openings) {
  ht_measured_vessel vessel = {
      .folder = f->folder, .mask = &f->phantom.truth, .openings = f->phantom.openings};
  ht_case_defaults(&f->settings);
  memset(&f->manifest, 0, sizeof f->manifest);
  strcpy(f->manifest.study.frame_uid, "1.2.3");
  strcpy(f->settings.measured, f->images);
  assert_ok(ht_case_read_waveform(&f->settings));
  const ht_status status = ht_measured_inlet_take(&f->settings, &vessel, &f->manifest);
  if (openings) *openings = vessel.openings;
  return status;
}

static double truth_mean(const ht_pc_phantom *made) {
  double sum = 0;
  for (int t = 0; t < made->measured.times; t++) sum += made->flow_ml_s[t];
  return sum / made->measured.times;
}

static void assert_inflow(const fixture *f, const ht_pc_phantom *made, double noise) {
  const ht_waveform *inflow = &f->settings.inflow;
  const double wanted = truth_mean(made);
  double square = 0;
  assert_near(ht_waveform_mean(inflow), wanted, 0.02 * wanted);
  assert_near(inflow->period_s, 0.8, 1e-9);
  for (int t = 0; t < made->measured.times; t++)
    square += pow(ht_waveform_value(inflow, made->measured.time_s[t]) - made->flow_ml_s[t], 2);
  assert_near(sqrt(square / made->measured.times), 0, noise * wanted);
}

/* A flow of four harmonics comes back to rounding; noise on it goes, mostly. */
HT_TEST(the_course_of_the_flow_loses_its_noise) {
  enum { TIMES = 30 };
  double truth[TIMES], flow[TIMES], square = 0, slope = 0;
  uint64_t seed = 7;
  for (int t = 0; t < TIMES; t++) {
    const double a = 2 * 3.14159265358979 * t / TIMES;
    truth[t] = flow[t] = 80 + 60 * cos(a) + 30 * sin(2 * a) - 12 * cos(3 * a) + 5 * sin(4 * a);
  }
  assert_near(ht_flow_course_clean(TIMES, flow), 0, 1e-9);
  for (int t = 0; t < TIMES; t++) assert_near(flow[t], truth[t], 1e-9);
  for (int t = 0; t < TIMES; t++) {
    double sum = 0;
    for (int n = 0; n < 12; n++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      sum += (double)(seed >> 40) / (1 << 24) - 0.5;
    }
    flow[t] += 3 * sum;
  }
  assert_near(ht_flow_course_clean(TIMES, flow), 3, 1.2);
  for (int t = 0; t < TIMES; t++) {
    square += pow(flow[t] - truth[t], 2) / TIMES;
    slope += pow(flow[t] - truth[t] - flow[(t + 1) % TIMES] + truth[(t + 1) % TIMES], 2) / TIMES;
  }
  assert_near(sqrt(square), 0, 2);
  assert_near(sqrt(slope), 0, 1); /* of 3 * sqrt(2) */
  assert_near(ht_flow_course_clean(HT_COURSE_TIMES_LEAST - 1, flow), 0, 0);
}

/* The bar of 2 %: all makes, with the images turned, mirrored, and stored with another sign. */
static void each_make_gives_the_inflow_with_its_mean(void **state) {
  fixture *f = *state;
  for (int c = 0; c < HT_PC_CONVENTIONS; c++) {
    ht_pc_options options = plane_options();
    ht_pc_phantom made;
    options.orientation = 5 * c;
    make_images(&options, &made);
    store(f, &made.measured, (ht_pc_convention)c, c % 2);
    assert_ok(take(f, NULL));
    assert_inflow(f, &made, 0.02); /* of 0.04: mostly removed */
    assert_string_equal(f->settings.measured, "");
    assert_true(ht_case_waveform_is_file(&f->settings));
    const ht_measured_record *record = &f->manifest.measured;
    assert_true(ht_measured_is_inflow(record, &f->settings));
    assert_string_equal(record->kind, "plane");
    assert_near(record->opening[0].across, 8, 0.5);
    assert_near(record->covered, 1, 1e-9);
    assert_int_equal(record->opening[1].sections, 0); /* outside the images */
    assert_non_null(strstr(record->description, "sign "));
    assert_null(strstr(record->description, "sign open"));
    ht_pc_free(&made);
  }
}

/* Makes the flow of the plane one that is faster on one side: times 1 + 0.5 x over the radius, x
 * along the image's first axis. */
static void skew(ht_pc_phantom *made) {
  ht_measured_flow *flow = &made->measured;
  double at[3];
  for (int64_t i = 0; i < ht_grid_voxels(&flow->grid); i++) {
    double x = 0;
    ht_grid_voxel_position(&flow->grid, i, at);
    for (int r = 0; r < 3; r++)
      x += (at[r] - made->station.point_mm[r]) * flow->grid.direction[r][0];
    for (int t = 0; t < flow->times; t++)
      ht_measured_part(flow, t, 0)[i] *= (float)(1 + 0.5 * x / made->station.radius_mm);
  }
}

/* Value of a fitted polynomial at a place of the section's unit circle, m/s. */
static double polynomial(const double coefficient[HT_MEASURED_TERMS], double x, double y) {
  double term[HT_MEASURED_TERMS], sum = 0;
  ht_measured_terms((const double[2]){x, y}, term);
  for (int n = 0; n < HT_MEASURED_TERMS; n++) sum += coefficient[n] * term[n];
  return sum;
}

/* The profile of the section, from a plane of 10 voxels across with noise of 3 %: skewed as it is,
 * in the mean and in the first harmonic; of 6 voxels across the inlet keeps Womersley's. */
static void a_resolved_section_gives_its_profile(void **state) {
  fixture *f = *state;
  ht_pc_options options = plane_options();
  ht_pc_phantom made;
  options.voxels_across = 10;
  options.venc_m_s = 1.1; /* above the faster side */
  make_images(&options, &made);
  skew(&made);
  store(f, &made.measured, HT_PC_GE, 0);
  assert_ok(take(f, NULL));
  const ht_measured_profile *profile = &f->settings.measured_profile;
  double axis[2], normal[3], second[3];
  assert_int_equal(f->settings.profile, HT_PROFILE_MEASURED);
  assert_string_equal(f->manifest.measured.profile, "measured");
  assert_near(ht_dot(profile->normal, made.station.along), 1, 1e-6);
  ht_cross(profile->normal, profile->across, second);
  for (int r = 0; r < 3; r++) normal[r] = made.measured.grid.direction[r][0];
  axis[0] = ht_dot(normal, profile->across);
  axis[1] = ht_dot(normal, second);
  for (int m = 0; m < 2; m++) { /* the mean, and the sine of the first harmonic */
    const double *c = profile->coefficient[2 * m];
    const double middle = polynomial(c, 0, 0);
    assert_near(polynomial(c, 0.5 * axis[0], 0.5 * axis[1]) / middle, 1.25, 0.08);
    assert_near(polynomial(c, -0.5 * axis[0], -0.5 * axis[1]) / middle, 0.75, 0.08);
    assert_near(polynomial(c, -0.5 * axis[1], 0.5 * axis[0]) / middle, 1, 0.08);
  }
  ht_pc_free(&made);
  options.voxels_across = 6;
  make_images(&options, &made);
  store(f, &made.measured, HT_PC_GE, 0);
  assert_ok(take(f, NULL));
  assert_int_equal(f->settings.profile, -1);
  assert_string_equal(f->manifest.measured.profile, "");
  ht_pc_free(&made);
}

/* A reader that lists the files in another order gets the same waveform. */
static void the_order_of_the_files_does_not_matter(void **state) {
  fixture *f = *state;
  char command[256], before[HT_HASH_TEXT];
  store(f, &f->plane.measured, HT_PC_GE, 0);
  assert_ok(take(f, NULL));
  memcpy(before, f->settings.inflow_facts.sha256, sizeof before);
  snprintf(command, sizeof command,
           "cd %s && n=1000 && for i in *.dcm; do n=$((n - 7)); mv $i $n.x; done", f->images);
  assert_int_equal(system(command), 0);
  assert_ok(take(f, NULL));
  assert_string_equal(f->settings.inflow_facts.sha256, before);
}

/* The outlet that is wide enough gets its share, the branches divide the rest by Murray's law. */
static void a_volume_gives_the_shares_too(void **state) {
  fixture *f = *state;
  ht_pc_options options;
  ht_pc_phantom made;
  ht_openings openings;
  double sum = 0;
  ht_pc_defaults(&options);
  options.times = 8;
  options.noise = 0.02;
  make_images(&options, &made);
  store(f, &made.measured, HT_PC_PHILIPS, 1);
  assert_ok(take(f, &openings));
  assert_inflow(f, &made, 0.04);
  for (int i = 1; i < openings.count; i++) sum += openings.item[i].flow_fraction;
  assert_near(sum, 1, 1e-9);
  assert_near(openings.item[1].flow_fraction, 81 / 142.25, 0.02);
  assert_near(openings.item[2].flow_fraction / openings.item[3].flow_fraction, 125.0 / 64, 0.01);
  for (int i = 1; i < openings.count; i++) { /* no section at a branch's mouth */
    assert_string_equal(f->manifest.measured.opening[i].name, openings.item[i].name);
    assert_true(f->manifest.measured.opening[i].area_mm2 <= 1.5 * openings.item[i].area_mm2);
  }
  assert_int_equal(f->settings.outlets, HT_OUTLETS_FRACTIONS);
  assert_int_equal(f->settings.openings, 4);
  assert_string_equal(f->settings.opening[0].name, "descending-aorta");
  assert_near(f->settings.opening[0].flow_fraction, openings.item[1].flow_fraction, 0);
  assert_int_equal(f->manifest.measured.opening[0].sections, 5);
  assert_near(f->manifest.measured.opening[1].share, openings.item[1].flow_fraction, 0);
  /* A case that says it itself keeps its outlets. */
  ht_measured_vessel vessel = {
      .folder = f->folder, .mask = &f->phantom.truth, .openings = f->phantom.openings};
  ht_case_defaults(&f->settings);
  f->settings.outlets = HT_OUTLETS_AREA;
  strcpy(f->settings.measured, f->images);
  assert_ok(ht_measured_inlet_take(&f->settings, &vessel, &f->manifest));
  assert_int_equal(f->settings.openings, 0);
  assert_int_equal(f->settings.outlets, HT_OUTLETS_AREA);
  ht_pc_free(&made);
}

/* Makes a plane below the arch, across the ascending and the descending aorta; point samples of the
 * true flow, all of one magnitude. */
static void make_wide_plane(ht_measured_flow *flow) {
  ht_shape *shape;
  ht_phantom_options options;
  ht_vessel_flow of;
  ht_grid grid = ht_grid_make(40, 40, 1);
  double at[3], v[3];
  ht_phantom_defaults(HT_PHANTOM_COARCTATION, &options);
  assert_ok(ht_shape_make(&options, &shape));
  assert_ok(ht_vessel_flow_prepare(shape, &of));
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = a == 2 ? 5 : 2;
  memcpy(grid.origin_mm, (const double[3]){-40, -40, -30}, sizeof grid.origin_mm);
  assert_ok(ht_measured_flow_alloc(&grid, 16, 1, 1, flow));
  flow->period_s = 0.8;
  flow->encoding[0] = (ht_velocity_encoding){.direction = {0, 0, 1}, .venc_m_s = 1};
  strcpy(flow->frame_uid, "1.2.3");
  for (int t = 0; t < flow->times; t++) flow->time_s[t] = 0.05 * t;
  for (int64_t i = 0; i < ht_grid_voxels(&grid); i++) {
    ht_grid_voxel_position(&grid, i, at);
    ht_vessel_velocity(&of, at, v);
    for (int t = 0; t < flow->times; t++) {
      ht_measured_part(flow, t, 0)[i] = (float)(v[2] * ht_vessel_beat(t / 16.0));
      flow->magnitude[t * ht_grid_voxels(&grid) + i] = 900;
    }
  }
  free(shape);
}

/* One plane has the inlet and an outlet: it gives the outlet's share as well. */
static void a_plane_across_two_sections_gives_both(void **state) {
  fixture *f = *state;
  ht_measured_flow flow;
  ht_openings openings;
  make_wide_plane(&flow);
  store(f, &flow, HT_PC_STANDARD, 0);
  assert_ok(take(f, &openings));
  const ht_measured_record *record = &f->manifest.measured;
  assert_near(record->mean_ml_s, 80, 1.6);
  assert_int_equal(record->opening[1].sections, 1);
  assert_near(record->opening[1].mean_ml_s, 80 * 81 / 142.25, 1.6);
  assert_near(openings.item[1].flow_fraction, 81 / 142.25, 0.02);
  assert_int_equal(record->opening[2].sections, 0);
  ht_measured_flow_free(&flow);
}

static void what_does_not_fit_is_refused_with_the_key(void **state) {
  fixture *f = *state;
  ht_measured_flow *flow = &f->plane.measured;
  store(f, flow, HT_PC_GE, 0);
  strcpy(flow->frame_uid, "1.2.4");
  store(f, flow, HT_PC_GE, 0);
  assert_int_equal(take(f, NULL), HT_ERR_CASE);
  says("flow.measured: wrong frame of reference");
  says("measured_frame: same");
  strcpy(flow->frame_uid, "1.2.3");
  /* The blood goes out of the inlet by a sign that GE's images give. */
  for (int t = 0; t < flow->times; t++)
    for (int64_t i = 0; i < ht_grid_voxels(&flow->grid); i++) ht_measured_part(flow, t, 0)[i] *= -1;
  store(f, flow, HT_PC_GE, 0);
  assert_int_equal(take(f, NULL), HT_ERR_CASE);
  says("flow.measured: the measured flow leaves the vessel at 'inlet'");
  for (int t = 0; t < flow->times; t++)
    for (int64_t i = 0; i < ht_grid_voxels(&flow->grid); i++) ht_measured_part(flow, t, 0)[i] *= -1;
  flow->grid.origin_mm[2] -= 100;
  store(f, flow, HT_PC_GE, 0);
  assert_int_equal(take(f, NULL), HT_ERR_CASE);
  says("flow.measured: the measured slice misses the vessel: they are ");
  flow->grid.origin_mm[2] += 100;
  store(f, flow, HT_PC_GE, 0);
  f->phantom.openings.item[1].role = HT_ROLE_INLET;
  assert_int_equal(take(f, NULL), HT_ERR_CASE);
  says("flow.measured: the vessel has 2 inlets");
  f->phantom.openings.item[1].role = HT_ROLE_OUTLET;
  assert_string_equal(f->manifest.measured.source, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_course_of_the_flow_loses_its_noise),
      cmocka_unit_test(each_make_gives_the_inflow_with_its_mean),
      cmocka_unit_test(a_resolved_section_gives_its_profile),
      cmocka_unit_test(the_order_of_the_files_does_not_matter),
      cmocka_unit_test(a_volume_gives_the_shares_too),
      cmocka_unit_test(a_plane_across_two_sections_gives_both),
      cmocka_unit_test(what_does_not_fit_is_refused_with_the_key),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
