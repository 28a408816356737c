#include "words.h"
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
