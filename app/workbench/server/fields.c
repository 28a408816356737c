#include "app/workbench/server/fields.h"
#include "run/folder/yaml_file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 9 };

static int is_number(const char *text) {
  const size_t length = strlen(text);
  return length > 0 && length <= DIGITS_MOST && strspn(text, "0123456789") == length;
}

static int is_name(const char *text) {
  if (!isalnum((unsigned char)*text)) return 0;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && !strchr("._-", *text)) return 0;
  return 1;
}

static int is_plain(const char *text) {
  for (; *text; text++)
    if (*text < ' ' || *text > '~' || *text == '\\') return 0;
  return 1;
}

static ht_status read_one(const ht_field *of, const char *text, void *target) {
  void *to = (char *)target + of->offset;
  if (of->type == HT_FIELD_NUMBER) {
    if (!text || !is_number(text) || atoi(text) > of->most)
      return ht_fail(HT_ERR_USAGE, "'%s' of the request needs a whole number from 0 to %d",
                     of->name, of->most);
    *(int *)to = atoi(text);
    return HT_OK;
  }
  const int is_good = text && (of->type == HT_FIELD_NAME ? is_name(text) : is_plain(text));
  if (!is_good || strlen(text) >= (size_t)of->most)
    return ht_fail(HT_ERR_USAGE, "'%s' needs less than %d %s", of->name, of->most,
                   of->type == HT_FIELD_NAME
                       ? "letters, digits and the signs . _ -, the first a letter or a digit"
                       : "characters of plain English text");
  memcpy(to, text, strlen(text) + 1);
  return HT_OK;
}

static ht_status read_all(const ht_field *fields, struct fy_node *root, void *target) {
  struct fy_node_pair *pair;
  void *next = NULL;
  while ((pair = fy_node_mapping_iterate(root, &next))) {
    struct fy_node *value = fy_node_pair_value(pair);
    const char *name = fy_node_get_scalar0(fy_node_pair_key(pair));
    const ht_field *of = fields;
    while (of->name && (!name || strcmp(of->name, name) != 0)) of++;
    if (!of->name)
      return ht_fail(HT_ERR_USAGE, "unknown key '%.40s' of the request", name ? name : "");
    HT_TRY(read_one(of, fy_node_is_scalar(value) ? fy_node_get_scalar0(value) : NULL, target));
  }
  return HT_OK;
}

ht_status ht_fields_read(const ht_field *fields, const char *text, size_t length, void *target) {
  ht_yaml yaml;
  ht_status status = ht_yaml_parse("the request", text, length, HT_ERR_USAGE, &yaml);
  if (status == HT_OK) status = read_all(fields, yaml.root, target);
  ht_yaml_free(&yaml);
  return status;
}
