/* The picture of the tiles, pixel by pixel where it is known, and the plain plot. */
#include "tests/check.h"
#include "export/drawing/annotate.h"
#include "export/export.h"
#include "tests/export/pictures/picture_check.h"
#include "export/drawing/plot.h"
#include <string.h>

static const ht_rgb full = {64, 160, 176}, partial = {240, 196, 92}, wasted = {196, 70, 64};

/* Makes a mask of 12 x 8 x 8 nodes of 0.5 mm: two full tiles, one with 4 x 2 x 1 nodes, the rest
 * empty. The section at z = 0 shows the most of them. */
static void make_mask(ht_mask *mask) {
  ht_grid grid = ht_grid_make(12, 8, 8);
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = 0.5;
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int x = 0; x < 12; x++)
    for (int z = 0; z < (x < 8 ? 4 : 1); z++)
      for (int y = 0; y < (x < 8 ? 4 : 2); y++) mask->inside[x + 12 * (y + 8 * z)] = 1;
}

static const int32_t corners[] = {0, 0, 0, 4, 0, 0, 8, 0, 0};
static const ht_tile_places places = {4, 3, corners};

/* The middle of a node of the section: 28 pixels a node, 4 nodes of room on all sides. */
static ht_rgb node(const ht_canvas *canvas, int x, int y) {
  int left = (canvas->width - 20 * 28) / 2;
  return ht_check_pixel(canvas, left + (x + 4) * 28 + 14, HT_HEADER_HEIGHT + (y + 4) * 28 + 14);
}

HT_TEST(every_node_has_its_colour) {
  ht_mask mask;
  ht_canvas canvas;
  make_mask(&mask);
  const ht_picture_text text = {.name = "three tiles"};
  assert_int_equal(ht_picture_tiles(ht_check_path("tiles.png"), &mask, &places, &text), HT_OK);
  ht_check_read(ht_check_path("tiles.png"), &canvas);
  for (int x = 0; x < 12; x++)
    for (int y = 0; y < 4; y++)
      ht_check_colour(node(&canvas, x, y), x < 8 ? full : y < 2 ? partial : wasted, 0);
  for (int x = 0; x < 12; x++) ht_check_colour(node(&canvas, x, 4), ht_empty, 0);
  ht_canvas_free(&canvas);
  ht_mask_free(&mask);
}

/* The patient's left is to the right and the back below, also on a lattice that runs against them,
 * and the grid of tiles may begin outside the mask. */
HT_TEST(lies_as_the_patient_does) {
  static const int32_t shifted[] = {-2, 0, 0, 2, 0, 0, 6, 0, 0, 10, 0, 0};
  const ht_tile_places beyond = {4, 4, shifted};
  ht_mask mask;
  ht_canvas canvas;
  make_mask(&mask);
  mask.grid.direction[0][0] = -1;
  assert_int_equal(ht_picture_tiles(ht_check_path("tiles.png"), &mask, &beyond, NULL), HT_OK);
  ht_check_read(ht_check_path("tiles.png"), &canvas);
  int left = (canvas.width - 24 * 28) / 2, y = HT_HEADER_HEIGHT + 4 * 28 + 14;
  for (int i = 0; i < 16; i++) { /* nodes 13 down to -2 */
    int x = 13 - i;
    ht_rgb want = x < 0 || x > 11 ? wasted : x >= 2 && x < 6 ? full : partial;
    ht_check_colour(ht_check_pixel(&canvas, left + (i + 4) * 28 + 14, y), want, 0);
  }
  assert_true(ht_check_letter(&canvas, left + 20, HT_HEADER_HEIGHT + 6 * 28, 'R') > 0.9);
  ht_canvas_free(&canvas);
  ht_mask_free(&mask);
}

