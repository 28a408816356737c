#include "app/compare/compare_page.h"
#include "app/compare/compare_page_parts.h"
#include "core/disk/file.h"
#include "export/report/page_picture.h"
#include "export/report/page_text.h"
#include "core/version.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sections ---- */

static const char *text_or(const char *text, const char *other) {
  return text ? text : other;
}

static void put_cases(FILE *stream, const ht_compare_page *page) {
  ht_page_table_begin(stream, "Cases; the first is the reference");
  static const char *const heads[] = {"Case",          "Name",  "From",
                                      "Computed with", "State", "Warnings of its own"};
  for (int h = 0; h < 6; h++) ht_page_put_head(stream, heads[h], 0);
  ht_page_table_rows(stream);
  for (int c = 0; c < page->cases; c++) {
    const ht_compared_case *one = &page->one[c];
    const char *steady = text_or(ht_value_text(&one->numbers, "steady"), "");
    int is_good = strcmp(steady, "true") == 0;
    ht_page_put(stream, "<tr><th scope=\"row\">", one->label, "</th>");
    if (one->is_foreign) {
      fputs("<td colspan=\"5\">the wall of another program</td></tr>\n", stream);
      continue;
    }
    ht_page_put(stream, "<td>", text_or(ht_value_text(&one->numbers, "name"), ""), "</td>");
    ht_page_put(stream, "<td>", text_or(ht_value_text(&one->record, "input.path"), "not known"),
                "</td>");
    ht_page_put(stream, "<td>hemotile ", text_or(ht_value_text(&one->record, "hemotile"), "?"), "");
    ht_page_put(stream, " (", text_or(ht_value_text(&one->record, "commit"), "?"), ")</td>");
    fprintf(stream, "<td>%s</td>",
            ht_value_text(&one->numbers, "averages.samples") ? "means of a flow that never settles"
            : !is_good                                       ? "<strong>not steady</strong>"
            : ht_value_text(&one->numbers, "flow.period_s")  ? "repeats"
                                                             : "steady");
    ht_page_put(stream, "<td class=\"n\">", text_or(ht_value_text(&one->numbers, "warnings"), ""),
                "</td></tr>\n");
  }
  ht_page_table_end(stream);
}

static void put_settings(FILE *stream, const ht_compare_page *page) {
  fputs("<h2>Settings that differ</h2>\n", stream);
  if (page->settings->rows == 0) {
    ht_page_put(stream, "<p>None: ", ht_setting_none(page->one, page->cases), ".</p>\n");
    return;
  }
  ht_page_table_begin(stream, "As in case.yaml");
  ht_page_put_head(stream, "Setting", 0);
  for (int c = 0; c < page->cases; c++) ht_page_put_head(stream, page->one[c].label, 0);
  ht_page_table_rows(stream);
  for (int r = 0; r < page->settings->rows; r++) {
    const ht_setting_row *row = &page->settings->row[r];
    ht_page_put(stream, "<tr><th scope=\"row\">", row->name, "</th>");
    for (int c = 0; c < page->cases; c++) {
      char text[HT_COMPARE_VALUE];
      ht_page_put(stream, "<td>", ht_setting_text(row, c, text), "</td>");
    }
    fputs("</tr>\n", stream);
  }
  ht_page_table_end(stream);
}

/* Rows that a table shows. */
typedef enum { MAIN_NUMBERS, MAP_NUMBERS, ALL_NUMBERS } row_kind;

static int is_shown(const ht_compare_row *row, row_kind kind) {
  if (kind == ALL_NUMBERS) return 1;
  return row->words[0] && row->is_pair == (kind == MAP_NUMBERS);
}

static void put_row(FILE *stream, const ht_compare_page *page, const ht_compare_row *row,
                    row_kind kind) {
  ht_page_put(stream, "<tr><th scope=\"row\">", kind == ALL_NUMBERS ? row->name : row->words,
              "</th>");
  if (kind != MAP_NUMBERS) ht_page_put_number(stream, row->value[0], 4, 0);
  for (int c = 1; c < page->cases; c++) {
    ht_page_put_number(stream, row->value[c], 4, 0);
    if (kind == MAP_NUMBERS) continue;
    ht_page_put_number(stream, ht_compare_difference(row, c), 3, 1);
    ht_page_put_number(stream, ht_compare_percent(row, c), 3, 1);
  }
  fputs("</tr>\n", stream);
}

