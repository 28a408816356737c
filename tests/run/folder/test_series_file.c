/* series.bin: what is read is what was given, within the 16 bits; damaged files are refused. */
#include "tests/check.h"
#include "core/work/jobs.h"
#include "run/folder/series_file.h"
#include "tests/export/voxel_pipe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = "test_series.bin";
static const char *const mask = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
enum { SAMPLES = 3, POINTS = 70001 };

typedef struct {
  ht_domain domain;
  ht_flow flow;
  ht_surface wall;
} fields;

static int setup(void **state) {
  static fields of;
  ht_pipe pipe = {.across = 10, .length = 30, .spacing_mm = 0.5, .direction = {1, 0.3, 0.1}};
  const ht_grid frame = ht_grid_make(1, 1, 1);
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, 2, &of.domain), HT_OK);
  assert_int_equal(ht_pipe_flow(&pipe, &of.domain, 2, 0.0035, &of.flow), HT_OK);
  of.wall.points = POINTS; /* more than a piece of the work */
  of.wall.wss_pa = calloc(3 * POINTS, sizeof(float));
  of.wall.pressure_pa = calloc(POINTS, sizeof(float));
  assert_true(of.wall.wss_pa && of.wall.pressure_pa);
  *state = &of;
  return 0;
}

static int teardown(void **state) {
  fields *of = *state;
  ht_domain_free(&of->domain);
  ht_flow_free(&of->flow);
  free(of->wall.wss_pa);
  free(of->wall.pressure_pa);
  remove(path);
  return 0;
}

/* Sets the fields of a sample: signs and sizes differ from plane to plane; a blood pressure. */
static void set(fields *of, int beat, int sample) {
  double factor = 1 + beat + 0.5 * sample;
  for (int64_t n = 0; n < of->flow.nodes; n++) {
    for (int c = 0; c < 3; c++)
      of->flow.velocity_m_s[3 * n + c] =
          (float)(factor * pow(10, -2 * c) * sin(0.1 * (double)n + c));
    of->flow.pressure_pa[n] = (float)(12000 + factor * cos(0.01 * (double)n));
  }
  for (int64_t p = 0; p < POINTS; p++) {
    for (int c = 0; c < 3; c++)
      of->wall.wss_pa[3 * p + c] = c == 2 ? 0 : (float)(factor * sin(0.001 * (double)p + c));
    of->wall.pressure_pa[p] = (float)(-3 - factor);
  }
}

static ht_flow_sample sample_of(const fields *of, int beat, int index) {
  return (ht_flow_sample){.time_s = 0.25 * index, .beat = beat, .index = index, .flow = &of->flow};
}

static ht_status write_beats(fields *of, int beats, int last) {
  ht_series_record *record;
  ht_status status = HT_OK;
  assert_int_equal(ht_beat_series_begin(path, &of->domain, POINTS, SAMPLES, 0.75, mask, &record),
                   HT_OK);
  for (int b = 0; b < beats; b++)
    for (int n = 0; n <= last && status == HT_OK; n++) {
      const ht_flow_sample sample = sample_of(of, b, n);
      set(of, b, n);
      status = ht_beat_series_add(record, &sample, &of->wall);
    }
  return ht_beat_series_end(record, status);
}

/* Checks to half a step, which is at most 1/65534 of the plane's range, or to a float's own
 * rounding. */
static void check_plane(const ht_beat_series *series, int sample, int plane, const float *values,
                        int components, const ht_domain *domain, const ht_node_map *node_of) {
  int64_t count = domain ? series->voxels : series->points, at = 0, entry = 0;
  float *read = malloc((size_t)count * sizeof *read), low = INFINITY, high = -INFINITY;
  double worst = 0;
  assert_non_null(read);
  assert_true(ht_beat_series_read(series, sample, plane, 0, count, read));
  for (; entry < count; at++) {
    if (domain && domain->mask.inside[at] != HT_VESSEL) continue;
    float value = values[components * (domain ? ht_node_map_at(node_of, at) : at)];
    worst = fmax(worst, fabs(value - read[entry++]));
    low = fminf(low, value);
    high = fmaxf(high, value);
  }
  assert_true(worst <= (high - low) / 65534 + fmax(fabs(high), fabs(low)) * 0x1p-23);
  free(read);
}

/* Checks that the last of two beats is kept. */
static void check_kept(fields *of) {
  ht_beat_series series;
  char sha[HT_HASH_TEXT];
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_OK);
  assert_string_equal(sha, mask);
  assert_int_equal(series.samples, SAMPLES);
  assert_true(series.period_s == 0.75 && series.sample[2].time_s == 0.5);
  for (int n = 0; n < SAMPLES; n++) {
    set(of, 1, n);
    for (int c = 0; c < 3; c++) {
      check_plane(&series, n, c, of->flow.velocity_m_s + c, 3, &of->domain, &of->flow.node_of);
      check_plane(&series, n, HT_PLANE_WSS + c, of->wall.wss_pa + c, 3, NULL, NULL);
    }
    check_plane(&series, n, HT_PLANE_PRESSURE, of->flow.pressure_pa, 1, &of->domain,
                &of->flow.node_of);
    check_plane(&series, n, HT_PLANE_WALL_PRESSURE, of->wall.pressure_pa, 1, NULL, NULL);
  }
  ht_beat_series_free(&series);
}

static void kept_within_16_bits(void **state) {
  assert_int_equal(write_beats(*state, 2, SAMPLES - 1), HT_OK);
  check_kept(*state);
}

static int always(void) {
  return 1;
}

