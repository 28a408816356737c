#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "app/workbench/measure_request.h"
#include "app/measure/measurements.h"
#include "core/text/number_text.h"
#include "run/folder/yaml_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status refuse(const char *key, const char *needs) {
  return ht_fail(HT_ERR_USAGE, "'%s' of the request needs %s", key, needs);
}

static int read_number(struct fy_node *node, double *number) {
  const char *text = fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  char *end;
  *number = text ? ht_number_read(text, &end) : 0;
  return text && end != text && !*end && fabs(*number) <= 1e5;
}

/* Writes the numbers of a list as they are typed in a terminal: with a comma between them, and a
 * semicolon after each `group`. Returns their number; -1: it is no such list. */
static int put_numbers(struct fy_node *list, int group, FILE *stream) {
  struct fy_node *item;
  void *next = NULL;
  int count = 0;
  if (!fy_node_is_sequence(list)) return -1;
  while ((item = fy_node_sequence_iterate(list, &next))) {
    double number;
    if (!read_number(item, &number)) return -1;
    fprintf(stream, "%s%.6g",
            count == 0                    ? ""
            : group && count % group == 0 ? ";"
                                          : ",",
            number == 0 ? 0.0 : number);
    count++;
  }
  return count;
}

static ht_status read_list(const char *key, const char *option, struct fy_node *node,
                           ht_measure_request *request) {
  const int is_plane = strcmp(option, "plane") == 0;
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "no memory for a request");
  const int count = put_numbers(node, is_plane ? 0 : 4, stream);
  fclose(stream);
  const int is_good = is_plane ? count == 3 || count == 6 : count > 0 && count % 4 == 0;
  ht_status status = is_good
                         ? ht_place_parse(option, text, &request->place)
                         : refuse(key, is_plane ? "3 or 6 numbers" : "4 numbers for each ball, mm");
  free(text);
  return status;
}

static ht_status read_station(struct fy_node *node, ht_measure_request *request) {
  char text[32];
  double along_mm;
  if (!read_number(node, &along_mm)) return refuse("station", "a position, mm");
  snprintf(text, sizeof text, "%.6g", along_mm == 0 ? 0.0 : along_mm);
  return ht_place_parse("station", text, &request->place);
}

/* Reads a region by its word: no path comes from the page. */
static ht_status read_region(struct fy_node *node, ht_measure_request *request) {
  const char *text = fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  if (!text ||
      (strcmp(text, "sac") != 0 && strcmp(text, "wall") != 0 && strncmp(text, "branch:", 7) != 0))
    return refuse("region", "sac, wall or branch:NAME");
  return ht_place_parse("region", text, &request->place);
}

static ht_status read_name(struct fy_node *node, ht_measure_request *request) {
  const char *text = fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  if (!text) return refuse("name", "a text");
  HT_TRY(ht_measurements_check_name(text));
  memcpy(request->name, text, strlen(text) + 1);
  return HT_OK;
}

static ht_status read_key(const char *key, struct fy_node *node, ht_measure_request *request) {
  if (strcmp(key, "name") == 0) return read_name(node, request);
  if (request->place.text) return ht_fail(HT_ERR_USAGE, "the request has two places");
  if (strcmp(key, "plane") == 0) return read_list(key, "plane", node, request);
  if (strcmp(key, "balls") == 0) return read_list(key, "region", node, request);
  if (strcmp(key, "station") == 0) return read_station(node, request);
  if (strcmp(key, "region") == 0) return read_region(node, request);
  return ht_fail(HT_ERR_USAGE, "unknown key '%.40s' of the request", key);
}

ht_status ht_measure_request_read(const char *text, size_t length, ht_measure_request *request) {
  struct fy_node_pair *pair;
  void *next = NULL;
  ht_yaml yaml;
  memset(request, 0, sizeof *request);
  ht_status status = ht_yaml_parse("the request", text, length, HT_ERR_USAGE, &yaml);
  while (status == HT_OK && (pair = fy_node_mapping_iterate(yaml.root, &next))) {
    const char *key = fy_node_get_scalar0(fy_node_pair_key(pair));
    status = read_key(key ? key : "", fy_node_pair_value(pair), request);
  }
  ht_yaml_free(&yaml);
  return status;
}

void ht_measure_request_free(ht_measure_request *request) {
  ht_place_free(&request->place);
}

ht_status ht_measure_request_has_place(const ht_measure_request *request) {
  if (request->place.text) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "the request has no place");
}
