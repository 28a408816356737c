#include "import/series/dicom_folder.h"
#include "import/dicom/dicom_directory.h"
#include "import/dicom/dicom_looked.h"
#include "core/disk/file.h"
#include "core/disk/path_list.h"
#include "import/slices/slice_patient.h"
#include "import/slices/slice_resample.h"
#include "import/slices/slice_stack.h"
#include "import/common/voxel_size.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Their headers ---- */

/* Takes over the slices of a file; frees them on a failure. */
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

static ht_status read_header(const char *path, ht_dicom_look *look, ht_dicom_folder *folder) {
  ht_slice *slice;
  ht_file_kind kind;
  int count;
  if (!ht_dicom_look_take(look, path, &kind, &slice, &count))
    HT_TRY(ht_dicom_header(path, &kind, &slice, &count, NULL));
  folder->looked++;
  if (kind == HT_FILE_DICOM) return add_slices(folder, slice, count);
  if (!folder->example[0])
    snprintf(folder->example, sizeof folder->example, "%s", ht_path_name(path));
  folder->other++;
  return HT_OK;
}

static ht_status read_headers(const ht_path_list *list, ht_dicom_look *look,
                              const ht_progress *progress, ht_dicom_folder *folder) {
  for (int i = 0; i < list->count; i++) {
    if (i % 16 == 0)
      HT_TRY(ht_progress_report(progress, "import", i, list->count, "looking at the files"));
    HT_TRY(read_header(list->path[i], look, folder));
  }
  return HT_OK;
}

/* An image that a DICOMDIR names and that is not there: it is missing from its series. */
static ht_status add_missing(const ht_directory_entry *entry, ht_dicom_folder *folder) {
  ht_slice *slice;
  HT_TRY(ht_alloc((void **)&slice, 1, sizeof *slice, "an image's header"));
  slice->path = strdup(entry->path);
  if (!slice->path) {
    free(slice);
    return ht_fail(HT_ERR_MEMORY, "not enough memory for the images of a DICOMDIR");
  }
  memcpy(slice->series_uid, entry->series_uid, sizeof slice->series_uid);
  slice->frames = 1;
  slice->series_number = INT_MAX; /* not given: the other images of its series have it */
  slice->status = HT_ERR_NOT_FOUND;
  snprintf(slice->problem, sizeof slice->problem,
           "the DICOMDIR names it, but it is not there: copy the disc again");
  return add_slices(folder, slice, 1);
}

static ht_status read_directory(const ht_directory_entry *entry, int count,
                                const ht_progress *progress, ht_dicom_folder *folder) {
  for (int i = 0; i < count; i++) {
    if (i % 16 == 0)
      HT_TRY(ht_progress_report(progress, "import", i, count, "looking at the files"));
    HT_TRY(entry[i].is_there ? read_header(entry[i].path, NULL, folder)
                             : add_missing(&entry[i], folder));
  }
  return HT_OK;
}

/* ---- The series ---- */

/* The images of one Series Instance UID are several series where it has several stacks, or
 * localizers among its images. */
static int compare_groups(const ht_slice *a, const ht_slice *b) {
  int order = strcmp(a->series_uid, b->series_uid);
  if (order == 0) order = a->localizer - b->localizer;
  return order ? order : strcmp(a->stack, b->stack);
}

static int by_series(const void *left, const void *right) {
  const ht_slice *a = left, *b = right;
  int order = compare_groups(a, b);
  if (order == 0) order = strcmp(a->path, b->path);
  return order ? order : a->frame - b->frame;
}

