/* A body force: the balance of momentum, the frame that falls with it, and Poiseuille flow. With
 * "gpu" as argument on the CUDA backend. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "validation/runs/round_pipe.h"
#include "solver/kernels/start_noise.h"
#include "tiling/tiling.h"
#include "tests/solver/common/voxel_fields.h"
#include <float.h>
#include <stdlib.h>

static ht_device device;
static const double pull[3] = {3e-5, -2e-5, 1e-5};

static double epsilon_of(ht_precision precision) {
  return precision == HT_FP64 ? DBL_EPSILON : FLT_EPSILON;
}

static ht_lattice_setup forced(ht_precision precision, int model) {
  ht_lattice_setup setup = {.tau = 0.6,
                            .precision = precision,
                            .device = device,
                            .threads = 1,
                            .periodic = {1, 1, 1},
                            .acceleration_lu = {pull[0], pull[1], pull[2]}};
  ht_set_model(&setup, model);
  return setup;
}

/* Checks every model, in fp64 and fp32. */
static void for_all(void (*check)(int model, ht_precision precision)) {
  for (int model = 0; model < HT_MODELS; model++)
    for (int p = HT_FP32; p <= HT_FP64; p++) check(model, (ht_precision)p);
}

/* ---- without walls ---- */

enum { NX = 12, NY = 8, NZ = 16, NODES = NX * NY * NZ };

static void noise_at(const int voxel[3], const void *unused, ht_voxel_flow *flow) {
  (void)unused;
  uint64_t place = (uint64_t)(voxel[0] + 100 * (voxel[1] + 100 * voxel[2]));
  flow->density = 0.01 * ht_noise_at(place);
  for (int a = 0; a < 3; a++) flow->velocity[a] = 0.05 * ht_noise_at(place + 1000000u * (a + 1));
}

/* Sums the state: mass, and momentum less the half of the force that its velocity has. */
static void sum_state(const ht_box *box, int model, double *mass, double momentum[3]) {
  double *state = ht_read_voxels(box->lattice, &box->tiling);
  *mass = 0;
  for (int a = 0; a < 3; a++) momentum[a] = 0;
  for (int v = 0; v < NODES; v++) {
    double rho = HT_MODEL_COMPRESSIBILITY(model) == HT_INCOMPRESSIBLE ? 1 : 1 + state[4 * v];
    *mass += rho;
    for (int a = 0; a < 3; a++) momentum[a] += rho * (state[4 * v + 1 + a] - pull[a] / 2);
  }
  free(state);
}

/* Momentum grows in every step by the force on the mass and by nothing else, whatever flows. */
static void check_balance(int model, ht_precision precision) {
  enum { STEPS = 40 };
  ht_box box;
  ht_lattice_setup setup = forced(precision, model);
  double mass, begun[3], sent[3], known[3];
  ht_box_make((int[3]){NX, NY, NZ}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, noise_at, NULL);
  sum_state(&box, model, &mass, begun);
  /* The sums round by an epsilon of the sizes that are added, 0.05 of each node. */
  double rounding = 8 * epsilon_of(precision) * 0.05 * sqrt((double)NODES * STEPS);
  for (int step = 0; step <= STEPS; step += STEPS / 2) {
    assert_int_equal(ht_lattice_momentum(box.lattice, sent), HT_OK);
    sum_state(&box, model, &mass, known);
    for (int a = 0; a < 3; a++) {
      double expected = begun[a] + step * mass * pull[a];
      assert_near(sent[a], expected, rounding);
      assert_near(known[a], expected, rounding);
    }
    assert_int_equal(ht_lattice_step(box.lattice, STEPS / 2), HT_OK);
  }
  ht_box_free(&box);
}

static void test_balance(void **unused) {
  (void)unused;
  for_all(check_balance);
}

static void stream_at(const int voxel[3], const void *unused, ht_voxel_flow *flow) {
  (void)voxel, (void)unused;
  flow->density = 0.01;
  flow->velocity[0] = 0.1, flow->velocity[1] = -0.05, flow->velocity[2] = 0.07;
}

