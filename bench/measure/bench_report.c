#define _POSIX_C_SOURCE 200809L
#include "bench/measure/bench_report.h"
#include "core/machine/clock.h"
#include "core/disk/file.h"
#include "core/formats/json.h"
#include "core/version.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ---- columns: one list for the terminal, CSV and JSON ---- */

enum { IN_FILES = 0, WIDE, ALWAYS };

typedef struct {
  const char *key, *unit; /* in the files */
  int shown;              /* on the terminal */
  const char *head, *of;  /* the two lines of the heading there */
  int width, decimals;    /* negative decimals: %.*e */
  double factor;          /* factor from the files' unit to the terminal's: 1e-6 for millions */
  void (*text)(const ht_bench_row *row, char out[32]);
  double (*number)(const ht_bench_row *row);
} column;

static void geometry_text(const ht_bench_row *r, char out[32]) {
  snprintf(out, 32, "%s", r->geometry);
}
static void layout_text(const ht_bench_row *r, char out[32]) {
  snprintf(out, 32, "%.31s", r->model.layout);
}
static void model_text(const ht_bench_row *r, char out[32]) {
  ht_bench_model_name(&r->model, out);
}
static void precision_text(const ht_bench_row *r, char out[32]) {
  snprintf(out, 32, "%s", ht_precision_words[r->model.precision]);
}
static void result_text(const ht_bench_row *r, char out[32]) {
  snprintf(out, 32, "%s", r->wrong ? "WRONG" : "ok");
}

#define NUMBER(name, value)                                                                        \
  static double name(const ht_bench_row *r) {                                                      \
    return value;                                                                                  \
  }
NUMBER(nodes_of, (double)r->nodes)
NUMBER(porosity_of, r->porosity)
NUMBER(utilisation_of, 100 * r->utilisation)
NUMBER(utilisation_000_of, 100 * r->utilisation_at_origin_000)
NUMBER(bytes_of, r->bytes_a_node)
NUMBER(mflups_of, r->mflups.median)
NUMBER(mflups_low_of, r->mflups.low)
NUMBER(mflups_high_of, r->mflups.high)
NUMBER(spread_of, 100 * ht_bench_spread(&r->mflups))
NUMBER(gb_s_of, r->gb_s)
NUMBER(of_datasheet_of, 100 * r->of_datasheet)
NUMBER(of_copy_of, 100 * r->of_copy)
NUMBER(copy_of, r->copy.median)
NUMBER(copy_low_of, r->copy.low)
NUMBER(copy_high_of, r->copy.high)
NUMBER(copy_spread_of, 100 * ht_bench_spread(&r->copy))
NUMBER(registers_of, r->registers > 0 ? r->registers : NAN)
NUMBER(occupancy_of, r->occupancy > 0 ? 100 * r->occupancy : NAN)
NUMBER(error_of, r->error)
NUMBER(repeats_of, r->repeats)
NUMBER(steps_of, r->steps > 0 ? (double)r->steps : NAN)
NUMBER(ratio_of, r->ratio.median)
NUMBER(ratio_low_of, r->ratio.low)
NUMBER(ratio_high_of, r->ratio.high)
NUMBER(paper_mflups_of, r->paper_mflups)
NUMBER(paper_fraction_of, 100 * r->paper_fraction)
NUMBER(paper_utilisation_of, 100 * r->paper_utilisation)
NUMBER(paper_peer_of, 100 * r->paper_peer)

