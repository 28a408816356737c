/* Vessels made of straight tubes, for tests of segment/. All lengths in voxels. */
#ifndef HT_TUBE_MASK_H
#define HT_TUBE_MASK_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

typedef struct {
  double from[3], to[3]; /* ends of the axis, voxel indices; the ends are round */
  double radius;
} ht_tube;

/* A grid of cubes of 0.4 mm, its axes turned in space, its origin off. */
ht_grid ht_tube_grid(int nx, int ny, int nz);

/* All voxels whose centre lies in a tube. Asserts that there is memory. */
ht_mask ht_tube_mask(const ht_grid *grid, const ht_tube *tubes, int count);

/* A tube through `middle` along `direction` (any length), far longer than the grid. */
ht_tube ht_tube_through(const double middle[3], const double direction[3], double radius);

/* Fails the test with the last message where status is not HT_OK. */
void ht_assert_ok(ht_status status);

/* Numbers in [0, 1) that follow from the seed; moves it on. */
double ht_test_random(uint64_t *seed);

#endif
