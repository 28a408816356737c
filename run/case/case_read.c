#include "run/case/case.h"
#include "run/case/markups.h"
#include "run/case/points_file.h"
#include "run/case/schema.h"
#include "core/text/words.h"
#include "run/folder/yaml_file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 66 };

/* Key that a record has in addition to those of a case file. */
static const char waveform_hash[] = "waveform_sha256";

/* The file that is being read, for messages. */
typedef struct {
  const char *file;
  ht_case *settings;
  char where[HT_WHERE_MAX]; /* file:line:column of the latest node */
  ht_points points;
  int is_record;
} reader;

static const char *locate(reader *in, struct fy_node *node, struct fy_node *otherwise) {
  int line, column;
  ht_yaml_position(node, &line, &column);
  if (line == 0) ht_yaml_position(otherwise, &line, &column);
  snprintf(in->where, sizeof in->where, "%s:%d:%d", in->file, line, column);
  return in->where;
}

/* Fails at an unknown key. The decimal comma in `{flow: 2,5}` makes the 5 a key. */
static ht_status unknown_key(reader *in, struct fy_node *key, const char *name, const char *section,
                             const char *nearest) {
  if (strcmp(name, "smagorinsky") == 0) nearest = "eddies"; /* its name in 0.2.0 */
  if (*name && strspn(name, "0123456789") == strlen(name))
    return ht_fail(HT_ERR_CASE,
                   "%s: '%.60s' stands where a key is expected: write a decimal point, not a comma "
                   "(2.5 for two and a half)",
                   locate(in, key, NULL), name);
  return ht_fail(HT_ERR_CASE,
                 "%s: unknown key '%.60s'%s%s%s%s%s%s%s; `hemotile help case` lists all",
                 locate(in, key, NULL), name, *section ? " in '" : "", section, *section ? "'" : "",
                 *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "",
                 strchr(name, ':') ? " Write a blank after the colon, as in cycles: 5" : "");
}

/* Replaces ${NAME} in a path by the environment variable's value. */
static ht_status expand_variables(reader *in, const char *text, char out[HT_PATH_MAX]) {
  size_t length = 0;
  while (*text) {
    const char *piece = text;
    size_t piece_length = 1;
    char name[128];
    if (text[0] == '$' && text[1] == '{') {
      size_t n = strcspn(text + 2, "}");
      if (text[2 + n] != '}' || n >= sizeof name)
        return ht_fail(HT_ERR_CASE, "%s: '${' without '}' in the path", in->where);
      snprintf(name, sizeof name, "%.*s", (int)n, text + 2);
      piece = getenv(name);
      if (!piece)
        return ht_fail(HT_ERR_CASE,
                       "%s: the environment variable %s is not set: type `export %s=...` first",
                       in->where, name, name);
      piece_length = strlen(piece);
      text += n + 3;
    } else {
      text++;
    }
    if (length + piece_length >= HT_PATH_MAX)
      return ht_fail(HT_ERR_CASE, "%s: the path is too long", in->where);
    memcpy(out + length, piece, piece_length);
    length += piece_length;
  }
  out[length] = 0;
  return HT_OK;
}

static ht_status resolve_path(reader *in, char path[HT_PATH_MAX]) {
  char expanded[HT_PATH_MAX];
  HT_TRY(expand_variables(in, path, expanded));
  return ht_path_beside(path, in->file, expanded);
}