static const column columns[] = {
    {"geometry", "name", ALWAYS, "geometry", "", 0, 0, 1, geometry_text, NULL},
    {"layout", "name", ALWAYS, "layout", "", 0, 0, 1, layout_text, NULL},
    {"model", "name", ALWAYS, "model", "", -10, 0, 1, model_text, NULL},
    {"precision", "name", ALWAYS, "prec", "", -4, 0, 1, precision_text, NULL},
    {"nodes", "1", ALWAYS, "nodes", "1e6", 6, 3, 1e-6, NULL, nodes_of},
    {"porosity", "1", WIDE, "poros.", "1", 6, 3, 1, NULL, porosity_of},
    {"utilisation_at_origin_000", "%", WIDE, "ut000", "%", 5, 1, 1, NULL, utilisation_000_of},
    {"utilisation_at_best_origin", "%", ALWAYS, "util.", "%", 5, 1, 1, NULL, utilisation_of},
    {"memory_a_node", "B", ALWAYS, "mem.", "B/node", 6, 1, 1, NULL, bytes_of},
    {"speed", "MFLUPS", ALWAYS, "speed", "MFLUPS", 7, 0, 1, NULL, mflups_of},
    {"speed_lowest", "MFLUPS", IN_FILES, 0, 0, 0, 0, 1, NULL, mflups_low_of},
    {"speed_highest", "MFLUPS", IN_FILES, 0, 0, 0, 0, 1, NULL, mflups_high_of},
    {"speed_spread", "%", ALWAYS, "spr.", "%", 4, 1, 1, NULL, spread_of},
    {"traffic", "GB/s", ALWAYS, "traffic", "GB/s", 7, 1, 1, NULL, gb_s_of},
    {"traffic_of_datasheet", "%", ALWAYS, "sheet", "%", 5, 1, 1, NULL, of_datasheet_of},
    {"traffic_of_copy", "%", ALWAYS, "copy", "%", 5, 1, 1, NULL, of_copy_of},
    {"copy", "GB/s", WIDE, "copy", "GB/s", 7, 1, 1, NULL, copy_of},
    {"copy_lowest", "GB/s", IN_FILES, 0, 0, 0, 0, 1, NULL, copy_low_of},
    {"copy_highest", "GB/s", IN_FILES, 0, 0, 0, 0, 1, NULL, copy_high_of},
    {"copy_spread", "%", WIDE, "c.spr", "%", 5, 1, 1, NULL, copy_spread_of},
    {"registers", "1/thread", WIDE, "regs", "1", 4, 0, 1, NULL, registers_of},
    {"occupancy", "%", WIDE, "occup", "%", 5, 1, 1, NULL, occupancy_of},
    {"error_against_cpu_fp64", "1", WIDE, "error", "1", 7, -1, 1, NULL, error_of},
    {"result", "word", IN_FILES, 0, 0, 0, 0, 1, result_text, NULL},
    {"repeats", "1", IN_FILES, 0, 0, 0, 0, 1, NULL, repeats_of},
    {"steps_a_repeat", "1", WIDE, "steps", "1", 6, 0, 1, NULL, steps_of},
    {"ratio_to_first", "1", IN_FILES, 0, 0, 0, 0, 1, NULL, ratio_of},
    {"ratio_lowest", "1", IN_FILES, 0, 0, 0, 0, 1, NULL, ratio_low_of},
    {"ratio_highest", "1", IN_FILES, 0, 0, 0, 0, 1, NULL, ratio_high_of},
    {"paper_speed", "MFLUPS", IN_FILES, 0, 0, 0, 0, 1, NULL, paper_mflups_of},
    {"paper_traffic_of_datasheet", "%", IN_FILES, 0, 0, 0, 0, 1, NULL, paper_fraction_of},
    {"paper_utilisation", "%", IN_FILES, 0, 0, 0, 0, 1, NULL, paper_utilisation_of},
    {"paper_peer_of_datasheet", "%", IN_FILES, 0, 0, 0, 0, 1, NULL, paper_peer_of},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- the terminal ---- */

/* Width of a column; negative: left-aligned. The columns of names are as wide as the longest name
 * of this run. */
static int width_of(const ht_bench_report *report, const column *c) {
  if (c->text == geometry_text) return -report->geometry_width;
  if (c->text == layout_text) return -report->layout_width;
  return c->width;
}

static int is_shown(const ht_bench_report *report, const column *c) {
  return c->shown == ALWAYS || (c->shown == WIDE && report->options->wide);
}

static void heading_line(const ht_bench_report *report, FILE *stream, int of) {
  for (int i = 0; i < COLUMNS; i++)
    if (is_shown(report, &columns[i]))
      fprintf(stream, "%s%*s", i ? " " : "", width_of(report, &columns[i]),
              of ? columns[i].of : columns[i].head);
  fputc('\n', stream);
}

void ht_bench_report_columns(const ht_bench_report *report, FILE *stream) {
  heading_line(report, stream, 0);
  heading_line(report, stream, 1);
}

static void cell(const ht_bench_row *row, const column *c, char out[32]) {
  if (c->text) {
    c->text(row, out);
    return;
  }
  double value = c->number(row) * c->factor;
  if (row->wrong && c->number == mflups_of)
    snprintf(out, 32, "WRONG");
  else if (!isfinite(value))
    snprintf(out, 32, "-");
  else if (c->decimals < 0)
    snprintf(out, 32, "%.*e", -c->decimals, value);
  else if (c->number == mflups_of && value < 1000)
    snprintf(out, 32, "%.1f", value);
  else
    snprintf(out, 32, "%.*f", c->decimals, value);
}

void ht_bench_report_row(const ht_bench_report *report, const ht_bench_row *row, FILE *stream) {
  char text[32];
  for (int i = 0; i < COLUMNS; i++) {
    if (!is_shown(report, &columns[i])) continue;
    cell(row, &columns[i], text);
    fprintf(stream, "%s%*s", i ? " " : "", width_of(report, &columns[i]), text);
  }
  fputc('\n', stream);
  fflush(stream);
}

void ht_bench_report_heading(const ht_bench_report *report, FILE *stream) {
  const ht_device_memory *memory = &report->setting->memory;
  fprintf(stream, "# hemotile %s (%s), %s\n# machine: %s\n# device:  %s", ht_version(), ht_commit(),
          report->date, report->host, memory->name);
  if (memory->driver[0]) fprintf(stream, ", driver %s", memory->driver);
  if (memory->bytes_per_s > 0)
    fprintf(stream, ", memory %.0f GB/s (%s)", 1e-9 * memory->bytes_per_s,
            memory->from_datasheet ? "data sheet" : "clock x bus");
  fprintf(stream, "\n# copy:    %s\n# command: %s\n", ht_copy_way(report->setting->copy),
          report->command);
}

/* ---- life ---- */

static void join_command(int argc, char **argv, char command[1024]) {
  snprintf(command, 1024, "hemotile");
  for (int i = 0; i < argc; i++) {
    size_t used = strlen(command);
    snprintf(command + used, 1024 - used, " %s", argv[i]);
  }
}

static void describe_host(char host[160]) {
  struct utsname name;
  ht_device_memory cpu;
  host[0] = 0;
  if (uname(&name) != 0 || ht_device_memory_describe(HT_DEVICE_CPU, &cpu) != HT_OK) return;
  snprintf(host, 160, "%.40s, %.20s %.20s, %.64s", name.nodename, name.sysname, name.machine,
           cpu.name);
}

/* A missing folder is reported now, not after the work. */
static ht_status try_to_write(const char *path) {
  ht_output output = {0};
  if (!path) return HT_OK;
  if (ht_folder_exists(path))
    return ht_fail(HT_ERR_WRITE, "%s is a folder; give the name of a file", path);
  HT_TRY(ht_output_open(path, &output));
  ht_output_abandon(&output);
  return HT_OK;
}

ht_status ht_bench_report_begin(const ht_bench_options *options, int argc, char **argv,
                                ht_bench_report *report) {
  char now[32];
  memset(report, 0, sizeof *report);
  report->options = options;
  report->geometry_width = report->layout_width = 8;
  ht_time_utc(now);
  snprintf(report->date, sizeof report->date, "%.10s %.5s UTC", now, now + 11);
  join_command(argc, argv, report->command);
  describe_host(report->host);
  HT_TRY(try_to_write(options->csv));
  return try_to_write(options->json);
}

void ht_bench_report_free(ht_bench_report *report) {
  free(report->row);
  report->row = NULL;
  report->count = report->capacity = 0;
}

ht_status ht_bench_report_add(ht_bench_report *report, const ht_bench_row *row) {
  if (report->count == report->capacity) {
    int64_t capacity = 2 * report->capacity + 16;
    ht_bench_row *larger;
    HT_TRY(ht_alloc((void **)&larger, (size_t)capacity, sizeof *larger, "the rows"));
    if (report->row) memcpy(larger, report->row, (size_t)report->count * sizeof *larger);
    free(report->row);
    report->row = larger;
    report->capacity = capacity;
  }
  report->row[report->count++] = *row;
  return HT_OK;
}

ht_status ht_bench_report_leave_out(ht_bench_report *report, ht_precision precision, ht_status why,
                                    const char *text) {
  if (why != HT_ERR_USAGE && why != HT_ERR_MEMORY) return why;
  report->why = why;
  snprintf(report->left_out, sizeof report->left_out, "%s: %s", ht_precision_words[precision],
           text);
  printf("# left out: %s\n", report->left_out);
  return HT_OK;
}

const ht_bench_row *ht_bench_report_find(const ht_bench_report *report, const char *geometry,
                                         const ht_bench_model *model) {
  for (int64_t i = 0; i < report->count; i++)
    if (strcmp(report->row[i].geometry, geometry) == 0 &&
        ht_bench_model_same(&report->row[i].model, model))
      return &report->row[i];
  return NULL;
}

/* ---- files ---- */

static void csv_text(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text; text++) fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
  fputc('"', stream);
}

