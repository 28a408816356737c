/* The wall's surface: shape against spheres and pipes, and that it is a surface at all. */
#include "tests/check.h"
#include "tests/export/expected_file.h"
#include "export/wall/wall.h"
#include "tests/export/voxel_pipe.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Half-edges as from << 32 | to, sorted. */
typedef struct {
  int64_t count;
  uint64_t *edge;
} half_edges;

static int compare_edges(const void *a, const void *b) {
  uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static uint64_t half_edge(int32_t from, int32_t to) {
  return (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
}

static half_edges list_edges(const ht_surface *surface) {
  half_edges list = {3 * surface->triangles, malloc(sizeof(uint64_t) * 3 * surface->triangles)};
  for (int64_t n = 0; n < list.count; n++) {
    const int32_t *corner = surface->triangle + n / 3 * 3;
    list.edge[n] = half_edge(corner[n % 3], corner[(n + 1) % 3]);
  }
  qsort(list.edge, (size_t)list.count, sizeof(uint64_t), compare_edges);
  return list;
}

static int has_edge(const half_edges *list, uint64_t edge) {
  return bsearch(&edge, list->edge, (size_t)list->count, sizeof edge, compare_edges) != NULL;
}

static void corners_of(const ht_surface *surface, int64_t t, const float *corner[3]) {
  for (int n = 0; n < 3; n++)
    corner[n] = surface->point_mm + 3 * (int64_t)surface->triangle[3 * t + n];
}

/* Computes the area vector; its length is the area. */
static double area_vector(const ht_surface *surface, int64_t t, double vector[3]) {
  const float *p[3];
  double d[3], e[3], length = 0;
  corners_of(surface, t, p);
  for (int r = 0; r < 3; r++) d[r] = (double)p[1][r] - p[0][r], e[r] = (double)p[2][r] - p[0][r];
  for (int r = 0; r < 3; r++) {
    int s = (r + 1) % 3, u = (r + 2) % 3;
    vector[r] = 0.5 * (d[s] * e[u] - d[u] * e[s]);
    length += vector[r] * vector[r];
  }
  return sqrt(length);
}

/* Checks that every edge has at most one triangle on each side, in opposite directions, no triangle
 * is degenerate, and every point is used. Returns the number of rim edges. */
static int64_t check_surface(const ht_surface *surface, double spacing_mm) {
  half_edges list = list_edges(surface);
  int64_t rim = 0;
  uint8_t *used = calloc((size_t)surface->points, 1);
  for (int64_t n = 0; n < list.count; n++) {
    uint64_t edge = list.edge[n];
    int32_t from = (int32_t)(edge >> 32), to = (int32_t)edge;
    assert_true(from != to && from >= 0 && to >= 0 && from < surface->points &&
                to < surface->points);
    assert_true(n == 0 || list.edge[n - 1] != edge);
    rim += !has_edge(&list, half_edge(to, from));
    used[from] = 1;
  }
  for (int64_t p = 0; p < surface->points; p++) assert_true(used[p]);
  for (int64_t t = 0; t < surface->triangles; t++) {
    double vector[3];
    assert_true(area_vector(surface, t, vector) > 1e-3 * spacing_mm * spacing_mm);
  }
  for (int64_t p = 0; p < surface->points; p++) {
    const float *n = surface->normal + 3 * p;
    assert_float_equal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5);
  }
  free(list.edge);
  free(used);
  return rim;
}

/* Checks a closed surface for one fan of triangles about each point: as many triangles as steps
 * around it. */
static void check_fans(const ht_surface *surface) {
  half_edges list = list_edges(surface);
  int32_t *next = malloc(sizeof(int32_t) * 3 * (size_t)surface->triangles);
  for (int64_t n = 0; n < list.count; n++) { /* of edge p -> a in triangle (p, a, b): b */
    const int32_t *corner = surface->triangle + n / 3 * 3;
    uint64_t edge = half_edge(corner[n % 3], corner[(n + 1) % 3]);
    uint64_t *at = bsearch(&edge, list.edge, (size_t)list.count, sizeof edge, compare_edges);
    next[at - list.edge] = corner[(n + 2) % 3];
  }
  for (int64_t first = 0, last; first < list.count; first = last) {
    uint64_t from = list.edge[first] >> 32, at = list.edge[first];
    int64_t steps = 0;
    for (last = first; last < list.count && list.edge[last] >> 32 == from;) last++;
    do {
      uint64_t *found = bsearch(&at, list.edge, (size_t)list.count, sizeof at, compare_edges);
      assert_non_null(found);
      at = half_edge((int32_t)from, next[found - list.edge]);
      steps++;
    } while (at != list.edge[first] && steps <= last - first);
    assert_int_equal(steps, last - first);
  }
  free(next);
  free(list.edge);
}

/* Computes the volume by the divergence theorem: > 0 where the triangles are counter-clockwise from
 * outside. */
static double volume_of(const ht_surface *surface) {
  double volume = 0;
  for (int64_t t = 0; t < surface->triangles; t++) {
    double vector[3];
    const float *p[3];
    corners_of(surface, t, p);
    area_vector(surface, t, vector);
    for (int r = 0; r < 3; r++) volume += vector[r] * p[0][r] / 3;
  }
  return volume;
}

/* Checks random voxels, which have every ambiguous case. */
static void test_any_mask_gives_a_manifold(void **unused) {
  (void)unused;
  uint64_t state = 20261121;
  for (int share = 1; share <= 9; share++) {
    ht_domain domain = {0};
    ht_surface surface;
    ht_grid grid = ht_grid_make(13, 12, 11);
    assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
    for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      domain.mask.inside[v] = (state >> 33) % 10 < (uint64_t)share;
    }
    assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
    half_edges list = list_edges(&surface);
    for (int64_t n = 0; n < list.count; n++) { /* each edge has its two triangles */
      uint64_t edge = list.edge[n];
      assert_true(n == 0 || list.edge[n - 1] != edge);
      assert_true(has_edge(&list, half_edge((int32_t)edge, (int32_t)(edge >> 32))));
    }
    free(list.edge);
    check_fans(&surface);
    for (int64_t n = 0; n < 3 * surface.points; n++) assert_true(isfinite(surface.normal[n]));
    for (int64_t t = 0; t < surface.triangles; t++) {
      double vector[3];
      assert_true(area_vector(&surface, t, vector) > 1e-4);
    }
    ht_surface_free(&surface);
    ht_domain_free(&domain);
  }
}

