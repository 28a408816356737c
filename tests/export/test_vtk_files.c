/* The .vti and .vtp files as VTK's own reader finds them. */
#include "tests/check.h"
#include "tests/export/expected_file.h"
#include "export/export.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends NAME=RAW:DTYPE, and writes RAW. */
static void expect(char *arguments, size_t room, const char *name, const void *values, size_t size,
                   const char *type) {
  char file[64];
  snprintf(file, sizeof file, "%s.raw", name);
  const char *raw = ht_test_path(file);
  ht_test_write(raw, values, size);
  size_t used = strlen(arguments);
  snprintf(arguments + used, room - used, " %s=%s:%s", name, raw, type);
}

/* Makes a grid full of vessel, so that the box is the grid; the values tell their place. */
static void make_full(int nx, int ny, int nz, ht_domain *domain, ht_flow *flow) {
  const double angle[3] = {0.3, 0.2, -1};
  ht_grid grid = ht_test_grid(nx, ny, nz, angle, 1);
  int64_t voxels = ht_grid_voxels(&grid);
  memset(domain, 0, sizeof *domain);
  memset(flow, 0, sizeof *flow);
  assert_int_equal(ht_mask_alloc(&grid, &domain->mask), HT_OK);
  flow->grid = grid;
  flow->nodes = voxels;
  assert_int_equal(ht_node_map_of_mask(voxels, NULL, &flow->node_of), HT_OK);
  flow->velocity_m_s = malloc(sizeof(float) * 3 * (size_t)voxels);
  flow->pressure_pa = malloc(sizeof(float) * (size_t)voxels);
  for (int64_t v = 0; v < voxels; v++) {
    domain->mask.inside[v] = HT_VESSEL;
    flow->pressure_pa[v] = (float)sin((double)v);
    for (int c = 0; c < 3; c++)
      flow->velocity_m_s[3 * v + c] = (float)(0.001 * (double)v + 100 * (c + 1));
  }
}

/* Energies, and the root mean square sqrt(2 energy / density) that a file has with them. */
static float *add_turbulence(ht_flow *flow) {
  size_t nodes = (size_t)flow->nodes;
  float *rms = malloc(4 * nodes);
  flow->density_kg_m3 = 1000;
  flow->tke_j_m3 = malloc(4 * nodes);
  flow->tke_peak_j_m3 = malloc(4 * nodes);
  for (size_t n = 0; n < nodes; n++) {
    flow->tke_j_m3[n] = 0.25f * (float)n;
    flow->tke_peak_j_m3[n] = 0.5f * (float)n;
    rms[n] = (float)sqrt(2 * flow->tke_j_m3[n] / 1000.0);
  }
  return rms;
}

