/* The pictures of a scan with its vessel: the same patient gives the same picture, however the scan
 * lies in the file, with the left on the right. */
#include "tests/check.h"
#include "export/drawing/annotate.h"
#include "export/export.h"
#include "tests/export/pictures/picture_check.h"
#include "export/pixels/scan_panel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A patient: brighter to the left, the front and the head, and a bright lump with soft edges near
 * the left anterior upper corner. */
static const double lump[3] = {13, -12, 14};

static double tissue(const double p[3]) {
  double distance = 0;
  for (int r = 0; r < 3; r++) distance = fmax(distance, fabs(p[r] - lump[r]));
  return 60 + 0.8 * p[0] - 0.9 * p[1] + 0.7 * p[2] + 90 * (1 - tanh((distance - 4) / 1.5));
}

/* Turns about an oblique axis (Rodrigues); mirrors the first axis on request. */
static void turn(double angle, int mirrored, double direction[3][3]) {
  const double n[3] = {2 / 7.0, 3 / 7.0, 6 / 7.0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * n[3 - i - j];
      direction[i][j] = cos(angle) * (i == j) + (1 - cos(angle)) * n[i] * n[j] + sin(angle) * cross;
      if (mirrored && j == 0) direction[i][j] = -direction[i][j];
    }
}

/* A scan around the patient's origin, half_mm to each side. */
static void make_scan(const double direction[3][3], const double spacing[3], double half_mm,
                      ht_volume *scan) {
  ht_grid grid = ht_grid_make(1, 1, 1);
  double middle[3], centre[3];
  for (int a = 0; a < 3; a++) {
    grid.spacing_mm[a] = spacing[a];
    grid.dim[a] = (int)(2 * half_mm / spacing[a]);
    middle[a] = 0.5 * (grid.dim[a] - 1);
  }
  memcpy(grid.direction, direction, sizeof grid.direction);
  ht_grid_position(&grid, middle, centre);
  for (int r = 0; r < 3; r++) grid.origin_mm[r] = -centre[r];
  assert_int_equal(ht_volume_alloc(&grid, scan), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double index[3] = {(double)(v % grid.dim[0]), (double)(v / grid.dim[0] % grid.dim[1]),
                       (double)(v / grid.dim[0] / grid.dim[1])};
    double at[3];
    ht_grid_position(&grid, index, at);
    scan->values[v] = (float)tissue(at);
  }
}

/* The vessel: a box of 8 x 10 x 12 mm about the origin on a lattice of its own. */
static void make_mask(ht_mask *mask) {
  ht_grid grid = ht_grid_make(24, 28, 32);
  for (int a = 0; a < 3; a++)
    grid.spacing_mm[a] = 0.5, grid.origin_mm[a] = -0.25 * (grid.dim[a] - 1);
  assert_int_equal(ht_mask_alloc(&grid, mask), HT_OK);
  for (int k = 4; k < 28; k++)
    for (int j = 4; j < 24; j++)
      for (int i = 4; i < 20; i++) mask->inside[i + 24 * (j + 28 * k)] = 1;
}

static const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double fine[3] = {1, 1, 1};

/* The panels as the pictures place them. */
static void place(const ht_volume *scan, const ht_mask *mask, ht_panel panel[3]) {
  ht_box_mm box;
  double plane[3];
  assert_int_equal(ht_scan_region(scan, mask, &box, plane), HT_OK);
  ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  for (int v = 0; v < 3; v++) panel[v].depth_mm = plane[panel[v].view->through];
}

typedef ht_status (*picture_fn)(const char *, const ht_volume *, const ht_mask *,
                                const ht_openings *, const ht_picture_text *);

static void draw(picture_fn picture, const ht_volume *scan, const ht_openings *openings,
                 ht_canvas *canvas, ht_panel panel[3]) {
  ht_mask mask;
  make_mask(&mask);
  place(scan, &mask, panel);
  assert_int_equal(picture(ht_check_path("picture.png"), scan, &mask, openings, NULL), HT_OK);
  ht_check_read(ht_check_path("picture.png"), canvas);
  ht_mask_free(&mask);
}

