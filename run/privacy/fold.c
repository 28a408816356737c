#include "run/privacy/fold.h"
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <unicode/utrans.h>

/* Limits: a letter of three bytes (of Arabic) becomes 18 at most; one with its marks is cut at
 * CLUSTER_MAX. */
enum { LETTERS_A_BYTE = 6, CLUSTER_MAX = 64 };

/* Transliterators of the process, made at their first use. */
static UTransliterator *made[HT_FOLD_WAYS];

static UTransliterator *transliterator(ht_fold_way way) {
  static const UChar name[] = u"fold";
  static const UChar *const rules[] = {
      u":: NFKD; :: [:Mn:] Remove; :: Latin-ASCII; :: Lower;",
      u":: NFC; [äÄ] > ae; [öÖøØ] > oe; [üÜ] > ue; [åÅ] > aa;"
      u":: NFKD; :: [:Mn:] Remove; :: Latin-ASCII; :: Lower;",
  };
  UErrorCode code = U_ZERO_ERROR;
  if (!made[way]) made[way] = utrans_openU(name, -1, UTRANS_FORWARD, rules[way], -1, NULL, &code);
  return made[way];
}

/* Returns the letter at *at, and moves *at past it. A byte that is no UTF-8 is a letter of
 * Latin-1. */
static UChar32 next_letter(const char *text, int bytes, int *at) {
  int begin = *at;
  UChar32 letter;
  U8_NEXT(text, *at, bytes, letter);
  if (letter >= 0) return letter;
  *at = begin + 1;
  return (unsigned char)text[begin];
}

static ht_letter_kind kind_of(UChar32 letter) {
  UErrorCode code = U_ZERO_ERROR;
  if (u_charDigitValue(letter) >= 0) return HT_DIGIT;
  if (!u_isalpha(letter)) return HT_BETWEEN;
  return uscript_breaksBetweenLetters(uscript_getScript(letter, &code)) ? HT_FREE_LETTER
                                                                        : HT_LETTER;
}

static ht_folded folded(UChar32 letter, const ht_folded *of) {
  ht_folded one = *of;
  int digit = u_charDigitValue(letter);
  one.letter = digit >= 0 ? '0' + digit : u_foldCase(letter, U_FOLD_CASE_DEFAULT);
  one.kind = kind_of(letter);
  return one;
}

/* Reads a letter with its marks, in UTF-16. */
static int32_t read_cluster(const char *text, int bytes, int *at, UChar unit[CLUSTER_MAX]) {
  int32_t count = 0;
  do {
    UChar32 letter = next_letter(text, bytes, at);
    if (count + 2 < CLUSTER_MAX / 2) U16_APPEND_UNSAFE(unit, count, letter);
    int next = *at;
    if (next == bytes || u_charType(next_letter(text, bytes, &next)) != U_NON_SPACING_MARK) break;
  } while (1);
  return count;
}

static int fold_cluster(ht_fold_way way, UChar unit[CLUSTER_MAX], int32_t count,
                        const ht_folded *of, ht_folded *out) {
  UErrorCode code = U_ZERO_ERROR;
  UTransliterator *to = transliterator(way);
  int32_t limit = count, length = count;
  int made = 0;
  if (to) utrans_transUChars(to, unit, &length, CLUSTER_MAX, 0, &limit, &code);
  if (U_FAILURE(code)) length = count;
  for (int32_t i = 0; i < length;) {
    UChar32 letter;
    U16_NEXT(unit, i, length, letter);
    out[made++] = folded(letter, of);
  }
  return made;
}

ht_folded *ht_fold(const char *text, size_t bytes, ht_fold_way way, int *letters) {
  ht_folded *out = malloc((LETTERS_A_BYTE * bytes + CLUSTER_MAX) * sizeof *out);
  int count = 0;
  for (int at = 0; out && at < (int)bytes;) {
    UChar unit[CLUSTER_MAX];
    int from = at;
    int32_t units = read_cluster(text, (int)bytes, &at, unit);
    UChar32 first;
    U16_GET(unit, 0, 0, units, first);
    ht_folded of = {0, HT_BETWEEN, from, at, u_islower(first), u_isupper(first)};
    if (at == from + 1 && first < 0x80)
      out[count++] = folded(first, &of);
    else
      count += fold_cluster(way, unit, units, &of, out + count);
  }
  *letters = count;
  return out;
}

int ht_letters_go_on(const ht_folded *first, const ht_folded *second) {
  if (first->kind == HT_DIGIT || second->kind == HT_DIGIT) return first->kind == second->kind;
  if (first->kind != HT_LETTER || second->kind != HT_LETTER) return 0;
  return first->from == second->from || !(first->small && second->large); /* "DoeHead" are two */
}
