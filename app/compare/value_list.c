#define _POSIX_C_SOURCE 200809L
#include "app/compare/value_list.h"
#include "core/text/number_text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int grow(ht_value_list *list) {
  if (list->count < list->room) return 1;
  int room = list->room ? 2 * list->room : 256;
  void *larger = realloc(list->item, (size_t)room * sizeof *list->item);
  if (!larger) return 0;
  list->item = larger;
  list->room = room;
  return 1;
}

void ht_value_list_take(void *user, const char *name, const char *value) {
  ht_value_list *list = user;
  ht_named_value one = {strdup(name), strdup(value)};
  if (one.name && one.value && grow(list)) {
    list->item[list->count++] = one;
    return;
  }
  free(one.name);
  free(one.value);
  list->failed = 1;
}

ht_status ht_value_list_check(const ht_value_list *list) {
  return list->failed ? ht_fail(HT_ERR_MEMORY, "not enough memory for the numbers of a case")
                      : HT_OK;
}

const char *ht_value_text(const ht_value_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->item[i].name, name) == 0)
      return *list->item[i].value ? list->item[i].value : NULL;
  return NULL;
}

double ht_number_of_text(const char *text) {
  char *end;
  if (!text || !(isdigit((unsigned char)*text) || *text == '-')) return NAN;
  double value = ht_number_read(text, &end);
  return *end == 0 && isfinite(value) ? value : NAN;
}

double ht_value_number(const ht_value_list *list, const char *name) {
  return ht_number_of_text(ht_value_text(list, name));
}

void ht_value_list_free(ht_value_list *list) {
  if (!list) return;
  for (int i = 0; i < list->count; i++) {
    free(list->item[i].name);
    free(list->item[i].value);
  }
  free(list->item);
  memset(list, 0, sizeof *list);
}
