/* Numbers as people write them. */
#ifndef HT_NUMBER_TEXT_H
#define HT_NUMBER_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the decimal number at the beginning of a text ("-1.5e3"). strtod() also takes hexadecimal
 * numbers, "inf" and "nan", which are typing mistakes: here "0x1A" is 0 and *end points to the 'x'.
 * *end is `text` where no number begins. Too large a number is infinite. */
double ht_number_read(const char *text, char **end);

#ifdef __cplusplus
}
#endif
#endif
