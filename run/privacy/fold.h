/* Text as letters that can be compared: "MÜLLER" and "Müller", in either of Unicode's forms, are
 * equal. */
#ifndef HT_APP_FOLD_H
#define HT_APP_FOLD_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  HT_BETWEEN,     /* blanks, signs */
  HT_LETTER,      /* of a script with spaces between words */
  HT_FREE_LETTER, /* of a script without (Chinese, Japanese, Thai): a word can begin anywhere */
  HT_DIGIT,       /* `letter` is the ASCII digit, whatever its script */
} ht_letter_kind;

typedef struct {
  int32_t
      letter; /* code point: lower case, without marks, ASCII where it resembles an ASCII letter */
  ht_letter_kind kind;
  int from, to;     /* its bytes in the text, including its marks */
  int small, large; /* 1: the letter in the text is lower or upper case */
} ht_folded;

/* A letter with a mark becomes the letter without it ("Müller" is "muller"), or its usual spelling
 * without marks ("mueller", "soerensen"). */
typedef enum { HT_FOLD_PLAIN, HT_FOLD_SPELT, HT_FOLD_WAYS } ht_fold_way;

/* Folds the text's first `bytes` bytes; bytes that are no UTF-8 are taken as Latin-1. *letters gets
 * their number. NULL where there is no memory. The caller frees. */
ht_folded *ht_fold(const char *text, size_t bytes, ht_fold_way way, int *letters);

/* Returns 1 where the second letter continues the word, or the number, of the first. */
int ht_letters_go_on(const ht_folded *first, const ht_folded *second);

#endif
