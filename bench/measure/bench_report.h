/* The rows of a benchmark: printed as they are measured, written as CSV and JSON at the end. */
#ifndef HT_BENCH_REPORT_H
#define HT_BENCH_REPORT_H

#include "bench/measure/bench_measure.h"
#include "bench/measure/bench_options.h"
#include <stdio.h>

typedef struct {
  const ht_bench_options *options;
  const ht_bench_setting *setting;
  char command[1024], date[32], host[160];
  int geometry_width, layout_width; /* of the columns with names */
  int64_t count, capacity;
  ht_bench_row *row;  /* owned */
  char left_out[512]; /* why the last omitted row was left out; "" */
  ht_status why;      /* the same */
} ht_bench_report;

/* Begins the report. Also checks that the files of --csv and --json can be written, before hours of
 * work. HT_ERR_WRITE. The caller frees the report, also after a failure. */
ht_status ht_bench_report_begin(const ht_bench_options *options, int argc, char **argv,
                                ht_bench_report *report);
void ht_bench_report_free(ht_bench_report *report);

/* The heading: machine, device, date, command line. */
void ht_bench_report_heading(const ht_bench_report *report, FILE *stream);

/* Names and units of the columns; a row. */
void ht_bench_report_columns(const ht_bench_report *report, FILE *stream);
void ht_bench_report_row(const ht_bench_report *report, const ht_bench_row *row, FILE *stream);

/* Keeps a row. HT_ERR_MEMORY. */
ht_status ht_bench_report_add(ht_bench_report *report, const ht_bench_row *row);

/* Leaves a layout out: if it lacks a model or memory (HT_ERR_USAGE, HT_ERR_MEMORY), prints a line,
 * and the benchmark continues. Any other `why` is passed on. */
ht_status ht_bench_report_leave_out(ht_bench_report *report, ht_precision precision, ht_status why,
                                    const char *text);

/* The kept row of this geometry and model; NULL. */
const ht_bench_row *ht_bench_report_find(const ht_bench_report *report, const char *geometry,
                                         const ht_bench_model *model);

/* Writes the requested files, whole or not at all. HT_ERR_WRITE. */
ht_status ht_bench_report_write(const ht_bench_report *report);

#endif
