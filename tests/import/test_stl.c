/* import/: STL surfaces as vessels: both kinds of file, axes, closedness, the voxels inside. */
#include "tests/check.h"
#include "tests/import/import_fixture.h"
#include "import/surface/surface_mask.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <string.h>

/* ---- Surfaces ---- */

enum { TRIANGLES_MAX = 6000 };

typedef struct {
  int count;
  float corner[TRIANGLES_MAX][3][3];
} mesh;

static void add(mesh *to, const double a[3], const double b[3], const double c[3]) {
  const double *p[3] = {a, b, c};
  assert_true(to->count < TRIANGLES_MAX);
  for (int n = 0; n < 3; n++)
    for (int r = 0; r < 3; r++) to->corner[to->count][n][r] = (float)p[n][r];
  to->count++;
}

/* A point of the side of a cylinder with caps: ring 0 and 3 are the caps' centres. */
static void cylinder_point(const double centre[3], double radius, double length, int ring, int n,
                           int around, double at[3]) {
  double angle = 2 * HT_PI * (n % around) / around, r = ring == 1 || ring == 2 ? radius : 0;
  at[0] = centre[0] + r * cos(angle);
  at[1] = centre[1] + r * sin(angle);
  at[2] = centre[2] + (ring < 2 ? -0.5 : 0.5) * length;
}

/* Adds a cylinder along z, its ends closed. */
static void add_cylinder(mesh *to, const double centre[3], double radius, double length,
                         int around) {
  for (int ring = 0; ring < 3; ring++)
    for (int n = 0; n < around; n++) {
      double p[4][3];
      for (int c = 0; c < 4; c++)
        cylinder_point(centre, radius, length, ring + c / 2, n + c % 2, around, p[c]);
      if (ring > 0) add(to, p[0], p[1], p[2]);
      if (ring < 2) add(to, p[1], p[3], p[2]);
    }
}

static void write_binary(const char *name, const mesh *of, const char *header) {
  static unsigned char bytes[84 + 50 * TRIANGLES_MAX];
  uint32_t count = (uint32_t)of->count;
  memset(bytes, 0, sizeof bytes);
  snprintf((char *)bytes, 80, "%s", header);
  memcpy(bytes + 80, &count, 4); /* the tests run on little-endian machines */
  for (int t = 0; t < of->count; t++) memcpy(bytes + 84 + 50 * t + 12, of->corner[t], 36);
  write_bytes(name, bytes, 84 + 50 * (size_t)of->count);
}

static void write_text(const char *name, const mesh *of, const char *solid) {
  FILE *file = fopen(in_scratch(name), "w");
  assert_non_null(file);
  fprintf(file, "solid %s\n", solid);
  for (int t = 0; t < of->count; t++) {
    fputs("facet normal 0 0 0\n outer loop\n", file);
    for (int c = 0; c < 3; c++)
      fprintf(file, "  vertex %.9g %.9g %.9g\n", (double)of->corner[t][c][0],
              (double)of->corner[t][c][1], (double)of->corner[t][c][2]);
    fputs(" endloop\nendfacet\n", file);
  }
  fputs("endsolid\n", file);
  assert_int_equal(fclose(file), 0);
}

static ht_mask import(const char *name, double spacing_mm, ht_import_notes *notes) {
  ht_mask mask;
  ht_import_surface surface = {.spacing_mm = spacing_mm};
  ht_import_options options = {.surface = &surface, .notes = notes};
  ht_status status = ht_import_vessel(in_scratch(name), &options, &mask);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  return mask;
}

static void assert_mask_refused(const char *name, double spacing_mm, ht_status expected,
                                const char *text) {
  ht_mask mask;
  ht_import_surface surface = {.spacing_mm = spacing_mm};
  ht_import_options options = {.surface = &surface};
  assert_refused(ht_import_vessel(in_scratch(name), &options, &mask), expected, text);
  assert_null(mask.inside);
}

/* ---- The voxels ---- */

static const double centre[3] = {-31.7, 12.4, 95.1};

