/* The smooth surface of a staircase, for shapes whose true surface is known. */
#include "tests/check.h"
#include "segment/shape/wall_distance.h"
#include <stdlib.h>
#include <string.h>

/* A tube (axis: unit vector), or a sphere where that is 0, around a place off the voxels' centres.
 */
typedef struct {
  double across, axis[3], centre[3];
} shape;

static double depth(const shape *s, const double at[3]) {
  double off[3], along = 0, square = 0;
  for (int a = 0; a < 3; a++) {
    off[a] = at[a] - s->centre[a];
    along += off[a] * s->axis[a];
    square += off[a] * off[a];
  }
  return s->across / 2 - sqrt(fmax(0, square - along * along));
}

static void make_domain(shape *s, int side, ht_domain *domain) {
  const double shift[3] = {0.1, 0.237, -0.219};
  ht_grid grid = ht_grid_make(side, side, side);
  memset(domain, 0, sizeof *domain);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  for (int a = 0; a < 3; a++) s->centre[a] = 0.5 * (side - 1) + shift[a];
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int index[3];
    ht_voxel_place(grid.dim, v, index);
    const double at[3] = {index[0], index[1], index[2]};
    domain->mask.inside[v] = depth(s, at) > 0;
  }
  assert_int_equal(ht_domain_measure_walls(domain, NULL), HT_OK);
}

/* Wall on the way from a fluid voxel to a solid one: where the shape has it. */
static double true_fraction(const shape *s, const int from[3], const int step[3]) {
  double low = 0, high = 1;
  for (int i = 0; i < 30; i++) {
    double t = (low + high) / 2;
    const double at[3] = {from[0] + t * step[0], from[1] + t * step[1], from[2] + t * step[2]};
    if (depth(s, at) > 0)
      low = t;
    else
      high = t;
  }
  return low;
}

/* Voxels along the normal, over the links along the axes and the diagonals of the planes. */
typedef struct {
  double mean, rms, rms_half, count;
} error;

static void add_link(const shape *s, const ht_domain *domain, const int from[3], const int step[3],
                     error *e) {
  const int *dim = domain->mask.grid.dim;
  const int to[3] = {from[0] + step[0], from[1] + step[1], from[2] + step[2]};
  int64_t v = ht_voxel_index(dim, from), w = ht_voxel_index(dim, to);
  if (domain->mask.inside[w]) return;
  double here = domain->wall_distance[v], beyond = domain->wall_distance[w];
  assert_true(here > 0 && beyond < 0);
  double t = true_fraction(s, from, step), found = here / (here - beyond);
  const double a[3] = {from[0], from[1], from[2]}, b[3] = {to[0], to[1], to[2]};
  double along = depth(s, a) - depth(s, b); /* voxels along the normal, of the whole link */
  e->mean += (found - t) * along;
  e->rms += pow((found - t) * along, 2);
  e->rms_half += pow((0.5 - t) * along, 2);
  e->count++;
}

/* Away from the sides of the grid, where a tube is cut off. */
enum { EDGE = 12 };

static int is_inner(const int dim[3], const int at[3]) {
  for (int a = 0; a < 3; a++)
    if (at[a] < EDGE || at[a] >= dim[a] - EDGE) return 0;
  return 1;
}

static void compare_links(const shape *s, const ht_domain *domain, error *e) {
  const int *dim = domain->mask.grid.dim;
  memset(e, 0, sizeof *e);
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    if (!is_inner(dim, at) || !domain->mask.inside[v]) continue;
    for (int k = 0; k < 27; k++) {
      const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      int length2 = step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
      if (length2 == 1 || length2 == 2) add_link(s, domain, at, step, e);
    }
  }
  e->mean /= e->count;
  e->rms = sqrt(e->rms / e->count);
  e->rms_half = sqrt(e->rms_half / e->count);
}

static double at_corner(const ht_domain *domain, const int first[3], const double share[3]) {
  double sum = 0;
  for (int c = 0; c < 8; c++) {
    const int at[3] = {first[0] + (c & 1), first[1] + ((c >> 1) & 1), first[2] + (c >> 2)};
    double weight = 1;
    for (int a = 0; a < 3; a++) weight *= at[a] > first[a] ? share[a] : 1 - share[a];
    sum += weight * domain->wall_distance[ht_voxel_index(domain->mask.grid.dim, at)];
  }
  return sum;
}

