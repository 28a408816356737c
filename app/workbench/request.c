#include "app/workbench/request.h"
#include "run/folder/yaml_file.h"
#include "core/text/number_text.h"
#include "segment/settings/segment_options.h"
#include "solver/kernels/model.h"
#include "solver/lattice/device.h"
#include <math.h>
#include <string.h>

typedef enum { POINT, POINTS, NUMBER, WHOLE, WORD, FLAG } value_type;

/* A key of a request and the option that it becomes. */
typedef struct {
  const char *name, *option;
  value_type type;
  double least, most;       /* of a number */
  const char *const *words; /* of a word; ends with NULL */
} key;

static const key segment_keys[] = {
    {"from", "--from", POINT, 0, 0, NULL},
    {"to", "--to", POINTS, 0, 0, NULL},
    {"vessel", "--vessel", WHOLE, 1, 99, NULL},
    {"lower", "--lower", NUMBER, -1e6, 1e6, NULL},
    {"upper", "--upper", NUMBER, -1e6, 1e6, NULL},
    {"preset", "--preset", WORD, 0, 0, ht_segment_preset_words},
    {"nodes_across", "--nodes-across", NUMBER, 4, 1000, NULL},
    {"force", "--force", FLAG, 0, 0, NULL},
    {0},
};

static const key run_keys[] = {
    {"flow", "--flow", NUMBER, 1e-6, 1e4, NULL},
    {"cardiac_output", "--cardiac-output", NUMBER, 0.01, 100, NULL},
    {"heart_rate", "--heart-rate", NUMBER, 1, 400, NULL},
    {"nodes_across", "--nodes-across", NUMBER, 4, 1000, NULL},
    {"device", "--device", WORD, 0, 0, ht_device_words},
    {"collision", "--collision", WORD, 0, 0, ht_collision_words},
    {"dry_run", "--dry-run", FLAG, 0, 0, NULL},
    {"restart", "--restart", FLAG, 0, 0, NULL},
    {"force", "--force", FLAG, 0, 0, NULL},
    {0},
};

static ht_status refuse(const key *of, const char *needs) {
  return ht_fail(HT_ERR_USAGE, "'%s' of the request needs %s", of->name, needs);
}

static ht_status add_point(const key *of, const double point[3], ht_job_command *command) {
  HT_TRY(ht_job_command_add(command, "%s", of->option));
  return ht_job_command_add(command, "%.3f,%.3f,%.3f", point[0], point[1], point[2]);
}

/* Reads three coordinates, mm. */
static int read_point(struct fy_node *node, double point[3]) {
  if (!fy_node_is_sequence(node) || fy_node_sequence_item_count(node) != 3) return 0;
  for (int a = 0; a < 3; a++) {
    const char *text = fy_node_get_scalar0(fy_node_sequence_get_by_index(node, a));
    char *end;
    point[a] = text ? ht_number_read(text, &end) : 0;
    if (!text || end == text || *end || !(fabs(point[a]) <= 1e5)) return 0;
  }
  return 1;
}

static ht_status add_points(const key *of, struct fy_node *list, ht_job_command *command) {
  struct fy_node *item;
  void *next = NULL;
  double point[3];
  if (!fy_node_is_sequence(list)) return refuse(of, "a list of points");
  while ((item = fy_node_sequence_iterate(list, &next))) {
    if (!read_point(item, point)) return refuse(of, "points of three numbers, mm");
    HT_TRY(add_point(of, point, command));
  }
  return HT_OK;
}

static ht_status add_scalar(const key *of, const char *text, ht_job_command *command) {
  char needs[96], *end;
  if (of->type == FLAG) {
    if (strcmp(text, "true") == 0) return ht_job_command_add(command, "%s", of->option);
    return strcmp(text, "false") == 0 ? HT_OK : refuse(of, "true or false");
  }
  HT_TRY(ht_job_command_add(command, "%s", of->option));
  if (of->type == WORD) {
    for (const char *const *w = of->words; *w; w++)
      if (strcmp(*w, text) == 0) return ht_job_command_add(command, "%s", text);
    return refuse(of, "one of its words");
  }
  const double value = ht_number_read(text, &end);
  const int is_good = end != text && !*end && value >= of->least && value <= of->most &&
                      (of->type == NUMBER || value == floor(value));
  snprintf(needs, sizeof needs, "a %snumber from %g to %g", of->type == WHOLE ? "whole " : "",
           of->least, of->most);
  return is_good ? ht_job_command_add(command, "%.9g", value) : refuse(of, needs);
}

static ht_status add_value(const key *of, struct fy_node *node, ht_job_command *command) {
  double point[3];
  if (of->type == POINTS) return add_points(of, node, command);
  if (of->type == POINT) {
    if (!read_point(node, point)) return refuse(of, "three numbers, mm");
    return add_point(of, point, command);
  }
  const char *text = fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  return text ? add_scalar(of, text, command) : refuse(of, "one value");
}

static ht_status add_keys(const key *keys, struct fy_node *root, ht_job_command *command) {
  struct fy_node_pair *pair;
  void *next = NULL;
  while ((pair = fy_node_mapping_iterate(root, &next))) {
    const char *name = fy_node_get_scalar0(fy_node_pair_key(pair));
    const key *of = keys;
    while (of->name && (!name || strcmp(of->name, name) != 0)) of++;
    if (!of->name)
      return ht_fail(HT_ERR_USAGE, "unknown key '%.40s' of the request", name ? name : "");
    HT_TRY(add_value(of, fy_node_pair_value(pair), command));
  }
  return HT_OK;
}

static ht_status make(const char *name, const key *keys, const char *text, size_t length,
                      const char *folder, ht_job_command *command) {
  ht_yaml yaml;
  HT_TRY(ht_job_command_begin(name, command));
  HT_TRY(ht_job_command_add(command, "%s", folder));
  ht_status status = ht_yaml_parse("the request", text, length, HT_ERR_USAGE, &yaml);
  if (status == HT_OK) status = add_keys(keys, yaml.root, command);
  ht_yaml_free(&yaml);
  return status;
}

ht_status ht_request_segment(const char *text, size_t length, const char *folder,
                             ht_job_command *command) {
  return make("segment", segment_keys, text, length, folder, command);
}

ht_status ht_request_run(const char *text, size_t length, const char *folder,
                         ht_job_command *command) {
  return make("run", run_keys, text, length, folder, command);
}
