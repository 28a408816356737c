#include "import.h"
#include "dicom_folder.h"
#include "dicom_identity.h"
#include "dicom_signs.h"
#include "dicom_segment.h"
#include "file.h"
#include "image.h"
#include "import_note.h"
#include "series_choice.h"
#include "surface_import.h"
#include "surface_read.h"
#include "voxel_size.h"
#include "zip_archive.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The message of a lack of memory comes from the allocation, which does not know the file. */
static ht_status name_scan(ht_status status, const char *path) {
  if (status != HT_ERR_MEMORY || strncmp(ht_error_message(), path, strlen(path)) == 0)
    return status;
  return ht_fail_in(status, path);
}

/* ---- What is at a path ---- */

typedef enum { KIND_DICOM, KIND_IMAGE, KIND_SURFACE } input_kind;

static ht_status refuse_unknown(const char *path) {
  static const char *const packed[] = {".tar",    ".tar.gz", ".tgz", ".tar.bz2",
                                       ".tar.xz", ".7z",     ".rar"};
  for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
    if (ht_path_ends(path, packed[i]))
      return ht_fail(HT_ERR_FORMAT,
                     "%s: of archives only zip is read: unpack it, and give the folder", path);
  return ht_fail(HT_ERR_FORMAT,
                 "%s: neither a DICOM file, a zip archive nor an image file that is read (%s), nor "
                 "a surface (" HT_SURFACE_ENDINGS ")",
                 path, HT_IMAGE_ENDINGS);
}

static ht_status find_kind(const char *path, input_kind *kind) {
  struct stat info;
  if (stat(path, &info) != 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: %s", path,
                   errno == ENOENT ? "there is no such file or folder" : strerror(errno));
  int folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode))
    return ht_fail(HT_ERR_FORMAT, "%s: neither a file nor a folder", path);
  if (access(path, folder ? R_OK | X_OK : R_OK) != 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read: %s", path, strerror(errno));
  *kind = !folder && ht_image_named(path) ? KIND_IMAGE : KIND_DICOM;
  if (!folder && ht_surface_named(path)) *kind = KIND_SURFACE;
  if (folder || *kind != KIND_DICOM || ht_dicom_begins(path) || ht_zip_begins(path)) return HT_OK;
  return refuse_unknown(path);
}

/* ---- Zip archives ---- */

/* Where the files of `path` are: itself, or the folder that an archive was unpacked to. */
static ht_status open_archive(const char *path, const ht_progress *progress,
                              char where[HT_PATH_MAX]) {
  if (!ht_folder_exists(path) && ht_zip_begins(path))
    return ht_zip_unpack(path, 0, progress, where);
  snprintf(where, HT_PATH_MAX, "%s", path);
  return HT_OK;
}

/* Removes what was unpacked. In a message that begins with the temporary folder the archive's name
 * replaces it. */
static ht_status close_archive(const char *path, const char *where, ht_status status) {
  char message[4096];
  size_t length = strlen(where);
  if (strcmp(path, where) == 0) return status;
  ht_zip_remove(where);
  if (status == HT_OK || strncmp(ht_error_message(), where, length) != 0) return status;
  snprintf(message, sizeof message, "%s", ht_error_message() + length);
  return ht_fail(status, "%s%s", path, message);
}

/* ---- Lists ---- */

/* A segmentation is a ready vessel, not a scan: that is no problem of the file. */
static void note_segmentations(ht_series_list *list) {
  for (int i = 0; i < list->count; i++) {
    ht_series *series = &list->series[i];
    if (strcmp(series->modality, "SEG") != 0 || !strstr(series->problem, "as `mask:`")) continue;
    snprintf(series->note, sizeof series->note, "%.*s", (int)sizeof series->note - 1,
             series->problem);
    series->problem[0] = 0;
    series->status = HT_OK;
  }
}

