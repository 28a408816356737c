/* import/: DICOM slices that have to be resampled, or chosen among: gantry tilt, unequal spacing,
 * gaps, phases, flow measurements. The slices hold their own positions: each image is three
 * series, whose values are the x, y and z of their pixels, so that a resampled value is the
 * position it came from. Values are stored in steps of 0.001 mm, so errors below 1e-3 mm are
 * invisible. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <string.h>

#define TOLERANCE_MM 1e-3

enum { COLUMNS = 20, ROWS = 18 };

/* ---- Slices of positions ---- */

typedef struct {
  double axes[6], origin[3], step[3]; /* slice k lies at origin + place[k] * step */
  const double *place;
  int count;
  double margin_mm; /* at the edges, where one of two neighbours of a plane has no pixels */
} stack;

static const double low_mm = -32; /* value 0 */

/* Series 1, 2, 3 hold x, y, z. */
static void write_stack(const stack *of) {
  static uint16_t pixels[ROWS * COLUMNS];
  for (int n = 0; n < 3 * of->count; n++) {
    int k = n / 3, axis = n % 3;
    char name[32], series[16];
    dicom_image image = dicom_image_default(k);
    snprintf(name, sizeof name, "%d-%d.dcm", axis, (7 * k + 3) % 101); /* names in no order */
    snprintf(series, sizeof series, "1.2.%d", axis + 1);
    image.series = series;
    image.series_number = axis + 1;
    image.columns = COLUMNS;
    image.rows = ROWS;
    image.stored = 16;
    image.high = 15;
    image.slope = "0.001";
    image.intercept = "-32";
    image.pixels = pixels;
    memcpy(image.axes, of->axes, sizeof image.axes);
    for (int r = 0; r < 3; r++) image.position[r] = of->origin[r] + of->place[k] * of->step[r];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      double at = image.position[axis] + i % COLUMNS * image.column_distance * of->axes[axis] +
                  (double)(i / COLUMNS) * image.row_distance * of->axes[3 + axis];
      pixels[i] = (uint16_t)lround((at - low_mm) * 1000);
    }
    assert_int_equal(dicom_image_write(in_scratch(name), &image), 1);
  }
}

static ht_volume import(const char *series, double allow_gaps_mm, ht_import_notes *notes) {
  ht_volume volume;
  ht_import_options options = {.series = series, .allow_gaps_mm = allow_gaps_mm, .notes = notes};
  ht_status status = ht_import_volume(in_scratch(""), &options, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  return volume;
}

static void assert_has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("\"%s\" has no \"%s\"", text, part);
}

/* Tells whether the slices have pixels at that position. */
static int covered(const stack *of, const double p[3], double margin_mm) {
  const double *a = of->axes, *b = of->axes + 3;
  double n[3], from[3], along = 0, step = 0, at[2] = {0, 0};
  for (int r = 0; r < 3; r++)
    n[r] = a[(r + 1) % 3] * b[(r + 2) % 3] - a[(r + 2) % 3] * b[(r + 1) % 3];
  for (int r = 0; r < 3; r++) {
    along += n[r] * (p[r] - of->origin[r]);
    step += n[r] * of->step[r];
  }
  for (int r = 0; r < 3; r++) {
    from[r] = p[r] - of->origin[r] - along / step * of->step[r];
    at[0] += from[r] * a[r];
    at[1] += from[r] * b[r];
  }
  return at[0] >= margin_mm && at[0] <= (COLUMNS - 1) * 0.5 - margin_mm && at[1] >= margin_mm &&
         at[1] <= (ROWS - 1) * 0.7 - margin_mm;
}