/* Every voxel more than half a voxel's diagonal from the surface is as the cylinder says. */
static void assert_cylinder(const ht_mask *mask, const double c[3], double radius, double length,
                            double slack) {
  int64_t voxels = ht_grid_voxels(&mask->grid), inside = 0;
  for (int64_t v = 0; v < voxels; v++) {
    double p[3];
    ht_grid_voxel_position(&mask->grid, v, p);
    double r = hypot(p[0] - c[0], p[1] - c[1]), z = fabs(p[2] - c[2]);
    inside += mask->inside[v];
    if (r < radius - slack && z < length / 2 - 1e-6 && !mask->inside[v])
      fail_msg("(%g, %g, %g) is outside", p[0], p[1], p[2]);
    if ((r > radius || z > length / 2 + 1e-6) && mask->inside[v])
      fail_msg("(%g, %g, %g) is inside", p[0], p[1], p[2]);
  }
  double volume = (double)inside * pow(mask->grid.spacing_mm[0], 3);
  double expected = HT_PI * radius * radius * length;
  if (!(fabs(volume - expected) < 0.02 * expected))
    fail_msg("volume %g, expected %g", volume, expected);
}

HT_TEST(a_cylinder_fills_its_voxels) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 200);
  const double slack = 3 * (1 - cos(HT_PI / 200)) + 1e-4; /* of a polygon of 200 sides */
  for (int n = 0; n < 4; n++) {
    ht_import_notes notes;
    const char *name[] = {"a.stl", "B.STL", "c.stl", "d.stl"};
    if (n % 2)
      write_text(name[n], &of, n < 2 ? "3D Slicer output. SPACE=LPS" : "vessel");
    else /* some programs begin binary files so, too */
      write_binary(name[n], &of, n < 2 ? "3D Slicer output. SPACE=LPS" : "solid vessel");
    ht_mask mask = import(name[n], 0.2, &notes);
    assert_cylinder(&mask, centre, 3, 20, slack);
    assert_true(mask.grid.spacing_mm[2] == 0.2);
    assert_non_null(strstr(notes.text, "a surface of 800 triangles in mm, in LPS"));
    assert_non_null(
        strstr(notes.text, n < 2 ? "in LPS by its header" : "its header does not give the axes"));
    ht_mask_free(&mask);
  }
}

/* Corners and edges exactly on the voxels' rows: every row must still come out even. */
HT_TEST(corners_on_the_rows_leave_no_streaks) {
  static mesh of;
  const double at[3] = {0, 0, 0};
  for (int around = 4; around <= 64; around *= 2) {
    of.count = 0;
    add_cylinder(&of, at, 4, 16, around);
    write_binary("a.stl", &of, "");
    ht_mask mask = import("a.stl", 0.25, NULL);
    double cut = 4 * (1 - cos(HT_PI / around)) + 1e-4;
    int64_t voxels = ht_grid_voxels(&mask.grid);
    for (int64_t v = 0; v < voxels; v++) {
      double p[3];
      ht_grid_voxel_position(&mask.grid, v, p);
      double r = hypot(p[0], p[1]);
      if (r < 4 - cut && fabs(p[2]) < 8) assert_int_equal(mask.inside[v], 1);
      if (r > 4 + 1e-4 || fabs(p[2]) > 8 + 1e-4) assert_int_equal(mask.inside[v], 0);
    }
    ht_mask_free(&mask);
  }
}

/* Places whose rows, along x, meet corners and edges exactly. */
HT_TEST(corners_on_the_row_of_a_place_are_met_once) {
  static mesh of;
  const double at[3] = {0, 0, 0}, edge = (float)(4 * sin(HT_PI / 4));
  of.count = 0;
  add_cylinder(&of, at, 4, 16, 8);
  for (int i = 0; i < 9 * of.count; i++) {
    float *value = &of.corner[i / 9][i / 3 % 3][i % 3];
    if (fabsf(*value) < 1e-6f) *value = 0;
  }
  const ht_stl surface = {.triangles = of.count, .corner = of.corner};
  const double y[4] = {0, edge, -edge, 0.3}, x[5] = {0, 1, -1, 5, -5}, z[5] = {0, 0.3, 7, -7, 9};
  for (int i = 0; i < 4 * 5 * 5; i++) {
    const double place[3] = {x[i % 5], y[i / 5 % 4], z[i / 20]};
    int inside = fabs(place[0]) < 4 && fabs(place[2]) < 8;
    if (ht_stl_holds(&surface, 1, place) != inside)
      fail_msg("(%g, %g, %g) is %s", place[0], place[1], place[2], inside ? "outside" : "inside");
  }
}

