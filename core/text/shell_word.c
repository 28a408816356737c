#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "core/text/shell_word.h"
#include <string.h>

static int is_plain(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_./+@%:,=-";
  return *text && !text[strspn(text, plain)];
}

static int fits_double_quotes(const char *text) {
  return strchr(text, '\'') && !strpbrk(text, "\"$`\\!\n");
}

void ht_shell_put(FILE *stream, const char *text) {
  if (is_plain(text)) {
    fputs(text, stream);
    return;
  }
  if (fits_double_quotes(text)) {
    fprintf(stream, "\"%s\"", text);
    return;
  }
  fputc('\'', stream);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stream);
    else
      fputc(*text, stream);
  fputc('\'', stream);
}

void ht_shell_word(const char *text, char *word, size_t size) {
  snprintf(word, size, "%s", text);
  FILE *stream = fmemopen(word, size, "w");
  if (!stream) return; /* no memory */
  ht_shell_put(stream, text);
  fclose(stream);
  word[size - 1] = 0;
}
