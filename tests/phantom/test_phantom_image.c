/* phantom/phantom_image: the scan of a phantom: contrast, partial volume, noise, the seed, and that
 * the vessel can be found in it. */
#include "tests/check.h"
#include "phantom/phantom.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = HT_PHANTOM_PIPE_OBLIQUE + 1, BINS = 256 };
/* HU of the blood and of the tissue around it (phantom_kinds.c). */
static const double blood[KINDS] = {420, 400, 400, 400}, tissue = 40;

static void make(ht_phantom_kind kind, uint64_t seed, double noise, ht_phantom *phantom) {
  ht_phantom_options options;
  ht_phantom_defaults(kind, &options);
  options.seed = seed;
  options.noise = noise;
  if (ht_phantom_make(&options, NULL, phantom) != HT_OK) fail_msg("%s", ht_error_message());
}

/* One phantom of each kind with its defaults; and an aneurysm with another seed. Made once, only
 * read. */
static ht_phantom usual[KINDS], reseeded;

static int make_usual(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) make((ht_phantom_kind)k, 1, -1, &usual[k]);
  make(HT_PHANTOM_ANEURYSM, 2, -1, &reseeded);
  return 0;
}

static int free_usual(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) ht_phantom_free(&usual[k]);
  ht_phantom_free(&reseeded);
  return 0;
}

static int same_scan(const ht_phantom *a, const ht_phantom *b) {
  size_t bytes = (size_t)ht_grid_voxels(&a->scan.grid) * sizeof *a->scan.values;
  for (int c = 0; c < 3; c++) assert_int_equal(a->scan.grid.dim[c], b->scan.grid.dim[c]);
  return memcmp(a->scan.values, b->scan.values, bytes) == 0;
}

HT_TEST(the_seed_decides_the_scan_and_not_the_truth) {
  const ht_phantom *one = &usual[HT_PHANTOM_ANEURYSM], *other = &reseeded;
  size_t voxels = (size_t)ht_grid_voxels(&one->scan.grid);
  assert_false(same_scan(one, other));
  assert_memory_equal(one->truth.inside, other->truth.inside, voxels);
  assert_memory_equal(one->distance.values, other->distance.values, voxels * sizeof(float));
  for (int i = 0; i < one->openings.count; i++)
    for (int c = 0; c < 3; c++)
      assert_near(one->openings.item[i].centre_mm[c], other->openings.item[i].centre_mm[c], 0);
}

/* A seed gives the same scan with any number of threads. */
HT_TEST(the_number_of_threads_does_not_matter) {
  int threads = omp_get_max_threads();
  ht_phantom_options options;
  ht_phantom scan[2];
  ht_phantom_defaults(HT_PHANTOM_ANEURYSM, &options);
  options.spacing_mm = 0.6; /* coarse: two are made */
  for (int i = 0; i < 2; i++) {
    omp_set_num_threads(i ? 4 : 1);
    assert_int_equal(ht_phantom_make(&options, NULL, &scan[i]), HT_OK);
  }
  omp_set_num_threads(threads);
  assert_true(same_scan(&scan[0], &scan[1]));
  for (int i = 0; i < 2; i++) ht_phantom_free(&scan[i]);
}

/* Mean and standard deviation where the distance to the wall is between the bounds (mm). */
static void moments(const ht_phantom *phantom, double from, double to, double *mean, double *sd) {
  double sum = 0, square = 0, count = 0;
  int64_t voxels = ht_grid_voxels(&phantom->scan.grid);
  for (int64_t v = 0; v < voxels; v++) {
    double d = phantom->distance.values[v], value = phantom->scan.values[v];
    if (d < from || d > to) continue;
    sum += value, square += value * value, count++;
  }
  assert_true(count > 50);
  *mean = sum / count;
  *sd = sqrt(fmax(0, square / count - *mean * *mean));
}

HT_TEST(blood_is_bright_and_tissue_dark) {
  for (int k = 0; k < KINDS; k++) {
    const ht_phantom *phantom = &usual[k];
    double edge = 2.5 * phantom->scan.grid.spacing_mm[2], inside, outside, sd;
    moments(phantom, -1e9, -edge, &inside, &sd);
    moments(phantom, edge, 1e9, &outside, &sd);
    assert_near(inside, blood[k], 5);
    assert_near(outside, tissue, 15);
    assert_string_equal(phantom->scan.modality, "CT");
  }
}

