/* Removes the words, dates and paths of a patient's identity (identity.h) from texts that go to
 * files. */
#ifndef HT_REDACT_H
#define HT_REDACT_H

#include <stddef.h>

/* Hides this word from now on where it stands as a whole: in capital or small letters, with or
 * without its accents (or with "ue" for "ü"), its parts joined by other signs or none, a number
 * with or without leading zeros. Words of fewer than 3 letters (2 of Chinese, Japanese and other
 * scripts without spaces) and numbers of fewer than 4 digits are not removed: any text has them. */
void ht_redact_word(const char *text, size_t length);

/* Hides this day, YYYYMMDD, from now on: with two or four digits of the year, in any order, with
 * any signs between, also with the month's English name. No effect where the text is no date. */
void ht_redact_date(const char *date);

/* Replaces this path by the label from now on, byte for byte, where it stands as a whole. `deep`:
 * it also replaces the rest of a longer path ("PATH/a/b"); else the rest stays after the label. A
 * path inside one that is not deep is not replaced; a path of a single letter only where '/'
 * follows, and a plain word ("scan") only where messages have paths. */
void ht_redact_path(const char *path, const char *label, int deep);

/* Allows this text in quotes. A message quotes what comes from outside ('x', "x"): from a header, a
 * file, a name of a file, what a person typed. A file keeps only what was allowed here: a text as a
 * whole (the name of an opening), or a text all of whose words were allowed (a key of a case file),
 * with at most one number of up to three digits. HT_MARK_BEGIN and HT_MARK_END (words.h) act as
 * quotes, and are left out. */
void ht_redact_allow(const char *text);

/* Switches redaction off (1): ht_redact() then removes nothing but the marks. */
void ht_redact_keep(int keep);

/* Forgets all of the above. */
void ht_redact_nothing(void);

/* Redacts a message: writes "[removed]" over what it quotes, over every hidden word and day, and
 * labels over paths. hemotile's own file names ("case.yaml") and the starts of its lines ("warning:
 * ") stay, whatever the patient's name. `size` is the size of the text's memory; a longer result is
 * cut. Returns 1 where something was removed. */
int ht_redact(char *text, size_t size);

/* Returns 1 where a name that a person typed may hold a hidden word or day, in whatever spelling:
 * two thirds of a word's letters, with any signs between and any letters around; the day and the
 * year among its numbers. It rather finds too much. */
int ht_redact_holds(const char *name);

/* Redacts a name, also of a file: removes only words and days. */
int ht_redact_name(char *text, size_t size);

#endif
