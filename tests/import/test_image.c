/* import/: NIfTI, NRRD and MetaImage files, each written byte by byte. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "import_fixture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { VOXELS = 60 };

static int set_up(void **state) {
  (void)state;
  scratch_make();
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

static void fill(int16_t voxels[VOXELS]) {
  for (int i = 0; i < VOXELS; i++) voxels[i] = (int16_t)(17 * i - 300);
}

static void write_default(const char *name, const nifti_file *file) {
  int16_t voxels[VOXELS];
  fill(voxels);
  nifti_write(name, file, voxels, sizeof voxels);
}

static ht_volume import(const char *name) {
  ht_volume volume;
  ht_status status = ht_import_volume(in_scratch(name), NULL, NULL, &volume);
  if (status != HT_OK) fail_msg("%s: %d %s", name, status, ht_error_message());
  return volume;
}

static void assert_close(const double *got, const double *expected, int count, double tolerance) {
  for (int i = 0; i < count; i++)
    if (!(fabs(got[i] - expected[i]) <= tolerance))
      fail_msg("number %d: got %.10g, expected %.10g", i, got[i], expected[i]);
}

/* The grid of nifti_default in LPS: the first two rows (RAS) change their sign. By hand: i runs
 * along +A, which is -P; j along -R, which is +L; k along +S. */
