/* Images on a regular grid, in the patient's coordinates: a scan (ht_volume) and a vessel
 * (ht_mask).
 *
 * Coordinates are DICOM's everywhere: LPS (x to the patient's left, y to the back, z to the head),
 * mm. Voxel (i, j, k) has its centre at  p = origin_mm + direction * (spacing_mm[] * (i, j, k)).
 * Arrays are [nz][ny][nx], x (i) fastest.
 */
#ifndef HT_VOLUME_H
#define HT_VOLUME_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int dim[3];           /* voxels along i, j, k */
  double spacing_mm[3]; /* distance of voxel centres along i, j, k; > 0 */
  double origin_mm[3];  /* centre of voxel (0, 0, 0), LPS */
  double direction[3]
                  [3]; /* orthonormal, right-handed or not; column a (direction[.][a]) is the unit
                          vector of index axis a in LPS: p[r] += direction[r][a] * s[a] * i[a] */
} ht_grid;

/* A scan. `values` [nz][ny][nx] in the scan's own unit (CT: HU after slope and intercept). */
typedef struct {
  ht_grid grid;
  float *values;    /* owned; free with ht_volume_free */
  char modality[8]; /* "CT", "MR", "XA" or "" where the format does not give it */
} ht_volume;

/* A vessel. `inside` [nz][ny][nx]: 0 outside, 1 vessel (other non-zero values: see domain.h). */
typedef struct {
  ht_grid grid;
  uint8_t *inside; /* owned; free with ht_mask_free */
} ht_mask;

/* Makes a grid with unit direction and the given size; spacing 1, origin 0. */
ht_grid ht_grid_make(int nx, int ny, int nz);

/* Returns the number of voxels. */
static inline int64_t ht_grid_voxels(const ht_grid *grid) {
  return (int64_t)grid->dim[0] * grid->dim[1] * grid->dim[2];
}

/* Converts the linear index of a voxel in [nz][ny][nx] to its place (i, j, k), and back. In the
 * header because these are in the loops over all voxels. */
static inline void ht_voxel_place(const int dim[3], int64_t voxel, int at[3]) {
  int64_t row = voxel / dim[0];
  at[0] = (int)(voxel - row * dim[0]);
  at[1] = (int)(row % dim[1]);
  at[2] = (int)(row / dim[1]);
}

static inline int64_t ht_voxel_index(const int dim[3], const int at[3]) {
  return at[0] + dim[0] * (at[1] + (int64_t)dim[1] * at[2]);
}

static inline int ht_voxel_in_grid(const int dim[3], const int at[3]) {
  return at[0] >= 0 && at[0] < dim[0] && at[1] >= 0 && at[1] < dim[1] && at[2] >= 0 &&
         at[2] < dim[2];
}

/* Returns the position of the centre of a voxel by its linear index. LPS mm. */
void ht_grid_voxel_position(const ht_grid *grid, int64_t voxel, double position_mm[3]);

/* Returns the position of voxel (i, j, k), which may be fractional or outside. LPS mm. */
void ht_grid_position(const ht_grid *grid, const double index[3], double position_mm[3]);

/* Returns the fractional voxel index of a position. */
void ht_grid_index(const ht_grid *grid, const double position_mm[3], double index[3]);

/* Finds the voxel nearest to a position, also for one outside the grid; returns its linear
 * index. */
int64_t ht_grid_nearest(const ht_grid *grid, const double position_mm[3], int at[3]);

/* Finds the voxels low to high, both included, that have all of the grid's within `reach_mm` of a
 * position among them; low > high along an axis: there is none. */
void ht_grid_around(const ht_grid *grid, const double position_mm[3], double reach_mm, int low[3],
                    int high[3]);

/* Walk through the voxels low to high, both included, x first; return 0 after the last:
 * for (int more = ht_box_begin(low, high, at); more; more = ht_box_next(low, high, at)). */
static inline int ht_box_begin(const int low[3], const int high[3], int at[3]) {
  for (int a = 0; a < 3; a++) at[a] = low[a];
  return low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2];
}

static inline int ht_box_next(const int low[3], const int high[3], int at[3]) {
  for (int a = 0; a < 3; a++) {
    if (++at[a] <= high[a]) return 1;
    at[a] = low[a];
  }
  return 0;
}

/* Returns 1 where the three spacings are the same to 1e-4. */
int ht_grid_is_isotropic(const ht_grid *grid);

/* Rotates a vector from index axes to LPS, and back. No scaling. */
void ht_grid_to_lps(const ht_grid *grid, const double along_axes[3], double lps[3]);
void ht_grid_from_lps(const ht_grid *grid, const double lps[3], double along_axes[3]);

/* Returns "first", "second" or "third" for axis 0, 1 or 2, for a message: people count from 1.
 * Static. */
const char *ht_axis_name(int axis);

/* Checks that sizes are > 0 and at most 2^31 voxels a side product 2^40, spacing > 0 and finite,
 * direction orthonormal to 1e-3. HT_ERR_FORMAT with the reason. */
ht_status ht_grid_check(const ht_grid *grid);

/* Allocates values (zeroed). HT_ERR_MEMORY. The caller frees. */
ht_status ht_volume_alloc(const ht_grid *grid, ht_volume *volume);
void ht_volume_free(ht_volume *volume);

/* Returns the value at a fractional voxel index, trilinear; beyond the grid that of its border. Not
 * finite where one of the voxels around is not. */
double ht_volume_sample(const ht_volume *volume, const double index[3]);

/* Allocates inside (zeroed). HT_ERR_MEMORY. The caller frees. */
ht_status ht_mask_alloc(const ht_grid *grid, ht_mask *mask);
void ht_mask_free(ht_mask *mask);

/* Returns the number of voxels that are not 0. */
int64_t ht_mask_count(const ht_mask *mask);

/* Finds the voxel of the mask whose centre is nearest to a position, also to one outside the grid;
 * of equally near ones the first. Its linear index, and its distance in *away_mm (may be NULL); -1
 * and INFINITY for an empty mask. */
int64_t ht_mask_nearest(const ht_mask *mask, const double position_mm[3], double *away_mm);

/* Returns the volume of the voxels inside, mL. */
double ht_mask_ml(const ht_mask *mask);

/* Allocates as calloc does. HT_ERR_MEMORY, with the size and `what` in the message. Large pieces
 * are refused where the machine has less free (host_memory.h): a system allocates more than it
 * has. */
ht_status ht_alloc(void **pointer, size_t count, size_t size, const char *what);

#ifdef __cplusplus
}
#endif
#endif
