#include "run/process/options.h"
#include "core/text/suggest.h"
#include "core/text/words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_taken(const ht_option_table *table, const ht_option *option) {
  return !option->group || (table->groups & option->group);
}

/* ---- values ---- */

static ht_status bad_word(const ht_option *option, const char *text, size_t length,
                          const char *more) {
  char list[128];
  ht_word_list(option->words, ", ", list, sizeof list);
  return ht_fail(HT_ERR_USAGE, "%s is '%.*s'; allowed is %s%s", option->name, (int)length, text,
                 list, more);
}

static ht_status set_word(const ht_option *option, const char *text, int *value) {
  int k = ht_word_find(option->words, text, strlen(text));
  if (k < 0) return bad_word(option, text, strlen(text), "");
  *value = k;
  return HT_OK;
}

static ht_status set_words(const ht_option *option, const char *text, unsigned *bits) {
  *bits = 0;
  while (1) {
    size_t length = strcspn(text, ",");
    int k = ht_word_find(option->words, text, length);
    if (k < 0 && !(length == 3 && strncmp(text, "all", 3) == 0))
      return bad_word(option, text, length, " or all");
    *bits |= k < 0 ? ~0u : 1u << k;
    if (!text[length]) return HT_OK;
    text += length + 1;
  }
}

static ht_status set_number(const ht_option *option, const char *text, double *value) {
  char *end;
  int whole = option->type == HT_OPTION_INTEGER;
  *value = strtod(text, &end);
  int is_number = *text && *end == 0 && strspn(text, "0123456789+-.eE") == strlen(text);
  if (is_number && ht_range_holds(option->range, *value) && !(whole && *value != floor(*value)))
    return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s is '%s'; allowed is a %snumber from %.10g to %.10g",
                 option->name, text, whole ? "whole " : "", option->range->least,
                 option->range->most);
}

static ht_status set(const ht_option *option, char *const *values, void *target) {
  char *at = (char *)target + option->offset;
  double number;
  switch (option->type) {
  case HT_OPTION_FLAG:
    *(int *)at = 1;
    return HT_OK;
  case HT_OPTION_TEXT:
    *(const char **)at = values[0];
    return HT_OK;
  case HT_OPTION_WORD:
    return set_word(option, values[0], (int *)at);
  case HT_OPTION_WORDS:
    return set_words(option, values[0], (unsigned *)at);
  case HT_OPTION_SET:
    return option->set(target, option, values);
  case HT_OPTION_INTEGER:
  case HT_OPTION_REAL:
    break;
  }
  HT_TRY(set_number(option, values[0], &number));
  if (option->type == HT_OPTION_INTEGER)
    *(int *)at = (int)number;
  else
    *(double *)at = number;
  return HT_OK;
}

/* Returns the length of the next element of a list "[120, 80]", "120/80" or of one value; 0 at the
 * end. */
static size_t next_element(const char **text) {
  static const char between[] = "[], /";
  *text += strspn(*text, between);
  return strcspn(*text, between);
}

int ht_option_same_value(const char *one, const char *other) {
  if (strcmp(one, other) == 0) return 1;
  for (;;) {
    const size_t length = next_element(&one), other_length = next_element(&other);
    if (length == 0 || other_length == 0) return length == other_length;
    char *end, *other_end;
    const double value = strtod(one, &end), other_value = strtod(other, &other_end);
    if (end != one + length || other_end != other + other_length || value != other_value) return 0;
    one = end;
    other = other_end;
  }
}

/* ---- the command line ---- */

static const ht_option *find(const ht_option_table *table, const char *typed, size_t length) {
  for (const ht_option *one = table->options; one->name; one++) {
    if (!is_taken(table, one)) continue;
    if (strlen(one->name) == length && strncmp(one->name, typed, length) == 0) return one;
    if (one->brief && strcmp(one->brief, typed) == 0) return one;
  }
  return NULL;
}

static ht_status unknown(const ht_option_table *table, const char *typed, size_t length) {
  const char *best = NULL;
  int distance = 0;
  char name[64], otherwise[160] = "";
  snprintf(name, sizeof name, "%.*s", (int)length, typed);
  for (const ht_option *one = table->options; one->name; one++)
    if (is_taken(table, one)) ht_suggest(name, one->name, &best, &distance);
  if (table->otherwise) table->otherwise(name, otherwise, sizeof otherwise);
  return ht_fail(HT_ERR_USAGE, "unknown option '%s'%s%s%s%s; `hemotile %s --help` lists all", name,
                 best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "", otherwise,
                 table->command);
}

