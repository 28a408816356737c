#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "app/batch/cohort/cohort_page.h"
#include "app/batch/cohort/cohort_parts.h"
#include "core/disk/folder_names.h"
#include "core/formats/json.h"
#include "export/report/page_text.h"
#include "core/version.h"
#include <stdlib.h>
#include <string.h>

static void put_columns(ht_json *json, const ht_cohort_table *table) {
  const ht_cohort *cohort = table->cohort;
  ht_json_array(json, "covariates");
  for (int c = 0; c < cohort->covariates; c++)
    ht_json_string(json, NULL, ht_csv_cell(&cohort->table, 0, cohort->covariate[c]));
  ht_json_array_end(json);
  ht_json_array(json, "columns");
  for (int c = 0; c < table->columns; c++) ht_json_string(json, NULL, table->column[c]);
  ht_json_array_end(json);
}

/* Writes the ends of the colours; empty where the pictures may not all have the same. */
static void put_colours(ht_json *json, const ht_cohort_table *table, int i) {
  double end[HT_COLOURS];
  const int drawn = table->summary[i].rows > 1 && ht_cohort_colours(table, i, end);
  ht_json_array(json, "colours");
  for (int b = 0; drawn && b < HT_COLOURS; b++) ht_json_number(json, NULL, end[b]);
  ht_json_array_end(json);
}

static void put_case(ht_json *json, const ht_cohort_table *table, int i) {
  const ht_cohort *cohort = table->cohort;
  const ht_case_record *record = &table->record[i];
  ht_json_object(json, NULL);
  ht_json_string(json, "id", cohort->item[i].id);
  ht_json_string(json, "state", ht_case_state_words[record->state]);
  ht_json_integer(json, "exit_code", record->exit_code);
  ht_json_measured(json, "seconds", record->seconds);
  ht_json_string(json, "message", record->message);
  ht_json_array(json, "covariates");
  for (int c = 0; c < cohort->covariates; c++)
    ht_json_string(json, NULL, ht_csv_cell(&cohort->table, i + 1, cohort->covariate[c]));
  ht_json_array_end(json);
  ht_json_bool(json, "drawn", ht_cohort_has_pages(table, i));
  put_colours(json, table, i);
  ht_json_array(json, "values");
  for (int c = 0; c < table->columns; c++)
    ht_json_string(json, NULL, ht_cohort_value(table, i, table->column[c]));
  ht_json_array_end(json);
  ht_json_object_end(json);
}

static ht_status put_data(FILE *stream, const ht_cohort_table *table) {
  char *text = NULL;
  size_t size = 0;
  FILE *words = open_memstream(&text, &size);
  if (!words) return ht_fail(HT_ERR_MEMORY, "not enough memory for the page");
  ht_json json = {words, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "version", ht_version());
  put_columns(&json, table);
  ht_json_array(&json, "cases");
  for (int i = 0; i < table->cohort->cases; i++) put_case(&json, table, i);
  ht_json_array_end(&json);
  ht_json_object_end(&json);
  ht_status status =
      fclose(words) == 0 ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for the page");
  if (status == HT_OK) ht_page_put_json(stream, text, size);
  free(text);
  return status;
}

static ht_status put_methods(FILE *stream, const char *path) {
  char *text;
  size_t size;
  HT_TRY(ht_page_read(path, &text, &size));
  ht_page_put_text(stream, text);
  free(text);
  return HT_OK;
}

static ht_status put_page(FILE *stream, const ht_cohort_table *table, const char *methods) {
  static const char data[] = "{{data}}", words[] = "{{methods}}";
  const char *at = ht_cohort_cohort_html, *mark = strstr(at, words);
  fwrite(at, 1, (size_t)(mark - at), stream);
  HT_TRY(put_methods(stream, methods));
  at = mark + strlen(words);
  mark = strstr(at, data);
  fwrite(at, 1, (size_t)(mark - at), stream);
  HT_TRY(put_data(stream, table));
  fputs(mark + strlen(data), stream);
  return HT_OK;
}

ht_status ht_cohort_page_write(const char *path, const ht_cohort_table *table,
                               const char *methods) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  return ht_output_end(&output, put_page(output.stream, table, methods));
}