static void draw_direction(picture_fn picture, const double direction[3][3],
                           const double spacing[3], ht_canvas *canvas, ht_panel panel[3]) {
  ht_volume scan;
  make_scan(direction, spacing, 42, &scan);
  draw(picture, &scan, NULL, canvas, panel);
  ht_volume_free(&scan);
}

/* The mean and the largest difference of the grey values within the panels. */
static void compare(const ht_canvas *a, const ht_canvas *b, const ht_panel panel[3], double *mean,
                    int *largest) {
  long sum = 0, count = 0;
  *largest = 0;
  for (int v = 0; v < 3; v++)
    for (int y = panel[v].y; y < panel[v].y + panel[v].height; y++)
      for (int x = panel[v].x; x < panel[v].x + panel[v].width; x++) {
        int d =
            abs(ht_check_grey(ht_check_pixel(a, x, y)) - ht_check_grey(ht_check_pixel(b, x, y)));
        *largest = d > *largest ? d : *largest;
        sum += d;
        count++;
      }
  *mean = (double)sum / (double)count;
}

static void check_directions(picture_fn picture) {
#ifdef __SANITIZE_ADDRESS__
  skip(); /* a dozen pictures for their numbers: the other tests draw with the same code */
#endif
  /* Axes reversed (right-handed), in another order (left-handed): the same voxels. */
  static const double same[3][3][3] = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
                                       {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
                                       {{0, 1, 0}, {0, 0, -1}, {-1, 0, 0}}};
  ht_canvas want, got;
  ht_panel panel[3];
  double mean, oblique[3][3], coarse[3] = {0.8, 1.0, 1.25};
  int largest;
  draw_direction(picture, upright, fine, &want, panel);
  for (int d = 0; d < 3; d++) {
    draw_direction(picture, same[d], fine, &got, panel);
    assert_int_equal(got.width, want.width);
    assert_int_equal(got.height, want.height);
    compare(&want, &got, panel, &mean, &largest);
    assert_in_range(largest, 0, 1);
    ht_canvas_free(&got);
  }
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    turn(0.45, mirrored, oblique);
    draw_direction(picture, oblique, coarse, &got, panel);
    assert_int_equal(got.height, want.height);
    compare(&want, &got, panel, &mean, &largest);
    assert_true(mean < 1.5);
    ht_canvas_free(&got);
  }
  ht_canvas_free(&want);
}

HT_TEST(slices_do_not_depend_on_the_direction) {
  check_directions(ht_picture_mask_on_scan);
}

HT_TEST(projections_do_not_depend_on_the_direction) {
  check_directions(ht_picture_projection);
}

static void check_letters(const ht_canvas *canvas, const ht_panel *panel, const char *letters) {
  double x = panel->x + 0.5 * panel->width, y = panel->y + 0.5 * panel->height;
  assert_true(ht_check_letter(canvas, panel->x + 20, y, letters[0]) > 0.9);
  assert_true(ht_check_letter(canvas, panel->x + panel->width - 20, y, letters[1]) > 0.9);
  assert_true(ht_check_letter(canvas, x, panel->y + 22, letters[2]) > 0.9);
  assert_true(ht_check_letter(canvas, x, panel->y + panel->height - 22, letters[3]) > 0.9);
  assert_true(ht_check_letter(canvas, panel->x + 20, y, letters[1]) < 0.7); /* they do differ */
}

/* Finds the brightest quarter by halves of the image, without the panel's own arithmetic. */
static int brightest_quarter(const ht_canvas *canvas, const ht_panel *panel) {
  long sum[4] = {0, 0, 0, 0};
  for (int y = 40; y < panel->height - 70; y++)
    for (int x = 40; x < panel->width - 40; x++)
      sum[(x > panel->width / 2) + 2 * (y > panel->height / 2)] +=
          ht_check_grey(ht_check_pixel(canvas, panel->x + x, panel->y + y));
  int best = 0;
  for (int q = 1; q < 4; q++) best = sum[q] > sum[best] ? q : best;
  return best;
}