typedef struct {
  const ht_option *option;
  char *joined;        /* "value" of "--name=value"; NULL */
  char *const *values; /* of them option->values */
} typed_option;

static int count_of(const ht_option *option) {
  return !option->value ? 0 : option->values ? option->values : 1;
}

/* Reads the option argv[*at]; its values may follow, and *at is then the last of them. */
static ht_status read_option(const ht_option_table *table, int argc, char **argv, int *at,
                             typed_option *one) {
  char *typed = argv[*at];
  const size_t length = strcspn(typed, "=");
  one->option = find(table, typed, length);
  if (!one->option) return unknown(table, typed, length);
  const char *value = one->option->value;
  const int wanted = count_of(one->option);
  one->joined = typed[length] ? typed + length + 1 : NULL;
  if (!value && one->joined) return ht_fail(HT_ERR_USAGE, "%s takes no value", one->option->name);
  if (!value) return HT_OK;
  one->values = one->joined ? &one->joined : argv + *at + 1;
  const int given = one->joined ? 1 : argc - 1 - *at;
  if (given < wanted || !*one->values[0]) {
    char help[HT_OPTION_HELP];
    ht_option_help(table, one->option, help);
    return ht_fail(HT_ERR_USAGE, "%.*s needs %s: %.*s %s (%s)", (int)length, typed,
                   wanted > 1 ? "two values" : "a value", (int)length, typed, value, help);
  }
  if (!one->joined) *at += wanted;
  return HT_OK;
}

static int is_operand(const char *typed) {
  return typed[0] != '-' || !typed[1];
}

/* Refuses a second value of one option: without this check the later would win silently. argv[end]
 * is where this one begins; all before it was read. */
static ht_status refuse_second(const ht_option_table *table, char **argv, int end,
                               const typed_option *now) {
  const ht_option *option = now->option;
  const char *name = option->brief ? option->brief : option->name;
  typed_option before;
  for (int i = 1; i < end; i++) {
    if (is_operand(argv[i])) continue;
    HT_TRY(read_option(table, end, argv, &i, &before));
    if (before.option != option) continue;
    for (int v = 0; v < count_of(option); v++)
      if (option->type == HT_OPTION_TEXT ? strcmp(before.values[v], now->values[v]) != 0
                                         : !ht_option_same_value(before.values[v], now->values[v]))
        return ht_fail(HT_ERR_USAGE, "%s %s and %s %s: give one of them", name, before.values[v],
                       name, now->values[v]);
  }
  return HT_OK;
}

static ht_status take(const ht_option_table *table, int argc, char **argv, int *at, void *target) {
  const int begin = *at;
  typed_option one = {0};
  HT_TRY(read_option(table, argc, argv, at, &one));
  if (!one.option->several) HT_TRY(refuse_second(table, argv, begin, &one));
  return set(one.option, one.values, target);
}

static ht_status take_operand(const ht_option_table *table, const char *typed, void *target) {
  if (*typed) return table->operand(target, typed);
  return ht_fail(HT_ERR_USAGE,
                 "an argument is empty (\"\"): is a variable of the shell not set? "
                 "`hemotile %s --help` shows what it takes",
                 table->command);
}

ht_status ht_options_parse(const ht_option_table *table, int argc, char **argv, void *target) {
  int only_operands = 0;
  for (int i = 1; i < argc; i++) {
    if (!only_operands && strcmp(argv[i], "--") == 0)
      only_operands = 1;
    else if (only_operands || is_operand(argv[i]))
      HT_TRY(take_operand(table, argv[i], target));
    else
      HT_TRY(take(table, argc, argv, &i, target));
  }
  return HT_OK;
}

/* ---- help ---- */

void ht_option_help(const ht_option_table *table, const ht_option *option,
                    char text[HT_OPTION_HELP]) {
  if (option->help)
    snprintf(text, HT_OPTION_HELP, "%s", option->help);
  else
    table->help(option, text, HT_OPTION_HELP);
}

void ht_options_help(FILE *stream, const ht_option_table *table) {
  enum { LEFT = 30, BEGIN = LEFT + 3 };
  for (const ht_option *one = table->options; one->name; one++) {
    char left[80], help[HT_OPTION_HELP];
    if (!is_taken(table, one)) continue;
    snprintf(left, sizeof left, "%s%s%s%s%s", one->brief ? one->brief : "",
             one->brief ? ", " : "    ", one->name, one->value ? " " : "",
             one->value ? one->value : "");
    ht_option_help(table, one, help);
    fprintf(stream, "  %-*s", LEFT, left);
    ht_words_wrap(stream, help, strlen(left) > LEFT ? HT_WRAP_COLUMNS : BEGIN - 1, BEGIN);
  }
}