/* Voxels inside the surface within cells from 12 to side - 12, and how many of the mask there. */
static void volumes(const ht_domain *domain, const shape *s, double *smooth, double *voxels,
                    double *truth) {
  enum { FINE = 4 };
  int side = domain->mask.grid.dim[0];
  *smooth = *voxels = *truth = 0;
  for (int64_t n = 0; n < (int64_t)pow(side - 2 * EDGE, 3); n++) {
    int m = side - 2 * EDGE, at[3] = {(int)(n % m), (int)(n / m % m), (int)(n / m / m)}, first[3];
    for (int a = 0; a < 3; a++) at[a] += EDGE;
    *voxels += domain->mask.inside[ht_voxel_index(domain->mask.grid.dim, at)] != 0;
    for (int k = 0; k < FINE * FINE * FINE; k++) {
      const int part[3] = {k % FINE, k / FINE % FINE, k / FINE / FINE};
      double share[3], place[3];
      for (int a = 0; a < 3; a++) {
        place[a] = at[a] - 0.5 + (part[a] + 0.5) / FINE;
        first[a] = (int)floor(place[a]);
        share[a] = place[a] - first[a];
      }
      *truth += (depth(s, place) > 0) / (double)(FINE * FINE * FINE);
      *smooth += (at_corner(domain, first, share) > 0) / (double)(FINE * FINE * FINE);
    }
  }
}

/* The volume that the solver sees: along each axis, up to where the walls are on the links; the
 * mean of the three. */
static double volume_by_links(const ht_domain *domain) {
  const int *dim = domain->mask.grid.dim;
  double sum = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&domain->mask.grid); v++) {
    int at[3];
    ht_voxel_place(dim, v, at);
    if (!is_inner(dim, at) || !domain->mask.inside[v]) continue;
    for (int k = 0; k < 6; k++) {
      int next[3] = {at[0], at[1], at[2]};
      next[k / 2] += k % 2 ? 1 : -1;
      int64_t w = ht_voxel_index(dim, next);
      double here = domain->wall_distance[v], beyond = domain->wall_distance[w];
      sum += (domain->mask.inside[w] ? 0.5 : here / (here - beyond)) / 3;
    }
  }
  return sum;
}

static void check(shape s, const char *what, double most_rms, double most_change) {
  ht_domain domain;
  error e;
  double smooth, voxels, truth, links;
  make_domain(&s, (int)s.across + 32, &domain);
  compare_links(&s, &domain, &e);
  volumes(&domain, &s, &smooth, &voxels, &truth);
  links = volume_by_links(&domain);
  print_message("%s, %2g voxels across: the wall is off by %+.3f voxels in the mean, %.3f (rms); "
                "half-way %.3f; volume / voxels %.4f, / true %.4f, voxels / true %.4f, "
                "by links / voxels %.4f\n",
                what, s.across, e.mean, e.rms, e.rms_half, smooth / voxels, smooth / truth,
                voxels / truth, links / voxels);
  assert_true(e.rms <= most_rms);
  assert_near(e.mean, 0, 0.08);
  assert_true(e.rms < 0.55 * e.rms_half);
  assert_near(links / voxels, 1, most_change);
  assert_near(smooth / truth, 1, 0.01 + 0.2 / s.across);
  ht_domain_free(&domain);
}

static void test_tubes(void **unused) {
  (void)unused;
  const double across[] = {8, 12, 24}, third = 1 / sqrt(14);
  for (int n = 0; n < 3; n++) {
    check((shape){across[n], {1, 0, 0}, {0}}, "tube along x", 0.13, 0.01);
    check((shape){across[n], {cos(0.297), sin(0.297), 0}, {0}}, "tube at 17 degrees", 0.08, 0.01);
    check((shape){across[n], {sqrt(0.5), sqrt(0.5), 0}, {0}}, "tube at 45 degrees", 0.11, 0.01);
    check((shape){across[n], {2 * third, third, 3 * third}, {0}}, "tube along 2 1 3", 0.08, 0.01);
  }
}

static void test_spheres(void **unused) {
  (void)unused;
  check((shape){12, {0}, {0}}, "sphere", 0.08, 0.02); /* the bar is 0.01 */
  check((shape){24, {0}, {0}}, "sphere", 0.08, 0.01);
}

/* A tube of 4 voxels keeps its width. */
static void test_thin(void **unused) {
  (void)unused;
  ht_domain domain;
  error e;
  shape s = {4, {cos(0.297), sin(0.297), 0}, {0}};
  make_domain(&s, 36, &domain);
  compare_links(&s, &domain, &e);
  print_message("tube of 4 voxels: mean %+.3f, rms %.3f, half-way %.3f\n", e.mean, e.rms,
                e.rms_half);
  assert_near(e.mean, 0, 0.05);
  assert_true(e.rms < e.rms_half);
  ht_domain_free(&domain);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tubes), cmocka_unit_test(test_spheres),
                                     cmocka_unit_test(test_thin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
