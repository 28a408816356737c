#include "run/folder/members.h"
#include "core/text/words.h"
#include <math.h>
#include <string.h>

enum { VALUES_MAX = 64 }; /* of a list */

const ht_member ht_grid_members[] = {
    {HT_MEMBER(ht_grid, "dim", dim), .options = HT_DECIDES | HT_REQUIRED},
    {HT_MEMBER(ht_grid, "spacing_mm", spacing_mm), .options = HT_REQUIRED},
    {HT_MEMBER(ht_grid, "origin_mm", origin_mm), .options = HT_REQUIRED},
    {HT_MEMBER(ht_grid, "direction", direction), .options = HT_REQUIRED},
    {0},
};

/* The flag or number of a member. */
static int *int_at(const void *record, size_t place) {
  return (int *)((char *)record + place - 1);
}

static int values_of(const ht_member *of, const void *record) {
  const size_t one = of->type == HT_MEMBER_NUMBER ? sizeof(double) : sizeof(int);
  return of->number ? *int_at(record, of->number) : (int)(of->size / one);
}

static double factor(double given) {
  return given != 0 ? given : 1;
}

/* ---- writing ---- */

static int is_empty_number(const ht_member *of, double value) {
  return of->options & HT_ABSENT_NAN ? isnan(value) : !(value < 0 || value > 0);
}

static int is_empty(const ht_member *of, const void *record) {
  const char *at = (const char *)record + of->offset;
  if (of->type == HT_MEMBER_TEXT) return !*at;
  if (of->type == HT_MEMBER_ITEMS) return values_of(of, record) == 0;
  if (of->type == HT_MEMBER_INTEGER) return *(const int64_t *)at == 0;
  for (int i = 0; i < values_of(of, record); i++)
    if (of->type == HT_MEMBER_INT ? ((const int *)at)[i] != 0
                                  : !is_empty_number(of, ((const double *)at)[i]))
      return 0;
  return 1;
}

static int is_left_out(const ht_member *of, const void *record) {
  if (of->flag && !*int_at(record, of->flag) == !(of->options & HT_UNLESS)) return 1;
  if (!of->inner || of->type == HT_MEMBER_ITEMS)
    return (of->options & HT_OPTIONAL) && is_empty(of, record);
  int left_out = 0;
  for (const ht_member *one = of->inner; one->key || one->inner; one++) {
    if (!(one->options & HT_DECIDES)) continue;
    if (!is_empty(one, (const char *)record + of->offset)) return 0;
    left_out = 1;
  }
  return left_out;
}

static void numbers_json(ht_json *json, const ht_member *of, const void *record) {
  const double *value = (const double *)((const char *)record + of->offset);
  const int six = of->options & HT_SIX_DIGITS;
  if (of->number || of->size > sizeof *value)
    (six ? ht_json_all_measured : ht_json_numbers)(json, of->key, value, values_of(of, record));
  else
    (six ? ht_json_measured : ht_json_number)(json, of->key,
                                              factor(of->times) * *value / factor(of->over));
}

static void ints_json(ht_json *json, const ht_member *of, const int *value) {
  const int count = (int)(of->size / sizeof *value);
  double list[VALUES_MAX];
  if (of->words)
    ht_json_string(json, of->key, of->words[*value]);
  else if (of->options & HT_BOOL)
    ht_json_bool(json, of->key, *value);
  else if (count == 1)
    ht_json_integer(json, of->key, *value);
  for (int i = 0; i < count; i++) list[i] = value[i];
  if (count > 1) ht_json_numbers(json, of->key, list, count);
}

static void items_json(ht_json *json, const ht_member *of, const void *record) {
  ht_json_array(json, of->key);
  for (int i = 0; i < values_of(of, record); i++) {
    ht_json_object(json, NULL);
    ht_members_json(json, of->inner, (const char *)record + of->offset + (size_t)i * of->size);
    ht_json_object_end(json);
  }
  ht_json_array_end(json);
}

static void member_json(ht_json *json, const ht_member *of, const void *record) {
  const void *at = (const char *)record + of->offset;
  switch (of->type) {
  case HT_MEMBER_NUMBER:
    numbers_json(json, of, record);
    break;
  case HT_MEMBER_INT:
    ints_json(json, of, at);
    break;
  case HT_MEMBER_INTEGER:
    ht_json_integer(json, of->key, *(const int64_t *)at);
    break;
  case HT_MEMBER_TEXT:
    ht_json_string(json, of->key, at);
    break;
  case HT_MEMBER_OBJECT:
    ht_json_object(json, of->key);
    ht_members_json(json, of->inner, at);
    ht_json_object_end(json);
    break;
  case HT_MEMBER_GROUP:
    ht_members_json(json, of->inner, at);
    break;
  case HT_MEMBER_ITEMS:
    items_json(json, of, record);
  }
}

void ht_members_json(ht_json *json, const ht_member *members, const void *record) {
  for (const ht_member *of = members; of->key || of->inner; of++)
    if (!is_left_out(of, record)) member_json(json, of, record);
}

/* ---- reading ---- */