/* Every voxel that slices cover holds its own place; most voxels are covered. Returns the grid. */
static ht_grid assert_places(const stack *of, double allow_gaps_mm, ht_import_notes *notes) {
  ht_grid grid = {0};
  for (int axis = 0; axis < 3; axis++) {
    const char *series[] = {"1", "2", "3"};
    ht_volume volume = import(series[axis], allow_gaps_mm, notes);
    int64_t seen = 0, voxels = ht_grid_voxels(&volume.grid);
    for (int64_t v = 0; v < voxels; v++) {
      double p[3];
      ht_grid_voxel_position(&volume.grid, v, p);
      if (!covered(of, p, of->margin_mm - 1e-6)) continue;
      seen++;
      if (!(fabs(volume.values[v] - p[axis]) <= TOLERANCE_MM))
        fail_msg("voxel %lld: %.4f is at %.4f along axis %d", (long long)v, volume.values[v],
                 p[axis], axis);
    }
    assert_true(seen > (int64_t)(ROWS - 4) * (COLUMNS - 4) * volume.grid.dim[2]);
    grid = volume.grid;
    ht_volume_free(&volume);
  }
  return grid;
}

/* ---- Tilt ---- */

static const double regular[] = {0, 1, 2, 3, 4, 5, 6, 7};

HT_TEST(a_gantry_tilt_is_sheared_back) {
  const double tilt = 14 * HT_PI / 180;
  const stack tilted = {
      {1, 0, 0, 0, cos(tilt), -sin(tilt)}, {-5, 2, -20}, {0, 0, 3}, regular, 8, 0};
  ht_import_notes notes;
  write_stack(&tilted);
  ht_grid grid = assert_places(&tilted, 0, &notes);
  assert_has(notes.text, "a gantry tilt of 14.00 degrees was sheared back");
  assert_near(grid.spacing_mm[2], 3 * cos(tilt), 1e-6);
  assert_int_equal(grid.dim[0], COLUMNS);
  /* 21 mm of the table's way, 5.08 mm of it along the columns of 0.7 mm. */
  assert_int_equal(grid.dim[1], ROWS + (int)ceil(21 * sin(tilt) / 0.7));
  assert_int_equal(grid.dim[2], 8);
  assert_int_equal(ht_grid_check(&grid), HT_OK);
}

/* Turned about all axes, the table moving off the normal along rows and columns. */
HT_TEST(an_oblique_tilt_is_sheared_back) {
  const double c = cos(0.3), s = sin(0.3);
  const stack tilted = {
      {c, s, 0, -s * 0.8, c * 0.8, -0.6}, {4, -6, 1}, {0.133, 0.585, 1.11}, regular, 8, 0};
  ht_import_notes notes;
  write_stack(&tilted);
  ht_grid grid = assert_places(&tilted, 0, &notes);
  assert_has(notes.text, "gantry tilt");
  assert_int_equal(ht_grid_check(&grid), HT_OK);
}

/* Against the normal: the order along it is that of the volume. */
HT_TEST(a_tilt_the_other_way_is_sheared_back) {
  const stack tilted = {{1, 0, 0, 0, cos(0.5), sin(0.5)}, {0, 0, 25}, {0, 0, -2.5}, regular, 8, 0};
  ht_import_notes notes;
  write_stack(&tilted);
  assert_places(&tilted, 0, &notes);
  assert_has(notes.text, "28.65 degrees");
}

HT_TEST(what_no_slice_covers_is_the_smallest_value) {
  const stack tilted = {{1, 0, 0, 0, cos(0.4), -sin(0.4)}, {0, 0, -20}, {0, 0, 3}, regular, 8, 0};
  ht_import_notes notes;
  write_stack(&tilted);
  ht_volume volume = import("3", 0, &notes);
  float least = INFINITY;
  int64_t voxels = ht_grid_voxels(&volume.grid), outside = 0;
  for (int64_t v = 0; v < voxels; v++) least = fminf(least, volume.values[v]);
  for (int64_t v = 0; v < voxels; v++) {
    double p[3];
    ht_grid_voxel_position(&volume.grid, v, p);
    if (covered(&tilted, p, -0.8)) continue;
    outside++;
    assert_true(volume.values[v] == least);
  }
  assert_true(outside > 0);
  ht_volume_free(&volume);
}

/* ---- Spacing ---- */

static const double two_ranges[] = {0, 1, 2, 3, 4, 5, 7, 9, 11, 13};

