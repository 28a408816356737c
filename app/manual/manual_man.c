#define _POSIX_C_SOURCE 200809L
#include "app/manual/manual.h"
#include "core/version.h"
#include <stdlib.h>
#include <string.h>

/* Writes a text so that man finds no request in it. A line end stays one where `breaks`, else it
 * becomes a space. */
static void put_text(FILE *stream, const char *text, int breaks) {
  int begins = 1; /* 1: at the beginning of a line */
  for (const char *c = text; *c; c++) {
    int ends = *c == '\n';
    if (begins && (*c == '.' || *c == '\'')) fputs("\\&", stream);
    if (*c == '\\')
      fputs("\\e", stream);
    else if (*c == '-')
      fputs("\\-", stream);
    else if (ends && !breaks)
      fputs(c[1] == '\n' ? "\n.PP" : begins ? "" : "\n", stream);
    else
      fputc(*c, stream);
    if (ends && !breaks && c[1] == '\n') {
      fputc('\n', stream);
      c++;
    }
    begins = ends;
  }
}

static void put_lines(FILE *stream, const char *text) {
  fputs(".nf\n", stream);
  put_text(stream, text, 1);
  if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stream);
  fputs(".fi\n", stream);
}

static void put_option(FILE *stream, const ht_option_table *table, const ht_option *option) {
  char help[HT_OPTION_HELP];
  fputs(".TP\n.B ", stream);
  if (option->brief) {
    put_text(stream, option->brief, 0);
    fputs(", ", stream);
  }
  put_text(stream, option->name, 0);
  if (option->value) {
    fputs(" \\fI", stream);
    put_text(stream, option->value, 0);
    fputs("\\fR", stream);
  }
  fputc('\n', stream);
  ht_option_help(table, option, help);
  put_text(stream, help, 0);
  fputc('\n', stream);
}

/* Writes the output of a function, as lines. */
static void put_written(FILE *stream, void (*write)(FILE *)) {
  char *text = NULL;
  size_t length;
  FILE *memory = open_memstream(&text, &length);
  if (!memory) return;
  write(memory);
  fclose(memory);
  fputs(".PP\n", stream);
  put_lines(stream, text);
  free(text);
}

static void put_page(FILE *stream, const ht_command_page *page) {
  fputs(".SS hemotile ", stream);
  put_text(stream, page->name, 0);
  if (page->operand) {
    fputc(' ', stream);
    put_text(stream, page->operand, 0);
  }
  fputs(" [options]\n", stream);
  put_text(stream, page->summary, 0);
  fputs("\n.PP\n", stream);
  put_text(stream, page->text, 0);
  fputc('\n', stream);
  if (page->list) put_written(stream, page->list);
  for (const ht_option *one = page->table.options; one->name; one++)
    if (ht_page_takes(page, one) && strcmp(one->name, "--help") != 0)
      put_option(stream, &page->table, one);
  if (page->after) {
    fputs(".PP\n", stream);
    put_text(stream, page->after, 0);
    fputc('\n', stream);
  }
  if (!page->example) return;
  fputs(".PP\nExample:\n.PP\n", stream);
  put_lines(stream, page->example);
}

static void put_codes(FILE *stream) {
  enum { LAST = 255 };
  fputs(".SH EXIT STATUS\n", stream);
  for (int code = 0; code <= LAST; code++) {
    const char *name = ht_status_name((ht_status)code);
    if (strcmp(name, "unknown") == 0) continue;
    fprintf(stream, ".TP\n.B %d\n", code);
    put_text(stream, name, 0);
    fputc('\n', stream);
  }
}

static void put_places(FILE *stream) {
  fputs(".SH FILES\n"
        ".TP\n.I ~/.config/hemotile/salt\n"
        "The user's salt of the hashes that stand for a patient's number and a scan's path.\n"
        ".TP\n.I ~/.config/hemotile/copy_rate_*\n"
        "The speed of this machine's memory, measured once, by which a lattice fits into a time.\n"
        ".TP\n.I /usr/share/doc/hemotile/\n"
        "The pages about case files, results, messages, accuracy and speed; begin with\n"
        ".IR docs/README.md .\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B HEMOTILE_BROWSER\n"
        "The Chromium that prints the report as PDF for DICOM; empty: none.\n"
        ".TP\n.B XDG_CONFIG_HOME\n"
        "The folder that has\n.I hemotile/\nin place of\n.IR ~/.config .\n"
        ".SH NOTES\nNot for clinical decisions.\n",
        stream);
}

void ht_manual_man(FILE *stream, const ht_manual *manual) {
  fprintf(stream,
          ".\\\" Made by `hemotile help man`.\n"
          ".TH HEMOTILE 1 \"\" \"hemotile %s\" \"User Commands\"\n"
          ".SH NAME\nhemotile \\- ",
          ht_version());
  put_text(stream, manual->summary, 0);
  fputs("\n.SH SYNOPSIS\n.B hemotile\n.I COMMAND\n[\\fIoptions\\fR]\n.br\n"
        ".B hemotile\n.I COMMAND\n.B \\-\\-help\n.br\n.B hemotile \\-\\-version\n"
        ".SH DESCRIPTION\n"
        "Each command runs one stage, or all of them, on a case folder.\n"
        ".PP\n",
        stream);
  put_lines(stream, manual->example);
  fputs(".SH COMMANDS\n", stream);
  for (int i = 0; i < manual->pages; i++) put_page(stream, &manual->page[i]);
  if (manual->case_file) {
    fputs(".SH CASE FILE\n", stream);
    put_written(stream, manual->case_file);
  }
  put_codes(stream);
  put_places(stream);
}
