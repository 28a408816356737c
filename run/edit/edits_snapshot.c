#include "run/edit/edits_snapshot.h"
#include "core/disk/folder_names.h"
#include "run/folder/hashed_file.h"
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "HTEDITS1";

typedef struct {
  char magic[8];
  char steps_sha256[HT_HASH_TEXT + 7]; /* of the first mask's hash and the lines of the steps */
  int32_t position, first[3], dim[3];
  uint32_t runs; /* runs of voxels that follow: outside and inside in turn, x fastest */
} head;

/* Hashes the first mask and the steps; the steps after `position` do not matter. */
static ht_status hash_steps(const ht_edit_file *file, int position, char hex[HT_HASH_TEXT]) {
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory for a hash");
  ht_hash_add(hash, file->base_sha256, strlen(file->base_sha256));
  for (int e = 0; e < position; e++)
    ht_hash_add(hash, file->entry[e].text, strlen(file->entry[e].text) + 1);
  ht_hash_end(hash, hex);
  return HT_OK;
}

/* Lists the runs where run[] is not NULL; returns their number. */
static uint32_t list_runs(const ht_mask *mask, uint32_t *run) {
  const int64_t voxels = ht_grid_voxels(&mask->grid);
  uint32_t runs = 0, length = 0;
  uint8_t value = 0;
  for (int64_t v = 0; v < voxels; v++, length++) {
    if (mask->inside[v] == value) continue;
    if (run) run[runs] = length;
    runs++;
    length = 0;
    value = !value;
  }
  if (run) run[runs] = length;
  return runs + 1;
}

ht_status ht_edits_snapshot_write(const char *folder, const ht_edit_file *file, int position,
                                  const ht_edited *edited) {
  char path[HT_PATH_MAX];
  head of = {.position = position};
  ht_hashed_output out;
  uint32_t *run;
  if (ht_grid_voxels(&edited->mask.grid) > UINT32_MAX) return HT_OK; /* too large to be kept */
  memcpy(of.magic, magic, sizeof magic);
  HT_TRY(hash_steps(file, position, of.steps_sha256));
  for (int a = 0; a < 3; a++) {
    of.first[a] = edited->first[a];
    of.dim[a] = edited->mask.grid.dim[a];
  }
  of.runs = list_runs(&edited->mask, NULL);
  HT_TRY(ht_path_join(path, folder, HT_FILE_EDITS_MASK));
  HT_TRY(ht_alloc((void **)&run, of.runs, sizeof *run, "the snapshot of the mask"));
  list_runs(&edited->mask, run);
  ht_status status = ht_hashed_create(path, &out);
  if (status == HT_OK) {
    ht_hashed_put(&out, &of, sizeof of);
    ht_hashed_put(&out, run, of.runs * sizeof *run);
    status = ht_hashed_commit(&out, HT_OK);
  }
  free(run);
  return status;
}

/* Fills the window with the runs; returns 0 where they are not as many voxels as it has. */
static int fill(const uint32_t *run, uint32_t runs, ht_mask *mask, int64_t *inside) {
  const int64_t voxels = ht_grid_voxels(&mask->grid);
  int64_t at = 0;
  *inside = 0;
  for (uint32_t r = 0; r < runs; at += run[r++]) {
    if (at + run[r] > voxels) return 0;
    memset(mask->inside + at, r % 2, run[r]);
    if (r % 2) *inside += run[r];
  }
  return at == voxels;
}

static ht_status take(const head *of, const uint32_t *run, ht_edited *edited) {
  ht_edited read = *edited;
  ht_box box;
  for (int a = 0; a < 3; a++) {
    box.first[a] = read.first[a] = of->first[a];
    box.last[a] = of->first[a] + of->dim[a] - 1;
    if (of->dim[a] < 1 || box.first[a] < edited->within.first[a] ||
        box.last[a] > edited->within.last[a])
      return ht_fail(HT_ERR_FORMAT, "a snapshot of another mask");
  }
  const ht_grid grid = ht_box_grid(&edited->lattice, &box);
  HT_TRY(ht_mask_alloc(&grid, &read.mask));
  if (!fill(run, of->runs, &read.mask, &read.voxels)) {
    ht_mask_free(&read.mask);
    return ht_fail(HT_ERR_FORMAT, "a damaged snapshot");
  }
  ht_mask_free(&edited->mask);
  *edited = read;
  return HT_OK;
}

/* Reads the head and finds out whether it is of these steps. */
static ht_status read_head(ht_hashed_input *in, const ht_edit_file *file, int position, head *of) {
  char steps[HT_HASH_TEXT];
  HT_TRY(ht_hashed_get(in, of, sizeof *of));
  if (memcmp(of->magic, magic, sizeof magic) != 0 || of->position < 1 || of->position > position)
    return ht_fail(HT_ERR_FORMAT, "a snapshot of more steps");
  HT_TRY(hash_steps(file, of->position, steps));
  if (strncmp(steps, of->steps_sha256, sizeof steps) != 0)
    return ht_fail(HT_ERR_FORMAT, "a snapshot of other steps");
  return ht_hashed_expect(in, (double)of->runs * sizeof(uint32_t));
}

int ht_edits_snapshot_read(const char *folder, const ht_edit_file *file, int position,
                           ht_edited *edited) {
  char path[HT_PATH_MAX];
  ht_hashed_input in;
  head of;
  uint32_t *run = NULL;
  if (position == 0 || ht_path_join(path, folder, HT_FILE_EDITS_MASK) != HT_OK ||
      !ht_file_exists(path) || ht_hashed_open(path, &in) != HT_OK)
    return 0;
  ht_status status = read_head(&in, file, position, &of);
  if (status == HT_OK)
    status = ht_alloc((void **)&run, (size_t)of.runs + 1, sizeof *run, "the snapshot of the mask");
  if (status == HT_OK) status = ht_hashed_get(&in, run, of.runs * sizeof *run);
  status = ht_hashed_close(&in, status);
  if (status == HT_OK) status = take(&of, run, edited);
  free(run);
  return status == HT_OK ? of.position : 0;
}
