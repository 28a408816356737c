/* Velocities at the voxels of a scan: Poiseuille's flow in an oblique pipe, in scans turned,
 * mirrored, moved, and elsewhere; and the statistics of two sets of numbers. */
#include "tests/check.h"
#include "core/numbers/agreement.h"
#include "core/numbers/vector3.h"
#include "export/measure/scan_voxels.h"
#include "tests/export/voxel_pipe.h"
#include <stdlib.h>
#include <string.h>

static const double flow_ml_s = 2;
static ht_pipe pipe = {
    .across = 24, .length = 60, .spacing_mm = 0.25, .direction = {0.8, 0.5, 0.3}};

typedef struct {
  ht_domain domain;
  ht_flow flow;
  ht_grid scan; /* covers all of the pipe */
} fixture;

static int begin(void **state) {
  fixture *f = calloc(1, sizeof *f);
  const ht_grid frame = ht_grid_make(1, 1, 1);
  *state = f;
  if (!f || ht_voxel_pipe(&pipe, &frame, flow_ml_s, &f->domain) != HT_OK) return 1;
  if (ht_pipe_flow(&pipe, &f->domain, flow_ml_s, 0.0035, &f->flow) != HT_OK) return 1;
  f->scan = ht_grid_make(30, 26, 22);
  const double turned[3][3] = {{0.6, -0.8, 0}, {0.64, 0.48, -0.6}, {0.48, 0.36, 0.8}};
  double middle[3], corner[3];
  ht_grid_position(&f->domain.mask.grid, pipe.centre, middle);
  memcpy(f->scan.direction, turned, sizeof turned);
  for (int a = 0; a < 3; a++) f->scan.spacing_mm[a] = 1.1 + 0.2 * a;
  ht_grid_position(&f->scan, (const double[3]){14.5, 12.5, 10.5}, corner);
  for (int r = 0; r < 3; r++) f->scan.origin_mm[r] = middle[r] - corner[r];
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  ht_domain_free(&f->domain);
  ht_flow_free(&f->flow);
  free(f);
  return 0;
}

/* Finds the voxels of a scan and their velocities. */
static float *look(const fixture *f, const ht_grid *scan, ht_scan_voxels *voxels) {
  const uint8_t *inside = f->domain.mask.inside;
  assert_int_equal(ht_scan_voxels_find(scan, &f->flow, inside, voxels), HT_OK);
  float *velocity = calloc(3 * (size_t)voxels->count + 1, sizeof *velocity);
  ht_scan_voxels_velocity(voxels, &f->flow, inside, velocity);
  return velocity;
}

/* Averages the exact velocity along the pipe over the blood in a voxel. */
static double exact_mean(const fixture *f, int64_t voxel) {
  enum { PARTS = 8 };
  const double peak_m_s =
      8 * flow_ml_s / (3.14159265358979 * pow(pipe.across * pipe.spacing_mm, 2));
  double sum = 0, count = 0;
  int at[3];
  ht_voxel_place(f->scan.dim, voxel, at);
  for (int n = 0; n < PARTS * PARTS * PARTS; n++) {
    const int k[3] = {n % PARTS, n / PARTS % PARTS, n / PARTS / PARTS};
    double index[3], place_mm[3], node[3], radius, along, outward[3];
    for (int a = 0; a < 3; a++) index[a] = at[a] - 0.5 + (k[a] + 0.5) / PARTS;
    ht_grid_position(&f->scan, index, place_mm);
    ht_grid_index(&f->domain.mask.grid, place_mm, node);
    ht_pipe_place(&pipe, node, &radius, &along, outward);
    const double share = 2 * radius / pipe.across;
    if (share >= 1) continue;
    sum += peak_m_s * (1 - share * share);
    count++;
  }
  return count > 0 ? sum / count : 0;
}

