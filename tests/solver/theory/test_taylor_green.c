/* Decay of Taylor-Green vortices in a periodic box (Taylor & Green, Proc. R. Soc. A 158 (1937) 499,
 * in the plane): second order in velocity and viscosity, every model and precision. With "gpu" as
 * argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/voxel_fields.h"
#include <stdlib.h>

static const double tau = 0.8;
static ht_device device;

/* u = -U cos kx sin ky, v = U sin kx cos ky, p = -U^2/4 (cos 2kx + cos 2ky), decaying with exp(-2
 * nu k^2 t); `plane`: x is the axis plane, y the one after it. */
typedef struct {
  int plane;
  double k, speed, viscosity;
} vortices;

static void flow_at(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const vortices *v = data;
  int a = v->plane, b = (a + 1) % 3;
  double x = v->k * voxel[a], y = v->k * voxel[b];
  double strain = 2 * v->viscosity * v->k * v->speed * sin(x) * sin(y);
  flow->velocity[a] = -v->speed * cos(x) * sin(y);
  flow->velocity[b] = v->speed * sin(x) * cos(y);
  flow->density = -0.75 * v->speed * v->speed * (cos(2 * x) + cos(2 * y));
  flow->stress[a] = strain, flow->stress[b] = -strain;
}

typedef struct {
  double velocity;  /* sqrt(sum |u - exact|^2 / sum |exact|^2) */
  double viscosity; /* from the decay of the energy, relative to the prescribed one */
} decay_error;

static double energy(const double *field, int64_t voxels) {
  double sum = 0;
  for (int64_t v = 0; v < voxels; v++)
    for (int a = 1; a < 4; a++) sum += field[4 * v + a] * field[4 * v + a];
  return sum;
}

static double difference(const double *field, const int dim[3], vortices exact) {
  double error = 0, size = 0;
  for (int64_t v = 0; v < (int64_t)dim[0] * dim[1] * dim[2]; v++) {
    int at[3];
    ht_voxel_flow there = {0};
    ht_voxel_place(dim, v, at);
    flow_at(at, &exact, &there);
    for (int a = 0; a < 3; a++) {
      double e = field[4 * v + 1 + a] - there.velocity[a];
      error += e * e;
      size += there.velocity[a] * there.velocity[a];
    }
  }
  return sqrt(error / size);
}

/* Diffusive scaling: tau stays, the speed goes with 1/n, the steps with n^2. */
static decay_error decay(int n, int model, ht_precision precision, int plane) {
  ht_box box;
  ht_lattice_setup setup = {
      .tau = tau, .precision = precision, .device = device, .threads = 1, .periodic = {1, 1, 1}};
  vortices flow = {plane, 2 * HT_PI / n, 0.04 * 16 / n, (tau - 0.5) / 3};
  int dim[3] = {n, n, n};
  dim[(plane + 2) % 3] = 4;
  ht_set_model(&setup, model);
  ht_box_make(dim, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, flow_at, &flow);
  int64_t steps = n * n / 8;
  double *first = ht_read_voxels(box.lattice, &box.tiling);
  assert_int_equal(ht_lattice_step(box.lattice, steps), HT_OK);
  double *last = ht_read_voxels(box.lattice, &box.tiling);
  double rate = log(energy(first, (int64_t)4 * n * n) / energy(last, (int64_t)4 * n * n));
  double viscosity = rate / (double)(4 * steps) / (flow.k * flow.k);
  flow.speed *= exp(-2 * flow.viscosity * flow.k * flow.k * (double)steps);
  decay_error error = {difference(last, dim, flow), viscosity / flow.viscosity - 1};
  free(first);
  free(last);
  ht_box_free(&box);
  return error;
}

static void check_order(int model, ht_precision precision, int plane) {
  decay_error coarser = {0, 0};
  for (int n = 16; n <= 64; n *= 2) {
    decay_error error = decay(n, model, precision, plane);
    print_message("%s %s, plane %d, %d nodes: velocity %.2e, viscosity %+.2e\n",
                  ht_model_name(model), ht_precision_name(precision), plane, n, error.velocity,
                  error.viscosity);
    if (n > 16) {
      double order = log2(coarser.velocity / error.velocity);
      double of_viscosity = log2(coarser.viscosity / error.viscosity);
      assert_true(order > 1.8 && of_viscosity > 1.8);
      if (HT_MODEL_COLLISION(model) != HT_CUMULANT) assert_true(order < 2.2 && of_viscosity < 2.2);
    }
    coarser = error;
  }
  assert_true(coarser.velocity < 1e-3);
  assert_near(coarser.viscosity, 0, 1e-3);
}

static void test_second_order(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++)
    for (int p = HT_FP32; p <= HT_FP64; p++) check_order(model, (ht_precision)p, model % 3);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_second_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
