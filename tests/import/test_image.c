/* import/: NRRD and MetaImage files, each written byte by byte; lists of one image. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- NRRD and MetaImage ---- */

static const char nrrd_header[] = "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\n"
                                  "space: %s\nspace directions: %s\nkinds: domain domain domain\n"
                                  "endian: little\nencoding: %s\nspace origin: %s\n%s\n";
static const char lps[] = "left-posterior-superior", ras[] = "right-anterior-superior";
static const char lps_axes[] = "(0,-0.5,0) (0.75,0,0) (0,0,1.25)", lps_origin[] = "(-10,20,30)";
static const char ras_axes[] = "(0,0.5,0) (-0.75,0,0) (0,0,1.25)", ras_origin[] = "(10,-20,30)";

static void write_text_and_voxels(const char *name, const char *text) {
  int16_t voxels[SCAN_VOXELS];
  char bytes[2000];
  size_t length = strlen(text);
  scan_fill(voxels);
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

HT_TEST(nrrd_is_read_in_either_space) {
  for (int n = 0; n < 2; n++) {
    write_nrrd("a.nrrd", n ? ras : lps, n ? ras_axes : lps_axes, n ? ras_origin : lps_origin, "");
    assert_scan_read("a.nrrd");
  }
}

HT_TEST(nrrd_with_its_voxels_beside_it_is_read) {
  int16_t voxels[SCAN_VOXELS];
  scan_fill(voxels);
  write_bytes("a.raw", voxels, sizeof voxels);
  write_nrrd("a.nhdr", lps, lps_axes, lps_origin, "data file: a.raw\n");
  assert_scan_read("a.nhdr");
  cut_file("a.raw", sizeof voxels - 2);
  assert_import_refused("a.nhdr", HT_ERR_FORMAT, "a.nhdr: truncated or damaged");
  remove(in_scratch("a.raw"));
  assert_import_refused("a.nhdr", HT_ERR_FORMAT, "a.raw', which its header names, is no file");
}

HT_TEST(sheared_nrrd_is_refused) {
  write_nrrd("a.nrrd", lps, "(0,-0.5,0) (0.75,0.1,0) (0,0,1.25)", lps_origin, "");
  assert_import_refused("a.nrrd", HT_ERR_FORMAT, "not orthonormal");
}

/* A header with these lines after its type and sizes. */
static void write_placed_nrrd(const char *lines) {
  char text[1000];
  snprintf(text, sizeof text,
           "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 3\nendian: little\nencoding: raw\n%s"
           "space origin: (-10,20,30)\n\n",
           lines);
  write_text_and_voxels("a.nrrd", text);
}

#define NRRD_SPACE "space: left-posterior-superior\n"
#define NRRD_AXES  "space directions: (0,-0.5,0) (0.75,0,0) (0,0,1.25)\n"

/* ITK assumes 1 mm, LPS and mm where the header lacks them, and rotates LAS by half a turn. */
HT_TEST(an_nrrd_that_does_not_tell_size_and_place_is_refused) {
  static const char *const lacking[][2] = {
      {"", "no \"space directions\""},
      {"spacings: 0.5 0.75 1.25\n", "spacings alone do not give it"},
      {NRRD_SPACE, "no \"space directions\""},
      {NRRD_SPACE "spacings: 0.5 0.75 1.25\n",
       "write \"space directions: (0.5,0,0) (0,0.75,0) (0,0,1.25)\" in place of \"spacings\""},
      {NRRD_SPACE "spacings: 0.5 0.75 nan\n", "spacings alone do not give it"},
      {NRRD_SPACE "space directions: (0.5,0,0) (0,0.75,0) none\n", "for its three axes"},
      {"space dimension: 3\n" NRRD_AXES, "no \"space\" that is read"},
      {"space: scanner-xyz\n" NRRD_AXES, "left and right are not known"},
      {"space: LAS\n" NRRD_AXES, "no \"space\" that is read"},
      {NRRD_SPACE NRRD_AXES "space units: \"cm\" \"cm\" \"cm\"\n", "its lengths are in \"cm\""},
      {NRRD_SPACE NRRD_AXES "space units: \"mm\" \"mm\" \"um\"\n", "its lengths are in \"um\""},
  };
  for (size_t n = 0; n < sizeof lacking / sizeof *lacking; n++) {
    write_placed_nrrd(lacking[n][0]);
    assert_import_refused("a.nrrd", HT_ERR_FORMAT, lacking[n][1]);
  }
  static const char *const told[] = {NRRD_SPACE NRRD_AXES, "space: lps\n" NRRD_AXES,
                                     NRRD_SPACE NRRD_AXES "space units: \"mm\" \"mm\" \"mm\"\n"};
  for (size_t n = 0; n < sizeof told / sizeof *told; n++) {
    write_placed_nrrd(told[n]);
    assert_scan_read("a.nrrd");
  }
}

/* A field of a thousand letters, as ITK's reader ends the program at. */
HT_TEST(an_nrrd_with_an_endless_field_is_refused) {
  static const char *const fields[] = {"type: short",        "dimension: 3",
                                       "sizes: 5 4 3",       "endian: little",
                                       "encoding: raw",      "space: left-posterior-superior",
                                       "space directions: ", "space origin: (-10,20,30)"};
  char good[1000], text[7000], more[6000];
  snprintf(good, sizeof good, nrrd_header, lps, lps_axes, "raw", lps_origin, "");
  for (int letters = 1000; letters < 6000; letters += 4000) {
    memset(more, 'i', (size_t)letters);
    more[letters] = 0;
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) {
      char *at = strstr(good, fields[n]);
      assert_non_null(at);
      int before = (int)(at - good) + (int)strlen(fields[n]);
      snprintf(text, sizeof text, "%.*s%s%s", before, good, more, good + before);
      write_bytes("a.nrrd", text, strlen(text));
      assert_import_refused("a.nrrd", HT_ERR_FORMAT, "a.nrrd: ");
    }
  }
}

