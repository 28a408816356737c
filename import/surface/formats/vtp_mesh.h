/* Wall with numbers at its points, from VTK's PolyData (.vtp), of hemotile or another program. */
#ifndef HT_VTP_MESH_H
#define HT_VTP_MESH_H

#include "import/common/import_note.h"
#include "import/surface/formats/surface_input.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_VTP_ARRAYS_MAX = 64, HT_VTP_NAME_MAX = 96 };

/* Array of the points. */
typedef struct {
  char name[HT_VTP_NAME_MAX];
  int components;
  float *value; /* [points][components]; NULL: not requested. Owned */
} ht_vtp_values;

/* Wall with the numbers at its points; zeroed: empty. */
typedef struct {
  int64_t points, triangles;
  float *point_mm;   /* [points][3] LPS. Owned */
  int32_t *triangle; /* [triangles][3] point numbers. Owned */
  int arrays;        /* number of arrays of the points; those beyond HT_VTP_ARRAYS_MAX are
                        skipped */
  ht_vtp_values array[HT_VTP_ARRAYS_MAX];
  int cell_arrays;      /* number of arrays of the triangles, which are not read */
  ht_surface_unit unit; /* of the file's positions */
} ht_vtp_mesh;

/* Returns 1 where the array of that name is to be read. */
typedef int (*ht_vtp_wanted)(void *user, const char *name);

/* Reads points, polygons (as triangles) and the arrays that `wanted` accepts. `unit`: unit of the
 * positions, as ht_stl_to_mm. `notes` may be NULL. vtp_file.h lists the supported parts of the
 * format. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (damaged, truncated, no triangles, a value of an accepted
 * array is missing), HT_ERR_MEMORY. The caller frees. */
ht_status ht_vtp_mesh_read(const char *path, ht_surface_unit unit, ht_vtp_wanted wanted, void *user,
                           ht_import_notes *notes, ht_vtp_mesh *mesh);
void ht_vtp_mesh_free(ht_vtp_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
