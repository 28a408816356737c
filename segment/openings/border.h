/* Openings of a mask at the border of its grid, or at planes that a person gave. */
#ifndef HT_BORDER_H
#define HT_BORDER_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds one opening for each 8-connected patch of mask voxels on a face of the grid (patches of
 * fewer than 12 voxels are taken as wall and counted in *ignored). A patch that runs over an edge
 * of the grid is one opening, on the face with most of it. The direction along the vessel is that
 * of the centreline through the connected sections inward of the border, up to two diameters deep
 * (layers.h), but at most HT_OPENING_STEEPEST_DEGREES from the normal, to leave room for an
 * extension. Roles: none yet. Sorted by area, largest first. HT_ERR_OPENINGS where there are more
 * than HT_OPENINGS_MAX. */
ht_status ht_openings_at_border(const ht_mask *mask, ht_openings *openings, int *ignored);

/* Finds the openings at the border like ht_openings_at_border, from patches of `least` voxels and
 * more: for a lattice on which known openings are looked for again. */
ht_status ht_openings_of_patches(const ht_mask *mask, int least, ht_openings *openings,
                                 int *ignored);

/* Cuts the mask at a plane across the vessel: given centre, normal (outward; need not be unit) and
 * a search radius (0: 3 times the radius of the vessel there), removes the voxels of the vessel on
 * the outer side that belong to this branch (connected to the section on the outer side within the
 * search radius; the whole outer piece where the cut separates it from the rest; otherwise only a
 * slab one diameter thick). Fills in centre, area and radius of the section found. HT_ERR_OPENINGS
 * where no vessel is within the search radius of the centre (the message gives the nearest vessel
 * position). */
ht_status ht_openings_cut(ht_mask *mask, const double centre_mm[3], const double normal[3],
                          double search_radius_mm, ht_opening *opening);

/* Gives roles to the openings without one: the largest is the inlet unless there is one (of two
 * that are equal to 5 %, the one at the border), the others are outlets. Names them "inlet",
 * "outlet-1", ... by area. HT_ERR_OPENINGS where there is no opening, no inlet, or no outlet, each
 * with the remedy. */
ht_status ht_openings_assign(ht_openings *openings);

/* HT_ERR_OPENINGS where an inlet is not connected to any outlet through the mask (6-connected), or
 * an outlet to no inlet: names them. */
ht_status ht_openings_connected(const ht_mask *mask, const ht_openings *openings);

#ifdef __cplusplus
}
#endif
#endif
