/* Tests of import/: the place of image files whose headers give two, the choice of one of several
 * images in time, and files whose voxels lie in another. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <string.h>

static ht_volume import(const char *name, int phase, ht_import_notes *notes) {
  ht_volume volume;
  ht_import_options options = {.phase = phase, .notes = notes};
  ht_status status = ht_import_volume(in_scratch(name), &options, NULL, &volume);
  if (status != HT_OK) fail_msg("%s: %d %s", name, status, ht_error_message());
  return volume;
}

/* ---- sform and qform ---- */

/* The qform of the default sform: a quarter turn about z. */
static nifti_file with_both(int sform, int qform) {
  nifti_file file = nifti_default();
  file.sform = sform;
  file.qform = qform;
  file.quaternion[2] = (float)sqrt(0.5);
  file.shift[0] = 10;
  file.shift[1] = -20;
  file.shift[2] = 30;
  return file;
}

/* Written with its voxels; the volume's origin has to be that one along x, and the note this. */
static void assert_taken(const nifti_file *file, double origin_x, const char *note) {
  ht_import_notes notes;
  scan_write("a.nii", file);
  ht_volume volume = import("a.nii", 0, &notes);
  if (!(fabs(volume.grid.origin_mm[0] - origin_x) <= 1e-4))
    fail_msg("origin %g, expected %g", volume.grid.origin_mm[0], origin_x);
  if (*note ? !strstr(notes.text, note) : *notes.text)
    fail_msg("note \"%s\", expected \"%s\"", notes.text, note);
  ht_volume_free(&volume);
}

HT_TEST(two_places_that_agree_are_one) {
  nifti_file file = with_both(1, 1);
  assert_taken(&file, -10, "");
  file.shift[0] = 10.004f; /* of a voxel of 0.5 mm less than a hundredth */
  assert_taken(&file, -10, "");
}

HT_TEST(of_two_places_the_scanners_is_taken) {
  const int code[4][2] = {{1, 1}, {4, 1}, {1, 2}, {2, 3}};
  for (int n = 0; n < 4; n++) {
    nifti_file file = with_both(code[n][0], code[n][1]);
    file.shift[0] = 15;
    char note[160];
    int is_q = n == 1;
    snprintf(
        note, sizeof note,
        "two places, sform (code %d) and qform (code %d), up to 5 mm apart: the %s was taken%s",
        code[n][0], code[n][1], is_q ? "qform" : "sform",
        n == 1 || n == 2 ? ", whose code says that it is the scanner's" : "");
    assert_taken(&file, is_q ? -15 : -10, note);
  }
}

/* A registration to an atlas shears, stretches and shifts; the qform still is the patient's. */
HT_TEST(an_affine_sform_gives_way_to_the_qform) {
  const int code[2][2] = {{4, 2}, {2, 1}};
  for (int n = 0; n < 2; n++) {
    nifti_file file = with_both(code[n][0], code[n][1]);
    file.rows[2][3] = 70;
    for (int i = 0; i < 9; i++) file.rows[i / 3][i % 3] *= 1.1f;
    assert_taken(&file, -10,
                 "the qform was taken, as the sform is sheared or of another voxel size");
    file = with_both(code[n][0], code[n][1]);
    file.rows[2][3] = 70;
    file.rows[0][0] = 0.1f;
    assert_taken(&file, -10, "the qform was taken, as the sform is sheared");
    file = with_both(code[n][0], code[n][1]);
    file.rows[2][3] = 70;
    file.rows[1][2] = 0.3f;
    file.pixdim[3] = 1.285496f;
    assert_taken(&file, -10, "the qform was taken, as the sform is sheared");
  }
}

