/* The clock that every duration is measured by, and the time of day. */
#ifndef HT_CLOCK_H
#define HT_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment before the program began; never goes back. */
double ht_clock_s(void);

/* The time now: UTC, ISO 8601 to the second. */
void ht_time_utc(char text[32]);

#ifdef __cplusplus
}
#endif
#endif
