#include "dicom_folder.h"
#include "file.h"
#include "slice_resample.h"
#include "voxel_size.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- The files ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

typedef struct {
  char **path; /* owned */
  int count, capacity;
} path_list;

static void free_paths(path_list *list) {
  for (int i = 0; i < list->count; i++) free(list->path[i]);
  free(list->path);
  memset(list, 0, sizeof *list);
}

static ht_status add_path(path_list *list, const char *path) {
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 256;
    char **grown = realloc(list->path, (size_t)capacity * sizeof *grown);
    if (!grown) return ht_fail(HT_ERR_MEMORY, "not enough memory to list the files of a folder");
    list->path = grown;
    list->capacity = capacity;
  }
  char *copy = strdup(path);
  if (!copy) return ht_fail(HT_ERR_MEMORY, "not enough memory to list the files of a folder");
  list->path[list->count++] = copy;
  return HT_OK;
}

static ht_status list_files(const char *folder, int depth, path_list *list);

/* A file behind a link counts, also where the link leads nowhere: it may be a slice. A folder
 * behind a link may lead round in a circle. */
static ht_status list_entry(const char *folder, const char *name, int depth, path_list *list) {
  char path[HT_PATH_MAX];
  struct stat itself, target;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return HT_OK;
  HT_TRY(ht_path_join(path, folder, name));
  if (lstat(path, &itself) != 0) return HT_OK;
  if (stat(path, &target) != 0) return S_ISLNK(itself.st_mode) ? add_path(list, path) : HT_OK;
  if (S_ISREG(target.st_mode)) return add_path(list, path);
  if (S_ISDIR(itself.st_mode) && depth > 0) return list_files(path, depth - 1, list);
  return HT_OK;
}