static void assert_nrrd_refused(const char *axes, const char *more, const char *reason) {
  write_nrrd("a.nrrd", lps, axes, lps_origin, more);
  assert_import_refused("a.nrrd", HT_ERR_FORMAT, reason);
}

HT_TEST(an_nrrd_whose_fields_are_not_clear_is_refused) {
  assert_nrrd_refused(lps_axes, "sizes: 5 4 3\n", "\"sizes\" twice");
  assert_nrrd_refused(lps_axes, "byte skip: many\n", "a whole number of bytes");
  assert_nrrd_refused(lps_axes, "line skip: 200\n", "fewer lines than its header says");
  assert_nrrd_refused("(0,-0.5,0) (0.75,0,0)", "", "for its three axes");
  assert_nrrd_refused("(0,-0.5,0) (0.75,0) (0,0,1.25)", "",
                      "a vector (x,y,z) or none for each axis");
  write_nrrd("a.nrrd", lps, lps_axes, "(1,2)", "");
  assert_import_refused("a.nrrd", HT_ERR_FORMAT, "of the form (x,y,z)");
}

/* A field that a program adds has the sign ":=", also under the name of a field and of any
 * length. */
HT_TEST(what_nrrd_passes_over_is_passed_over) {
  char more[9000] = "sizes:=1 1 1\n# type: float\nunknown: a\nSegmentation_Parameters:=";
  size_t used = strlen(more);
  memset(more + used, 'x', 8000);
  memcpy(more + used + 8000, "\n", 2);
  char text[10000];
  int16_t voxels[SCAN_VOXELS];
  scan_fill(voxels);
  int length = snprintf(text, sizeof text, nrrd_header, lps, lps_axes, "raw", lps_origin, more);
  memcpy(text + length, voxels, sizeof voxels);
  write_bytes("a.nrrd", text, (size_t)length + sizeof voxels);
  assert_scan_read("a.nrrd");
}

