/* Flow of shear-thinning blood: a sheared layer, whose shear rate is the same everywhere, and a
 * plane channel against the solution of its one-dimensional equation. With "gpu" as argument on the
 * CUDA backend. */
#include "tests/check.h"
#include "validation/known/pipe_theory.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include <stdlib.h>

static ht_device device;

/* ---- a sheared layer ---- */

enum { LAYER = 12 };

/* Viscosity of a shear flow between a wall that rests and one that slides, half a spacing beyond
 * the nodes. (The lattice adds normal stresses of the order of the shear rate squared: in the
 * viscosity they show as the square of the rate, 1e-5 at 0.002.) */
static double sheared_viscosity(ht_lattice_setup *setup, double rate, double most_error) {
  enum { NX = 8, NZ = 4 };
  int64_t voxel[NX * NZ], count = 0;
  const int dim[3] = {NX, LAYER, NZ};
  ht_box box;
  for (int z = 0; z < NZ; z++)
    for (int x = 0; x < NX; x++) voxel[count++] = x + NX * (LAYER - 1 + LAYER * z);
  ht_lattice_port lid = {.kind = HT_PORT_MOVING_WALL,
                         .axis = 1,
                         .inward = -1,
                         .wall_lu = {rate * LAYER, 0, 0},
                         .nodes = NX * NZ,
                         .voxel = voxel};
  setup->ports = 1;
  setup->port = &lid;
  ht_box_make(dim, setup, &box);
  assert_int_equal(ht_lattice_step(box.lattice, 6000), HT_OK);
  static double stress[NX * LAYER * NZ][6], viscosity[NX * LAYER * NZ];
  ht_lattice_fields fields = {.stress = stress[0], .viscosity = viscosity};
  assert_int_equal(ht_lattice_read(box.lattice, 0, box.tiling.tiles, &fields), HT_OK);
  double least = INFINITY, most = 0;
  for (int n = 0; n < NX * LAYER * NZ; n++) {
    least = fmin(least, stress[n][3]);
    most = fmax(most, stress[n][3]);
    assert_near(viscosity[n] * rate / stress[n][3], 1, most_error);
  }
  assert_true(most - least < most_error * most);
  ht_box_free(&box);
  return most / rate;
}

static void check_layer(const char *name, const ht_viscosity_law *law, double rate) {
  for (int model = 0; model < HT_MODELS; model++) {
    for (int k = 0; k < 2; k++) {
      ht_lattice_setup setup = {.tau = 0.5 + 3 * law->high,
                                .law = *law,
                                .precision = k ? HT_FP32 : HT_FP64,
                                .device = device,
                                .threads = 1,
                                .periodic = {1, 0, 1}};
      ht_set_model(&setup, model);
      double most_error = k ? 1e-4 : 2e-6, asked = ht_viscosity(law, rate);
      double found = sheared_viscosity(&setup, rate, most_error);
      print_message("%s, %s, %s: viscosity %.6f of %.6f at rest, off by %.1e\n", name,
                    ht_model_name(model), ht_precision_name(setup.precision), found, law->rest,
                    found / asked - 1);
      assert_near(found / asked, 1, most_error);
    }
  }
}

static void test_layer(void **unused) {
  (void)unused;
  const double rate = 2e-4;
  check_layer("Carreau-Yasuda",
              &(ht_viscosity_law){.model = HT_CARREAU_YASUDA,
                                  .high = 0.02,
                                  .rest = 0.3,
                                  .time = 4 / rate,
                                  .index = 0.3568,
                                  .yasuda = 2},
              rate);
  check_layer(
      "Casson",
      &(ht_viscosity_law){.model = HT_CASSON, .high = 0.02, .rest = 0.4, .yield = 0.03 * rate},
      rate);
  check_layer("eddies", &(ht_viscosity_law){.high = 1e-5, .rest = 1e-5, .eddies = 20}, rate);
}

/* ---- a state that is written ---- */

