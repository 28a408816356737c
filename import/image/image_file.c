#include "import/image/image.h"
#include "core/disk/file.h"
#include "import/image/meta_header.h"
#include "import/image/nifti_file.h"
#include "import/image/nifti_tilt.h"
#include "import/image/nrrd_header.h"
#include "import/common/voxel_size.h"
#include <stdio.h>
#include <string.h>

/* ---- Formats ---- */

typedef enum { FORMAT_NONE, FORMAT_NIFTI, FORMAT_NRRD, FORMAT_META } image_format;

static const char *const format_name[] = {"", "NIfTI", "NRRD", "MetaImage"};

static image_format format_of(const char *path) {
  static const struct {
    const char *ending;
    image_format format;
  } known[] = {{".nii", FORMAT_NIFTI}, {".nii.gz", FORMAT_NIFTI}, {".hdr", FORMAT_NIFTI},
               {".img", FORMAT_NIFTI}, {".nrrd", FORMAT_NRRD},    {".nhdr", FORMAT_NRRD},
               {".mha", FORMAT_META},  {".mhd", FORMAT_META}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ht_path_ends(path, known[i].ending)) return known[i].format;
  return FORMAT_NONE;
}

int ht_image_named(const char *path) {
  return format_of(path) != FORMAT_NONE;
}

/* ---- The header ---- */

static ht_status read_stored(const char *path, ht_stored_image *stored) {
  if (format_of(path) == FORMAT_NRRD) return ht_nrrd_header_read(path, stored);
  return ht_meta_header_read(path, stored);
}

static ht_status nifti_info(const char *path, ht_image_info *info) {
  ht_nifti_info nifti;
  HT_TRY(ht_nifti_header_info(path, &nifti));
  if (nifti.problem[0]) info->status = HT_ERR_FORMAT;
  memcpy(info->problem, nifti.problem, sizeof info->problem);
  info->grid = nifti.grid;
  info->tilted = nifti.tilted;
  memcpy(info->dim, nifti.dim, sizeof info->dim);
  info->volumes = nifti.volumes;
  memcpy(info->remark, nifti.remark, sizeof info->remark);
  return HT_OK;
}

static ht_status read_info(const char *path, ht_image_info *info) {
  ht_stored_image stored;
  info->volumes = 1;
  snprintf(info->format, sizeof info->format, "%s", format_name[format_of(path)]);
  if (format_of(path) == FORMAT_NIFTI) return nifti_info(path, info);
  HT_TRY(read_stored(path, &stored));
  return ht_stored_info(path, &stored, info);
}

ht_status ht_image_header(const char *path, ht_image_info *info) {
  memset(info, 0, sizeof *info);
  ht_status status = read_info(path, info);
  if (status != HT_OK) memset(info, 0, sizeof *info);
  return status;
}

/* ---- The voxels ---- */

/* The header, of an image that has no problem. */
static ht_status read_sound(const char *path, ht_image_info *info) {
  HT_TRY(ht_image_header(path, info));
  return info->status == HT_OK ? HT_OK : ht_fail(info->status, "%s: %s", path, info->problem);
}

ht_status ht_image_check_voxels(const char *path) {
  ht_image_info info;
  ht_stored_image stored;
  HT_TRY(read_sound(path, &info));
  if (format_of(path) != FORMAT_NIFTI) {
    HT_TRY(read_stored(path, &stored));
    return ht_stored_check_voxels(path, &stored);
  }
  HT_TRY(ht_nifti_check_length(path));
  return ht_nifti_read_voxels(path, 0, NULL);
}

static ht_status read_voxels(const char *path, int volume, float *values) {
  ht_stored_image stored;
  if (format_of(path) == FORMAT_NIFTI) return ht_nifti_read_voxels(path, volume, values);
  HT_TRY(read_stored(path, &stored));
  return ht_stored_read_voxels(path, &stored, volume, values);
}

/* Checks that all voxels are there, before memory for them is allocated. */
static ht_status check_voxels(const char *path) {
  return format_of(path) == FORMAT_NIFTI ? ht_nifti_check_length(path)
                                         : ht_image_check_voxels(path);
}

ht_status ht_image_voxels(const char *path, int volume, ht_volume *image) {
  ht_image_info info;
  memset(image, 0, sizeof *image);
  HT_TRY(read_sound(path, &info));
  ht_grid stored = ht_grid_make(info.dim[0], info.dim[1], info.dim[2]);
  /* Shearing back needs the voxels as they are stored. */
  double more = info.tilted ? (double)ht_grid_voxels(&stored) * sizeof(float) : 0;
  HT_TRY(ht_scan_memory_check(&info.grid, more));
  HT_TRY(check_voxels(path));
  HT_TRY(ht_volume_alloc(info.tilted ? &stored : &info.grid, image));
  ht_status status = read_voxels(path, volume, image->values);
  if (status != HT_OK) ht_volume_free(image);
  return status;
}

ht_status ht_image_shear_back(const char *path, const ht_image_info *info,
                              const ht_progress *progress, ht_volume *image) {
  return info->tilted ? ht_nifti_shear_back(path, progress, image) : HT_OK;
}
