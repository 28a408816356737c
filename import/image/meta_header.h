/* Parser of the header of a MetaImage file (.mha, .mhd), the only one here. Nothing is guessed: a
 * file without the size of its voxels, with voxels as text or in other units than mm is refused.
 * Private to import/. Format: https://itk.org/Wiki/ITK/MetaIO/Documentation. */
#ifndef HT_META_HEADER_H
#define HT_META_HEADER_H

#include "import/image/stored_image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the header at `path`. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (no MetaImage, damaged, or without
 * the needed entries). Does not check whether the voxels are there. */
ht_status ht_meta_header_read(const char *path, ht_stored_image *header);

#ifdef __cplusplus
}
#endif
#endif