/* Keeps the series of the file of that name only; all files are of one folder. */
static void keep_series_of(ht_dicom_folder *folder, const char *name) {
  char uid[sizeof folder->slice->series_uid] = "";
  int kept = 0;
  for (int i = 0; i < folder->slices; i++)
    if (strcmp(ht_path_name(folder->slice[i].path), name) == 0)
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

static int count_files(const ht_slice *slice, int images) {
  int files = 1;
  for (int i = 1; i < images; i++) files += strcmp(slice[i].path, slice[i - 1].path) != 0;
  return files;
}

static int lacks_series(const ht_slice *slice) {
  return !slice->series_uid[0] && strcmp(slice->problem, HT_NO_SERIES_UID) == 0;
}

static void describe(const ht_slice *slice, int images, ht_series *series) {
  series->files = count_files(slice, images);
  series->images = images;
  while (images > 1 && slice->status != HT_OK)
    slice++, images--; /* described by the first sound one */
  snprintf(series->format, sizeof series->format, "DICOM");
  memcpy(series->uid, slice->series_uid, sizeof series->uid);
  memcpy(series->modality, slice->modality, sizeof series->modality);
  memcpy(series->description, slice->description, sizeof series->description);
  for (int i = 0; i < images && !series->patient; i++) series->patient = slice[i].patient;
  if (!slice->series_uid[0])
    snprintf(series->description, sizeof series->description, "%s files of unknown series",
             lacks_series(slice)                 ? "unassigned"
             : slice->status == HT_ERR_NOT_FOUND ? "unreadable"
                                                 : "damaged");
}

/* Reason why a series is taken only on request. */
static const char *why_aside(const ht_slice *slice, int images) {
  if (slice->why_aside) return slice->why_aside;
  if (!slice->has_image) return "no images";
  return images == 1 ? "a single image" : "images in several planes";
}

/* A fault of a series is kept in it; only a lack of memory is a failure here. */
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
  if (folder->aside[number])
    snprintf(series->aside, sizeof series->aside, "%s",
             why_aside(&folder->slice[first], folder->planes[number]));
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

/* A stack is named where its series has several. */
static void name_stacks(ht_dicom_folder *folder) {
  ht_series *series = folder->list.series;
  for (int i = 0; i < folder->list.count; i++) {
    int before = i > 0 && strcmp(series[i - 1].uid, series[i].uid) == 0;
    int behind = i + 1 < folder->list.count && strcmp(series[i + 1].uid, series[i].uid) == 0;
    if (before || behind)
      memcpy(series[i].stack, folder->slice[folder->first[i]].stack, sizeof series[i].stack);
  }
}

/* Tells whether the images look like slices of one scan. */
static int are_alike(const ht_slice *a, const ht_slice *b) {
  for (int i = 0; i < 6; i++)
    if (fabs(a->axes[i / 3][i % 3] - b->axes[i / 3][i % 3]) > 1e-3) return 0;
  return a->rows == b->rows && a->columns == b->columns && a->frames == 1 && b->frames == 1 &&
         !a->localizer && !b->localizer && a->spacing_mm[0] == b->spacing_mm[0] &&
         a->spacing_mm[1] == b->spacing_mm[1] && strcmp(a->modality, b->modality) == 0 &&
         strcmp(a->description, b->description) == 0 && strcmp(a->study_uid, b->study_uid) == 0 &&
         strcmp(a->frame_uid, b->frame_uid) == 0 && strcmp(a->patient_id, b->patient_id) == 0;
}

/* Joins images from programs that anonymise: those without any Series Instance UID, or each with
 * one of its own, are one series where there are no others, and they are alike. Sorted by
 * series. */
static void join_loose(ht_dicom_folder *folder) {
  enum { SLICES_LEAST = 5 };
  ht_slice *slice = folder->slice;
  int lacking = 0, own = 1;
  for (int i = 0; i < folder->slices; i++) {
    lacking += lacks_series(&slice[i]);
    if (!slice[i].has_image || (slice[i].status != HT_OK && !lacks_series(&slice[i])) ||
        !are_alike(&slice[i], &slice[0]))
      return;
    if (i > 0) own &= strcmp(slice[i].series_uid, slice[i - 1].series_uid) != 0;
  }
  if (folder->slices < SLICES_LEAST || (lacking != folder->slices && !own)) return;
  folder->joined = lacking ? "no image has a Series Instance UID (an anonymiser emptied it?)"
                           : "each image has a Series Instance UID of its own (an anonymiser made "
                             "them?)";
  for (int i = folder->slices - 1; i >= 0; i--) {
    if (lacking) slice[i].status = HT_OK, slice[i].problem[0] = 0;
    if (lacking) snprintf(slice[i].series_uid, sizeof slice[i].series_uid, "(none)");
    if (!lacking) memcpy(slice[i].series_uid, slice[0].series_uid, sizeof slice[i].series_uid);
  }
}

static ht_status group(ht_dicom_folder *folder, const ht_stack_options *options) {
  int count = 0;
  qsort(folder->slice, (size_t)folder->slices, sizeof *folder->slice, by_series);
  join_loose(folder);
  qsort(folder->slice, (size_t)folder->slices, sizeof *folder->slice, by_series);
  share_number(folder);
  qsort(folder->slice, (size_t)folder->slices, sizeof *folder->slice, by_number);
  for (int i = 0; i < folder->slices; i++)
    count += i == 0 || compare_groups(&folder->slice[i], &folder->slice[i - 1]) != 0;
  HT_TRY(ht_patients_number(folder->slice, folder->slices, &folder->list.patients));
  HT_TRY(alloc_series(folder, count));
  for (int i = 0, end; i < folder->slices; i = end) {
    for (end = i + 1; end < folder->slices; end++)
      if (compare_groups(&folder->slice[i], &folder->slice[end]) != 0) break;
    HT_TRY(add_series(folder, options, i, end - i));
  }
  name_stacks(folder);
  return HT_OK;
}

/* ---- All of it ---- */

static ht_status nothing_found(const char *path, const ht_dicom_folder *folder) {
  if (folder->looked == 0 && folder->special)
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: the folder holds no files ('%s' is a pipe, a socket or a device): give the folder "
        "of a DICOM series",
        path, folder->special_name);
  if (folder->looked == 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: the folder holds no files: give the folder of a DICOM series", path);
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: no DICOM image among its %d file%s (such as '%s'): give the folder of a DICOM "
      "series, the image file itself, or all files of a surface",
      path, folder->looked, folder->looked == 1 ? "" : "s", folder->example);
}