HT_TEST(two_ranges_of_spacing_are_resampled) {
  const stack unequal = {{1, 0, 0, 0, 1, 0}, {0, 0, -10}, {0, 0, 1.25}, two_ranges, 10, 0};
  ht_import_notes notes;
  write_stack(&unequal);
  ht_grid grid = assert_places(&unequal, 0, &notes);
  assert_has(notes.text, "slices 1.25 to 2.5 mm apart were resampled to 1.25 mm, the "
                         "widest apart from -3.75 to 6.25 mm");
  assert_int_equal(grid.dim[2], 14);
  assert_near(grid.spacing_mm[2], 1.25, 1e-9);
}

static const double every_other[] = {0, 1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 14, 15};

/* Three equal distances in a row, as of a plan, but twice those on both sides. */
HT_TEST(every_other_slice_lost_is_a_lack_of_slices) {
  const stack lost = {{1, 0, 0, 0, 1, 0}, {0, 0, -10}, {0, 0, 1.25}, every_other, 13, 0};
  ht_volume volume;
  ht_import_notes notes;
  ht_import_options options = {.series = "1"};
  write_stack(&lost);
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "(-3.75 mm)");
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "(3 slices at 3 places in all); export the series again, or interpolate with "
                 "--allow-gaps 2.5");
  ht_grid grid = assert_places(&lost, 2.5, &notes);
  assert_has(notes.text, "3 missing slices were interpolated at 3 places");
  assert_int_equal(grid.dim[2], 16);
}

/* The images' numbers show slices lost at the end of the stack: they jump. */
HT_TEST(lost_slices_at_the_end_are_told_by_their_numbers) {
  static const int place[] = {0, 1, 2, 3, 4, 5, 7, 9, 11};
  ht_volume volume;
  for (int numbered = 0; numbered < 2; numbered++) {
    for (int i = 0; i < 9; i++) {
      char name[16];
      dicom_image image = dicom_image_default(place[i]);
      if (!numbered) image.instance = i + 1;
      snprintf(name, sizeof name, "%d", i);
      write_image(name, image, i);
    }
    ht_status status = ht_import_volume(in_scratch(""), NULL, NULL, &volume);
    if (status == HT_OK) ht_volume_free(&volume);
    assert_int_equal(status, numbered ? HT_ERR_SERIES : HT_OK);
  }
  assert_has(ht_error_message(), "(3 slices at 3 places in all)");
}

static const double uneven[] = {0, 1, 2.1, 3.1, 4.3, 5.3, 6.5, 7.6};

HT_TEST(uneven_spacing_takes_the_smallest) {
  const stack unequal = {{0, 1, 0, 0, 0, -1}, {-9, 3, 8}, {-2, 0, 0}, uneven, 8, 0};
  ht_import_notes notes;
  write_stack(&unequal);
  ht_grid grid = assert_places(&unequal, 0, &notes);
  assert_has(notes.text, "slices 2 to 2.4 mm apart were resampled to 2 mm");
  assert_int_equal(grid.dim[2], 8);
}

static const double gap[] = {0, 1, 2, 3, 6, 7, 8, 9};

HT_TEST(missing_slices_are_interpolated_where_allowed) {
  const stack with_gap = {{1, 0, 0, 0, 1, 0}, {0, 0, -10}, {0, 0, 1.5}, gap, 8, 0};
  ht_import_notes notes;
  write_stack(&with_gap);
  ht_grid grid = assert_places(&with_gap, 4.5, &notes);
  assert_has(notes.text,
             "2 missing slices were interpolated at 1 place, across 4.5 mm at most, the "
             "first between -5.50 and -1.00 mm");
  assert_int_equal(grid.dim[2], 10);
  assert_near(grid.spacing_mm[2], 1.5, 1e-9);
  ht_volume volume;
  ht_import_options options = {.series = "1", .allow_gaps_mm = 4.4, .notes = &notes};
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "more than the 4.4 mm allowed; export the series again, or interpolate with "
                 "--allow-gaps 4.5");
}

