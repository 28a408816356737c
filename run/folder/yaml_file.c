#define _POSIX_C_SOURCE 200809L
#include "run/folder/yaml_file.h"
#include "core/disk/file.h"
#include "core/text/utf8.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { YAML_BYTES_MAX = 4 << 20 };

/* Collects the errors of libfyaml, which must not print them, for our message. */
static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag, (void)user, (void)text, (void)length;
}

static struct fy_diag *collector(void) {
  struct fy_diag_cfg config;
  fy_diag_cfg_default(&config);
  config.fp = NULL;
  config.output_fn = swallow;
  struct fy_diag *diag = fy_diag_create(&config);
  if (diag) fy_diag_set_collect_errors(diag, true);
  return diag;
}

/* Returns the remedy for a mistake that libfyaml names in the words of YAML's standard. */
static const char *remedy(const char *mistake) {
  static const char *const remedies[][2] = {
      {"tab", "indent with blanks"},
      {"multiline plain key", "a key ends with a colon and a blank, and the keys of one section "
                              "begin in one column; look at the line before, too"},
      {"indentation in mapping", "the keys of one section begin in one column"},
      {"expected '-' indicator", "the lines of one entry begin in one column"},
      {"nested block mapping", "two keys in one line: put the second into braces, as in "
                               "flow: {cycles: 5}; a text with a colon in it into quotes"},
      {"missing comma", "a comma or a closing } or ] is missing, here or before"},
      {"mismatched flow", "a closing } or ] is missing, here or before"},
      {"closing bracket", "a ] is missing, here or before"},
      {"double-quoted", "a quote is not closed"},
      {"single-quoted", "a quote is not closed"},
      {"plain scalar cannot start", "put the text into quotes"},
      {"duplicate key", "it stands above, too: remove one of them"},
  };
  for (size_t i = 0; mistake && i < sizeof remedies / sizeof *remedies; i++)
    if (strstr(mistake, remedies[i][0])) return remedies[i][1];
  return NULL;
}

static ht_status first_mistake(const char *name, struct fy_diag *diag, ht_status code) {
  void *next = NULL;
  struct fy_diag_error *mistake = diag ? fy_diag_errors_iterate(diag, &next) : NULL;
  if (!mistake && errno == ENOMEM)
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read it", name);
  if (!mistake) return ht_fail(code, "%s: there is nothing in it", name);
  const int is_json = ht_path_ends(name, ".json");
  const char *what = is_json ? NULL : remedy(mistake->msg);
  return ht_fail(code, "%s:%d:%d: not valid %s: %s%s%s%s", name, mistake->line, mistake->column,
                 is_json ? "JSON" : "YAML", mistake->msg ? mistake->msg : "no reason given",
                 what ? " (" : "", what ? what : "", what ? ")" : "");
}

/* Finds a second document: libfyaml reads the first and ignores the rest without an error. */
static int second_document(const char *text) {
  int line = 1, content = 0;
  for (const char *at = text; at; line++) {
    if (strncmp(at, "---", 3) == 0 && content) return line;
    if (strncmp(at, "...", 3) == 0 && content) return 0;
    size_t blank = strspn(at, " \t\r");
    if (strncmp(at, "---", 3) != 0 && !strchr("#\n", at[blank]) && at[blank] != '%') content = 1;
    at = strchr(at, '\n');
    if (at) at++;
  }
  return 0;
}

/* Refuses anchors: ten lines of anchors and aliases can expand to more text than fits into memory.
 * Without anchors libfyaml refuses every alias. */
static ht_status refuse_anchors(const char *name, struct fy_document *document,
                                struct fy_diag *diag, ht_status code) {
  void *next = NULL;
  if (fy_document_anchor_iterate(document, &next))
    return ht_fail(
        code, "%s: anchors and aliases (&name, *name) are not read: write the values out", name);
  return fy_document_resolve(document) == 0 ? HT_OK : first_mistake(name, diag, code);
}

