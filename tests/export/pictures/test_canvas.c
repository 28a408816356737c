/* The canvas: a PNG reader gets back what is drawn. */
#include "tests/check.h"
#include "export/drawing/annotate.h"
#include "export/drawing/colormap.h"
#include "export/drawing/font.h"
#include "tests/export/pictures/picture_check.h"
#include <stdlib.h>
#include <string.h>

static const ht_rgb black = {0, 0, 0}, white = {255, 255, 255}, red = {255, 0, 0};

/* Fills a canvas with noise of a fixed seed, which does not compress. */
static void fill_with_noise(ht_canvas *canvas) {
  uint32_t seed = 12345;
  size_t bytes = 3 * (size_t)canvas->width * (size_t)canvas->height;
  for (size_t i = 0; i < bytes; i++) {
    seed = seed * 1664525u + 1013904223u;
    canvas->rgb[i] = (unsigned char)(seed >> 24);
  }
}

HT_TEST(a_png_gives_every_pixel_back) {
  ht_canvas drawn, read;
  assert_int_equal(ht_canvas_alloc(61, 37, black, &drawn), HT_OK);
  fill_with_noise(&drawn);
  assert_int_equal(ht_canvas_write(&drawn, ht_check_path("noise.png")), HT_OK);
  ht_check_read(ht_check_path("noise.png"), &read);
  assert_int_equal(read.width, 61);
  assert_int_equal(read.height, 37);
  assert_memory_equal(read.rgb, drawn.rgb, 3 * 61 * 37);
  ht_canvas_free(&drawn);
  ht_canvas_free(&read);
}

HT_TEST(shapes_cover_what_they_should) {
  ht_canvas c;
  assert_int_equal(ht_canvas_alloc(40, 40, black, &c), HT_OK);
  ht_canvas_line(&c, (double[2]){5, 10}, (double[2]){35, 10}, 4, white); /* rows 8 to 11 */
  for (int y = 0; y < 20; y++)
    ht_check_colour(ht_check_pixel(&c, 20, y), y >= 8 && y <= 11 ? white : black, 0);
  ht_canvas_disc(&c, (double[2]){20, 30}, 5, red);
  ht_check_colour(ht_check_pixel(&c, 20, 30), red, 0);
  ht_check_colour(ht_check_pixel(&c, 24, 30), red, 8);
  ht_check_colour(ht_check_pixel(&c, 26, 30), black, 0);
  ht_canvas_ring(&c, (double[2]){20, 30}, 8, 2, white);
  ht_check_colour(ht_check_pixel(&c, 28, 30), white, 20);
  ht_check_colour(ht_check_pixel(&c, 20, 30), red, 0);
  ht_canvas_free(&c);
}

HT_TEST(an_arrow_ends_in_its_tip) {
  ht_canvas c;
  assert_int_equal(ht_canvas_alloc(60, 40, black, &c), HT_OK);
  ht_canvas_arrow(&c, (double[2]){10, 20}, (double[2]){50, 20}, 2, white);
  ht_check_colour(ht_check_pixel(&c, 20, 20), white, 2);
  ht_check_colour(ht_check_pixel(&c, 43, 22), white, 60); /* the head is wider than the shaft */
  ht_check_colour(ht_check_pixel(&c, 20, 22), black, 2);
  ht_check_colour(ht_check_pixel(&c, 51, 20), black, 2);
  ht_canvas_free(&c);
}

HT_TEST(nothing_is_drawn_beyond_the_canvas) {
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, -50, 90};
  ht_canvas c, empty;
  assert_int_equal(ht_canvas_alloc(20, 20, black, &c), HT_OK);
  assert_int_equal(ht_canvas_alloc(20, 20, black, &empty), HT_OK);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    double at[2] = {odd[i], odd[i]};
    ht_canvas_disc(&c, at, 3, white);
    ht_canvas_ring(&c, at, 3, 1, white);
    ht_canvas_arrow(&c, at, (double[2]){odd[i], odd[i] + 5}, 1, white);
    ht_font_draw(&c, odd[i], odd[i], 12, white, "text");
  }
  ht_canvas_rect(&c, -10, -10, 10, 10, white);
  ht_canvas_rect(&c, 20, 20, 10, 10, white);
  ht_canvas_blend(&c, 5, 5, white, NAN);
  assert_memory_equal(c.rgb, empty.rgb, 3 * 20 * 20);
  ht_canvas_free(&c);
  ht_canvas_free(&empty);
}

HT_TEST(a_full_disk_leaves_no_picture) {
  ht_canvas c;
  int before = ht_check_entries();
  assert_int_equal(ht_canvas_alloc(200, 200, black, &c), HT_OK);
  fill_with_noise(&c);
  ht_check_disk_limit(20000);
  ht_status status = ht_canvas_write(&c, ht_check_path("full.png"));
  ht_check_disk_limit(-1);
  assert_int_equal(status, HT_ERR_WRITE);
  assert_non_null(strstr(ht_error_message(), "full.png"));
  assert_int_equal(ht_check_entries(), before);
  ht_canvas_free(&c);
}

HT_TEST(a_missing_folder_is_named) {
  ht_canvas c;
  assert_int_equal(ht_canvas_alloc(4, 4, black, &c), HT_OK);
  assert_int_equal(ht_canvas_write(&c, ht_check_path("no/such.png")), HT_ERR_WRITE);
  assert_non_null(strstr(ht_error_message(), "no/such.png"));
  ht_canvas_free(&c);
}

