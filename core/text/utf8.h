/* Text in UTF-8. */
#ifndef HT_UTF8_H
#define HT_UTF8_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of bytes (1 to 4) of the character at the beginning of the text, which ends
 * with a 0; 0 where the bytes there are no UTF-8 (RFC 3629: no overlong form, no surrogate, nothing
 * above U+10FFFF). */
int ht_utf8_bytes(const char *text);

/* Returns the bytes of as many whole characters as fit into `size` bytes with a 0 at the end. */
int ht_utf8_fit(const char *text, size_t size);

/* Returns the bytes of the text less its characters: a column of printf ("%-*s") has to be wider by
 * that number. */
int ht_utf8_extra(const char *text);

/* Returns the width of a column, in characters: that of the longest of `count` texts that are
 * `stride` bytes apart, or `least`. `first` may be NULL where count is 0. */
int ht_utf8_width(int least, const char *first, size_t stride, int count);

#ifdef __cplusplus
}
#endif
#endif