static void assert_default_grid(const ht_grid *grid) {
  const int dim[3] = {5, 4, 3};
  const double spacing[3] = {0.5, 0.75, 1.25}, origin[3] = {-10, 20, 30};
  const double direction[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  assert_memory_equal(grid->dim, dim, sizeof dim);
  assert_close(grid->spacing_mm, spacing, 3, 1e-6); /* float32 of lengths near 1 */
  assert_close(grid->origin_mm, origin, 3, 1e-5);
  assert_close(grid->direction[0], direction, 9, 1e-6);
}

static void assert_voxels(const ht_volume *volume, double slope, double intercept) {
  for (int i = 0; i < VOXELS; i++)
    assert_true(volume->values[i] == (float)((17 * i - 300) * slope + intercept));
}

/* ---- NIfTI that is read ---- */

static void nifti_is_read_plain_and_compressed(void **state) {
  (void)state;
  const char *name[] = {"a.nii", "a.nii.gz", "A.NII.GZ"};
  for (int n = 0; n < 3; n++) {
    nifti_file file = nifti_default();
    if (n < 2)
      write_default(name[n], &file);
    else
      assert_int_equal(rename(in_scratch("a.nii.gz"), in_scratch(name[n])), 0);
    ht_volume volume = import(name[n]);
    assert_default_grid(&volume.grid);
    assert_voxels(&volume, 1, 0);
    assert_string_equal(volume.modality, "");
    ht_volume_free(&volume);
  }
}

static void nifti_slope_and_intercept_are_applied(void **state) {
  (void)state;
  const float slope[4] = {0.5f, 0, NAN, -2}, intercept[4] = {-1024, 7, NAN, 0};
  const double expected[4][2] = {{0.5, -1024}, {1, 0}, {1, 0}, {-2, 0}}; /* slope 0: none */
  for (int n = 0; n < 4; n++) {
    nifti_file file = nifti_default();
    file.slope = slope[n];
    file.intercept = intercept[n];
    write_default("a.nii", &file);
    ht_volume volume = import("a.nii");
    assert_voxels(&volume, expected[n][0], expected[n][1]);
    ht_volume_free(&volume);
  }
}

static void nifti_of_the_other_byte_order_is_read(void **state) {
  (void)state;
  int16_t voxels[VOXELS];
  unsigned char bytes[2 * VOXELS];
  fill(voxels);
  for (int i = 0; i < VOXELS; i++) {
    bytes[2 * i] = (unsigned char)((uint16_t)voxels[i] >> 8);
    bytes[2 * i + 1] = (unsigned char)voxels[i];
  }
  nifti_file file = nifti_default();
  file.big_endian = 1;
  nifti_write("a.nii", &file, bytes, sizeof bytes);
  ht_volume volume = import("a.nii");
  assert_default_grid(&volume.grid);
  assert_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
}

#define TYPED(number, code)                                                                        \
  do {                                                                                             \
    number typed[VOXELS];                                                                          \
    for (int i = 0; i < VOXELS; i++) typed[i] = (number)(2 * i);                                   \
    nifti_file file = nifti_default();                                                             \
    file.type = code;                                                                              \
    file.bits = 8 * (int)sizeof(number);                                                           \
    nifti_write("t.nii", &file, typed, sizeof typed);                                              \
    ht_volume volume = import("t.nii");                                                            \
    for (int i = 0; i < VOXELS; i++) assert_true(volume.values[i] == 2.f * (float)i);              \
    ht_volume_free(&volume);                                                                       \
  } while (0)

static void nifti_of_every_number_type_is_read(void **state) {
  (void)state;
  TYPED(uint8_t, 2);
  TYPED(int8_t, 256);
  TYPED(int16_t, 4);
  TYPED(uint16_t, 512);
  TYPED(int32_t, 8);
  TYPED(uint32_t, 768);
  TYPED(int64_t, 1024);
  TYPED(uint64_t, 1280);
  TYPED(float, 16);
  TYPED(double, 64);
}

/* Quaternion (0, 0, sin 45): a quarter turn about z, x to y, as in the default sform. */
static void nifti_places_come_from_the_qform_where_there_is_no_sform(void **state) {
  (void)state;
  nifti_file file = nifti_default();
  file.sform = 0;
  file.qform = 1;
  file.quaternion[2] = (float)sqrt(0.5);
  file.shift[0] = 10;
  file.shift[1] = -20;
  file.shift[2] = 30;
  write_default("a.nii", &file);
  ht_volume volume = import("a.nii");
  assert_default_grid(&volume.grid);
  ht_volume_free(&volume);
}

static void nifti_with_one_time_point_is_a_volume(void **state) {
  (void)state;
  nifti_file file = nifti_default();
  file.dim[0] = 4;
  write_default("a.nii", &file);
  ht_volume volume = import("a.nii");
  assert_default_grid(&volume.grid);
  assert_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
}

static void left_handed_axes_are_kept(void **state) {
  (void)state;
  nifti_file file = nifti_default();
  file.rows[2][2] = -1.25f;
  write_default("a.nii", &file);
  ht_volume volume = import("a.nii");
  const double direction[9] = {0, 1, 0, -1, 0, 0, 0, 0, -1};
  assert_close(volume.grid.direction[0], direction, 9, 1e-6);
  ht_volume_free(&volume);
}

static void write_floats(const char *name, const float *voxels) {
  nifti_file file = nifti_default();
  file.type = 16;
  file.bits = 32;
  nifti_write(name, &file, voxels, VOXELS * sizeof *voxels);
}

static void nan_becomes_the_smallest_value(void **state) {
  (void)state;
  float voxels[VOXELS];
  for (int i = 0; i < VOXELS; i++) voxels[i] = (float)(i + 3);
  voxels[0] = voxels[59] = NAN;
  write_floats("a.nii", voxels);
  ht_volume volume = import("a.nii");
  assert_true(volume.values[0] == 4 && volume.values[59] == 4 && volume.values[58] == 61);
  ht_volume_free(&volume);
}

static void infinity_and_nothing_but_nan_are_refused(void **state) {
  (void)state;
  float voxels[VOXELS] = {0};
  voxels[7] = -INFINITY;
  write_floats("a.nii", voxels);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "1 voxels are infinite");
  for (int i = 0; i < VOXELS; i++) voxels[i] = NAN;
  write_floats("a.nii", voxels);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "all NaN");
}

/* ---- NIfTI that is refused ---- */

static void a_truncated_nifti_is_refused(void **state) {
  (void)state;
  const char *name[] = {"a.nii", "a.nii.gz"};
  for (int n = 0; n < 2; n++) {
    nifti_file file = nifti_default();
    write_default(name[n], &file);
    for (long bytes = file_bytes(name[n]) - 1; bytes >= 0; bytes--) {
      cut_file(name[n], bytes);
      assert_import_refused(name[n], HT_ERR_FORMAT, name[n]);
    }
  }
}

/* A flipped bit of the compressed data fails its checksum, or changes no voxel (deflate has a few
 * bits to spare). */
