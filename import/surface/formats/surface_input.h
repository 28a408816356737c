/* Surface (STL) as the input: options of its reading, and the properties found in it. */
#ifndef HT_SURFACE_INPUT_H
#define HT_SURFACE_INPUT_H

#include "core/vessel/openings.h"
#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unit of the numbers of an STL file. */
typedef enum { HT_UNIT_AUTO = 0, HT_UNIT_MM, HT_UNIT_CM, HT_UNIT_M } ht_surface_unit;

/* Options of the reading of a surface, and its properties. */
typedef struct {
  /* Further files of the surface, one per line: parts of the wall, and the caps of its ends, whose
   * names become names and roles of `ends`. NULL or "": none. Borrowed. */
  const char *more;
  ht_surface_unit unit; /* HT_UNIT_AUTO: by its size where that is sure */
  /* Spacing of the mask that it becomes, mm. 0: chosen by the thinnest vessel and by the lattice:
   * its spacing, or its nodes across the widest flat end, where they are known (else 0). */
  double spacing_mm, lattice_mm, nodes_across;
  /* Filled in where the input is a surface: its voxels, and the flat ends where vessels were cut
   * (centre, normal, area, radius), largest first. Else 0. */
  double voxel_mm;
  ht_openings ends;
  ht_triangles *triangles; /* all of the closed surface, where it is not NULL. Borrowed; the caller
                              frees what is in it */
} ht_import_surface;

/* Reads the surface that ht_export_triangles wrote: mm. HT_ERR_NOT_FOUND, HT_ERR_FORMAT,
 * HT_ERR_MEMORY. The caller frees it. */
ht_status ht_import_triangles(const char *path, ht_triangles *triangles);

/* Finds the voxels of a grid inside a closed surface: fills mask->inside. The grid's axes are LPS
 * (HT_ERR_INTERNAL). HT_ERR_FORMAT: it is not closed. HT_ERR_MEMORY. */
ht_status ht_triangles_fill(const ht_triangles *triangles, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