static void make_sphere(double across, int left_handed, ht_domain *domain, double centre_mm[3]) {
  const double angle[3] = {0.3, 0.2, -1};
  int n = (int)across + 6;
  ht_grid grid = ht_test_grid(n, n + 1, n + 2, angle, left_handed);
  double centre[3] = {0.5 * n + 0.13, 0.5 * n - 0.21, 0.5 * n + 0.37};
  for (int a = 0; a < 3; a++) grid.spacing_mm[a] = 0.4;
  memset(domain, 0, sizeof *domain);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    double x = (double)(v % n) - centre[0], y = (double)(v / n % (n + 1)) - centre[1];
    double z = (double)(v / n / (n + 1)) - centre[2];
    domain->mask.inside[v] = x * x + y * y + z * z < 0.25 * across * across;
  }
  ht_grid_position(&grid, centre, centre_mm);
}

typedef struct {
  double area, mean, rms, angle; /* area; radius error mean and RMS; normals RMS in degrees */
} shape_error;

static double degrees_between(const float normal[3], const double outward[3]) {
  double dot = 0;
  for (int r = 0; r < 3; r++) dot += normal[r] * outward[r];
  return acos(dot > 1 ? 1 : dot < -1 ? -1 : dot) * 180 / HT_PI;
}

static void test_sphere(void **unused) {
  (void)unused;
  for (int left = 0; left < 2; left++) {
    ht_domain domain;
    ht_surface surface;
    double centre[3], radius = 0.5 * 24 * 0.4, rms = 0, angle = 0;
    make_sphere(24, left, &domain, centre);
    assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
    assert_int_equal(check_surface(&surface, 0.4), 0); /* closed */
    check_fans(&surface);
    int64_t edges = 3 * surface.triangles / 2;
    assert_int_equal(surface.points - edges + surface.triangles, 2);
    for (int64_t p = 0; p < surface.points; p++) {
      double outward[3], length = 0;
      for (int r = 0; r < 3; r++) outward[r] = surface.point_mm[3 * p + r] - centre[r];
      for (int r = 0; r < 3; r++) length += outward[r] * outward[r];
      length = sqrt(length);
      for (int r = 0; r < 3; r++) outward[r] /= length;
      rms += pow((length - radius) / 0.4, 2) / (double)surface.points;
      angle += pow(degrees_between(surface.normal + 3 * p, outward), 2) / (double)surface.points;
    }
    ht_wall_stats stats;
    ht_surface_stats(&surface, &stats);
    double area = stats.area_mm2 / (4 * HT_PI * radius * radius) - 1;
    double volume = volume_of(&surface) / (4.0 / 3 * HT_PI * pow(radius, 3)) - 1;
    print_message("sphere, 24 across: area %+.2f %%, volume %+.2f %%, radius RMS %.3f voxel, "
                  "normals RMS %.2f degrees\n",
                  100 * area, 100 * volume, sqrt(rms), sqrt(angle));
    assert_true(fabs(area) <= 0.02 && fabs(volume) <= 0.02);
    assert_true(sqrt(rms) <= 0.15 && sqrt(angle) <= 5);
    ht_surface_free(&surface);
    ht_domain_free(&domain);
  }
}

