/* One case on its way through the stages: its products in memory, and its case folder.
 *
 * Each stage leaves files in the folder. A stage takes its inputs from memory where an earlier
 * stage of the same run left them, else from the folder (run_need.h).
 */
#ifndef HT_RUN_STATE_H
#define HT_RUN_STATE_H

#include "case.h"
#include "export.h"
#include "folder.h"
#include "manifest.h"
#include "placed.h"
#include "sensitivity.h"

/* The folder as this run found it, and the right to replace what is in it (run_guard.h). */
typedef struct {
  int force;        /* replace a mask that was edited by hand, and the case of another scan */
  int claimed;      /* its lock is ours, and `held` is read */
  int own_scan;     /* the folder's scan is the input: nothing to import */
  int keep_case;    /* its case.yaml was edited by hand: keep it under another name */
  int keep_mask;    /* so was its mask.nii.gz, and `force` has it replaced */
  ht_manifest held; /* its record at that time */
} ht_run_claim_state;

/* The flow and its load on the wall. */
typedef struct {
  ht_flow flow;
  ht_flow_stats stats;
  ht_wall_cycle cycle; /* samples 0: a steady flow */
  ht_wall_stats wall;
  ht_cycle_stats cycle_stats;
  ht_status outcome; /* HT_OK or HT_ERR_NOT_STEADY */
  char outcome_message[1024];
} ht_run_result;

typedef struct {
  ht_case *settings; /* owned */
  char folder[HT_PATH_MAX];
  char typed[HT_PATH_MAX + 2]; /* the folder as typed in a command: in quotes where it needs them */
  ht_stage first, last;
  ht_run_claim_state claim;
  ht_manifest manifest; /* the record of this run */
  ht_path_list files;   /* that the import read. Owned */

  ht_volume scan;                 /* values NULL: not in memory */
  ht_mask drawn;                  /* a ready mask as imported */
  ht_vessel *vessel;              /* while its lattice is chosen; else NULL */
  ht_mask mask;                   /* on the isotropic lattice, cut at the openings */
  char mask_sha256[HT_HASH_TEXT]; /* of mask.nii.gz as it is now */
  int mask_edited;                /* it is not as hemotile wrote it */
  int has_openings;
  ht_placed placed;
  ht_domain domain;
  ht_tiling tiling;
  ht_run_result result;
  ht_sensitivity sensitivity;
} ht_run;

/* Path of a file of the folder. HT_ERR_USAGE where it is too long. */
ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]);

/* The name of the case in its results: its own, or the folder's where it has none. */
const char *ht_run_name(const ht_run *run, char folder[HT_PATH_MAX]);

/* Frees the run and all that it owns; NULL is allowed. */
void ht_run_free(ht_run *run);

#endif
