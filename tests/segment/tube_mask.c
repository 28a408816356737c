#include "tests/check.h"
#include "tests/segment/tube_mask.h"
#include <string.h>

ht_grid ht_tube_grid(int nx, int ny, int nz) {
  ht_grid grid = ht_grid_make(nx, ny, nz);
  const double c = cos(0.3), s = sin(0.3), d = cos(0.5), t = sin(0.5);
  const double turned[3][3] = {{c, -s * d, s * t}, {s, c * d, -c * t}, {0, t, d}};
  memcpy(grid.direction, turned, sizeof turned);
  for (int a = 0; a < 3; a++) {
    grid.spacing_mm[a] = 0.4;
    grid.origin_mm[a] = 7.5 - 20 * a;
  }
  return grid;
}

static int is_in_tube(const ht_tube *tube, const double at[3]) {
  double along[3], off[3], length2 = 0, dot = 0, distance2 = 0;
  for (int a = 0; a < 3; a++) {
    along[a] = tube->to[a] - tube->from[a];
    off[a] = at[a] - tube->from[a];
    length2 += along[a] * along[a];
    dot += along[a] * off[a];
  }
  double share = fmin(1, fmax(0, dot / length2));
  for (int a = 0; a < 3; a++) distance2 += pow(off[a] - share * along[a], 2);
  return distance2 < tube->radius * tube->radius;
}

ht_mask ht_tube_mask(const ht_grid *grid, const ht_tube *tubes, int count) {
  ht_mask mask;
  const int *dim = grid->dim;
  ht_assert_ok(ht_mask_alloc(grid, &mask));
  for (int64_t v = 0, voxels = ht_grid_voxels(grid); v < voxels; v++) {
    const double at[3] = {(double)(v % dim[0]), (double)(v / dim[0] % dim[1]),
                          (double)(v / dim[0] / dim[1])};
    for (int k = 0; k < count && !mask.inside[v]; k++)
      mask.inside[v] = (uint8_t)is_in_tube(&tubes[k], at);
  }
  return mask;
}

ht_tube ht_tube_through(const double middle[3], const double direction[3], double radius) {
  ht_tube tube = {.radius = radius};
  double length =
      sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
  for (int a = 0; a < 3; a++) {
    tube.from[a] = middle[a] - 1000 * direction[a] / length;
    tube.to[a] = middle[a] + 1000 * direction[a] / length;
  }
  return tube;
}

void ht_assert_ok(ht_status status) {
  if (status != HT_OK) fail_msg("%s: %s", ht_status_name(status), ht_error_message());
}

double ht_test_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}