HT_TEST(the_left_is_on_the_right) {
  enum { TOP_LEFT = 0, TOP_RIGHT = 1 };
  ht_canvas canvas;
  ht_panel panel[3];
  double oblique[3][3];
  turn(-0.7, 1, oblique);
  for (int p = 0; p < 2; p++) {
    draw_direction(p ? ht_picture_projection : ht_picture_mask_on_scan, oblique, fine, &canvas,
                   panel);
    check_letters(&canvas, &panel[0], "RLAP");
    check_letters(&canvas, &panel[1], "RLHF");
    check_letters(&canvas, &panel[2], "APHF");
    assert_int_equal(brightest_quarter(&canvas, &panel[0]), TOP_RIGHT); /* left, front */
    assert_int_equal(brightest_quarter(&canvas, &panel[1]), TOP_RIGHT); /* left, head */
    assert_int_equal(brightest_quarter(&canvas, &panel[2]), TOP_LEFT);  /* front, head */
    ht_canvas_free(&canvas);
  }
}

HT_TEST(the_projection_shows_the_lump_where_it_is) {
  ht_canvas canvas;
  ht_panel panel[3];
  draw_direction(ht_picture_projection, upright, fine, &canvas, panel);
  for (int v = 0; v < 3; v++) {
    int there = ht_check_grey(ht_check_position(&canvas, &panel[v], lump[0], lump[1], lump[2]));
    int across = ht_check_grey(ht_check_position(&canvas, &panel[v], -lump[0], -lump[1], -lump[2]));
    assert_true(there > 240);
    assert_true(across < 160);
  }
  ht_canvas_free(&canvas);
}

static int is_green(ht_rgb c) {
  return c.g > c.r + 60 && c.g > c.b + 20;
}

HT_TEST(the_outline_lies_on_the_edge_of_the_mask) {
  ht_canvas canvas;
  ht_panel panel[3];
  draw_direction(ht_picture_mask_on_scan, upright, fine, &canvas, panel);
  assert_true(is_green(ht_check_position(&canvas, &panel[0], 4, 1, 0)));
  assert_true(is_green(ht_check_position(&canvas, &panel[0], 1, -5, 0)));
  assert_true(is_green(ht_check_position(&canvas, &panel[1], -4, 0, 1)));
  assert_true(is_green(ht_check_position(&canvas, &panel[1], 1, 0, 6)));
  assert_true(is_green(ht_check_position(&canvas, &panel[2], 0, 5, 1)));
  assert_false(is_green(ht_check_position(&canvas, &panel[0], 3.6, 1, 0)));
  assert_false(is_green(ht_check_position(&canvas, &panel[0], 4.4, 1, 0)));
  ht_canvas_free(&canvas);
}

/* Checks that grey values are linear in the scan's. */
HT_TEST(the_window_is_linear) {
  ht_canvas canvas;
  ht_panel panel[3];
  draw_direction(ht_picture_mask_on_scan, upright, fine, &canvas, panel);
  double step[3];
  for (int i = 0; i < 3; i++)
    step[i] = ht_check_grey(ht_check_position(&canvas, &panel[0], -10 + 5 * i, 9, 0));
  assert_true(step[1] > step[0] + 3);
  assert_float_equal(step[2] - step[1], step[1] - step[0], 1.01);
  ht_canvas_free(&canvas);
}

HT_TEST(openings_are_marked) {
  ht_openings openings;
  ht_canvas plain, marked;
  ht_panel panel[3];
  ht_volume scan;
  memset(&openings, 0, sizeof openings);
  openings.count = 2;
  openings.item[0] = (ht_opening){.name = "inlet",
                                  .role = HT_ROLE_INLET,
                                  .centre_mm = {0, 8, 0},
                                  .normal = {0, 1, 0},
                                  .direction = {0, 1, 0},
                                  .area_mm2 = 3,
                                  .radius_mm = 1};
  openings.item[1] = openings.item[0];
  openings.item[1].centre_mm[0] = NAN; /* never drawn, never a crash */
  openings.item[1].radius_mm = NAN;
  make_scan(upright, fine, 42, &scan);
  draw(ht_picture_mask_on_scan, &scan, NULL, &plain, panel);
  draw(ht_picture_mask_on_scan, &scan, &openings, &marked, panel);
  ht_rgb dot = ht_check_position(&marked, &panel[0], 0, 8, 0);
  ht_check_colour(dot, (ht_rgb){255, 122, 92}, 2);
  assert_int_not_equal(ht_check_grey(ht_check_position(&plain, &panel[0], 0, 8, 0)),
                       ht_check_grey(dot));
  assert_true(marked.height > plain.height); /* the legend */
  ht_canvas_free(&plain);
  ht_canvas_free(&marked);
  ht_volume_free(&scan);
}