static void csv_row(const ht_bench_report *report, const ht_bench_row *row, FILE *stream) {
  char text[32];
  for (int i = 0; i < COLUMNS; i++) {
    if (columns[i].text) {
      columns[i].text(row, text);
      csv_text(stream, text);
    } else if (isfinite(columns[i].number(row)))
      fprintf(stream, "%.9g", columns[i].number(row));
    fputc(',', stream);
  }
  csv_text(stream, report->setting->memory.name);
  fputc(',', stream);
  csv_text(stream, report->date);
  fputc('\n', stream);
}

static ht_status write_csv(const ht_bench_report *report) {
  ht_output output;
  HT_TRY(ht_output_open(report->options->csv, &output));
  for (int i = 0; i < COLUMNS; i++)
    fprintf(output.stream, "%s [%s],", columns[i].key, columns[i].unit);
  fputs("device [name],date [UTC]\n", output.stream);
  for (int64_t r = 0; r < report->count; r++) csv_row(report, &report->row[r], output.stream);
  return ht_output_commit(&output);
}

static void json_row(const ht_bench_row *row, ht_json *json) {
  char text[32];
  ht_json_object(json, NULL);
  for (int i = 0; i < COLUMNS; i++)
    if (columns[i].text) {
      columns[i].text(row, text);
      ht_json_string(json, columns[i].key, text);
    } else
      ht_json_number(json, columns[i].key, columns[i].number(row));
  ht_json_object_end(json);
}