static void waves(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  (void)data;
  double x = 0.7 * voxel[0], y = 0.4 * voxel[1], z = 0.3 * voxel[2];
  flow->density = 0.01 * sin(x + y);
  for (int a = 0; a < 3; a++) flow->velocity[a] = 0.02 * cos(x - y + a * z);
  for (int k = 0; k < 6; k++) flow->stress[k] = exp2(-voxel[0]) * 1e-4 * sin(y + k * z + 0.1);
}

/* A state is read as it was written, although the relaxation time has to be found from the stress.
 */
static void check_written(const ht_viscosity_law *law, int model) {
  enum { SIDE = 12, NODES = SIDE * SIDE * SIDE };
  static double stress[NODES][6];
  ht_box box;
  ht_lattice_setup setup = {.tau = 0.5 + 3 * law->high,
                            .law = *law,
                            .precision = HT_FP64,
                            .device = device,
                            .threads = 1,
                            .periodic = {1, 1, 1}};
  ht_set_model(&setup, model);
  ht_box_make((const int[3]){SIDE, SIDE, SIDE}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, waves, NULL);
  ht_lattice_fields fields = {.stress = stress[0]};
  assert_int_equal(ht_lattice_read(box.lattice, 0, box.tiling.tiles, &fields), HT_OK);
  for (int n = 0; n < NODES; n++) {
    const int32_t *tile = box.tiling.position + 3 * (n / 64);
    const int in_tile[3] = {n & 3, (n >> 2) & 3, (n >> 4) & 3};
    const int at[3] = {4 * tile[0] + in_tile[0], 4 * tile[1] + in_tile[1],
                       4 * tile[2] + in_tile[2]};
    ht_voxel_flow there = {0};
    waves(at, NULL, &there);
    for (int k = 0; k < 6; k++)
      assert_near(stress[n][k], there.stress[k], 1e-9 * exp2(-at[0]) * 1e-4 + 1e-15);
  }
  ht_box_free(&box);
}

static void test_written(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++) {
    check_written(&(ht_viscosity_law){.model = HT_CARREAU_YASUDA,
                                      .high = 0.004,
                                      .rest = 0.06,
                                      .time = 1e5,
                                      .index = 0.3568,
                                      .yasuda = 2},
                  model);
    check_written(&(ht_viscosity_law){.high = 0.002, .rest = 0.002, .eddies = 0.2}, model);
  }
}

/* ---- a plane channel ---- */

enum { HIGHEST = 24 };

/* Plane channel along x, between walls at y = -n/2 and n/2; the pressure falls by `gradient` a
 * spacing. */
typedef struct {
  int n, length;
  double gradient;
  const ht_viscosity_law *law;
  double speed[HIGHEST]; /* [n] the solution */
} channel;

static double viscosity_at(const void *law, double rate) {
  return ht_viscosity(law, rate);
}

/* The stress is gradient times y; so the velocity is the integral of the shear rate from y to the
 * wall (Simpson). */
static double speed_at(const channel *c, double y) {
  enum { PIECES = 200 };
  double h = (0.5 * c->n - fabs(y)) / PIECES, sum = 0;
  for (int i = 0; i <= PIECES; i++) {
    double weight = i == 0 || i == PIECES ? 1 : i % 2 ? 4 : 2;
    sum += weight * ht_shear_rate(c->gradient * (fabs(y) + i * h), viscosity_at, c->law);
  }
  return sum * h / 3;
}

static double height_of(const channel *c, int voxel) {
  return voxel + 0.5 - 0.5 * c->n;
}

static void channel_flow(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const channel *c = data;
  double y = height_of(c, voxel[1]);
  flow->velocity[0] = c->speed[voxel[1]];
  flow->density = 3 * c->gradient * (c->length - 1 - voxel[0]);
  flow->stress[3] = -c->gradient * y;
}

