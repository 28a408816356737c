#include "core/formats/json.h"
#include "core/text/utf8.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Writes a quoted text. A path may be in another character set: each of its bytes that is no UTF-8
 * becomes U+FFFD, as readers refuse the whole file for it. */
static void quoted(FILE *stream, const char *text) {
  fputc('"', stream);
  for (int bytes; *text; text += bytes ? bytes : 1) {
    bytes = ht_utf8_bytes(text);
    if (bytes == 0)
      fputs("\\ufffd", stream);
    else if (*text == '"' || *text == '\\')
      fprintf(stream, "\\%c", *text);
    else if (bytes == 1 && *text < 0x20)
      fprintf(stream, "\\u%04x", (unsigned)*text);
    else
      fwrite(text, 1, (size_t)bytes, stream);
  }
  fputc('"', stream);
}

/* Writes everything before a value: the comma, the new line, the key. */
static void begin(ht_json *json, const char *key) {
  if (!json->first) fputc(',', json->stream);
  if (json->depth > 0) fprintf(json->stream, "\n%*s", 2 * json->depth, "");
  json->first = 0;
  if (!key) return;
  quoted(json->stream, key);
  fputs(": ", json->stream);
}

static void open_nest(ht_json *json, const char *key, char bracket) {
  begin(json, key);
  fputc(bracket, json->stream);
  json->depth++;
  json->first = 1;
}

static void close_nest(ht_json *json, char bracket) {
  json->depth--;
  if (!json->first) fprintf(json->stream, "\n%*s", 2 * json->depth, "");
  fputc(bracket, json->stream);
  json->first = 0;
  if (json->depth == 0) fputc('\n', json->stream);
}

static void number(FILE *stream, double value) {
  char text[32];
  if (!isfinite(value)) {
    fputs("null", stream);
    return;
  }
  for (int digits = 9; digits <= 17; digits += 4) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, stream);
}

void ht_json_object(ht_json *json, const char *key) {
  open_nest(json, key, '{');
}
void ht_json_object_end(ht_json *json) {
  close_nest(json, '}');
}
void ht_json_array(ht_json *json, const char *key) {
  open_nest(json, key, '[');
}
void ht_json_array_end(ht_json *json) {
  close_nest(json, ']');
}

void ht_json_string(ht_json *json, const char *key, const char *value) {
  begin(json, key);
  quoted(json->stream, value);
}

void ht_json_number(ht_json *json, const char *key, double value) {
  begin(json, key);
  number(json->stream, value);
}

void ht_json_integer(ht_json *json, const char *key, int64_t value) {
  begin(json, key);
  fprintf(json->stream, "%" PRId64, value);
}

void ht_json_bool(ht_json *json, const char *key, int value) {
  begin(json, key);
  fputs(value ? "true" : "false", json->stream);
}

void ht_json_numbers(ht_json *json, const char *key, const double *values, int count) {
  begin(json, key);
  fputc('[', json->stream);
  for (int i = 0; i < count; i++) {
    if (i) fputs(", ", json->stream);
    number(json->stream, values[i]);
  }
  fputc(']', json->stream);
}

static double shortened(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  return strtod(text, NULL);
}

void ht_json_measured(ht_json *json, const char *key, double value) {
  ht_json_number(json, key, shortened(value));
}

void ht_json_all_measured(ht_json *json, const char *key, const double *values, int count) {
  double few[3] = {0, 0, 0};
  if (count > 3) count = 3;
  for (int i = 0; i < count; i++) few[i] = shortened(values[i]);
  ht_json_numbers(json, key, few, count);
}

ht_status ht_json_open(const char *path, ht_output *output, ht_json *json) {
  HT_TRY(ht_output_open(path, output));
  *json = (ht_json){output->stream, 0, 1};
  ht_json_object(json, NULL);
  return HT_OK;
}

ht_status ht_json_commit(ht_json *json, ht_output *output) {
  ht_json_object_end(json);
  return ht_output_commit(output);
}
