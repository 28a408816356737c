#include "app/batch/cohort/cohort_table.h"
#include "core/disk/folder_names.h"
#include "core/formats/csv_cell.h"
#include "run/folder/picture_colours.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 4096 };

static int has_results(const ht_case_record *record) {
  return record->tries > 0 && record->state != HT_CASE_WAITING &&
         (record->exit_code == HT_OK || record->exit_code == HT_ERR_NOT_STEADY);
}

static int find_column(const ht_cohort_table *table, const char *name) {
  for (int c = 0; c < table->columns; c++)
    if (strcmp(table->column[c], name) == 0) return c;
  return -1;
}

ht_status ht_cohort_file(const ht_cohort_table *table, int number, const char *name,
                         char path[HT_PATH_MAX]) {
  char inner[HT_CASE_ID_MAX + 32];
  snprintf(inner, sizeof inner, "cases/%s%s%s", table->cohort->item[number].id, *name ? "/" : "",
           name);
  return ht_path_join(path, table->folder, inner);
}

static ht_status read_one(ht_cohort_table *to, int number) {
  char path[HT_PATH_MAX];
  ht_csv *csv = &to->summary[number];
  if (!has_results(&to->record[number])) return HT_OK;
  HT_TRY(ht_cohort_file(to, number, "summary.csv", path));
  ht_status status = ht_csv_read(path, csv);
  if (status == HT_ERR_MEMORY) return status;
  if (status != HT_OK || csv->rows < 2) {
    ht_csv_free(csv);
    return HT_OK;
  }
  for (int c = 0; c < csv->columns && to->columns < MOST_COLUMNS; c++)
    if (find_column(to, ht_csv_cell(csv, 0, c)) < 0)
      to->column[to->columns++] = ht_csv_cell(csv, 0, c);
  return HT_OK;
}

ht_status ht_cohort_table_make(const ht_cohort *cohort, const ht_case_record *record,
                               const char *folder, ht_cohort_table *table) {
  *table = (ht_cohort_table){.cohort = cohort, .record = record, .folder = folder};
  ht_status status;
  HT_TRY_DONE(ht_alloc((void **)&table->summary, (size_t)cohort->cases, sizeof *table->summary,
                       "the cohort's table"));
  HT_TRY_DONE(
      ht_alloc((void **)&table->column, MOST_COLUMNS, sizeof *table->column, "the cohort's table"));
  for (int i = 0; i < cohort->cases; i++) HT_TRY_DONE(read_one(table, i));
  return HT_OK;
done:
  ht_cohort_table_free(table);
  return status;
}

void ht_cohort_table_free(ht_cohort_table *table) {
  if (!table) return;
  for (int i = 0; table->summary && i < table->cohort->cases; i++) ht_csv_free(&table->summary[i]);
  free(table->summary);
  free(table->column);
  *table = (ht_cohort_table){0};
}

int ht_cohort_is_lost(const ht_cohort_table *table, int number) {
  return table->record[number].state == HT_CASE_DONE && table->summary[number].rows < 2;
}

int ht_cohort_has_pages(const ht_cohort_table *table, int number) {
  static const char *const files[] = {HT_FILE_REPORT, HT_FOLDER_PICTURES "/velocity.png"};
  char path[HT_PATH_MAX];
  for (int f = 0; f < 2; f++)
    if (ht_cohort_file(table, number, files[f], path) != HT_OK || !ht_file_exists(path)) return 0;
  return 1;
}

const char *ht_cohort_value(const ht_cohort_table *table, int number, const char *column) {
  const ht_csv *csv = &table->summary[number];
  if (csv->rows < 2) return "";
  for (int c = 0; c < csv->columns; c++)
    if (strcmp(ht_csv_cell(csv, 0, c), column) == 0) return ht_csv_cell(csv, 1, c);
  return "";
}

int ht_cohort_colours(const ht_cohort_table *table, int number, double end[HT_COLOURS]) {
  char path[HT_PATH_MAX];
  ht_picture_colours drawn;
  if (ht_cohort_file(table, number, "", path) != HT_OK) return 0;
  ht_picture_colours_of(path, &drawn);
  end[HT_COLOURS_SPEED] = drawn.speed_m_s;
  end[HT_COLOURS_WSS] = drawn.wss_pa;
  return drawn.complete;
}

static void put_next(FILE *stream, const char *text) {
  fputc(',', stream);
  ht_csv_put(stream, text);
}

static void put_header(FILE *stream, const ht_cohort_table *table) {
  const ht_cohort *cohort = table->cohort;
  fputs("id,state,exit_code,seconds,message", stream);
  for (int c = 0; c < cohort->covariates; c++)
    put_next(stream, ht_csv_cell(&cohort->table, 0, cohort->covariate[c]));
  for (int c = 0; c < table->columns; c++) put_next(stream, table->column[c]);
  fputc('\n', stream);
}

/* Writes a row; case i of a table is its row i + 1. */
static void put_row(FILE *stream, const ht_cohort_table *table, int i) {
  const ht_cohort *cohort = table->cohort;
  const ht_case_record *record = &table->record[i];
  fprintf(stream, "%s,%s,", cohort->item[i].id, ht_case_state_words[record->state]);
  if (record->ended[0])
    fprintf(stream, "%d,%.3f", record->exit_code, record->seconds);
  else
    fputc(',', stream);
  put_next(stream, record->message);
  for (int c = 0; c < cohort->covariates; c++)
    put_next(stream, ht_csv_cell(&cohort->table, i + 1, cohort->covariate[c]));
  for (int c = 0; c < table->columns; c++)
    put_next(stream, ht_cohort_value(table, i, table->column[c]));
  fputc('\n', stream);
}

ht_status ht_cohort_table_write(const char *path, const ht_cohort_table *table) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  put_header(output.stream, table);
  for (int i = 0; i < table->cohort->cases; i++) put_row(output.stream, table, i);
  return ht_output_commit(&output);
}
