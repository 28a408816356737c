/* The pictures of the flow: colours at places where the speed or the wall's load is known. */
#include "tests/check.h"
#include "export/drawing/annotate.h"
#include "export/export.h"
#include "export/drawing/font.h"
#include "tests/export/pictures/picture_check.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A straight channel towards the left (+x), 12 mm long, 6 x 6 mm wide, about the origin; its last
 * 3 mm on each side are extensions. The lattice is left-handed: its first axis runs to the right.
 */
static void make_flow(ht_domain *domain, ht_flow *flow) {
  ht_grid grid = ht_grid_make(64, 20, 20);
  memset(domain, 0, sizeof *domain);
  memset(flow, 0, sizeof *flow);
  for (int a = 0; a < 3; a++)
    grid.spacing_mm[a] = 0.5, grid.origin_mm[a] = -0.25 * (grid.dim[a] - 1);
  grid.direction[0][0] = -1;
  grid.origin_mm[0] = -grid.origin_mm[0];
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  size_t voxels = (size_t)ht_grid_voxels(&grid);
  flow->grid = grid;
  assert_int_equal(ht_alloc((void **)&flow->velocity_m_s, voxels, 3 * sizeof(float), "x"), HT_OK);
  for (size_t v = 0; v < voxels; v++) {
    int i = (int)(v % 64), j = (int)(v / 64 % 20), k = (int)(v / 64 / 20);
    if (i < 14 || i >= 50 || j < 4 || j >= 16 || k < 4 || k >= 16) continue;
    domain->mask.inside[v] = i < 20 || i >= 44 ? HT_EXTENSION : HT_VESSEL;
    flow->nodes++;
  }
  assert_int_equal(ht_node_map_of_mask((int64_t)voxels, domain->mask.inside, &flow->node_of),
                   HT_OK);
}

/* Sets the velocity: 0.4 m/s to the left, 0.8 in the half towards the head. */
static void set_velocity(const ht_domain *domain, ht_flow *flow) {
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++)
    if (ht_flow_node(flow, v) >= 0)
      flow->velocity_m_s[3 * ht_flow_node(flow, v)] = v / 64 / 20 < 10 ? 0.4f : 0.8f;
}

static void draw_flow(const ht_domain *domain, const ht_flow *flow, ht_canvas *canvas,
                      ht_panel panel[6]) {
  ht_box_mm box;
  double plane[3];
  assert_int_equal(ht_vessel_extent(&domain->mask, HT_VESSEL, &box, plane), HT_OK);
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  int row = ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 600, panel);
  memcpy(panel + 3, panel, 3 * sizeof *panel);
  for (int v = 3; v < 6; v++) panel[v].y += row + HT_FOOTER_GAP + HT_PANEL_TITLE_HEIGHT;
  assert_int_equal(ht_picture_velocity(ht_check_path("velocity.png"), domain, flow, NULL), HT_OK);
  ht_check_read(ht_check_path("velocity.png"), canvas);
}

static ht_rgb viridis(double t) {
  return ht_map_colour(HT_MAP_VIRIDIS, t);
}