static void a_damaged_gzip_is_refused(void **state) {
  (void)state;
  nifti_file file = nifti_default();
  write_default("a.nii.gz", &file);
  long size = file_bytes("a.nii.gz");
  unsigned char *bytes = malloc((size_t)size);
  int unnoticed = 0;
  FILE *in = fopen(in_scratch("a.nii.gz"), "rb");
  assert_non_null(in);
  assert_int_equal(fread(bytes, 1, (size_t)size, in), size);
  fclose(in);
  for (long at = 10; at < size; at++) {
    bytes[at] ^= 0x10;
    write_bytes("b.nii.gz", bytes, (size_t)size);
    ht_volume volume;
    if (ht_import_volume(in_scratch("b.nii.gz"), NULL, NULL, &volume) == HT_OK)
      assert_voxels(&volume, 1, 0), unnoticed++;
    ht_volume_free(&volume);
    bytes[at] ^= 0x10;
  }
  assert_in_range(unnoticed, 0, size / 20);
  free(bytes);
}

typedef void (*defect)(nifti_file *file);

static void assert_defect(defect change, const char *text) {
  static const unsigned char voxels[16 * VOXELS * 8];
  nifti_file file = nifti_default();
  change(&file);
  nifti_write("a.nii", &file, voxels, sizeof voxels);
  assert_import_refused("a.nii", HT_ERR_FORMAT, text);
  nifti_write("a.nii.gz", &file, voxels, sizeof voxels);
  assert_import_refused("a.nii.gz", HT_ERR_FORMAT, text);
}

#define DEFECT(name, text, ...)                                                                    \
  static void change_##name(nifti_file *file) {                                                    \
    __VA_ARGS__;                                                                                   \
  }                                                                                                \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    assert_defect(change_##name, text);                                                            \
  }

DEFECT(several_time_points, "it has 7 time points", file->dim[0] = 4; file->dim[4] = 7)
DEFECT(vectors, "several values a voxel", file->dim[0] = 5; file->dim[5] = 3)
DEFECT(colour, "a colour image", file->type = 128; file->bits = 24)
DEFECT(complex_numbers, "complex", file->type = 32; file->bits = 64)
DEFECT(one_slice, "one slice only", file->dim[3] = 1)
DEFECT(a_plane, "one slice only", file->dim[0] = 2)
DEFECT(no_voxels, "claims 0 voxels along axis 2", file->dim[2] = 0)
DEFECT(negative_voxels, "claims -5 voxels", file->dim[1] = -5)
DEFECT(nine_dimensions, "claims 9 dimensions", file->dim[0] = 9)
DEFECT(absurd_size, "claims more voxels than a file of",
       file->dim[1] = file->dim[2] = file->dim[3] = 9999)
DEFECT(overflowing_size, "2^40", file->dim[1] = file->dim[2] = file->dim[3] = 32767)
DEFECT(metres, "in metres", file->units = 1)
DEFECT(micrometres, "in micrometres", file->units = 3)
DEFECT(an_sform_with_shear, "its sform is sheared: axes 0 and 1 meet at",
       file->rows[0][0] = file->rows[1][1] = 0.05f;
       file->pixdim[1] = 0.502494f; file->pixdim[2] = 0.751665f)
DEFECT(an_sform_of_another_size, "voxels of 0.5 mm along axis 0 in the sform, 1 mm in pixdim",
       file->pixdim[1] = 1)
DEFECT(mirrored_forms, "mirror images", file->qform = 1; file->pixdim[0] = -1)
DEFECT(a_qform_that_is_no_rotation, "qform is not a rotation", file->sform = 0; file->qform = 1;
       file->quaternion[0] = 1.2f)
DEFECT(an_sform_of_zeros, "0 mm along axis 0", memset(file->rows, 0, sizeof file->rows))
DEFECT(an_sform_of_nan, "nan mm along axis 0", file->rows[0][0] = NAN)
DEFECT(spacing_of_zero, "0 mm in pixdim", file->pixdim[3] = 0)
DEFECT(an_analyze_file, "not a NIfTI file of one part", file->magic = "ni1")
DEFECT(voxels_inside_the_header, "voxels begin at byte 4", file->offset = 4)

