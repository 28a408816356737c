/* The keys that a case file may hold: one table for reading, writing, the command line and help. */
#ifndef HT_SCHEMA_H
#define HT_SCHEMA_H

#include "run/case/case.h"
#include "run/case/idle_rules.h"
#include <stdio.h>

typedef enum {
  HT_KEY_TEXT,   /* char[size] */
  HT_KEY_PATH,   /* char[HT_PATH_MAX], relative to the case file */
  HT_KEY_NUMBER, /* double */
  HT_KEY_COUNT,  /* int64_t */
  HT_KEY_INT,    /* int */
  HT_KEY_CHOICE, /* int: number of the word in `choices`, from `first` */
  HT_KEY_POINT,  /* double[3] */
  HT_KEY_PAIR,   /* double[2] */
  HT_KEY_WORD,   /* char[HT_PATH_MAX]: one of `choices`, or a path relative to the case file */
  HT_KEY_SPAN,   /* double: seconds of a time span (time_span.h), or its two words */
  HT_KEY_POINTS, /* double[HT_SEGMENT_POINTS_MAX][3], their number at `flag`; or the path of a file
                    (points_file.h) */
} ht_key_type;

typedef struct {
  const char *section; /* "" at the top level */
  const char *key;
  ht_key_type type;
  size_t offset, size; /* in ht_case, or ht_case_opening for the keys of an opening */
  size_t flag; /* offset of an int that becomes 1 with the key (points: their number); 0: none */
  const ht_range *range;      /* for numbers */
  const char *const *choices; /* HT_KEY_CHOICE: {"auto", "cpu", NULL} */
  int first;                  /* value of the first word */
  int has_automatic;          /* 1: the word `auto` stands for `automatic` */
  double automatic;
  ht_key_rule *rule; /* NULL: it always has an effect */
  const char *help;  /* with the unit */
} ht_key;

/* Keys of a case file; the list ends with a NULL key. */
extern const ht_key ht_case_keys[];
extern const ht_key ht_opening_keys[];

/* Words of the key surface_unit. */
extern const char *const ht_surface_unit_words[];

/* Calls `take` with every section, key and word of a case file. */
void ht_case_each_word(void (*take)(const char *word));

/* Returns the key; NULL where there is none. */
const ht_key *ht_key_find(const ht_key *keys, const char *section, const char *key);

/* Returns the nearest key of the section, "" where nothing is near. */
const char *ht_key_nearest(const ht_key *keys, const char *section, const char *key);

/* Returns 1 where there is such a section. The second function returns the nearest one; "" where
 * nothing is near. */
int ht_section_known(const char *section);
const char *ht_section_nearest(const char *section);

/* Sets the value from its text (`count` texts: 1, or the elements of a list); not for
 * HT_KEY_POINTS. `where` starts the message: "case.yaml:3:7" or "--device". Returns `code` with a
 * message where the value is not allowed. */
ht_status ht_key_set(const ht_key *key, void *target, const char *const *texts, int count,
                     const char *where, ht_status code);

/* Returns the numbers of HT_KEY_POINTS, and their number in *count. */
const double *ht_key_points(const ht_key *key, const void *target, int *count);

/* Marks the key of ht_case_keys as given by a person. */
void ht_case_mark_given(ht_case *settings, const ht_key *key);

/* Writes the value as YAML: "auto", "[1, 2, 3]", "0.05". */
void ht_key_print(FILE *stream, const ht_key *key, const void *target);

/* Writes the default of a key of a case in the same way; "" where there is none. */
void ht_key_default(const ht_key *key, char *text, size_t size);

/* Returns 1 where there is a value to print. 0: an empty text, or a point that was not given. */
int ht_key_given(const ht_key *key, const void *target);

/* Writes a text as a YAML scalar, quoted where needed. */
void ht_yaml_quote(FILE *stream, const char *text);

/* Writes the table as text for a person. */
void ht_schema_help(FILE *stream);

#endif
