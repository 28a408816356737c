#include "export/report/view_block.h"
#include "export/report/page_text.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>

static const char what[] = "the report's view";
enum { STEPS = 65535 };

static void put_16(uint8_t *to, unsigned value) {
  to[0] = (uint8_t)(value & 255);
  to[1] = (uint8_t)(value >> 8);
}

static unsigned step_of(double value, double low, double high) {
  if (!(value > low) || !(high > low)) return 0; /* also NaN */
  return (unsigned)lround(fmin((value - low) / (high - low), 1) * STEPS);
}

static void widen(double value, double *low, double *high) {
  if (!isfinite(value)) return;
  *low = fmin(*low, value);
  *high = fmax(*high, value);
}

static ht_status put_block(ht_view_out *out, const void *bytes, size_t size, int64_t count) {
  char name[24];
  snprintf(name, sizeof name, "block-%d", out->blocks++);
  ht_json_string(out->json, "block", name);
  ht_json_integer(out->json, "count", count);
  return ht_page_put_block(out->stream, name, bytes, size);
}

ht_status ht_view_put_values(ht_view_out *out, const char *key, int64_t count,
                             float (*value)(const void *user, int64_t i), const void *user) {
  uint8_t *bytes = NULL;
  double low = INFINITY, high = -INFINITY;
  HT_TRY(ht_alloc((void **)&bytes, (size_t)count, 2, what));
  for (int64_t i = 0; i < count; i++) widen(value(user, i), &low, &high);
  if (!(high >= low)) low = high = 0;
  for (int64_t i = 0; i < count; i++) put_16(bytes + 2 * i, step_of(value(user, i), low, high));
  ht_json_object(out->json, key);
  ht_json_number(out->json, "low", low);
  ht_json_number(out->json, "high", high);
  ht_status status = put_block(out, bytes, 2 * (size_t)count, count);
  ht_json_object_end(out->json);
  free(bytes);
  return status;
}

ht_status ht_view_put_points(ht_view_out *out, const char *key, int64_t points,
                             const float *(*point)(const void *user, int64_t i), const void *user) {
  uint8_t *bytes = NULL;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  HT_TRY(ht_alloc((void **)&bytes, (size_t)points, 6, what));
  for (int64_t i = 0; i < points; i++)
    for (int a = 0; a < 3; a++) widen(point(user, i)[a], &low[a], &high[a]);
  for (int64_t i = 0; i < points; i++)
    for (int a = 0; a < 3; a++)
      put_16(bytes + 6 * i + 2 * a, step_of(point(user, i)[a], low[a], high[a]));
  ht_json_object(out->json, key);
  ht_json_numbers(out->json, "low", low, 3);
  ht_json_numbers(out->json, "high", high, 3);
  ht_status status = put_block(out, bytes, 6 * (size_t)points, points);
  ht_json_object_end(out->json);
  free(bytes);
  return status;
}

ht_status ht_view_put_indices(ht_view_out *out, const char *key, int64_t count,
                              const int32_t *values) {
  uint8_t *bytes = NULL;
  uint32_t before = 0;
  HT_TRY(ht_alloc((void **)&bytes, (size_t)count, 4, what));
  for (int64_t i = 0; i < count; i++) {
    uint32_t step = (uint32_t)values[i] - before;
    before = (uint32_t)values[i];
    put_16(bytes + 4 * i, step & 65535);
    put_16(bytes + 4 * i + 2, step >> 16);
  }
  ht_json_object(out->json, key);
  ht_status status = put_block(out, bytes, 4 * (size_t)count, count);
  ht_json_object_end(out->json);
  free(bytes);
  return status;
}

ht_status ht_view_put_bytes(ht_view_out *out, const uint8_t *bytes, int64_t count) {
  return put_block(out, bytes, (size_t)count, count);
}