static void put_rows(FILE *stream, const ht_compare_page *page, row_kind kind,
                     const char *caption) {
  ht_page_table_begin(stream, caption);
  ht_page_put_head(stream, "Number", 0);
  if (kind != MAP_NUMBERS) ht_page_put_head(stream, page->one[0].label, 1);
  for (int c = 1; c < page->cases; c++) {
    ht_page_put_head(stream, page->one[c].label, 1);
    if (kind == MAP_NUMBERS) continue;
    ht_page_put_head(stream, "Difference", 1);
    ht_page_put_head(stream, "%", 1);
  }
  ht_page_table_rows(stream);
  for (int r = 0; r < page->table->rows; r++)
    if (is_shown(&page->table->row[r], kind)) put_row(stream, page, &page->table->row[r], kind);
  ht_page_table_end(stream);
}

/* ---- the wall ---- */

void ht_compare_picture_name(const ht_compared_case *other, ht_wall_number number, char name[96]) {
  snprintf(name, 96, "difference_%s_%s.png", ht_wall_number_kinds[number].key, other->label);
}

static ht_status put_pictures(FILE *stream, const ht_compare_page *page, int c) {
  const ht_compared_case *other = &page->one[c];
  fputs("<div class=\"pictures\">\n", stream);
  for (int n = 0; n < HT_WALL_NUMBERS; n++) {
    char file[96], path[HT_PATH_MAX], title[160], caption[300];
    if (!page->map[c].other[n]) continue;
    ht_compare_picture_name(other, (ht_wall_number)n, file);
    HT_TRY(ht_path_join(path, page->folder, file));
    snprintf(title, sizeof title, "%s and %s, %s", page->one[0].label, other->label,
             ht_wall_number_kinds[n].words);
    snprintf(caption, sizeof caption,
             "%s, %s in the same colours, and the difference on the wall of %s (red: %s has more). "
             "Magenta: not common.",
             page->one[0].label, other->label, page->one[0].label, other->label);
    HT_TRY(ht_page_put_figure(stream, path, title, caption));
  }
  fputs("</div>\n", stream);
  return HT_OK;
}

static ht_status put_wall(FILE *stream, const ht_compare_page *page) {
  if (!page->map) {
    fputs("<h2>The wall</h2>\n<p>The walls were not compared (<code>--numbers</code>).</p>\n",
          stream);
    return HT_OK;
  }
  fputs("<h2>The wall</h2>\n<p>Each point of the wall of ", stream);
  ht_page_put_text(stream, page->one[0].label);
  fprintf(stream,
          " has the value of the nearest place of the other wall, both where the scanner has them "
          "(LPS). Farther than %.3g mm away the walls are not common: there is no value, and such "
          "places count nowhere. Differences are the other case less the reference. Means and "
          "percentiles are by area.</p>\n",
          page->map[1].reach_mm);
  put_rows(stream, page, MAP_NUMBERS, "On the common wall");
  for (int c = 1; c < page->cases; c++) HT_TRY(put_pictures(stream, page, c));
  return HT_OK;
}

static ht_status put_page(FILE *stream, const ht_compare_page *page) {
  char heading[HT_COMPARED_MAX * (HT_COMPARED_LABEL + 8)] = "", title[600], made[200];
  size_t length = 0;
  for (int c = 0; c < page->cases; c++)
    length += (size_t)snprintf(heading + length, sizeof heading - length, "%s%s",
                               c == 0                ? ""
                               : c + 1 < page->cases ? ", "
                                                     : " and ",
                               page->one[c].label);
  snprintf(title, sizeof title, "%s: hemotile comparison", heading);
  ht_page_begin(stream, title, heading);
  fprintf(stream,
          "<p class=\"origin\">%d cases compared. Differences and per cent are against the first, "
          "the reference. All numbers are in <code>comparison.csv</code> next to this "
          "file%s.</p>\n</header>\n<main>\n",
          page->cases,
          page->map ? ", the values on the wall in <code>wall_difference_*.vtp</code>" : "");
  put_cases(stream, page);
  ht_page_put_warnings(stream);
  put_settings(stream, page);
  fputs("<h2>Main numbers</h2>\n", stream);
  put_rows(stream, page, MAIN_NUMBERS, "Pressures are gauge");
  HT_TRY(put_wall(stream, page));
  fputs("<h2>All numbers</h2>\n<details><summary>Every number that two of the cases have</summary>",
        stream);
  put_rows(stream, page, ALL_NUMBERS, "By their names in summary.csv; the unit ends the name");
  fputs("</details>\n</main>\n", stream);
  snprintf(made, sizeof made, "hemotile %s (%s).", ht_version(), ht_commit());
  ht_page_end(stream, made);
  return HT_OK;
}

ht_status ht_compare_page_write(const char *path, const ht_compare_page *page) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  return ht_output_end(&output, put_page(output.stream, page));
}
