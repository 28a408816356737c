#include "import_note.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ht_import_note(ht_import_notes *notes, const char *format, ...) {
  char line[512];
  va_list arguments;
  if (!notes) return;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  size_t used = strlen(notes->text), size = sizeof notes->text;
  if (used + strlen(line) + 2 > size) return;
  snprintf(notes->text + used, size - used, "%s%s", used ? "\n" : "", line);
}
