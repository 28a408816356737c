#define _POSIX_C_SOURCE 200809L
#include "phantom/labelled/labelled.h"
#include "core/disk/file.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  char magic[8];
  int32_t version, edge, count, zero;
  uint64_t seed, zeros[4];
} file_head;

typedef struct {
  uint64_t seed;
  float spacing_mm[3];
  uint32_t has;
  float whole[2];
} record_tail;

/* Writes a volume into its place; volumes come in any order. */
static int record_write(FILE *stream, int64_t number, const ht_labelled *volume) {
  size_t voxels = (size_t)volume->edge * (size_t)volume->edge * (size_t)volume->edge;
  int64_t size = (int64_t)(4 * voxels + sizeof(record_tail));
  record_tail tail = {
      .seed = volume->seed, .has = volume->has, .whole = {volume->whole[0], volume->whole[1]}};
  for (int a = 0; a < 3; a++) tail.spacing_mm[a] = (float)volume->spacing_mm[a];
  return fseeko(stream, (off_t)((int64_t)sizeof(file_head) + number * size), SEEK_SET) == 0 &&
         fwrite(volume->scan, sizeof *volume->scan, voxels, stream) == voxels &&
         fwrite(volume->label, 1, voxels, stream) == voxels &&
         fwrite(volume->distance, 1, voxels, stream) == voxels &&
         fwrite(&tail, sizeof tail, 1, stream) == 1;
}

static ht_status write_one(FILE *stream, const file_head *head, int number, int *done,
                           const ht_progress *progress) {
  ht_labelled volume;
  ht_status status = HT_OK;
  HT_TRY(ht_labelled_make(head->seed + (uint64_t)number, head->edge, &volume));
#pragma omp critical(labelled_write)
  {
    if (!record_write(stream, number, &volume))
      status = ht_fail(HT_ERR_WRITE, "cannot write the volumes: %s", ht_file_reason());
    else
      status = ht_progress_report(progress, "phantom", ++*done, head->count, "");
  }
  ht_labelled_free(&volume);
  return status;
}

static ht_status write_all(FILE *stream, const file_head *head, const ht_progress *progress) {
  ht_status first = HT_OK;
  char message[512] = "";
  int done = 0, failed = 0;
  if (fwrite(head, sizeof *head, 1, stream) != 1)
    return ht_fail(HT_ERR_WRITE, "cannot write the volumes: %s", ht_file_reason());
#pragma omp parallel for schedule(dynamic, 1)
  for (int n = 0; n < head->count; n++) {
    int stop;
#pragma omp atomic read
    stop = failed;
    ht_status status = stop ? HT_OK : write_one(stream, head, n, &done, progress);
    if (status == HT_OK) continue;
#pragma omp critical(labelled_failed)
    if (!failed) { /* a message is its thread's own */
      first = status;
      snprintf(message, sizeof message, "%s", ht_error_message());
#pragma omp atomic write
      failed = 1;
    }
  }
  return first == HT_OK ? HT_OK : ht_fail(first, "%s", message);
}

ht_status ht_labelled_write(const char *path, uint64_t seed, int count, int edge,
                            const ht_progress *progress) {
  file_head head = {.magic = "HTLABELS", .version = 1, .edge = edge, .count = count, .seed = seed};
  ht_output output;
  if (count < 1) return ht_fail(HT_ERR_USAGE, "%d volumes: at least 1 is needed", count);
  HT_TRY(ht_output_open(path, &output));
  return ht_output_end(&output, write_all(output.stream, &head, progress));
}