/* The amount of ink of a text. */
static long ink(const char *text) {
  ht_canvas c;
  long sum = 0;
  assert_int_equal(ht_canvas_alloc(80, 40, black, &c), HT_OK);
  ht_font_draw(&c, 10, 8, 18, white, text);
  for (size_t i = 0; i < 3 * 80 * 40; i++) sum += c.rgb[i];
  ht_canvas_free(&c);
  return sum;
}

HT_TEST(every_character_has_a_glyph_of_its_own) {
  long seen[95];
  assert_int_equal(ink(" "), 0);
  for (int i = 1; i < 95; i++) {
    const char text[2] = {(char)(' ' + i), 0};
    seen[i] = ink(text);
    assert_true(seen[i] > 255 * 3 * 4);
  }
  for (int a = '0'; a <= '9'; a++) /* 6 and 9 are the same, turned */
    for (int b = a + 1; b <= '9'; b++)
      if (!(a == '6' && b == '9')) assert_int_not_equal(seen[a - ' '], seen[b - ' ']);
  assert_int_equal(ink("\xe4"), ink("?"));
  assert_int_equal(ink("\n"), ink("?"));
  assert_int_equal(ink("\xc3\xa4\xc3\x96"), ink("aO")); /* Latin letters without their marks */
  assert_int_equal(ink("\xe6\x97\xa5"), ink("?"));
  assert_true(ht_font_width(20, "M\xc3\xbcller") == ht_font_width(20, "Muller"));
}

HT_TEST(a_text_is_as_wide_as_said) {
  ht_canvas c;
  int left = 999, right = -1;
  assert_int_equal(ht_canvas_alloc(300, 40, black, &c), HT_OK);
  ht_font_draw(&c, 20, 10, 20, white, "H0Hm");
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 300; x++)
      if (ht_check_pixel(&c, x, y).r > 120)
        left = x < left ? x : left, right = x > right ? x : right;
  assert_in_range(left, 18, 20); /* half a stroke before the start */
  assert_in_range(right, 20 + ht_font_width(20, "H0Hm"), 22 + ht_font_width(20, "H0Hm"));
  assert_true(ht_font_width(20, "") == 0);
  ht_canvas_free(&c);
}

static double luminance(ht_rgb c) {
  return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

/* Letters of two bytes are cut as those of one, in any room: the font draws both alike. */
HT_TEST(a_long_text_is_cut_between_characters) {
  enum { LETTERS = 60, WIDTH = 300, HEIGHT = 40 };
  char plain[LETTERS + 1] = "", marked[2 * LETTERS + 1] = "";
  for (int i = 0; i < LETTERS; i++) strcat(plain, "O"), strcat(marked, "\xc3\x96");
  for (int width = WIDTH; width < WIDTH + 20; width++) {
    ht_canvas one, other;
    assert_int_equal(ht_canvas_alloc(width, HEIGHT, black, &one), HT_OK);
    assert_int_equal(ht_canvas_alloc(width, HEIGHT, black, &other), HT_OK);
    ht_annotate_note(&one, 10, plain);
    ht_annotate_note(&other, 10, marked);
    assert_memory_equal(one.rgb, other.rgb, 3 * (size_t)width * HEIGHT);
    ht_canvas_free(&one);
    ht_canvas_free(&other);
  }
}

HT_TEST(maps_grow_lighter_all_the_way) {
  for (int map = HT_MAP_VIRIDIS; map <= HT_MAP_PLASMA; map++) {
    for (int i = 0; i < 100; i++)
      assert_true(luminance(ht_map_colour(map, (i + 1) / 100.0)) >
                  luminance(ht_map_colour(map, i / 100.0)));
    ht_check_colour(ht_map_colour(map, -3), ht_map_colour(map, 0), 0);
    ht_check_colour(ht_map_colour(map, INFINITY), ht_map_colour(map, 1), 0);
    ht_check_colour(ht_map_colour(map, NAN), (ht_rgb){255, 0, 220}, 0);
  }
  ht_check_colour(ht_map_colour(HT_MAP_VIRIDIS, 0.5), (ht_rgb){33, 145, 140}, 1);
}

HT_TEST(ends_of_scales_are_round) {
  assert_float_equal(ht_nice_above(0.93), 1, 1e-12);
  assert_float_equal(ht_nice_above(1.2), 1.2, 1e-12);
  assert_float_equal(ht_nice_above(1.21), 1.5, 1e-12);
  assert_float_equal(ht_nice_above(0.0081), 0.01, 1e-12);
  assert_float_equal(ht_nice_above(0), 1, 0);
  assert_float_equal(ht_nice_above(NAN), 1, 0);
  assert_float_equal(ht_nice_above(INFINITY), 1, 0);
  assert_float_equal(ht_nice_below(10), 10, 1e-9);
  assert_float_equal(ht_nice_below(49), 20, 1e-9);
  assert_float_equal(ht_nice_below(0.7), 0.5, 1e-12);
  assert_float_equal(ht_nice_below(-1), 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_png_gives_every_pixel_back),
      cmocka_unit_test(shapes_cover_what_they_should),
      cmocka_unit_test(an_arrow_ends_in_its_tip),
      cmocka_unit_test(nothing_is_drawn_beyond_the_canvas),
      cmocka_unit_test(a_full_disk_leaves_no_picture),
      cmocka_unit_test(a_missing_folder_is_named),
      cmocka_unit_test(every_character_has_a_glyph_of_its_own),
      cmocka_unit_test(a_text_is_as_wide_as_said),
      cmocka_unit_test(a_long_text_is_cut_between_characters),
      cmocka_unit_test(maps_grow_lighter_all_the_way),
      cmocka_unit_test(ends_of_scales_are_round),
  };
  return cmocka_run_group_tests_name("canvas", tests, ht_check_folder_make, ht_check_folder_remove);
}
