/* What a command tells of itself. Its help is printed from this, and so are its part of the manual
 * page and of the shells' completions. */
#ifndef HT_COMMAND_PAGE_H
#define HT_COMMAND_PAGE_H

#include "run/process/options.h"

typedef struct {
  const char *name;    /* "solve"; of a command below another "pacs find" */
  const char *operand; /* "DIR"; NULL: none */
  const char *summary; /* one line */
  const char *text;    /* its work and its results; paragraphs */
  const char *example; /* lines that begin with two spaces; NULL: none */
  const char *after;   /* a paragraph between options and example; NULL: none */
  ht_option_table table;
  const char *(*word)(int number); /* what the operand may be, from 0 on; NULL
                                      after the last. NULL: a file or folder */
  void (*list)(FILE *stream);      /* writes the operands with what they mean,
                                      with a heading. NULL: none */
} ht_command_page;

/* Writes the help: summary, usage, text, list, options, example. */
void ht_command_page_help(FILE *stream, const ht_command_page *page);

#endif
