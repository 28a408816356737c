#include "run/edit/edits_mask.h"
#include "export/files/result_files.h"
#include "import/import.h"
#include "run/folder/folder.h"
#include "segment/edit/edit_merge.h"
#include <stdio.h>
#include <string.h>

/* Returns 1 where both files have one content. */
static int is_file(const char *path, const char *sha256) {
  char hex[HT_HASH_TEXT];
  return ht_file_exists(path) && ht_hash_file(path, hex) == HT_OK && strcmp(hex, sha256) == 0;
}

/* Finds the first free name stem_N + ending in the folder. */
static ht_status free_name(const char *folder, const char *stem, const char *ending, int *number,
                           char path[HT_PATH_MAX]) {
  char name[64];
  do {
    snprintf(name, sizeof name, "%s_%d%s", stem, ++*number, ending);
    HT_TRY(ht_path_join(path, folder, name));
  } while (ht_file_exists(path));
  return HT_OK;
}

/* ---- the mask ---- */

/* Returns 1 where the steps began with the mask of the present lattice. */
static int is_same_lattice(const ht_edits *edits, const ht_manifest *record) {
  return strcmp(edits->base_sha256, record->mask_sha256) == 0 || !edits->file.vessel[0];
}

/* Finds hemotile's own mask of the present lattice, and keeps it before it is replaced. */
static ht_status keep_found(const ht_edits *edits, const ht_manifest *record,
                            char found[HT_PATH_MAX]) {
  char mask[HT_PATH_MAX];
  HT_TRY(ht_path_join(mask, edits->folder, HT_FILE_MASK));
  HT_TRY(ht_path_join(found, edits->folder, HT_FILE_MASK_FOUND));
  if (is_file(found, record->mask_sha256)) return HT_OK;
  if (is_file(mask, record->mask_sha256)) return ht_file_copy(mask, found);
  return ht_fail(HT_ERR_CASE,
                 "%s is not the mask that was found on this lattice: run `hemotile segment` again, "
                 "which makes the corrections again, too",
                 found);
}

/* Makes the mask on the lattice of `found`. */
static ht_status onto_found(const ht_edits *edits, const char *found, const ht_progress *progress,
                            ht_mask *mask) {
  char path[HT_PATH_MAX];
  const ht_import_options options = {.is_own = 1};
  ht_mask base = {0}, own = {0};
  HT_TRY(ht_path_join(path, edits->folder, HT_FILE_EDITS_BASE));
  HT_TRY(ht_import_vessel(path, &options, &base));
  ht_status status = ht_import_vessel(found, &options, &own);
  if (status == HT_OK)
    status = ht_edited_onto(&edits->edited, &base, &own, &edits->limits, progress, mask);
  ht_mask_free(&own);
  ht_mask_free(&base);
  return status;
}

/* Checks that the present mask is of the vessel that the steps correct. */
static ht_status check_vessel(const ht_edits *edits, const ht_manifest *record) {
  if (strcmp(edits->file.vessel, ht_edits_vessel(record)) == 0) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "the steps of " HT_FILE_EDITS " belong to another vessel than " HT_FILE_MASK
                 ": run `hemotile segment` again, which sets them aside");
}

/* Puts the new mask under its hidden name. */
static ht_status make_hidden(const ht_edits *edits, const ht_manifest *record,
                             const ht_progress *progress, const char *hidden) {
  char path[HT_PATH_MAX];
  ht_mask mask = {0};
  const int is_same = is_same_lattice(edits, record);
  HT_TRY(ht_path_join(path, edits->folder, HT_FILE_EDITS_BASE));
  if (!is_same) {
    HT_TRY(check_vessel(edits, record));
    HT_TRY(keep_found(edits, record, path));
  }
  if (edits->position == 0) return ht_file_copy(path, hidden);
  ht_status status =
      is_same ? ht_edited_result(&edits->edited, &mask) : onto_found(edits, path, progress, &mask);
  if (status == HT_OK && ht_mask_count(&mask) == 0)
    status = ht_fail(HT_ERR_VESSEL, "nothing is left of the vessel after the corrections");
  if (status == HT_OK) status = ht_export_mask(hidden, &mask);
  ht_mask_free(&mask);
  return status;
}

/* Keeps a mask that another program has changed, or refuses to replace it. */
static ht_status guard(const ht_edits *edits, const ht_manifest *record, int force,
                       const char *path) {
  char hex[HT_HASH_TEXT], kept[HT_PATH_MAX];
  int number = 0;
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, hex));
  if (strcmp(hex, record->mask_sha256) == 0 || strcmp(hex, edits->base_sha256) == 0 ||
      ht_edit_file_made(&edits->file, hex))
    return HT_OK;
  if (!force)
    return ht_fail(HT_ERR_USAGE,
                   "%s was changed by another program after the corrections of " HT_FILE_EDITS
                   ": compute the flow in it as it is (`hemotile solve`), or give --force to put "
                   "the corrections in its place (it is then kept as mask_edited_1.nii.gz)",
                   path);
  HT_TRY(free_name(edits->folder, "mask_edited", ".nii.gz", &number, kept));
  return ht_file_copy(path, kept);
}