static ht_status parse(const char *name, ht_status code, ht_yaml *yaml) {
  struct fy_parse_cfg config = {0};
  struct fy_diag *diag = collector();
  config.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG;
  config.diag = diag;
  errno = 0;
  yaml->document = fy_document_build_from_string(&config, yaml->text, FY_NT);
  ht_status status = yaml->document ? HT_OK : first_mistake(name, diag, code);
  if (status == HT_OK) status = refuse_anchors(name, yaml->document, diag, code);
  fy_diag_destroy(diag);
  HT_TRY(status);
  yaml->root = fy_document_root(yaml->document);
  if (!yaml->root || !fy_node_is_mapping(yaml->root))
    return ht_fail(code, "%s:1:1: expected %s", name,
                   ht_path_ends(name, ".json") ? "a JSON object, in braces: { ... }"
                                               : "'key: value' lines");
  int line = second_document(yaml->text);
  if (line)
    return ht_fail(code, "%s:%d:1: a second document ('---') begins here: one is allowed", name,
                   line);
  return HT_OK;
}

/* Refuses an unknown directive and bytes that are no UTF-8, on which libfyaml 0.7 hangs. */
static ht_status check_text(const char *name, const char *text, ht_status code) {
  int line = 1, begins = 1;
  for (const char *at = text; *at;) {
    int bytes = ht_utf8_bytes(at);
    if (bytes == 0)
      return ht_fail(code, "%s:%d:1: a character that is not UTF-8: save the file as UTF-8", name,
                     line);
    if (begins && *at == '%')
      return ht_fail(code, "%s:%d:1: directives ('%%' at the beginning of a line) are not read",
                     name, line);
    begins = *at == '\n' || *at == '\r';
    line += *at == '\n';
    at += bytes;
  }
  return HT_OK;
}

ht_status ht_yaml_parse(const char *name, const char *text, size_t length, ht_status code,
                        ht_yaml *yaml) {
  memset(yaml, 0, sizeof *yaml);
  if (memchr(text, 0, length)) return ht_fail(code, "%s: this is not a text file", name);
  HT_TRY(ht_alloc((void **)&yaml->text, length + 1, 1, "a text file"));
  memcpy(yaml->text, text, length);
  ht_status status = check_text(name, yaml->text, code);
  if (status == HT_OK) status = parse(name, code, yaml);
  if (status != HT_OK) ht_yaml_free(yaml);
  return status;
}

static ht_status read_all(const char *path, ht_status code, char **text, size_t *length) {
  struct stat info;
  FILE *file = ht_file_open(path);
  if (!file || fstat(fileno(file), &info) != 0) {
    const char *reason = ht_file_reason();
    if (file) fclose(file);
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", path, reason);
  }
  ht_status status = HT_OK;
  if (S_ISDIR(info.st_mode) || info.st_size > YAML_BYTES_MAX)
    status = ht_fail(code, "%s: this is no text file of settings (%s)", path,
                     S_ISDIR(info.st_mode) ? "it is a folder" : "it is larger than 4 MB");
  if (status == HT_OK) status = ht_alloc((void **)text, (size_t)info.st_size + 1, 1, "a text file");
  if (status == HT_OK) {
    *length = fread(*text, 1, (size_t)info.st_size, file);
    if (ferror(file)) status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read", path);
  }
  fclose(file);
  return status;
}

ht_status ht_yaml_read(const char *path, ht_status code, ht_yaml *yaml) {
  char *text = NULL;
  size_t length = 0;
  memset(yaml, 0, sizeof *yaml);
  ht_status status = read_all(path, code, &text, &length);
  if (status == HT_OK) status = ht_yaml_parse(path, text, length, code, yaml);
  free(text);
  return status;
}

void ht_yaml_free(ht_yaml *yaml) {
  if (!yaml) return;
  if (yaml->document) fy_document_destroy(yaml->document);
  free(yaml->text);
  memset(yaml, 0, sizeof *yaml);
}