/* The difference of two scans that differ only in their noise is the noise. */
HT_TEST(the_noise_is_as_strong_as_asked_for) {
  ht_phantom quiet, noisy;
  make(HT_PHANTOM_PIPE, 1, 0, &quiet);
  make(HT_PHANTOM_PIPE, 1, 0.1, &noisy);
  double sum = 0, square = 0, voxels = (double)ht_grid_voxels(&quiet.scan.grid);
  for (int64_t v = 0; v < (int64_t)voxels; v++) {
    double difference = noisy.scan.values[v] - quiet.scan.values[v];
    sum += difference, square += difference * difference;
  }
  assert_near(sum / voxels, 0, 0.5);
  assert_near(sqrt(square / voxels) / (0.1 * (blood[HT_PHANTOM_PIPE] - tissue)), 1, 0.01);
  ht_phantom_free(&quiet);
  ht_phantom_free(&noisy);
}

/* The share of blood in the voxels that lie within 0.05 voxels of a distance (in voxels). */
static double share_at(const ht_phantom *phantom, double voxels) {
  double at = voxels * phantom->scan.grid.spacing_mm[0], mean, sd;
  double slack = 0.05 * phantom->scan.grid.spacing_mm[0];
  moments(phantom, at - slack, at + slack, &mean, &sd);
  return (mean - tissue) / (blood[HT_PHANTOM_PIPE] - tissue);
}

/* A voxel averages over its volume (a ramp one voxel wide) and the scanner blurs (0.6 voxels): an
 * edge whose standard deviation is sqrt(1/12 + 0.36) voxels. */
HT_TEST(the_wall_is_a_blurred_edge) {
  ht_phantom phantom;
  double sigma = sqrt(1.0 / 12 + 0.36);
  make(HT_PHANTOM_PIPE_OBLIQUE, 1, 0, &phantom);
  for (double d = -2; d < 2.1; d += 0.5)
    assert_near(share_at(&phantom, d), 0.5 * erfc(d / (sigma * sqrt(2))), 0.05);
  ht_phantom_free(&phantom);
}

HT_TEST(values_are_whole_numbers_as_of_a_scanner) {
  for (int k = 0; k < KINDS; k++) {
    const ht_volume *scan = &usual[k].scan;
    for (int64_t v = 0; v < ht_grid_voxels(&scan->grid); v++) {
      double value = scan->values[v];
      if (value != floor(value) || value < -1024 || value > 3071)
        fail_msg("kind %d, voxel %lld: %g", k, (long long)v, value);
    }
  }
}

/* A vein and bone have a brightness of their own: the vessel is not the only bright tissue. */
HT_TEST(other_structures_stay_clear_of_the_vessel) {
  for (int k = HT_PHANTOM_ANEURYSM; k <= HT_PHANTOM_COARCTATION; k++) {
    ht_phantom phantom;
    make((ht_phantom_kind)k, 1, 0, &phantom);
    double clear = 2 * phantom.scan.grid.spacing_mm[2];
    int64_t bright = 0, far = 0, touching = 0, voxels = ht_grid_voxels(&phantom.scan.grid);
    for (int64_t v = 0; v < voxels; v++) {
      double d = phantom.distance.values[v];
      if (d > clear) far++, bright += phantom.scan.values[v] > 110;
      if (d > clear && d < 1.5 * clear) touching += phantom.scan.values[v] > 110;
    }
    assert_true((double)bright > 0.01 * (double)far);
    assert_int_equal(touching, 0);
    ht_phantom_free(&phantom);
  }
}

/* ---- Can the vessel be found? Otsu's threshold and the largest component ---- */

