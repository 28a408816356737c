#include "app/workbench/request.h"
#include "core/text/number_text.h"
#include "core/text/words.h"
#include "core/vessel/candidates.h"
#include "run/case/schema.h"
#include "run/folder/yaml_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { POINT, POINTS, CANDIDATE, SETTING, SETTINGS, FLAG, LOOK } value_type;

/* A key of a request and the option that it becomes. */
typedef struct {
  const char *name, *option;
  value_type type;
  const char *section, *key; /* of a setting: its key in schema.c, which says what is allowed */
} key;

static const key segment_keys[] = {
    {"from", "--from", POINT, NULL, NULL},
    {"to", "--to", POINTS, NULL, NULL},
    {"vessel", "--vessel", CANDIDATE, NULL, NULL},
    {"lower", "--lower", SETTING, "segment", "lower"},
    {"upper", "--upper", SETTING, "segment", "upper"},
    {"preset", "--preset", SETTING, "segment", "preset"},
    {"nodes_across", "--nodes-across", SETTING, "lattice", "nodes_across"},
    {"set", "--set", SETTINGS, NULL, NULL},
    {"force", "--force", FLAG, NULL, NULL},
    {0},
};

static const key run_keys[] = {
    {"flow", "--flow", SETTING, "flow", "inlet_flow_ml_s"},
    {"nodes_across", "--nodes-across", SETTING, "lattice", "nodes_across"},
    {"device", "--device", SETTING, "flow", "device"},
    {"set", "--set", SETTINGS, NULL, NULL},
    {"dry_run", "--dry-run", FLAG, NULL, NULL},
    {"restart", "--restart", FLAG, NULL, NULL},
    {"first_look", "--first-look", LOOK, NULL, NULL},
    {"force", "--force", FLAG, NULL, NULL},
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

/* Checks a setting as the command line does, with its message. */
static ht_status check_setting(const key *of, const char *text) {
  char where[64];
  ht_case *scratch = calloc(1, sizeof *scratch);
  snprintf(where, sizeof where, "'%s' of the request", of->name);
  ht_status status = scratch ? ht_key_set(ht_key_find(ht_case_keys, of->section, of->key), scratch,
                                          &text, 1, where, HT_ERR_USAGE)
                             : ht_fail(HT_ERR_MEMORY, "no memory for a request");
  free(scratch);
  return status;
}

static ht_status check_candidate(const key *of, const char *text) {
  char needs[64], *end;
  const double number = ht_number_read(text, &end);
  snprintf(needs, sizeof needs, "a whole number from 1 to %d", HT_CANDIDATES_MAX);
  const int is_good = end != text && !*end && number >= 1 && number <= HT_CANDIDATES_MAX &&
                      number == floor(number) && !strpbrk(text, ".eE+");
  return is_good ? HT_OK : refuse(of, needs);
}

static ht_status check_look(const key *of, const char *text) {
  const int is_good = strcmp(text, "auto") == 0 || strcmp(text, "only") == 0;
  return is_good ? HT_OK : refuse(of, "auto or only");
}

static ht_status add_scalar(const key *of, const char *text, ht_job_command *command) {
  if (of->type == FLAG) {
    if (strcmp(text, "true") == 0) return ht_job_command_add(command, "%s", of->option);
    return strcmp(text, "false") == 0 ? HT_OK : refuse(of, "true or false");
  }
  HT_TRY(of->type == SETTING ? check_setting(of, text)
         : of->type == LOOK  ? check_look(of, text)
                             : check_candidate(of, text));
  HT_TRY(ht_job_command_add(command, "%s", of->option));
  return ht_job_command_add(command, "%s", text);
}

/* ---- settings ---- */

/* Returns 1 where the browser may set the key: not one that names a file. */
static int may_set(const char *name, const char *text) {
  static const char of_opening[] = "openings.";
  char section[32];
  const char *dot = strchr(name, '.');
  if (strncmp(name, of_opening, sizeof of_opening - 1) == 0) return 1;
  if (!dot || dot - name >= (ptrdiff_t)sizeof section) return 0;
  snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
  const ht_key *key = ht_key_find(ht_case_keys, section, dot + 1);
  if (!key) return 1; /* refused with the nearest key */
  if (key->type == HT_KEY_WORD) return ht_word_find(key->choices, text, strlen(text)) >= 0;
  if (key->type == HT_KEY_POINTS) return !*text; /* removes them; else it is a file */
  return key->type != HT_KEY_PATH && key->type != HT_KEY_TEXT;
}

ht_status ht_request_setting(struct fy_node *pair, ht_setting *setting) {
  struct fy_node *item[2] = {NULL, NULL};
  if (fy_node_is_sequence(pair) && fy_node_sequence_item_count(pair) == 2)
    for (int i = 0; i < 2; i++) item[i] = fy_node_sequence_get_by_index(pair, i);
  if (!item[0] || !item[1] || !fy_node_is_scalar(item[0]) || !fy_node_is_scalar(item[1]))
    return ht_fail(HT_ERR_USAGE, "'set' of the request needs pairs of a key and a text");
  setting->name = fy_node_get_scalar0(item[0]);
  setting->text = fy_node_get_scalar0(item[1]);
  if (!setting->name) setting->name = "";
  if (!setting->text) setting->text = "";
  if (may_set(setting->name, setting->text)) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%.80s: the page does not set this", setting->name);
}

static ht_status add_settings(const key *of, struct fy_node *list, ht_job_command *command) {
  struct fy_node *pair;
  void *next = NULL;
  ht_setting setting;
  if (!fy_node_is_sequence(list)) return refuse(of, "a list of pairs");
  while ((pair = fy_node_sequence_iterate(list, &next))) {
    HT_TRY(ht_request_setting(pair, &setting));
    HT_TRY(ht_job_command_add(command, "%s", of->option));
    HT_TRY(ht_job_command_add(command, "%s=%s", setting.name, setting.text));
  }
  return HT_OK;
}

static ht_status add_value(const key *of, struct fy_node *node, ht_job_command *command) {
  double point[3];
  if (of->type == POINTS) return add_points(of, node, command);
  if (of->type == SETTINGS) return add_settings(of, node, command);
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
