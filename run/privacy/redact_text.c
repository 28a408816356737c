#define _GNU_SOURCE
#include "run/privacy/redact.h"
#include "run/privacy/redact_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WORD_LETTERS = 256,
  LETTERS_LEAST = 3,
  FREE_LETTERS_LEAST = 2,
  BETWEEN_MOST = 3, /* most signs between the parts of a word */
  JOINT = -1,
};

/* A word's letters, with JOINT between its parts. */
typedef struct {
  int count;
  int32_t letter[WORD_LETTERS];
} hidden_word;

static struct {
  int count, room;
  hidden_word *word;
} hidden;

void ht_redact_nothing(void) {
  free(hidden.word);
  memset(&hidden, 0, sizeof hidden);
  ht_redact_no_days();
  ht_redact_no_paths();
  ht_redact_allow_nothing();
}

int ht_redact_words(void) {
  return hidden.count;
}

int ht_redact_word_at(int number, int32_t *letter, int most) {
  const hidden_word *word = &hidden.word[number];
  int count = 0;
  for (int i = 0; i < word->count && count < most; i++)
    if (word->letter[i] != JOINT) letter[count++] = word->letter[i];
  return count;
}

/* ---- Words ---- */

/* Returns 1 for a '0' at the start of a number that has HT_REDACT_DIGITS_LEAST digits after it. */
static int is_leading_zero(const ht_folded *text, int letters, int at) {
  int end = at;
  if (text[at].letter != '0' || (at > 0 && text[at - 1].kind == HT_DIGIT)) return 0;
  while (end < letters && text[end].letter == '0') end++;
  int zeros = end - at;
  while (end < letters && text[end].kind == HT_DIGIT) end++;
  return end - at - zeros >= HT_REDACT_DIGITS_LEAST ? zeros : 0;
}

static hidden_word word_of(const ht_folded *text, int letters) {
  hidden_word word = {0};
  ht_letter_kind last = HT_BETWEEN;
  for (int i = 0; i < letters && word.count + 2 < WORD_LETTERS; i++) {
    int zeros = is_leading_zero(text, letters, i);
    if (zeros > 0) i += zeros;
    int meet = last == HT_BETWEEN || (last == HT_DIGIT) != (text[i].kind == HT_DIGIT);
    last = text[i].kind;
    if (last == HT_BETWEEN) continue;
    if (meet && word.count > 0) word.letter[word.count++] = JOINT;
    word.letter[word.count++] = text[i].letter;
  }
  return word;
}

static int is_in_any_text(const ht_folded *text, int letters) {
  int count = 0, digits = 0, free_letters = 0;
  for (int i = 0; i < letters; i++) {
    count += text[i].kind != HT_BETWEEN;
    digits += text[i].kind == HT_DIGIT;
    free_letters += text[i].kind == HT_FREE_LETTER;
  }
  return count < (digits == count ? HT_REDACT_DIGITS_LEAST
                  : free_letters  ? FREE_LETTERS_LEAST
                                  : LETTERS_LEAST);
}

static void keep(const hidden_word *word) {
  size_t bytes = (size_t)word->count * sizeof *word->letter;
  for (int i = 0; i < hidden.count; i++)
    if (hidden.word[i].count == word->count &&
        memcmp(hidden.word[i].letter, word->letter, bytes) == 0)
      return;
  if (ht_redact_grow((void **)&hidden.word, hidden.count, &hidden.room, sizeof *word))
    hidden.word[hidden.count++] = *word;
}

void ht_redact_word(const char *text, size_t length) {
  for (int way = 0; way < HT_FOLD_WAYS; way++) {
    int letters;
    ht_folded *folded = ht_fold(text, length, (ht_fold_way)way, &letters);
    if (folded && !is_in_any_text(folded, letters)) {
      hidden_word word = word_of(folded, letters);
      keep(&word);
    }
    free(folded);
  }
}

/* ---- Finding them ---- */

static int is_apostrophe(const ht_folded *letter) {
  return letter->letter == '\'' || letter->letter == '`' || letter->letter == 0xb4;
}

static int skip_between(const ht_folded *text, int letters, int at) {
  int end = at;
  while (end < letters && end < at + BETWEEN_MOST && text[end].kind == HT_BETWEEN) end++;
  return end;
}

