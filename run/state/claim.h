/* State of the folder as a run found it, and the right to replace what is in it (run_guard.h). */
#ifndef HT_CLAIM_H
#define HT_CLAIM_H

#include "run/record/manifest.h"

typedef struct {
  int claimed;   /* this run has its lock and has read `held` */
  int own_scan;  /* the folder's scan is the input: nothing to import */
  int keep_case; /* its case.yaml was edited by hand: keep it under another name */
  int keep_mask; /* mask.nii.gz may have been edited by hand, and --force replaces it: keep a copy
                  */
  ht_manifest held; /* its record as this run found it */
} ht_claim;

#endif