static void parent(const char *path, char dir[HT_PATH_MAX]) {
  int length = (int)(ht_path_name(path) - path);
  snprintf(dir, HT_PATH_MAX, "%.*s", length ? length : 1, length ? path : ".");
}

static ht_status read_listed(const ht_path_list *list, ht_dicom_look *look,
                             const ht_progress *progress, ht_dicom_folder *folder) {
  folder->special = list->special;
  memcpy(folder->special_name, list->special_name, sizeof folder->special_name);
  return read_headers(list, look, progress, folder);
}

static ht_status read_all(const char *path, ht_dicom_look *look, const ht_progress *progress,
                          ht_dicom_folder *folder) {
  char dir[HT_PATH_MAX];
  ht_path_list list = {0};
  int alone = !ht_folder_exists(path);
  if (look && look->files && !alone) return read_listed(look->files, look, progress, folder);
  if (alone) parent(path, dir);
  ht_status status = ht_path_list_folder(alone ? dir : path, alone ? 0 : HT_DICOM_DEPTH, &list);
  if (status == HT_OK) status = read_listed(&list, look, progress, folder);
  ht_path_list_free(&list);
  if (status == HT_OK && alone) keep_series_of(folder, ht_path_name(path));
  return status;
}

static ht_status collect(const char *path, const ht_stack_options *options, ht_dicom_look *look,
                         const ht_progress *progress, ht_dicom_folder *folder) {
  ht_directory_entry *entry = NULL;
  int is_directory = 0, count = 0;
  if (!ht_folder_exists(path)) HT_TRY(ht_directory_read(path, &is_directory, &entry, &count));
  ht_status status = is_directory ? read_directory(entry, count, progress, folder)
                                  : read_all(path, look, progress, folder);
  ht_directory_free(entry, count);
  if (status != HT_OK) return status;
  return folder->slices ? group(folder, options) : nothing_found(path, folder);
}