static ht_status list_dicom(const char *path, const ht_progress *progress, ht_series_list *list) {
  ht_dicom_folder folder;
  char where[HT_PATH_MAX];
  HT_TRY(open_archive(path, progress, where));
  ht_status status = ht_dicom_folder_read(where, NULL, NULL, progress, &folder);
  if (status == HT_OK) {
    ht_series_mark(&folder);
    for (int i = 0; i < folder.list.count; i++) folder.list.series[i].status = folder.status[i];
    *list = folder.list;
    list->special = folder.special;
    memset(&folder.list, 0, sizeof folder.list);
    note_segmentations(list);
    ht_dicom_folder_free(&folder);
  }
  return close_archive(path, where, status);
}

/* The message begins with the path, which the list shows already. */
static void keep_reason(const char *path, char problem[256]) {
  const char *message = ht_error_message();
  size_t length = strlen(path);
  if (strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0)
    message += length + 2;
  snprintf(problem, 256, "%s", message);
}

static ht_status list_image(const char *path, ht_series_list *list) {
  ht_image_info info;
  HT_TRY(ht_image_header(path, &info));
  if (info.status == HT_OK) info.status = ht_image_check_voxels(path);
  if (info.status == HT_ERR_MEMORY) return info.status;
  if (info.status != HT_OK && !info.problem[0]) keep_reason(path, info.problem);
  HT_TRY(ht_alloc((void **)&list->series, 1, sizeof *list->series, "the list of series"));
  list->count = list->taken = 1;
  memcpy(list->series->format, info.format, sizeof info.format);
  memcpy(list->series->problem, info.problem, sizeof info.problem);
  list->series->status = info.status;
  memcpy(list->series->note, info.remark, sizeof info.remark);
  if (info.volumes > 1 && !info.problem[0])
    snprintf(list->series->note, sizeof list->series->note,
             "%d time points: choose one with --phase N (1 to %d)", info.volumes, info.volumes);
  list->series->files = list->series->images = 1;
  list->series->grid = info.grid;
  return HT_OK;
}

static ht_status list_surface(const char *path, ht_series_list *list) {
  char note[512];
  ht_status usable;
  HT_TRY(ht_surface_describe(path, note, &usable));
  char why[1024] = "";
  if (usable != HT_OK) snprintf(why, sizeof why, "%s", ht_error_message());
  HT_TRY(ht_alloc((void **)&list->series, 1, sizeof *list->series, "the list of series"));
  ht_series *series = list->series;
  list->count = list->taken = series->files = 1;
  series->status = usable;
  snprintf(series->format, sizeof series->format, "%s", ht_surface_format(path));
  snprintf(series->problem, sizeof series->problem, "%s", why);
  snprintf(series->note, sizeof series->note, "%s", note);
  return HT_OK;
}

ht_status ht_import_list(const char *path, const ht_progress *progress, ht_series_list *list) {
  input_kind kind;
  memset(list, 0, sizeof *list);
  HT_TRY(find_kind(path, &kind));
  if (kind == KIND_SURFACE) return list_surface(path, list);
  return kind == KIND_DICOM ? list_dicom(path, progress, list) : list_image(path, list);
}

/* ---- Scans ---- */

/* The files of the series, with a note where a single file was given and others were read with it.
 */
static ht_status list_read(const char *path, const ht_dicom_folder *folder, int chosen,
                           const ht_import_options *options) {
  ht_path_list *files = options->files;
  int alone = !ht_folder_exists(path), is_slice = 0;
  if (!files) return HT_OK;
  HT_TRY(ht_dicom_folder_files(folder, chosen, files));
  for (int i = 0; i < files->count && alone; i++) {
    struct stat one, other;
    is_slice |= stat(files->path[i], &one) == 0 && stat(path, &other) == 0 &&
                one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  }
  if (alone && !is_slice) return ht_path_list_add(files, path); /* a DICOMDIR */
  if (alone && files->count > 1)
    ht_import_note(options->notes,
                   "the file is one of a series: all %d files of it in its folder are read",
                   files->count);
  return HT_OK;
}

