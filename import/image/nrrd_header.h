/* Parser of the header of an NRRD file (.nrrd, .nhdr), the only one here. Nothing is guessed: a
 * file without the size of its voxels or the patient's directions of its axes is refused. Private
 * to import/. Format: https://teem.sourceforge.net/nrrd/format.html. */
#ifndef HT_NRRD_HEADER_H
#define HT_NRRD_HEADER_H

#include "import/image/stored_image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the header. It must have the size of the voxels, in mm, and the patient's directions of its
 * axes; only raw and gzip (zlib) data in one file are read. HT_ERR_NOT_FOUND, HT_ERR_FORMAT. Does
 * not check whether the voxels are there. */
ht_status ht_nrrd_header_read(const char *path, ht_stored_image *header);

#ifdef __cplusplus
}
#endif
#endif
