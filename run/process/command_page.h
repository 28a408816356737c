/* Description of a command. Its help is printed from this, and so are its parts of the manual page
 * and of the shells' completions. */
#ifndef HT_COMMAND_PAGE_H
#define HT_COMMAND_PAGE_H

#include "run/process/options.h"

typedef struct {
  const char *name;    /* "solve"; for a subcommand "pacs find" */
  const char *operand; /* "DIR"; NULL: none */
  const char *summary; /* one line */
  const char *text;    /* what it does and writes; paragraphs */
  const char *example; /* lines that begin with two spaces; NULL: none */
  const char *after;   /* a paragraph between options and example; NULL: none */
  ht_option_table table;
  const char *(*word)(int number); /* number-th word that the operand may be, from 0; NULL after the
                                      last. NULL: a file or folder */
  void (*list)(FILE *stream); /* writes the operands, their meaning, and a heading. NULL: none */
} ht_command_page;

/* Writes the help: summary, usage, text, list, options, example. */
void ht_command_page_help(FILE *stream, const ht_command_page *page);

#endif