static int is_nothing(struct fy_node *value) {
  if (!value) return 1;
  if (!fy_node_is_scalar(value)) return 0;
  if (!fy_node_get_scalar_token(value)) return 1;
  const char *text = fy_node_get_scalar0(value);
  if (!text || fy_node_get_style(value) != FYNS_PLAIN) return !text;
  return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

/* Reads the files of a surface after the first. */
static ht_status read_more_masks(reader *in, ht_case *settings, const char **texts, int count) {
  for (int i = 0; i < count; i++) {
    char path[HT_PATH_MAX];
    if (snprintf(path, sizeof path, "%s", texts[i]) >= HT_PATH_MAX || strchr(path, '\n'))
      return ht_fail(HT_ERR_CASE, "%s: the path %.60s... is too long", in->where, texts[i]);
    HT_TRY(resolve_path(in, path));
    HT_TRY(ht_case_add_mask(settings, path));
  }
  return HT_OK;
}

static ht_status read_points_file(reader *in, struct fy_node *name, struct fy_node *value) {
  char *path = in->settings->points_file;
  locate(in, value, name);
  if (snprintf(path, HT_PATH_MAX, "%s", fy_node_get_scalar0(value)) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_CASE, "%s: the path is too long", in->where);
  HT_TRY(resolve_path(in, path));
  ht_status status = ht_points_read(path, &in->points);
  in->settings->points_are_ras = in->points.is_ras;
  return status == HT_OK ? HT_OK : ht_fail_in(status, in->where);
}

static ht_status read_point(reader *in, const ht_key *list, struct fy_node *item) {
  const ht_key one = {list->section, "points", HT_KEY_POINT, .range = list->range,
                      .help = list->help};
  const char *texts[4];
  struct fy_node *number;
  void *next = NULL;
  int count = 0;
  while (fy_node_is_sequence(item) && count < 4 &&
         (number = fy_node_sequence_iterate(item, &next)) && fy_node_is_scalar(number) &&
         !is_nothing(number))
    texts[count++] = fy_node_get_scalar0(number);
  if (count != 3)
    return ht_fail(HT_ERR_CASE,
                   "%s: each of the points is three numbers, LPS mm, as in points: [[1, 2, 3], "
                   "[4, 5, 6]]",
                   in->where);
  return ht_key_set(&one, in->points.item[in->points.count++].position_mm, texts, count, in->where,
                    HT_ERR_CASE);
}

/* Reads a list of places, or a file of another program. */
static ht_status read_points(reader *in, const ht_key *key, struct fy_node *name,
                             struct fy_node *value) {
  void *next = NULL;
  struct fy_node *item;
  memset(&in->points, 0, sizeof in->points);
  if (!is_nothing(value) && fy_node_is_scalar(value)) return read_points_file(in, name, value);
  locate(in, value, name);
  while (value && fy_node_is_sequence(value) && (item = fy_node_sequence_iterate(value, &next))) {
    if (in->points.count == HT_SEGMENT_POINTS_MAX)
      return ht_fail(HT_ERR_CASE, "%s: more than %d points", in->where, HT_SEGMENT_POINTS_MAX);
    locate(in, item, name);
    HT_TRY(read_point(in, key, item));
  }
  if (in->points.count >= 2) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: points: give at least two, in the vessel at its inlet and where the blood "
                 "leaves, as in [[1, 2, 3], [4, 5, 6]], or a file (%s)",
                 in->where, key->help);
}

static ht_status read_value(reader *in, const ht_key *key, void *target, struct fy_node *name,
                            struct fy_node *value) {
  const char *texts[LIST_MAX];
  int count = 0;
  if (key->type == HT_KEY_POINTS) return read_points(in, key, name, value);
  if (is_nothing(value))
    return ht_fail(HT_ERR_CASE, "%s: %s has no value (%s)", locate(in, name, NULL), key->key,
                   key->help);
  locate(in, value, name);
  if (fy_node_is_scalar(value)) {
    texts[count++] = fy_node_get_scalar0(value);
  } else if (fy_node_is_sequence(value)) {
    void *next = NULL;
    struct fy_node *item;
    while ((item = fy_node_sequence_iterate(value, &next)) && count < LIST_MAX) {
      if (!fy_node_is_scalar(item) || is_nothing(item))
        return ht_fail(HT_ERR_CASE,
                       "%s: the list of %s may hold plain numbers only (of mask: files)",
                       locate(in, item, name), key->key);
      texts[count++] = fy_node_get_scalar0(item);
    }
    if (count == LIST_MAX)
      return ht_fail(HT_ERR_CASE, "%s: %s has %d values and more", in->where, key->key, count);
  } else {
    return ht_fail(HT_ERR_CASE, "%s: %s must be a value, not further keys", in->where, key->key);
  }
  if (key->type == HT_KEY_PATH && count > 1 && strcmp(key->key, "mask") == 0) {
    HT_TRY(read_more_masks(in, target, texts + 1, count - 1));
    count = 1;
  }
  HT_TRY(ht_key_set(key, target, texts, count, in->where, HT_ERR_CASE));
  int is_word =
      key->type == HT_KEY_WORD && ht_word_find(key->choices, texts[0], strlen(texts[0])) >= 0;
  if (key->type == HT_KEY_PATH || (key->type == HT_KEY_WORD && !is_word))
    return resolve_path(in, (char *)target + key->offset);
  return HT_OK;
}

