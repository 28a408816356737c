/* Options of the command line: each command has a table of them, and all have one parser. */
#ifndef HT_OPTIONS_H
#define HT_OPTIONS_H

#include "core/status.h"
#include <stddef.h>
#include <stdio.h>

typedef struct ht_option ht_option;

/* Takes the values typed for an option (`option->values` of them, at least 1; they point into
 * argv; NULL for an option that takes none). */
typedef ht_status (*ht_option_setter)(void *target, const ht_option *option, char *const *values);

/* Type of the value in the command's struct, the target. */
typedef enum {
  HT_OPTION_FLAG,    /* int that becomes 1; no value is typed */
  HT_OPTION_TEXT,    /* const char *, into argv */
  HT_OPTION_INTEGER, /* int in `range` */
  HT_OPTION_REAL,    /* double in `range` */
  HT_OPTION_WORD,    /* int or enum: number of the word in `words` */
  HT_OPTION_WORDS,   /* unsigned: bit k for word k; "fp32,fp16" or "all" */
  HT_OPTION_SET,     /* by `set` */
} ht_option_type;

struct ht_option {
  const char *name, *brief; /* "--output", "-o"; NULL: has none */
  const char *value;        /* name of its value in the help: "DIR"; NULL: takes none */
  ht_option_type type;
  size_t offset;            /* in the target */
  const ht_range *range;    /* for numbers */
  const char *const *words; /* NULL at the end */
  ht_option_setter set;     /* for HT_OPTION_SET */
  int values;               /* number of values that `set` gets; 0 is 1 */
  int several;              /* 1: may be repeated with another value, for `set` */
  unsigned group; /* the option is taken by commands with one of these bits; 0: by every command */
  const char *section, *key; /* the case's setting, for `set`; NULL: none */
  const char *help;          /* NULL: the table's `help` writes it */
};

typedef struct {
  const char *command;                                   /* "bench" */
  const ht_option *options;                              /* ends with a NULL name */
  unsigned groups;                                       /* groups that the command takes */
  ht_status (*operand)(void *target, const char *typed); /* takes an operand */
  /* Writes another way to say what an unknown option says into `text`, "" where none is known;
   * NULL. */
  void (*otherwise)(const char *unknown, char *text, size_t size);
  void (*help)(const ht_option *option, char *text, size_t size);
} ht_option_table;

/* Reads "--name value", "--name=value", "-n value" and operands in any order; after "--" all are
 * operands. Each is set in turn. HT_ERR_USAGE: an unknown option (names the nearest), no value, a
 * value that is not allowed, another value of an option that was given before, an empty operand.
 * argv[0] is the command. */
ht_status ht_options_parse(const ht_option_table *table, int argc, char **argv, void *target);

/* Returns 1 where two texts give one value: "2" and "2.0", "120/80" and "[120, 80]". */
int ht_option_same_value(const char *one, const char *other);

/* Writes the help of an option, in one line; HT_OPTION_HELP bytes hold every one. */
enum { HT_OPTION_HELP = 512 };
void ht_option_help(const ht_option_table *table, const ht_option *option,
                    char text[HT_OPTION_HELP]);

/* Writes each option that the command takes, with its help. */
void ht_options_help(FILE *stream, const ht_option_table *table);

#endif
