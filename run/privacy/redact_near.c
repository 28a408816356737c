/* Checks whether a name that a person typed may hold the identity. */
#include "run/privacy/redact.h"
#include "run/privacy/redact_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAME_LETTERS = 512, EXACT_LEAST = 4, FREE_LEAST = 2, NEAR_LEAST = 6, NEAR_SHARED = 5 };

/* Keeps letters and digits alone: "Muster-mann", "xMustermann2". */
static int squeeze(const ht_folded *from, int letters, int32_t to[NAME_LETTERS], int *digits) {
  int count = 0;
  *digits = 0;
  for (int i = 0; i < letters && count < NAME_LETTERS; i++) {
    if (from[i].kind == HT_BETWEEN) continue;
    *digits += from[i].kind == HT_DIGIT;
    to[count++] = from[i].letter;
  }
  return count;
}

static int longest_shared(const int32_t *a, int of_a, const int32_t *b, int of_b) {
  int best = 0;
  for (int i = 0; i < of_a; i++)
    for (int k = 0; k < of_b; k++) {
      int n = 0;
      while (i + n < of_a && k + n < of_b && a[i + n] == b[k + n]) n++;
      if (n > best) best = n;
    }
  return best;
}

static int has_free_letter(const int32_t *word, int count) {
  for (int i = 0; i < count; i++)
    if (word[i] >= 0x2e80) return 1; /* Chinese, Japanese, Korean */
  return 0;
}

/* Returns 1 for a near match. A word of some letters counts where it stands in the name, a longer
 * one also where two thirds of it do: "McDonald" for MacDonald. */
static int is_near(const int32_t *name, int letters, const int32_t *word, int count) {
  const int shared = longest_shared(name, letters, word, count);
  if (count >= NEAR_LEAST) {
    const int wanted = 2 * count / 3 + 1;
    return shared >= (wanted > NEAR_SHARED ? wanted : NEAR_SHARED);
  }
  return shared == count && count >= (has_free_letter(word, count) ? FREE_LEAST : EXACT_LEAST);
}

static int holds_word(const ht_folded *folded, int letters) {
  int32_t name[NAME_LETTERS], word[NAME_LETTERS];
  int digits;
  const int count = squeeze(folded, letters, name, &digits);
  for (int w = 0; w < ht_redact_words(); w++)
    if (is_near(name, count, word, ht_redact_word_at(w, word, NAME_LETTERS))) return 1;
  return 0;
}

/* Digits of a name in one piece, and as the numbers that they form. */
typedef struct {
  char digits[NAME_LETTERS + 1];
  int value[NAME_LETTERS], length[NAME_LETTERS], count;
} numbers;

static void find_numbers(const ht_folded *folded, int letters, numbers *to) {
  int all = 0, goes_on = 0;
  to->count = 0;
  for (int i = 0; i < letters && all < NAME_LETTERS; i++) {
    const int is_digit = folded[i].kind == HT_DIGIT;
    if (is_digit) {
      if (!goes_on) to->value[to->count] = to->length[to->count] = 0, to->count++;
      const int last = to->count - 1, digit = folded[i].letter - '0';
      if (++to->length[last] <= 4) to->value[last] = 10 * to->value[last] + digit;
      to->digits[all++] = (char)folded[i].letter;
    }
    goes_on = is_digit;
  }
  to->digits[all] = 0;
}

static int has_number(const numbers *of, int value, int most_digits) {
  for (int i = 0; i < of->count; i++)
    if (of->value[i] == value && of->length[i] <= most_digits) return 1;
  return 0;
}

/* Finds day, month and year in any order and with any signs, the month also as a word of any
 * language. */
static int holds_day(const ht_folded *folded, int letters) {
  static const char *const orders[] = {"%Y%m%d", "%d%m%Y", "%m%d%Y", "%y%m%d", "%d%m%y", "%m%d%y"};
  numbers of;
  find_numbers(folded, letters, &of);
  for (int d = 0; d < ht_redact_days(); d++) {
    struct tm day = {0};
    char text[16];
    ht_redact_day(d, &day);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
      if (strftime(text, sizeof text, orders[o], &day) > 0 && strstr(of.digits, text)) return 1;
    const int year = day.tm_year + 1900;
    if (has_number(&of, day.tm_mday, 2) &&
        (has_number(&of, year, 4) || (of.count > 1 && has_number(&of, year % 100, 2))))
      return 1;
  }
  return 0;
}

int ht_redact_holds(const char *name) {
  int found = 0;
  for (int way = 0; way < HT_FOLD_WAYS && !found; way++) {
    int letters;
    ht_folded *folded = ht_fold(name, strlen(name), (ht_fold_way)way, &letters);
    found = !folded || holds_word(folded, letters) || holds_day(folded, letters);
    free(folded);
  }
  char copy[NAME_LETTERS];
  snprintf(copy, sizeof copy, "%.*s", NAME_LETTERS - 1, name);
  return found || ht_redact_name(copy, sizeof copy);
}