static const double two_gaps[] = {0, 1, 2, 4, 5, 6, 8, 9};

HT_TEST(every_gap_counts_in_the_refusal) {
  const stack with_gaps = {{1, 0, 0, 0, 1, 0}, {0, 0, -10}, {0, 0, 1.5}, two_gaps, 8, 0};
  ht_volume volume;
  ht_import_options options = {.series = "1"};
  write_stack(&with_gaps);
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "(2 slices at 2 places in all)");
  ht_import_notes notes;
  ht_grid grid = assert_places(&with_gaps, 3, &notes);
  assert_has(notes.text, "2 missing slices were interpolated at 2 places, across 3 mm at most");
  assert_int_equal(grid.dim[2], 10);
}

HT_TEST(a_tilted_stack_with_a_gap_is_both) {
  const stack tilted = {{1, 0, 0, 0, cos(0.2), -sin(0.2)}, {0, 0, -10}, {0, 0, 1.5}, gap, 8, 0.9};
  ht_import_notes notes;
  write_stack(&tilted);
  assert_places(&tilted, 5, &notes);
  assert_has(notes.text, "sheared back (resampled); 2 missing slices were interpolated");
}

HT_TEST(a_regular_series_is_left_as_it_is) {
  const stack oblique = {{0.6, 0.8, 0, 0, 0, -1}, {3, 4, 5}, {-1.6, 1.2, 0}, regular, 8, 0};
  ht_import_notes notes;
  write_stack(&oblique);
  ht_grid grid = assert_places(&oblique, 100, &notes);
  assert_string_equal(notes.text, "");
  assert_int_equal(grid.dim[2], 8);
}

/* ---- Phases ---- */

/* 3 positions with `phases` images each, in no order of instances; values tell the phase. */
static void write_phases(int phases, const char *type, const char *series) {
  for (int n = 0; n < 3 * phases; n++) {
    int k = n % 3, phase = n / 3;
    char name[32], trigger[16];
    uint16_t pixels[30];
    dicom_image image = dicom_image_default(k);
    for (int i = 0; i < 30; i++) pixels[i] = (uint16_t)(100 * phase + 10 * k);
    snprintf(name, sizeof name, "%s-%d-%d", series, phase, k);
    snprintf(trigger, sizeof trigger, "%d.5", 40 * phase + k);
    image.series = "1.2.7";
    image.instance = 1000 * (series[0] == 'v') + 37 * n % 101;
    image.modality = "MR";
    image.slope = "1";
    image.intercept = "0";
    image.type = type;
    image.trigger_ms = trigger;
    image.pixels = pixels;
    assert_int_equal(dicom_image_write(in_scratch(name), &image), 1);
  }
}

static void assert_phase(int wanted, int got, const char *said) {
  ht_volume volume;
  ht_import_notes notes;
  ht_import_options options = {.phase = wanted, .notes = &notes};
  ht_status status = ht_import_volume(in_scratch(""), &options, NULL, &volume);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  assert_int_equal(volume.grid.dim[2], 3);
  for (int k = 0; k < 3; k++)
    assert_true(volume.values[30 * k] == (float)(100 * (got - 1) + 10 * k));
  assert_has(notes.text, said);
  ht_volume_free(&volume);
}

HT_TEST(phases_are_listed_and_chosen) {
  write_phases(4, "ORIGINAL\\PRIMARY\\AXIAL", "m");
  assert_import_refused("", HT_ERR_SERIES,
                        "its 12 images lie at only 3 positions, 4 at each: phases or repeated "
                        "images by their trigger time. Choose one with --phase: 1 (trigger time "
                        "0.5 ms), 2 (40.5 ms), 3 (80.5 ms), 4 (120.5 ms)");
  assert_phase(1, 1, "phase 1 of 4 was taken (trigger time 0.5 ms)");
  assert_phase(3, 3, "phase 3 of 4 was taken (trigger time 80.5 ms)");
  ht_volume volume;
  ht_import_options options = {.phase = 5};
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "--phase 5: it has 4 phases, numbered 1 to 4");
}