HT_TEST(the_letters_are_those_of_the_sides) {
  for (int v = 0; v < 3; v++) {
    const ht_view *view = &ht_views[v];
    const double across[3] = {view->across == 0, view->across == 1, view->across == 2};
    const double vertical[3] = {view->vertical == 0, view->vertical == 1, view->vertical == 2};
    assert_int_equal(view->edge[0], ht_side_letter(across, -1));
    assert_int_equal(view->edge[1], ht_side_letter(across, 1));
    assert_int_equal(view->edge[2], ht_side_letter(vertical, -view->down));
    assert_int_equal(view->edge[3], ht_side_letter(vertical, view->down));
  }
  const double oblique[3] = {0.5, -0.8, 0.3}; /* mostly to the front */
  assert_int_equal(ht_side_letter(oblique, 1), 'A');
  assert_int_equal(ht_side_letter(oblique, -1), 'P');
}

/* Openings whose numbers would stand on the letters, several at each edge. */
HT_TEST(numbers_leave_the_letters_free) {
  ht_volume scan;
  ht_mask mask;
  ht_canvas canvas;
  ht_panel panel[3];
  ht_openings openings;
  make_scan(upright, fine, 42, &scan);
  make_mask(&mask);
  place(&scan, &mask, panel);
  ht_mask_free(&mask);
  memset(&openings, 0, sizeof openings);
  for (int v = 0; v < 3; v++)
    for (int edge = 0; edge < 4; edge++)
      for (int n = 0; n < 2; n++) {
        double pixel[2] = {panel[v].x + 0.5 * panel[v].width, panel[v].y + 0.5 * panel[v].height};
        int across = edge < 2 ? 0 : 1, far = edge % 2 ? 1 : -1;
        pixel[across] += far * (0.5 * (across ? panel[v].height : panel[v].width) - 58);
        pixel[!across] += 8 * n - 3;
        ht_opening *one = &openings.item[openings.count++];
        one->role = HT_ROLE_OUTLET;
        ht_panel_position(&panel[v], pixel, one->centre_mm);
        one->direction[across ? panel[v].view->vertical : panel[v].view->across] =
            far * (across ? panel[v].view->down : 1);
      }
  draw(ht_picture_projection, &scan, &openings, &canvas, panel);
  for (int v = 0; v < 3; v++) check_letters(&canvas, &panel[v], panel[v].view->edge);
  ht_canvas_free(&canvas);
  ht_volume_free(&scan);
}

/* A ready mask in the scan's place is not called a scan: the title is shorter. */
HT_TEST(a_mask_is_not_called_a_scan) {
  ht_volume scan;
  ht_panel panel[3];
  int ends[2] = {0, 0};
  make_scan(upright, fine, 42, &scan);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) scan.values[v] = v % 7 == 0;
  for (int two = 0; two < 2; two++) {
    ht_canvas canvas;
    scan.values[14] = two ? 2 : 1;
    draw(ht_picture_mask_on_scan, &scan, NULL, &canvas, panel);
    for (int x = 0; x < HT_PICTURE_WIDTH / 2; x++)
      for (int y = 20; y < 66; y++)
        if (ht_check_grey(ht_check_pixel(&canvas, x, y)) > 120) ends[two] = x;
    ht_canvas_free(&canvas);
  }
  assert_in_range(ends[0], 150, ends[1] - 100);
  ht_volume_free(&scan);
}

