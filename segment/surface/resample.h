/* Resampling from the scan's voxels to the isotropic lattice: the surface between the voxels. */
#ifndef HT_RESAMPLE_H
#define HT_RESAMPLE_H

#include "segment/voxels/component.h"
#include "core/work/progress.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vessel with a surface between the voxels: inside is where the field, interpolated linearly, has
 * lower <= value <= upper. */
typedef struct {
  ht_volume field; /* owned. The values of other pieces are mirrored at `lower` and so outside */
  double lower, upper;
  ht_box box; /* box of the vessel's voxels */
} ht_isosurface;

void ht_isosurface_free(ht_isosurface *surface);

/* Makes the surface from the smoothed scan and the voxels of the kept piece. Takes over the field
 * (zeroes *field). */
void ht_isosurface_of_level(ht_volume *field, const ht_mask *vessel, double lower, double upper,
                            ht_isosurface *surface);

/* Makes the surface from a mask, not empty: its signed distance, smoothed where the vessel is thick
 * (shape-based interpolation: Raya & Udupa, IEEE Trans. Med. Imaging 9 (1990) 32), at the level
 * that encloses the volume of the drawn voxels. */
ht_status ht_isosurface_of_mask(const ht_mask *vessel, const ht_progress *progress,
                                ht_isosurface *surface);

/* Makes the surface from the distance (mm, > 0 inside) of an isotropic grid's voxels from a wall
 * that is smooth between them, at the level that encloses the wall's volume. Copies; `box`: box of
 * the vessel's voxels. HT_ERR_MEMORY. */
ht_status ht_isosurface_of_distance(const ht_volume *distance, const ht_box *box,
                                    ht_isosurface *surface);

/* Finds the lattice spacing that puts `nodes` nodes across the widest opening at the border. Where
 * there is none, or one so narrow that the lattice would be far finer than the field, ends inside
 * (ends.h) count too; where there is neither, the vessel's widest place counts. *diameter_mm: the
 * width that `nodes` was applied to. HT_ERR_MEMORY. */
ht_status ht_isosurface_spacing(const ht_isosurface *surface, double nodes,
                                const ht_progress *progress, double *spacing_mm,
                                double *diameter_mm);

/* Returns spacing_mm, or the next larger one whose lattice has at most `most` nodes in the vessel's
 * box. */
double ht_isosurface_fitting_mm(const ht_isosurface *surface, double spacing_mm, double most);

/* Samples the surface at the nodes of an isotropic lattice: one 6-connected piece (at the seed,
 * which may be NULL, or the largest), without cavities. The grid ends where the field's does on the
 * sides that the vessel touches, 2 nodes off the vessel on the others. HT_ERR_MEMORY above
 * max_voxels (0: no limit), with the spacing that fits; HT_ERR_VESSEL where nothing is left. */
ht_status ht_isosurface_sample(const ht_isosurface *surface, double spacing_mm, int64_t max_voxels,
                               const double *seed_mm, const ht_progress *progress, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
