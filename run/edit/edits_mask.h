/* How the corrections of a case reach mask.nii.gz, which the flow is computed in, and what becomes
 * of them when the vessel is segmented again. */
#ifndef HT_EDITS_MASK_H
#define HT_EDITS_MASK_H

#include "core/work/progress.h"
#include "run/edit/edits.h"
#include "run/record/manifest.h"

/* Writes the corrected mask to mask.nii.gz: on the lattice of the steps' first mask, or, where the
 * vessel was segmented on another lattice since, on that one (ht_edited_onto). Without steps it
 * writes the mask as it was. Call it with the folder locked. `record`: the folder's. `force`: also
 * where another program has changed mask.nii.gz since; that file is then kept as
 * mask_edited_N.nii.gz. HT_ERR_USAGE: it has, without `force`; HT_ERR_CASE: the steps belong to
 * another vessel; HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_edits_write_mask(ht_edits *edits, const ht_manifest *record, int force,
                              const ht_progress *progress);

/* What the list of steps knows of the mask.nii.gz with this hash. */
typedef struct {
  int is_made;    /* it was made of the steps */
  int is_pending; /* the list has changed since the last mask was made of it */
  int steps;      /* that count */
  int is_again;   /* 1: they can be made again in another mask of the vessel; 0: they began with a
                     mask that another program has changed, and go with it */
} ht_edits_known;

/* Looks into the list; all 0 where there is none. Errors of ht_edit_file_open. */
ht_status ht_edits_look(const char *folder, const char *mask_sha256, ht_edits_known *known);

/* After a segmentation, with the folder locked and its new record: corrections of the same vessel
 * are made on the new lattice, *made 1; those of another vessel are set aside as edits_N.jsonl, and
 * the name is in `aside` ("": none). Errors as above. */
ht_status ht_edits_after_segment(const char *folder, const ht_manifest *record,
                                 const ht_progress *progress, int *made, char aside[64]);

#endif
