/* A time span as a person writes it: "90s", "15min", "1.5h", "2d". */
#ifndef HT_TIME_SPAN_H
#define HT_TIME_SPAN_H

#include <stddef.h>

/* Words of lattice.within in place of a span, as seconds. */
#define HT_WITHIN_AUTO 0.
#define HT_WITHIN_NO   (-1.)
/* Shortest and longest span, s. */
#define HT_TIME_SPAN_LEAST_S 10.
#define HT_TIME_SPAN_MOST_S  (365 * 86400.)

/* Reads a span: a number above 0 and s, min, h or d, without a blank. Returns 0 where it is none;
 * *seconds is then unchanged. */
int ht_time_span_read(const char *text, double *seconds);

/* Writes the span in the largest unit that gives a whole number, else in seconds; "auto" and "no"
 * for these. */
enum { HT_TIME_SPAN_TEXT = 32 };
void ht_time_span_put(double seconds, char text[HT_TIME_SPAN_TEXT]);

#endif
