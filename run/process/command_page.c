#include "run/process/command_page.h"

void ht_command_page_help(FILE *stream, const ht_command_page *page) {
  fprintf(stream, "hemotile %s: %s\n\nusage: hemotile %s%s%s [options]\n\n%s\n\n", page->name,
          page->summary, page->name, page->operand ? " " : "", page->operand ? page->operand : "",
          page->text);
  if (page->list) {
    page->list(stream);
    fputc('\n', stream);
  }
  fputs("options:\n", stream);
  ht_options_help(stream, &page->table);
  if (page->after) fprintf(stream, "\n%s\n", page->after);
  if (page->example) fprintf(stream, "\nexample:\n%s\n", page->example);
}