static void note_special(const ht_dicom_folder *folder, ht_import_notes *notes) {
  if (folder->special)
    ht_import_note(notes, "left out, because it is a pipe, a socket or a device: '%s'%s",
                   folder->special_name, folder->special > 1 ? " and others" : "");
}

static void identify(const char *path, const ht_import_options *options) {
  if (options->identity) ht_dicom_identity(path, options->identity);
  if (options->study) ht_dicom_study_of(path, options->study);
}

static ht_status read_series(const char *path, const ht_dicom_folder *folder,
                             const ht_import_options *options, const ht_progress *progress,
                             ht_volume *volume) {
  int chosen = 0;
  note_special(folder, options->notes);
  HT_TRY(ht_series_choose(path, folder, options->series, options->notes, &chosen));
  if (options->chosen) *options->chosen = chosen + 1;
  ht_status status = ht_dicom_folder_volume(folder, chosen, progress, volume);
  if (status == HT_OK && folder->stack[chosen].remark[0])
    ht_import_note(options->notes, "%s", folder->stack[chosen].remark);
  identify(folder->slice[folder->first[chosen]].path, options);
  if (options->signs) *options->signs = ht_dicom_signs(folder->slice[folder->first[chosen]].path);
  if (status == HT_OK) status = list_read(path, folder, chosen, options);
  if (status == HT_OK || folder->status[chosen] == HT_OK) return status;
  return ht_fail(status, "%s: the series \"%s\" cannot be imported: %s", path,
                 folder->list.series[chosen].description, folder->list.series[chosen].problem);
}

static ht_status read_dicom(const char *path, const ht_import_options *options,
                            const ht_progress *progress, ht_volume *volume) {
  ht_dicom_folder folder;
  const ht_stack_options stacking = {options->allow_gaps_mm, options->phase};
  char where[HT_PATH_MAX];
  ht_import_options inside = *options;
  HT_TRY(open_archive(path, progress, where));
  if (strcmp(path, where) != 0) inside.files = NULL; /* the archive is the file that was read */
  ht_status status = ht_dicom_folder_read(where, &stacking, options->look, progress, &folder);
  if (status == HT_OK) {
    status = read_series(where, &folder, &inside, progress, volume);
    ht_dicom_folder_free(&folder);
  }
  if (status == HT_OK && options->files && !inside.files)
    status = ht_path_list_add(options->files, path);
  return close_archive(path, where, status);
}

/* ---- Images ---- */

static void warn_of_undefined(const char *path, int64_t undefined, float least,
                              ht_import_notes *notes) {
  if (!undefined) return;
  ht_import_warn(notes,
                 "%.300s: %lld voxel%s no value (NaN or -infinity) and got the smallest of the "
                 "image, %g: check that no vessel lies there",
                 path, (long long)undefined, undefined == 1 ? " has" : "s have", (double)least);
}

/* Outside the field of view research images hold NaN, or -infinity after a logarithm: it becomes
 * the smallest value, which is never a vessel, with a warning. +infinity may be anything bright,
 * the vessel too. */
static ht_status check_finite(const char *path, ht_import_notes *notes, ht_volume *volume) {
  int64_t voxels = ht_grid_voxels(&volume->grid), infinite = 0, undefined = 0;
  float least = INFINITY;
  for (int64_t i = 0; i < voxels; i++) {
    float value = volume->values[i];
    infinite += isinf(value) && value > 0;
    undefined += isnan(value) || (isinf(value) && value < 0);
    if (isfinite(value) && value < least) least = value;
  }
  if (infinite)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: %lld voxel%s infinite: the image was computed wrongly (a division by 0?), "
                   "and they may lie in the vessel: give them a value there",
                   path, (long long)infinite, infinite == 1 ? " is" : "s are");
  if (undefined == voxels)
    return ht_fail(HT_ERR_FORMAT, "%s: no voxel has a value (all NaN or -infinity)", path);
  for (int64_t i = 0; undefined && i < voxels; i++)
    if (!isfinite(volume->values[i])) volume->values[i] = least;
  warn_of_undefined(path, undefined, least, notes);
  return HT_OK;
}