static struct fy_node *first_inside(struct fy_node *node) {
  void *next = NULL;
  if (fy_node_is_sequence(node)) return fy_node_sequence_iterate(node, &next);
  struct fy_node_pair *pair = fy_node_mapping_iterate(node, &next);
  return pair ? fy_node_pair_key(pair) : NULL;
}

void ht_yaml_position(struct fy_node *node, int *line, int *column) {
  *line = *column = 0;
  while (node && !fy_node_is_scalar(node)) node = first_inside(node);
  struct fy_token *token = node ? fy_node_get_scalar_token(node) : NULL;
  const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
  if (!mark) return;
  *line = mark->line + 1;
  *column = mark->column + 1;
}

struct fy_node *ht_yaml_get(struct fy_node *mapping, const char *key) {
  void *next = NULL;
  struct fy_node_pair *pair;
  if (!mapping || !fy_node_is_mapping(mapping)) return NULL;
  while ((pair = fy_node_mapping_iterate(mapping, &next))) {
    const char *name = fy_node_get_scalar0(fy_node_pair_key(pair));
    if (name && strcmp(name, key) == 0) return fy_node_pair_value(pair);
  }
  return NULL;
}

static const char *text_of(struct fy_node *node) {
  if (!node || !fy_node_is_scalar(node) || !fy_node_get_scalar_token(node)) return NULL;
  return fy_node_get_scalar0(node);
}

static int number_of(struct fy_node *node, double *value) {
  const char *text = text_of(node);
  if (!text || !*text) return 0;
  char *end;
  double read = strcmp(text, "null") == 0 ? NAN : strtod(text, &end);
  if (strcmp(text, "null") != 0 && *end) return 0;
  *value = read;
  return 1;
}

int ht_yaml_number(struct fy_node *mapping, const char *key, double *value) {
  return number_of(ht_yaml_get(mapping, key), value);
}

int ht_yaml_integer(struct fy_node *mapping, const char *key, int64_t *value) {
  const char *text = text_of(ht_yaml_get(mapping, key));
  if (!text || !*text) return 0;
  char *end;
  errno = 0;
  long long read = strtoll(text, &end, 10);
  if (*end || errno == ERANGE) return 0;
  *value = read;
  return 1;
}

int ht_yaml_int(struct fy_node *mapping, const char *key, int *value) {
  int64_t wide;
  if (!ht_yaml_integer(mapping, key, &wide) || wide < INT_MIN || wide > INT_MAX) return 0;
  *value = (int)wide;
  return 1;
}

int ht_yaml_bool(struct fy_node *mapping, const char *key, int *value) {
  const char *text = text_of(ht_yaml_get(mapping, key));
  if (!text) return 0;
  *value = strcmp(text, "true") == 0;
  return 1;
}

int ht_yaml_text(struct fy_node *mapping, const char *key, char *value, size_t size) {
  const char *text = text_of(ht_yaml_get(mapping, key));
  if (!text) return 0;
  snprintf(value, size, "%.*s", ht_utf8_fit(text, size), text);
  return 1;
}

int ht_yaml_numbers(struct fy_node *mapping, const char *key, double *values, int count) {
  struct fy_node *list = ht_yaml_get(mapping, key);
  if (!list || !fy_node_is_sequence(list) || fy_node_sequence_item_count(list) != count) return 0;
  for (int i = 0; i < count; i++)
    if (!number_of(fy_node_sequence_get_by_index(list, i), &values[i])) return 0;
  return 1;
}

int ht_yaml_point(struct fy_node *mapping, const char *key, double point[3]) {
  if (!ht_yaml_numbers(mapping, key, point, 3)) return 0;
  return fabs(point[0]) <= 1e5 && fabs(point[1]) <= 1e5 && fabs(point[2]) <= 1e5;
}