static void what_is_no_nifti_is_refused(void **state) {
  (void)state;
  static char text[500] = "Not a scan at all.";
  write_bytes("a.nii", text, sizeof text);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "not a NIfTI file");
  write_bytes("a.nii.gz", text, sizeof text);
  assert_import_refused("a.nii.gz", HT_ERR_FORMAT, "not a NIfTI file");
  write_bytes("empty.nii", "", 0);
  assert_import_refused("empty.nii", HT_ERR_FORMAT, "there are 0");
  int32_t nifti2 = 540;
  memcpy(text, &nifti2, sizeof nifti2);
  write_bytes("two.nii", text, sizeof text);
  assert_import_refused("two.nii", HT_ERR_FORMAT, "NIfTI-2");
  for (int b = 0; b < 4; b++) text[b] = ((char *)&nifti2)[3 - b];
  write_bytes("two.nii", text, sizeof text);
  assert_import_refused("two.nii", HT_ERR_FORMAT, "NIfTI-2");
}

static void a_compressed_file_of_the_wrong_name_is_refused(void **state) {
  (void)state;
  nifti_file file = nifti_default();
  write_default("a.nii.gz", &file);
  assert_int_equal(rename(in_scratch("a.nii.gz"), in_scratch("a.nii")), 0);
  assert_import_refused("a.nii", HT_ERR_FORMAT, "rename it to end in .nii.gz");
}

static void an_unknown_ending_lists_the_known(void **state) {
  (void)state;
  write_bytes("scan.img", "123456", 6);
  assert_import_refused("scan.img", HT_ERR_FORMAT, ".nii, .nii.gz, .nrrd, .nhdr, .mha, .mhd");
}

/* ---- NRRD and MetaImage ---- */

static const char nrrd_header[] = "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\n"
                                  "space: %s\nspace directions: %s\nkinds: domain domain domain\n"
                                  "endian: little\nencoding: %s\nspace origin: %s\n%s\n";
static const char lps[] = "left-posterior-superior", ras[] = "right-anterior-superior";
static const char lps_axes[] = "(0,-0.5,0) (0.75,0,0) (0,0,1.25)", lps_origin[] = "(-10,20,30)";
static const char ras_axes[] = "(0,0.5,0) (-0.75,0,0) (0,0,1.25)", ras_origin[] = "(10,-20,30)";

static void write_text_and_voxels(const char *name, const char *text) {
  int16_t voxels[VOXELS];
  char bytes[2000];
  size_t length = strlen(text);
  fill(voxels);
  memcpy(bytes, text, length);
  memcpy(bytes + length, voxels, sizeof voxels);
  write_bytes(name, bytes, length + sizeof voxels);
}

static void write_nrrd(const char *name, const char *space, const char *axes, const char *origin,
                       const char *more) {
  char text[1000];
  snprintf(text, sizeof text, nrrd_header, space, axes, "raw", origin, more);
  write_text_and_voxels(name, text);
}

static void nrrd_is_read_in_either_space(void **state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    write_nrrd("a.nrrd", n ? ras : lps, n ? ras_axes : lps_axes, n ? ras_origin : lps_origin, "");
    ht_volume volume = import("a.nrrd");
    assert_default_grid(&volume.grid);
    assert_voxels(&volume, 1, 0);
    ht_volume_free(&volume);
  }
}

static void nrrd_with_its_voxels_beside_it_is_read(void **state) {
  (void)state;
  int16_t voxels[VOXELS];
  fill(voxels);
  write_bytes("a.raw", voxels, sizeof voxels);
  write_nrrd("a.nhdr", lps, lps_axes, lps_origin, "data file: a.raw\n");
  ht_volume volume = import("a.nhdr");
  assert_default_grid(&volume.grid);
  assert_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
  cut_file("a.raw", sizeof voxels - 2);
  assert_import_refused("a.nhdr", HT_ERR_FORMAT, "a.nhdr: truncated or damaged");
  remove(in_scratch("a.raw"));
  assert_import_refused("a.nhdr", HT_ERR_FORMAT, "a.nhdr: truncated or damaged");
}

static void sheared_nrrd_is_refused(void **state) {
  (void)state;
  write_nrrd("a.nrrd", lps, "(0,-0.5,0) (0.75,0.1,0) (0,0,1.25)", lps_origin, "");
  assert_import_refused("a.nrrd", HT_ERR_FORMAT, "not orthonormal");
}

static const char meta_header[] =
    "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
    "TransformMatrix = %s\nOffset = -10 20 30\nElementSpacing = %s\nDimSize = %s\n"
    "ElementType = %s\nElementDataFile = %s\n";
static const char meta_axes[] = "0 -1 0 1 0 0 0 0 1", meta_spacing[] = "0.5 0.75 1.25";

