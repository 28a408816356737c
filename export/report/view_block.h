/* Arrays of the view as elements of the page, with their description in JSON. Private to
 * export/report. */
#ifndef HT_VIEW_BLOCK_H
#define HT_VIEW_BLOCK_H

#include "core/formats/json.h"
#include "core/status.h"
#include <stdio.h>

/* The state of the view's output: the blocks go to `stream` at once, their description to `json`.
 */
typedef struct {
  FILE *stream;
  ht_json *json;
  int blocks; /* so far: the number of the next one's name */
} ht_view_out;

/* Writes an object `key` (NULL: in an array): {"block": name, "count", "low", "high"}; value = low
 * + (high - low) q / 65535 with q the uint16 of the block, little-endian. `value(user, i)` gives
 * the numbers; what is not finite becomes `low`. HT_ERR_MEMORY. */
ht_status ht_view_put_values(ht_view_out *out, const char *key, int64_t count,
                             float (*value)(const void *user, int64_t i), const void *user);

/* Writes positions, [points][3] in one block, each component with its own range: "low" and "high"
 * are arrays of three. */
ht_status ht_view_put_points(ht_view_out *out, const char *key, int64_t points,
                             const float *(*point)(const void *user, int64_t i), const void *user);

/* Writes members "block" and "count" of the current object: bytes as they are. HT_ERR_MEMORY. */
ht_status ht_view_put_bytes(ht_view_out *out, const uint8_t *bytes, int64_t count);

/* Writes whole numbers as differences from the previous one, int32, little-endian: {"block",
 * "count"}. */
ht_status ht_view_put_indices(ht_view_out *out, const char *key, int64_t count,
                              const int32_t *values);

#endif