HT_TEST(ras_turns_two_axes) {
  static mesh of;
  ht_import_notes notes;
  const double turned[3] = {-centre[0], -centre[1], centre[2]};
  of.count = 0;
  add_cylinder(&of, turned, 3, 20, 200);
  write_text("a.stl", &of, "3D Slicer output. SPACE=RAS");
  ht_mask mask = import("a.stl", 0.25, &notes);
  assert_cylinder(&mask, centre, 3, 20, 0.01);
  assert_non_null(strstr(notes.text, "in RAS by its header"));
  ht_mask_free(&mask);
}

/* Two vessels that run into each other were joined without a cut: what is in both is inside. */
HT_TEST(surfaces_that_overlap_are_one) {
  static mesh of;
  const double second[3] = {centre[0], centre[1], centre[2] + 12};
  const double both[3] = {centre[0], centre[1], centre[2] + 6};
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 200);
  add_cylinder(&of, second, 3, 20, 200);
  write_binary("a.stl", &of, "");
  ht_mask mask = import("a.stl", 0.25, NULL);
  assert_cylinder(&mask, both, 3, 32, 0.01);
  ht_mask_free(&mask);
}

HT_TEST(triangles_that_face_either_way_are_read) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 200);
  for (int t = 0; t < of.count; t += 3) {
    float kept[3];
    memcpy(kept, of.corner[t][0], sizeof kept);
    memcpy(of.corner[t][0], of.corner[t][1], sizeof kept);
    memcpy(of.corner[t][1], kept, sizeof kept);
  }
  write_binary("a.stl", &of, "");
  ht_mask mask = import("a.stl", 0.25, NULL);
  assert_cylinder(&mask, centre, 3, 20, 0.01);
  ht_mask_free(&mask);
}

HT_TEST(without_a_spacing_there_are_forty_voxels_across) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 2, 200, 100);
  write_binary("a.stl", &of, "");
  ht_mask mask = import("a.stl", 0, NULL);
  assert_near(mask.grid.spacing_mm[0], 4. / 40, 2e-3);
  ht_mask_free(&mask);
}

static ht_import_surface read_with(const char *name, ht_import_surface how,
                                   ht_import_notes *notes) {
  ht_mask mask;
  ht_import_options options = {.surface = &how, .notes = notes};
  ht_status status = ht_import_vessel(in_scratch(name), &options, &mask);
  if (status != HT_OK) fail_msg("%d %s", status, ht_error_message());
  assert_true(how.voxel_mm == mask.grid.spacing_mm[0]);
  ht_mask_free(&mask);
  return how;
}

/* A wide vessel does not rule the voxels of a thin one that leaves it; nor is a lattice finer. */
HT_TEST(the_thinnest_vessel_and_the_lattice_choose_the_voxels) {
  static mesh of;
  const ht_import_surface automatic = {0}, fine = {.lattice_mm = 0.08},
                          across = {.nodes_across = 80};
  of.count = 0;
  add_cylinder(&of, centre, 3, 8, 100);
  add_cylinder(&of, centre, 1, 20, 100);
  write_binary("a.stl", &of, "");
  assert_near(read_with("a.stl", automatic, NULL).voxel_mm, 2. / 40, 1e-3);
  assert_true(read_with("a.stl", fine, NULL).voxel_mm == 0.04);
  of.count = 0;
  add_cylinder(&of, centre, 1, 6, 100);
  write_binary("a.stl", &of, "");
  double radius =
      sqrt(100 * sin(2 * HT_PI / 100) / (2 * HT_PI)); /* of a circle of the cap's area */
  assert_near(read_with("a.stl", across, NULL).voxel_mm, 2 * radius / 80 / 2, 1e-5);
}

/* ---- Flat ends ---- */

static void add_box(mesh *to, const double low[3], const double high[3]) {
  static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  double p[8][3];
  for (int c = 0; c < 24; c++) p[c / 3][c % 3] = (c / 3) >> (c % 3) & 1 ? high[c % 3] : low[c % 3];
  for (int f = 0; f < 6; f++) {
    add(to, p[face[f][0]], p[face[f][1]], p[face[f][2]]);
    add(to, p[face[f][0]], p[face[f][2]], p[face[f][3]]);
  }
}

static void turn_all(mesh *of) {
  for (int t = 0; t < of->count; t++) {
    float kept[3];
    memcpy(kept, of->corner[t][0], sizeof kept);
    memcpy(of->corner[t][0], of->corner[t][1], sizeof kept);
    memcpy(of->corner[t][1], kept, sizeof kept);
  }
}