static ht_status write_locked(ht_edits *edits, const ht_manifest *record, int force,
                              const ht_progress *progress) {
  char path[HT_PATH_MAX], hex[HT_HASH_TEXT];
  ht_output staged;
  HT_TRY(ht_path_join(path, edits->folder, HT_FILE_MASK));
  HT_TRY(guard(edits, record, force, path));
  HT_TRY(ht_output_name(path, &staged));
  ht_status status = make_hidden(edits, record, progress, staged.hidden);
  if (status == HT_OK) status = ht_hash_file(staged.hidden, hex);
  /* The list names the mask before the mask has its name: after a kill in between, the mask in the
   * folder is one of the list or hemotile's own, and this is done again. */
  if (status == HT_OK) status = ht_edit_file_add_mask(&edits->file, hex);
  if (status != HT_OK) return ht_output_failed(&staged, status);
  return ht_output_rename(&staged);
}

static ht_status write_mask(ht_edits *edits, const ht_manifest *record, int force,
                            const ht_progress *progress) {
  HT_TRY(ht_edits_refresh(edits));
  if (edits->file.descriptor < 0) return HT_OK;
  HT_TRY(ht_edit_file_lock(&edits->file));
  ht_status status = edits->file.position == edits->position
                         ? write_locked(edits, record, force, progress)
                         : ht_fail(HT_ERR_USAGE, "a step was done meanwhile: try again");
  ht_edit_file_unlock(&edits->file);
  return status;
}

ht_status ht_edits_write_mask(ht_edits *edits, const ht_manifest *record, int force,
                              const ht_progress *progress) {
  HT_TRY(ht_edits_refresh(edits));
  if (edits->file.descriptor < 0 || is_same_lattice(edits, record) ||
      record->stage[HT_STAGE_SEGMENT].ended[0])
    return write_mask(edits, record, force, progress);
  return ht_fail(HT_ERR_CASE,
                 "the segmentation of %s did not finish (stopped, or its openings failed), and "
                 "the steps of " HT_FILE_EDITS " are of the vessel before it: run `hemotile "
                 "segment` again",
                 edits->folder);
}

/* ---- for the stages ---- */

ht_status ht_edits_look(const char *folder, const char *mask_sha256, ht_edits_known *known) {
  char path[HT_PATH_MAX];
  ht_edit_file file = {.descriptor = -1};
  memset(known, 0, sizeof *known);
  HT_TRY(ht_path_join(path, folder, HT_FILE_EDITS));
  if (!ht_file_exists(path)) return HT_OK;
  ht_status status = ht_edit_file_open(path, &file);
  if (status == HT_OK) {
    known->is_made = ht_edit_file_made(&file, mask_sha256);
    /* Killed between the line and the mask's name: the last line is of a mask that is not there. */
    const int is_last =
        file.masks > 0 && strcmp(file.mask_sha256[file.masks - 1], mask_sha256) == 0;
    known->is_pending = file.entries > 0 && (file.is_pending || !is_last);
    known->steps = file.position;
    known->is_again = file.vessel[0] != 0;
  }
  ht_edit_file_close(&file);
  return status;
}

/* Gives the steps and their first mask other names. The list goes first: without it the mask is a
 * file that no one reads. */
static ht_status set_aside(const char *folder, char aside[64]) {
  char from[HT_PATH_MAX], to[HT_PATH_MAX], base[HT_PATH_MAX];
  int number = 0;
  HT_TRY(ht_path_join(from, folder, HT_FILE_EDITS));
  HT_TRY(free_name(folder, "edits", ".jsonl", &number, to));
  snprintf(aside, 64, "edits_%d.jsonl", number);
  if (rename(from, to) != 0) return ht_fail(HT_ERR_WRITE, "%s cannot be renamed", from);
  HT_TRY(ht_path_join(from, folder, HT_FILE_EDITS_BASE));
  snprintf(base, sizeof base, "edits_%d_base.nii.gz", number);
  HT_TRY(ht_path_join(to, folder, base));
  if (ht_file_exists(from) && rename(from, to) != 0)
    return ht_fail(HT_ERR_WRITE, "%s cannot be renamed", from);
  HT_TRY(ht_path_join(from, folder, HT_FILE_EDITS_MASK));
  remove(from);
  return HT_OK;
}

ht_status ht_edits_after_segment(const char *folder, const ht_manifest *record,
                                 const ht_progress *progress, int *made, char aside[64]) {
  char path[HT_PATH_MAX];
  ht_edit_file file = {.descriptor = -1};
  ht_edits edits;
  *made = 0;
  aside[0] = 0;
  HT_TRY(ht_path_join(path, folder, HT_FILE_EDITS));
  if (!ht_file_exists(path)) return HT_OK;
  ht_status status = ht_edit_file_open(path, &file);
  const int is_of_it =
      status == HT_OK && file.vessel[0] && strcmp(file.vessel, ht_edits_vessel(record)) == 0;
  const int counts = file.position > 0;
  ht_edit_file_close(&file);
  HT_TRY(status);
  if (!is_of_it) return set_aside(folder, aside);
  if (!counts) return HT_OK;
  HT_TRY(ht_edits_open(folder, &edits));
  status = write_mask(&edits, record, 0, progress);
  ht_edits_free(&edits);
  *made = status == HT_OK;
  return status;
}
