/* ITK's threads, started at a time of the caller's choice. */
#ifndef HT_ITK_THREADS_H
#define HT_ITK_THREADS_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As many as ITK would start with its first filter; 0 where there is no memory for any. */
int ht_itk_threads(void);

/* Starts so many, once: later calls do nothing. ITK ends the program where one of its own cannot be
 * started, so that it has to be known before that they can. HT_ERR_MEMORY where that is known too
 * late. */
ht_status ht_itk_threads_start(int threads);

#ifdef __cplusplus
}
#endif
#endif