static void assert_ends(const mesh *of, double area, const double end[2][3], double length) {
  write_binary("a.stl", of, "");
  const ht_import_surface automatic = {0};
  ht_import_surface read = read_with("a.stl", automatic, NULL);
  assert_int_equal(read.ends.count, 2);
  for (int e = 0; e < 2; e++) {
    const ht_opening *one = &read.ends.item[e];
    int side = fabs(one->centre_mm[2] - end[1][2]) < 0.5 * length;
    assert_near(one->area_mm2, area, 1e-3 * area);
    for (int r = 0; r < 3; r++) {
      assert_near(one->centre_mm[r], end[side][r], 1e-3);
      assert_near(one->normal[r], (end[side][r] - end[!side][r]) / length, 1e-5);
    }
  }
}

/* The ends of a tube face out of it, whichever way the triangles face; a duct's sides are none. */
HT_TEST(flat_ends_are_found) {
  static mesh of;
  const double ends[2][3] = {{centre[0], centre[1], centre[2] - 10},
                             {centre[0], centre[1], centre[2] + 10}};
  const double low[3] = {-3, -3, 0}, high[3] = {3, 3, 20};
  const double middles[2][3] = {{0, 0, 0}, {0, 0, 20}};
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 60);
  for (int turn = 0; turn < 2; turn++, turn_all(&of))
    assert_ends(&of, 30 * sin(2 * HT_PI / 60) * 9, ends, 20);
  of.count = 0;
  add_box(&of, low, high);
  assert_ends(&of, 36, middles, 20);
}

/* A flat disc on a wider vessel is none: no vessel of its width lies inward of it. */
HT_TEST(a_flat_disc_without_a_tube_is_no_end) {
  static mesh of;
  const double at[3] = {0, 0, 0};
  const ht_import_surface automatic = {0};
  of.count = 0;
  for (int ring = 0; ring < 20; ring++) /* a ball, its poles cut off */
    for (int n = 0; n < 48; n++) {
      double p[4][3];
      for (int c = 0; c < 4; c++) {
        int which = ring + c / 2;
        double z = which == 0 ? -0.98 : which == 20 ? 0.98 : -0.98 + 1.96 * (which - 1) / 18;
        double r = which == 0 || which == 20 ? 0 : sqrt(1 - z * z);
        double angle = 2 * HT_PI * ((n + c % 2) % 48) / 48;
        p[c][0] = at[0] + 8 * r * cos(angle);
        p[c][1] = at[1] + 8 * r * sin(angle);
        p[c][2] = at[2] + 8 * z;
      }
      if (ring > 0) add(&of, p[0], p[1], p[2]);
      if (ring < 19) add(&of, p[1], p[3], p[2]);
    }
  write_binary("a.stl", &of, "");
  assert_int_equal(read_with("a.stl", automatic, NULL).ends.count, 0);
}

/* ---- Units ---- */

HT_TEST(metres_are_taken_where_that_is_sure) {
  static mesh of;
  ht_import_notes notes;
  ht_series_list list;
  const double at[3] = {0, 0, 0};
  const ht_import_surface automatic = {0};
  of.count = 0;
  add_cylinder(&of, at, 0.003, 0.02, 12);
  write_binary("a.stl", &of, "");
  ht_import_surface read = read_with("a.stl", automatic, &notes);
  assert_non_null(strstr(notes.warning, "taken for metres: 20 mm long, at most 6.8 mm wide"));
  assert_int_equal(read.ends.count, 2);
  assert_near(read.ends.item[0].radius_mm, 3, 0.1);
  assert_int_equal(ht_import_list(in_scratch("a.stl"), NULL, &list), HT_OK);
  assert_non_null(strstr(list.series[0].note, "taken to be in metres, 6 x 6 x 20 mm"));
  ht_series_list_free(&list);
}

/* Carotid and aorta in cm, an aorta in metres, a small vessel in mm: by their widths. */
HT_TEST(the_width_tells_the_unit) {
  static mesh of;
  static const struct {
    double radius, length;
    const char *said;
    double radius_mm;
  } vessels[] = {{0.0125, 0.3, "taken for metres", 12.5},
                 {0.15, 4, "taken for centimetres: 40 mm long", 1.5},
                 {0.12, 6, "taken for centimetres: 60 mm long", 1.2},
                 {1.5, 12, "", 1.5}};
  const double at[3] = {0, 0, 0};
  const ht_import_surface automatic = {0};
  for (size_t v = 0; v < sizeof vessels / sizeof *vessels; v++) {
    ht_import_notes notes = {"", ""};
    of.count = 0;
    add_cylinder(&of, at, vessels[v].radius, vessels[v].length, 60);
    write_binary("a.stl", &of, "");
    ht_import_surface read = read_with("a.stl", automatic, &notes);
    assert_true(vessels[v].said[0] ? strstr(notes.warning, vessels[v].said) != NULL
                                   : notes.warning[0] == 0);
    assert_near(read.ends.item[0].radius_mm / vessels[v].radius_mm, 1, 0.01);
  }
}