/* A stream without shear only falls: its velocity grows by the acceleration a step, its density
 * stays, and it has no stress but a term of the square of the force. (The first-order form of the
 * force, 3 w c.F alone, gives it (1/omega - 1/2) (u F + F u): 600 times more than 1e-9.) */
static void check_fall(int model, ht_precision precision) {
  enum { STEPS = 50 };
  ht_box box;
  ht_lattice_setup setup = forced(precision, model);
  ht_voxel_flow begun = {0};
  double of[10 * HT_TILE_NODES];
  ht_lattice_fields fields = {
      .density = of, .velocity = of + HT_TILE_NODES, .stress = of + 4 * HT_TILE_NODES};
  double rounding = STEPS * epsilon_of(precision) * 0.1, force2 = 1e-9;
  stream_at((int[3]){0, 0, 0}, NULL, &begun);
  ht_box_make((int[3]){4, 4, 4}, &setup, &box);
  ht_write_voxels(box.lattice, &box.tiling, stream_at, NULL);
  assert_int_equal(ht_lattice_step(box.lattice, STEPS), HT_OK);
  assert_int_equal(ht_lattice_read(box.lattice, 0, 1, &fields), HT_OK);
  for (int n = 0; n < HT_TILE_NODES; n++) {
    assert_near(fields.density[n], begun.density, rounding);
    for (int a = 0; a < 3; a++)
      assert_near(fields.velocity[3 * n + a] - begun.velocity[a], STEPS * pull[a], rounding);
    for (int k = 0; k < 6; k++) assert_near(fields.stress[6 * n + k], 0, rounding + force2);
  }
  ht_box_free(&box);
}

static void test_fall(void **unused) {
  (void)unused;
  for_all(check_fall);
}

/* ---- Poiseuille flow ---- */

typedef struct {
  ht_round_pipe pipe;
  double peak; /* on the axis */
} poiseuille;

static void poiseuille_at(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  const poiseuille *p = data;
  double along, off[2];
  if (ht_round_pipe_place(&p->pipe, voxel, &along, off) <= 0) return;
  double r2 = (off[0] * off[0] + off[1] * off[1]) / (p->pipe.radius * p->pipe.radius);
  for (int a = 0; a < 3; a++) flow->velocity[a] = p->peak * (1 - r2) * p->pipe.axis[0][a];
}

typedef struct {
  double error; /* L2, of the velocity */
  double drag;  /* of the wall over the force of all nodes */
} pipe_result;

static void compare(const poiseuille *p, const double *state, pipe_result *result) {
  double error2 = 0, size2 = 0;
  for (int64_t v = 0; v < (int64_t)p->pipe.dim[0] * p->pipe.dim[1] * p->pipe.dim[2]; v++) {
    int at[3];
    ht_voxel_flow exact = {0};
    ht_voxel_place(p->pipe.dim, v, at);
    poiseuille_at(at, p, &exact);
    for (int a = 0; a < 3; a++) {
      error2 += pow(state[4 * v + 1 + a] - exact.velocity[a], 2);
      size2 += pow(exact.velocity[a], 2);
    }
  }
  result->error = sqrt(error2 / size2);
}

/* Runs from the analytic flow, which is there again after a radius^2 / viscosity where the force,
 * walls and viscosity are right. */
