/* The corrections of a case's mask: the list of steps in the folder, and the mask that they make.
 *
 * The steps begin with a copy of mask.nii.gz as it was at the first of them (edits_base.nii.gz).
 * `hemotile edit` and the workbench use these functions on one folder, also at the same time: each
 * call reads the lines of the other first. A step is on the disk before its call returns. */
#ifndef HT_EDITS_H
#define HT_EDITS_H

#include "run/edit/edit_file.h"
#include "run/record/manifest.h"
#include "segment/edit/edit.h"

typedef struct {
  char folder[HT_PATH_MAX];
  ht_edit_file file; /* descriptor -1: there are no steps yet */
  char base_sha256[HT_HASH_TEXT];
  ht_edited edited; /* the mask after `position` steps */
  int position;
  ht_edit_delta *delta; /* [position] of the steps; owned */
  int first_delta;      /* those before this one are not known: the mask was read after them */
  int deltas;           /* room */
  ht_volume scan;       /* read when a step needs it */
  ht_grid limits;       /* grid of the scan, which no step leaves */
} ht_edits;

/* Returns what stands for the vessel of the record's mask, the same on every lattice: the hash of
 * its surface, or of the mask or surface that it was drawn as. */
const char *ht_edits_vessel(const ht_manifest *record);

/* Reads the steps and makes the mask. HT_ERR_NOT_FOUND: the folder has no mask; HT_ERR_CASE: the
 * first mask of the steps is missing or another. Errors of ht_edit_file_open. The caller frees. */
ht_status ht_edits_open(const char *folder, ht_edits *edits);
void ht_edits_free(ht_edits *edits);

/* Brings the mask up to date with the folder, where steps were done or set aside by another
 * process, or a new mask was made. Errors as above. */
ht_status ht_edits_refresh(ht_edits *edits);

/* Does a step at the end of the list; one that changes nothing does not get there (why:
 * ht_edit_nothing). `revision`: file.lines that the caller knows (0: no steps
 * yet); -1: any. `changed` (may be NULL): the box of the voxels that it changed, indices of the
 * lattice; empty where first > last. HT_ERR_USAGE: another page or command has done a step since
 * that revision; or the step is refused (ht_edit_apply). HT_ERR_WRITE: nothing is done. */
ht_status ht_edits_do(ht_edits *edits, int revision, const ht_edit_step *step, ht_box *changed);

/* Does a step of another list, after any revision: it is kept also where it changes nothing here,
 * as the undos of that list count it. Otherwise as ht_edits_do. */
ht_status ht_edits_repeat(ht_edits *edits, const ht_edit_step *step, ht_box *changed);

/* Undoes or does again steps up to a position in the list. Otherwise as ht_edits_do. */
ht_status ht_edits_move(ht_edits *edits, int revision, int position, ht_box *changed);

/* Keeps the mask, so that the next ht_edits_open need not repeat all steps. A failure loses
 * nothing. */
ht_status ht_edits_keep(const ht_edits *edits);

#endif
