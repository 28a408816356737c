#include "import/common/import_note.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char *text, size_t size, const char *between, const char *line) {
  size_t used = strlen(text);
  if (used + strlen(line) + strlen(between) + 1 > size) return;
  snprintf(text + used, size - used, "%s%s", used ? between : "", line);
}

void ht_import_note(ht_import_notes *notes, const char *format, ...) {
  char line[512];
  va_list arguments;
  if (!notes) return;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  add(notes->text, sizeof notes->text, "\n", line);
}

void ht_import_warn(ht_import_notes *notes, const char *format, ...) {
  char line[sizeof notes->warning];
  va_list arguments;
  if (!notes) return;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  add(notes->warning, sizeof notes->warning, "; ", line);
}
