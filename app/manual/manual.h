/* Manual page and shell completions, made from the tables of the help. */
#ifndef HT_MANUAL_H
#define HT_MANUAL_H

#include "run/process/command_page.h"

typedef struct {
  const ht_command_page *page; /* a command "pacs find" follows no page of its own "pacs" */
  int pages;
  const char *summary, *example;   /* of the program */
  void (*case_file)(FILE *stream); /* writes the keys of a case file; NULL: not in this build */
} ht_manual;

/* Writes the manual page hemotile(1) in the language of man. */
void ht_manual_man(FILE *stream, const ht_manual *manual);

/* Writes the functions that complete commands, options and their values in bash and in zsh. They
 * do not call the program. */
void ht_manual_bash(FILE *stream, const ht_manual *manual);
void ht_manual_zsh(FILE *stream, const ht_manual *manual);

/* Kind of an option's value, by its name in the help: "cpu|cuda" are words. */
typedef enum {
  HT_VALUE_NONE,
  HT_VALUE_ANY,
  HT_VALUE_WORDS,
  HT_VALUE_FILE,
  HT_VALUE_FOLDER
} ht_value_kind;
ht_value_kind ht_value_kind_of(const ht_option *option);

/* Writes those words with spaces between them. */
void ht_value_words(FILE *stream, const ht_option *option);

/* Returns the length of the name's first word ("pacs" of "pacs find") where further words are a
 * command below it, else 0. */
size_t ht_page_group(const ht_command_page *page);

/* Returns 1 where a page before this one has the same group: it was treated with that. */
int ht_page_group_seen(const ht_manual *manual, int number);

/* Returns 1 where the command takes the option. */
int ht_page_takes(const ht_command_page *page, const ht_option *option);

#endif