/* The qform is a guess where nothing says that the sform is a registration. */
HT_TEST(a_sheared_sform_is_not_replaced_by_its_qform) {
  const int code[4][2] = {{1, 1}, {2, 2}, {1, 2}, {4, 2}};
  for (int n = 0; n < 4; n++) {
    nifti_file file = with_both(code[n][0], code[n][1]);
    if (n < 3) file.shift[0] = 15; /* of the last the first voxel is at one place */
    file.rows[0][0] = 0.1f;
    file.pixdim[1] = 0.509902f;
    scan_write("a.nii", &file);
    assert_import_refused("a.nii", HT_ERR_FORMAT,
                          "its sform is sheared: its first and second axis meet at");
    file = with_both(code[n][0], code[n][1]);
    if (n < 3) file.shift[0] = 15;
    for (int i = 0; i < 9; i++) file.rows[i / 3][i % 3] *= 1.1f;
    scan_write("a.nii", &file);
    assert_import_refused("a.nii", HT_ERR_FORMAT, "contradicts itself: voxels of 0.55 mm");
  }
}

/* ---- Gantry tilt ---- */

enum { TILT_X = 7, TILT_Y = 9, TILT_Z = 6 };

/* Linear over space: shearing back, linear between voxels, keeps it. Of a place in LPS. */
static double ramp(const double p[3]) {
  return 0.7 * p[0] - 1.3 * p[1] + 0.9 * p[2];
}

/* Slices in oblique planes, each moved up its columns, as `degrees` of tilt do; `turned` -1: the
 * last slice first. Its voxels hold the ramp at the place of the sform. */
static nifti_file tilted(double degrees, int turned) {
  nifti_file file = nifti_default();
  const double tilt = degrees * HT_PI / 180, up[3] = {0, cos(0.3), sin(0.3)};
  const double normal[3] = {0, -sin(0.3), cos(0.3)};
  const int dim[4] = {3, TILT_X, TILT_Y, TILT_Z};
  memcpy(file.dim, dim, sizeof dim);
  file.type = 16;
  file.bits = 32;
  for (int r = 0; r < 3; r++) {
    file.rows[r][0] = r == 0 ? 0.5f : 0;
    file.rows[r][1] = (float)(0.75 * up[r]);
    file.rows[r][2] = (float)(turned * 1.25 * (cos(tilt) * normal[r] + sin(tilt) * up[r]));
  }
  return file;
}

static void write_tilted(const char *name, const nifti_file *file) {
  float voxels[TILT_X * TILT_Y * TILT_Z];
  const int dim[3] = {TILT_X, TILT_Y, TILT_Z};
  for (int v = 0; v < TILT_X * TILT_Y * TILT_Z; v++) {
    int at[3];
    double p[3];
    ht_voxel_place(dim, v, at);
    for (int r = 0; r < 3; r++) {
      p[r] = (double)file->rows[r][3];
      for (int a = 0; a < 3; a++) p[r] += at[a] * (double)file->rows[r][a];
      if (r < 2) p[r] = -p[r];
    }
    voxels[v] = (float)ramp(p);
  }
  nifti_write(name, file, voxels, sizeof voxels);
}

/* Every voxel but those that no slice covers, which have the smallest value. */
static void assert_ramp(const ht_volume *volume) {
  int64_t voxels = ht_grid_voxels(&volume->grid), covered = 0;
  float least = INFINITY;
  for (int64_t v = 0; v < voxels; v++) least = fminf(least, volume->values[v]);
  for (int64_t v = 0; v < voxels; v++) {
    double p[3];
    ht_grid_voxel_position(&volume->grid, v, p);
    if (volume->values[v] <= least) continue;
    covered++;
    if (!(fabs((double)volume->values[v] - ramp(p)) <= 1e-4))
      fail_msg("voxel %d: %g, not %g", (int)v, (double)volume->values[v], ramp(p));
  }
  assert_in_range(covered, TILT_X * (TILT_Y - 1) * TILT_Z - 1, TILT_X * TILT_Y * TILT_Z);
}

/* Whatever the codes, with a qform as programs make it of such an sform (the same first voxel) or
 * none; with either number in pixdim. */
