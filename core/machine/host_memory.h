/* The memory of this machine that the program may still take. Readers, lattices and the solver on a
 * CPU ask here before they allocate: a system that runs out of memory ends the program without a
 * message.
 */
#ifndef HT_HOST_MEMORY_H
#define HT_HOST_MEMORY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits the program to this many bytes in all, from now on; 0: all that is free. */
void ht_host_memory_limit(double bytes);

/* Makes blocks of 4 MB and more go back to the system as soon as they are freed. Call it at the
 * start of the program. By default glibc keeps ever larger blocks: the peak of an export on 16
 * cores was twice as high. Each thread keeps up to 16 MB of smaller blocks: fetching their pages
 * from the system again and again took a tenth of a small case's processor time. */
void ht_host_memory_give_back(void);

/* Returns the bytes that may still be taken: what is free on the machine, or less where a container
 * (a control group, version 1 or 2, or one around it) or the limit above allows less. 0: not
 * known. */
double ht_host_memory_free(void);

/* Returns the bytes that the program holds now; what it has freed goes back to the system first. 0:
 * not known. */
double ht_host_memory_used(void);

/* Returns the bytes of the machine in all, or less where a container or the limit above allows
 * less. They do not depend on what else runs, for choices that results depend on. 0: not known. */
double ht_host_memory_total(void);

/* Returns HT_ERR_MEMORY where `what` ("the scan") needs more bytes than are free: the message has
 * the need, the free memory, its limit, and `advice`, the remedy. HT_OK where the free memory is
 * not known. In a control group 16 MB are kept for allocations that are not checked. */
ht_status ht_host_memory_check(double bytes, const char *what, const char *advice);

/* Reads ht_host_memory_free and ht_host_memory_total from a machine whose /proc and /sys lie in the
 * folder `root`. */
double ht_host_memory_free_at(const char *root);
double ht_host_memory_total_at(const char *root);

#ifdef __cplusplus
}
#endif
#endif
