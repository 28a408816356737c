/* The words that stand for the values of an enum in case files and options: lists in the order of
 * the values, NULL at the end, as ht_precision_words. */
#ifndef HT_WORDS_H
#define HT_WORDS_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of the word that is the first `length` characters of `text`; -1: none. */
int ht_word_find(const char *const *words, const char *text, size_t length);

/* Writes all words as one text: "fp32|fp64". Cut short where `size` is too small. */
void ht_word_list(const char *const *words, const char *between, char *text, size_t size);

/* Writes a text broken between words into lines of at most HT_WRAP_COLUMNS, each after `indent`
 * blanks. The first continues a line of `column` columns after a blank, if there is room. */
enum { HT_WRAP_COLUMNS = 120 };
void ht_words_wrap(FILE *stream, const char *text, int column, int indent);

/* Writes a duration, rounded: "40 s", "25 minutes", "2.5 hours". */
void ht_duration_words(double seconds, char text[32]);

/* An amount of memory to three digits: "8 kB", "12.3 MB", "1.50 GB", in powers of 1000. For one
 * message: ht_memory_words(bytes).text. */
typedef struct {
  char text[24];
} ht_memory_text;
ht_memory_text ht_memory_words(double bytes);

/* Returns 1 where the text has a control character, which a terminal would obey. No text of a case
 * may hold one. */
int ht_text_has_control(const char *text);

/* Copies as many whole characters as fit. '_' replaces control characters and bytes that are no
 * UTF-8, as a name from outside may hold them. */
void ht_text_copy(const char *from, char *to, size_t size);

/* Marks around what a person typed, in a text for the log (run/privacy/redact.h); they occur in no
 * other text. */
#define HT_MARK_BEGIN "\002"
#define HT_MARK_END   "\003"

#ifdef __cplusplus
}
#endif

#endif