HT_TEST(a_gantry_tilt_is_sheared_back) {
  const int code[4][2] = {{1, 0}, {1, 1}, {2, 2}, {2, 1}};
  for (int n = 0; n < 8; n++) {
    ht_import_notes notes;
    nifti_file file = tilted(n % 2 ? -18.5 : 18.5, n < 4 ? 1 : -1);
    file.sform = code[n % 4][0];
    file.qform = code[n % 4][1];
    file.quaternion[0] = 0.1494381f; /* by 0.3 about x */
    if (n >= 4) file.pixdim[0] = -1;
    for (int r = 0; r < 3; r++) file.shift[r] = file.rows[r][3];
    if (n == 2) file.pixdim[3] = (float)(1.25 * cos(18.5 * HT_PI / 180));
    write_tilted("a.nii.gz", &file);
    ht_volume volume = import("a.nii.gz", 0, &notes);
    assert_non_null(strstr(notes.text, "a gantry tilt of 18.50 degrees was sheared back"));
    assert_int_equal(strstr(notes.text, "the sform was taken, as a qform holds no tilt") != NULL,
                     file.qform > 0);
    assert_int_equal(volume.grid.dim[2], TILT_Z);
    assert_near(volume.grid.spacing_mm[2], 1.25 * cos(18.5 * HT_PI / 180), 1e-5);
    assert_ramp(&volume);
    ht_volume_free(&volume);
  }
}

HT_TEST(a_tilt_of_less_than_a_thousandth_is_none) {
  nifti_file file = tilted(0.05, 1);
  ht_import_notes notes;
  write_tilted("a.nii", &file);
  ht_volume volume = import("a.nii", 0, &notes);
  assert_string_equal(notes.text, "");
  assert_int_equal(volume.grid.dim[1], TILT_Y);
  ht_volume_free(&volume);
}

HT_TEST(tilted_beyond_any_gantry_or_as_a_mask_is_refused) {
  ht_mask mask;
  nifti_file file = tilted(50, 1);
  write_tilted("a.nii", &file);
  assert_import_refused("a.nii", HT_ERR_FORMAT,
                        "its sform is sheared: its second and third axis meet at 40");
  file = tilted(18.5, 1);
  write_tilted("a.nii", &file);
  assert_refused(ht_import_mask(in_scratch("a.nii"), &mask), HT_ERR_FORMAT,
                 "labels cannot be interpolated");
  file.dim[3] = 500;
  nifti_write("b.nii", &file, &file, sizeof file);
  assert_import_refused("b.nii", HT_ERR_FORMAT, "truncated");
  file.dim[3] = 30000;
  nifti_write("b.nii", &file, "", 0);
  assert_import_refused("b.nii", HT_ERR_FORMAT, "claims more voxels than a file of");
}

/* 0.05 % longer than pixdim: let pass, and the far corner is where the sform has it. */
HT_TEST(the_far_corner_is_the_sforms) {
  nifti_file file = nifti_default();
  for (int i = 0; i < 9; i++) file.rows[i / 3][i % 3] *= 1.0005f;
  scan_write("a.nii", &file);
  ht_volume volume = import("a.nii", 0, NULL);
  const double index[3] = {400, 400, 400};
  double p[3], expected[3];
  ht_grid_position(&volume.grid, index, p);
  for (int r = 0; r < 3; r++) {
    expected[r] = (double)file.rows[r][3];
    for (int a = 0; a < 3; a++) expected[r] += index[a] * (double)file.rows[r][a];
    if (r < 2) expected[r] = -expected[r];
  }
  assert_all_close(p, expected, 3, 1e-3);
  ht_volume_free(&volume);
}

HT_TEST(a_turned_qform_is_where_it_says) {
  nifti_file file = with_both(0, 1);
  const float q[3] = {0.2f, -0.4f, 0.3f};
  memcpy(file.quaternion, q, sizeof q);
  file.pixdim[0] = -1;
  scan_write("a.nii", &file);
  ht_volume volume = import("a.nii", 0, NULL);
  /* Rotation by hand: a2 = 1 - 0.29 = 0.71; the first row of the rotation is a2 + b2 - c2 - d2, 2
   * (bc - ad), 2 (bd + ac); x is -R, and the third axis turns round. */
  const double a = sqrt(0.71);
  const double row[3] = {-(0.71 + 0.04 - 0.16 - 0.09), -2 * (-0.08 - a * 0.3),
                         2 * (0.06 - a * 0.4)};
  assert_all_close(volume.grid.direction[0], row, 3, 1e-6);
  ht_volume_free(&volume);
}

/* ---- Images in time ---- */