HT_TEST(odd_values_do_no_harm) {
  ht_volume scan;
  ht_canvas canvas;
  ht_panel panel[3];
  make_scan(upright, fine, 40, &scan);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v += 3)
    scan.values[v] = v % 2 ? NAN : (v % 5 ? INFINITY : -3e38f);
  draw(ht_picture_mask_on_scan, &scan, NULL, &canvas, panel);
  ht_canvas_free(&canvas);
  draw(ht_picture_projection, &scan, NULL, &canvas, panel);
  ht_canvas_free(&canvas);
  for (int64_t v = 0; v < ht_grid_voxels(&scan.grid); v++) scan.values[v] = NAN;
  draw(ht_picture_mask_on_scan, &scan, NULL, &canvas, panel);
  ht_check_colour(ht_check_position(&canvas, &panel[0], 1, 1, 0), ht_empty, 0);
  ht_canvas_free(&canvas);
  ht_volume_free(&scan);
}

static void check_refused(const ht_volume *scan, const ht_mask *mask, const char *says) {
  int before = ht_check_entries();
  const picture_fn picture[2] = {ht_picture_mask_on_scan, ht_picture_projection};
  for (int p = 0; p < 2; p++) {
    assert_int_equal(picture[p](ht_check_path("refused.png"), scan, mask, NULL, NULL),
                     HT_ERR_VESSEL);
    assert_non_null(strstr(ht_error_message(), says));
  }
  assert_int_equal(ht_check_entries(), before);
}

HT_TEST(no_vessel_is_refused) {
  ht_volume scan;
  ht_mask mask;
  make_scan(upright, fine, 20, &scan);
  make_mask(&mask);
  mask.grid.origin_mm[1] += 300;
  check_refused(&scan, &mask, "outside the scan");
  memset(mask.inside, 0, (size_t)ht_grid_voxels(&mask.grid));
  check_refused(&scan, &mask, "empty");
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(a_full_disk_leaves_no_picture) {
  ht_volume scan;
  ht_mask mask;
  int before = ht_check_entries();
  make_scan(upright, fine, 30, &scan);
  make_mask(&mask);
  ht_check_disk_limit(5000);
  ht_status status = ht_picture_projection(ht_check_path("full.png"), &scan, &mask, NULL, NULL);
  ht_check_disk_limit(-1);
  assert_int_equal(status, HT_ERR_WRITE);
  assert_int_equal(ht_check_entries(), before);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

HT_TEST(a_single_voxel_can_be_drawn) {
  ht_volume scan;
  ht_mask mask;
  ht_grid one = ht_grid_make(1, 1, 1);
  assert_int_equal(ht_volume_alloc(&one, &scan), HT_OK);
  assert_int_equal(ht_mask_alloc(&one, &mask), HT_OK);
  mask.inside[0] = 1;
  assert_int_equal(ht_picture_mask_on_scan(ht_check_path("one.png"), &scan, &mask, NULL, NULL),
                   HT_OK);
  assert_int_equal(ht_picture_projection(ht_check_path("one.png"), &scan, &mask, NULL, NULL),
                   HT_OK);
  ht_mask_free(&mask);
  ht_volume_free(&scan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_do_not_depend_on_the_direction),
      cmocka_unit_test(projections_do_not_depend_on_the_direction),
      cmocka_unit_test(the_left_is_on_the_right),
      cmocka_unit_test(the_projection_shows_the_lump_where_it_is),
      cmocka_unit_test(the_letters_are_those_of_the_sides),
      cmocka_unit_test(the_outline_lies_on_the_edge_of_the_mask),
      cmocka_unit_test(the_window_is_linear),
      cmocka_unit_test(openings_are_marked),
      cmocka_unit_test(numbers_leave_the_letters_free),
      cmocka_unit_test(a_mask_is_not_called_a_scan),
      cmocka_unit_test(odd_values_do_no_harm),
      cmocka_unit_test(no_vessel_is_refused),
      cmocka_unit_test(a_full_disk_leaves_no_picture),
      cmocka_unit_test(a_single_voxel_can_be_drawn),
  };
  return cmocka_run_group_tests_name("pictures of the scan", tests, ht_check_folder_make,
                                     ht_check_folder_remove);
}
