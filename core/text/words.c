#include "words.h"
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

/* Names go to terminals, pictures and files: U+0000 to U+001F, U+007F to U+009F. */
int ht_text_has_control(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)) return 1;
  return 0;
}

void ht_duration_words(double seconds, char text[32]) {
  if (seconds < 90)
    snprintf(text, 32, "%.0f s", ceil(seconds));
  else if (seconds < 5400)
    snprintf(text, 32, "%.0f minutes", seconds / 60);
  else
    snprintf(text, 32, "%.1f hours", seconds / 3600);
}
