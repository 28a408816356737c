#define _GNU_SOURCE
#include "redact.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Words ---- */

enum { WORDS_MAX = 8192, WORD_BYTES = 200, LETTERS_LEAST = 3, DIGITS_LEAST = 4 };

static struct {
  int count;
  char word[WORDS_MAX][WORD_BYTES];
} hidden;

static const char removed[] = "[removed]";

void ht_redact_nothing(void) {
  memset(&hidden, 0, sizeof hidden);
}

/* The longest first, so that a whole name goes before its parts. */
static int by_length(const void *left, const void *right) {
  size_t a = strlen(left), b = strlen(right);
  return (a < b) - (a > b);
}

void ht_redact_word(const char *text, size_t length) {
  char word[WORD_BYTES];
  int only_digits = strspn(text, "0123456789") >= length;
  if (length < (only_digits ? DIGITS_LEAST : LETTERS_LEAST) || length >= WORD_BYTES) return;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  for (int i = 0; i < hidden.count; i++)
    if (strcasecmp(hidden.word[i], word) == 0) return;
  if (hidden.count == WORDS_MAX) return;
  memcpy(hidden.word[hidden.count++], word, sizeof word);
  qsort(hidden.word, (size_t)hidden.count, sizeof *hidden.word, by_length);
}

/* ---- Taking them out ---- */

/* A letter beside a letter, or a digit beside a digit, goes on with the same word. */
static int goes_on(char a, char b) {
  unsigned char x = (unsigned char)a, y = (unsigned char)b;
  return (isalpha(x) && isalpha(y)) || (isdigit(x) && isdigit(y)) || (x >= 0x80 && y >= 0x80);
}

static char *find_word(char *text, char *from, const char *word) {
  size_t length = strlen(word);
  for (char *at = from; (at = strcasestr(at, word)); at++) {
    int begins = at == text || !goes_on(at[-1], at[0]);
    int ends = !at[length] || !goes_on(at[length - 1], at[length]);
    if (begins && ends) return at;
  }
  return NULL;
}

static void replace(char *text, size_t size, char *at, size_t length) {
  char rest[8192];
  snprintf(rest, sizeof rest, "%s", at + length);
  snprintf(at, size - (size_t)(at - text), "%s%s", removed, rest);
}

int ht_redact(char *text, size_t size) {
  int found = 0;
  for (int i = 0; i < hidden.count; i++) {
    char *at = text;
    while ((at = find_word(text, at, hidden.word[i]))) {
      replace(text, size, at, strlen(hidden.word[i]));
      size_t step = strlen(removed), left = strlen(at);
      at += step < left ? step : left;
      found = 1;
    }
  }
  return found;
}
