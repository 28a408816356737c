/* What a device has to do: the network on one strip of a scan. Private to segment/learned/. */
#ifndef HT_LEARNED_WORK_H
#define HT_LEARNED_WORK_H

#include "segment/learned/brightness.h"
#include "segment/learned/learned_types.h"
#include "segment/learned/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const ht_volume *scan;
  ht_learned_brightness brightness;
  ht_stream *stream;     /* over rows first_row .. first_row + stream->size[1] - 1 of the scan */
  int first_row;         /* may be < 0, as rows may lie beyond the scan: both read as 0 */
  int from_row, end_row; /* rows of the scan whose outputs count: from_row .. end_row - 1 */
  int threads;
  const ht_progress *progress; /* may be NULL */
  double done, total;          /* as ht_learned_total, of all strips */
  /* The results, over the whole scan; each may be NULL. */
  float *raw;        /* [5][nz][ny][nx]: the logits of the labels, the distance / 4 voxels */
  ht_learned *found; /* its four images */
} ht_learned_work;

/* Returns the memory that the work takes on the device, in bytes. */
double ht_learned_cpu_bytes(const ht_stream *stream);
double ht_learned_cuda_bytes(const ht_stream *stream);

/* Computes the strip. HT_ERR_MEMORY, HT_ERR_INTERRUPTED; with CUDA also HT_ERR_DEVICE. */
ht_status ht_learned_cpu_run(ht_learned_work *work);
ht_status ht_learned_cuda_run(ht_learned_work *work);

/* Finds a GPU that works: its name and free memory. 0: none, and why. */
int ht_learned_cuda_find(char name[128], char why[256], double *free_bytes);

/* Writes the brightness of a row of the strip, all stream->size[0] voxels. */
void ht_learned_read_row(const ht_learned_work *work, int row, int z, float *out);

/* Returns the first voxel of a row of the strip in the scan's images, or -1: it does not count. */
int64_t ht_learned_row_voxel(const ht_learned_work *work, int row, int z);

/* Counts the progress: voxels of the convolutions on the scan's own lattice. The first gives those
 * of the whole stream, the second reports that a stage has done a slice. HT_ERR_INTERRUPTED. */
double ht_learned_total(const ht_stream *stream);
ht_status ht_learned_report(ht_learned_work *work, const ht_stage *stage);

#ifdef __cplusplus
}
#endif
#endif