HT_TEST(a_unit_that_is_not_sure_is_asked_for) {
  static mesh of;
  ht_mask mask;
  ht_series_list list;
  const double at[3] = {0, 0, 0}, mm[] = {0, 0.35, 3.5, 350};
  of.count = 0;
  add_cylinder(&of, at, 0.35, 4.8, 100);
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 0, HT_ERR_FORMAT, "give it with --surface-unit");
  assert_int_equal(ht_import_list(in_scratch("a.stl"), NULL, &list), HT_OK);
  assert_non_null(strstr(list.series[0].problem, "mm (4.8 mm long), cm (48 mm) or m (4800 mm)"));
  ht_series_list_free(&list);
  for (int unit = HT_UNIT_MM; unit <= HT_UNIT_CM; unit++) {
    const ht_import_surface how = {.unit = (ht_surface_unit)unit};
    ht_import_surface read = read_with("a.stl", how, NULL);
    assert_near(read.ends.item[0].radius_mm, mm[unit], 0.01 * mm[unit]);
  }
  ht_import_surface metres = {.unit = HT_UNIT_M};
  ht_import_options options = {.surface = &metres};
  assert_refused(ht_import_vessel(in_scratch("a.stl"), &options, &mask), HT_ERR_FORMAT,
                 "4.8e+03 mm long with the unit m");
}

/* ---- What is refused ---- */

HT_TEST(an_open_surface_is_refused) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 12);
  of.count--;
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT,
                      "is not closed: it has a hole 1.69 mm wide at [-29.83, 11.90, 105.10] mm");
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch("a.stl"), NULL, &list), HT_OK);
  assert_string_equal(list.series[0].format, "STL");
  assert_non_null(strstr(list.series[0].problem, "is not closed"));
  ht_series_list_free(&list);
}

/* A cylinder without caps, its upper end cut at a slant or in waves. */
static void add_wall(mesh *to, double slant, double wave) {
  enum { AROUND = 60, RINGS = 10 };
  for (int ring = 0; ring < RINGS; ring++)
    for (int n = 0; n < AROUND; n++) {
      double p[4][3];
      for (int c = 0; c < 4; c++) {
        double angle = 2 * HT_PI * ((n + c % 2) % AROUND) / AROUND;
        double up = (double)(ring + c / 2) / RINGS;
        p[c][0] = centre[0] + 3 * cos(angle);
        p[c][1] = centre[1] + 3 * sin(angle);
        p[c][2] = centre[2] - 10 + up * (20 + slant * cos(angle) + wave * sin(3 * angle));
      }
      add(to, p[0], p[1], p[2]);
      add(to, p[1], p[3], p[2]);
    }
}

/* Flat, slanted by 45 degrees, and in waves of 0.9 mm. */
HT_TEST(open_ends_become_openings) {
  static mesh of;
  const double slant[3] = {0, 3, 0}, wave[3] = {0, 0, 0.9}, area = 30 * sin(2 * HT_PI / 60) * 9;
  for (int n = 0; n < 3; n++)
    for (int turn = 0; turn < 2; turn++) {
      ht_import_notes notes;
      of.count = 0;
      add_wall(&of, slant[n], wave[n]);
      if (turn) turn_all(&of);
      write_binary("a.stl", &of, "");
      const ht_import_surface automatic = {0};
      ht_import_surface read = read_with("a.stl", automatic, &notes);
      assert_non_null(strstr(notes.text, "2 open ends of the surface: closed, and openings"));
      assert_int_equal(read.ends.count, 2);
      for (int e = 0; e < 2; e++) {
        const ht_opening *one = &read.ends.item[e];
        int upper = one->centre_mm[2] > centre[2];
        double end = upper ? 10 - slant[n] - wave[n] : -10;
        assert_near(one->centre_mm[2] - centre[2], end, 0.05);
        assert_near(one->centre_mm[0], centre[0], 0.05);
        assert_true(one->normal[2] * (upper ? 1 : -1) > 0.998);
        assert_near(one->area_mm2 / area, 1, 0.01);
      }
    }
  ht_series_list list;
  assert_int_equal(ht_import_list(in_scratch("a.stl"), NULL, &list), HT_OK);
  assert_non_null(strstr(list.series[0].note, "2 open ends: a vessel"));
  ht_series_list_free(&list);
}

