/* Numbers as DICOM writes them (value representation DS, PS3.5, 6.2). */
#ifndef HT_DECIMAL_STRING_H
#define HT_DECIMAL_STRING_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_DECIMAL_STRING = 40 }; /* room for the text, with the 0 at its end */

/* Writes at most 16 characters, with as many digits as fit. Finite values only. */
void ht_decimal_string(double value, char text[HT_DECIMAL_STRING]);

#ifdef __cplusplus
}
#endif
#endif