/* No blood is lost between lattice and scan, and means are those of the exact flow. */
HT_TEST(keeps_the_blood) {
  const fixture *f = *state;
  ht_scan_voxels voxels;
  float *velocity = look(f, &f->scan, &voxels);
  const double mm3 = 1.1 * 1.3 * 1.5, node_mm3 = pow(pipe.spacing_mm, 3);
  double volume = 0, sum[3] = {0}, all = 0, nodes[3] = {0}, worst = 0;
  int full = 0;
  for (int64_t i = 0; i < voxels.count; i++) {
    const double share = voxels.share[i];
    volume += share * mm3;
    for (int r = 0; r < 3; r++) sum[r] += share * mm3 * velocity[3 * i + r];
    assert_int_equal(voxels.entry[voxels.voxel[i]], i);
    if (share < 0.99) continue;
    const float *v = velocity + 3 * i;
    const double along = ht_dot((const double[3]){v[0], v[1], v[2]}, pipe.direction);
    worst = fmax(worst, fabs(along - exact_mean(f, voxels.voxel[i])));
    full++;
  }
  for (int64_t v = 0; v < ht_grid_voxels(&f->flow.grid); v++) {
    const int64_t node = ht_flow_node(&f->flow, v);
    all += node >= 0 ? node_mm3 : 0;
    for (int r = 0; r < 3 && node >= 0; r++)
      nodes[r] += node_mm3 * f->flow.velocity_m_s[3 * node + r];
  }
  assert_near(volume, all, 1e-4 * all);
  for (int r = 0; r < 3; r++) assert_near(sum[r], nodes[r], 1e-4 * fabs(nodes[r]));
  assert_true(full > 50);
  assert_near(worst, 0, 0.004); /* of a peak of 0.14 m/s */
  ht_scan_voxels_free(&voxels);
  free(velocity);
}

/* Voxels of 3 x 3 x 3 cubes have whole cubes in them: a side that two voxels share is of neither.
 */
HT_TEST(aligned_voxels_have_whole_cubes) {
  const fixture *f = *state;
  const ht_grid *lattice = &f->flow.grid;
  ht_scan_voxels voxels;
  ht_grid scan = *lattice;
  for (int a = 0; a < 3; a++) {
    scan.dim[a] = lattice->dim[a] / 3;
    scan.spacing_mm[a] = 3 * lattice->spacing_mm[a];
  }
  ht_grid_position(lattice, (const double[3]){1, 1, 1}, scan.origin_mm);
  float *velocity = look(f, &scan, &voxels);
  for (int64_t i = 0; i < voxels.count; i++) {
    const double cubes = 27 * voxels.share[i];
    assert_true(cubes > 0.5);
    assert_near(cubes, nearbyint(cubes), 1e-5);
  }
  ht_scan_voxels_free(&voxels);
  free(velocity);
}

/* The same scan with its axes in another order and direction has the same velocities. */
HT_TEST(order_of_axes_changes_nothing) {
  const fixture *f = *state;
  ht_scan_voxels voxels, other;
  ht_grid scan = f->scan;
  for (int a = 0; a < 3; a++) {
    const int from = (a + 1) % 3;
    scan.dim[a] = f->scan.dim[from];
    scan.spacing_mm[a] = f->scan.spacing_mm[from];
    for (int r = 0; r < 3; r++)
      scan.direction[r][a] = f->scan.direction[r][from] * (a == 1 ? 1 : -1);
  }
  ht_grid_position(&f->scan, (const double[3]){29, 25, 0}, scan.origin_mm);
  float *velocity = look(f, &f->scan, &voxels), *turned = look(f, &scan, &other);
  assert_int_equal(other.count, voxels.count);
  for (int64_t i = 0; i < voxels.count; i++) {
    double at_mm[3];
    int at[3];
    ht_grid_voxel_position(&f->scan, voxels.voxel[i], at_mm);
    const int32_t n = other.entry[ht_grid_nearest(&scan, at_mm, at)];
    assert_true(n >= 0);
    assert_near(other.share[n], voxels.share[i], 1e-4);
    if (voxels.share[i] < 0.01) continue;
    for (int r = 0; r < 3; r++) assert_near(turned[3 * n + r], velocity[3 * i + r], 1e-4);
  }
  ht_scan_voxels_free(&voxels), ht_scan_voxels_free(&other);
  free(velocity), free(turned);
}

