#include "app/compare/compare_folder.h"
#include "app/compare/compare_page_parts.h"
#include "app/compare/measured/judge_files.h"
#include "core/version.h"
#include "export/report/page_picture.h"
#include "export/report/page_text.h"
#include <math.h>
#include <string.h>

static void put_heads(FILE *stream, const char *const *head, int texts) {
  for (int h = 0; head[h]; h++) ht_page_put_head(stream, head[h], h >= texts);
  ht_page_table_rows(stream);
}

/* ---- what is compared ---- */

/* Lists the notes on the measured flow, one in each line. */
static void put_notes(FILE *stream, const char *notes) {
  char line[512];
  if (!*notes) return;
  fputs("<ul>\n", stream);
  for (const char *at = notes; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    ht_page_put(stream, "<li>", line, "</li>\n");
  }
  fputs("</ul>\n", stream);
}

static void put_what(FILE *stream, const ht_judge_content *content) {
  const ht_judged *of = content->judged;
  const ht_compared_case *one = content->one;
  const char *name = ht_value_text(&one->numbers, "name");
  char scope[512];
  ht_judge_scope(of, scope);
  ht_page_put(stream, "<p>Case: ", name ? name : one->label, ". ");
  ht_page_put(stream, "Measured: ", content->measured, ".</p>\n");
  ht_page_put(stream, "<p>", scope, " ");
  fprintf(stream,
          "The computed velocity of a voxel is the mean over the blood in its box, as a part of "
          "the signal of blood and still tissue in it (tissue has %.2f of the signal of blood).",
          of->tissue);
  if (of->noisy > 0)
    fprintf(stream, " %lld voxels in the vessel were left out as noise.", (long long)of->noisy);
  fputs("</p>\n", stream);
  put_notes(stream, content->notes);
}

/* ---- tables ---- */

static void put_agreement(FILE *stream, const char *words, const ht_agreement *of) {
  const double value[] = {(double)of->count, of->mean_y,    of->mean_x, of->correlation,
                          of->slope,         of->intercept, of->rms};
  if (of->count == 0) return;
  ht_page_put(stream, "<tr><th scope=\"row\">", words, "</th>");
  for (size_t i = 0; i < sizeof value / sizeof *value; i++)
    ht_page_put_number(stream, value[i], i == 0 ? 9 : 3, 0);
  fputs("</tr>\n", stream);
}

static void put_velocities(FILE *stream, const ht_judged *of) {
  static const char *const heads[] = {
      "Velocity",    "Values", "Measured mean, m/s", "Computed mean, m/s",
      "Correlation", "Slope",  "Intercept, m/s",     "RMS difference, m/s",
      NULL};
  fputs("<h2>Velocity</h2>\n", stream);
  ht_page_table_begin(stream, "Measured = slope x computed + intercept");
  put_heads(stream, heads, 1);
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++)
    for (int p = 0; p < HT_JUDGED_PARTS; p++) {
      char words[96];
      snprintf(words, sizeof words, "%s, %s", ht_judged_part_words[p], ht_judged_moment_words[m]);
      if (ht_judged_has_part(of, p)) put_agreement(stream, words, &of->velocity[m][p]);
    }
  ht_page_table_end(stream);
}

static void put_limits(FILE *stream, const ht_judged *of) {
  static const char *const heads[] = {"Flow",
                                      "Values",
                                      "Measured mean, mL/s",
                                      "Computed mean, mL/s",
                                      "Mean difference",
                                      "Lower limit",
                                      "Upper limit",
                                      "Correlation",
                                      NULL};
  ht_page_table_begin(stream,
                      "Measured less computed, mL/s; limits of agreement (Bland and Altman)");
  put_heads(stream, heads, 1);
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++) {
    const ht_agreement *flow = &of->flow[m];
    if (flow->count == 0) continue;
    ht_page_put(stream, "<tr><th scope=\"row\">", ht_judged_moment_words[m], "</th>");
    ht_page_put_number(stream, (double)flow->count, 9, 0);
    ht_page_put_number(stream, flow->mean_y, 4, 0);
    ht_page_put_number(stream, flow->mean_x, 4, 0);
    ht_page_put_number(stream, flow->bias, 3, 1);
    ht_page_put_number(stream, flow->low, 3, 1);
    ht_page_put_number(stream, flow->high, 3, 1);
    ht_page_put_number(stream, flow->correlation, 3, 0);
    fputs("</tr>\n", stream);
  }
  ht_page_table_end(stream);
}

