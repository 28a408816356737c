/* Parts of redact_text.c. Private to it and to them. */
#ifndef HT_REDACT_PARTS_H
#define HT_REDACT_PARTS_H

#include "run/privacy/fold.h"
#include <ctype.h>
#include <stddef.h>
#include <time.h>

/* Returns 1 for a character of a file's name, other than the dot. Bytes beyond ASCII count. */
static inline int ht_redact_is_of_name(char c) {
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || c == '_' || c == '-';
}

/* Makes room in a list for one more item of `size` bytes; 0 where there is no memory, and the list
 * stays. */
int ht_redact_grow(void **list, int count, int *room, size_t size);

/* Returns the hidden words by number, without signs, and the number of letters. */
int ht_redact_words(void);
int ht_redact_word_at(int number, int32_t *letter, int most);

/* Returns the hidden days by number; *day gets year, month and day. */
int ht_redact_days(void);
void ht_redact_day(int number, struct tm *day);

/* Returns the end (number of a letter) of a day to remove that begins there; 0: none begins
 * there. */
int ht_redact_day_at(const ht_folded *text, int letters, int at);
int ht_redact_has_days(void);
void ht_redact_no_days(void);

/* Writes labels over the paths; returns 1 where there were any. */
int ht_redact_paths(char *text, size_t size);
void ht_redact_no_paths(void);

/* Writes "[removed]" over what is quoted; returns 1 where there was anything. */
int ht_redact_quoted(char *text, size_t size);
void ht_redact_allow_nothing(void);
int ht_redact_keeps(void);

/* Least number of digits of a number that is removed. */
enum { HT_REDACT_DIGITS_LEAST = 4 };

/* File names of hemotile's own, ended by NULL; '#' stands for a number too short to be removed. */
extern const char *const ht_own_names[];

/* Returns the length of the name that the text begins with; 0: another. */
size_t ht_own_length(const char *text, const char *name);

/* Returns the length of hemotile's longest own file name that the text begins with; 0: another. */
size_t ht_redact_own_name(const char *text);

#endif
