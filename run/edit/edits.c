#include "run/edit/edits.h"
#include "import/import.h"
#include "run/edit/edits_snapshot.h"
#include "run/folder/folder.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEEP_EVERY = 25 /* steps */ };

const char *ht_edits_vessel(const ht_manifest *record) {
  return record->vessel_sha256[0]    ? record->vessel_sha256
         : record->surface_sha256[0] ? record->surface_sha256
                                     : record->input_sha256;
}

/* ---- opening ---- */

static ht_status path_of(const ht_edits *edits, const char *name, char path[HT_PATH_MAX]) {
  return ht_path_join(path, edits->folder, name);
}

/* Reads the grid that limits the mask: that of the scan, or of the drawn mask. */
static ht_status read_limits(ht_edits *edits) {
  char path[HT_PATH_MAX];
  ht_series_list list = {0};
  HT_TRY(path_of(edits, HT_FILE_SCAN, path));
  if (!ht_file_exists(path)) HT_TRY(path_of(edits, HT_FILE_DRAWN, path));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s is missing: it gives the limits of the mask; import the scan again", path);
  ht_status status = ht_import_list(path, NULL, &list);
  if (status == HT_OK && list.count > 0) edits->limits = list.series[0].grid;
  if (status == HT_OK) status = ht_grid_check(&edits->limits);
  ht_series_list_free(&list);
  return status;
}

static ht_status read_base(ht_edits *edits, const char *name) {
  char path[HT_PATH_MAX];
  ht_mask base = {0};
  const ht_import_options options = {.is_own = 1};
  HT_TRY(path_of(edits, name, path));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s is missing: find the vessel first, with `hemotile segment`", path);
  HT_TRY(ht_hash_file(path, edits->base_sha256));
  if (edits->file.descriptor >= 0 && strcmp(edits->base_sha256, edits->file.base_sha256) != 0)
    return ht_fail(HT_ERR_CASE,
                   "%s is not the mask that the steps of " HT_FILE_EDITS " begin with: put it back "
                   "from a copy of the folder, or set the steps aside by renaming " HT_FILE_EDITS,
                   path);
  HT_TRY(ht_import_vessel(path, &options, &base));
  ht_status status = ht_edited_begin(&base, &edits->limits, &edits->edited);
  ht_mask_free(&base);
  return status;
}

static void forget(ht_edits *edits) {
  for (int d = edits->first_delta; d < edits->position; d++) ht_edit_delta_free(&edits->delta[d]);
  ht_edited_free(&edits->edited);
  edits->position = edits->first_delta = 0;
}

static ht_status need_scan(ht_edits *edits) {
  char path[HT_PATH_MAX];
  if (edits->scan.values) return HT_OK;
  HT_TRY(path_of(edits, HT_FILE_SCAN, path));
  if (!ht_file_exists(path)) return HT_OK; /* the step says what it lacks */
  return ht_import_volume(path, NULL, NULL, &edits->scan);
}

static ht_status room_for_delta(ht_edits *edits) {
  if (edits->position < edits->deltas) return HT_OK;
  const int room = edits->deltas + 256;
  ht_edit_delta *more = realloc(edits->delta, (size_t)room * sizeof *more);
  if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for the steps of the mask");
  edits->delta = more;
  edits->deltas = room;
  return HT_OK;
}

/* Does a step in memory. */
static ht_status step_on(ht_edits *edits, const ht_edit_step *step) {
  HT_TRY(room_for_delta(edits));
  if (step->kind == HT_EDIT_REGION) HT_TRY(need_scan(edits));
  HT_TRY(ht_edit_apply(step, edits->scan.values ? &edits->scan : NULL, &edits->edited,
                       &edits->delta[edits->position]));
  edits->position++;
  return HT_OK;
}

static ht_status step_back(ht_edits *edits) {
  HT_TRY(ht_edit_toggle(&edits->delta[edits->position - 1], &edits->edited));
  ht_edit_delta_free(&edits->delta[--edits->position]);
  return HT_OK;
}

/* Goes to a position of the list: back by the differences that are known, else from the last kept
 * mask or the first one on. */
static ht_status go_to(ht_edits *edits, int position) {
  while (edits->position > position && edits->position > edits->first_delta)
    HT_TRY(step_back(edits));
  if (edits->position > position || !edits->edited.mask.inside) {
    forget(edits);
    HT_TRY(read_base(edits, edits->file.descriptor >= 0 ? HT_FILE_EDITS_BASE : HT_FILE_MASK));
    edits->position = edits->first_delta =
        ht_edits_snapshot_read(edits->folder, &edits->file, position, &edits->edited);
  }
  while (edits->position < position)
    HT_TRY(step_on(edits, &edits->file.entry[edits->position].step));
  return HT_OK;
}