static void put_pieces(FILE *stream, const ht_judged *of) {
  static const char *const heads[] = {"From, mm",      "To, mm",
                                      "Sections",      "Measured flow, mL/s",
                                      "Its spread, %", "Computed flow, mL/s",
                                      "Its spread, %", NULL};
  if (of->pieces == 0) return;
  fputs("<p>Where no vessel leaves, the mean flow is the same in each section. How much the "
        "measured flow varies there (standard deviation, % of its mean) is the quality of the "
        "measurement; of the computed flow it has only that these sections belong together.</p>\n",
        stream);
  ht_page_table_begin(stream, "Conservation of the flow along the centreline");
  put_heads(stream, heads, 0);
  for (int p = 0; p < of->pieces; p++) {
    const ht_judged_piece *one = &of->piece[p];
    fputs("<tr>", stream);
    ht_page_put_number(stream, one->from_mm, 4, 0);
    ht_page_put_number(stream, one->to_mm, 4, 0);
    ht_page_put_number(stream, one->sections, 4, 0);
    ht_page_put_number(stream, one->measured_ml_s, 4, 0);
    ht_page_put_number(stream, one->measured_spread_percent, 3, 0);
    ht_page_put_number(stream, one->computed_ml_s, 4, 0);
    ht_page_put_number(stream, one->computed_spread_percent, 3, 0);
    fputs("</tr>\n", stream);
  }
  ht_page_table_end(stream);
}

static void put_section(FILE *stream, const ht_judged_section *one, int number) {
  char words[96];
  snprintf(words, sizeof words, "%d%s%s", number, one->name[0] ? ", near " : "", one->name);
  ht_page_put(stream, "<tr><th scope=\"row\">", words, "</th>");
  ht_page_put_number(stream, one->along_mm, 4, 0);
  ht_page_put_number(stream, one->area_mm2, 4, 0);
  ht_page_put_number(stream, one->diameter_voxels, 3, 0);
  ht_page_put_number(stream, one->measured_ml_s, 4, 0);
  ht_page_put_number(stream, one->computed_ml_s, 4, 0);
  ht_page_put_number(stream, one->measured_ml_s - one->computed_ml_s, 3, 1);
  ht_page_put_number(stream, 100 * (one->measured_ml_s / one->computed_ml_s - 1), 3, 1);
  fputs("</tr>\n", stream);
}

static void put_flows(FILE *stream, const ht_judged *of) {
  static const char *const heads[] = {"Section",
                                      "Position on the centreline, mm",
                                      "Area, mm2",
                                      "Voxels across",
                                      "Measured, mL/s",
                                      "Computed, mL/s",
                                      "Difference, mL/s",
                                      "%",
                                      NULL};
  fputs("<h2>Flow</h2>\n", stream);
  if (of->sections == 0) {
    ht_page_put(stream, "<p>No flow is compared: ", ht_judge_no_section, ".</p>\n");
    return;
  }
  put_limits(stream, of);
  put_pieces(stream, of);
  fputs("<details><summary>Each section, mean over the beat</summary>", stream);
  ht_page_table_begin(stream, "All of sections.csv, which also has each time");
  put_heads(stream, heads, 1);
  for (int s = 0; s < of->sections; s++) put_section(stream, &of->section[s], s + 1);
  ht_page_table_end(stream);
  fputs("</details>\n", stream);
}

/* ---- all of it ---- */

static ht_status put_pictures(FILE *stream, const char *folder, const ht_judge_content *content) {
  fputs("<h2>Pictures</h2>\n<div class=\"pictures\">\n", stream);
  for (int p = 0; p < content->pictures; p++) {
    const ht_judge_picture *one = &content->picture[p];
    char path[HT_PATH_MAX];
    HT_TRY(ht_path_join(path, folder, one->file));
    HT_TRY(ht_page_put_figure(stream, path, one->title, one->caption));
  }
  fputs("</div>\n", stream);
  return HT_OK;
}

static ht_status put_page(FILE *stream, const char *folder, const ht_judge_content *content) {
  char title[200], heading[120], made[200];
  snprintf(heading, sizeof heading, "%s and its measured flow", content->one->label);
  snprintf(title, sizeof title, "%s: hemotile comparison", heading);
  ht_page_begin(stream, title, heading);
  fputs("<p class=\"origin\">The computed flow beside phase-contrast MR. Differences are measured "
        "less computed. All numbers are in <code>comparison.csv</code>, <code>sections.csv</code> "
        "and <code>comparison.json</code> next to this file.</p>\n</header>\n<main>\n",
        stream);
  put_what(stream, content);
  ht_page_put_warnings(stream);
  put_velocities(stream, content->judged);
  put_flows(stream, content->judged);
  HT_TRY(put_pictures(stream, folder, content));
  fputs("</main>\n", stream);
  snprintf(made, sizeof made, "hemotile %s (%s).", ht_version(), ht_commit());
  ht_page_end(stream, made);
  return HT_OK;
}

ht_status ht_judge_page_write(const char *folder, const ht_judge_content *content) {
  char path[HT_PATH_MAX];
  ht_output output;
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_PAGE));
  HT_TRY(ht_output_open(path, &output));
  return ht_output_end(&output, put_page(output.stream, folder, content));
}
