/* Takes words, dates and paths out of texts that go to files: those of a patient's identity
 * (identity.h). */
#ifndef HT_REDACT_H
#define HT_REDACT_H

#include <stddef.h>

/* From now on this word is taken out where it stands as a whole: in large or small letters, with
 * its accents or without (or as "ue" for "ü"), its parts joined by other signs or none, a number
 * with or without zeros before it. Not where it has less than 3 letters (2 of Chinese, Japanese and
 * other scripts without spaces), or is a number of less than 4 digits: these are in any text. */
void ht_redact_word(const char *text, size_t length);

/* And this day, YYYYMMDD: with the year's two or four digits, in any order and with any signs
 * between, also with the month's English name. Nothing where the text is no date. */
void ht_redact_date(const char *date);

/* And this path, as these bytes, wherever it stands as a whole: the label takes its place. Where
 * `deep`, what follows it goes, too ("PATH/a/b"), else it stays behind the label. Not a path in one
 * of those that do not go as deep; one of a single letter only where '/' follows, and a plain word
 * ("scan") only where messages have paths. */
void ht_redact_path(const char *path, const char *label, int deep);

void ht_redact_nothing(void);

/* Writes "[removed]" over every such word and day, and labels over paths. Names of files that
 * hemotile gives ("case.yaml") and what its lines begin with ("warning: ") stay, whatever the
 * patient is called. `size` is that of the text's memory: what does not fit any more is cut. 1
 * where something was removed. */
int ht_redact(char *text, size_t size);

/* The same of a name, which may be that of a path: words and days alone. */
int ht_redact_name(char *text, size_t size);

#endif
