#include "core/text/words.h"
#include "core/text/utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int ht_word_find(const char *const *words, const char *text, size_t length) {
  for (int i = 0; words[i]; i++)
    if (strlen(words[i]) == length && strncmp(words[i], text, length) == 0) return i;
  return -1;
}

void ht_word_list(const char *const *words, const char *between, char *text, size_t size) {
  text[0] = 0;
  for (int i = 0; words[i]; i++) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", i ? between : "", words[i]);
  }
}

void ht_words_wrap(FILE *stream, const char *text, int column, int indent) {
  while (*text) {
    const int length = (int)strcspn(text, " ");
    if (column + 1 + length > HT_WRAP_COLUMNS) {
      fprintf(stream, "\n%*s", indent, "");
      column = indent;
    } else {
      fputc(' ', stream);
      column++;
    }
    fprintf(stream, "%.*s", length, text);
    column += length;
    text += length + (text[length] == ' ');
  }
  fputc('\n', stream);
}

/* Returns 1 for U+0000 to U+001F and U+007F to U+009F: names go to terminals, pictures and
 * files. */
static int is_control(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  return *c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

int ht_text_has_control(const char *text) {
  for (; *text; text++)
    if (is_control(text)) return 1;
  return 0;
}

void ht_text_copy(const char *from, char *to, size_t size) {
  size_t used = 0;
  while (*from) {
    int bytes = ht_utf8_bytes(from), is_kept = bytes > 0 && !is_control(from);
    size_t wanted = is_kept ? (size_t)bytes : 1;
    if (used + wanted >= size) break;
    memcpy(to + used, is_kept ? from : "_", wanted);
    used += wanted;
    from += bytes > 0 ? bytes : 1;
  }
  to[used] = 0;
}

void ht_duration_words(double seconds, char text[32]) {
  if (seconds < 90)
    snprintf(text, 32, "%.0f s", ceil(seconds));
  else if (seconds < 5400)
    snprintf(text, 32, "%.0f minutes", seconds / 60);
  else
    snprintf(text, 32, "%.1f hours", seconds / 3600);
}

ht_memory_text ht_memory_words(double bytes) {
  static const double unit[] = {1e9, 1e6, 1e3};
  static const char *const names[] = {"GB", "MB", "kB"};
  ht_memory_text words;
  int u = bytes >= unit[0] ? 0 : bytes >= unit[1] ? 1 : 2;
  double value = bytes / unit[u];
  int digits = u == 2 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  snprintf(words.text, sizeof words.text, "%.*f %s", digits, value, names[u]);
  return words;
}
