/* ITK's threads, started at a time of the caller's choice. */
#ifndef HT_ITK_THREADS_H
#define HT_ITK_THREADS_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of threads that ITK would start with its first filter; 0 where memory suffices
 * for none. */
int ht_itk_threads(void);

/* Starts this number of threads, once: later calls do nothing. ITK ends the program where it cannot
 * start a thread of its own, so this is tested first. HT_ERR_MEMORY where one cannot be started. */
ht_status ht_itk_threads_start(int threads);

#ifdef __cplusplus
}
#endif
#endif