/* Of several images in time one must be chosen. */
static ht_status choose_volume(const char *path, const ht_image_info *info, int wanted) {
  if (wanted > info->volumes)
    return ht_fail(HT_ERR_USAGE, "%s: --phase %d: it has %d image%s in time", path, wanted,
                   info->volumes, info->volumes == 1 ? "" : "s");
  if (info->volumes == 1 || wanted) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: it has %d time points: choose one with --phase N (1 to %d), or save the one "
                 "to use as an image of its own",
                 path, info->volumes, info->volumes);
}

static ht_status read_image(const char *path, const ht_import_options *options,
                            const ht_progress *progress, ht_volume *volume) {
  ht_image_info info;
  HT_TRY(ht_progress_report(progress, "import", 0, 0, "reading the image"));
  HT_TRY(ht_image_header(path, &info));
  if (info.status == HT_OK) HT_TRY(choose_volume(path, &info, options->phase));
  HT_TRY(ht_image_voxels(path, options->phase ? options->phase - 1 : 0, volume));
  if (info.remark[0]) ht_import_note(options->notes, "%s", info.remark);
  if (info.volumes > 1)
    ht_import_note(options->notes, "image %d of %d in time was taken", options->phase,
                   info.volumes);
  if (options->files) HT_TRY(ht_image_files(path, options->files));
  HT_TRY(check_finite(path, options->notes, volume));
  return ht_image_shear_back(path, &info, progress, volume);
}