/* Returns the end of the word that begins there; 0: another word does. */
static int word_at(const ht_folded *text, int letters, int at, const hidden_word *word) {
  int t = at;
  for (int i = 0; i < word->count; i++) {
    if (word->letter[i] == JOINT) {
      t = skip_between(text, letters, t);
      continue;
    }
    while (i > 0 && t < letters && is_apostrophe(&text[t])) t++;
    if (t < letters && word->letter[i] != '0') t += is_leading_zero(text, letters, t);
    if (t == letters || text[t].letter != word->letter[i]) return 0;
    t++;
  }
  return t < letters && ht_letters_go_on(&text[t - 1], &text[t]) ? 0 : t;
}

/* Returns the longest, so that a whole name is removed before its parts. */
static int longest_at(const ht_folded *text, int letters, int at) {
  int end = ht_redact_day_at(text, letters, at);
  for (int i = 0; i < hidden.count; i++) {
    int other = word_at(text, letters, at, &hidden.word[i]);
    if (other > end) end = other;
  }
  return end;
}

/* ---- Removing them ---- */

enum { STAYS, BEGINS, GOES_ON }; /* of a byte: a removed part begins there, or continues */

static void mark(char *bytes, int from, int to) {
  if (bytes[from] == STAYS) bytes[from] = BEGINS;
  for (int i = from + 1; i < to; i++) bytes[i] = GOES_ON;
}

static int mark_words(const char *text, size_t length, ht_fold_way way, char *bytes) {
  int letters, found = 0;
  ht_folded *folded = ht_fold(text, length, way, &letters);
  for (int at = 0; folded && at < letters;) {
    int begins = folded[at].kind != HT_BETWEEN &&
                 (at == 0 || !ht_letters_go_on(&folded[at - 1], &folded[at]));
    int end = begins ? longest_at(folded, letters, at) : 0;
    if (end > 0) mark(bytes, folded[at].from, folded[end - 1].to), found = 1;
    at = end > 0 ? end : at + 1;
  }
  if (!folded) mark(bytes, 0, (int)length), found = 1;
  free(folded);
  return found;
}

/* Starts of hemotile's own lines; '#' stands for a number too short to be removed. */
static const char *const own_start[] = {
    "warning: ", "hemotile: error: ", "hemotile: ", "hemotile "};

/* Removes the marks in a range, unless a marked part crosses its border. */
static void unmark(char *bytes, size_t from, size_t to, size_t length) {
  if (bytes[from] != GOES_ON && (to == length || bytes[to] != GOES_ON))
    memset(bytes + from, STAYS, to - from);
}

static void unmark_own(const char *text, size_t length, char *bytes) {
  for (size_t i = 0; i < sizeof own_start / sizeof *own_start; i++) {
    size_t own = ht_own_length(text, own_start[i]);
    if (own > 0) unmark(bytes, 0, own, length);
  }
  for (size_t at = 0; at < length; at++) {
    if (at > 0 && (ht_redact_is_of_name(text[at - 1]) || text[at - 1] == '.')) continue;
    for (size_t i = 0; ht_own_names[i]; i++) {
      size_t end = at + ht_own_length(text + at, ht_own_names[i]);
      if (end == at || ht_redact_is_of_name(text[end])) continue;
      if (!(text[end] == '.' && ht_redact_is_of_name(text[end + 1])))
        unmark(bytes, at, end, length);
    }
  }
}

static void write_rest(const char *from, const char *bytes, size_t length, char *text,
                       size_t size) {
  static const char removed[] = "[removed]";
  size_t end = 0;
  for (size_t i = 0; i < length; i++) {
    if (bytes[i] == BEGINS)
      for (const char *c = removed; *c && end + 1 < size; c++) text[end++] = *c;
    if (bytes[i] == STAYS && end + 1 < size) text[end++] = from[i];
  }
  text[end] = 0;
}

int ht_redact_name(char *text, size_t size) {
  size_t length = strlen(text);
  if (length == 0 || (hidden.count == 0 && !ht_redact_has_days())) return 0;
  char *copy = strdup(text), *bytes = calloc(length, 1);
  int found = 0;
  for (int way = 0; copy && bytes && way < HT_FOLD_WAYS; way++)
    found |= mark_words(copy, length, (ht_fold_way)way, bytes);
  if (found) {
    unmark_own(copy, length, bytes);
    found = memchr(bytes, BEGINS, length) != NULL;
  }
  if (found) write_rest(copy, bytes, length, text, size);
  if (!copy || !bytes) snprintf(text, size, "[no memory]"), found = 1;
  free(copy);
  free(bytes);
  return found;
}

int ht_redact(char *text, size_t size) {
  if (ht_redact_keeps()) return ht_redact_quoted(text, size);
  int found = ht_redact_paths(text, size);
  found |= ht_redact_quoted(text, size);
  return ht_redact_name(text, size) || found;
}
