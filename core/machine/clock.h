/* The clock that measures every duration, and the time of day. */
#ifndef HT_CLOCK_H
#define HT_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment before the program began; never goes back. */
double ht_clock_s(void);

/* Returns the time on that clock at which the program began, to a hundredth of a second; what the
 * system did to start it counts. Call it within a minute of the start. Later, and where the system
 * does not tell: now. */
double ht_clock_program_s(void);

/* Writes the time now: UTC, ISO 8601 to the second. */
void ht_time_utc(char text[32]);

#ifdef __cplusplus
}
#endif
#endif
