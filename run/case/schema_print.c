#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "run/case/schema.h"
#include "run/case/text_lines.h"
#include "run/case/time_span.h"
#include "core/text/words.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_yaml_quote(FILE *stream, const char *text) {
  fputc('"', stream);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\')
      fprintf(stream, "\\%c", *c);
    else if (*c < 0x20)
      fprintf(stream, "\\x%02x", *c);
    else
      fputc(*c, stream);
  }
  fputc('"', stream);
}

static int is_automatic(const ht_key *key, double value) {
  if (!key->has_automatic) return 0;
  return isnan(key->automatic) ? isnan(value) : value == key->automatic;
}

static void print_choice(FILE *stream, const ht_key *key, int value) {
  if (is_automatic(key, value)) fputs("auto", stream);
  for (int i = 0; key->choices[i]; i++)
    if (key->first + i == value) fputs(key->choices[i], stream);
}

static void print_list(FILE *stream, const double *value, int count) {
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "[", stream);
    ht_number_put(stream, value[i]);
  }
  fputc(']', stream);
}

static void print_points(FILE *stream, const ht_key *key, const void *target) {
  int count;
  const double *numbers = ht_key_points(key, target, &count);
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "[", stream);
    print_list(stream, numbers + 3 * i, 3);
  }
  fputs(count ? "]" : "[]", stream);
}

void ht_key_print(FILE *stream, const ht_key *key, const void *target) {
  const char *at = (const char *)target + key->offset;
  const double *numbers = (const double *)at;
  char span[HT_TIME_SPAN_TEXT];
  switch (key->type) {
  case HT_KEY_TEXT:
  case HT_KEY_PATH:
    ht_yaml_quote(stream, at);
    break;
  case HT_KEY_WORD:
    if (ht_word_find(key->choices, at, strlen(at)) >= 0)
      fputs(at, stream);
    else
      ht_yaml_quote(stream, at);
    break;
  case HT_KEY_CHOICE:
    print_choice(stream, key, *(const int *)at);
    break;
  case HT_KEY_COUNT:
    if (is_automatic(key, (double)*(const int64_t *)at))
      fputs("auto", stream);
    else
      fprintf(stream, "%" PRId64, *(const int64_t *)at);
    break;
  case HT_KEY_INT:
    if (is_automatic(key, *(const int *)at))
      fputs("auto", stream);
    else
      fprintf(stream, "%d", *(const int *)at);
    break;
  case HT_KEY_POINT:
    print_list(stream, numbers, 3);
    break;
  case HT_KEY_POINTS:
    print_points(stream, key, target);
    break;
  case HT_KEY_SPAN:
    ht_time_span_put(numbers[0], span);
    fputs(span, stream);
    break;
  case HT_KEY_PAIR:
    if (numbers[0] == 0 && numbers[1] == 0)
      fputs("auto", stream);
    else
      print_list(stream, numbers, 2);
    break;
  case HT_KEY_NUMBER:
    if (is_automatic(key, numbers[0]))
      fputs("auto", stream);
    else
      ht_number_put(stream, numbers[0]);
  }
}

int ht_key_given(const ht_key *key, const void *target) {
  const char *at = (const char *)target + key->offset;
  if (key->flag) return *(const int *)((const char *)target + key->flag);
  if (key->type == HT_KEY_TEXT || key->type == HT_KEY_PATH || key->type == HT_KEY_WORD)
    return at[0] != 0;
  if (key->type == HT_KEY_CHOICE)
    return *(const int *)at >= key->first || is_automatic(key, *(const int *)at);
  return 1;
}

static void print_allowed(FILE *stream, const ht_key *key) {
  char words[128];
  switch (key->type) {
  case HT_KEY_TEXT:
    fputs("text", stream);
    break;
  case HT_KEY_PATH:
    fputs("path", stream);
    break;
  case HT_KEY_CHOICE:
  case HT_KEY_WORD:
    ht_word_list(key->choices, "|", words, sizeof words);
    fprintf(stream, "%s%s%s", key->has_automatic ? "auto|" : "", words,
            key->type == HT_KEY_WORD ? "|path" : "");
    break;
  case HT_KEY_POINT:
    fputs(key->range->least < 0                  ? "[x, y, z]"
          : strcmp(key->section, "lattice") == 0 ? "[seconds, nodes, beats]"
                                                 : "[R, C, R]",
          stream); /* a place, a choice, a windkessel */
    break;
  case HT_KEY_POINTS:
    fputs("[[x, y, z], ...]|path", stream);
    break;
  case HT_KEY_SPAN:
    fputs("90s|15min|1h|...|no|auto", stream);
    break;
  case HT_KEY_PAIR:
    fputs(strcmp(key->section, "patient") == 0 ? "[systolic, diastolic]|auto"
                                               : "[least, most]|auto",
          stream);
    break;
  default:
    fprintf(stream, "%g .. %g%s", key->range->least, key->range->most,
            key->has_automatic ? "|auto" : "");
  }
}

static void print_key(FILE *stream, const ht_key *key, const void *defaults) {
  fprintf(stream, "  %-18s ", key->key);
  print_allowed(stream, key);
  if (defaults && ht_key_given(key, defaults)) {
    fputs("   [", stream);
    ht_key_print(stream, key, defaults);
    fputc(']', stream);
  }
  ht_words_wrap(stream, key->help, HT_WRAP_COLUMNS, 23);
}

void ht_key_default(const ht_key *key, char *text, size_t size) {
  ht_case *defaults = calloc(1, sizeof *defaults);
  FILE *stream = fmemopen(text, size, "w");
  text[0] = 0;
  if (defaults) ht_case_defaults(defaults);
  if (defaults && stream && ht_key_given(key, defaults)) ht_key_print(stream, key, defaults);
  if (stream) fclose(stream);
  free(defaults);
}

void ht_schema_help(FILE *stream) {
  ht_case *defaults = calloc(1, sizeof *defaults);
  const char *section = "";
  if (!defaults) return;
  ht_case_defaults(defaults);
  fputs("A case file is YAML. Its keys, what is allowed, and [the default]:\n\n", stream);
  for (const ht_key *key = ht_case_keys; key->key; key++) {
    if (strcmp(section, key->section) != 0) fprintf(stream, "%s:\n", key->section);
    section = key->section;
    print_key(stream, key, defaults);
  }
  fputs("openings:   (a list: each entry begins with '- ')\n", stream);
  for (const ht_key *key = ht_opening_keys; key->key; key++) print_key(stream, key, NULL);
  fputs("  for example\n"
        "  openings:\n"
        "    - {name: carotid, role: inlet, near_mm: [12, -40, 88], flow_ml_s: 4}\n"
        "    - {role: outlet, centre_mm: [3, -52, 130], pressure_pa: 0}\n",
        stream);
  fputs("\nPositions are LPS, mm (x to the patient's left, y to the back, z to the head).\n"
        "Paths are relative to the case file; ${NAME} is replaced by the environment variable.\n",
        stream);
  free(defaults);
}

static void each_word_of(const ht_key *keys, void (*take)(const char *word)) {
  for (const ht_key *key = keys; key->key; key++) {
    take(key->section);
    take(key->key);
    for (const char *const *word = key->choices; word && *word; word++) take(*word);
  }
}

void ht_case_each_word(void (*take)(const char *word)) {
  each_word_of(ht_case_keys, take);
  each_word_of(ht_opening_keys, take);
}
