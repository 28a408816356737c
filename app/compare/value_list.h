/* Names with their values as text, as they come from a summary or a case file. */
#ifndef HT_VALUE_LIST_H
#define HT_VALUE_LIST_H

#include "core/status.h"

typedef struct {
  char *name, *value; /* owned; value "": not known */
} ht_named_value;

/* List of values. Zeroed: empty. */
typedef struct {
  int count, room;
  int failed; /* 1: there was no memory for a value */
  ht_named_value *item;
} ht_value_list;

/* Copies both to the end; `user` is the list (an ht_summary_take). A failure sets `failed`. */
void ht_value_list_take(void *user, const char *name, const char *value);

/* Returns HT_ERR_MEMORY where a value was lost. */
ht_status ht_value_list_check(const ht_value_list *list);

/* Returns the text; NULL where the name is absent or its value is not known. */
const char *ht_value_text(const ht_value_list *list, const char *name);

/* Returns the number that the whole text is; NAN: it is none. */
double ht_number_of_text(const char *text);
double ht_value_number(const ht_value_list *list, const char *name);

void ht_value_list_free(ht_value_list *list);

#endif
