/* The workbench: a page in the browser of this machine that does what the command line does for one
 * case, or for those of a folder. It is a front end to the case folder: each click starts a command
 * of hemotile on it, and whatever is done in the page goes on in the terminal, and the other way
 * round. */
#ifndef HT_WORKBENCH_H
#define HT_WORKBENCH_H

#include "core/disk/file.h"

typedef struct {
  const char *scan;   /* scan to import first; NULL: `folder` is a case */
  const char *folder; /* the case folder; NULL: many cases */
  const char *start;  /* folder of scans and cases, where `folder` is NULL */
  const char *series; /* as --series; NULL: the one that is found */
  const char *pacs;   /* settings of an archive, as --pacs; NULL: none */
  int port;           /* 0: one that is free */
  int no_browser;     /* 1: only print the link */
} ht_workbench_options;

/* Serves the page until Ctrl-C. Prints the link. HT_ERR_NETWORK: the port is taken; errors of
 * ht_job_queue_open() and ht_one_open_lock(). */
ht_status ht_workbench_serve(const ht_workbench_options *options);

#endif
