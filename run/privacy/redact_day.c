/* Finds days in the forms in which people write them. */
#define _POSIX_C_SOURCE 200809L
#include "run/privacy/redact.h"
#include "run/privacy/redact_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 3, BETWEEN_MOST = 3, MONTHS = 12, MONTH_LETTERS_LEAST = 3 };

typedef struct {
  int year, month, day;
} date;

static struct {
  int count, room;
  date *date;
} hidden;

int ht_redact_has_days(void) {
  return hidden.count > 0;
}

void ht_redact_no_days(void) {
  free(hidden.date);
  memset(&hidden, 0, sizeof hidden);
}

/* Returns 1 for a hidden day. A year of two digits stands for every century. */
static int is_hidden(int year, int year_digits, int month, int day) {
  for (int i = 0; i < hidden.count; i++) {
    const date *one = &hidden.date[i];
    int same_year =
        year_digits == 4 ? year == one->year : year_digits == 2 && year == one->year % 100;
    if (same_year && month == one->month && day == one->day) return 1;
  }
  return 0;
}

int ht_redact_days(void) {
  return hidden.count;
}

void ht_redact_day(int number, struct tm *day) {
  const date *one = &hidden.date[number];
  *day = (struct tm){.tm_year = one->year - 1900, .tm_mon = one->month - 1, .tm_mday = one->day};
}

void ht_redact_date(const char *text) {
  date one;
  if (strlen(text) != 8 || strspn(text, "0123456789") != 8 ||
      sscanf(text, "%4d%2d%2d", &one.year, &one.month, &one.day) != 3 || one.month < 1 ||
      one.month > 12 || one.day < 1 || is_hidden(one.year, 4, one.month, one.day))
    return;
  if (ht_redact_grow((void **)&hidden.date, hidden.count, &hidden.room, sizeof one))
    hidden.date[hidden.count++] = one;
}

/* ---- Without signs between ---- */

static int value_of(const ht_folded *digit, int count) {
  int value = 0;
  for (int i = 0; i < count; i++) value = 10 * value + digit[i].letter - '0';
  return value;
}

static int digits_at(const ht_folded *text, int letters, int at) {
  int end = at;
  while (end < letters && text[end].kind == HT_DIGIT) end++;
  return end - at;
}

/* Finds YYYYMMDD (a time of day may follow), DDMMYYYY, MMDDYYYY, and with two digits of the
 * year. */
static int compact_at(const ht_folded *text, int letters, int at) {
  int digits = digits_at(text, letters, at), y = digits == 6 ? 2 : 4;
  if (digits != 6 && digits != 8 && digits != 12 && digits != 14) return 0;
  const ht_folded *d = text + at;
  int found = is_hidden(value_of(d, y), y, value_of(d + y, 2), value_of(d + y + 2, 2));
  if (digits <= 8) {
    int one = value_of(d, 2), two = value_of(d + 2, 2), year = value_of(d + 4, y);
    found |= is_hidden(year, y, two, one) || is_hidden(year, y, one, two);
  }
  return found ? at + digits : 0;
}

/* ---- With signs, or a month's name ---- */

typedef struct {
  int value, digits; /* digits 0: a month by its name */
} field;

/* Finds "apr", "april": the month, in English or a language with the same name. */
static int month_named(const ht_folded *text, int letters, int at, int *length) {
  static const char *const names[MONTHS] = {"january",   "february", "march",    "april",
                                            "may",       "june",     "july",     "august",
                                            "september", "october",  "november", "december"};
  char word[16] = "";
  *length = 0;
  while (at + *length < letters && text[at + *length].kind == HT_LETTER) {
    int32_t letter = text[at + *length].letter;
    if (*length == (int)sizeof word - 1 || letter >= 0x80) return 0;
    word[(*length)++] = (char)letter;
  }
  if (*length < MONTH_LETTERS_LEAST) return 0;
  for (int m = 0; m < MONTHS; m++)
    if (strncmp(names[m], word, (size_t)*length) == 0) return m + 1;
  return 0;
}

/* Returns the end of the field; 0 where there is none. */
static int field_at(const ht_folded *text, int letters, int at, field *one) {
  int length = digits_at(text, letters, at);
  one->digits = length;
  one->value = length > 4 ? 0 : value_of(text + at, length);
  if (length == 0) one->value = month_named(text, letters, at, &length);
  return one->value > 0 || one->digits == 2 ? at + length : 0;
}

static int is_hidden_in_any_order(const field f[FIELDS]) {
  static const int orders[][FIELDS] = {{0, 1, 2}, {2, 1, 0}, {2, 0, 1}}; /* of year, month, day */
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
    const field *year = &f[orders[o][0]], *month = &f[orders[o][1]], *day = &f[orders[o][2]];
    if (day->digits > 0 && is_hidden(year->value, year->digits, month->value, day->value)) return 1;
  }
  return 0;
}

static int written_at(const ht_folded *text, int letters, int at) {
  field f[FIELDS];
  for (int i = 0; i < FIELDS; i++) {
    int begin = at;
    while (i > 0 && at < letters && at < begin + BETWEEN_MOST && text[at].kind == HT_BETWEEN) at++;
    if (at == letters || (at = field_at(text, letters, at, &f[i])) == 0) return 0;
  }
  int goes_on = at < letters && ht_letters_go_on(&text[at - 1], &text[at]);
  return !goes_on && is_hidden_in_any_order(f) ? at : 0;
}

int ht_redact_day_at(const ht_folded *text, int letters, int at) {
  if (hidden.count == 0) return 0;
  int compact = compact_at(text, letters, at);
  return compact ? compact : written_at(text, letters, at);
}