/* Relative L2 difference of the velocity half way along. */
static double profile_error(const channel *c, const ht_box *box, double *fastest) {
  double error = 0, size = 0;
  double *field = ht_read_voxels(box->lattice, &box->tiling);
  *fastest = 0;
  for (int y = 0; y < c->n; y++) {
    double exact = c->speed[y];
    double found = field[4 * (c->length / 2 + (int64_t)c->length * y) + 1];
    error += (found - exact) * (found - exact);
    size += exact * exact;
    *fastest = fmax(*fastest, exact);
  }
  free(field);
  return sqrt(error / size);
}

/* Steps from the exact solution to the lattice's steady state, which is close: about n^2 / (8 nu)
 * of the mean viscosity. */
static double channel_error(const channel *c, int model) {
  enum { DEPTH = 4, MOST = HIGHEST * DEPTH };
  int64_t inlet[MOST], outlet[MOST], count = 0;
  double speed[MOST], fastest;
  ht_box box;
  for (int z = 0; z < DEPTH; z++) {
    for (int y = 0; y < c->n; y++) {
      inlet[count] = (int64_t)c->length * (y + c->n * z);
      outlet[count] = inlet[count] + c->length - 1;
      speed[count++] = c->speed[y];
    }
  }
  const ht_lattice_port port[2] = {{.kind = HT_PORT_VELOCITY,
                                    .inward = 1,
                                    .direction = {1, 0, 0},
                                    .nodes = count,
                                    .voxel = inlet,
                                    .speed_lu = speed},
                                   {.kind = HT_PORT_PRESSURE,
                                    .inward = -1,
                                    .direction = {-1, 0, 0},
                                    .nodes = count,
                                    .voxel = outlet}};
  ht_lattice_setup setup = {.tau = 0.5 + 3 * c->law->high,
                            .law = *c->law,
                            .precision = HT_FP64,
                            .device = device,
                            .threads = 1,
                            .periodic = {0, 0, 1},
                            .ports = 2,
                            .port = port};
  ht_set_model(&setup, model);
  ht_box_make((const int[3]){c->length, c->n, DEPTH}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, channel_flow, c);
  assert_int_equal(ht_lattice_step(box.lattice, (int64_t)c->n * c->n * 4), HT_OK);
  double error = profile_error(c, &box, &fastest);
  print_message("  %2d nodes across, %s: velocity off by %.2e (largest %.4f)\n", c->n,
                ht_model_name(model), error, fastest);
  ht_box_free(&box);
  return error;
}

/* Checks one flow on finer lattices: velocities go with 1/n, shear rates and stresses with
 * 1/n^2. */
static void check_channel(const char *name, const ht_viscosity_law *coarse, double gradient) {
  double error[3];
  print_message("%s, plane channel\n", name);
  for (int i = 0; i < 3; i++) {
    double finer = 1 << i;
    ht_viscosity_law law = *coarse;
    law.time *= finer * finer;
    law.yield /= finer * finer;
    channel c = {6 << i, 12 << i, gradient / (finer * finer * finer), &law, {0}};
    for (int y = 0; y < c.n; y++) c.speed[y] = speed_at(&c, height_of(&c, y));
    error[i] = channel_error(&c, 0);
    for (int model = 1; i == 1 && model < HT_MODELS; model++)
      assert_true(channel_error(&c, model) < 2 * error[0]);
  }
  double order = log2(error[1] / error[2]);
  print_message("  order %.2f, %.2f\n", log2(error[0] / error[1]), order);
  assert_true(order > 1.8);
  assert_true(error[2] < 0.01);
}

static void test_channel(void **unused) {
  (void)unused;
  check_channel("Carreau-Yasuda",
                &(ht_viscosity_law){.model = HT_CARREAU_YASUDA,
                                    .high = 0.0125,
                                    .rest = 0.2,
                                    .time = 800,
                                    .index = 0.3568,
                                    .yasuda = 2},
                2e-4);
  check_channel("Casson",
                &(ht_viscosity_law){.model = HT_CASSON, .high = 0.02, .rest = 0.3, .yield = 1e-4},
                3e-4);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layer),
      cmocka_unit_test(test_written),
      cmocka_unit_test(test_channel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
