#define _GNU_SOURCE
#include "app/workbench/cases/case_row.h"
#include "app/batch/cohort/cohort.h"
#include "core/disk/file.h"
#include "core/disk/folder_names.h"
#include "run/folder/yaml_file.h"
#include "run/run_newer.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOG_END = 8192, WARNINGS_MOST = 20 };

/* The main numbers, as on the page of a batch (cohort.html). */
static const char *const main_numbers[] = {"steady",
                                           "flow.max_velocity_m_s",
                                           "flow.reynolds",
                                           "narrowing.mean_mmhg",
                                           "wall.wss_mean_pa",
                                           "wall.wss_p99_pa",
                                           "wall.cycle.tawss_mean_pa",
                                           "wall.cycle.osi_mean",
                                           "sac.volume_mm3",
                                           "sac.aspect_ratio",
                                           "flow.spacing_mm",
                                           NULL};

int64_t ht_case_row_stamp(const char *folder) {
  static const char *const files[] = {HT_FILE_MANIFEST, HT_FILE_LOG,  "summary.csv",
                                      HT_FILE_SUMMARY,  HT_FILE_CASE, HT_FILE_MASK,
                                      HT_FILE_EDITS};
  uint64_t stamp = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[HT_PATH_MAX];
    struct stat at;
    if (ht_path_join(path, folder, files[i]) != HT_OK || stat(path, &at) != 0) continue;
    stamp = stamp * 31 + (uint64_t)at.st_mtim.tv_sec * 1000003 + (uint64_t)at.st_mtim.tv_nsec +
            (uint64_t)at.st_size;
  }
  return (int64_t)stamp;
}

/* Returns the last stage that is done, in words. */
static const char *stage_of(const char *folder) {
  static const char *const stage[] = {"export", "segment", "import"};
  static const char *const word[] = {"computed", "segmented", "imported"};
  const char *last = "new";
  char path[HT_PATH_MAX];
  ht_yaml yaml = {0};
  if (ht_path_join(path, folder, HT_FILE_MANIFEST) == HT_OK &&
      ht_yaml_read(path, HT_ERR_FORMAT, &yaml) == HT_OK) {
    struct fy_node *stages = ht_yaml_get(yaml.root, "stages");
    for (int i = 2; i >= 0 && stages; i--)
      if (ht_yaml_get(stages, stage[i])) last = word[i];
  }
  ht_yaml_free(&yaml);
  return last;
}

/* Returns the message of a line of the log if it is an error: after its time. */
static char *error_in(char *line) {
  static const char mark[] = "Z hemotile: error: ";
  char *at = strstr(line, mark);
  return at ? at + strlen(mark) : NULL;
}

/* Finds the first error after the last command in the log's text. */
static const char *last_error(char *text) {
  const char *error = "";
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *message = error_in(line);
    if (message && !*error) error = message;
    if (!message && strstr(line, "Z hemotile ")) error = "";
  }
  return error;
}

static void put_failure(const char *folder, ht_json *json) {
  char path[HT_PATH_MAX], text[LOG_END + 1];
  size_t got = 0;
  FILE *log = ht_path_join(path, folder, HT_FILE_LOG) == HT_OK ? ht_file_open(path) : NULL;
  if (log) {
    if (fseek(log, -LOG_END, SEEK_END) != 0) rewind(log);
    got = fread(text, 1, LOG_END, log);
    fclose(log);
  }
  text[got] = 0;
  ht_json_string(json, "failure", last_error(text));
}

static void put_warnings(const char *folder, ht_json *json) {
  char path[HT_PATH_MAX];
  ht_yaml yaml = {0};
  ht_json_array(json, "warnings");
  if (ht_path_join(path, folder, HT_FILE_SUMMARY) == HT_OK &&
      ht_yaml_read(path, HT_ERR_FORMAT, &yaml) == HT_OK) {
    struct fy_node *list = ht_yaml_get(yaml.root, "warnings"), *item;
    void *next = NULL;
    for (int i = 0; list && fy_node_is_sequence(list) && i < WARNINGS_MOST &&
                    (item = fy_node_sequence_iterate(list, &next));
         i++) {
      const char *text = fy_node_get_scalar0(item);
      if (text) ht_json_string(json, NULL, text);
    }
  }
  ht_yaml_free(&yaml);
  ht_json_array_end(json);
}

static void put_values(const char *folder, ht_json *json) {
  char path[HT_PATH_MAX];
  ht_csv csv = {0};
  ht_json_object(json, "values");
  if (ht_path_join(path, folder, "summary.csv") == HT_OK && ht_csv_read(path, &csv) == HT_OK) {
    for (const char *const *name = main_numbers; *name && csv.rows > 1; name++) {
      const int column = ht_csv_column(&csv, *name);
      if (column >= 0 && *ht_csv_cell(&csv, 1, column))
        ht_json_string(json, *name, ht_csv_cell(&csv, 1, column));
    }
    ht_csv_free(&csv);
  }
  ht_json_object_end(json);
}

void ht_case_row_put(const char *folder, ht_json *json) {
  const char *stage = stage_of(folder);
  ht_json_string(json, "stage", stage);
  put_failure(folder, json);
  if (strcmp(stage, "computed") != 0) return; /* what is there is of an older mask */
  ht_json_string(json, "newer", ht_run_newer(folder));
  put_warnings(folder, json);
  put_values(folder, json);
}

ht_status ht_batch_rows_read(const char *folder, ht_csv *rows) {
  char path[HT_PATH_MAX];
  *rows = (ht_csv){0};
  HT_TRY(ht_path_join(path, folder, HT_FILE_BATCH));
  return ht_csv_read(path, rows);
}

static void put_cell(const ht_csv *rows, int row, const char *column, const char *key,
                     ht_json *json) {
  const int at = ht_csv_column(rows, column);
  ht_json_string(json, key, at >= 0 ? ht_csv_cell(rows, row, at) : "");
}

/* Returns the column of the ids; -1 where the batch has no cases. */
static int id_column(const ht_csv *rows) {
  return rows->rows > 1 ? ht_csv_column(rows, "id") : -1;
}

void ht_batch_rows_walk(const ht_csv *rows, void (*each)(void *user, const char *id), void *user) {
  const int column = id_column(rows);
  for (int row = 1; column >= 0 && row < rows->rows; row++) {
    const char *id = ht_csv_cell(rows, row, column);
    if (*id && *id != '.' && !strchr(id, '/')) each(user, id);
  }
}

int ht_batch_row_of(const ht_csv *rows, const char *id) {
  const int column = id_column(rows);
  for (int row = 1; column >= 0 && row < rows->rows; row++)
    if (strcmp(ht_csv_cell(rows, row, column), id) == 0) return row;
  return 0;
}

void ht_batch_row_put(const ht_csv *rows, const char *id, ht_json *json) {
  const int row = ht_batch_row_of(rows, id);
  if (row == 0) return;
  put_cell(rows, row, "state", "batch_state", json);
  put_cell(rows, row, "exit_code", "exit_code", json);
  put_cell(rows, row, "message", "message", json);
}