/* Measures the errors away from the rim of the extensions, which follows the voxels. */
static shape_error measure(const ht_surface *surface, const ht_pipe *pipe, const ht_grid *grid) {
  shape_error error = {0};
  double reach = pipe->half_wall - 3, radius, along, outward[3], index[3], points = 0;
  double exact = 2 * HT_PI * 0.5 * pipe->across * 2 * reach * pow(pipe->spacing_mm, 2);
  for (int64_t t = 0; t < surface->triangles; t++) {
    double middle[3] = {0}, vector[3];
    const float *corner[3];
    corners_of(surface, t, corner);
    for (int n = 0; n < 9; n++) middle[n % 3] += corner[n / 3][n % 3] / 3.0;
    ht_grid_index(grid, middle, index);
    ht_pipe_place(pipe, index, &radius, &along, outward);
    if (fabs(along) <= reach) error.area += area_vector(surface, t, vector) / exact;
  }
  for (int64_t p = 0; p < surface->points; p++) {
    double at[3], lps[3];
    for (int r = 0; r < 3; r++) at[r] = surface->point_mm[3 * p + r];
    ht_grid_index(grid, at, index);
    ht_pipe_place(pipe, index, &radius, &along, outward);
    if (fabs(along) > reach) continue;
    ht_grid_to_lps(grid, outward, lps);
    error.mean += radius - 0.5 * pipe->across;
    error.rms += pow(radius - 0.5 * pipe->across, 2);
    error.angle += pow(degrees_between(surface->normal + 3 * p, lps), 2);
    points++;
  }
  return (shape_error){error.area - 1, error.mean / points, sqrt(error.rms / points),
                       sqrt(error.angle / points)};
}

static void test_pipes(void **unused) {
  (void)unused;
  const double direction[][3] = {{1, 0, 0},      {1, 0.05, 0.02}, {1, 0.1, 0}, {1, 0.3, 0.17},
                                 {1, 0.6, 0.35}, {1, 1, 0},       {1, 1, 1}};
  const double angle[3] = {0.3, 0.2, -1};
  for (size_t d = 0; d < sizeof direction / sizeof *direction; d++) {
    ht_grid frame = ht_test_grid(1, 1, 1, angle, d % 2 == 1);
    ht_pipe pipe = {.across = 24, .length = 100, .spacing_mm = 0.4};
    ht_domain domain;
    ht_surface surface;
    memcpy(pipe.direction, direction[d], sizeof pipe.direction);
    assert_int_equal(ht_voxel_pipe(&pipe, &frame, 1, &domain), HT_OK);
    assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
    /* The surface is open where the extensions begin: two rims of about the circumference. */
    int64_t rim = check_surface(&surface, 0.4);
    assert_in_range(rim, 2 * 70, 2 * 130);
    shape_error error = measure(&surface, &pipe, &domain.mask.grid);
    print_message("pipe [%.2f %.2f %.2f], 24 across: area %+.2f %%, radius %+.3f, RMS %.3f voxel, "
                  "normals RMS %.2f degrees\n",
                  pipe.direction[0], pipe.direction[1], pipe.direction[2], 100 * error.area,
                  error.mean, error.rms, error.angle);
    assert_near(error.area, 0, 0.02);
    assert_true(error.rms <= 0.15 && error.angle <= 5);
    ht_surface_free(&surface);
    ht_domain_free(&domain);
  }
}

/* Checks that without extensions the surface ends at the ports' planes. */
static void test_open_at_ports(void **unused) {
  (void)unused;
  ht_pipe pipe = {.across = 12, .length = 30, .spacing_mm = 1, .direction = {1, 0, 0}};
  ht_grid frame = ht_grid_make(1, 1, 1);
  ht_domain domain;
  ht_surface surface;
  assert_int_equal(ht_voxel_pipe(&pipe, &frame, 1, &domain), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&domain.mask.grid); v++)
    if (domain.mask.inside[v]) domain.mask.inside[v] = HT_VESSEL;
  assert_int_equal(ht_surface_build(&domain, &surface), HT_OK);
  assert_in_range(check_surface(&surface, 1), 2 * 35, 2 * 55);
  double low = 1e9, high = -1e9;
  for (int64_t p = 0; p < surface.points; p++) {
    low = fmin(low, surface.point_mm[3 * p]);
    high = fmax(high, surface.point_mm[3 * p]);
    assert_true(fabsf(surface.normal[3 * p]) < 0.05f); /* no cap */
  }
  assert_float_equal(low, 1, 1e-6); /* the nodes of the ports' planes */
  assert_float_equal(high, domain.mask.grid.dim[0] - 2, 1e-6);
  ht_surface_free(&surface);
  ht_domain_free(&domain);
}

static void test_no_wall(void **unused) {
  (void)unused;
  ht_domain domain = {0};
  ht_surface surface;
  ht_grid grid = ht_grid_make(4, 4, 4);
  assert_int_equal(ht_mask_alloc(&grid, &domain.mask), HT_OK);
  assert_int_equal(ht_surface_build(&domain, &surface), HT_ERR_VESSEL);
  assert_null(surface.point_mm);
  domain.mask.inside[21] = HT_EXTENSION;
  assert_int_equal(ht_surface_build(&domain, &surface), HT_ERR_VESSEL);
  assert_null(surface.point_mm);
  ht_surface_free(&surface);
  ht_surface_free(NULL);
  ht_domain_free(&domain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_mask_gives_a_manifold),
      cmocka_unit_test(test_sphere),
      cmocka_unit_test(test_pipes),
      cmocka_unit_test(test_open_at_ports),
      cmocka_unit_test(test_no_wall),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