HT_TEST(one_of_several_in_time_is_chosen) {
  int16_t voxels[3 * SCAN_VOXELS];
  for (int i = 0; i < 3 * SCAN_VOXELS; i++)
    voxels[i] = (int16_t)(17 * (i % SCAN_VOXELS) - 300 + 1000 * (i / SCAN_VOXELS));
  nifti_file file = nifti_default();
  file.dim[0] = 4;
  file.dim[4] = 3;
  const char *name[] = {"a.nii", "a.nii.gz"};
  for (int n = 0; n < 2; n++) {
    ht_import_notes notes;
    nifti_write(name[n], &file, voxels, sizeof voxels);
    assert_import_refused(name[n], HT_ERR_FORMAT,
                          "3 time points: choose one with --phase N (1 to 3)");
    ht_volume volume = import(name[n], 2, &notes);
    assert_scan_grid(&volume.grid);
    assert_scan_voxels(&volume, 1, 1000);
    assert_string_equal(notes.text, "image 2 of 3 in time was taken");
    ht_volume_free(&volume);
    ht_import_options options = {.phase = 4};
    assert_refused(ht_import_volume(in_scratch(name[n]), &options, NULL, &volume), HT_ERR_USAGE,
                   "--phase 4: it has 3 images in time");
    cut_file(name[n], file_bytes(name[n]) - 1);
    options.phase = 1;
    assert_refused(ht_import_volume(in_scratch(name[n]), &options, NULL, &volume), HT_ERR_FORMAT,
                   "truncated");
  }
}

HT_TEST(one_of_several_in_time_is_chosen_of_a_metaimage) {
  char bytes[1000];
  int16_t voxels[3 * SCAN_VOXELS];
  for (int i = 0; i < 3 * SCAN_VOXELS; i++)
    voxels[i] = (int16_t)(17 * (i % SCAN_VOXELS) - 300 + 1000 * (i / SCAN_VOXELS));
  int length =
      snprintf(bytes, sizeof bytes,
               "ObjectType = Image\nNDims = 4\nBinaryData = True\n"
               "BinaryDataByteOrderMSB = False\n"
               "TransformMatrix = 0 -1 0 0 1 0 0 0 0 0 1 0 0 0 0 1\n"
               "Offset = -10 20 30 0\nElementSpacing = 0.5 0.75 1.25 1\nDimSize = 5 4 3 3\n"
               "ElementType = MET_SHORT\nElementDataFile = LOCAL\n");
  memcpy(bytes + length, voxels, sizeof voxels);
  write_bytes("a.mha", bytes, (size_t)length + sizeof voxels);
  assert_import_refused("a.mha", HT_ERR_FORMAT, "3 time points");
  ht_volume volume = import("a.mha", 3, NULL);
  assert_scan_voxels(&volume, 1, 2000);
  assert_int_equal(volume.grid.dim[2], 3);
  assert_true(volume.grid.spacing_mm[1] == 0.75);
  ht_volume_free(&volume);
}

/* A sequence as 3D Slicer writes it: the images of each voxel next to each other; or at the end. */
HT_TEST(one_of_several_in_time_is_chosen_of_a_nrrd) {
  for (int first = 0; first < 2; first++) {
    char bytes[1000];
    int16_t voxels[3 * SCAN_VOXELS];
    for (int i = 0; i < SCAN_VOXELS; i++)
      for (int n = 0; n < 3; n++)
        voxels[first ? 3 * i + n : n * SCAN_VOXELS + i] = (int16_t)(17 * i - 300 + 1000 * n);
    const char *axes = "(0,0.5,0) (-0.75,0,0) (0,0,1.25)";
    int length =
        snprintf(bytes, sizeof bytes,
                 "NRRD0004\ntype: short\ndimension: 4\nspace: left-posterior-superior\n"
                 "sizes: %s\nspace directions: %s%s%s\nspace origin: (-10,20,30)\n"
                 "kinds: %s\nendian: little\nencoding: raw\n\n",
                 first ? "3 5 4 3" : "5 4 3 3", first ? "none " : "", axes, first ? "" : " none",
                 first ? "list domain domain domain" : "domain domain domain list");
    memcpy(bytes + length, voxels, sizeof voxels);
    write_bytes("a.nrrd", bytes, (size_t)length + sizeof voxels);
    assert_import_refused("a.nrrd", HT_ERR_FORMAT, "3 time points");
    for (int phase = 1; phase <= 3; phase++) {
      ht_volume volume = import("a.nrrd", phase, NULL);
      assert_int_equal(volume.grid.dim[0], 5);
      assert_true(volume.grid.spacing_mm[1] == 0.75 && volume.grid.origin_mm[2] == 30);
      assert_scan_voxels(&volume, 1, 1000 * (phase - 1));
      ht_volume_free(&volume);
    }
  }
}

