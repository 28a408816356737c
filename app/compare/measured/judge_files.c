#include "app/compare/measured/judge_files.h"
#include "app/compare/compare_folder.h"
#include "app/compare/compare_table.h"
#include "core/formats/csv_cell.h"
#include "core/formats/json.h"
#include <math.h>
#include <stdio.h>

/* ---- all numbers, by name ---- */

typedef void (*take_number)(void *user, const char *name, double value);

static void put(take_number take, void *user, const char *group, const char *moment,
                const char *part, const char *end, double value) {
  char name[128];
  snprintf(name, sizeof name, "%s.%s%s%s.%s", group, moment, part[0] ? "." : "", part, end);
  if (isfinite(value)) take(user, name, value);
}

/* Names an agreement's numbers. `unit` ends those with one: "m_s". */
static void put_agreement(take_number take, void *user, const char *group, const char *moment,
                          const char *part, const char *unit, const ht_agreement *of) {
  const struct {
    const char *end;
    double value;
    int has_unit;
  } row[] = {{"values", (double)of->count, 0},
             {"correlation", of->correlation, 0},
             {"slope", of->slope, 0},
             {"intercept", of->intercept, 1},
             {"rms_difference", of->rms, 1},
             {"computed_mean", of->mean_x, 1},
             {"measured_mean", of->mean_y, 1},
             {"difference_mean", of->bias, 1},
             {"difference_deviation", of->scatter, 1},
             {"limit_low", of->low, 1},
             {"limit_high", of->high, 1}};
  for (size_t i = 0; i < sizeof row / sizeof *row && of->count > 0; i++) {
    char end[64];
    snprintf(end, sizeof end, "%s%s%s", row[i].end, row[i].has_unit ? "_" : "",
             row[i].has_unit ? unit : "");
    put(take, user, group, moment, part, end, row[i].value);
  }
}

static void put_pieces(take_number take, void *user, const ht_judged *of) {
  for (int p = 0; p < of->pieces; p++) {
    const ht_judged_piece *piece = &of->piece[p];
    char name[32];
    snprintf(name, sizeof name, "piece_%d", p + 1);
    put(take, user, "conservation", name, "", "sections", piece->sections);
    put(take, user, "conservation", name, "", "from_mm", piece->from_mm);
    put(take, user, "conservation", name, "", "to_mm", piece->to_mm);
    put(take, user, "conservation", name, "", "measured_flow_ml_s", piece->measured_ml_s);
    put(take, user, "conservation", name, "", "computed_flow_ml_s", piece->computed_ml_s);
    put(take, user, "conservation", name, "", "measured_spread_percent",
        piece->measured_spread_percent);
    put(take, user, "conservation", name, "", "computed_spread_percent",
        piece->computed_spread_percent);
  }
}

static void put_numbers(const ht_judged *of, take_number take, void *user) {
  take(user, "voxels.compared", (double)of->compared);
  take(user, "voxels.left_out_as_noise", (double)of->noisy);
  take(user, "voxels.tissue_signal", of->tissue);
  take(user, "times.compared", of->times);
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++)
    for (int p = 0; p < HT_JUDGED_PARTS; p++)
      if (ht_judged_has_part(of, p))
        put_agreement(take, user, "velocity", ht_judged_moment_keys[m], ht_judged_part_keys[p],
                      "m_s", &of->velocity[m][p]);
  take(user, "flow.sections", of->sections);
  take(user, "flow.sections_left_out", of->left_out);
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++)
    put_agreement(take, user, "flow", ht_judged_moment_keys[m], "", "ml_s", &of->flow[m]);
  if (isfinite(of->best_delay_s)) {
    take(user, "times.delay_s", of->delay_s);
    take(user, "times.best_delay_s", of->best_delay_s);
    take(user, "times.best_delay_correlation", of->best_correlation);
  }
  put_pieces(take, user, of);
}