/* The checkpoint of a run that is asked to stop keeps its samples. */
static void kept_whole_while_asked_to_stop(void **state) {
  ht_beat_series series;
  char sha[HT_HASH_TEXT];
  ht_jobs_stop_when(always);
  assert_int_equal(write_beats(*state, 2, SAMPLES - 1), HT_OK);
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_ERR_INTERRUPTED);
  ht_jobs_stop_when(NULL);
  check_kept(*state);
}

/* Checks the fields at the nodes, and the size of the stress. 0 is kept as 0. */
static void as_fields(void **state) {
  fields *of = *state;
  ht_beat_series series;
  char sha[HT_HASH_TEXT];
  float *size = malloc(POINTS * sizeof *size);
  assert_non_null(size);
  assert_int_equal(write_beats(of, 1, SAMPLES - 1), HT_OK);
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_OK);
  set(of, 0, 0);
  assert_int_equal(ht_beat_series_velocity(&series, 1, &of->domain, &of->flow), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&of->domain.mask.grid); v++) {
    int64_t n = ht_flow_node(&of->flow, v);
    double expected = of->domain.mask.inside[v] == HT_VESSEL ? 1.5 * sin(0.1 * (double)n) : 0;
    if (n >= 0) assert_float_equal(of->flow.velocity_m_s[3 * n], expected, 3.0 / 65534 + 1e-6);
  }
  assert_int_equal(ht_beat_series_wss(&series, 2, size), HT_OK);
  for (int64_t p = 0; p < POINTS; p++) {
    double x = 2 * sin(0.001 * (double)p), y = 2 * sin(0.001 * (double)p + 1);
    assert_float_equal(size[p], hypot(x, y), 2 * 4.0 / 65534);
  }
  assert_true(series.sample[2].base[HT_PLANE_WSS + 2] == 0);
  ht_beat_series_free(&series);
  free(size);
}

static void not_whole(void **state) {
  fields *of = *state;
  remove(path);
  assert_int_equal(write_beats(of, 1, SAMPLES - 2), HT_ERR_INTERNAL); /* a sample is missing */
  assert_null(fopen(path, "rb"));
  ht_series_record *record;
  assert_int_equal(ht_beat_series_begin(path, &of->domain, POINTS, SAMPLES, 0.75, mask, &record),
                   HT_OK);
  set(of, 0, 0);
  of->flow.velocity_m_s[3 * ht_flow_node(&of->flow, of->domain.port[0].node[0])] =
      NAN; /* no vessel */
  const ht_flow_sample sample = sample_of(of, 0, 0);
  assert_int_equal(ht_beat_series_add(record, &sample, &of->wall), HT_OK);
  of->wall.wss_pa[3 * (POINTS - 1)] = NAN;
  assert_int_equal(ht_beat_series_add(record, &sample, &of->wall), HT_ERR_DIVERGED);
  assert_int_equal(ht_beat_series_end(record, HT_ERR_DIVERGED), HT_ERR_DIVERGED);
  assert_null(fopen(path, "rb"));
}

static void flip_byte(long at, int from) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, at, from);
  int byte = fgetc(file);
  fseek(file, at, from);
  fputc(byte ^ 1, file);
  fclose(file);
}

static void damage_is_refused(void **state) {
  fields *of = *state;
  ht_beat_series series;
  char sha[HT_HASH_TEXT];
  const long at[] = {0, 9, 24, 33, 100, 300, 5000};
  assert_int_equal(write_beats(of, 1, SAMPLES - 1), HT_OK);
  for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
    flip_byte(at[n], SEEK_SET);
    assert_int_equal(ht_beat_series_open(path, &series, sha), HT_ERR_FORMAT);
    assert_int_equal(series.samples, 0);
    flip_byte(at[n], SEEK_SET);
  }
  flip_byte(-1, SEEK_END);
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_ERR_FORMAT);
  flip_byte(-1, SEEK_END);
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_OK);
  ht_beat_series_free(&series);
  remove(path);
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_ERR_NOT_FOUND);
}

/* Checks that every second, third, ... sample stays where there are more than are kept. */
static void thinned(void **state) {
  fields *of = *state;
  ht_beat_series series;
  char sha[HT_HASH_TEXT];
  ht_series_record *record;
  enum { OFFERED = 101 };
  of->wall.points = 1;
  assert_int_equal(ht_beat_series_stride(1), 1);
  assert_int_equal(ht_beat_series_stride(HT_SERIES_MOST), 1);
  assert_int_equal(ht_beat_series_stride(OFFERED), 3);
  assert_int_equal(ht_beat_series_begin(path, &of->domain, 1, OFFERED, 1, mask, &record), HT_OK);
  set(of, 0, 0);
  for (int n = 0; n < OFFERED; n++) {
    const ht_flow_sample sample = sample_of(of, 0, n);
    assert_int_equal(ht_beat_series_add(record, &sample, &of->wall), HT_OK);
  }
  assert_int_equal(ht_beat_series_end(record, HT_OK), HT_OK);
  assert_int_equal(ht_beat_series_open(path, &series, sha), HT_OK);
  assert_int_equal(series.samples, 34);
  assert_true(series.sample[33].time_s == 0.25 * 99);
  ht_beat_series_free(&series);
  of->wall.points = POINTS;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_within_16_bits), cmocka_unit_test(kept_whole_while_asked_to_stop),
      cmocka_unit_test(as_fields),           cmocka_unit_test(not_whole),
      cmocka_unit_test(damage_is_refused),   cmocka_unit_test(thinned)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
