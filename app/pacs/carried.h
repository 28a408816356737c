/* List of the series of which the open associations have brought objects. A series is complete when
 * an association that brought it is released, and none that broke meanwhile also brought it. */
#ifndef HT_CARRIED_H
#define HT_CARRIED_H

#include "core/status.h"

typedef struct {
  int sender; /* number of its association, below HT_SENDERS_MAX */
  int came;   /* number of objects of the series that it has brought */
  int fresh;  /* number of these that were not there before */
  int retry;  /* 1: an association that is gone had broken before */
  int broken; /* 1: another association broke that had brought one while this one was open */
  char study[65], series[65];
} ht_carried_series;

/* List of series; zeroed at first. */
typedef struct {
  ht_carried_series *entry; /* [count] owned */
  int count, capacity;
} ht_carried;

/* Adds an object that the sender has brought: 1 where the series `is_new` here, and where it
 * `was_broken` before by an association that is gone. HT_ERR_MEMORY. */
ht_status ht_carried_add(ht_carried *list, int sender, const char *study, const char *series,
                         int is_new, int was_broken);

/* Returns 1 where the sender has brought an object of the series before. */
int ht_carried_has(const ht_carried *list, int sender, const char *study, const char *series);

/* Returns 1 where an open association has brought an object of the study. */
int ht_carried_study(const ht_carried *list, const char *study);

/* Ends the sender's association; `open` says which others are open, a bit each. Calls `whole` for
 * each series that is now complete. HT_ERR_MEMORY. */
ht_status ht_carried_end(ht_carried *list, int sender, int released, unsigned open,
                         void (*whole)(void *user, const ht_carried_series *series), void *user);

void ht_carried_free(ht_carried *list);

#endif