static pipe_result run_pipe(int across, int diagonal, int half_way, int model,
                            ht_precision precision) {
  const ht_tiling_options at_corner = {.fixed_origin = 1};
  poiseuille p = {ht_round_pipe_make(across, diagonal, 0.7), 0.02};
  ht_lattice_setup setup = forced(precision, model);
  ht_mask mask;
  ht_tiling tiling;
  float *distance = NULL;
  ht_lattice *lattice;
  pipe_result result;
  double momentum[2][3], viscosity = 0.1, radius2 = p.pipe.radius * p.pipe.radius;
  double force = 4 * viscosity * p.peak / radius2;
  int64_t steps = (int64_t)(radius2 / viscosity);
  setup.tau = 0.5 + 3 * viscosity;
  for (int a = 0; a < 3; a++) {
    setup.acceleration_lu[a] = force * p.pipe.axis[0][a];
    setup.periodic[a] = p.pipe.periodic[a];
  }
  assert_int_equal(ht_round_pipe_voxels(&p.pipe, &mask, half_way ? NULL : &distance), HT_OK);
  assert_int_equal(ht_tiling_build(&mask, &at_corner, &tiling), HT_OK);
  setup.tiling = &tiling, setup.wall_distance = distance;
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  ht_write_voxels(lattice, &tiling, poiseuille_at, &p);
  assert_int_equal(ht_lattice_step(lattice, steps - 1), HT_OK);
  assert_int_equal(ht_lattice_momentum(lattice, momentum[0]), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, 1), HT_OK);
  assert_int_equal(ht_lattice_momentum(lattice, momentum[1]), HT_OK);
  double kept = 0;
  for (int a = 0; a < 3; a++) kept += (momentum[1][a] - momentum[0][a]) * p.pipe.axis[0][a];
  result.drag = 1 - kept / ((double)tiling.nodes * force);
  double *state = ht_read_voxels(lattice, &tiling);
  compare(&p, state, &result);
  free(state);
  free(distance);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
  return result;
}

/* Second order on either pipe, and in fp32 the same error. Walls of either kind take as much
 * momentum as the force gives. */
static void check_pipe(int model, int diagonal) {
  pipe_result coarse = run_pipe(6, diagonal, 0, model, HT_FP64);
  pipe_result fine = run_pipe(12, diagonal, 0, model, HT_FP64);
  pipe_result single = run_pipe(6, diagonal, 0, model, HT_FP32);
  pipe_result stairs = run_pipe(6, diagonal, 1, model, HT_FP64);
  double order = log2(coarse.error / fine.error);
  print_message("%s, pipe at %d degrees: L2 error %.5f at 6, %.5f at 12 across, order %.2f, "
                "drag / force - 1 %+.1e, in fp32 %.5f, %+.1e\n",
                ht_model_name(model), diagonal ? 45 : 0, coarse.error, fine.error, order,
                fine.drag - 1, single.error, single.drag - 1);
  assert_true(fine.error < 0.015);
  assert_true(order > 1.8);
  assert_near(fine.drag, 1, 1e-3);
  assert_near(single.error / coarse.error, 1, 1e-2);
  assert_near(single.drag, 1, 1e-2);
  assert_true(stairs.error > coarse.error && fabs(stairs.drag - 1) < 5e-3);
}

static void test_pipe(void **unused) {
  (void)unused;
  for (int model = 0; model < HT_MODELS; model++)
    for (int diagonal = 0; diagonal < 2; diagonal++) check_pipe(model, diagonal);
}

/* A plane channel, whose half-way walls need no slip where Lambda (wall_links.h) is 3/16: there the
 * parabola is exact, whatever the resolution. */
static void test_channel(void **unused) {
  (void)unused;
  enum { SIDE = 4, ACROSS = 6 };
  ht_box box;
  ht_lattice_setup setup = {.tau = 0.5 + sqrt(3.0 / 16),
                            .precision = HT_FP64,
                            .device = device,
                            .threads = 1,
                            .periodic = {1, 1, 0},
                            .acceleration_lu = {1e-4, 0, 0}};
  ht_box_make((int[3]){SIDE, SIDE, ACROSS}, &setup, &box);
  assert_int_equal(ht_lattice_step(box.lattice, 4000), HT_OK);
  double *state = ht_read_voxels(box.lattice, &box.tiling);
  for (int v = 0; v < SIDE * SIDE * ACROSS; v++) {
    double z = v / (SIDE * SIDE) + 0.5 - ACROSS / 2.0, viscosity = (setup.tau - 0.5) / 3;
    double exact = 1e-4 / (2 * viscosity) * (ACROSS * ACROSS / 4.0 - z * z);
    assert_near(state[4 * v + 1] / exact, 1, 1e-12);
  }
  free(state);
  ht_box_free(&box);
}

