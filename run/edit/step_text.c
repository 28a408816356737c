#include "run/edit/step_text.h"
#include "core/text/number_text.h"
#include "core/vessel/volume.h"
#include "run/folder/yaml_file.h"
#include <math.h>
#include <string.h>

enum { PLACE_DIGITS = 3, DIGITS = 6 };

static ht_status bad(const char *key, const char *needs) {
  return ht_fail(HT_ERR_USAGE, "'%s' of a step needs %s", key, needs);
}

/* ---- reading ---- */

/* Returns 1 and the rounded number. A number that is written with these digits is read as this. */
static int read_number(struct fy_node *node, int digits, double *value) {
  const double scale = pow(10, digits);
  const char *text = node && fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  char *end;
  if (!text) return 0;
  *value = ht_number_read(text, &end);
  if (end == text || *end || !(fabs(*value) <= 1e9)) return 0;
  *value = round(*value * scale) / scale + 0.0; /* no -0 */
  return 1;
}

static int read_three(struct fy_node *node, int digits, double three[3]) {
  if (!fy_node_is_sequence(node) || fy_node_sequence_item_count(node) != 3) return 0;
  for (int a = 0; a < 3; a++)
    if (!read_number(fy_node_sequence_get_by_index(node, a), digits, &three[a])) return 0;
  return 1;
}

static ht_status read_places(const char *key, struct fy_node *node, ht_edit_step *step) {
  const int count = fy_node_is_sequence(node) ? fy_node_sequence_item_count(node) : 0;
  struct fy_node *item;
  void *next = NULL;
  if (count < 1 || count > HT_EDIT_PLACES_MAX || step->place_mm)
    return bad(key, "a list of 1 to 10000 places");
  HT_TRY(ht_alloc((void **)&step->place_mm, (size_t)count, sizeof *step->place_mm,
                  "the places of a step"));
  while ((item = fy_node_sequence_iterate(node, &next)))
    if (!read_three(item, PLACE_DIGITS, step->place_mm[step->places++]))
      return bad(key, "places of three numbers, LPS mm");
  return HT_OK;
}

static ht_status read_kind(const char *key, struct fy_node *node, ht_edit_step *step) {
  const char *word = fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  for (int kind = 0; word && ht_edit_words[kind]; kind++)
    if (strcmp(ht_edit_words[kind], word) == 0) {
      step->kind = (ht_edit_kind)kind;
      return HT_OK;
    }
  return bad(key, "one of paint, erase, cut, lasso, fill, smooth, close, grow, shrink, islands, "
                  "region, interpolate");
}

static ht_status read_three_of(const char *key, struct fy_node *node, int digits, double three[3],
                               int *has) {
  *has = 1;
  return read_three(node, digits, three) ? HT_OK : bad(key, "three numbers");
}

static ht_status read_key(const char *key, struct fy_node *node, ht_edit_step *step) {
  double *number = strcmp(key, "radius_mm") == 0      ? &step->radius_mm
                   : strcmp(key, "thickness_mm") == 0 ? &step->thickness_mm
                   : strcmp(key, "lower") == 0        ? &step->lower
                   : strcmp(key, "upper") == 0        ? &step->upper
                                                      : NULL;
  if (number) return read_number(node, DIGITS, number) ? HT_OK : bad(key, "a number");
  if (strcmp(key, "step") == 0) return read_kind(key, node, step);
  if (strcmp(key, "places_mm") == 0) return read_places(key, node, step);
  if (strcmp(key, "direction") == 0)
    return read_three_of(key, node, DIGITS, step->direction, &step->has_direction);
  if (strcmp(key, "keep_mm") == 0)
    return read_three_of(key, node, PLACE_DIGITS, step->keep_mm, &step->has_keep);
  return ht_fail(HT_ERR_USAGE, "unknown key '%.40s' of a step", key);
}

ht_status ht_edit_step_take(struct fy_node *mapping, ht_edit_step *step) {
  struct fy_node_pair *pair;
  void *next = NULL;
  ht_status status = HT_OK;
  memset(step, 0, sizeof *step);
  step->kind = HT_EDIT_KINDS;
  while (status == HT_OK && (pair = fy_node_mapping_iterate(mapping, &next))) {
    const char *key = fy_node_get_scalar0(fy_node_pair_key(pair));
    status = read_key(key ? key : "", fy_node_pair_value(pair), step);
  }
  if (status == HT_OK && step->kind == HT_EDIT_KINDS) status = bad("step", "the kind of the step");
  if (status == HT_OK) status = ht_edit_step_check(step);
  if (status != HT_OK) ht_edit_step_free(step);
  return status;
}

ht_status ht_edit_step_parse(const char *text, size_t length, ht_edit_step *step) {
  ht_yaml yaml;
  memset(step, 0, sizeof *step);
  ht_status status = ht_yaml_parse("a step", text, length, HT_ERR_USAGE, &yaml);
  if (status == HT_OK) status = ht_edit_step_take(yaml.root, step);
  ht_yaml_free(&yaml);
  return status;
}

/* ---- writing ---- */

static void put_number(FILE *stream, double value, int digits) {
  char text[64];
  int length = snprintf(text, sizeof text, "%.*f", digits, value);
  while (text[length - 1] == '0') length--;
  if (text[length - 1] == '.') length--;
  fprintf(stream, "%.*s", length, text);
}

static void put_three(FILE *stream, const double three[3], int digits) {
  for (int a = 0; a < 3; a++) {
    fputs(a == 0 ? "[" : ", ", stream);
    put_number(stream, three[a], digits);
  }
  fputs("]", stream);
}

static void put_key(FILE *stream, const char *key, double value) {
  fprintf(stream, ", \"%s\": ", key);
  put_number(stream, value, DIGITS);
}

void ht_edit_step_write(const ht_edit_step *step, FILE *stream) {
  fprintf(stream, "{\"step\": \"%s\"", ht_edit_words[step->kind]);
  for (int p = 0; p < step->places; p++) {
    fputs(p == 0 ? ", \"places_mm\": [" : ", ", stream);
    put_three(stream, step->place_mm[p], PLACE_DIGITS);
  }
  if (step->places > 0) fputs("]", stream);
  if (step->radius_mm != 0) put_key(stream, "radius_mm", step->radius_mm);
  if (step->has_direction) {
    fputs(", \"direction\": ", stream);
    put_three(stream, step->direction, DIGITS);
  }
  if (step->thickness_mm != 0) put_key(stream, "thickness_mm", step->thickness_mm);
  if (step->has_keep) {
    fputs(", \"keep_mm\": ", stream);
    put_three(stream, step->keep_mm, PLACE_DIGITS);
  }
  if (step->kind == HT_EDIT_REGION) {
    put_key(stream, "lower", step->lower);
    put_key(stream, "upper", step->upper);
  }
  fputs("}", stream);
}
