/* Takes words out of texts that go to files: those of a patient's identity (identity.h). */
#ifndef HT_REDACT_H
#define HT_REDACT_H

#include <stddef.h>

/* From now on this word is taken out: in large or small letters, where it stands as a whole. Not
 * where it has less than 3 letters, or is a number of less than 4 digits: these are in any text. */
void ht_redact_word(const char *text, size_t length);
void ht_redact_nothing(void);

/* Writes "[removed]" over every such word. `size` is that of the text's memory: what does not fit
 * any more is cut. 1 where something was removed. */
int ht_redact(char *text, size_t size);

#endif
