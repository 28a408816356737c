/* The straight extension of one opening: its section swept along the vessel, layer by layer, up to
 * a lattice plane. Private to segment/. */
#ifndef HT_SWEEP_H
#define HT_SWEEP_H

#include "core/vessel/openings.h"
#include "segment/shape/section.h"

enum { HT_SWEEP_FEWEST_LAYERS = 2 };

/* The straight extension of one opening, in voxel indices. A layer w is the lattice plane with
 * index sign * w along the axis, so that w grows outward. */
typedef struct {
  const ht_opening *opening;
  double centre[3], normal[3], direction[3];
  int axis, sign, across[2]; /* across: the other two axes */
  double
      depth; /* the section is the vessel's at this distance behind the plane, along the normal */
  double slope[2];    /* of the direction: voxels along across[] for each layer */
  ht_section section; /* across the axis, moved along the direction to layer `home` */
  int64_t nodes;      /* of a layer, so that the extension is as wide as the vessel */
  int home;
  int first, full, last; /* layers: not before first; from full on wholly beyond the plane */
  uint8_t id;
  int follows;    /* the section's distances are those from the surface (sweep_surface.h) */
  uint8_t *shape; /* [section.size] a layer's pixels; with its values and their order */
  int *value, *sorted;
} ht_sweep;

/* Finds the section at the opening and sets the layers so that `diameters` lie on the centreline
 * (extend.h). Borrows the opening. HT_ERR_OPENINGS (no vessel there, too few nodes, not the section
 * that the opening was measured on), HT_ERR_MEMORY. Free it also after a failure. */
ht_status ht_sweep_make(const ht_mask *mask, const ht_opening *opening, double diameters,
                        ht_sweep *s);
void ht_sweep_free(ht_sweep *s);

/* The same in a grid whose voxel (0, 0, 0) lies at -by in the old one. */
void ht_sweep_move(ht_sweep *s, const int by[3]);

/* HT_ERR_OPENINGS: names a spacing that would do. */
ht_status ht_sweep_too_coarse(const ht_sweep *s, double spacing_mm);

/* How far a place lies beyond the cut plane, voxels. */
double ht_sweep_beyond(const ht_sweep *s, const double at[3]);

/* Where the line along the direction through pixel (u, v) of layer `home` meets the cut plane. */
void ht_sweep_meet(const ht_sweep *s, double u, double v, double at[3]);

/* Fills s->shape for layer w: the section moved along the direction, with the section's number of
 * nodes (where it follows a surface: those inside that), cleaned. HT_ERR_MEMORY. */
ht_status ht_sweep_shape(const ht_sweep *s, int w);

/* Voxel along across[] of the first pixel of s->shape in layer w. */
void ht_sweep_window(const ht_sweep *s, int w, int low[2]);

/* Voxel of pixel number n of a shape whose first pixel is at `low`, put into layer w. */
void ht_sweep_voxel(const ht_sweep *s, int w, const int low[2], int n, int at[3]);

#endif