/* ---- the interface ---- */

/* Force may change from the next step on; what is written is read back, with either. */
static void test_changes(void **unused) {
  (void)unused;
  ht_box box;
  ht_lattice_setup setup = forced(HT_FP64, HT_MODEL_CUMULANT);
  const double other[3] = {0, 5e-5, 0};
  double momentum[2][3], mass, sum[3];
  ht_box_make((int[3]){NX, NY, NZ}, &setup, &box);
  assert_int_equal(ht_lattice_step(box.lattice, 33), HT_OK);
  assert_int_equal(ht_lattice_momentum(box.lattice, momentum[0]), HT_OK);
  assert_int_equal(ht_lattice_accelerate(box.lattice, other), HT_OK);
  assert_int_equal(ht_lattice_step(box.lattice, 17), HT_OK);
  assert_int_equal(ht_lattice_momentum(box.lattice, momentum[1]), HT_OK);
  for (int a = 0; a < 3; a++) {
    assert_near(momentum[0][a] / NODES, 33 * pull[a], 1e-15);
    assert_near((momentum[1][a] - momentum[0][a]) / NODES, 17 * other[a], 1e-15);
  }
  ht_write_voxels(box.lattice, &box.tiling, noise_at, NULL);
  double *state = ht_read_voxels(box.lattice, &box.tiling);
  for (int v = 0; v < NODES; v++) {
    int at[3];
    ht_voxel_flow wanted = {0};
    ht_voxel_place((int[3]){NX, NY, NZ}, v, at);
    noise_at(at, NULL, &wanted);
    for (int a = 0; a < 3; a++) assert_near(state[4 * v + 1 + a], wanted.velocity[a], 1e-15);
  }
  free(state);
  sum_state(&box, HT_MODEL_CUMULANT, &mass, sum);
  ht_box_free(&box);
}

static ht_status make(ht_lattice_setup setup, ht_box *box) {
  const ht_tiling_options at_corner = {.fixed_origin = 1};
  const ht_grid grid = ht_grid_make(4, 4, 4);
  assert_int_equal(ht_mask_alloc(&grid, &box->mask), HT_OK);
  for (int v = 0; v < 64; v++) box->mask.inside[v] = 1;
  assert_int_equal(ht_tiling_build(&box->mask, &at_corner, &box->tiling), HT_OK);
  setup.tiling = &box->tiling;
  return ht_lattice_create(&setup, &box->lattice);
}

static void test_refuses(void **unused) {
  (void)unused;
  static const int64_t voxel[1] = {0};
  static const double speed[1] = {0.01};
  const ht_lattice_port port = {.kind = HT_PORT_VELOCITY,
                                .inward = 1,
                                .direction = {1, 0, 0},
                                .nodes = 1,
                                .voxel = voxel,
                                .speed_lu = speed};
  ht_box box;
  ht_lattice_setup setup = forced(HT_FP16, 0);
  assert_int_equal(make(setup, &box), HT_ERR_USAGE);
  ht_box_free(&box);
  setup = forced(HT_FP32, 0);
  setup.ports = 1, setup.port = &port;
  assert_int_equal(make(setup, &box), HT_ERR_USAGE);
  ht_box_free(&box);
  setup = forced(HT_FP32, 0);
  setup.acceleration_lu[1] = NAN;
  assert_int_equal(make(setup, &box), HT_ERR_USAGE);
  ht_box_free(&box);
  setup = (ht_lattice_setup){.tau = 0.6, .device = device};
  assert_int_equal(make(setup, &box), HT_OK);
  assert_int_equal(ht_lattice_accelerate(box.lattice, pull), HT_ERR_USAGE);
  ht_box_free(&box);
}

int main(int argc, char **argv) {
  device = ht_chosen_device(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balance), cmocka_unit_test(test_fall),
      cmocka_unit_test(test_pipe),    cmocka_unit_test(test_channel),
      cmocka_unit_test(test_changes), cmocka_unit_test(test_refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
