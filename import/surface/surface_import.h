/* Surface as the vessel: reads it, closes its open ends, finds its voxels. Private to import/. */
#ifndef HT_SURFACE_IMPORT_H
#define HT_SURFACE_IMPORT_H

#include "import/common/import_note.h"
#include "core/disk/path_list.h"
#include "import/surface/formats/surface_input.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Describes size, place and state of the surface at `path`, in words ("" where its unit is not
 * known). *usable: HT_OK, or the reason why it is no vessel, with the message. HT_ERR_NOT_FOUND,
 * HT_ERR_FORMAT (no surface), HT_ERR_MEMORY. */
ht_status ht_surface_describe(const char *path, char note[512], ht_status *usable);

/* Makes the mask of the surface at `path`, LPS; fills in `how` (NULL: all automatic). Adds the
 * files that were read to `files` (may be NULL, as `notes`). HT_ERR_NOT_FOUND, HT_ERR_FORMAT,
 * HT_ERR_VESSEL, HT_ERR_MEMORY. The caller frees the mask. */
ht_status ht_surface_vessel(const char *path, ht_import_surface *how, ht_import_notes *notes,
                            ht_path_list *files, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
