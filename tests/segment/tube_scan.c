#include "tests/segment/tube_scan.h"
#include <assert.h>
#include <math.h>

tube_scan tube_scan_default(void) {
  tube_scan make = {.dim = {60, 64, 44},
                    .spacing_mm = {0.5, 0.5, 0.8},
                    .tilt = 0.3,
                    .tubes = 1,
                    .tissue = 100,
                    .blood = 300,
                    .noise = 10,
                    .blur_mm = 0.4};
  double k[3], i[3];
  tube_scan_axis(&make, 2, k);
  tube_scan_axis(&make, 0, i);
  make.tube[0] = (tube){.through = {5.13, -6.81, 11}, .radius_mm = 2};
  for (int r = 0; r < 3; r++) make.tube[0].along[r] = k[r] + 0.3 * i[r];
  return make;
}

void tube_scan_axis(const tube_scan *make, int axis, double lps[3]) {
  double c = cos(make->tilt), s = sin(make->tilt);
  /* a turn about x, then one about z */
  const double column[3][3] = {{c, s, 0}, {-s * c, c * c, s}, {s * s, -c * s, c}};
  for (int r = 0; r < 3; r++) lps[r] = column[axis][r];
}

ht_grid tube_scan_grid(const tube_scan *make) {
  const double centre[3] = {5, -7, 11};
  ht_grid grid = ht_grid_make(make->dim[0], make->dim[1], make->dim[2]);
  double middle[3], p[3];
  for (int a = 0; a < 3; a++) {
    double axis[3];
    tube_scan_axis(make, a, axis);
    for (int r = 0; r < 3; r++) grid.direction[r][a] = axis[r];
    grid.spacing_mm[a] = make->spacing_mm[a];
    middle[a] = (make->dim[a] - 1) / 2.0;
  }
  ht_grid_position(&grid, middle, p);
  for (int r = 0; r < 3; r++) grid.origin_mm[r] = centre[r] - p[r];
  return grid;
}

static double distance_to(const tube *t, const double p[3]) {
  double length =
      sqrt(t->along[0] * t->along[0] + t->along[1] * t->along[1] + t->along[2] * t->along[2]);
  double s = 0, square = 0;
  for (int r = 0; r < 3; r++) s += (p[r] - t->through[r]) * t->along[r] / length;
  if (t->half_length_mm > 0) s = fmin(fmax(s, -t->half_length_mm), t->half_length_mm);
  for (int r = 0; r < 3; r++) {
    double off = p[r] - t->through[r] - s * t->along[r] / length;
    square += off * off;
  }
  return sqrt(square) - t->radius_mm;
}

double tube_scan_distance(const tube_scan *make, const double position_mm[3]) {
  double nearest = INFINITY;
  for (int t = 0; t < make->tubes; t++)
    nearest = fmin(nearest, distance_to(&make->tube[t], position_mm));
  return nearest;
}

/* Share of a voxel's 3 x 3 x 3 points, each blurred: the edge of a half-space under a Gaussian. Six
 * of its widths from the edge the share is 0 or 1 but for 1e-9. */
static double share_of(const tube_scan *make, const ht_grid *grid, const int at[3]) {
  double sum = 0, middle[3], far = 6 * make->blur_mm;
  for (int a = 0; a < 3; a++) far += 0.5 * make->spacing_mm[a];
  ht_grid_position(grid, (const double[3]){at[0], at[1], at[2]}, middle);
  double distance = tube_scan_distance(make, middle);
  if (fabs(distance) > far) return distance < 0;
  for (int n = 0; n < 27; n++) {
    double index[3] = {at[0] + (n % 3 - 1) / 3.0, at[1] + (n / 3 % 3 - 1) / 3.0,
                       at[2] + (n / 9 - 1) / 3.0};
    double p[3];
    ht_grid_position(grid, index, p);
    sum += 0.5 * erfc(tube_scan_distance(make, p) / (sqrt(2.0) * fmax(make->blur_mm, 1e-6)));
  }
  return sum / 27;
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 33) / 2147483648.0;
}

static double normal(uint64_t *state) {
  double sum = 0;
  for (int n = 0; n < 12; n++) sum += uniform(state);
  return sum - 6;
}

void tube_scan_volume(const tube_scan *make, ht_volume *scan) {
  ht_grid grid = tube_scan_grid(make);
  uint64_t state = 20;
  ht_status status = ht_volume_alloc(&grid, scan);
  assert(status == HT_OK);
  (void)status;
  float *value = scan->values;
  for (int k = 0; k < grid.dim[2]; k++)
    for (int j = 0; j < grid.dim[1]; j++)
      for (int i = 0; i < grid.dim[0]; i++) {
        const int at[3] = {i, j, k};
        double share = share_of(make, &grid, at);
        *value++ = (float)(make->tissue + share * (make->blood - make->tissue) +
                           make->noise * normal(&state));
      }
}

static double distance_at(const tube_scan *make, const ht_grid *grid, double i, double j,
                          double k) {
  const double index[3] = {i, j, k};
  double p[3];
  ht_grid_position(grid, index, p);
  return tube_scan_distance(make, p);
}

void tube_scan_mask(const tube_scan *make, ht_mask *mask) {
  ht_grid grid = tube_scan_grid(make);
  ht_status status = ht_mask_alloc(&grid, mask);
  assert(status == HT_OK);
  (void)status;
  uint8_t *inside = mask->inside;
  for (int k = 0; k < grid.dim[2]; k++)
    for (int j = 0; j < grid.dim[1]; j++)
      for (int i = 0; i < grid.dim[0]; i++) *inside++ = distance_at(make, &grid, i, j, k) <= 0;
}

double tube_scan_volume_ratio(const tube_scan *make, const ht_mask *mask) {
  const ht_grid *grid = &mask->grid;
  int64_t hits = 0;
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++)
        for (int n = 0; n < 8; n++)
          hits += distance_at(make, grid, i + (n % 2) / 2.0 - 0.25, j + (n / 2 % 2) / 2.0 - 0.25,
                              k + n / 4 / 2.0 - 0.25) <= 0;
  return (double)ht_mask_count(mask) / ((double)hits / 8);
}

int64_t tube_scan_wrong(const tube_scan *make, const ht_mask *mask, double slack_mm) {
  const ht_grid *grid = &mask->grid;
  const uint8_t *inside = mask->inside;
  int64_t wrong = 0;
  for (int k = 0; k < grid->dim[2]; k++)
    for (int j = 0; j < grid->dim[1]; j++)
      for (int i = 0; i < grid->dim[0]; i++) {
        double d = distance_at(make, grid, i, j, k);
        int is = *inside++ != 0;
        wrong += is ? d > slack_mm : d < -slack_mm;
      }
  return wrong;
}