static int by_value(const void *left, const void *right) {
  float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

enum { LABELS_MAX = 256, LABELS_SURE = 32, LABELS_FEW = 8 };

/* The distinct values in order; returns their number, up to `most` + 1. */
static int list_values(const ht_volume *image, int most, float *known) {
  int count = 0;
  int64_t voxels = ht_grid_voxels(&image->grid);
  for (int64_t i = 0; i < voxels && count <= most; i++) {
    float value = image->values[i];
    if (isnan(value) || (i > 0 && value == image->values[i - 1])) continue;
    if (bsearch(&value, known, (size_t)count, sizeof *known, by_value)) continue;
    known[count++] = value;
    qsort(known, (size_t)count, sizeof *known, by_value);
  }
  return count;
}

/* A ready mask passes for a scan of black tissue and white blood, and a threshold cuts through the
 * labels of a map. */
static void warn_of_few_values(const char *path, const ht_volume *volume, ht_import_notes *notes) {
  float value[LABELS_FEW + 1];
  int values = list_values(volume, LABELS_FEW, value);
  if (values < 2 || values > LABELS_FEW) return;
  ht_import_warn(notes,
                 "%.200s: the scan has only %d different values (%g to %g), as a mask or a label "
                 "map has: a ready vessel is given in a case file, as `mask: FILE`, with the "
                 "vessel's label alone",
                 path, values, (double)value[0], (double)value[values - 1]);
}

/* Lengths in centimetres pass for a scan of tiny voxels; no scanner of patients has them. */
static void warn_of_tiny_voxels(const char *path, const ht_grid *grid, ht_import_notes *notes) {
  const double *mm = grid->spacing_mm;
  if (!(fmin(mm[0], fmin(mm[1], mm[2])) < HT_VOXEL_USUAL_LEAST_MM)) return;
  ht_import_warn(notes,
                 "%.200s: its voxels are %.3g x %.3g x %.3g mm, smaller than those of a patient's "
                 "scan (%g mm and more): if its lengths are in cm, every number will be wrong; "
                 "then save it in mm",
                 path, mm[0], mm[1], mm[2], HT_VOXEL_USUAL_LEAST_MM);
}

ht_status ht_import_volume(const char *path, const ht_import_options *options,
                           const ht_progress *progress, ht_volume *volume) {
  static const ht_import_options none;
  input_kind kind;
  memset(volume, 0, sizeof *volume);
  if (!options) options = &none;
  if (options->notes) options->notes->text[0] = options->notes->warning[0] = 0;
  if (options->identity) memset(options->identity, 0, sizeof *options->identity);
  if (options->study) memset(options->study, 0, sizeof *options->study);
  if (options->signs) *options->signs = 0;
  HT_TRY(find_kind(path, &kind));
  if (kind == KIND_SURFACE)
    return ht_fail(HT_ERR_FORMAT, "%s: a surface is no scan: give it as the mask (mask: %s)", path,
                   path);
  ht_status status = kind == KIND_IMAGE ? read_image(path, options, progress, volume)
                                        : read_dicom(path, options, progress, volume);
  if (status != HT_OK) ht_volume_free(volume);
  if (status == HT_OK) warn_of_tiny_voxels(path, &volume->grid, options->notes);
  if (status == HT_OK) warn_of_few_values(path, volume, options->notes);
  return name_scan(status, path);
}

/* ---- Masks ---- */

/* Of neighbours along i that both are > 0, the fraction that differ. Labels differ at their borders
 * only, the noise of a scan nearly everywhere. */
static double unlike_neighbours(const ht_volume *image) {
  int64_t pairs = 0, unlike = 0, voxels = ht_grid_voxels(&image->grid);
  for (int64_t i = 1; i < voxels; i++) {
    float a = image->values[i - 1], b = image->values[i];
    if (!(a > 0 && b > 0)) continue;
    pairs++;
    unlike += a != b;
  }
  return pairs ? (double)unlike / (double)pairs : 0;
}

/* Several values above 0 are several structures, or a mask with soft edges. */
static void warn_of_labels(const char *path, const float *value, int values,
                           ht_import_notes *notes) {
  int first = 0, whole = 1;
  while (first < values && !(value[first] > 0)) first++;
  for (int i = first; i < values; i++) whole &= value[i] == floorf(value[i]);
  if (values - first < 2) return;
  double least = value[first], most = value[values - 1];
  if (whole)
    ht_import_warn(notes,
                   "%.200s: the mask has %d labels (%g to %g), and all of them are taken as the "
                   "vessel: if they are different structures (artery, vein, bone), save the "
                   "vessel's label alone as a mask",
                   path, values - first, least, most);
  else
    ht_import_warn(notes,
                   "%.200s: the mask has %d values above 0 (%.3g to %.3g), as a smoothed or "
                   "resampled mask has, and all of them are taken as the vessel, which makes it "
                   "too wide: save it as 0 and 1, cut at half of the largest value",
                   path, values - first, least, most);
}

static ht_status check_labels(const char *path, const ht_volume *image, ht_import_notes *notes) {
  float value[LABELS_MAX + 1];
  int values = list_values(image, LABELS_MAX, value);
  warn_of_labels(path, value, values, notes);
  if (values <= LABELS_SURE) return HT_OK;
  if (values <= LABELS_MAX && unlike_neighbours(image) < 0.5) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: this is not a mask: it has %s%d different values. A mask is 0 outside and a "
                 "label > 0 in the vessel: give a scan as `scan:`, and put a threshold to a map of "
                 "probabilities first",
                 path, values > LABELS_MAX ? "more than " : "",
                 values > LABELS_MAX ? LABELS_MAX : values);
}

static ht_status fill_mask(const char *path, const ht_volume *image, ht_import_notes *notes,
                           ht_mask *mask) {
  int64_t voxels = ht_grid_voxels(&image->grid), inside = 0;
  HT_TRY(check_labels(path, image, notes));
  HT_TRY(ht_mask_alloc(&image->grid, mask));
  for (int64_t i = 0; i < voxels; i++) inside += mask->inside[i] = image->values[i] > 0;
  if (inside) return HT_OK;
  ht_mask_free(mask);
  return ht_fail(HT_ERR_VESSEL, "%s: the mask is empty: no voxel is > 0", path);
}