/* Adds a tile at the back, so that the section across y cuts four. */
HT_TEST(the_section_cuts_the_most_tiles) {
  static const int32_t column[] = {0, 0, 0, 4, 0, 0, 8, 0, 0, 0, 0, 4};
  const ht_tile_places four = {4, 4, column};
  ht_mask mask;
  ht_canvas canvas;
  make_mask(&mask);
  mask.inside[0 + 12 * (0 + 8 * 4)] = 1;
  assert_int_equal(ht_picture_tiles(ht_check_path("tiles.png"), &mask, &four, NULL), HT_OK);
  ht_check_read(ht_check_path("tiles.png"), &canvas);
  /* The section across y has x to the right and z up: 8 nodes high. */
  ht_check_colour(node(&canvas, 0, 7), full, 0);
  ht_check_colour(node(&canvas, 0, 3), partial, 0);
  ht_check_colour(node(&canvas, 1, 3), wasted, 0);
  ht_check_colour(node(&canvas, 4, 3), ht_empty, 0);
  ht_canvas_free(&canvas);
  ht_mask_free(&mask);
}

HT_TEST(bad_input_is_refused) {
  const ht_tile_places none = {4, 0, NULL};
  ht_mask mask;
  make_mask(&mask);
  assert_int_equal(ht_picture_tiles(ht_check_path("none.png"), &mask, &none, NULL), HT_ERR_VESSEL);
  assert_int_equal(ht_picture_tiles(ht_check_path("nowhere/tiles.png"), &mask, &places, NULL),
                   HT_ERR_WRITE);
  ht_check_disk_limit(100);
  int before = ht_check_entries();
  assert_int_equal(ht_picture_tiles(ht_check_path("tiles.png"), &mask, &places, NULL),
                   HT_ERR_WRITE);
  ht_check_disk_limit(-1);
  assert_int_equal(ht_check_entries(), before);
  ht_mask_free(&mask);
}

/* A long vessel: more voxels than pixels. */
HT_TEST(a_large_lattice_fits) {
  static int32_t first[3 * 1000];
  ht_mask mask;
  ht_canvas canvas;
  ht_grid grid = ht_grid_make(4, 4, 4000);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  memset(mask.inside, 1, (size_t)ht_grid_voxels(&grid));
  for (int t = 0; t < 1000; t++) first[3 * t + 2] = 4 * t;
  const ht_tile_places many = {4, 1000, first};
  assert_int_equal(ht_picture_tiles(ht_check_path("long.png"), &mask, &many, NULL), HT_OK);
  ht_check_read(ht_check_path("long.png"), &canvas);
  assert_true(canvas.width <= HT_PICTURE_WIDTH);
  ht_check_colour(ht_check_pixel(&canvas, canvas.width / 2, HT_HEADER_HEIGHT + 2.5), full, 0);
  ht_canvas_free(&canvas);
  ht_mask_free(&mask);
}

/* A rod along x: the tiles of rank 0 to the patient's left, of rank 1 to the right; an extension is
 * shown as well. The last rank is yellow, the first dark blue. */
HT_TEST(parts_have_their_colours) {
  static const int32_t first[] = {2, 2, 2, 6, 2, 2, 10, 2, 2, 14, 2, 2}, part[] = {0, 0, 1, 1};
  const ht_tile_places rod = {4, 4, first};
  ht_domain domain = {.wall_distance = NULL};
  ht_canvas canvas;
  ht_grid grid = ht_grid_make(20, 8, 8);
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  for (int v = 0; v < 20 * 8 * 8; v++) {
    int x = v % 20, y = v / 20 % 8, z = v / 160;
    int is_fluid = x >= 2 && x < 18 && y >= 2 && y < 6 && z >= 2 && z < 6;
    domain.mask.inside[v] = is_fluid ? (x < 6 ? HT_EXTENSION : HT_VESSEL) : HT_SOLID;
  }
  assert_int_equal(ht_picture_parts(ht_check_path("parts.png"), &domain, &rod, 2, part, NULL),
                   HT_OK);
  ht_check_read(ht_check_path("parts.png"), &canvas);
  ht_box_mm box;
  ht_panel panel[3];
  ht_box_of_grid(&grid, &box);
  ht_box_balance(&box);
  ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  for (int x = 3; x < 17; x++) {
    double pixel[2];
    if (x == 9 || x == 10) continue; /* at the border */
    ht_panel_pixel(&panel[1], (double[3]){x, 3.5, 3.5}, pixel);
    ht_rgb seen = ht_check_pixel(&canvas, pixel[0], pixel[1]);
    assert_int_equal(seen.r > seen.b, x > 9);
  }
  ht_canvas_free(&canvas);
  ht_mask_free(&domain.mask);
}

