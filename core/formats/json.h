/* Writes JSON: indented, in UTF-8. Numbers are as short as they round-trip, with 17 significant
 * digits at most; NaN and infinity become null. A byte that is no UTF-8 becomes U+FFFD. libfyaml
 * reads JSON (it is YAML). */
#ifndef HT_JSON_H
#define HT_JSON_H

#include "core/disk/file.h"
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  FILE *stream; /* borrowed */
  int depth;
  int first; /* nothing written yet in this object or array */
} ht_json;

/* Starts an object or array. Begin with ht_json j = {stream, 0, 1}; `key` is NULL inside arrays and
 * at the top. Errors of the stream show at ht_output_commit. */
void ht_json_object(ht_json *json, const char *key);
void ht_json_object_end(ht_json *json);
void ht_json_array(ht_json *json, const char *key);
void ht_json_array_end(ht_json *json);
void ht_json_string(ht_json *json, const char *key, const char *value);
void ht_json_number(ht_json *json, const char *key, double value);
void ht_json_integer(ht_json *json, const char *key, int64_t value);
void ht_json_bool(ht_json *json, const char *key, int value);
void ht_json_numbers(ht_json *json, const char *key, const double *values, int count);

/* Writes a measured number with six digits: more are noise, and a long row of digits may look like
 * a patient's number. At most 3 values. */
void ht_json_measured(ht_json *json, const char *key, double value);
void ht_json_all_measured(ht_json *json, const char *key, const double *values, int count);

/* Opens a file of one object, which it starts; ends the object and commits the file. Errors of
 * ht_output_open and ht_output_commit. */
ht_status ht_json_open(const char *path, ht_output *output, ht_json *json);
ht_status ht_json_commit(ht_json *json, ht_output *output);

#ifdef __cplusplus
}
#endif
#endif
