/* The JSON of a record's members as a text, and the record read back from it. */
#ifndef HT_MEMBERS_TEXT_H
#define HT_MEMBERS_TEXT_H

#include "tests/check.h"
#include "run/folder/members.h"
#include <stdio.h>
#include <stdlib.h>

/* Returns the text, which the caller frees. */
static inline char *members_text(const ht_member *members, const void *record) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_members_json(&json, members, record);
  ht_json_object_end(&json);
  assert_int_equal(fclose(stream), 0);
  return text;
}

static inline void members_of_text(const char *text, const ht_member *members, void *record) {
  ht_yaml yaml;
  assert_int_equal(ht_yaml_parse("text", text, strlen(text), HT_ERR_FORMAT, &yaml), HT_OK);
  ht_members_read(yaml.root, members, record);
  ht_yaml_free(&yaml);
}

static inline void there_and_back(const ht_member *members, const void *from, void *to) {
  char *text = members_text(members, from);
  members_of_text(text, members, to);
  free(text);
}

#endif
