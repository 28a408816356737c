/* Straight extension of one opening: its section swept along the vessel, layer by layer, up to a
 * lattice plane. Private to segment/. */
#ifndef HT_SWEEP_H
#define HT_SWEEP_H

#include "core/vessel/openings.h"
#include "segment/shape/section.h"

enum { HT_SWEEP_FEWEST_LAYERS = 2 };

/* Straight extension of one opening, in voxel indices. A layer w is the lattice plane with index
 * sign * w along the axis, so that w grows outward. */
typedef struct {
  const ht_opening *opening;
  double centre[3], normal[3], direction[3];
  int axis, sign, across[2]; /* across: the other two axes */
  double depth;    /* distance inward of the plane, along the normal, where the vessel's section is
                      taken */
  double slope[2]; /* slope of the direction: voxels along across[] per layer */
  ht_section section; /* across the axis, moved along the direction to layer `home` */
  int64_t nodes;      /* number in a layer, so that the extension is as wide as the vessel */
  int home;
  int first, full, last; /* layers: the first, the first wholly beyond the plane, the last */
  uint8_t id;
  int follows;    /* 1: the section's distances are those from the surface (sweep_surface.h) */
  uint8_t *shape; /* [section.size] pixels of a layer; with its values and their order */
  int *value, *sorted;
} ht_sweep;

/* Finds the section at the opening and sets the layers so that `diameters` lie on the centreline
 * (extend.h). Borrows the opening. HT_ERR_OPENINGS (no vessel there, too few nodes, not the section
 * that the opening was measured on), HT_ERR_MEMORY. Free it also after a failure. */
ht_status ht_sweep_make(const ht_mask *mask, const ht_opening *opening, double diameters,
                        ht_sweep *s);
void ht_sweep_free(ht_sweep *s);

/* Moves the extension to a grid whose voxel (0, 0, 0) lies at -by in the old one. */
void ht_sweep_move(ht_sweep *s, const int by[3]);

/* Returns HT_ERR_OPENINGS with a message that names a sufficient spacing. */
ht_status ht_sweep_too_coarse(const ht_sweep *s, double spacing_mm);

/* Returns the distance of a place beyond the cut plane, voxels. */
double ht_sweep_beyond(const ht_sweep *s, const double at[3]);

/* Finds the place where the line along the direction through pixel (u, v) of layer `home` meets the
 * cut plane. */
void ht_sweep_meet(const ht_sweep *s, double u, double v, double at[3]);

/* Fills s->shape for layer w: the section moved along the direction, with the section's number of
 * nodes (those inside the surface where it follows one), cleaned. HT_ERR_MEMORY. */
ht_status ht_sweep_shape(const ht_sweep *s, int w);

/* Finds the voxel along across[] of the first pixel of s->shape in layer w. */
void ht_sweep_window(const ht_sweep *s, int w, int low[2]);

/* Finds the voxel of pixel number n of a shape whose first pixel is at `low`, put into layer w. */
void ht_sweep_voxel(const ht_sweep *s, int w, const int low[2], int n, int at[3]);

#endif