static void write_meta(const char *name, const char *axes, const char *spacing, const char *size,
                       const char *type, const char *data) {
  char text[1000];
  snprintf(text, sizeof text, meta_header, axes, spacing, size, type, data);
  write_text_and_voxels(name, text);
}

static void metaimage_is_read(void **state) {
  (void)state;
  write_meta("a.mha", meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
  ht_volume volume = import("a.mha");
  assert_default_grid(&volume.grid);
  assert_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
  int16_t voxels[VOXELS];
  fill(voxels);
  write_bytes("a.raw", voxels, sizeof voxels);
  write_meta("a.mhd", meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "a.raw");
  volume = import("a.mhd");
  assert_default_grid(&volume.grid);
  assert_voxels(&volume, 1, 0);
  ht_volume_free(&volume);
  cut_file("a.raw", sizeof voxels - 2);
  assert_import_refused("a.mhd", HT_ERR_FORMAT, "a.mhd: truncated or damaged");
}

/* Cut after the header: its text alone has no end of its own. */
static void truncated_nrrd_and_metaimage_are_refused(void **state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    const char *name = n ? "a.mha" : "a.nrrd";
    if (n)
      write_meta(name, meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
    else
      write_nrrd(name, lps, lps_axes, lps_origin, "");
    for (long bytes = file_bytes(name) - 1; bytes >= 0; bytes--) {
      cut_file(name, bytes);
      assert_import_refused(name, HT_ERR_FORMAT, name);
    }
  }
}

/* The voxels as a gzip or zlib stream behind a header. */
static void write_text_and_deflated(const char *name, const char *text, int gzip) {
  int16_t voxels[VOXELS];
  unsigned char bytes[2000];
  size_t length = strlen(text);
  z_stream stream = {0};
  fill(voxels);
  memcpy(bytes, text, length);
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16 * gzip, 8, Z_DEFAULT_STRATEGY),
                   Z_OK);
  stream.next_in = (unsigned char *)voxels;
  stream.avail_in = sizeof voxels;
  stream.next_out = bytes + length;
  stream.avail_out = (unsigned)(sizeof bytes - length);
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  write_bytes(name, bytes, length + stream.total_out);
  deflateEnd(&stream);
}

static void write_deflated(const char *name, int with_size) {
  char text[1000], size[100];
  if (strcmp(name, "a.nrrd") == 0) {
    snprintf(text, sizeof text, nrrd_header, lps, lps_axes, "gz", lps_origin, "");
    return write_text_and_deflated(name, text, 1);
  }
  snprintf(size, sizeof size, "5 4 3\nCompressedData = True");
  snprintf(text, sizeof text, meta_header, meta_axes, meta_spacing, size, "MET_SHORT", "LOCAL");
  write_text_and_deflated(name, text, 0);
  long packed = file_bytes(name) - (long)strlen(text);
  if (!with_size) return;
  snprintf(size, sizeof size, "5 4 3\nCompressedData = True\nCompressedDataSize = %ld", packed);
  snprintf(text, sizeof text, meta_header, meta_axes, meta_spacing, size, "MET_SHORT", "LOCAL");
  write_text_and_deflated(name, text, 0);
}

static void compressed_nrrd_and_metaimage_are_read_whole_or_refused(void **state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    const char *name = n ? "a.mha" : "a.nrrd";
    write_deflated(name, 1);
    ht_volume volume = import(name);
    assert_default_grid(&volume.grid);
    assert_voxels(&volume, 1, 0);
    ht_volume_free(&volume);
    for (long bytes = file_bytes(name) - 1; bytes >= 0; bytes--) {
      cut_file(name, bytes);
      assert_import_refused(name, HT_ERR_FORMAT, name);
    }
  }
}

/* MetaIO then reads none of the voxels, and says nothing. */
static void a_compressed_metaimage_without_its_size_is_refused(void **state) {
  (void)state;
  write_deflated("a.mha", 0);
  assert_import_refused("a.mha", HT_ERR_FORMAT, "truncated or damaged: its voxels need 120 bytes");
}