/* Lines, then bytes, of a file whose voxels have an own header. */
HT_TEST(an_nrrd_skips_lines_and_bytes) {
  char bytes[200] = "P5\n# made\nxyz";
  int16_t voxels[SCAN_VOXELS];
  size_t before = strlen(bytes);
  scan_fill(voxels);
  memcpy(bytes + before, voxels, sizeof voxels);
  write_bytes("a.raw", bytes, before + sizeof voxels);
  write_nrrd("a.nhdr", lps, lps_axes, lps_origin, "datafile: a.raw\nlineskip: 2\nbyteskip: 3\n");
  assert_scan_read("a.nhdr");
  write_nrrd("a.nhdr", lps, lps_axes, lps_origin, "data file: a.raw\nbyte skip: -1\n");
  assert_scan_read("a.nhdr");
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

HT_TEST(metaimage_is_read) {
  write_meta("a.mha", meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
  assert_scan_read("a.mha");
  int16_t voxels[SCAN_VOXELS];
  scan_fill(voxels);
  write_bytes("a.raw", voxels, sizeof voxels);
  write_meta("a.mhd", meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "a.raw");
  assert_scan_read("a.mhd");
  cut_file("a.raw", sizeof voxels - 2);
  assert_import_refused("a.mhd", HT_ERR_FORMAT, "a.mhd: truncated or damaged");
  remove(in_scratch("a.raw"));
  assert_import_refused("a.mhd", HT_ERR_FORMAT, "a.raw', which its header names, is no file");
}

/* Cut after the header: its text alone has no end of its own. */
HT_TEST(truncated_nrrd_and_metaimage_are_refused) {
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

/* The voxels as a gzip or zlib stream after a header. */
static void write_text_and_deflated(const char *name, const char *text, int gzip) {
  int16_t voxels[SCAN_VOXELS];
  unsigned char bytes[2000];
  size_t length = strlen(text);
  z_stream stream = {0};
  scan_fill(voxels);
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

HT_TEST(compressed_nrrd_and_metaimage_are_read_whole_or_refused) {
  for (int n = 0; n < 2; n++) {
    const char *name = n ? "a.mha" : "a.nrrd";
    write_deflated(name, 1);
    assert_scan_read(name);
    for (long bytes = file_bytes(name) - 1; bytes >= 0; bytes--) {
      cut_file(name, bytes);
      assert_import_refused(name, HT_ERR_FORMAT, name);
    }
  }
}

/* Half of the slices, as an edited header has it. */
HT_TEST(compressed_voxels_of_more_than_the_size_are_refused) {
  char text[1000], half[1000];
  snprintf(text, sizeof text, nrrd_header, lps, lps_axes, "gz", lps_origin, "");
  char *at = strstr(text, "5 4 3");
  assert_non_null(at);
  snprintf(half, sizeof half, "%.*s5 4 2%s", (int)(at - text), text, at + 5);
  write_text_and_deflated("a.nrrd", half, 1);
  assert_import_refused("a.nrrd", HT_ERR_FORMAT, "80 bytes of voxels, and there are 120");
}

/* MetaIO then reads none of the voxels, and says nothing. */
HT_TEST(a_compressed_metaimage_without_its_size_is_refused) {
  write_deflated("a.mha", 0);
  assert_import_refused("a.mha", HT_ERR_FORMAT, "truncated or damaged: its voxels need 120 bytes");
}

static void plain_meta(char text[500]) {
  snprintf(text, 500, meta_header, meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
}

/* Writes that header with `with` in place of `what`. */
static void write_changed_meta(const char *what, const char *with) {
  char plain[500], text[1500];
  plain_meta(plain);
  const char *at = strstr(plain, what);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plain), plain, with, at + strlen(what));
  write_text_and_voxels("a.mha", text);
}

/* Headers that this reader and MetaIO would understand differently, so that other voxels could be
 * read. */
HT_TEST(an_odd_metaimage_header_is_refused) {
  char name[300] = "";
  static const char *const odd[][3] = {
      {"NDims = 3", "ElementdataFile = a.raw\nNDims = 3", "form ElementDataFile = value"},
      {"NDims = 3", "NDims = 3]", "a whole number from 1 to 10"},
      {"NDims = 3", "NDims = 2.5", "a whole number from 1 to 10"},
      {"NDims = 3", "NDims = -3", "a whole number from 1 to 10"},
      {"NDims = 3", "NDims 3", "line 2 of its header is not of the form Name = value"},
      {"= LOCAL", "== LOCAL", "form ElementDataFile = value"},
      {"= LOCAL", "=\vLOCAL", "form ElementDataFile = value"},
      {"= LOCAL", "=\rLOCAL", "form ElementDataFile = value"},
      {"ObjectType", "\vObjectType", "form Name = value"},
  };
  for (size_t n = 0; n < sizeof odd / sizeof *odd; n++) {
    write_changed_meta(odd[n][0], odd[n][1]);
    assert_import_refused("a.mha", HT_ERR_FORMAT, odd[n][2]);
  }
  memset(name, 'a', sizeof name - 1);
  memcpy(name + sizeof name - 14, "= 1\nNDims = 3", 14);
  write_changed_meta("NDims = 3", name);
  assert_import_refused("a.mha", HT_ERR_FORMAT, "form Name = value");
}

/* Values that MetaIO invents: 1 mm, zeros for missing text, voxels that begin in the header. */
HT_TEST(a_metaimage_that_does_not_tell_is_refused) {
  static const char *const lacking[][3] = {
      {"ElementSpacing = 0.5 0.75 1.25\n", "", "no ElementSpacing"},
      {"ElementSpacing", "elementspacing", "form ElementSpacing = value"},
      {"BinaryData = True", "BinaryData = False", "its voxels are text (BinaryData = False)"},
      {"NDims = 3", "NDims = 3\nHeaderSize = 100", "not at byte 100 as the header says"},
      {"NDims = 3", "NDims = 3\nDistanceUnits = cm", "its lengths are in \"cm\""},
  };
  for (size_t n = 0; n < sizeof lacking / sizeof *lacking; n++) {
    write_changed_meta(lacking[n][0], lacking[n][1]);
    assert_import_refused("a.mha", HT_ERR_FORMAT, lacking[n][2]);
  }
}

/* Writes a file next to the header, which may begin with one of another format: all of it is
 * accounted for. `before` bytes, the voxels, `behind` bytes; the lines stand for NDims. */
static void write_beside(const char *lines, size_t before, size_t behind) {
  int16_t voxels[SCAN_VOXELS];
  char bytes[1000] = {0}, plain[500], text[600];
  scan_fill(voxels);
  memcpy(bytes + before, voxels, sizeof voxels);
  write_bytes("a.raw", bytes, before + sizeof voxels + behind);
  snprintf(plain, sizeof plain, meta_header, meta_axes, meta_spacing, "5 4 3", "MET_SHORT",
           "a.raw");
  int length = snprintf(text, sizeof text, "%s%s", lines, plain);
  write_bytes("a.mhd", text, (size_t)length);
}

HT_TEST(voxels_beside_a_metaimage_are_accounted_for) {
  static const struct {
    const char *lines;
    size_t before, behind;
    int is_read;
  } files[] = {{"", 0, 0, 1},
               {"", 0, 1, 1},
               {"", 352, 0, 0},
               {"HeaderSize = 100\n", 100, 0, 1},
               {"HeaderSize = 100\n", 352, 0, 0},
               {"HeaderSize = 100\n", 0, 252, 0},
               {"HeaderSize = -1\n", 352, 0, 1}};
  for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
    write_beside(files[n].lines, files[n].before, files[n].behind);
    if (files[n].is_read)
      assert_scan_read("a.mhd");
    else
      assert_import_refused("a.mhd", HT_ERR_FORMAT, "the place where its voxels begin is wrong");
  }
  write_beside("HeaderSize = 100\n", 0, 0);
  assert_import_refused("a.mhd", HT_ERR_FORMAT, "truncated");
}

/* Headers as other programs write them: Windows, ITK with what it had read before, by hand. */
HT_TEST(other_metaimage_headers_are_read) {
  static const char *const lines[] = {
      "NDims = 3\r",
      "NDims = 3\r\r",
      "NDims=3",
      "NDims: 3",
      "  NDims = 3",
      "\tNDims = 3",
      "NDims = 3.0",
      "NDims = 3\ndim[0] = 3\npixdim[1] = 0.5",
      "NDims = 3\nNRRD_kinds[0] = domain",
      "NDims = 3\n0008|0016 = 1.2.840.10008.5.1.4.1.1.2",
      "NDims = 3\n3DViewer = x\n_Key = x",
      "NDims = 3\nComment = DOE^JOHN\x1b(I",
      "NDims = 3\nComment = M\xc3\xbcller",
  };
  for (size_t n = 0; n < sizeof lines / sizeof *lines; n++) {
    write_changed_meta("NDims = 3", lines[n]);
    assert_scan_read("a.mha");
  }
}

/* Each line, also the last. */
HT_TEST(a_metaimage_with_its_lines_ended_by_crlf_is_read) {
  char plain[500], text[1000];
  size_t length = 0;
  plain_meta(plain);
  for (const char *c = plain; *c; c++) {
    if (*c == '\n') text[length++] = '\r';
    text[length++] = *c;
  }
  text[length] = 0;
  write_text_and_voxels("a.mha", text);
  assert_scan_read("a.mha");
}

HT_TEST(other_metaimages_are_refused) {
  write_meta("a.mha", meta_axes, meta_spacing, "5 4 1", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "one slice only");
  write_meta("a.mha", meta_axes, meta_spacing, "5 4 3", "MET_CHAR\nElementNumberOfChannels = 2",
             "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "several values per voxel");
  write_meta("a.mha", meta_axes, "0.5 -0.75 1.25", "5 4 3", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "spacing along its second axis is -0.75 mm");
  write_meta("a.mha", "0 -1 0 1 0.2 0 0 0 1", meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "its first and second axis are not orthonormal");
  write_meta("a.mha", meta_axes, meta_spacing, "5000 4000 2000", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "claims more voxels than a file of");
  write_meta("a.mha", meta_axes, meta_spacing, "30 1 2", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "30 x 1 x 2 voxels: a volume needs at least 2");
  write_meta("a.mha", meta_axes, "0.5 0.75 20", "3 2 200", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "4 m long along its third axis");
  write_meta("a.mha", meta_axes, meta_spacing, "90000 90000 900000", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "2^40");
  write_meta("a.mha", meta_axes, "0.0005 0.0005 0.001", "5 4 3", "MET_SHORT", "LOCAL");
  assert_import_refused("a.mha", HT_ERR_FORMAT, "0.0005 x 0.0005 x 0.001 mm, which no scan");
}

/* ---- Lists ---- */

HT_TEST(an_image_is_a_list_of_one) {
  nifti_file file = nifti_default();
  ht_series_list list;
  scan_write("a.nii.gz", &file);
  assert_int_equal(ht_import_list(in_scratch("a.nii.gz"), NULL, &list), HT_OK);
  assert_int_equal(list.count, 1);
  assert_string_equal(list.series[0].format, "NIfTI");
  assert_string_equal(list.series[0].problem, "");
  assert_int_equal(list.series[0].files, 1);
  assert_scan_grid(&list.series[0].grid);
  ht_series_list_free(&list);
  static const int16_t voxels[5 * SCAN_VOXELS];
  file.dim[0] = 4;
  file.dim[4] = 5;
  nifti_write("a.nii.gz", &file, voxels, sizeof voxels);
  assert_int_equal(ht_import_list(in_scratch("a.nii.gz"), NULL, &list), HT_OK);
  assert_string_equal(list.series[0].problem, "");
  assert_string_equal(list.series[0].note, "5 time points: choose one with --phase N (1 to 5)");
  ht_series_list_free(&list);
  write_bytes("a.nii.gz", "x", 1);
  assert_refused(ht_import_list(in_scratch("a.nii.gz"), NULL, &list), HT_ERR_FORMAT, "a.nii.gz");
  assert_null(list.series);
}

/* The list says the same as an import. */
static void assert_listed_as(const char *name, const char *problem) {
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch(name), NULL, &list), HT_OK);
  const char *got = list.series[0].problem;
  if (*problem ? strstr(got, problem) != got : *got) fail_msg("%s: \"%s\"", name, got);
  ht_series_list_free(&list);
}

HT_TEST(a_list_tells_of_voxels_that_are_not_there) {
  const char *name[] = {"a.nii", "a.nii.gz", "a.mha", "a.nrrd"};
  nifti_file file = nifti_default();
  for (int n = 0; n < 4; n++) {
    if (n < 2) scan_write(name[n], &file);
    if (n == 2) write_meta(name[n], meta_axes, meta_spacing, "5 4 3", "MET_SHORT", "LOCAL");
    if (n == 3) write_nrrd(name[n], lps, lps_axes, lps_origin, "");
    assert_listed_as(name[n], "");
    cut_file(name[n], file_bytes(name[n]) - 1);
    assert_listed_as(name[n], "truncated");
  }
}

HT_TEST(a_file_that_may_not_be_read_says_so) {
  if (geteuid() == 0) skip(); /* root may read all */
  nifti_file file = nifti_default();
  scan_write("a.nii", &file);
  assert_int_equal(chmod(in_scratch("a.nii"), 0), 0);
  assert_import_refused("a.nii", HT_ERR_NOT_FOUND, "cannot be read");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(nrrd_is_read_in_either_space),
      TEST(nrrd_with_its_voxels_beside_it_is_read),
      TEST(sheared_nrrd_is_refused),
      TEST(an_nrrd_that_does_not_tell_size_and_place_is_refused),
      TEST(an_nrrd_with_an_endless_field_is_refused),
      TEST(an_nrrd_whose_fields_are_not_clear_is_refused),
      TEST(what_nrrd_passes_over_is_passed_over),
      TEST(an_nrrd_skips_lines_and_bytes),
      TEST(metaimage_is_read),
      TEST(truncated_nrrd_and_metaimage_are_refused),
      TEST(compressed_nrrd_and_metaimage_are_read_whole_or_refused),
      TEST(compressed_voxels_of_more_than_the_size_are_refused),
      TEST(a_compressed_metaimage_without_its_size_is_refused),
      TEST(an_odd_metaimage_header_is_refused),
      TEST(a_metaimage_that_does_not_tell_is_refused),
      TEST(voxels_beside_a_metaimage_are_accounted_for),
      TEST(other_metaimage_headers_are_read),
      TEST(a_metaimage_with_its_lines_ended_by_crlf_is_read),
      TEST(other_metaimages_are_refused),
      TEST(an_image_is_a_list_of_one),
      TEST(a_list_tells_of_voxels_that_are_not_there),
      TEST(a_file_that_may_not_be_read_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
