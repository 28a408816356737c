/* Large images block by block, so that a filter's working memory is that of one block.
 * Private to segment/.
 */
#ifndef HT_BLOCK_H
#define HT_BLOCK_H

#include "segment/voxels/component.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block's own voxels, and these with a halo on every side within the grid.
 */
typedef struct {
  ht_box inner, outer;
} ht_block;

/* Number of blocks of `side` voxels that cover the grid, and block number `n`; `halo` in voxels. */
int64_t ht_block_count(const ht_grid *grid, int side);
ht_block ht_block_at(const ht_grid *grid, int side, const int halo[3], int64_t n);

/* Returns the inner box in voxels of the outer one. */
ht_box ht_block_inner(const ht_block *block);

/* Calls `visit` for each voxel of the inner box, with its place in the grid and its value in
 * `part`, an image of the outer box. */
typedef void (*ht_block_visitor)(const int at[3], float value, void *with);
void ht_block_visit(const ht_block *block, const ht_volume *part, ht_block_visitor visit,
                    void *with);

/* Computes the number of voxels along each axis that reach `reach_mm`, plus one. */
void ht_block_halo(const ht_grid *grid, double reach_mm, int halo[3]);

/* Marks the voxels whose distance (mm, between centres) to the nearest voxel with inside == `of`
 * (0 or 1) is above `near_mm` and at most `far_mm`; INFINITY: no upper limit. `ring` is
 * allocated; the caller frees. HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_mask_ring(const ht_mask *mask, int of, double near_mm, double far_mm,
                       const ht_progress *progress, ht_mask *ring);

/* Marks the voxels within `reach_mm` of the mask, the mask included. Errors and ownership as
 * ht_mask_ring. */
ht_status ht_mask_grow(const ht_mask *mask, double reach_mm, const ht_progress *progress,
                       ht_mask *grown);

#ifdef __cplusplus
}
#endif
#endif