static void other_metaimages_are_refused(void **state) {
  (void)state;
  write_meta("a.mha", meta_axes, meta_spacing, "5 4 1", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "one slice only");
  write_meta("a.mha", meta_axes, meta_spacing, "5 4 3", "MET_CHAR\nElementNumberOfChannels = 2",
             "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "several values a voxel");
  write_meta("a.mha", meta_axes, "0.5 -0.75 1.25", "5 4 3", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "spacing along axis 1 is -0.75 mm");
  write_meta("a.mha", "0 -1 0 1 0.2 0 0 0 1", meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "not orthonormal");
  write_meta("a.mha", meta_axes, meta_spacing, "5000 4000 3000", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "claims more voxels than a file of");
  write_meta("a.mha", meta_axes, meta_spacing, "90000 90000 900000", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "2^40");
}

/* ---- Lists ---- */

static void an_image_is_a_list_of_one(void **state) {
  (void)state;
  nifti_file file = nifti_default();
  ht_series_list list;
  write_default("a.nii.gz", &file);
  assert_int_equal(ht_import_list(in_scratch("a.nii.gz"), NULL, &list), HT_OK);
  assert_int_equal(list.count, 1);
  assert_string_equal(list.series[0].format, "NIfTI");
  assert_string_equal(list.series[0].problem, "");
  assert_int_equal(list.series[0].files, 1);
  assert_default_grid(&list.series[0].grid);
  ht_series_list_free(&list);
  file.dim[0] = 4;
  file.dim[4] = 5;
  write_default("a.nii.gz", &file);
  assert_int_equal(ht_import_list(in_scratch("a.nii.gz"), NULL, &list), HT_OK);
  assert_int_equal(list.series[0].grid.dim[0], 0);
  assert_non_null(strstr(list.series[0].problem, "5 time points"));
  ht_series_list_free(&list);
  write_bytes("a.nii.gz", "x", 1);
  assert_refused(ht_import_list(in_scratch("a.nii.gz"), NULL, &list), HT_ERR_FORMAT, "a.nii.gz");
  assert_null(list.series);
}

static void a_file_that_may_not_be_read_says_so(void **state) {
  (void)state;
  if (geteuid() == 0) skip(); /* root may read all */
  nifti_file file = nifti_default();
  write_default("a.nii", &file);
  assert_int_equal(chmod(in_scratch("a.nii"), 0), 0);
  assert_import_refused("a.nii", HT_ERR_NOT_FOUND, "cannot be read");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(nifti_is_read_plain_and_compressed),
      TEST(nifti_slope_and_intercept_are_applied),
      TEST(nifti_of_the_other_byte_order_is_read),
      TEST(nifti_of_every_number_type_is_read),
      TEST(nifti_places_come_from_the_qform_where_there_is_no_sform),
      TEST(nifti_with_one_time_point_is_a_volume),
      TEST(left_handed_axes_are_kept),
      TEST(nan_becomes_the_smallest_value),
      TEST(infinity_and_nothing_but_nan_are_refused),
      TEST(a_truncated_nifti_is_refused),
      TEST(a_damaged_gzip_is_refused),
      TEST(several_time_points),
      TEST(vectors),
      TEST(colour),
      TEST(complex_numbers),
      TEST(one_slice),
      TEST(a_plane),
      TEST(no_voxels),
      TEST(negative_voxels),
      TEST(nine_dimensions),
      TEST(absurd_size),
      TEST(overflowing_size),
      TEST(metres),
      TEST(micrometres),
      TEST(an_sform_with_shear),
      TEST(an_sform_of_another_size),
      TEST(mirrored_forms),
      TEST(a_qform_that_is_no_rotation),
      TEST(an_sform_of_zeros),
      TEST(an_sform_of_nan),
      TEST(spacing_of_zero),
      TEST(an_analyze_file),
      TEST(voxels_inside_the_header),
      TEST(what_is_no_nifti_is_refused),
      TEST(a_compressed_file_of_the_wrong_name_is_refused),
      TEST(an_unknown_ending_lists_the_known),
      TEST(nrrd_is_read_in_either_space),
      TEST(nrrd_with_its_voxels_beside_it_is_read),
      TEST(sheared_nrrd_is_refused),
      TEST(metaimage_is_read),
      TEST(truncated_nrrd_and_metaimage_are_refused),
      TEST(compressed_nrrd_and_metaimage_are_read_whole_or_refused),
      TEST(a_compressed_metaimage_without_its_size_is_refused),
      TEST(other_metaimages_are_refused),
      TEST(an_image_is_a_list_of_one),
      TEST(a_file_that_may_not_be_read_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
