#define _POSIX_C_SOURCE 200809L
#include "run/record/summary_table.h"
#include "core/formats/csv_cell.h"
#include "core/disk/file.h"
#include "run/folder/yaml_file.h"
#include <stdlib.h>
#include <string.h>

enum { COLUMN_MAX = 512, ITEM_MAX = 130, DEPTH_MAX = 12 };

typedef struct {
  ht_summary_take take;
  void *user;
} walker;

static void put_node(walker *to, const char *column, struct fy_node *node, int depth);

static void extend(char out[COLUMN_MAX], const char *column, const char *by) {
  snprintf(out, COLUMN_MAX, "%.300s%s%.200s", column, column[0] ? "." : "", by);
}

/* Returns 1 for what is no number of a case: who computed it, and the course of its convergence. */
static int is_left_out(const char *key, int depth) {
  static const char *const top[] = {"notice", "manifest"};
  static const char *const deeper[] = {"changes", "change_steps"};
  const char *const *keys = depth == 0 ? top : deeper;
  return strcmp(key, keys[0]) == 0 || strcmp(key, keys[1]) == 0;
}

static void put_mapping(walker *to, const char *column, struct fy_node *node, int depth) {
  char inner[COLUMN_MAX];
  void *next = NULL;
  struct fy_node_pair *pair;
  while ((pair = fy_node_mapping_iterate(node, &next))) {
    const char *key = fy_node_get_scalar0(fy_node_pair_key(pair));
    if (is_left_out(key, depth)) continue;
    extend(inner, column, key);
    put_node(to, inner, fy_node_pair_value(pair), depth + 1);
  }
}

/* Names an item: by its name, a figure by its key and its outlet, a coordinate by its axis, another
 * by its number. */
static void name_item(struct fy_node *item, int number, int count, char name[ITEM_MAX]) {
  static const char *const axis[] = {"x", "y", "z"};
  char key[64] = "", outlet[64] = "";
  snprintf(name, ITEM_MAX, "%d", number);
  if (fy_node_is_scalar(item) && count == 3) snprintf(name, ITEM_MAX, "%s", axis[number - 1]);
  if (!fy_node_is_mapping(item) || ht_yaml_text(item, "name", name, ITEM_MAX)) return;
  if (!ht_yaml_text(item, "figure", key, sizeof key)) return;
  ht_yaml_text(item, "outlet", outlet, sizeof outlet);
  snprintf(name, ITEM_MAX, "%s%s%s", key, outlet[0] ? "." : "", outlet);
}

static void put_list(walker *to, const char *column, struct fy_node *node, int depth) {
  int count = fy_node_sequence_item_count(node);
  for (int i = 0; i < count; i++) {
    char inner[COLUMN_MAX], name[ITEM_MAX];
    struct fy_node *item = fy_node_sequence_get_by_index(node, i);
    name_item(item, i + 1, count, name);
    extend(inner, column, name);
    put_node(to, inner, item, depth + 1);
  }
}

static void put_node(walker *to, const char *column, struct fy_node *node, int depth) {
  char count[16];
  if (depth > DEPTH_MAX) return;
  if (strcmp(column, "warnings") == 0) {
    snprintf(count, sizeof count, "%d", fy_node_sequence_item_count(node));
    to->take(to->user, column, count);
  } else if (fy_node_is_mapping(node)) {
    put_mapping(to, column, node, depth);
  } else if (fy_node_is_sequence(node)) {
    put_list(to, column, node, depth);
  } else {
    const char *text = fy_node_get_scalar0(node);
    to->take(to->user, column, text && strcmp(text, "null") != 0 ? text : "");
  }
}

void ht_summary_flatten(struct fy_node *node, ht_summary_take take, void *user) {
  walker to = {take, user};
  put_node(&to, "", node, 0);
}

/* ---- the table ---- */

/* The two growing lines. */
typedef struct {
  FILE *header, *row;
  int columns;
} table;

static void put_cell(void *user, const char *column, const char *value) {
  table *to = user;
  if (to->columns++ > 0) fputc(',', to->header), fputc(',', to->row);
  ht_csv_put(to->header, column);
  ht_csv_put(to->row, value);
}

static ht_status write_lines(const char *csv, const char *header, const char *row) {
  ht_output output;
  HT_TRY(ht_output_open(csv, &output));
  fprintf(output.stream, "%s\n%s\n", header, row);
  return ht_output_commit(&output);
}

ht_status ht_summary_table_write(const char *json, const char *csv) {
  ht_yaml yaml;
  char *header = NULL, *row = NULL;
  size_t header_size = 0, row_size = 0;
  HT_TRY(ht_yaml_read(json, HT_ERR_FORMAT, &yaml));
  table to = {open_memstream(&header, &header_size), open_memstream(&row, &row_size), 0};
  int is_complete = to.header && to.row;
  if (is_complete) ht_summary_flatten(yaml.root, put_cell, &to);
  if (to.header) is_complete &= fclose(to.header) == 0;
  if (to.row) is_complete &= fclose(to.row) == 0;
  ht_yaml_free(&yaml);
  ht_status status = is_complete
                         ? write_lines(csv, header, row)
                         : ht_fail(HT_ERR_MEMORY, "not enough memory for the table of the summary");
  free(header);
  free(row);
  return status;
}