/* A colour is three values per voxel, not three images. */
HT_TEST(a_nrrd_of_colours_is_refused) {
  char bytes[1000];
  int16_t voxels[3 * SCAN_VOXELS] = {0};
  for (int known = 0; known < 2; known++) {
    int length = snprintf(bytes, sizeof bytes,
                          "NRRD0004\ntype: signed short int\ndimension: 4\nspace: LPS\n"
                          "sizes: 3 5 4 3\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n"
                          "%sendian: little\nencoding: raw\n\n",
                          known ? "kinds: RGB-color domain domain domain\n" : "");
    memcpy(bytes + length, voxels, sizeof voxels);
    write_bytes("a.nrrd", bytes, (size_t)length + sizeof voxels);
    assert_import_refused("a.nrrd", HT_ERR_FORMAT, "several values per voxel (3)");
  }
}

/* ---- Two files ---- */

static void write_pair(const char *header, const char *voxels, int cut) {
  int16_t scan[SCAN_VOXELS];
  nifti_file file = nifti_default();
  file.magic = "ni1";
  file.offset = 0;
  nifti_write(header, &file, NULL, 0);
  scan_fill(scan);
  write_bytes(voxels, scan, sizeof scan - (size_t)cut);
}

HT_TEST(a_header_beside_its_voxels_is_read_by_either_name) {
  const char *name[] = {"a.hdr", "a.img"};
  write_pair("a.hdr", "a.img", 0);
  for (int n = 0; n < 2; n++) {
    ht_volume volume = import(name[n], 0, NULL);
    assert_scan_grid(&volume.grid);
    assert_scan_voxels(&volume, 1, 0);
    ht_volume_free(&volume);
  }
  write_pair("a.hdr", "a.img", 1);
  assert_import_refused("a.hdr", HT_ERR_FORMAT, "truncated");
  assert_int_equal(remove(in_scratch("a.img")), 0);
  assert_import_refused("a.hdr", HT_ERR_NOT_FOUND, "a.img, is not there: copy it next to it");
  write_pair("B.HDR", "B.IMG", 0);
  ht_volume volume = import("B.IMG", 0, NULL);
  assert_scan_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
}

HT_TEST(an_analyze_pair_is_refused) {
  write_pair("a.hdr", "a.img", 0);
  nifti_file file = nifti_default();
  file.magic = "\0\0\0";
  nifti_write("a.hdr", &file, NULL, 0);
  assert_import_refused("a.img", HT_ERR_FORMAT, "does not know left from right");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(two_places_that_agree_are_one),
      TEST(of_two_places_the_scanners_is_taken),
      TEST(an_affine_sform_gives_way_to_the_qform),
      TEST(a_sheared_sform_is_not_replaced_by_its_qform),
      TEST(a_gantry_tilt_is_sheared_back),
      TEST(a_tilt_of_less_than_a_thousandth_is_none),
      TEST(tilted_beyond_any_gantry_or_as_a_mask_is_refused),
      TEST(the_far_corner_is_the_sforms),
      TEST(a_turned_qform_is_where_it_says),
      TEST(one_of_several_in_time_is_chosen),
      TEST(one_of_several_in_time_is_chosen_of_a_metaimage),
      TEST(one_of_several_in_time_is_chosen_of_a_nrrd),
      TEST(a_nrrd_of_colours_is_refused),
      TEST(a_header_beside_its_voxels_is_read_by_either_name),
      TEST(an_analyze_pair_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
