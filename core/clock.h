/* The clock that every duration is measured by. */
#ifndef HT_CLOCK_H
#define HT_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment before the program began; never goes back. */
double ht_clock_s(void);

#ifdef __cplusplus
}
#endif
#endif