/* ---- comparison.csv and sections.csv ---- */

static void csv_number(void *user, const char *name, double value) {
  fprintf(user, "%s,%.9g\n", name, value);
}

static ht_status write_numbers(const char *path, const ht_judged *of) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("number,value\n", output.stream);
  put_numbers(of, csv_number, output.stream);
  return ht_output_commit(&output);
}

static void put_cell(FILE *stream, double value) {
  fputc(',', stream);
  if (isfinite(value)) fprintf(stream, "%.9g", value);
}

/* Writes a row of a section: its mean (time NAN) or a time. */
static void put_row(FILE *stream, const ht_judged *of, int s, int time) {
  const ht_judged_section *one = &of->section[s];
  fprintf(stream, "%d,", s + 1);
  ht_csv_put(stream, one->name);
  put_cell(stream, one->along_mm);
  for (int r = 0; r < 3; r++) put_cell(stream, one->centre_mm[r]);
  for (int r = 0; r < 3; r++) put_cell(stream, one->normal[r]);
  put_cell(stream, one->area_mm2);
  put_cell(stream, one->diameter_voxels);
  put_cell(stream, one->piece > 0 ? one->piece : NAN);
  fputs(time < 0 ? ",mean" : ",time", stream);
  put_cell(stream, time < 0 ? NAN : of->measured.time_s[time]);
  put_cell(stream, time < 0 ? one->measured_ml_s : one->measured_at_ml_s[time]);
  put_cell(stream, time < 0                ? one->computed_ml_s
                   : one->computed_at_ml_s ? one->computed_at_ml_s[time]
                                           : NAN);
  fputc('\n', stream);
}

static ht_status write_sections(const char *path, const ht_judged *of) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("section,opening,position_mm,x_mm,y_mm,z_mm,normal_x,normal_y,normal_z,area_mm2,"
        "diameter_voxels,piece,moment,time_s,measured_flow_ml_s,computed_flow_ml_s\n",
        output.stream);
  for (int s = 0; s < of->sections; s++)
    for (int t = -1; t < (of->measured.times > 1 ? of->measured.times : 0); t++)
      put_row(output.stream, of, s, t);
  return ht_output_commit(&output);
}

/* ---- comparison.json ---- */

static void json_number(void *user, const char *name, double value) {
  ht_json_number(user, name, value);
}

static void json_section(ht_json *json, const ht_judged *of, const ht_judged_section *one) {
  ht_json_object(json, NULL);
  if (one->name[0]) ht_json_string(json, "opening", one->name);
  ht_json_measured(json, "position_mm", one->along_mm);
  ht_json_numbers(json, "centre_mm", one->centre_mm, 3);
  ht_json_numbers(json, "normal", one->normal, 3);
  ht_json_number(json, "area_mm2", one->area_mm2);
  ht_json_number(json, "diameter_voxels", one->diameter_voxels);
  if (one->piece > 0) ht_json_integer(json, "piece", one->piece);
  ht_json_number(json, "measured_flow_ml_s", one->measured_ml_s);
  ht_json_number(json, "computed_flow_ml_s", one->computed_ml_s);
  ht_json_numbers(json, "measured_flow_at_ml_s", one->measured_at_ml_s, of->measured.times);
  if (one->computed_at_ml_s)
    ht_json_numbers(json, "computed_flow_at_ml_s", one->computed_at_ml_s, of->measured.times);
  ht_json_object_end(json);
}

static ht_status write_json(const char *path, const ht_judge_content *content) {
  const ht_judged *of = content->judged;
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_string(&json, "case", content->one->label);
  ht_json_string(&json, "measured", content->measured);
  ht_json_string(&json, "axes", "LPS, mm");
  ht_json_numbers(&json, "time_s", of->measured.time_s, of->measured.times);
  ht_json_object(&json, "numbers");
  put_numbers(of, json_number, &json);
  ht_json_object_end(&json);
  ht_json_array(&json, "sections");
  for (int s = 0; s < of->sections; s++) json_section(&json, of, &of->section[s]);
  ht_json_array_end(&json);
  return ht_json_commit(&json, &output);
}