enum { FOUND = 1, LACKS = 2 }; /* a member was there; a required one was not */

static int read_members(struct fy_node *mapping, const ht_member *members, void *record);

/* Reads the values of a list, all or none. */
static int read_list(struct fy_node *mapping, const ht_member *of, double *value, int count) {
  double list[VALUES_MAX];
  if (count > VALUES_MAX || !ht_yaml_numbers(mapping, of->key, list, count)) return 0;
  for (int i = 0; i < count; i++)
    if ((of->options & HT_POSITION) && !(fabs(list[i]) <= 1e5)) return 0;
  memcpy(value, list, (size_t)count * sizeof *value);
  return 1;
}

/* Reads a list that gives the number of its values. */
static int read_counted(struct fy_node *mapping, const ht_member *of, double *value, int *number) {
  struct fy_node *list = ht_yaml_get(mapping, of->key);
  const int most = (int)(of->size / sizeof *value);
  *number = list && fy_node_is_sequence(list) ? fy_node_sequence_item_count(list) : 0;
  if (*number > most || !read_list(mapping, of, value, *number)) *number = 0;
  return *number > 0;
}

static int read_numbers(struct fy_node *mapping, const ht_member *of, void *record) {
  double *value = (double *)((char *)record + of->offset);
  const int count = (int)(of->size / sizeof *value);
  if (of->number) return read_counted(mapping, of, value, int_at(record, of->number));
  for (int i = 0; i < count && (of->options & HT_ABSENT_NAN); i++) value[i] = NAN;
  if (count > 1) return read_list(mapping, of, value, count);
  if (!ht_yaml_number(mapping, of->key, value)) return 0;
  *value = *value * factor(of->over) / factor(of->times);
  return 1;
}

static int read_word(struct fy_node *mapping, const ht_member *of, int *value) {
  char word[64];
  if (!ht_yaml_text(mapping, of->key, word, sizeof word)) return 0;
  const int found = ht_word_find(of->words, word, strlen(word));
  if (found >= 0) *value = found;
  return found >= 0;
}

static int read_ints(struct fy_node *mapping, const ht_member *of, int *value) {
  const int count = (int)(of->size / sizeof *value);
  double list[VALUES_MAX];
  if (of->words) return read_word(mapping, of, value);
  if (of->options & HT_BOOL) return ht_yaml_bool(mapping, of->key, value);
  if (count == 1) return ht_yaml_int(mapping, of->key, value);
  if (!ht_yaml_numbers(mapping, of->key, list, count)) return 0;
  for (int i = 0; i < count; i++)
    if (!(list[i] == floor(list[i]) && fabs(list[i]) <= INT32_MAX)) return 0;
  for (int i = 0; i < count; i++) value[i] = (int)list[i];
  return 1;
}

static int read_items(struct fy_node *mapping, const ht_member *of, void *record) {
  struct fy_node *list = ht_yaml_get(mapping, of->key), *item;
  int *number = int_at(record, of->number), what = list ? FOUND : 0;
  void *next = NULL;
  *number = 0;
  while (list && fy_node_is_sequence(list) && (size_t)*number < of->most &&
         (item = fy_node_sequence_iterate(list, &next)))
    what |= read_members(item, of->inner,
                         (char *)record + of->offset + (size_t)(*number)++ * of->size) &
            LACKS;
  return what;
}

static int read_object(struct fy_node *mapping, const ht_member *of, void *at) {
  struct fy_node *inside = ht_yaml_get(mapping, of->key);
  const int what = read_members(inside, of->inner, at);
  return inside ? FOUND | (what & LACKS) : 0;
}

static int read_member(struct fy_node *mapping, const ht_member *of, void *record) {
  void *at = (char *)record + of->offset;
  switch (of->type) {
  case HT_MEMBER_NUMBER:
    return read_numbers(mapping, of, record);
  case HT_MEMBER_INT:
    return read_ints(mapping, of, at);
  case HT_MEMBER_INTEGER:
    return ht_yaml_integer(mapping, of->key, at);
  case HT_MEMBER_TEXT:
    return ht_yaml_text(mapping, of->key, at, of->size);
  case HT_MEMBER_OBJECT:
    return read_object(mapping, of, at);
  case HT_MEMBER_GROUP:
    return read_members(mapping, of->inner, at);
  case HT_MEMBER_ITEMS:
    return read_items(mapping, of, record);
  }
  return 0;
}

static int read_members(struct fy_node *mapping, const ht_member *members, void *record) {
  int all = 0;
  for (const ht_member *of = members; of->key || of->inner; of++) {
    if (of->options & HT_NOT_READ) continue;
    int what = read_member(mapping, of, record);
    if (!(what & FOUND) && (of->options & HT_REQUIRED)) what |= LACKS;
    if (of->flag && !(of->options & HT_UNLESS)) {
      if (what == FOUND) *int_at(record, of->flag) = 1;
      what &= ~LACKS;
    }
    all |= what;
  }
  return all;
}

int ht_members_read(struct fy_node *mapping, const ht_member *members, void *record) {
  return !(read_members(mapping, members, record) & LACKS);
}
