/* MetaImage files (.mha, .mhd): is one a scan, and its voxels. Private to import/.
 *
 * Read here and not by ITK, whose reader (MetaIO) fills what a truncated file lacks with zeros,
 * takes 1 mm where no size is given, makes zeros of text, and parses a damaged header in its own
 * way.
 */
#ifndef HT_META_FILE_H
#define HT_META_FILE_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the grid, the number of images in time and the problem. HT_ERR_NOT_FOUND, HT_ERR_FORMAT. */
ht_status ht_meta_info(const char *path, ht_image_info *info);

/* Are the voxels of all images there, and no more? Compressed ones are inflated. Only of a file
 * whose info has no problem, as below. HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_meta_check_voxels(const char *path);

/* After ht_meta_check_voxels: reads the voxels of image number `volume` (from 0), [nz][ny][nx].
 * HT_ERR_FORMAT, HT_ERR_MEMORY.
 */
ht_status ht_meta_read_voxels(const char *path, int volume, float *values);

#ifdef __cplusplus
}
#endif
#endif