/* Reads the keys of one section, or of one entry of the openings. */
static ht_status read_keys(reader *in, const ht_key *keys, const char *section, void *target,
                           struct fy_node *mapping) {
  void *next = NULL;
  struct fy_node_pair *pair;
  while ((pair = fy_node_mapping_iterate(mapping, &next))) {
    struct fy_node *name = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
    const char *text = fy_node_is_scalar(name) ? fy_node_get_scalar0(name) : NULL;
    if (!text) return ht_fail(HT_ERR_CASE, "%s: expected a key here", locate(in, name, NULL));
    const ht_key *key = ht_key_find(keys, section, text);
    if (!key) return unknown_key(in, name, text, section, ht_key_nearest(keys, section, text));
    HT_TRY(read_value(in, key, target, name, value));
    if (keys == ht_case_keys) ht_case_mark_given(in->settings, key);
  }
  return HT_OK;
}

/* Reads a file of 3D Slicer in place of the list. */
static ht_status read_markups(reader *in, struct fy_node *name, struct fy_node *value) {
  char path[HT_PATH_MAX];
  locate(in, value, name);
  if (snprintf(path, sizeof path, "%s", fy_node_get_scalar0(value)) >= (int)sizeof path)
    return ht_fail(HT_ERR_CASE, "%s: the path is too long", in->where);
  HT_TRY(resolve_path(in, path));
  ht_status status = ht_markups_read(path, in->settings);
  return status == HT_OK ? HT_OK : ht_fail_in(status, in->where);
}

static ht_status read_openings(reader *in, struct fy_node *name, struct fy_node *list) {
  void *next = NULL;
  struct fy_node *item;
  ht_case *settings = in->settings;
  if (fy_node_is_scalar(list)) return read_markups(in, name, list);
  if (!fy_node_is_sequence(list))
    return ht_fail(
        HT_ERR_CASE,
        "%s: openings is a list (each entry begins with '- '), or a .mrk.json file of 3D Slicer",
        locate(in, list, name));
  while ((item = fy_node_sequence_iterate(list, &next))) {
    if (settings->openings == HT_OPENINGS_MAX)
      return ht_fail(HT_ERR_CASE, "%s: more than %d openings", locate(in, item, name),
                     HT_OPENINGS_MAX);
    if (!fy_node_is_mapping(item))
      return ht_fail(HT_ERR_CASE,
                     "%s: expected an opening, as in '- {role: inlet, near_mm: [1, 2, 3]}'",
                     locate(in, item, name));
    ht_case_opening *opening = &settings->opening[settings->openings++];
    ht_yaml_position(item, &opening->line, &opening->column);
    HT_TRY(read_keys(in, ht_opening_keys, "openings", opening, item));
  }
  return HT_OK;
}

static ht_status read_section(reader *in, struct fy_node *name, const char *section,
                              struct fy_node *value) {
  if (is_nothing(value)) return HT_OK;
  if (strcmp(section, "openings") == 0) return read_openings(in, name, value);
  if (!fy_node_is_mapping(value))
    return ht_fail(
        HT_ERR_CASE,
        "%s: '%s' needs indented 'key: value' lines below it, with a blank after each colon",
        locate(in, value, name), section);
  return read_keys(in, ht_case_keys, section, in->settings, value);
}

