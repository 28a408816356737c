/* Surface in several files: the wall, and the caps of its ends. Private to import/. */
#ifndef HT_SURFACE_PARTS_H
#define HT_SURFACE_PARTS_H

#include "import/common/import_note.h"
#include "core/vessel/openings.h"
#include "core/disk/path_list.h"
#include "import/surface/formats/stl_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the wall: the files with "wall" in their name, joined; where there is none, the first file.
 * Fills in its triangles, in the file's unit. HT_ERR_FORMAT: axes that differ; else as
 * ht_surface_read, with the file's name in the message. */
ht_status ht_surface_read_wall(const ht_path_list *files, ht_stl *wall);

/* Prefixes the message of a failed `status` with the file that is the wall; returns `status`. */
ht_status ht_surface_fail_wall(ht_status status, const ht_path_list *files);

/* Names the ends by the other files, which are caps: each gives the end nearest to its middle
 * (within the end's radius) its own name, without the ending, and the role that the name begins
 * with: inlet, inflow or in; outlet, outflow or out (large or small letters; digits and signs may
 * follow). `unit`: unit of the wall. Where there are caps, a note names each end without one.
 * HT_ERR_FORMAT: a cap at no end, two caps at one, two of one name. Else as ht_surface_read. */
ht_status ht_surface_name_ends(const ht_path_list *files, ht_surface_unit unit,
                               ht_import_notes *notes, ht_openings *ends);

#ifdef __cplusplus
}
#endif
#endif