/* Compares the speeds of two scans at the voxels that are half blood in the first. */
static ht_agreement compare(const ht_scan_voxels *voxels, const float *velocity,
                            const ht_scan_voxels *other, const float *moved) {
  double *speed = calloc(2 * (size_t)voxels->count, sizeof *speed);
  for (int64_t i = 0; i < voxels->count; i++) {
    const int32_t n = other->entry[voxels->voxel[i]];
    const float *a = velocity + 3 * i, *b = n < 0 ? NULL : moved + 3 * (int64_t)n;
    speed[i] = voxels->share[i] < 0.5 ? NAN : ht_length((const double[3]){a[0], a[1], a[2]});
    if (b) speed[voxels->count + i] = ht_length((const double[3]){b[0], b[1], b[2]});
  }
  const ht_agreement of = ht_agreement_of(speed, speed + voxels->count, voxels->count);
  free(speed);
  return of;
}

/* A scan that is one voxel away, across the pipe, agrees less with the vessel. */
HT_TEST(a_moved_scan_agrees_less) {
  const fixture *f = *state;
  ht_scan_voxels voxels, other;
  ht_grid moved = f->scan;
  float *velocity = look(f, &f->scan, &voxels);
  for (int r = 0; r < 3; r++) moved.origin_mm[r] += 1.5 * moved.direction[r][2];
  float *away = look(f, &moved, &other);
  const ht_agreement same = compare(&voxels, velocity, &voxels, velocity);
  const ht_agreement shifted = compare(&voxels, velocity, &other, away);
  assert_near(same.correlation, 1, 1e-12);
  assert_near(same.rms, 0, 1e-12);
  assert_true(shifted.correlation < 0.9 && shifted.rms > 0.01);
  ht_scan_voxels_free(&voxels), ht_scan_voxels_free(&other);
  free(velocity), free(away);
}

/* A plane beside the vessel has no voxels, and tells how far away the vessel is. */
HT_TEST(tells_how_far_away_it_is) {
  const fixture *f = *state;
  ht_grid plane = ht_grid_make(20, 20, 1);
  ht_scan_voxels voxels;
  double nearest_mm[3], at_mm[3], low = INFINITY;
  plane.spacing_mm[2] = 6;
  for (int64_t v = 0; v < ht_grid_voxels(&f->flow.grid); v++) {
    if (!f->domain.mask.inside[v]) continue;
    ht_grid_voxel_position(&f->flow.grid, v, at_mm);
    low = fmin(low, at_mm[2]);
  }
  for (int r = 0; r < 2; r++) plane.spacing_mm[r] = 4;
  plane.origin_mm[2] = low - 3 - 7.5;
  assert_int_equal(ht_scan_voxels_find(&plane, &f->flow, f->domain.mask.inside, &voxels), HT_OK);
  assert_int_equal(voxels.count, 0);
  assert_near(ht_scan_away_mm(&plane, &f->flow, f->domain.mask.inside, nearest_mm), 7.5, 1e-9);
  assert_near(nearest_mm[2], low, 1e-9);
  ht_scan_voxels_free(&voxels);
}

/* Numbers with a known line and known limits; a pair without a number is left out. */
HT_TEST(agreement_of_known_numbers) {
  const double x[] = {1, 2, NAN, 3, 4}, y[] = {1.5, 2.5, 7, 4.5, 5.5};
  const ht_agreement of = ht_agreement_of(x, y, 5), none = ht_agreement_of(x, y, 0);
  assert_int_equal(of.count, 4);
  assert_near(of.slope, 1.4, 1e-12);
  assert_near(of.intercept, 0, 1e-12);
  assert_near(of.correlation, 7 / sqrt(50), 1e-12);
  assert_near(of.bias, 1, 1e-12);
  assert_near(of.rms, sqrt(1.25), 1e-12);
  assert_near(of.scatter, sqrt(1.0 / 3), 1e-12);
  assert_near(of.high, 1 + 1.96 * sqrt(1.0 / 3), 1e-12);
  assert_true(isnan(none.slope) && isnan(none.rms) && none.count == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_the_blood),
      cmocka_unit_test(aligned_voxels_have_whole_cubes),
      cmocka_unit_test(order_of_axes_changes_nothing),
      cmocka_unit_test(a_moved_scan_agrees_less),
      cmocka_unit_test(tells_how_far_away_it_is),
      cmocka_unit_test(agreement_of_known_numbers),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
