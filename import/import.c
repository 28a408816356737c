#include "import/import.h"
#include "import/series/dicom_folder.h"
#include "import/dicom/dicom_identity.h"
#include "import/dicom/dicom_signs.h"
#include "import/series/dicom_segment.h"
#include "core/disk/file.h"
#include "import/common/hollow.h"
#include "import/image/image.h"
#include "import/common/import_note.h"
#include "import/labels.h"
#include "import/phase_contrast/phase_contrast.h"
#include "import/series/series_choice.h"
#include "import/surface/surface_import.h"
#include "import/surface/formats/surface_read.h"
#include "import/common/voxel_size.h"
#include "import/series/zip_archive.h"
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

static ht_status show_dicom(const ht_dicom_folder *folder, ht_middle_slice **middle) {
  if (!middle) return HT_OK;
  HT_TRY(ht_alloc((void **)middle, (size_t)folder->list.count, sizeof **middle, "the slices"));
  for (int i = 0; i < folder->list.count; i++)
    HT_TRY(ht_dicom_folder_middle(folder, i, &(*middle)[i]));
  return HT_OK;
}

static ht_status list_dicom(const char *path, const ht_progress *progress, ht_series_list *list,
                            ht_middle_slice **middle) {
  ht_dicom_folder folder;
  char where[HT_PATH_MAX];
  HT_TRY(ht_zip_files_open(path, progress, where));
  ht_status status = ht_dicom_folder_read(where, NULL, NULL, progress, &folder);
  if (status == HT_OK) {
    ht_series_mark(&folder);
    for (int i = 0; i < folder.list.count; i++) folder.list.series[i].status = folder.status[i];
    status = show_dicom(&folder, middle);
    if (status == HT_OK)
      status = ht_phase_contrast_describe(&folder, &folder.list.has_flow, folder.list.flow);
    *list = folder.list;
    list->special = folder.special;
    memset(&folder.list, 0, sizeof folder.list);
    note_segmentations(list);
    ht_dicom_folder_free(&folder);
  }
  return ht_zip_files_close(path, where, status);
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
  if (info.status == HT_OK) info.status = ht_scan_volume_check(&info.grid);
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

/* The slice is seen from the feet where its axes are about the patient's. An image that cannot be
 * read has none: the list says why. */
static ht_status show_image(const char *path, const ht_series *series, ht_middle_slice *middle) {
  ht_volume image;
  const int *dim = image.grid.dim;
  if (series->status != HT_OK) return HT_OK;
  ht_status status = ht_image_voxels(path, 0, &image);
  if (status != HT_OK) return status == HT_ERR_MEMORY ? status : HT_OK;
  const int right = series->grid.direction[0][0] >= 0, down = series->grid.direction[1][1] >= 0;
  const size_t plane = (size_t)dim[0] * (size_t)dim[1];
  status = ht_alloc((void **)&middle->values, plane, sizeof *middle->values, "a slice");
  for (size_t i = 0; status == HT_OK && i < plane; i++) {
    const int x = (int)(i % (size_t)dim[0]), y = (int)(i / (size_t)dim[0]);
    middle->values[i] = image.values[(size_t)(dim[2] / 2) * plane +
                                     (size_t)(down ? y : dim[1] - 1 - y) * (size_t)dim[0] +
                                     (size_t)(right ? x : dim[0] - 1 - x)];
  }
  middle->width = dim[0];
  middle->height = dim[1];
  memcpy(middle->spacing_mm, series->grid.spacing_mm, sizeof middle->spacing_mm);
  ht_volume_free(&image);
  return status;
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

static ht_status list_any(const char *path, const ht_progress *progress, ht_series_list *list,
                          ht_middle_slice **middle) {
  input_kind kind;
  memset(list, 0, sizeof *list);
  HT_TRY(find_kind(path, &kind));
  if (kind == KIND_DICOM) return list_dicom(path, progress, list, middle);
  HT_TRY(kind == KIND_SURFACE ? list_surface(path, list) : list_image(path, list));
  if (!middle) return HT_OK;
  HT_TRY(ht_alloc((void **)middle, 1, sizeof **middle, "the slices"));
  return kind == KIND_IMAGE ? show_image(path, list->series, *middle) : HT_OK;
}

ht_status ht_import_list(const char *path, const ht_progress *progress, ht_series_list *list) {
  return list_any(path, progress, list, NULL);
}

ht_status ht_import_list_shown(const char *path, const ht_progress *progress, ht_series_list *list,
                               ht_middle_slice **middle) {
  *middle = NULL;
  ht_status status = list_any(path, progress, list, middle);
  if (status == HT_OK) return HT_OK;
  ht_middle_slice_free(*middle, list->count);
  *middle = NULL;
  ht_series_list_free(list);
  return status;
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
  if (folder->joined)
    ht_import_note(options->notes, "%s: all %d of the folder are taken as one series",
                   folder->joined, folder->slices);
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
  HT_TRY(ht_zip_files_open(path, progress, where));
  if (strcmp(path, where) != 0) inside.files = NULL; /* the archive is the file that was read */
  ht_status status = ht_dicom_folder_read(where, &stacking, options->look, progress, &folder);
  if (status == HT_OK) {
    status = read_series(where, &folder, &inside, progress, volume);
    ht_dicom_folder_free(&folder);
  }
  if (status == HT_OK && options->files && !inside.files)
    status = ht_path_list_add(options->files, path);
  return ht_zip_files_close(path, where, status);
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

/* Research images hold NaN outside the field of view, or -infinity after a logarithm: it becomes
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

/* Reads the header of a volume. */
static ht_status volume_header(const char *path, ht_image_info *info) {
  HT_TRY(ht_image_header(path, info));
  const ht_status status = ht_scan_volume_check(&info->grid);
  return status == HT_OK ? HT_OK : ht_fail_in(status, path);
}

/* Chooses a volume; one of several images in time must be chosen. */
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
  HT_TRY(volume_header(path, &info));
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

static int place_is_lost(const ht_grid *grid) {
  for (int a = 0; a < 3; a++)
    if (grid->spacing_mm[a] != 1 || grid->origin_mm[a] != 0 || fabs(grid->direction[a][a]) != 1)
      return 0;
  return 1;
}

/* Lengths in centimetres pass for a scan of tiny voxels; no scanner of patients has them. */
static void warn_of_voxels(const char *path, const ht_grid *grid, ht_import_notes *notes) {
  const double *mm = grid->spacing_mm;
  if (place_is_lost(grid))
    ht_import_warn(
        notes,
        "%.200s: its voxels are 1 x 1 x 1 mm and the first lies at 0, 0, 0, as in a file "
        "that has lost its place and voxel size on the way (numpy, PNG): if they are "
        "not 1 mm, every number will be wrong; then save it with the scan's",
        path);
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
  if (status == HT_OK) warn_of_voxels(path, &volume->grid, options->notes);
  if (status == HT_OK) ht_labels_warn_scan(path, volume, options->notes);
  return name_scan(status, path);
}

/* ---- Masks ---- */

/* ---- Images ---- */

/* Chooses a layer: an image of a segmentation of 3D Slicer whose segments overlap; else one of
 * those in time. */
static ht_status choose_layer(const char *path, const ht_image_info *info,
                              const ht_import_options *options, ht_label *label, int *volume) {
  HT_TRY(ht_label_find(path, options->series, info->volumes, label));
  *volume = label->layer;
  if (info->status != HT_OK || label->is_layered) return HT_OK;
  *volume = options->phase ? options->phase - 1 : 0;
  return choose_volume(path, info, options->phase);
}

static ht_status read_mask_image(const char *path, const ht_import_options *options,
                                 ht_mask *mask) {
  ht_volume image;
  ht_image_info info;
  ht_label label;
  int volume;
  HT_TRY(volume_header(path, &info));
  HT_TRY(choose_layer(path, &info, options, &label, &volume));
  if (info.tilted)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its slices are shifted against each other (a gantry tilt), and labels "
                   "cannot be interpolated: draw the mask on the scan.nii.gz that `hemotile "
                   "import` makes of its scan, or resample it to a regular grid",
                   path);
  HT_TRY(ht_image_voxels(path, volume, &image));
  ht_status status = ht_labels_mask(path, &image, &label, options->notes, mask);
  if (status == HT_OK && !options->is_own) warn_of_voxels(path, &mask->grid, options->notes);
  if (status == HT_OK && options->files) status = ht_image_files(path, options->files);
  ht_volume_free(&image);
  return status;
}

static ht_status read_vessel(const char *path, input_kind kind, const ht_import_options *options,
                             ht_mask *mask) {
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
  HT_TRY(read_vessel(path, kind, options, mask));
  ht_status status = options->is_own ? HT_OK : ht_hollow_check(path, mask);
  if (status != HT_OK) ht_mask_free(mask);
  return status;
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