HT_TEST(a_series_of_one_phase_has_the_first) {
  write_series(3);
  ht_volume volume;
  ht_import_options options = {.phase = 2};
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "--phase 2: it has one image at each position");
  options.phase = 1;
  assert_int_equal(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_OK);
  ht_volume_free(&volume);
}

HT_TEST(a_position_with_an_image_less_is_told) {
  write_phases(4, "ORIGINAL\\PRIMARY\\AXIAL", "m");
  assert_int_equal(remove(in_scratch("m-2-1")), 0);
  assert_import_refused("", HT_ERR_SERIES, "other numbers at 8.50 mm (3): images are missing");
}

HT_TEST(of_a_flow_measurement_the_magnitude_is_taken) {
  write_phases(4, "ORIGINAL\\PRIMARY\\M\\ND", "m");
  write_phases(12, "ORIGINAL\\PRIMARY\\P\\ND", "v");
  const char *left = "36 velocity or phase images were left out, the 12 magnitudes are the scan";
  assert_phase(0, 1, left);
  assert_phase(0, 1, "phase 1 of 4 was taken (trigger time 0.5 ms); another: --phase N");
  assert_phase(2, 2, left);
}

/* Susceptibility-weighted images of Philips: the magnitude is found. What no rule knows is listed
 * by its kind, never mixed by the images' numbers. */
HT_TEST(magnitude_and_phase_are_told_by_their_image_type) {
  write_phases(1, "ORIGINAL\\PRIMARY\\M_SWI\\SWI", "m");
  write_phases(1, "ORIGINAL\\PRIMARY\\P_SWI\\SWI", "v");
  assert_phase(0, 1, "3 velocity or phase images were left out, the 3 magnitudes are the scan");
  write_phases(1, "ORIGINAL\\PRIMARY\\KIND_A", "m");
  write_phases(1, "ORIGINAL\\PRIMARY\\KIND_B", "v");
  assert_import_refused("", HT_ERR_SERIES,
                        "2 at each: images of several kinds by their image type. Choose one with "
                        "--phase: 1 (ORIGINAL\\PRIMARY\\KIND_A), 2 (ORIGINAL\\PRIMARY\\KIND_B)");
}

/* Some scanners write the velocities as series of their own: they are no choice. */
HT_TEST(a_series_of_velocities_is_passed_over) {
  write_series(3);
  write_phases(1, "ORIGINAL\\PRIMARY\\P\\ND", "v");
  ht_volume volume;
  ht_import_notes notes;
  ht_import_options options = {.notes = &notes};
  assert_int_equal(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_OK);
  assert_string_equal(volume.modality, "CT");
  assert_has(notes.text, "velocities or phases of MR");
  ht_volume_free(&volume);
  options.series = "1.2.7";
  assert_refused(ht_import_volume(in_scratch(""), &options, NULL, &volume), HT_ERR_SERIES,
                 "no vessel shows in them");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_gantry_tilt_is_sheared_back),
      TEST(an_oblique_tilt_is_sheared_back),
      TEST(a_tilt_the_other_way_is_sheared_back),
      TEST(what_no_slice_covers_is_the_smallest_value),
      TEST(two_ranges_of_spacing_are_resampled),
      TEST(every_other_slice_lost_is_a_lack_of_slices),
      TEST(lost_slices_at_the_end_are_told_by_their_numbers),
      TEST(uneven_spacing_takes_the_smallest),
      TEST(missing_slices_are_interpolated_where_allowed),
      TEST(every_gap_counts_in_the_refusal),
      TEST(a_tilted_stack_with_a_gap_is_both),
      TEST(a_regular_series_is_left_as_it_is),
      TEST(phases_are_listed_and_chosen),
      TEST(a_series_of_one_phase_has_the_first),
      TEST(a_position_with_an_image_less_is_told),
      TEST(of_a_flow_measurement_the_magnitude_is_taken),
      TEST(magnitude_and_phase_are_told_by_their_image_type),
      TEST(a_series_of_velocities_is_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