static double otsu(const ht_volume *scan) {
  double low = 1e9, high = -1e9, bin[BINS] = {0}, all = 0, sum = 0, below = 0, part = 0, best = -1;
  int at = 0;
  int64_t voxels = ht_grid_voxels(&scan->grid);
  for (int64_t v = 0; v < voxels; v++) {
    low = fmin(low, scan->values[v]);
    high = fmax(high, scan->values[v]);
  }
  for (int64_t v = 0; v < voxels; v++)
    bin[(int)fmin(BINS - 1, (scan->values[v] - low) / (high - low) * BINS)]++;
  for (int b = 0; b < BINS; b++) all += bin[b], sum += bin[b] * b;
  for (int b = 0; b < BINS - 1; b++) {
    below += bin[b], part += bin[b] * b;
    if (below == 0 || below == all) continue;
    double apart = part / below - (sum - part) / (all - below);
    double between = below * (all - below) * apart * apart;
    if (between > best) best = between, at = b;
  }
  return low + (at + 1) * (high - low) / BINS;
}

/* Marks the component of 1s at `seed` with `mark` (6 neighbours); its size. */
static int64_t component(uint8_t *inside, const int dim[3], int64_t seed, uint8_t mark,
                         int64_t *stack) {
  const int64_t stride[3] = {1, dim[0], (int64_t)dim[0] * dim[1]};
  int64_t depth = 0, count = 0;
  inside[seed] = mark;
  stack[depth++] = seed;
  while (depth > 0) {
    int64_t v = stack[--depth], at[3] = {v % stride[1], v % stride[2] / stride[1], v / stride[2]};
    count++;
    for (int side = 0; side < 6; side++) {
      int a = side / 2, step = side % 2 ? 1 : -1;
      if (at[a] + step < 0 || at[a] + step >= dim[a] || inside[v + step * stride[a]] != 1) continue;
      inside[v + step * stride[a]] = mark;
      stack[depth++] = v + step * stride[a];
    }
  }
  return count;
}

/* The largest component becomes 3, all others another value. */
static void keep_largest(uint8_t *inside, const int dim[3], int64_t voxels) {
  int64_t *stack = malloc((size_t)voxels * sizeof *stack), largest = 0, at = -1;
  assert_non_null(stack);
  for (int64_t v = 0; v < voxels; v++) {
    if (inside[v] != 1) continue;
    int64_t size = component(inside, dim, v, 2, stack);
    if (size > largest) largest = size, at = v;
  }
  assert_true(at >= 0);
  for (int64_t v = 0; v < voxels; v++) inside[v] = inside[v] == 2;
  component(inside, dim, at, 3, stack);
  free(stack);
}

/* Overlap of what is found with the truth: 2 |A and B| / (|A| + |B|). */
static double dice_of(const ht_phantom *phantom) {
  int64_t voxels = ht_grid_voxels(&phantom->scan.grid), both = 0, sizes = 0;
  double threshold = otsu(&phantom->scan);
  uint8_t *inside = malloc((size_t)voxels);
  assert_non_null(inside);
  for (int64_t v = 0; v < voxels; v++) inside[v] = phantom->scan.values[v] >= threshold;
  keep_largest(inside, phantom->scan.grid.dim, voxels);
  for (int64_t v = 0; v < voxels; v++) {
    sizes += (inside[v] == 3) + phantom->truth.inside[v];
    both += inside[v] == 3 && phantom->truth.inside[v];
  }
  free(inside);
  return 2 * (double)both / (double)sizes;
}

HT_TEST(the_vessel_is_found_by_otsu_and_the_largest_component) {
  for (int k = 0; k < KINDS; k++)
    if (dice_of(&usual[k]) < 0.96) fail_msg("kind %d: Dice %.4f", k, dice_of(&usual[k]));
  assert_true(dice_of(&reseeded) >= 0.96); /* other tissue around it */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_seed_decides_the_scan_and_not_the_truth),
      cmocka_unit_test(the_number_of_threads_does_not_matter),
      cmocka_unit_test(blood_is_bright_and_tissue_dark),
      cmocka_unit_test(the_noise_is_as_strong_as_asked_for),
      cmocka_unit_test(the_wall_is_a_blurred_edge),
      cmocka_unit_test(values_are_whole_numbers_as_of_a_scanner),
      cmocka_unit_test(other_structures_stay_clear_of_the_vessel),
      cmocka_unit_test(the_vessel_is_found_by_otsu_and_the_largest_component),
  };
  return cmocka_run_group_tests(tests, make_usual, free_usual);
}