static void json_machine(const ht_bench_report *report, ht_json *json) {
  const ht_device_memory *memory = &report->setting->memory;
  ht_json_string(json, "version", ht_version());
  ht_json_string(json, "commit", ht_commit());
  ht_json_string(json, "date", report->date);
  ht_json_string(json, "machine", report->host);
  ht_json_string(json, "device", memory->name);
  ht_json_string(json, "driver", memory->driver);
  ht_json_number(json, "memory_gb_s", memory->bytes_per_s > 0 ? 1e-9 * memory->bytes_per_s : NAN);
  ht_json_bool(json, "memory_from_datasheet", memory->from_datasheet);
  ht_json_string(json, "copy_way", ht_copy_way(report->setting->copy));
  ht_json_string(json, "command", report->command);
  ht_json_integer(json, "seed", report->options->seed);
}

static ht_status write_json(const ht_bench_report *report) {
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(report->options->json, &output, &json));
  json_machine(report, &json);
  ht_json_object(&json, "units");
  for (int i = 0; i < COLUMNS; i++) ht_json_string(&json, columns[i].key, columns[i].unit);
  ht_json_object_end(&json);
  ht_json_array(&json, "rows");
  for (int64_t r = 0; r < report->count; r++) json_row(&report->row[r], &json);
  ht_json_array_end(&json);
  return ht_json_commit(&json, &output);
}

ht_status ht_bench_report_write(const ht_bench_report *report) {
  if (report->options->csv) HT_TRY(write_csv(report));
  return report->options->json ? write_json(report) : HT_OK;
}