/* Two holes that share a corner and an edge of three triangles: said, not guessed. */
HT_TEST(an_edge_of_three_triangles_is_refused) {
  static mesh of;
  of.count = 0;
  add_wall(&of, 0, 0);
  const double fin[3][3] = {{of.corner[300][0][0], of.corner[300][0][1], of.corner[300][0][2]},
                            {of.corner[300][1][0], of.corner[300][1][1], of.corner[300][1][2]},
                            {centre[0] + 9, centre[1], centre[2]}};
  add(&of, fin[0], fin[1], fin[2]);
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "an edge of three or more triangles");
}

HT_TEST(other_sizes_are_refused) {
  static mesh of;
  const double at[3] = {0, 0, 0};
  of.count = 0;
  add_cylinder(&of, at, 0.0003, 0.002, 12);
  write_binary("small.stl", &of, "");
  assert_mask_refused("small.stl", 0, HT_ERR_FORMAT, "0.002 mm long, which no vessel is");
  of.count = 0;
  add_cylinder(&of, at, 8, 20, 12); /* between the rows of voxels */
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 15, HT_ERR_VESSEL, "give a smaller --surface-spacing");
  of.count = 0;
  add_cylinder(&of, at, 100, 400, 12);
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 0.05, HT_ERR_FORMAT, "give a larger --surface-spacing");
}

HT_TEST(damaged_files_are_refused) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 12);
  write_binary("a.stl", &of, "");
  cut_file("a.stl", file_bytes("a.stl") - 1);
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "promises 48 triangles, there are 47");
  cut_file("a.stl", 40);
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "40 bytes, and an STL has at least 84");
  write_text("a.stl", &of, "v");
  cut_file("a.stl", file_bytes("a.stl") - 10);
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "without \"endsolid\"");
  const char bad[] = "solid\nfacet\nvertex 1 two 3\nendsolid\n";
  write_bytes("a.stl", bad, sizeof bad - 1);
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "a.stl:3: a vertex needs three numbers");
  of.corner[7][1][2] = NAN;
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "triangle 8 has a corner at nan");
  unsigned char many[200] = {0};
  memset(many + 80, 0xff, 4);
  write_bytes("a.stl", many, sizeof many);
  assert_mask_refused("a.stl", 0.25, HT_ERR_FORMAT, "promises 4294967295 triangles, there are 2");
}

/* A model for printing: the lumen within an outer wall, both facing outwards. */
HT_TEST(a_shell_within_a_shell_is_refused) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 60);
  add_cylinder(&of, centre, 2, 20, 60);
  write_binary("a.stl", &of, "");
  assert_mask_refused("a.stl", 0.25, HT_ERR_VESSEL, "the vessel is hollow");
}

HT_TEST(a_surface_is_no_scan) {
  static mesh of;
  of.count = 0;
  add_cylinder(&of, centre, 3, 20, 12);
  write_binary("a.stl", &of, "");
  assert_import_refused("a.stl", HT_ERR_FORMAT, "a surface is no scan: give it as the mask");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_cylinder_fills_its_voxels),
      TEST(corners_on_the_rows_leave_no_streaks),
      TEST(corners_on_the_row_of_a_place_are_met_once),
      TEST(ras_turns_two_axes),
      TEST(surfaces_that_overlap_are_one),
      TEST(triangles_that_face_either_way_are_read),
      TEST(without_a_spacing_there_are_forty_voxels_across),
      TEST(the_thinnest_vessel_and_the_lattice_choose_the_voxels),
      TEST(flat_ends_are_found),
      TEST(a_flat_disc_without_a_tube_is_no_end),
      TEST(metres_are_taken_where_that_is_sure),
      TEST(the_width_tells_the_unit),
      TEST(a_unit_that_is_not_sure_is_asked_for),
      TEST(an_open_surface_is_refused),
      TEST(open_ends_become_openings),
      TEST(an_edge_of_three_triangles_is_refused),
      TEST(other_sizes_are_refused),
      TEST(damaged_files_are_refused),
      TEST(a_shell_within_a_shell_is_refused),
      TEST(a_surface_is_no_scan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