HT_TEST(speed_has_its_colour) {
  ht_domain domain;
  ht_flow flow;
  ht_canvas canvas;
  ht_panel panel[6];
  make_flow(&domain, &flow);
  set_velocity(&domain, &flow);
  draw_flow(&domain, &flow, &canvas, panel);
  assert_int_equal(canvas.width, HT_PICTURE_WIDTH);
  /* The bar ends at 0.8 m/s. The view from the feet sees the faster half through the slower. */
  ht_check_colour(ht_check_position(&canvas, &panel[0], 1.3, 0.7, 0), viridis(1), 2);
  ht_check_colour(ht_check_position(&canvas, &panel[1], 1.3, 0, 1.7), viridis(1), 2);
  ht_check_colour(ht_check_position(&canvas, &panel[1], 1.3, 0, -1.7), viridis(0.5), 2);
  ht_check_colour(ht_check_position(&canvas, &panel[2], 0, 1.2, -1.7), viridis(0.5), 2);
  /* Extensions and the outside are empty. */
  for (int v = 0; v < 6; v += v == 1 ? 2 : 1)
    if (panel[v].view->across == 0) {
      ht_check_colour(ht_check_position(&canvas, &panel[v], 6.6, 0.3, 0.3), ht_empty, 0);
      ht_check_colour(ht_check_position(&canvas, &panel[v], -6.6, 0.3, 0.3), ht_empty, 0);
    }
  ht_check_colour(ht_check_position(&canvas, &panel[1], 1, 0, 3.6), ht_empty, 0);
  ht_canvas_free(&canvas);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

/* The flow runs to the patient's left, which is the viewer's right: all arrow heads, the widest
 * part of the white, lie right of their shafts' middles. */
HT_TEST(arrows_point_along_the_flow) {
  ht_domain domain;
  ht_flow flow;
  ht_canvas canvas;
  ht_panel panel[6];
  int right = 0, arrows = 0;
  make_flow(&domain, &flow);
  set_velocity(&domain, &flow);
  draw_flow(&domain, &flow, &canvas, panel);
  const ht_panel *coronal = &panel[4];
  for (int j = 0; j < coronal->height / 18; j++)
    for (int i = 0; i < coronal->width / 32; i++) {
      int x = coronal->x + 16 * (1 + j % 2) + 32 * i, y = coronal->y + 9 + 18 * j;
      double at[3], pixel[2] = {x + 0.5, y + 0.5};
      ht_panel_position(coronal, pixel, at);
      if (fabs(at[0]) > 4.5 || at[2] < 0.8 || at[2] > 2.2) continue; /* the fast half */
      /* Two pixels off the shaft's line there is white in the head only. */
      int white_right = 0, white_left = 0;
      for (int d = 4; d < 15; d++) {
        white_right += ht_check_grey(ht_check_pixel(&canvas, x + d, y + 2)) > 200;
        white_left += ht_check_grey(ht_check_pixel(&canvas, x - d, y + 2)) > 200;
      }
      right += white_right > white_left;
      arrows++;
    }
  assert_true(arrows >= 10);
  assert_int_equal(right, arrows);
  ht_canvas_free(&canvas);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

HT_TEST(a_velocity_that_is_no_number_is_seen) {
  ht_domain domain;
  ht_flow flow;
  ht_canvas canvas;
  ht_panel panel[6];
  make_flow(&domain, &flow);
  set_velocity(&domain, &flow);
  double index[3], at[3] = {2.25, 0.25, 1.75};
  ht_grid_index(&flow.grid, at, index);
  int64_t voxel = lround(index[0]) + 64 * (lround(index[1]) + 20 * lround(index[2]));
  flow.velocity_m_s[3 * ht_flow_node(&flow, voxel) + 1] = NAN;
  draw_flow(&domain, &flow, &canvas, panel);
  for (int v = 0; v < 3; v++)
    ht_check_colour(ht_check_position(&canvas, &panel[v], at[0], at[1], at[2]),
                    (ht_rgb){255, 0, 220}, 0);
  ht_check_colour(ht_check_position(&canvas, &panel[1], -2, 0, 1.7), viridis(1), 2);
  ht_canvas_free(&canvas);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

/* The lines run along the channel: the upper half has the bar's last colour, the lower the middle
 * one, and beyond the vessel there is none. A row of pixels across the lines holds both lines and
 * the dark between them. */
HT_TEST(streamlines_have_the_colour_of_their_speed) {
  ht_domain domain;
  ht_flow flow;
  ht_canvas canvas;
  ht_panel panel[6];
  int fast = 0, slow = 0, wrong = 0;
  make_flow(&domain, &flow);
  set_velocity(&domain, &flow);
  draw_flow(&domain, &flow, &canvas, panel);
  ht_canvas_free(&canvas);
  assert_int_equal(ht_picture_streamlines(ht_check_path("lines.png"), &domain, &flow, NULL), HT_OK);
  ht_check_read(ht_check_path("lines.png"), &canvas);
  ht_box_mm box;
  double plane[3];
  assert_int_equal(ht_vessel_extent(&domain.mask, HT_VESSEL, &box, plane), HT_OK);
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  for (double z = -2.6; z < 2.6; z += 0.01) {
    if (fabs(z) < 0.5) continue; /* between the halves the speed changes */
    ht_rgb got = ht_check_position(&canvas, &panel[1], 0.7, 0, z), want = viridis(z > 0 ? 1 : 0.5);
    int on = abs(got.r - want.r) + abs(got.g - want.g) + abs(got.b - want.b) < 60;
    fast += on && z > 0, slow += on && z < 0;
    wrong += z < 0 && got.r > 200; /* the last colour is yellow */
  }
  assert_true(fast > 20 && slow > 20);
  assert_int_equal(wrong, 0);
  ht_check_colour(ht_check_position(&canvas, &panel[1], 6.6, 0, 1), ht_empty, 0); /* an extension */
  ht_check_colour(ht_check_position(&canvas, &panel[1], 0, 0, 3.5), ht_empty, 0);
  int before = ht_check_entries();
  flow.grid.dim[0]--;
  assert_int_equal(ht_picture_streamlines(ht_check_path("other.png"), &domain, &flow, NULL),
                   HT_ERR_FORMAT);
  assert_int_equal(ht_check_entries(), before);
  ht_canvas_free(&canvas);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

HT_TEST(still_and_missing_flow) {
  ht_domain domain;
  ht_flow flow;
  int before;
  make_flow(&domain, &flow);
  assert_int_equal(ht_picture_velocity(ht_check_path("still.png"), &domain, &flow, NULL), HT_OK);
  before = ht_check_entries();
  ht_check_disk_limit(5000);
  ht_status full = ht_picture_velocity(ht_check_path("full.png"), &domain, &flow, NULL);
  ht_check_disk_limit(-1);
  assert_int_equal(full, HT_ERR_WRITE);
  flow.grid.dim[0]--;
  assert_int_equal(ht_picture_velocity(ht_check_path("other.png"), &domain, &flow, NULL),
                   HT_ERR_FORMAT);
  flow.grid.dim[0]++;
  memset(domain.mask.inside, 0, (size_t)ht_grid_voxels(&flow.grid));
  assert_int_equal(ht_picture_velocity(ht_check_path("empty.png"), &domain, &flow, NULL),
                   HT_ERR_VESSEL);
  assert_int_equal(ht_check_entries(), before);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

enum { RINGS = 48, SECTORS = 96 };

static void alloc_surface(int64_t points, int64_t triangles, ht_surface *surface) {
  memset(surface, 0, sizeof *surface);
  surface->points = points;
  surface->triangles = triangles;
  size_t n = (size_t)points;
  assert_int_equal(ht_alloc((void **)&surface->point_mm, n, 12, "x"), HT_OK);
  assert_int_equal(ht_alloc((void **)&surface->normal, n, 12, "x"), HT_OK);
  assert_int_equal(ht_alloc((void **)&surface->wss_mag_pa, n, 4, "x"), HT_OK);
  assert_int_equal(ht_alloc((void **)&surface->triangle, (size_t)triangles, 12, "x"), HT_OK);
}

/* A sphere of 5 mm about the origin: 6 Pa on the left half, 2 Pa on the right. */
static void make_sphere(ht_surface *surface) {
  alloc_surface((RINGS + 1) * SECTORS, 2 * RINGS * SECTORS, surface);
  for (int i = 0; i <= RINGS; i++)
    for (int j = 0; j < SECTORS; j++) {
      double polar = HT_PI * i / RINGS, turn = 2 * HT_PI * (j + 0.5) / SECTORS;
      double n[3] = {sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar)};
      int64_t p = i * SECTORS + j;
      for (int r = 0; r < 3; r++) {
        surface->normal[3 * p + r] = (float)n[r];
        surface->point_mm[3 * p + r] = (float)(5 * n[r]);
      }
      surface->wss_mag_pa[p] = n[0] > 0 ? 6 : 2;
    }
  int32_t *t = surface->triangle;
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < SECTORS; j++, t += 6) {
      int32_t a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
      const int32_t six[6] = {a, a + SECTORS, b, b, a + SECTORS, b + SECTORS};
      memcpy(t, six, sizeof six);
    }
}

static void free_surface(ht_surface *surface) {
  free(surface->point_mm);
  free(surface->normal);
  free(surface->wss_mag_pa);
  free(surface->triangle);
}

static void draw_wall(const ht_surface *surface, ht_canvas *canvas, ht_panel panel[3]) {
  ht_box_mm box = {{-5, -5, -5}, {5, 5, 5}};
  ht_box_widen(&box, 0.06, 1);
  ht_box_balance(&box);
  ht_panels_place(&box, HT_PICTURE_WIDTH, HT_HEADER_HEIGHT, 900, panel);
  assert_int_equal(ht_picture_wall(ht_check_path("wall.png"), surface, NULL, NULL), HT_OK);
  ht_check_read(ht_check_path("wall.png"), canvas);
}

/* The colour without its brightness: what the light does not change (bar the shine). */
static void check_hue(ht_rgb got, ht_rgb want) {
  double a = got.r + got.g + got.b + 1.0, b = want.r + want.g + want.b + 1.0;
  assert_float_equal(got.r / a, want.r / b, 0.03);
  assert_float_equal(got.g / a, want.g / b, 0.03);
  assert_float_equal(got.b / a, want.b / b, 0.03);
}

HT_TEST(the_load_has_its_colour) {
  ht_surface surface;
  ht_canvas canvas;
  ht_panel panel[3];
  make_sphere(&surface);
  draw_wall(&surface, &canvas, panel);
  ht_rgb six = ht_map_colour(HT_MAP_PLASMA, 1), two = ht_map_colour(HT_MAP_PLASMA, 1.0 / 3);
  for (int v = 0; v < 2; v++) { /* the patient's left is on the viewer's right */
    check_hue(ht_check_position(&canvas, &panel[v], 2.5, 1, -1), six);
    check_hue(ht_check_position(&canvas, &panel[v], -2.5, 1, -1), two);
  }
  check_hue(ht_check_position(&canvas, &panel[2], 0, 2, -2), six); /* hides the right half */
  ht_check_colour(ht_check_position(&canvas, &panel[0], 4.5, 4.5, 0), ht_empty, 0);
  ht_canvas_free(&canvas);
  free_surface(&surface);
}

/* Checks that with the lattice's spacing the colours are means: next to the border of the halves
 * they lie between, and a spike vanishes in the points around it. */
HT_TEST(the_wall_is_smooth_where_the_lattice_is_told) {
  const ht_picture_text text = {.lattice_mm = 0.5};
  ht_surface surface;
  ht_canvas canvas;
  ht_panel panel[3];
  make_sphere(&surface);
  const int64_t spike = (RINGS / 2) * SECTORS + SECTORS / 4; /* at the back, on the equator */
  surface.wss_mag_pa[spike] = 6;
  draw_wall(&surface, &canvas, panel);
  ht_canvas_free(&canvas);
  assert_int_equal(ht_picture_wall(ht_check_path("smooth.png"), &surface, NULL, &text), HT_OK);
  ht_check_read(ht_check_path("smooth.png"), &canvas);
  check_hue(ht_check_position(&canvas, &panel[1], 2.5, 1, -1), ht_map_colour(HT_MAP_PLASMA, 1));
  check_hue(ht_check_position(&canvas, &panel[1], 0, 0, -1), ht_map_colour(HT_MAP_PLASMA, 2.0 / 3));
  ht_canvas_free(&canvas);
  free_surface(&surface);
}

/* Checks the ends of the colours that the case gives, so that cases compare. */
HT_TEST(colours_end_where_asked) {
  const ht_picture_text text = {.speed_high_m_s = 1.6, .wss_high_pa = 12};
  ht_surface surface;
  ht_domain domain;
  ht_flow flow;
  ht_canvas canvas;
  ht_panel panel[6];
  make_sphere(&surface);
  draw_wall(&surface, &canvas, panel);
  ht_canvas_free(&canvas);
  assert_int_equal(ht_picture_wall(ht_check_path("ends.png"), &surface, NULL, &text), HT_OK);
  ht_check_read(ht_check_path("ends.png"), &canvas);
  check_hue(ht_check_position(&canvas, &panel[0], 2.5, 1, -1), ht_map_colour(HT_MAP_PLASMA, 0.5));
  ht_canvas_free(&canvas);
  free_surface(&surface);
  make_flow(&domain, &flow);
  set_velocity(&domain, &flow);
  draw_flow(&domain, &flow, &canvas, panel);
  ht_canvas_free(&canvas);
  assert_int_equal(ht_picture_velocity(ht_check_path("ends.png"), &domain, &flow, &text), HT_OK);
  ht_check_read(ht_check_path("ends.png"), &canvas);
  ht_check_colour(ht_check_position(&canvas, &panel[1], 1.3, 0, 1.7), viridis(0.5), 2);
  ht_canvas_free(&canvas);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

HT_TEST(light_comes_from_the_upper_left) {
  ht_surface surface;
  ht_canvas canvas;
  ht_panel panel[3];
  make_sphere(&surface);
  free(surface.wss_mag_pa);
  surface.wss_mag_pa = NULL;
  draw_wall(&surface, &canvas, panel);
  for (int v = 0; v < 3; v++) {
    double x = panel[v].x + 0.5 * panel[v].width, y = panel[v].y + 0.5 * panel[v].height;
    double reach = 3 / panel[v].mm_per_px;
    assert_true(ht_check_grey(ht_check_pixel(&canvas, x - reach, y - reach)) >
                ht_check_grey(ht_check_pixel(&canvas, x + reach, y + reach)) + 20);
  }
  ht_canvas_free(&canvas);
  free_surface(&surface);
}

HT_TEST(odd_surfaces_do_no_harm) {
  ht_surface surface;
  ht_canvas canvas;
  ht_panel panel[3];
  make_sphere(&surface);
  for (int64_t p = 0; p < surface.points; p++)
    if (surface.point_mm[3 * p] < 0) surface.wss_mag_pa[p] = NAN;
  surface.normal[3 * 900] = NAN;
  draw_wall(&surface, &canvas, panel);
  check_hue(ht_check_position(&canvas, &panel[0], -2.5, 1, 0), (ht_rgb){255, 0, 220});
  ht_canvas_free(&canvas);
  free(surface.wss_mag_pa);
  surface.wss_mag_pa = NULL;
  surface.triangle[7] = (int32_t)surface.points;
  surface.triangle[10] = -1;
  for (int64_t p = 1000; p < 1010; p++) surface.point_mm[3 * p] = p % 2 ? NAN : INFINITY;
  draw_wall(&surface, &canvas, panel);
  ht_canvas_free(&canvas);
  int before = ht_check_entries();
  ht_check_disk_limit(5000);
  ht_status full = ht_picture_wall(ht_check_path("full.png"), &surface, NULL, NULL);
  ht_check_disk_limit(-1);
  assert_int_equal(full, HT_ERR_WRITE);
  surface.triangles = 0;
  assert_int_equal(ht_picture_wall(ht_check_path("none.png"), &surface, NULL, NULL), HT_ERR_VESSEL);
  assert_int_equal(ht_check_entries(), before);
  free_surface(&surface);
}

/* Number of pixels of the header, above the panels' titles, that differ. */
static int header_differs(const ht_canvas *a, const ht_canvas *b, int from, int to) {
  int differ = 0;
  for (int y = from; y < to; y++)
    for (int x = 0; x < HT_PICTURE_WIDTH; x++)
      differ += ht_check_grey(ht_check_pixel(a, x, y)) != ht_check_grey(ht_check_pixel(b, x, y));
  return differ;
}

static void draw_named(const char *name, const char *mark, ht_canvas *canvas) {
  const ht_picture_text text = {.name = name, .mark = mark};
  ht_surface surface;
  make_sphere(&surface);
  assert_int_equal(ht_picture_wall(ht_check_path("named.png"), &surface, NULL, &text), HT_OK);
  ht_check_read(ht_check_path("named.png"), canvas);
  free_surface(&surface);
}

HT_TEST(the_name_and_the_mark_are_seen) {
  enum { MARK = 68, MARK_END = 94 };
  char endless[600];
  ht_canvas plain, one, other, marked, cut;
  memset(endless, 'W', sizeof endless);
  endless[sizeof endless - 1] = 0;
  setenv("HEMOTILE_PANEL_HEIGHT", "60", 1); /* the checked part is above the panels */
  draw_named(NULL, NULL, &plain);
  draw_named("patient-1", "", &one);
  draw_named("patient-2", NULL, &other);
  draw_named("patient-1", "NOT STEADY", &marked);
  draw_named(endless, endless, &cut);
  unsetenv("HEMOTILE_PANEL_HEIGHT");
  assert_true(header_differs(&plain, &one, 0, MARK) > 300);
  assert_true(header_differs(&one, &other, 0, MARK) > 10);
  assert_int_equal(header_differs(&one, &plain, MARK, MARK_END), 0);
  assert_int_equal(header_differs(&one, &marked, 0, MARK), 0);
  for (int x = HT_PICTURE_MARGIN; x < HT_PICTURE_WIDTH - HT_PICTURE_MARGIN; x++)
    ht_check_colour(ht_check_pixel(&marked, x + 0.5, MARK + 1.5), (ht_rgb){255, 176, 32}, 0);
  assert_true(header_differs(&marked, &cut, MARK, MARK_END) > 300);
  const char *right = "hemotile - for research, not for clinical decisions";
  int free_from = HT_PICTURE_WIDTH - HT_PICTURE_MARGIN - (int)ht_font_width(14, right) - 8;
  for (int y = 0; y < MARK; y++) /* the text there is not written over */
    for (int x = free_from; x < HT_PICTURE_WIDTH; x++)
      ht_check_colour(ht_check_pixel(&cut, x, y), ht_check_pixel(&plain, x, y), 0);
  ht_canvas *all[] = {&plain, &one, &other, &marked, &cut};
  for (int i = 0; i < 5; i++) ht_canvas_free(all[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(speed_has_its_colour),
      cmocka_unit_test(arrows_point_along_the_flow),
      cmocka_unit_test(a_velocity_that_is_no_number_is_seen),
      cmocka_unit_test(streamlines_have_the_colour_of_their_speed),
      cmocka_unit_test(still_and_missing_flow),
      cmocka_unit_test(the_load_has_its_colour),
      cmocka_unit_test(light_comes_from_the_upper_left),
      cmocka_unit_test(odd_surfaces_do_no_harm),
      cmocka_unit_test(the_wall_is_smooth_where_the_lattice_is_told),
      cmocka_unit_test(colours_end_where_asked),
      cmocka_unit_test(the_name_and_the_mark_are_seen),
  };
  return cmocka_run_group_tests_name("pictures of the flow", tests, ht_check_folder_make,
                                     ht_check_folder_remove);
}