ht_status ht_judge_tables_write(const char *folder, const ht_judge_content *content) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_CSV));
  HT_TRY(write_numbers(path, content->judged));
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_SECTIONS));
  HT_TRY(write_sections(path, content->judged));
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_JSON));
  return write_json(path, content);
}

/* ---- words ---- */

const char ht_judge_no_section[] =
    "no section of the vessel lies wholly in the scan with enough voxels across it, or the "
    "direction that was measured is not across one";

void ht_judge_scope(const ht_judged *judged, char text[512]) {
  const ht_velocity_encoding *e = judged->measured.encoding;
  char parts[200] = "All three directions were measured.";
  if (judged->parts == 1)
    snprintf(parts, sizeof parts,
             "One direction was measured, [%.2f, %.2f, %.2f] (LPS): only the velocity along it is "
             "compared.",
             e->direction[0] + 0.0, e->direction[1] + 0.0, e->direction[2] + 0.0);
  snprintf(text, 512,
           "%s Compared are %lld voxels of the scan, at least half of which lies in the "
           "vessel%s.",
           parts, (long long)judged->compared,
           judged->times > 0 ? ", the means over the beat and each of the scan's times"
           : judged->results.stats.period_s > 0
               ? ", their means over the beat"
               : ", the mean measured velocity with the steady flow");
}

static void print_agreement(FILE *stream, const char *words, const ht_agreement *of) {
  const double value[] = {of->correlation, of->slope, of->intercept, of->rms};
  if (of->count == 0) return;
  fprintf(stream, "  %-38s", words);
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
    char text[24];
    ht_compare_text(value[i], 3, 0, text);
    fprintf(stream, " %12s", text);
  }
  fputc('\n', stream);
}

static void print_flows(FILE *stream, const ht_judged *of) {
  if (of->sections == 0) {
    fprintf(stream, "\n  no flow is compared: %s\n", ht_judge_no_section);
    return;
  }
  fprintf(stream, "\n  flow through %d section%s of the vessel, mL/s\n", of->sections,
          of->sections == 1 ? "" : "s");
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++) {
    const ht_agreement *flow = &of->flow[m];
    if (flow->count == 0) continue;
    fprintf(stream, "  %-20s measured %.4g, computed %.4g; measured less computed %+.3g",
            ht_judged_moment_words[m], flow->mean_y, flow->mean_x, flow->bias);
    if (flow->count > 2)
      fprintf(stream, " (limits of agreement %.3g to %.3g)", flow->low, flow->high);
    fputc('\n', stream);
  }
  for (int p = 0; p < of->pieces; p++)
    fprintf(stream,
            "  from %.1f to %.1f mm along the centreline the measured flow varies by %.1f %% "
            "(%d sections)\n",
            of->piece[p].from_mm, of->piece[p].to_mm, of->piece[p].measured_spread_percent,
            of->piece[p].sections);
}

void ht_judge_print(FILE *stream, const ht_judge_content *content) {
  const ht_judged *of = content->judged;
  char scope[512];
  ht_judge_scope(of, scope);
  fprintf(stream, "  %s\n  %s\n\n  %-38s %12s %12s %12s %12s\n", content->measured, scope, "",
          "correlation", "slope", "intercept, m/s", "RMS, m/s");
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++)
    for (int p = 0; p < HT_JUDGED_PARTS; p++) {
      char words[96];
      snprintf(words, sizeof words, "%s%s", ht_judged_part_words[p],
               m == HT_JUDGED_BEAT ? ", each time" : "");
      if (ht_judged_has_part(of, p)) print_agreement(stream, words, &of->velocity[m][p]);
    }
  print_flows(stream, of);
}
