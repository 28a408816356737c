/* The inputs of a stage, from memory or from the folder. HT_ERR_NOT_FOUND: an earlier stage has not
 * run. HT_ERR_CASE: the settings or the mask have changed since it ran. */
#ifndef HT_LOAD_INPUTS_H
#define HT_LOAD_INPUTS_H

#include "run/state/run_state.h"

ht_status ht_need_scan(ht_run *run);    /* the scan; with a ready mask: the mask as an image */
ht_status ht_need_drawn(ht_run *run);   /* the ready mask as imported */
ht_status ht_need_surface(ht_run *run); /* the mask's triangles; none without a surface as input */

/* Loads the triangles that the walls follow: those of the input, else those between the scan's
 * voxels; none where the mask was drawn on the lattice. */
ht_status ht_need_walls(ht_run *run);
ht_status ht_need_openings(ht_run *run); /* mask, mask_sha256, mask_edited, placed */
ht_status ht_need_domain(ht_run *run);   /* also these */
ht_status ht_need_path(ht_run *run);     /* the vessel's path; none without inlet and outlet */
ht_status ht_need_tiling(ht_run *run);

/* Makes the surface of the domain's wall, which the caller frees; its load is none or that of any
 * moment. */
ht_status ht_run_take_wall(ht_run *run, ht_surface *surface);

ht_status ht_need_flow(ht_run *run);

#endif
