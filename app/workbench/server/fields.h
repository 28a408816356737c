/* Small requests of the page: a JSON object of numbers and short texts into a struct. Every value
 * is checked. */
#ifndef HT_FIELDS_H
#define HT_FIELDS_H

#include "core/status.h"
#include <stddef.h>

typedef enum {
  HT_FIELD_NUMBER, /* int from 0 to `most` */
  HT_FIELD_NAME,   /* char[`most`]: letters, digits, '.', '_', '-'; begins with one of the first two
                    */
  HT_FIELD_TEXT,   /* char[`most`]: printable ASCII without '\\' */
} ht_field_type;

typedef struct {
  const char *name;
  ht_field_type type;
  size_t offset; /* in the target */
  int most;
} ht_field;

/* Reads the text into the target; what is absent is left as it is. `fields` ends with a NULL name.
 * HT_ERR_USAGE: the text is no such object; the message names the key. */
ht_status ht_fields_read(const ht_field *fields, const char *text, size_t length, void *target);

#endif
