/* import/: the same box as OBJ, PLY and VTP, and what is damaged in them. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "import/surface/formats/surface_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A box 10 x 20 x 30 at (1, 2, 3), of six squares. */
static const double low[3] = {1, 2, 3}, size[3] = {10, 20, 30};
static const int square[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                 {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static double coordinate(int point, int axis) {
  return low[axis] + (point >> axis & 1) * size[axis];
}

static char text[20000];
static size_t length;
static const char *axes = "none"; /* that the file names, as 3D Slicer does: "RAS", "LPS" */

static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  length += (size_t)vsnprintf(text + length, sizeof text - length, format, list);
  va_end(list);
  assert_true(length < sizeof text);
}

static void put(const void *bytes, size_t count, int swapped) {
  for (size_t i = 0; i < count; i++)
    text[length++] = ((const char *)bytes)[swapped ? count - 1 - i : i];
}

static void make_obj(int variant) {
  length = 0;
  say("# box. SPACE=%s\no box\nmtllib none.mtl\n", axes);
  for (int p = 0; p < 8; p++)
    say("v %g %g %g%s\n", coordinate(p, 0), coordinate(p, 1), coordinate(p, 2),
        variant ? " 0.5 0.5 0.5\r" : "");
  say("vn 0 0 1\nvt 0 0\n");
  for (int s = 0; s < 6; s++) {
    say("f");
    for (int c = 0; c < 4; c++)
      say(variant == 1   ? " %d/1/1"
          : variant == 2 ? " %d//1"
                         : " %d",
          variant == 3 ? square[s][c] - 8 : square[s][c] + 1);
    say(variant == 3 && s == 0 ? " \\\n" : "");
    say("\n");
  }
}

/* 0: text, 1: little-endian, 2: big-endian; the machine is little-endian. */
static void make_ply(int variant) {
  static const char *const format[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  length = 0;
  say("ply\nformat %s 1.0\ncomment a box\ncomment SPACE=%s\nelement vertex 8\nproperty uchar red\n"
      "property %s x\nproperty float32 y\nproperty float z\nelement face 6\n"
      "property list uchar %s vertex_indices\nproperty list uchar float quality\nelement edge 1\n"
      "property int a\nend_header\n",
      format[variant], axes, variant ? "double" : "float", variant ? "ushort" : "int");
  for (int p = 0; p < 8; p++) {
    const double x = coordinate(p, 0);
    const float y = (float)coordinate(p, 1), z = (float)coordinate(p, 2);
    if (!variant) say("255 %g %g %g\n", x, (double)y, (double)z);
    if (!variant) continue;
    put("\xff", 1, 0), put(&x, 8, variant == 2);
    put(&y, 4, variant == 2), put(&z, 4, variant == 2);
  }
  for (int s = 0; s < 6; s++) {
    const float quality = 1.5f;
    if (!variant)
      say("4 %d %d %d %d 1 1.5\n", square[s][0], square[s][1], square[s][2], square[s][3]);
    if (!variant) continue;
    put("\4", 1, 0);
    for (int c = 0; c < 4; c++) {
      const uint16_t number = (uint16_t)square[s][c];
      put(&number, 2, variant == 2);
    }
    put("\1", 1, 0), put(&quality, 4, variant == 2);
  }
  if (variant)
    put("\0\0\0\1", 4, 0);
  else
    say("7\n");
}

/* Makes a .vtp in two pieces, as text. */
static void make_vtp(void) {
  length = 0;
  say("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData><Array "
      "type=\"String\" Name=\"SPACE\" NumberOfTuples=\"1\" format=\"ascii\">\n");
  for (const char *letter = axes; *letter; letter++) say("%d ", *letter);
  say("0\n</Array></FieldData>\n");
  for (int piece = 0; piece < 2; piece++) {
    say("<Piece NumberOfPoints=\"8\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
        "NumberOfPolys=\"3\">\n<PointData><DataArray type=\"Float32\" Name=\"p\" "
        "format=\"ascii\">1 1 1 1 1 1 1 1</DataArray></PointData><CellData/>\n<Points><DataArray "
        "type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n");
    for (int p = 0; p < 8; p++)
      say("%g %g %g\n", coordinate(p, 0), coordinate(p, 1), coordinate(p, 2));
    say("</DataArray></Points>\n<Polys><DataArray type=\"Int64\" Name=\"connectivity\" "
        "format=\"ascii\">");
    for (int s = 3 * piece; s < 3 * piece + 3; s++)
      say("%d %d %d %d ", square[s][0], square[s][1], square[s][2], square[s][3]);
    say("</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4 8 12</DataArray>"
        "</Polys>\n</Piece>\n");
  }
  say("</PolyData>\n</VTKFile>\n");
}

static void say_triangle(const int point[4], int second, const char *end) {
  say("facet normal 0 0 0%souter loop%s", end, end);
  for (int c = 0; c < 3; c++) {
    int p = point[c == 0 ? 0 : second + c - 1];
    say("vertex %g %g %g%s", coordinate(p, 0), coordinate(p, 1), coordinate(p, 2), end);
  }
  say("endloop%sendfacet%s", end, end);
}

/* Makes a text STL; 1: with the line ends of old Macs, after UTF-8's mark. */
static void make_stl(int variant) {
  const char *end = variant ? "\r" : "\n";
  length = 0;
  say("%ssolid box%s", variant ? "\xef\xbb\xbf" : "", end);
  for (int s = 0; s < 6; s++)
    for (int half = 1; half < 3; half++) say_triangle(square[s], half, end);
  say("endsolid box%s", end);
}

/* Begins as a text does, and has two bytes more at its end. */
static void make_binary_stl(void) {
  const uint32_t count = 12;
  memset(text, 0, 80);
  strcpy(text, "solid box of some program");
  length = 80;
  put(&count, 4, 0);
  for (int t = 0; t < 12; t++) {
    const float normal[3] = {0, 0, 0};
    put(normal, sizeof normal, 0);
    for (int c = 0; c < 3; c++) {
      int p = square[t / 2][c == 0 ? 0 : t % 2 + c];
      for (int r = 0; r < 3; r++) {
        float x = (float)coordinate(p, r);
        put(&x, 4, 0);
      }
    }
    put("\0", 2, 0);
  }
  put("\0", 2, 0);
}

/* RAS: x and y have the other sign. */
static void assert_box(const char *name) {
  ht_stl surface;
  float least[3] = {1e9f, 1e9f, 1e9f};
  const int is_ras = strcmp(axes, "RAS") == 0;
  write_bytes(name, text, length);
  ht_status status = ht_surface_read(in_scratch(name), &surface);
  if (status != HT_OK) fail_msg("%s: %s", name, ht_error_message());
  assert_int_equal(surface.triangles, 12);
  double sum = 0; /* six times the volume */
  for (int t = 0; t < surface.triangles; t++) {
    const float(*p)[3] = (const float(*)[3])surface.corner[t];
    for (int i = 0; i < 9; i++) least[i % 3] = fminf(least[i % 3], p[i / 3][i % 3]);
    for (int k = 0; k < 3; k++)
      sum += (double)p[0][k] * ((double)p[1][(k + 1) % 3] * p[2][(k + 2) % 3] -
                                (double)p[1][(k + 2) % 3] * p[2][(k + 1) % 3]);
  }
  assert_near(sum / 6, 6000, 1e-3);
  for (int r = 0; r < 3; r++)
    assert_float_equal(least[r], is_ras && r < 2 ? -low[r] - size[r] : low[r], 0);
  ht_stl_free(&surface);
}

static void boxes_are_read(void **state) {
  static const char *const named[] = {"none", "LPS", "RAS"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    axes = named[i];
    for (int variant = 0; variant < 4; variant++) make_obj(variant), assert_box("a.obj");
    for (int variant = 0; variant < 3; variant++) make_ply(variant), assert_box("a.ply");
    make_vtp(), assert_box("A.VTP");
  }
  axes = named[0];
}

HT_TEST(odd_stl_is_read) {
  for (int variant = 0; variant < 2; variant++) make_stl(variant), assert_box("a.stl");
  make_binary_stl(), assert_box("a.stl");
}

/* Cut anywhere: refused, or the box whole where only blanks are lost. */
HT_TEST(cut_files_are_refused) {
  static char kept[sizeof text];
  for (int kind = 0; kind < 5; kind++) {
    if (kind == 0) make_obj(1);
    if (kind > 0 && kind < 4) make_ply(kind - 1);
    if (kind == 4) make_vtp();
    const char *name = kind == 0 ? "a.obj" : kind == 4 ? "a.vtp" : "a.ply";
    size_t whole = length, read = 0;
    memcpy(kept, text, whole);
    for (size_t cut = 0; cut < whole; cut += kind == 4 ? 7 : 3) {
      ht_stl surface;
      write_bytes(name, kept, cut);
      if (ht_surface_read(in_scratch(name), &surface) != HT_OK) continue;
      read++; /* an OBJ has no end: open then, which the import finds */
      assert_true(kind == 0 ? surface.triangles < 12 || cut + 20 > whole : cut + 24 > whole);
      ht_stl_free(&surface);
    }
    assert_true(kind == 0 || read < 10);
  }
}

static void assert_text_refused(const char *name, const char *content, const char *why) {
  ht_stl surface;
  write_bytes(name, content, strlen(content));
  assert_refused(ht_surface_read(in_scratch(name), &surface), HT_ERR_FORMAT, why);
  assert_null(surface.corner);
}

HT_TEST(damaged_files_are_refused) {
  assert_text_refused("a.obj", "", "the file is empty");
  assert_text_refused("a.obj", "v 0 0 0\nv 1 0 0\n", "it holds no triangles");
  assert_text_refused("a.obj", "v 0 0 x\n", "a.obj:1: a point needs three numbers");
  assert_text_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n", "has a corner at nan");
  assert_text_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "names point 3 (from 0)");
  assert_text_refused("a.obj", "v 0 0 0\nf -1 -2 -3\n", "names point -1 (from 0)");
  assert_text_refused("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "has 2 corners");
  assert_text_refused("a.obj", "v 0 0 0\nf 1 b 2\n", "a.obj:2: a face needs the numbers");
  assert_text_refused("a.ply", "solid\n", "it does not begin with \"ply\"");
  assert_text_refused("a.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\n",
                      "does not end");
  assert_text_refused("a.ply",
                      "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\n"
                      "property float y\nproperty float z\nend_header\n0 0 0\n",
                      "truncated");
  assert_text_refused("a.ply",
                      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
                      "no x, y and z");
  assert_text_refused("a.ply",
                      "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int "
                      "vertex_indices\nend_header\n3 0 1 2\n",
                      "it holds no triangles");
  assert_text_refused("a.vtp", "<VTKFile type=\"ImageData\">", "VTK's \"ImageData\"");
  assert_text_refused("a.vtp", "<VTKFile type=\"PolyData\" byte_order=\"BigEndian\">",
                      "its byte order is BigEndian");
  assert_text_refused("a.vtp", "<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\">",
                      "its compressor vtkLZ4DataCompressor");
  assert_text_refused("a.vtp", "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfStrips=\"2\">",
                      "its triangles are in strips");
  assert_text_refused("a.vtp",
                      "<VTKFile type=\"PolyData\"><PolyData><Piece><Points><DataArray "
                      "type=\"Float32\" format=\"appended\" offset=\"99\"/></Points><Polys>"
                      "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" "
                      "offset=\"0\"/><DataArray type=\"Int32\" Name=\"offsets\" "
                      "format=\"appended\" offset=\"0\"/></Polys></Piece></PolyData>"
                      "<AppendedData encoding=\"raw\">_\1\2\3",
                      "an array that is not in the file");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(boxes_are_read), TEST(odd_stl_is_read),
                                     TEST(cut_files_are_refused), TEST(damaged_files_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
