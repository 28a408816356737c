/* A text as letters that compare: "MÜLLER" and "Müller", in either of Unicode's forms, are one. */
#ifndef HT_APP_FOLD_H
#define HT_APP_FOLD_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  HT_BETWEEN,     /* blanks, signs */
  HT_LETTER,      /* of a script with spaces between words */
  HT_FREE_LETTER, /* of one without (Chinese, Japanese, Thai): a word may stand in any place */
  HT_DIGIT,       /* its value is a digit of ASCII, of whatever script it was */
} ht_letter_kind;

typedef struct {
  int32_t letter; /* code point: small, without marks, of the ASCII letters where it is like one */
  ht_letter_kind kind;
  int from, to;     /* its bytes in the text, those of its marks with them */
  int small, large; /* the text's own letter is such a one */
} ht_folded;

/* A letter with a mark, without it ("Müller" is "muller"), or as its country spells it where there
 * are no marks ("mueller", "soerensen"). */
typedef enum { HT_FOLD_PLAIN, HT_FOLD_SPELT, HT_FOLD_WAYS } ht_fold_way;

/* Folds the text's first `bytes` bytes; bytes that are no UTF-8 are taken as Latin-1. *letters gets
 * their number. NULL where there is no memory; to be freed. */
ht_folded *ht_fold(const char *text, size_t bytes, ht_fold_way way, int *letters);

#endif
