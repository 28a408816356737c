#include "segment/learned/work.h"
#include <string.h>

int64_t ht_learned_row_voxel(const ht_learned_work *work, int row, int z) {
  const int *dim = work->scan->grid.dim, y = work->first_row + row;
  if (z >= dim[2] || y < work->from_row || y >= work->end_row) return -1;
  return ht_voxel_index(dim, (int[3]){0, y, z});
}

void ht_learned_read_row(const ht_learned_work *work, int row, int z, float *out) {
  const int *dim = work->scan->grid.dim, y = work->first_row + row;
  const int in_scan = z < dim[2] && y >= 0 && y < dim[1], count = in_scan ? dim[0] : 0;
  if (in_scan)
    ht_learned_brighten(&work->brightness,
                        work->scan->values + ht_voxel_index(dim, (int[3]){0, y, z}), count, out);
  memset(out + count, 0, (size_t)(work->stream->size[0] - count) * sizeof *out);
}

/* Half of the work is there. */
static int is_fine(const ht_stage *stage) {
  return stage->kind == HT_STAGE_CONV && stage->level == 0;
}

double ht_learned_total(const ht_stream *stream) {
  double slices = 0;
  for (int n = 0; n < stream->count; n++)
    if (is_fine(&stream->stage[n])) slices += stream->stage[n].slices;
  return slices * stream->size[0] * stream->size[1];
}

ht_status ht_learned_report(ht_learned_work *work, const ht_stage *stage) {
  if (!is_fine(stage)) return HT_OK;
  work->done += (double)work->stream->size[0] * work->stream->size[1];
  return ht_progress_report(work->progress, "learned", work->done, work->total, "");
}