static ht_status read_top(reader *in, struct fy_node *root) {
  void *next = NULL;
  struct fy_node_pair *pair;
  while ((pair = fy_node_mapping_iterate(root, &next))) {
    struct fy_node *name = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
    const char *text = fy_node_is_scalar(name) ? fy_node_get_scalar0(name) : NULL;
    if (!text) return ht_fail(HT_ERR_CASE, "%s: a key is wanted here", locate(in, name, NULL));
    const ht_key *key = ht_key_find(ht_case_keys, "", text);
    if (in->is_record && strcmp(text, waveform_hash) == 0) continue;
    if (key) {
      HT_TRY(read_value(in, key, in->settings, name, value));
      ht_case_mark_given(in->settings, key);
    } else if (ht_section_known(text))
      HT_TRY(read_section(in, name, text, value));
    else
      return unknown_key(in, name, text, "", ht_section_nearest(text));
  }
  return HT_OK;
}

/* Refuses two settings for one spacing; the default of nodes_across gives way to spacing_mm. */
static ht_status check_lattice(const char *file, struct fy_node *root) {
  struct fy_node *lattice = ht_yaml_get(root, "lattice");
  char spacing[16] = "auto";
  ht_yaml_text(lattice, "spacing_mm", spacing, sizeof spacing);
  if (strcmp(spacing, "auto") == 0 || !ht_yaml_get(lattice, "nodes_across")) return HT_OK;
  int line, column;
  ht_yaml_position(ht_yaml_get(lattice, "spacing_mm"), &line, &column);
  return ht_fail(HT_ERR_CASE, "%s:%d:%d: give either spacing_mm or nodes_across, not both", file,
                 line, column);
}

/* Reads the part that a case file and a record have in common. */
static ht_status read_settings(reader *in, struct fy_node *root) {
  ht_case *settings = in->settings;
  HT_TRY(read_top(in, root));
  if (in->points.count > 0) HT_TRY(ht_case_set_points(settings, &in->points));
  if (settings->sac.neck_file[0]) HT_TRY(ht_markups_read_neck(settings->sac.neck_file, settings));
  settings->segment.has_region = settings->has_region_min && settings->has_region_max;
  return HT_OK;
}

/* Drops names made up by hemotile, which a record also lists. A name that reflects a guessed role
 * is no setting. */
static void drop_guessed_names(ht_case *settings) {
  for (int i = 0; i < settings->openings; i++) {
    ht_case_opening *one = &settings->opening[i];
    if (one->role == HT_ROLE_NONE && one->flow_ml_s == 0 && ht_case_name_is_made_up(one->name))
      one->name[0] = 0;
  }
}

ht_status ht_case_read_record(const char *path, ht_case *settings) {
  ht_yaml yaml;
  reader in = {.file = path, .settings = settings, .is_record = 1};
  ht_case_defaults(settings);
  if (snprintf(settings->file, sizeof settings->file, "%s", path) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", path);
  HT_TRY(ht_yaml_read(path, HT_ERR_FORMAT, &yaml));
  struct fy_node *options = ht_yaml_get(yaml.root, "options");
  ht_status status =
      options && fy_node_is_mapping(options)
          ? read_settings(&in, options)
          : ht_fail(HT_ERR_FORMAT, "%s: this is no record of a run: it lists no settings", path);
  drop_guessed_names(settings);
  if (status == HT_OK) status = ht_case_unmark_defaults(settings);
  ht_yaml_free(&yaml);
  if (status != HT_OK) ht_case_defaults(settings);
  return status;
}

ht_status ht_case_read(const char *path, ht_case *settings) {
  ht_yaml yaml;
  reader in = {.file = path, .settings = settings};
  ht_case_defaults(settings);
  if (snprintf(settings->file, sizeof settings->file, "%s", path) >= HT_PATH_MAX)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", path);
  HT_TRY(ht_yaml_read(path, HT_ERR_CASE, &yaml));
  ht_status status = read_settings(&in, yaml.root);
  if (status == HT_OK) status = check_lattice(path, yaml.root);
  ht_yaml_free(&yaml);
  if (status != HT_OK) ht_case_defaults(settings);
  return status;
}