static void test_turbulence(void **unused) {
  (void)unused;
  char arguments[2048] = "";
  ht_domain domain;
  ht_flow flow;
  make_full(7, 6, 5, &domain, &flow);
  float *rms = add_turbulence(&flow);
  size_t voxels = (size_t)flow.nodes;
  uint8_t *ones = malloc(voxels);
  memset(ones, 1, voxels);
  const char *path = ht_test_path("turbulent.vti");
  assert_int_equal(ht_export_vti(path, &domain, &flow, &domain.mask.grid), HT_OK);
  ht_test_write_grid(path, &domain.mask.grid);
  snprintf(arguments, sizeof arguments, "'%s'", path);
  expect(arguments, sizeof arguments, "velocity_m_s", flow.velocity_m_s, 12 * voxels, "float32");
  expect(arguments, sizeof arguments, "pressure_pa", flow.pressure_pa, 4 * voxels, "float32");
  expect(arguments, sizeof arguments, "velocity_rms_m_s", rms, 4 * voxels, "float32");
  expect(arguments, sizeof arguments, "tke_j_m3", flow.tke_j_m3, 4 * voxels, "float32");
  expect(arguments, sizeof arguments, "tke_peak_j_m3", flow.tke_peak_j_m3, 4 * voxels, "float32");
  expect(arguments, sizeof arguments, "mask", ones, voxels, "uint8");
  assert_int_equal(ht_test_python("check_vtk.py", arguments), 0);
  free(rms);
  free(ones);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

/* Sizes below, at and above the blocks of 2^18 bytes: pressure takes exactly one block at 64^2 x
 * 16, and velocity three. */
static void check_vti(int nx, int ny, int nz) {
  char arguments[2048] = "";
  ht_domain domain;
  ht_flow flow;
  make_full(nx, ny, nz, &domain, &flow);
  size_t voxels = (size_t)flow.nodes;
  uint8_t *ones = malloc(voxels);
  memset(ones, 1, voxels);
  const char *path = ht_test_path("flow.vti");
  assert_int_equal(ht_export_vti(path, &domain, &flow, &domain.mask.grid), HT_OK);
  ht_test_write_grid(path, &domain.mask.grid);
  snprintf(arguments, sizeof arguments, "'%s'", path);
  expect(arguments, sizeof arguments, "velocity_m_s", flow.velocity_m_s, 12 * voxels, "float32");
  expect(arguments, sizeof arguments, "pressure_pa", flow.pressure_pa, 4 * voxels, "float32");
  expect(arguments, sizeof arguments, "mask", ones, voxels, "uint8");
  assert_int_equal(ht_test_python("check_vtk.py", arguments), 0);
  free(ones);
  ht_domain_free(&domain);
  ht_flow_free(&flow);
}

static void test_image_data(void **unused) {
  (void)unused;
  check_vti(5, 4, 3);
  check_vti(64, 64, 16);
  check_vti(67, 59, 41);
}

static void make_sheet(int across, ht_surface *surface) {
  int64_t points = (int64_t)across * across, cells = (int64_t)(across - 1) * (across - 1);
  *surface = (ht_surface){.points = points, .triangles = 2 * cells};
  surface->point_mm = malloc(12 * (size_t)points);
  surface->normal = malloc(12 * (size_t)points);
  surface->triangle = malloc(24 * (size_t)cells);
  surface->wss_pa = malloc(12 * (size_t)points);
  surface->wss_mag_pa = malloc(4 * (size_t)points);
  surface->pressure_pa = malloc(4 * (size_t)points);
  for (int64_t n = 0; n < 3 * points; n++) {
    surface->point_mm[n] = (float)(0.1 * (double)n - 50);
    surface->normal[n] = n % 3 == 2;
    surface->wss_pa[n] = (float)cos((double)n);
  }
  for (int64_t n = 0; n < points; n++) {
    surface->wss_mag_pa[n] = (float)(n % 77);
    surface->pressure_pa[n] = (float)(-0.5 * (double)n);
  }
  for (int64_t c = 0; c < cells; c++) {
    int32_t first = (int32_t)(c + c / (across - 1));
    int32_t six[6] = {first,     first + 1,          first + across,
                      first + 1, first + across + 1, first + across};
    memcpy(surface->triangle + 6 * c, six, sizeof six);
  }
}

static void check_vtp(int across, int loaded) {
  char arguments[2048] = "";
  ht_surface surface;
  make_sheet(across, &surface);
  ht_surface bare = surface;
  size_t points = (size_t)surface.points;
  if (!loaded) bare.wss_pa = bare.wss_mag_pa = bare.pressure_pa = NULL;
  const char *path = ht_test_path("wall.vtp");
  assert_int_equal(ht_export_vtp(path, &bare), HT_OK);
  snprintf(arguments, sizeof arguments, "'%s'", path);
  expect(arguments, sizeof arguments, "points", surface.point_mm, 12 * points, "float32");
  expect(arguments, sizeof arguments, "Normals", surface.normal, 12 * points, "float32");
  expect(arguments, sizeof arguments, "polys", surface.triangle, 12 * (size_t)surface.triangles,
         "int32");
  if (loaded) {
    expect(arguments, sizeof arguments, "wss_pa", surface.wss_pa, 12 * points, "float32");
    expect(arguments, sizeof arguments, "wss_magnitude_pa", surface.wss_mag_pa, 4 * points,
           "float32");
    expect(arguments, sizeof arguments, "pressure_pa", surface.pressure_pa, 4 * points, "float32");
  }
  assert_int_equal(ht_test_python("check_vtk.py", arguments), 0);
  ht_surface_free(&surface);
}

static void test_poly_data(void **unused) {
  (void)unused;
  check_vtp(3, 1);
  check_vtp(3, 0);
  check_vtp(256, 1); /* 4 bytes a point are exactly one block */
  check_vtp(301, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turbulence),
      cmocka_unit_test(test_image_data),
      cmocka_unit_test(test_poly_data),
  };
  if (!ht_test_python_has("vtkmodules.vtkIOXML, numpy")) return 77;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
