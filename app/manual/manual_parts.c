#include "app/manual/manual.h"
#include <string.h>

ht_value_kind ht_value_kind_of(const ht_option *option) {
  if (!option->value) return HT_VALUE_NONE;
  if (strcmp(option->value, "DIR") == 0) return HT_VALUE_FOLDER;
  if (strcmp(option->value, "FILE") == 0 || strstr(option->value, ".yaml")) return HT_VALUE_FILE;
  /* "NAME[,NAME...]|all" has no list of words. */
  int is_words = strchr(option->value, '|') && !strchr(option->value, '[');
  return is_words ? HT_VALUE_WORDS : HT_VALUE_ANY;
}

void ht_value_words(FILE *stream, const ht_option *option) {
  for (const char *at = option->value; *at; at++) fputc(*at == '|' ? ' ' : *at, stream);
}

size_t ht_page_group(const ht_command_page *page) {
  size_t first = strcspn(page->name, " ");
  return page->name[first] && page->name[first + 1] != '-' ? first : 0;
}

int ht_page_group_seen(const ht_manual *manual, int number) {
  size_t length = ht_page_group(&manual->page[number]);
  for (int i = 0; i < number && length > 0; i++)
    if (ht_page_group(&manual->page[i]) == length &&
        strncmp(manual->page[i].name, manual->page[number].name, length) == 0)
      return 1;
  return 0;
}

int ht_page_takes(const ht_command_page *page, const ht_option *option) {
  return !option->group || (page->table.groups & option->group);
}
