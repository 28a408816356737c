/* The beat as an animated WebP, as libwebp's own decoder shows it: its frames, their times, and
 * colours that mean the same in all of them. */
#include "tests/check.h"
#include "export/drawing/colormap.h"
#include "export/pictures/pictures.h"
#include "run/folder/series_file.h"
#include "tests/export/voxel_pipe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webp/demux.h>

static const char series_path[] = "test_animation.bin", path[] = "test_animation.webp";
static const char *const mask = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

typedef struct {
  ht_domain domain;
  ht_flow flow;
  ht_surface wall;
} fields;

static int setup(void **state) {
  static fields of;
  ht_pipe pipe = {.across = 10, .length = 24, .spacing_mm = 0.5, .direction = {1, 0, 0}};
  const ht_grid frame = ht_grid_make(1, 1, 1);
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, 2, &of.domain), HT_OK);
  assert_int_equal(ht_pipe_flow(&pipe, &of.domain, 2, 0.0035, &of.flow), HT_OK);
  assert_int_equal(ht_surface_build(&of.domain, &of.wall), HT_OK);
  assert_int_equal(ht_surface_load(&of.wall, &of.domain, &of.flow), HT_OK);
  *state = &of;
  return 0;
}

static int teardown(void **state) {
  fields *of = *state;
  ht_domain_free(&of->domain);
  ht_flow_free(&of->flow);
  ht_surface_free(&of->wall);
  remove(series_path);
  remove(path);
  return 0;
}

/* The speed of a sample, m/s, the same everywhere; the stress, Pa, is ten times as much. */
static double speed_of(int sample) {
  return sample / 2 % 2 ? 0.9 : 0.3;
}

static void make_series(fields *of, int samples, ht_beat_series *series) {
  ht_series_record *record;
  char sha[HT_HASH_TEXT];
  assert_int_equal(
      ht_beat_series_begin(series_path, &of->domain, of->wall.points, samples, 0.8, mask, &record),
      HT_OK);
  for (int k = 0; k < samples; k++) {
    const ht_flow_sample sample = {.time_s = 0.8 * k / samples, .index = k, .flow = &of->flow};
    for (int64_t n = 0; n < 3 * of->flow.nodes; n++)
      of->flow.velocity_m_s[n] = n % 3 == 1 ? (float)speed_of(k) : 0;
    for (int64_t p = 0; p < 3 * of->wall.points; p++)
      of->wall.wss_pa[p] = p % 3 == 2 ? 10 * (float)speed_of(k) : 0;
    assert_int_equal(ht_beat_series_add(record, &sample, &of->wall), HT_OK);
  }
  assert_int_equal(ht_beat_series_end(record, HT_OK), HT_OK);
  assert_int_equal(ht_beat_series_open(series_path, series, sha), HT_OK);
}

static WebPData read_whole(void) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  uint8_t *bytes = malloc(size);
  assert_non_null(bytes);
  rewind(file);
  assert_int_equal(fread(bytes, 1, size, file), size);
  fclose(file);
  return (WebPData){bytes, size};
}

/* Checks a colour to a few levels of 255, since the frames are lossy. */
static void check_colour(const uint8_t *pixel, ht_rgb wanted) {
  enum { SLACK = 8 };
  const int expected[3] = {wanted.r, wanted.g, wanted.b};
  for (int c = 0; c < 3; c++) assert_true(abs(pixel[c] - expected[c]) <= SLACK);
}

/* Checks that the animation shows every second of 27 samples. */
static void shows_the_beat(void **state) {
  enum { SAMPLES = 27, FRAMES = 14, WALL = 456 };
  fields *of = *state;
  ht_beat_series series;
  WebPAnimInfo info;
  make_series(of, SAMPLES, &series);
  assert_int_equal(ht_picture_series(path, &of->domain, &of->flow, &of->wall, &series, NULL),
                   HT_OK);
  ht_beat_series_free(&series);
  WebPData data = read_whole();
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
  assert_non_null(decoder);
  assert_true(WebPAnimDecoderGetInfo(decoder, &info));
  assert_int_equal(info.frame_count, FRAMES);
  assert_int_equal(info.loop_count, 0);
  assert_int_equal(info.canvas_width, 960);
  assert_true(data.size < 3000000 * FRAMES / 25);
  int middle = 136 + ((int)info.canvas_height - 362) / 2, wall[2] = {0, 0};
  for (int n = 0; n < FRAMES; n++) {
    uint8_t *shown;
    int end_ms;
    assert_true(WebPAnimDecoderGetNext(decoder, &shown, &end_ms));
    assert_int_equal(end_ms, 100 * (n + 1));
    const uint8_t *pixel = shown + 4 * (960 * (size_t)middle + 252);
    /* The bar ends at a round number above the largest speed of the beat, 0.9 m/s. */
    check_colour(pixel, ht_map_colour(HT_MAP_VIRIDIS, speed_of(2 * n) / ht_nice_above(0.9)));
    wall[n % 2] = pixel[4 * WALL];
  }
  assert_false(WebPAnimDecoderHasMoreFrames(decoder));
  assert_true(wall[1] > wall[0] + 30); /* the load on the wall, to its right */
  WebPAnimDecoderDelete(decoder);
  free((void *)(uintptr_t)data.bytes);
}

static void refused(void **state) {
  fields *of = *state;
  ht_beat_series series;
  make_series(of, 1, &series);
  ht_surface other = of->wall;
  other.points--;
  remove(path);
  assert_int_equal(ht_picture_series(path, &of->domain, &of->flow, &other, &series, NULL),
                   HT_ERR_FORMAT);
  assert_null(fopen(path, "rb"));
  assert_int_equal(
      ht_picture_series("no/such/folder.webp", &of->domain, &of->flow, &of->wall, &series, NULL),
      HT_ERR_WRITE);
  ht_beat_series_free(&series);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shows_the_beat), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
