/* Shear-thinning blood: the CUDA backend against the CPU backend. Skipped (77) where there is no
 * GPU.
 */
#include "tests/check.h"
#include "tests/solver/common/compare_backends.h"
#include "phantom/geometry.h"
#include "solver/solver.h"
#include "tests/solver/common/chosen_device.h"
#include <stdio.h>

/* The shear rates of the noise and the flows here are in the shear-thinning range of these laws. */
static const ht_viscosity_law laws[] = {
    {.model = HT_CARREAU_YASUDA,
     .high = 0.02,
     .rest = 0.3,
     .time = 2000,
     .index = 0.3568,
     .yasuda = 2},
    {.model = HT_CASSON, .high = 0.02, .rest = 0.3, .yield = 1e-5, .eddies = 0.2},
    {.eddies = 0.2}};
static const char *const law_name[] = {"Carreau-Yasuda", "Casson, eddies", "eddies"};

/* Checks the laws as test_backends. */
static void check_laws(ht_lattice_setup *setup, int64_t steps, const char *what) {
  for (int i = 0; i < 12; i++) {
    int law = i / 4, model = i % 4;
    setup->law = laws[law];
    setup->collision = HT_MODEL_COLLISION(model);
    setup->compressibility = HT_MODEL_COMPRESSIBILITY(model);
    setup->precision = HT_FP64;
    double twice = ht_compare_backends(setup, steps);
    setup->precision = HT_FP32;
    double single = ht_compare_backends(setup, steps);
    print_message("%s, %s, %s %s: relative difference fp64 %.2e, fp32 %.2e\n", what, law_name[law],
                  ht_collision_words[setup->collision],
                  ht_compressibility_words[setup->compressibility], twice, single);
    assert_true(twice <= 1e-12);
    assert_true(single <= 1e-5);
  }
}

static void test_closed_vessels(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  assert_int_equal(ht_geometry_tubes((int[3]){61, 47, 53}, (double[2]){5, 8}, 0.2, 3, &mask),
                   HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {.tiling = &tiling, .tau = 0.56, .noise_lu = 0.02};
  check_laws(&setup, 200, "closed vessels");
  setup.compact = 1;
  check_laws(&setup, 200, "closed vessels, compact");
  setup.compact = 0;
  setup.law = laws[0];
  setup.precision = HT_FP16;
  double half = ht_compare_backends(&setup, 100);
  print_message("closed vessels, fp16: relative difference %.2e\n", half);
  assert_true(half <= 2e-3);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

/* Compares a flow from a plane of velocity to one of pressure, through a box. */
static void test_ports(void **unused) {
  (void)unused;
  enum { NX = 22, NY = 13, NZ = 11, COUNT = NY * NZ };
  static int64_t voxel[2][COUNT];
  static double speed[COUNT];
  const int dim[3] = {NX, NY, NZ};
  ht_mask mask;
  ht_tiling tiling;
  for (int i = 0; i < COUNT; i++) {
    voxel[0][i] = (int64_t)NX * i;
    voxel[1][i] = voxel[0][i] + NX - 1;
    speed[i] = 0.03;
  }
  const ht_lattice_port port[2] = {{.kind = HT_PORT_VELOCITY,
                                    .inward = 1,
                                    .direction = {0.9, 0.3, 0.316227766},
                                    .nodes = COUNT,
                                    .voxel = voxel[0],
                                    .speed_lu = speed},
                                   {.kind = HT_PORT_PRESSURE,
                                    .inward = -1,
                                    .direction = {-1, 0, 0},
                                    .nodes = COUNT,
                                    .voxel = voxel[1]}};
  assert_int_equal(ht_geometry_box(dim, &mask), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, NULL, &tiling), HT_OK);
  ht_lattice_setup setup = {
      .tiling = &tiling, .tau = 0.56, .ramp_steps = 200, .ports = 2, .port = port};
  check_laws(&setup, 1000, "box with ports");
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

int main(void) {
  ht_need_gpu();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_vessels),
      cmocka_unit_test(test_ports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