HT_TEST(a_plot_has_its_points) {
  static const double x[] = {0, 1, 2, NAN, 4, 50}, y[] = {0, 1, 0.5, 1, 0.25, 0.5};
  const ht_rgb red = {200, 0, 0}, blue = {0, 0, 200};
  const ht_plot_series series[] = {{"line", red, 1, 5, 3, x, y, NULL, 0},
                                   {"dots", blue, 0, 9, 6, x, y, NULL, 0}};
  const ht_plot plot = {"plot", {"x", 0, 5, 1}, {"y", 0, 1, 0.25}, 2, series, {"a note"}, "a mark"};
  ht_canvas canvas;
  double at[2];
  assert_int_equal(ht_plot_write(ht_check_path("plot.png"), &plot), HT_OK);
  ht_check_read(ht_check_path("plot.png"), &canvas);
  ht_rgb bar = ht_check_pixel(&canvas, canvas.width / 2, 80); /* as over the other pictures */
  assert_true(bar.r > 200 && bar.b < 100);
  ht_plot_place(&plot, 4, 0.25, at);
  ht_check_colour(ht_check_pixel(&canvas, at[0], at[1]), blue, 0);
  ht_plot_place(&plot, 1.5, 0.75, at);
  ht_check_colour(ht_check_pixel(&canvas, at[0], at[1]), red, 0);
  ht_plot_place(&plot, 3.1, 0.6, at); /* no line to the point that is none, nor beyond */
  ht_check_colour(ht_check_pixel(&canvas, at[0], at[1]), ht_ground, 0);
  ht_canvas_free(&canvas);
}

/* Three levels along a channel. */
HT_TEST(levels_have_their_colours) {
  static const ht_rgb level[3] = {{250, 220, 120}, {64, 160, 176}, {72, 84, 140}};
  ht_grid grid = ht_grid_make(48, 16, 16);
  ht_domain domain = {.ports = 0};
  uint8_t coarser[48 * 16 * 16];
  ht_canvas canvas;
  ht_panel panel[3];
  ht_box_mm box;
  double plane[3];
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  for (int v = 0; v < 48 * 16 * 16; v++) {
    const int x = v % 48, y = v / 48 % 16, z = v / 48 / 16;
    coarser[v] = (uint8_t)(x / 16);
    domain.mask.inside[v] = y >= 4 && y < 12 && (z < 8 || x >= 32);
  }
  assert_int_equal(ht_picture_levels(ht_check_path("levels.png"), &domain, coarser, NULL), HT_OK);
  ht_check_read(ht_check_path("levels.png"), &canvas);
  assert_int_equal(ht_vessel_extent(&domain.mask, 0, &box, plane), HT_OK);
  ht_box_widen(&box, 0.03, 1);
  ht_box_balance(&box);
  ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  for (int l = 0; l < 3; l++) /* coronal: x runs to the right, z up */
    ht_check_colour(ht_check_position(&canvas, &panel[1], 16 * l + 8, 0, 4), level[l], 0);
  ht_check_colour(ht_check_position(&canvas, &panel[1], 8, 0, 12), ht_empty, 0);
  /* sagittal: the slice is the largest section, at x >= 32 */
  ht_check_colour(ht_check_position(&canvas, &panel[2], 0, 8, 4), level[2], 0);
  ht_canvas_free(&canvas);
  ht_domain_free(&domain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_have_their_colours),
      cmocka_unit_test(every_node_has_its_colour),
      cmocka_unit_test(lies_as_the_patient_does),
      cmocka_unit_test(the_section_cuts_the_most_tiles),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(a_large_lattice_fits),
      cmocka_unit_test(parts_have_their_colours),
      cmocka_unit_test(a_plot_has_its_points),
  };
  return cmocka_run_group_tests(tests, ht_check_folder_make, ht_check_folder_remove);
}