ht_status ht_dicom_folder_read(const char *path, const ht_stack_options *options,
                               ht_dicom_look *look, const ht_progress *progress,
                               ht_dicom_folder *folder) {
  memset(folder, 0, sizeof *folder);
  ht_status status = collect(path, options, look, progress, folder);
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

static int by_path(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

ht_status ht_dicom_folder_files(const ht_dicom_folder *folder, int number, ht_path_list *files) {
  const char **path;
  int first = folder->first[number], last = number + 1 == folder->list.count;
  int count = (last ? folder->slices : folder->first[number + 1]) - first;
  HT_TRY(ht_alloc((void **)&path, (size_t)count, sizeof *path, "the list of files"));
  for (int i = 0; i < count; i++) path[i] = folder->slice[first + i].path;
  qsort(path, (size_t)count, sizeof *path, by_path);
  ht_status status = HT_OK;
  for (int i = 0; i < count && status == HT_OK; i++)
    if (i == 0 || strcmp(path[i], path[i - 1]) != 0) status = ht_path_list_add(files, path[i]);
  free(path);
  return status;
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

/* No codec makes pixels so small, with the header of their file: images that claim more, directly
 * or by resampling of large distances, are damaged; no memory is allocated for them. */
static ht_status check_claim(const ht_slice *slice, int planes, const ht_grid *grid) {
  const double smallest = 1. / 10000;
  const int *dim = grid->dim;
  double stored = 0, voxels = (double)dim[0] * dim[1] * dim[2];
  for (int k = 0; k < planes; k++) {
    struct stat file;
    if (stat(slice[k].path, &file) == 0) stored += (double)file.st_size / slice[k].frames;
  }
  if (voxels * smallest <= stored) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: damaged: its images claim %d x %d pixels, more than files of %.0f bytes in "
                 "all can hold (a volume of %d x %d x %d); copy or export the series again",
                 slice->path, slice->columns, slice->rows, stored, dim[0], dim[1], dim[2]);
}

ht_status ht_dicom_folder_volume(const ht_dicom_folder *folder, int number,
                                 const ht_progress *progress, ht_volume *volume) {
  const ht_series *series = &folder->list.series[number];
  const ht_slice *slice = &folder->slice[folder->first[number]];
  int planes = folder->planes[number];
  memset(volume, 0, sizeof *volume);
  if (folder->status[number] != HT_OK)
    return ht_fail(folder->status[number], "%s", series->problem);
  HT_TRY(check_claim(slice, planes, &series->grid));
  HT_TRY(ht_scan_memory_check(&series->grid, 0));
  HT_TRY(ht_volume_alloc(&series->grid, volume));
  memcpy(volume->modality, series->modality, sizeof volume->modality);
  ht_dicom_file *file = NULL;
  ht_status status = folder->stack[number].resampled
                         ? ht_stack_resample(slice, planes, read_pixels, &file, progress, volume)
                         : read_planes(slice, planes, &file, progress, volume->values);
  ht_dicom_close(file);
  if (status == HT_OK && !folder->stack[number].resampled) status = ht_fill_uncovered(volume);
  if (status != HT_OK) ht_volume_free(volume);
  return status;
}

ht_status ht_dicom_folder_middle(const ht_dicom_folder *folder, int number,
                                 ht_middle_slice *middle) {
  const ht_slice *slice = &folder->slice[folder->first[number] + folder->planes[number] / 2];
  ht_dicom_file *file = NULL;
  *middle = (ht_middle_slice){0};
  if (slice->status != HT_OK || !slice->has_image || slice->rows < 1 || slice->columns < 1)
    return HT_OK;
  const ht_grid grid = ht_grid_make(slice->columns, slice->rows, 1);
  if (check_claim(slice, 1, &grid) != HT_OK) return HT_OK;
  HT_TRY(ht_alloc((void **)&middle->values, (size_t)ht_grid_voxels(&grid), sizeof *middle->values,
                  "a slice"));
  if (ht_dicom_pixels(&file, slice, middle->values) == HT_OK) {
    middle->width = slice->columns;
    middle->height = slice->rows;
    memcpy(middle->spacing_mm, slice->spacing_mm, sizeof middle->spacing_mm);
  }
  ht_dicom_close(file);
  return HT_OK;
}
