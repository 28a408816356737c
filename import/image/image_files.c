/* The files that an image is in: a header may name another for its voxels. */
#include "import/image/image.h"
#include "import/image/meta_header.h"
#include "import/image/nifti_header.h"
#include "import/image/nrrd_header.h"
#include <string.h>

static ht_status find_voxels(const char *path, char voxels[HT_PATH_MAX]) {
  ht_nifti_header nifti;

  ht_stored_image stored;
  if (ht_path_ends(path, ".mha") || ht_path_ends(path, ".mhd")) {
    HT_TRY(ht_meta_header_read(path, &stored));
    memcpy(voxels, stored.file.data, HT_PATH_MAX);
  } else if (ht_path_ends(path, ".nrrd") || ht_path_ends(path, ".nhdr")) {
    HT_TRY(ht_nrrd_header_read(path, &stored));
    memcpy(voxels, stored.file.data, HT_PATH_MAX);
  } else {
    HT_TRY(ht_nifti_header_read(path, &nifti));
    memcpy(voxels, nifti.voxels, HT_PATH_MAX);
  }
  return HT_OK;
}

ht_status ht_image_files(const char *path, ht_path_list *files) {
  char voxels[HT_PATH_MAX];
  HT_TRY(ht_path_list_add(files, path));
  HT_TRY(find_voxels(path, voxels));
  return strcmp(voxels, path) == 0 ? HT_OK : ht_path_list_add(files, voxels);
}