static ht_status open_file(ht_edits *edits) {
  char path[HT_PATH_MAX];
  HT_TRY(path_of(edits, HT_FILE_EDITS, path));
  edits->file.descriptor = -1;
  return ht_file_exists(path) ? ht_edit_file_open(path, &edits->file) : HT_OK;
}

ht_status ht_edits_open(const char *folder, ht_edits *edits) {
  memset(edits, 0, sizeof *edits);
  edits->file.descriptor = -1;
  snprintf(edits->folder, sizeof edits->folder, "%s", folder);
  ht_status status = open_file(edits);
  if (status == HT_OK) status = read_limits(edits);
  if (status == HT_OK) status = go_to(edits, edits->file.position);
  if (status != HT_OK) ht_edits_free(edits);
  return status;
}

void ht_edits_free(ht_edits *edits) {
  forget(edits);
  free(edits->delta);
  ht_edit_file_close(&edits->file);
  ht_volume_free(&edits->scan);
  memset(edits, 0, sizeof *edits);
  edits->file.descriptor = -1;
}

/* ---- keeping up with the folder ---- */

static ht_status open_again(ht_edits *edits) {
  char folder[HT_PATH_MAX];
  snprintf(folder, sizeof folder, "%s", edits->folder);
  ht_edits_free(edits);
  return ht_edits_open(folder, edits);
}

/* Takes over the lines that another process has appended. `before`: the list that the mask is of.
 */
static ht_status follow(ht_edits *edits, int before_lines) {
  if (edits->file.lines == before_lines) return HT_OK;
  /* The steps that the mask has may have been dropped: only what is in the list is known. */
  forget(edits);
  return go_to(edits, edits->file.position);
}

ht_status ht_edits_refresh(ht_edits *edits) {
  char path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  const int lines = edits->file.lines;
  HT_TRY(path_of(edits, HT_FILE_EDITS, path));
  if (edits->file.descriptor < 0) {
    if (ht_file_exists(path)) return open_again(edits);
    HT_TRY(path_of(edits, HT_FILE_MASK, path));
    HT_TRY(ht_hash_file(path, sha256));
    return strcmp(sha256, edits->base_sha256) == 0 ? HT_OK : open_again(edits);
  }
  ht_status status = ht_edit_file_lock(&edits->file);
  if (status == HT_ERR_NOT_FOUND) return open_again(edits);
  HT_TRY(status);
  ht_edit_file_unlock(&edits->file);
  return follow(edits, lines);
}

/* ---- steps ---- */

/* Begins the list: keeps the mask that the steps begin with, then makes the file. */
static ht_status begin_list(ht_edits *edits) {
  char mask[HT_PATH_MAX], base[HT_PATH_MAX], path[HT_PATH_MAX], sha256[HT_HASH_TEXT];
  ht_manifest *manifest;
  HT_TRY(path_of(edits, HT_FILE_MASK, mask));
  HT_TRY(path_of(edits, HT_FILE_EDITS_BASE, base));
  HT_TRY(path_of(edits, HT_FILE_MANIFEST, path));
  HT_TRY(ht_alloc((void **)&manifest, 1, sizeof *manifest, "the record"));
  ht_status status = ht_manifest_read(path, manifest);
  const int is_own = status == HT_OK && manifest->has_mask &&
                     strcmp(manifest->mask_sha256, edits->base_sha256) == 0 &&
                     manifest->stage[HT_STAGE_SEGMENT].ended[0]; /* else to be looked at only */
  if (status == HT_OK) status = ht_file_copy(mask, base);
  if (status == HT_OK) status = ht_hash_file(base, sha256);
  if (status == HT_OK && strcmp(sha256, edits->base_sha256) != 0)
    status = ht_fail(HT_ERR_USAGE, "%s was changed since: reload the page, or try again", mask);
  if (status == HT_OK) status = path_of(edits, HT_FILE_EDITS, path);
  if (status == HT_OK)
    status = ht_edit_file_create(path, sha256, is_own ? ht_edits_vessel(manifest) : "");
  free(manifest);
  if (status == HT_OK) status = ht_edit_file_open(path, &edits->file);
  return status;
}

