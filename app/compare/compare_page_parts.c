#include "app/compare/compare_page_parts.h"
#include "app/compare/compare_table.h"
#include "export/report/page_text.h"
#include "run/process/console.h"
#include <string.h>

void ht_page_put(FILE *stream, const char *before, const char *text, const char *after) {
  fputs(before, stream);
  ht_page_put_text(stream, text);
  fputs(after, stream);
}

void ht_page_table_begin(FILE *stream, const char *caption) {
  ht_page_put(stream, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", caption,
              "\"><table>");
  ht_page_put(stream, "<caption>", caption, "</caption>\n<thead><tr>");
}

void ht_page_table_rows(FILE *stream) {
  fputs("</tr></thead>\n<tbody>\n", stream);
}

void ht_page_table_end(FILE *stream) {
  fputs("</tbody></table></div>\n", stream);
}

void ht_page_put_head(FILE *stream, const char *text, int is_number) {
  ht_page_put(stream, is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", text,
              "</th>");
}

void ht_page_put_number(FILE *stream, double value, int digits, int is_difference) {
  char text[24];
  ht_compare_text(value, digits, is_difference, text);
  ht_page_put(stream, "<td class=\"n\">", text, "</td>");
}

/* Writes a warning, with what is to be typed as code. */
static void put_warning(FILE *stream, const char *text) {
  char part[HT_WARNING_LENGTH];
  fputs("<li>", stream);
  for (int is_code = 0; *text; is_code = !is_code) {
    size_t length = strcspn(text, "`");
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    ht_page_put(stream, is_code ? "<code>" : "", part, is_code ? "</code>" : "");
    text += length + (text[length] == '`');
  }
  fputs(".</li>\n", stream);
}

void ht_page_put_warnings(FILE *stream) {
  fputs("<h2>Warnings</h2>\n", stream);
  if (ht_console_warnings() == 0) fputs("<p>None.</p>\n", stream);
  if (ht_console_warnings() > 0) fputs("<ol class=\"warn\">\n", stream);
  for (int w = 0; w < ht_console_warnings(); w++) put_warning(stream, ht_console_warning(w));
  if (ht_console_warnings() > 0) fputs("</ol>\n", stream);
}