static ht_status list_files(const char *folder, int depth, path_list *list) {
  struct dirent **entry;
  ht_status status = HT_OK;
  int count = scandir(folder, &entry, NULL, alphasort);
  if (count < 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot list the folder: %s", folder, strerror(errno));
  for (int i = 0; i < count; i++) {
    if (status == HT_OK) status = list_entry(folder, entry[i]->d_name, depth, list);
    free(entry[i]);
  }
  free(entry);
  return status;
}

/* ---- Their headers ---- */

/* Takes the slices of a file over; on a failure they are freed. */
static ht_status add_slices(ht_dicom_folder *folder, ht_slice *slice, int count) {
  ht_status status = HT_OK;
  int room = folder->room;
  while (room < folder->slices + count) room = room ? 2 * room : 256;
  ht_slice *grown = room == folder->room
                        ? folder->slice
                        : realloc(folder->slice, (size_t)room * sizeof *folder->slice);
  if (grown) {
    folder->slice = grown;
    folder->room = room;
    memcpy(grown + folder->slices, slice, (size_t)count * sizeof *slice);
    folder->slices += count;
  } else {
    status = ht_fail(HT_ERR_MEMORY, "not enough memory for the list of %d images",
                     folder->slices + count);
    for (int i = 0; i < count; i++) ht_slice_free(&slice[i]);
  }
  free(slice);
  return status;
}

static ht_status read_header(const char *path, ht_dicom_folder *folder) {
  ht_slice *slice;
  ht_file_kind kind;
  int count;
  HT_TRY(ht_dicom_header(path, &kind, &slice, &count));
  folder->looked++;
  if (kind == HT_FILE_DICOM) return add_slices(folder, slice, count);
  if (!folder->example[0]) snprintf(folder->example, sizeof folder->example, "%s", base_name(path));
  folder->other++;
  return HT_OK;
}

static ht_status read_headers(const path_list *list, const ht_progress *progress,
                              ht_dicom_folder *folder) {
  for (int i = 0; i < list->count; i++) {
    if (i % 16 == 0)
      HT_TRY(ht_progress_report(progress, "import", i, list->count, "looking at the files"));
    HT_TRY(read_header(list->path[i], folder));
  }
  return HT_OK;
}

/* ---- The series ---- */

static int by_series(const void *left, const void *right) {
  const ht_slice *a = left, *b = right;
  int order = strcmp(a->series_uid, b->series_uid);
  return order ? order : strcmp(a->path, b->path);
}

/* Keeps the series of the file of that name only; all files are of one folder. */
static void keep_series_of(ht_dicom_folder *folder, const char *name) {
  char uid[sizeof folder->slice->series_uid] = "";
  int kept = 0;
  for (int i = 0; i < folder->slices; i++)
    if (strcmp(base_name(folder->slice[i].path), name) == 0)
      memcpy(uid, folder->slice[i].series_uid, sizeof uid);
  for (int i = 0; i < folder->slices; i++) {
    if (strcmp(folder->slice[i].series_uid, uid) == 0)
      folder->slice[kept++] = folder->slice[i];
    else
      ht_slice_free(&folder->slice[i]);
  }
  folder->slices = kept;
}

static ht_status alloc_series(ht_dicom_folder *folder, int count) {
  size_t n = (size_t)count;
  HT_TRY(ht_alloc((void **)&folder->list.series, n, sizeof *folder->list.series, "the series"));
  HT_TRY(ht_alloc((void **)&folder->stack, n, sizeof *folder->stack, "the series"));
  HT_TRY(ht_alloc((void **)&folder->first, n, sizeof *folder->first, "the series"));
  HT_TRY(ht_alloc((void **)&folder->planes, n, sizeof *folder->planes, "the series"));
  HT_TRY(ht_alloc((void **)&folder->aside, n, sizeof *folder->aside, "the series"));
  return ht_alloc((void **)&folder->status, n, sizeof *folder->status, "the series");
}

static void describe(const ht_slice *slice, int files, ht_series *series) {
  snprintf(series->format, sizeof series->format, "DICOM");
  memcpy(series->uid, slice->series_uid, sizeof series->uid);
  memcpy(series->modality, slice->modality, sizeof series->modality);
  memcpy(series->description, slice->description, sizeof series->description);
  if (!slice->series_uid[0])
    snprintf(series->description, sizeof series->description, "%s files of unknown series",
             slice->status == HT_ERR_NOT_FOUND ? "unreadable" : "damaged");
  series->files = files;
}

/* What is wrong with a series is kept in it; only a lack of memory is a failure here. */
static ht_status add_series(ht_dicom_folder *folder, const ht_stack_options *options, int first,
                            int files) {
  int number = folder->list.count++;
  ht_series *series = &folder->list.series[number];
  describe(&folder->slice[first], files, series);
  folder->first[number] = first;
  folder->planes[number] = files;
  ht_status status = ht_stack_check(&folder->slice[first], &folder->planes[number], options,
                                    &folder->stack[number]);
  series->grid = folder->stack[number].grid;
  snprintf(series->note, sizeof series->note, "%s", folder->stack[number].remark);
  if (status == HT_OK) status = ht_voxel_size_check(series->grid.spacing_mm);
  folder->status[number] = status;
  folder->aside[number] = ht_stack_aside(&folder->slice[first], folder->planes[number]);
  if (status == HT_OK) return HT_OK;
  snprintf(series->problem, sizeof series->problem, "%s", ht_error_message());
  return status == HT_ERR_MEMORY ? status : HT_OK;
}

/* The order in which series are listed: as the scanner numbered them. The slices are sorted by
 * series already, so that this is a stable sort of few. */
static int by_number(const void *left, const void *right) {
  const ht_slice *a = left, *b = right;
  if (a->series_number != b->series_number) return a->series_number < b->series_number ? -1 : 1;
  return by_series(left, right);
}

/* One number for all images of a series (the smallest), so that sorting by it keeps them together.
 */
static void share_number(ht_dicom_folder *folder) {
  for (int i = 0, end; i < folder->slices; i = end) {
    int number = folder->slice[i].series_number;
    for (end = i; end < folder->slices; end++) {
      if (strcmp(folder->slice[i].series_uid, folder->slice[end].series_uid) != 0) break;
      if (folder->slice[end].series_number < number) number = folder->slice[end].series_number;
    }
    for (int k = i; k < end; k++) folder->slice[k].series_number = number;
  }
}

static ht_status group(ht_dicom_folder *folder, const ht_stack_options *options) {
  int count = 0;
  qsort(folder->slice, (size_t)folder->slices, sizeof *folder->slice, by_series);
  share_number(folder);
  qsort(folder->slice, (size_t)folder->slices, sizeof *folder->slice, by_number);
  for (int i = 0; i < folder->slices; i++)
    count += i == 0 || strcmp(folder->slice[i].series_uid, folder->slice[i - 1].series_uid) != 0;
  HT_TRY(alloc_series(folder, count));
  for (int i = 0, end; i < folder->slices; i = end) {
    for (end = i + 1; end < folder->slices; end++)
      if (strcmp(folder->slice[i].series_uid, folder->slice[end].series_uid) != 0) break;
    HT_TRY(add_series(folder, options, i, end - i));
  }
  return HT_OK;
}

/* ---- All of it ---- */

static ht_status nothing_found(const char *path, const ht_dicom_folder *folder) {
  if (folder->looked == 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: the folder holds no files: give the folder of a DICOM series", path);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: no DICOM image among its %d file%s (such as %s): give the folder of a DICOM "
                 "series, or the image file itself",
                 path, folder->looked, folder->looked == 1 ? "" : "s", folder->example);
}

static void parent(const char *path, char dir[HT_PATH_MAX]) {
  int length = (int)(base_name(path) - path);
  snprintf(dir, HT_PATH_MAX, "%.*s", length ? length : 1, length ? path : ".");
}

static ht_status collect(const char *path, const ht_stack_options *options,
                         const ht_progress *progress, ht_dicom_folder *folder) {
  char dir[HT_PATH_MAX];
  path_list list = {0};
  int alone = !ht_folder_exists(path);
  if (alone) parent(path, dir);
  ht_status status = list_files(alone ? dir : path, alone ? 0 : HT_DICOM_DEPTH, &list);
  if (status == HT_OK) status = read_headers(&list, progress, folder);
  free_paths(&list);
  if (status != HT_OK) return status;
  if (alone) keep_series_of(folder, base_name(path));
  return folder->slices ? group(folder, options) : nothing_found(path, folder);
}

ht_status ht_dicom_folder_read(const char *path, const ht_stack_options *options,
                               const ht_progress *progress, ht_dicom_folder *folder) {
  memset(folder, 0, sizeof *folder);
  ht_status status = collect(path, options, progress, folder);
  if (status != HT_OK) ht_dicom_folder_free(folder);
  return status;
}

void ht_dicom_folder_free(ht_dicom_folder *folder) {
  if (!folder) return;
  for (int i = 0; i < folder->slices; i++) ht_slice_free(&folder->slice[i]);
  free(folder->slice);
  free(folder->stack);
  free(folder->first);
  free(folder->planes);
  free(folder->aside);
  free(folder->status);
  ht_series_list_free(&folder->list);
  memset(folder, 0, sizeof *folder);
}

static ht_status read_pixels(void *user, const ht_slice *slice, float *values) {
  return ht_dicom_pixels(user, slice, values);
}

/* Slice k is plane k. */
static ht_status read_planes(const ht_slice *slice, int planes, ht_dicom_file **file,
                             const ht_progress *progress, float *values) {
  size_t plane = (size_t)slice->rows * (size_t)slice->columns;
  for (int k = 0; k < planes; k++) {
    if (k % 4 == 0) HT_TRY(ht_progress_report(progress, "import", k, planes, "reading slices"));
    HT_TRY(ht_dicom_pixels(file, &slice[k], values + (size_t)k * plane));
  }
  return HT_OK;
}

ht_status ht_dicom_folder_volume(const ht_dicom_folder *folder, int number,
                                 const ht_progress *progress, ht_volume *volume) {
  const ht_series *series = &folder->list.series[number];
  const ht_slice *slice = &folder->slice[folder->first[number]];
  int planes = folder->planes[number];
  memset(volume, 0, sizeof *volume);
  if (folder->status[number] != HT_OK)
    return ht_fail(folder->status[number], "%s", series->problem);
  HT_TRY(ht_volume_alloc(&series->grid, volume));
  memcpy(volume->modality, series->modality, sizeof volume->modality);
  ht_dicom_file *file = NULL;
  ht_status status = folder->stack[number].resampled
                         ? ht_stack_resample(slice, planes, read_pixels, &file, progress, volume)
                         : read_planes(slice, planes, &file, progress, volume->values);
  ht_dicom_close(file);
  if (status != HT_OK) ht_volume_free(volume);
  return status;
}
