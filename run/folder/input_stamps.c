#define _POSIX_C_SOURCE 200809L /* st_mtim */
#include "run/folder/input_stamps.h"
#include "core/disk/file.h"
#include "run/folder/folder.h"
#include "core/vessel/volume.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH = 200 }; /* as deep as an import looks into a folder */

struct ht_input_stamp {
  int is_known;
  ino_t number;
  off_t size;
  struct timespec written, changed;
};

static ht_input_stamp stamp_of(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return (ht_input_stamp){0};
  return (ht_input_stamp){1, info.st_ino, info.st_size, info.st_mtim, info.st_ctim};
}

static int same_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int same_stamp(const ht_input_stamp *a, const ht_input_stamp *b) {
  return a->is_known == b->is_known && a->number == b->number && a->size == b->size &&
         same_time(&a->written, &b->written) && same_time(&a->changed, &b->changed);
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static ht_status add_lines(const char *lines, ht_path_list *files) {
  char path[HT_PATH_MAX];
  while (*lines) {
    const size_t length = strcspn(lines, "\n");
    snprintf(path, sizeof path, "%.*s", (int)length, lines);
    HT_TRY(ht_path_list_add(files, path));
    lines += length + (lines[length] == '\n');
  }
  return HT_OK;
}

static ht_status list_files(const char *input, int beside, const char *more, ht_path_list *files,
                            int *has_folder) {
  char folder[HT_PATH_MAX];
  const int is_folder = ht_folder_exists(input);
  ht_folder_of(input, folder);
  if (is_folder) *has_folder = ht_path_list_folder(input, DEPTH, files) == HT_OK;
  if (!is_folder && beside) (void)ht_path_list_folder(folder, 0, files);
  if (!is_folder) HT_TRY(ht_path_list_add(files, input));
  return add_lines(more, files);
}

ht_status ht_input_stamps_take(const char *input, int beside, const char *more,
                               ht_input_stamps *stamps) {
  ht_path_list *files = &stamps->files;
  memset(stamps, 0, sizeof *stamps);
  ht_status status = list_files(input, beside, more, files, &stamps->has_folder);
  if (status == HT_OK)
    status = ht_alloc((void **)&stamps->of, (size_t)files->count + 1, sizeof *stamps->of,
                      "the input's files");
  if (status != HT_OK) {
    ht_input_stamps_free(stamps);
    return status;
  }
  if (files->count > 0)
    qsort(files->path, (size_t)files->count, sizeof *files->path, compare_paths);
  for (int i = 0; i < files->count; i++) stamps->of[i] = stamp_of(files->path[i]);
  return HT_OK;
}

ht_status ht_input_stamps_check(const ht_input_stamps *stamps, const ht_path_list *read) {
  const ht_path_list *files = &stamps->files;
  for (int i = 0; i < read->count && files->count > 0; i++) {
    char **found = bsearch(&read->path[i], files->path, (size_t)files->count, sizeof *files->path,
                           compare_paths);
    const ht_input_stamp now = stamp_of(read->path[i]);
    if (found && !same_stamp(&stamps->of[found - files->path], &now))
      return ht_fail(HT_ERR_FORMAT,
                     "%s: it was changed while it was read; wait until it is complete, and run "
                     "again",
                     read->path[i]);
  }
  return HT_OK;
}

void ht_input_stamps_free(ht_input_stamps *stamps) {
  ht_path_list_free(&stamps->files);
  free(stamps->of);
  memset(stamps, 0, sizeof *stamps);
}
