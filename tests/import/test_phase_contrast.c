/* Tests of import/phase_contrast against phase-contrast images of every convention that
 * phantom/phase_contrast writes: velocities, signs, flow, refusals. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "core/disk/file.h"
#include "core/numbers/vector3.h"
#include "import/phase_contrast/pc_files.h"
#include "import/phase_contrast/phase_contrast.h"
#include "phantom/phase_contrast/flow_images.h"
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

/* A folder of its own for each test; in memory, where that is possible: there are thousands of
 * files. */
static int begin(void **state) {
  char *folder = strdup(access("/dev/shm", W_OK) == 0 ? "/dev/shm/test_phase_contrast.XXXXXX"
                                                      : "/tmp/test_phase_contrast.XXXXXX");
  *state = folder;
  return !folder || !mkdtemp(folder);
}

static void clear(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s/*", folder);
  assert_int_equal(system(command), 0);
}

static int end(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  int failed = system(command) != 0;
  free(*state);
  return failed;
}

/* ---- Images by hand ---- */

enum { SIDE = 8, PLANES = 3 };

/* A flow without divergence, other along each axis of the patient; mm in, m/s out. */
static void strain(const double p[3], double v[3]) {
  v[0] = 0.3 + 0.004 * p[0] + 0.003 * p[1];
  v[1] = -0.2 + 0.006 * p[1] - 0.002 * p[2];
  v[2] = 0.4 - 0.010 * p[2] + 0.001 * p[0];
}

/* Makes a plane or volume whose axes are the patient's in one of 48 orders. */
static void make_strain(int orientation, int planes, ht_measured_flow *flow) {
  static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
  ht_grid grid = ht_grid_make(SIDE, SIDE, planes);
  memset(grid.direction, 0, sizeof grid.direction);
  for (int a = 0; a < 3; a++) {
    grid.direction[order[orientation / 8][a]][a] = orientation >> a & 1 ? -1 : 1;
    grid.spacing_mm[a] = 2 + 0.5 * a;
    grid.origin_mm[a] = 3 * a - 5;
  }
  assert_ok(ht_measured_flow_alloc(&grid, planes == 1 ? 2 : 1, planes == 1 ? 1 : 3, 1, flow));
  flow->period_s = 0.8;
  for (int t = 0; t < flow->times; t++) flow->time_s[t] = 0.1 * t;
  for (int e = 0; e < flow->encodings; e++) {
    const int axis = planes == 1 ? 2 : e;
    flow->encoding[e].venc_m_s = 1.2;
    for (int r = 0; r < 3; r++) flow->encoding[e].direction[r] = grid.direction[r][axis];
  }
  for (int64_t i = 0; i < ht_grid_voxels(&grid); i++) {
    double p[3], v[3];
    ht_grid_voxel_position(&grid, i, p);
    strain(p, v);
    for (int t = 0; t < flow->times; t++) {
      flow->magnitude[t * ht_grid_voxels(&grid) + i] = (float)(900 + i % 7);
      for (int e = 0; e < flow->encodings; e++)
        ht_measured_part(flow, t, e)[i] =
            (float)((1 - 0.3 * t) * ht_dot(v, flow->encoding[e].direction));
    }
  }
}

/* Compares by position: left-handed images are read with their planes the other way round. */
static void assert_same(const ht_measured_flow *wrote, const ht_measured_flow *read) {
  double level = 0, p[3], index[3], v[2][3];
  assert_int_equal(read->times, wrote->times);
  assert_int_equal(read->encodings, wrote->encodings);
  for (int a = 0; a < 3; a++) assert_int_equal(read->grid.dim[a], wrote->grid.dim[a]);
  assert_near(read->period_s, wrote->period_s, 1e-9);
  for (int e = 0; e < read->encodings; e++) {
    assert_near(read->encoding[e].venc_m_s, wrote->encoding[0].venc_m_s, 1e-6);
    level = fmax(level, wrote->encoding[e].level_m_s);
  }
  for (int t = 0; t < read->times; t++) assert_near(read->time_s[t], wrote->time_s[t], 1e-6);
  for (int64_t i = 0; i < ht_grid_voxels(&wrote->grid); i++) {
    int at[3];
    ht_grid_voxel_position(&wrote->grid, i, p);
    ht_grid_index(&read->grid, p, index);
    for (int a = 0; a < 3; a++) {
      at[a] = (int)nearbyint(index[a]);
      assert_near(index[a], at[a], 1e-4);
    }
    const int64_t j = ht_voxel_index(read->grid.dim, at);
    for (int t = 0; t < read->times; t++) {
      assert_true(ht_measured_velocity(wrote, t, i, v[0]));
      assert_true(ht_measured_velocity(read, t, j, v[1]));
      for (int r = 0; r < 3; r++) assert_near(v[1][r], v[0][r], level);
    }
    assert_near(read->magnitude[j], wrote->magnitude[i], 0);
  }
}

static void check_all(const char *folder, int planes) {
  for (int c = 0; c < HT_PC_CONVENTIONS; c++) {
    clear(folder); /* the makes have different numbers of files */
    for (int o = 0; o < HT_PC_ORIENTATIONS; o++) {
      ht_measured_flow wrote, read;
      ht_pc_given given = {0};
      make_strain(o, planes, &wrote);
      /* One direction has no divergence: the way of the blood decides. */
      if (planes == 1)
        for (int r = 0; r < 3; r++) given.along[r] = wrote.grid.direction[r][2];
      if (planes == 1 && ht_measured_part(&wrote, 0, 0)[0] < 0)
        for (int r = 0; r < 3; r++) given.along[r] = -given.along[r];
      /* Philips tells none of the three signs: the divergence tells them up to that of all. */
      if (c == HT_PC_PHILIPS && planes > 1) ht_measured_velocity(&wrote, 0, 0, given.along);
      assert_ok(ht_pc_write(folder, &wrote, (ht_pc_convention)c, o));
      assert_ok(ht_phase_contrast_read(folder, &given, NULL, NULL, &read));
      assert_same(&wrote, &read);
      ht_measured_flow_free(&wrote);
      ht_measured_flow_free(&read);
    }
  }
}

static void planes_come_back_in_48_orientations_of_each_make(void **state) {
  check_all(*state, 1);
}

static void volumes_come_back_in_48_orientations_of_each_make(void **state) {
  check_all(*state, PLANES);
}

/* ---- Images of phantoms ---- */

static void make_phantom(ht_phantom_kind kind, const ht_pc_options *options, ht_pc_phantom *made) {
  ht_phantom_options phantom;
  ht_phantom_defaults(kind, &phantom);
  assert_ok(ht_pc_make(&phantom, options, made));
}

/* Marks the pixels of a plane within the vessel's section, and half a pixel around it. */
static void mark_section(const ht_measured_flow *flow, const ht_vessel_station *station,
                         uint8_t *inside) {
  const ht_grid *grid = &flow->grid;
  for (int64_t i = 0; i < (int64_t)grid->dim[0] * grid->dim[1]; i++) {
    double p[3];
    ht_grid_voxel_position(grid, i, p);
    inside[i] = ht_distance(p, station->point_mm) < station->radius_mm + 0.5 * grid->spacing_mm[0];
  }
}

/* Error of the beat's mean flow through a plane, in per cent, after writing and reading. */
static double flow_error(const char *folder, ht_phantom_kind kind, double across, uint64_t seed,
                         ht_pc_convention convention) {
  ht_pc_options options;
  ht_pc_phantom made;
  ht_measured_flow read;
  uint8_t inside[64 * 64];
  float share[64 * 64];
  double measured = 0, truth = 0;
  ht_pc_defaults(&options);
  options.is_plane = 1;
  options.voxels_across = across;
  options.noise = 0.05;
  options.seed = seed;
  if (kind == HT_PHANTOM_ANEURYSM) options.plane_percent = 5; /* before the sac */
  make_phantom(kind, &options, &made);
  ht_pc_given given = {0};
  memcpy(given.along, made.station.along, sizeof given.along);
  clear(folder);
  assert_ok(ht_pc_write(folder, &made.measured, convention, 1));
  assert_ok(ht_phase_contrast_read(folder, &given, NULL, NULL, &read));
  mark_section(&read, &made.station, inside);
  ht_measured_share(&read, inside, share);
  const double normal[3] = {read.grid.direction[0][2], read.grid.direction[1][2],
                            read.grid.direction[2][2]};
  for (int t = 0; t < read.times; t++) {
    measured += ht_measured_plane_flow(&read, t, 0, share);
    truth += made.flow_ml_s[t];
  }
  if (ht_dot(normal, made.station.along) < 0) measured = -measured;
  ht_measured_flow_free(&read);
  ht_pc_free(&made);
  return 100 * (measured / truth - 1);
}

/* The bars of the flow through a plane: 2 % at 8 voxels across, 5 % at 5, noise 5 % of venc. */
static void the_flow_through_a_plane_is_right(void **state) {
  static const ht_phantom_kind kinds[] = {HT_PHANTOM_PIPE, HT_PHANTOM_PIPE_OBLIQUE,
                                          HT_PHANTOM_COARCTATION, HT_PHANTOM_ANEURYSM};
  for (int k = 0; k < 4; k++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      const double fine = flow_error(*state, kinds[k], 8, seed, HT_PC_SIEMENS);
      const double coarse = flow_error(*state, kinds[k], 5, seed, HT_PC_GE);
      assert_near(fine, 0, 2);
      assert_near(coarse, 0, 5);
    }
}

/* A volume's velocities have the truth's sign and size where the vessel is; at 5 % noise. */
static void a_noisy_volume_of_a_bent_vessel_has_the_right_signs(void **state) {
  ht_pc_options options;
  ht_pc_phantom made;
  ht_pc_defaults(&options);
  options.voxels_across = 6;
  options.noise = 0.05;
  options.orientation = 13;
  make_phantom(HT_PHANTOM_COARCTATION, &options, &made);
  for (int turn = 0; turn < 2; turn++) {
    ht_measured_flow read;
    ht_import_notes notes = {"", ""};
    double product = 0, square[2] = {0}, v[2][3];
    assert_ok(ht_pc_write(*state, &made.measured, HT_PC_SIEMENS_XA, turn));
    assert_ok(ht_phase_contrast_read(*state, NULL, NULL, &notes, &read));
    for (int e = 0; e < 3; e++) assert_int_not_equal(read.encoding[e].sign, HT_SIGN_OPEN);
    assert_non_null(strstr(notes.text, "smallest divergence"));
    assert_string_equal(notes.warning, "");
    for (int64_t i = 0; i < ht_grid_voxels(&read.grid); i++) {
      int at[3];
      double p[3];
      ht_grid_voxel_position(&made.measured.grid, i, p);
      const int64_t j = ht_grid_nearest(&read.grid, p, at);
      ht_measured_velocity(&made.measured, 0, i, v[0]);
      ht_measured_velocity(&read, 0, j, v[1]);
      product += ht_dot(v[0], v[1]);
      for (int k = 0; k < 2; k++) square[k] += ht_dot(v[k], v[k]);
    }
    assert_true(product > 0.9999 * sqrt(square[0] * square[1]));
    ht_measured_flow_free(&read);
  }
  ht_pc_free(&made);
}

/* ---- What the images do not tell ---- */

/* Replaces a text by another of its length in all files of a folder. */
static void patch(const char *folder, const char *from, const char *to) {
  char command[256];
  snprintf(command, sizeof command, "LC_ALL=C sed -i 's/%s/%s/g' %s/*.dcm", from, to, folder);
  assert_int_equal(system(command), 0);
}

static void drop(const char *folder, const char *files) {
  char command[128];
  snprintf(command, sizeof command, "rm %s/%s", folder, files);
  assert_int_equal(system(command), 0);
}

static void write_strain(const char *folder, int planes, ht_pc_convention make) {
  ht_measured_flow flow;
  make_strain(0, planes, &flow);
  assert_ok(ht_pc_write(folder, &flow, make, 0));
  ht_measured_flow_free(&flow);
}

static void refused(const char *folder, const ht_pc_given *given, const char *why) {
  ht_measured_flow read;
  assert_int_equal(ht_phase_contrast_read(folder, given, NULL, NULL, &read), HT_ERR_SERIES);
  says(why);
  assert_null(read.velocity_m_s);
}

static void what_is_missing_is_refused_with_the_key_that_gives_it(void **state) {
  const char *folder = *state;
  ht_pc_given given = {.direction = "through", .venc_m_s = 0.6, .sign = -1};
  ht_measured_flow read;
  write_strain(folder, 1, HT_PC_SIEMENS); /* two magnitudes, two velocities */
  refused(folder, &(ht_pc_given){.needs_vector = 1}, "three are needed here");
  refused(folder, &(ht_pc_given){.series = "1"}, "2 magnitude images and no velocities");
  assert_ok(ht_phase_contrast_read(folder, &(ht_pc_given){.series = "2"}, NULL, NULL, &read));
  assert_non_null(read.magnitude); /* of series 1 */
  ht_measured_flow_free(&read);
  patch(folder, "v120in", "xxxxxx");
  refused(folder, NULL, "give it with `direction`");
  assert_ok(
      ht_phase_contrast_read(folder, &(ht_pc_given){.direction = "through"}, NULL, NULL, &read));
  assert_near(read.encoding[0].venc_m_s, 1.2, 1e-9); /* from the protocol */
  const double whole = ht_measured_part(&read, 0, 0)[5];
  ht_measured_flow_free(&read);
  patch(folder, "nVelocity", "nVel_____");
  refused(folder, &(ht_pc_given){.direction = "through"}, "give it with `venc_m_s`");
  assert_ok(ht_phase_contrast_read(folder, &given, NULL, NULL, &read));
  assert_near(ht_measured_part(&read, 0, 0)[5], 0.5 * whole, 1e-6);
  assert_near(read.encoding[0].direction[2], -1, 1e-9);
  ht_measured_flow_free(&read);
  drop(folder, "slice-0004.dcm");
  drop(folder, "slice-0003.dcm");
  refused(folder, NULL, "2 magnitude images and no velocities");
}

static void the_private_label_of_a_frame_is_read(void **state) {
  ht_measured_flow read;
  write_strain(*state, 1, HT_PC_SIEMENS_XA);
  patch(*state, "\\x18\\x00\\x97\\x91SQ", "\\x18\\x00\\x96\\x91SQ"); /* no standard encoding */
  assert_ok(ht_phase_contrast_read(*state, NULL, NULL, NULL, &read));
  assert_near(read.encoding[0].venc_m_s, 1.2, 1e-9);
  assert_near(read.encoding[0].direction[2], 1, 1e-9);
  ht_measured_flow_free(&read);
}

static void incomplete_volumes_are_refused(void **state) {
  const char *folder = *state;
  write_strain(folder, PLANES, HT_PC_GE_WEIGHTED); /* 3 magnitudes, 9 velocities */
  drop(folder, "slice-0012.dcm");
  refused(folder, NULL, "different numbers of planes");
  drop(folder, "slice-0010.dcm");
  drop(folder, "slice-0011.dcm");
  refused(folder, NULL, "velocities along two directions");
  clear(folder);
  write_strain(folder, PLANES, HT_PC_GE_WEIGHTED);
  drop(folder, "slice-0002.dcm");
  refused(folder, NULL, "weighted by the magnitude");
  clear(folder);
  ht_import_notes notes = {"", ""};
  ht_measured_flow read;
  write_strain(folder, PLANES, HT_PC_GE);
  drop(folder, "slice-0002.dcm");
  assert_ok(ht_phase_contrast_read(folder, NULL, NULL, &notes, &read));
  assert_null(read.magnitude);
  assert_non_null(strstr(notes.warning, "only 2 of 3 images of velocities have a magnitude"));
  ht_measured_flow_free(&read);
}

static void signs_against_the_conservation_of_mass_are_told(void **state) {
  ht_import_notes notes = {"", ""};
  ht_measured_flow read;
  write_strain(*state, PLANES, HT_PC_SIEMENS);
  patch(*state, "v120ap", "v120pa");
  assert_ok(ht_phase_contrast_read(*state, NULL, NULL, &notes, &read));
  ht_measured_flow_free(&read);
  assert_non_null(strstr(notes.warning, "contradict the conservation of mass"));
}

/* A straight vessel along the open direction has no divergence with either sign. */
static void a_sign_that_nothing_tells_stays_open(void **state) {
  ht_pc_options options;
  ht_pc_phantom made;
  ht_measured_flow read;
  ht_import_notes notes = {"", ""};
  ht_pc_defaults(&options);
  options.times = 2;
  options.voxels_across = 3;
  make_phantom(HT_PHANTOM_PIPE, &options, &made);
  assert_ok(ht_pc_write(*state, &made.measured, HT_PC_SIEMENS, 0));
  assert_ok(ht_phase_contrast_read(*state, NULL, NULL, &notes, &read));
  assert_int_equal(read.encoding[2].sign, HT_SIGN_OPEN);
  assert_non_null(strstr(notes.warning, "the sign of 1 of the 3 directions is open"));
  ht_measured_flow_free(&read);
  ht_pc_free(&made);
  clear(*state);
  options.is_plane = 1;
  make_phantom(HT_PHANTOM_PIPE, &options, &made);
  assert_ok(ht_pc_write(*state, &made.measured, HT_PC_SIEMENS, 0));
  assert_ok(ht_phase_contrast_read(*state, NULL, NULL, &notes, &read));
  assert_int_equal(read.encoding[0].sign, HT_SIGN_OPEN);
  assert_non_null(strstr(notes.text, "`sign: -1` turns them round"));
  ht_measured_flow_free(&read);
  ht_pc_free(&made);
}

/* ---- Image files ---- */

/* Writes a plane of 3 x 2 pixels, 2 mm wide, across the y axis of the patient: value 1, 2, ... */
static void write_plane(const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs("NRRD0005\ntype: float\ndimension: 3\nspace: left-posterior-superior\nsizes: 3 2 1\n"
        "space directions: (2,0,0) (0,0,2) (0,5,0)\nspace origin: (1,2,3)\nencoding: raw\n"
        "endian: little\n\n",
        file);
  for (int i = 1; i <= 6; i++) fwrite(&(float){(float)i}, sizeof(float), 1, file);
  assert_int_equal(fclose(file), 0);
}

static void a_plane_of_an_image_file_is_read_with_what_is_given(void **state) {
  char path[128];
  ht_measured_flow flow;
  ht_pc_given given = {.direction = "through", .venc_m_s = 1};
  ht_pc_files files = {.count = 1, .velocity = {path}, .unit_m_s = 0.01};
  double v[3];
  snprintf(path, sizeof path, "%s/plane.nrrd", (char *)*state);
  write_plane(path);
  assert_ok(ht_pc_files_read(&files, &given, NULL, &flow));
  assert_int_equal(flow.grid.dim[2], 1);
  assert_true(ht_measured_velocity(&flow, 0, 4, v));
  assert_near(v[0], 0, 1e-7);
  assert_near(v[1], 0.05, 1e-7);
  const float all[6] = {1, 1, 1, 1, 1, 1}; /* 2.1 m/s over 4 mm2 each, in mL/s */
  assert_near(ht_measured_plane_flow(&flow, 0, 0, all), 0.84, 1e-6);
  ht_measured_flow_free(&flow);
  files.times = 2;
  assert_int_equal(ht_pc_files_read(&files, &given, NULL, &flow), HT_ERR_FORMAT);
  says("times_s has 2 numbers, and the velocities have 1 time points");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(planes_come_back_in_48_orientations_of_each_make, begin, end),
      cmocka_unit_test_setup_teardown(volumes_come_back_in_48_orientations_of_each_make, begin,
                                      end),
      cmocka_unit_test_setup_teardown(the_flow_through_a_plane_is_right, begin, end),
      cmocka_unit_test_setup_teardown(a_noisy_volume_of_a_bent_vessel_has_the_right_signs, begin,
                                      end),
      cmocka_unit_test_setup_teardown(what_is_missing_is_refused_with_the_key_that_gives_it, begin,
                                      end),
      cmocka_unit_test_setup_teardown(the_private_label_of_a_frame_is_read, begin, end),
      cmocka_unit_test_setup_teardown(incomplete_volumes_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(signs_against_the_conservation_of_mass_are_told, begin, end),
      cmocka_unit_test_setup_teardown(a_sign_that_nothing_tells_stays_open, begin, end),
      cmocka_unit_test_setup_teardown(a_plane_of_an_image_file_is_read_with_what_is_given, begin,
                                      end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