static ht_status check_revision(const ht_edits *edits, int revision) {
  if (revision < 0 || revision == edits->file.lines) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "the mask was corrected in another page or command since: look at "
                               "it as it is now, and do the step again");
}

/* Locks the list, up to date; there may be none. */
static ht_status lock(ht_edits *edits, int revision) {
  HT_TRY(ht_edits_refresh(edits));
  HT_TRY(check_revision(edits, revision));
  if (edits->file.descriptor < 0) return HT_OK;
  const int lines = edits->file.lines;
  HT_TRY(ht_edit_file_lock(&edits->file));
  ht_status status = follow(edits, lines);
  if (status == HT_OK) status = check_revision(edits, revision);
  if (status != HT_OK) ht_edit_file_unlock(&edits->file);
  return status;
}

static ht_status do_locked(ht_edits *edits, const ht_edit_step *step, int keeps_all,
                           ht_box *changed) {
  HT_TRY(step_on(edits, step));
  const ht_edit_delta *delta = &edits->delta[edits->position - 1];
  const ht_box none = {{0}, {-1, -1, -1}};
  if (changed) *changed = delta->runs ? delta->box : none;
  if (!delta->runs && !keeps_all) return step_back(edits);
  ht_status status = HT_OK;
  if (edits->file.descriptor < 0) {
    status = begin_list(edits);
    if (status == HT_OK) status = ht_edit_file_lock(&edits->file);
  }
  if (status == HT_OK) status = ht_edit_file_add_step(&edits->file, step);
  if (status == HT_OK) return HT_OK;
  char why[1024];
  snprintf(why, sizeof why, "%s", ht_error_message());
  HT_TRY(step_back(edits));
  return ht_fail(status, "%s", why);
}

static void keep_now_and_then(const ht_edits *edits) {
  if (edits->position % KEEP_EVERY == 0) ht_edits_keep(edits); /* without it opening takes longer */
}

static ht_status do_one(ht_edits *edits, int revision, const ht_edit_step *step, int keeps_all,
                        ht_box *changed) {
  HT_TRY(lock(edits, revision));
  ht_status status = do_locked(edits, step, keeps_all, changed);
  if (edits->file.descriptor >= 0) ht_edit_file_unlock(&edits->file);
  if (status == HT_OK) keep_now_and_then(edits);
  return status;
}

ht_status ht_edits_do(ht_edits *edits, int revision, const ht_edit_step *step, ht_box *changed) {
  return do_one(edits, revision, step, 0, changed);
}

ht_status ht_edits_repeat(ht_edits *edits, const ht_edit_step *step, ht_box *changed) {
  return do_one(edits, -1, step, 1, changed);
}

static void add_box(const ht_edit_delta *delta, ht_box *box) {
  for (int a = 0; a < 3 && delta->runs > 0; a++) {
    if (delta->box.first[a] < box->first[a]) box->first[a] = delta->box.first[a];
    if (delta->box.last[a] > box->last[a]) box->last[a] = delta->box.last[a];
  }
}

/* Moves, and finds what changed: all of the window where that is not known. */
static ht_status move_locked(ht_edits *edits, int position, ht_box *changed) {
  const int from = edits->position;
  ht_box box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
  HT_TRY(ht_edit_file_move(&edits->file, position));
  for (int d = position; d < from; d++)
    if (d >= edits->first_delta) add_box(&edits->delta[d], &box);
  const int known = position >= edits->first_delta;
  HT_TRY(go_to(edits, position));
  for (int d = from; d < position; d++) add_box(&edits->delta[d], &box);
  for (int a = 0; a < 3 && !known; a++) {
    box.first[a] = edits->edited.first[a];
    box.last[a] = box.first[a] + edits->edited.mask.grid.dim[a] - 1;
  }
  if (changed) *changed = box;
  return HT_OK;
}

ht_status ht_edits_move(ht_edits *edits, int revision, int position, ht_box *changed) {
  HT_TRY(lock(edits, revision));
  if (edits->file.descriptor < 0)
    return ht_fail(HT_ERR_USAGE, "there are no steps to undo or to do again");
  ht_status status = move_locked(edits, position, changed);
  ht_edit_file_unlock(&edits->file);
  return status;
}

ht_status ht_edits_keep(const ht_edits *edits) {
  return edits->position > 0
             ? ht_edits_snapshot_write(edits->folder, &edits->file, edits->position, &edits->edited)
             : HT_OK;
}