/* ---- Images ---- */

static ht_status read_mask_image(const char *path, const ht_import_options *options,
                                 ht_mask *mask) {
  ht_volume image;
  ht_image_info info;
  int phase = options->phase;
  HT_TRY(ht_image_header(path, &info));
  if (info.status == HT_OK) HT_TRY(choose_volume(path, &info, phase));
  if (info.tilted)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its slices are shifted against each other (a gantry tilt), and labels "
                   "cannot be interpolated: draw the mask on the scan.nii.gz that `hemotile "
                   "import` makes of its scan, or resample it to a regular grid",
                   path);
  HT_TRY(ht_image_voxels(path, phase ? phase - 1 : 0, &image));
  ht_status status = fill_mask(path, &image, options->notes, mask);
  if (status == HT_OK && !options->is_own) warn_of_tiny_voxels(path, &mask->grid, options->notes);
  if (status == HT_OK && options->files) status = ht_image_files(path, options->files);
  ht_volume_free(&image);
  return status;
}

ht_status ht_import_vessel(const char *path, const ht_import_options *options, ht_mask *mask) {
  static const ht_import_options none;
  input_kind kind;
  memset(mask, 0, sizeof *mask);
  if (!options) options = &none;
  if (options->notes) options->notes->text[0] = options->notes->warning[0] = 0;
  if (options->identity) memset(options->identity, 0, sizeof *options->identity);
  if (options->study) memset(options->study, 0, sizeof *options->study);
  if (options->surface) {
    options->surface->voxel_mm = 0;
    options->surface->ends.count = 0;
    if (options->surface->triangles)
      memset(options->surface->triangles, 0, sizeof *options->surface->triangles);
  }
  HT_TRY(find_kind(path, &kind));
  if (kind == KIND_SURFACE)
    return ht_surface_vessel(path, options->surface, options->notes, options->files, mask);
  if (kind == KIND_IMAGE) return name_scan(read_mask_image(path, options, mask), path);
  if (!ht_folder_exists(path) && !ht_zip_begins(path)) {
    identify(path, options);
    if (options->files) HT_TRY(ht_path_list_add(options->files, path));
    return name_scan(ht_segmentation_read(path, options->series, options->chosen, mask), path);
  }
  return ht_fail(HT_ERR_FORMAT,
                 "%s: a mask is read from an image file (%s), a surface (" HT_SURFACE_ENDINGS
                 ") or a DICOM "
                 "segmentation (one file), not from a folder or an archive",
                 path, HT_IMAGE_ENDINGS);
}

int ht_import_is_vessel(const char *path) {
  if (ht_folder_exists(path) || ht_image_named(path)) return 0;
  return ht_surface_named(path) || (ht_dicom_begins(path) && ht_segmentation_is(path));
}

int ht_import_is_surface(const char *path) {
  return ht_surface_named(path);
}

int ht_import_is_slice(const char *path) {
  return !ht_folder_exists(path) && !ht_image_named(path) && !ht_surface_named(path) &&
         ht_dicom_begins(path) && !ht_segmentation_is(path);
}

int ht_import_has_others(const char *path) {
  ht_file_kind kind;
  ht_slice *slice;
  int count;
  if (!ht_import_is_slice(path)) return 0;
  if (ht_dicom_header(path, &kind, &slice, &count, NULL) != HT_OK)
    return 0; /* reading it reports why */
  int has_others = kind == HT_FILE_OTHER || (count == 1 && slice[0].frames == 1);
  for (int i = 0; i < count; i++) ht_slice_free(&slice[i]);
  free(slice);
  return has_others;
}

ht_status ht_import_mask(const char *path, ht_mask *mask) {
  return ht_import_vessel(path, NULL, mask);
}
