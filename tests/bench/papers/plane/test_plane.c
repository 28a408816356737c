/* Plane flows on the CPU against their exact solutions; tiles, threads and masks; bad input. */
#include "tests/check.h"
#include "tests/bench/papers/plane/plane_box.h"
#include "bench/papers/plane_flows/plane_channel.h"
#include "tests/solver/common/voxel_fields.h"
#include "core/numbers/units.h"
#include <stdlib.h>
#include <string.h>

static void set_model(ht_plane_setup *setup, int model) {
  setup->collision = HT_MODEL_COLLISION(model);
  setup->compressibility = HT_MODEL_COMPRESSIBILITY(model);
}

static double larger(double a, double b) {
  return isnan(a) || a > b ? a : b; /* NaN stays */
}

/* ---- masks, tiles, threads ---- */

/* A number in [-1, 1) of a place. */
static double noise(int x, int y, int k) {
  uint64_t n = (uint64_t)(x + 1000 * y + 1000000 * k + 17) * 0x9e3779b97f4a7c15u;
  n = (n ^ (n >> 29)) * 0xbf58476d1ce4e5b9u;
  return (double)((n ^ (n >> 32)) >> 11) * 0x1p-52 - 1;
}

/* Start with noise. `context`: where the mask's corner lies. */
static void noisy_start(const void *context, int x, int y, ht_plane_state *state) {
  const int *corner = context;
  x -= corner[0], y -= corner[1];
  state->density = 0.01 * noise(x, y, 0);
  for (int a = 0; a < 2; a++) state->velocity[a] = 0.05 * noise(x, y, 1 + a);
}

enum { MASK_X = 83, MASK_Y = 61 };

/* Noise with a block of solid tiles; its corner at `corner` of a solid box. */
static plane_box porous_box(const int corner[2]) {
  plane_box box = plane_box_make(MASK_X + corner[0], MASK_Y + corner[1]);
  for (int y = 0; y < box.ny; y++)
    for (int x = 0; x < box.nx; x++) {
      int u = x - corner[0], v = y - corner[1];
      int block = u >= 30 && u < 70 && v >= 10 && v < 50;
      box.mask[x + box.nx * y] = u >= 0 && v >= 0 && !block && noise(u, v, 9) > -0.7;
    }
  return box;
}

static plane_box run_porous(const int corner[2], int threads, ht_precision precision, int model) {
  plane_box box = porous_box(corner);
  ht_plane_setup setup = plane_box_setup(&box, 0.6);
  setup.threads = threads;
  setup.precision = precision;
  setup.start = noisy_start;
  setup.context = corner;
  set_model(&setup, model);
  plane_box_run(&box, &setup, 200);
  return box;
}

static void assert_same_flow(const plane_box *a, const plane_box *b, const int corner[2]) {
  double sum = 0;
  for (int y = 0; y < a->ny; y++)
    for (int x = 0; x < a->nx; x++) {
      size_t i = (size_t)(x + a->nx * y), j = (size_t)(x + corner[0] + b->nx * (y + corner[1]));
      assert_memory_equal(&a->density[i], &b->density[j], sizeof(double));
      assert_memory_equal(&a->velocity[2 * i], &b->velocity[2 * j], 2 * sizeof(double));
      assert_memory_equal(&a->stress[3 * i], &b->stress[3 * j], 3 * sizeof(double));
      sum += fabs(a->velocity[2 * i]);
    }
  assert_true(sum > 1e-3);
}

/* The result is the same bit for bit: the order of the work does not matter to a node. */
static void test_threads_and_places(void **unused) {
  (void)unused;
  static const int origin[2] = {0, 0}, moved[2] = {5, 23};
  for (int k = 0; k < 3; k++) {
    plane_box one = run_porous(origin, 1, (ht_precision)k, k);
    plane_box three = run_porous(origin, 3, (ht_precision)k, k);
    plane_box other = run_porous(moved, 2, (ht_precision)k, k);
    assert_same_flow(&one, &three, origin);
    assert_same_flow(&one, &other, moved);
    plane_box_free(&one);
    plane_box_free(&three);
    plane_box_free(&other);
  }
}

static double mass(const plane_box *box) {
  double sum = 0;
  for (int i = 0; i < box->nx * box->ny; i++) sum += box->density[i];
  return sum;
}

static void test_mass(void **unused) {
  (void)unused;
  static const int origin[2] = {0, 0};
  for (int model = 0; model < 4; model++) {
    plane_box box = porous_box(origin);
    ht_plane_setup setup = plane_box_setup(&box, 0.51);
    setup.start = noisy_start;
    setup.context = origin;
    set_model(&setup, model);
    plane_box_run(&box, &setup, 0);
    double before = mass(&box);
    plane_box_run(&box, &setup, 1000);
    assert_true(fabs(before) > 0.01);
    assert_near(mass(&box), before, 1e-12 * box.nx * box.ny * 0.01);
    plane_box_free(&box);
  }
}

static void test_stored_tiles(void **unused) {
  (void)unused;
  static const int origin[2] = {0, 0};
  plane_box box = porous_box(origin);
  ht_plane_setup setup = plane_box_setup(&box, 0.6);
  ht_plane *plane;
  ht_lattice_cost cost;
  int64_t fluid, stored, expected = 0;
  for (int i = 0; i < box.nx * box.ny; i++) expected += box.mask[i];
  assert_int_equal(ht_plane_create(&setup, &plane), HT_OK);
  ht_plane_count(plane, &fluid, &stored);
  ht_plane_measure_cost(plane, &cost);
  assert_int_equal(fluid, expected);
  assert_int_equal(stored, (6 * 4 - 2 * 2) * 256); /* [32, 64) x [16, 48) is solid */
  assert_in_range(cost.bytes, 2 * 72 * stored, (2 * 72 + 4) * stored);
  ht_plane_free(plane);
  plane_box_free(&box);
}

/* A voxel alone keeps its mass, and its momentum, which the walls turn round at every step; also
 * where it is the whole mask. */
static void test_one_voxel(void **unused) {
  (void)unused;
  static const int origin[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    plane_box box = plane_box_make(k ? 40 : 1, k ? 35 : 1);
    memset(box.mask, 0, (size_t)box.nx * (size_t)box.ny);
    int at = k ? 16 + 40 * 31 : 0;
    box.mask[at] = 1;
    ht_plane_setup setup = plane_box_setup(&box, 1);
    setup.start = noisy_start;
    setup.context = origin;
    plane_box_run(&box, &setup, 0);
    double before = mass(&box), u = box.velocity[2 * at];
    plane_box_run(&box, &setup, 501);
    assert_near(mass(&box), before, 1e-15);
    assert_true(fabs(box.density[at] - before) < 1e-15 && before != 0);
    assert_true(fabs(box.velocity[2 * at] + u) < 1e-15 && u != 0);
    plane_box_free(&box);
  }
}

/* ---- exact solutions ---- */

enum { BOTH = 3 }; /* the model whose density answers to the square of the velocity */

/* Couette flow: the wall at one side slides; the velocity is linear and the stress constant,
 * exactly but for BOTH. Along x and y, from either side. */
static double couette_error(int side, double u0, int model, ht_precision precision,
                            double *stress_error) {
  const double tau = 0.8, nu = (tau - 0.5) / 3;
  int across = side / 2, along = 1 - across, height = 11;
  plane_box box = across ? plane_box_make(16, height) : plane_box_make(height, 16);
  ht_plane_port lid = plane_box_port(&box, side, HT_PORT_MOVING_WALL);
  ht_plane_setup setup = plane_box_setup(&box, tau);
  double error = 0;
  lid.velocity_lu[along] = u0;
  setup.periodic[along] = 1;
  setup.precision = precision;
  setup.ramp_steps = 500;
  setup.ports = 1;
  setup.port = &lid;
  set_model(&setup, model);
  plane_box_run(&box, &setup, 20000);
  *stress_error = 0;
  for (int i = 0; i < box.nx * box.ny; i++) {
    double place = across ? i / box.nx + 0.5 : i % box.nx + 0.5;
    double distance = side % 2 ? place : height - place;
    error = larger(error, fabs(box.velocity[2 * i + along] - u0 * distance / height) / u0);
    error = larger(error, fabs(box.velocity[2 * i + across]) / u0);
    double shear = nu * u0 / height * (side % 2 ? 1 : -1);
    *stress_error = larger(*stress_error, fabs(box.stress[3 * i + 2] - shear) / fabs(shear));
  }
  plane_box_free(&box);
  return error;
}

static void test_couette(void **unused) {
  (void)unused;
  static const double allowed[3] = {1e-5, 1e-12, 0.03}; /* fp32, fp64, fp16 */
  for (int model = 0; model < 4; model++)
    for (int precision = 0; precision < 3; precision++) {
      double u0 = 0.05, stress, slack = model == BOTH && precision < 2 ? 1e-3 * u0 * u0 : 0;
      double error = couette_error(model, u0, model, (ht_precision)precision, &stress);
      print_message("Couette, %s, precision %d: velocity %.1e, stress %.1e\n", ht_model_name(model),
                    precision, error, stress);
      assert_true(error < allowed[precision] + slack);
      assert_true(stress < 5 * allowed[precision]);
    }
}

/* Plane Poiseuille flow between two pressure edges, or from a parabola to a pressure edge. */
static double poiseuille_error(int height, double tau, int model, int is_velocity) {
  const ht_plane_channel channel = {.height = height,
                                    .tau = tau,
                                    .is_velocity = is_velocity,
                                    .collision = HT_MODEL_COLLISION(model),
                                    .compressibility = HT_MODEL_COMPRESSIBILITY(model),
                                    .device = HT_DEVICE_CPU,
                                    .threads = 1};
  plane_box box;
  double error;
  assert_int_equal(ht_plane_channel_run(&channel, &box, NULL, &error), HT_OK);
  plane_box_free(&box);
  return error;
}

static void test_poiseuille(void **unused) {
  (void)unused;
  for (int is_velocity = 0; is_velocity < 2; is_velocity++)
    for (int model = 0; model < 4; model++) {
      double error[3];
      int height = is_velocity ? 6 : 8;
      for (int k = 0; k < 3; k++) error[k] = poiseuille_error(height << k, 0.8, model, is_velocity);
      double order = log2(error[1] / error[2]);
      print_message("Poiseuille, %s, %s: %.2e %.2e %.2e, order %.2f\n",
                    is_velocity ? "velocity" : "pressure", ht_model_name(model), error[0], error[1],
                    error[2], order);
      assert_true(order > 1.75); /* MRT at pressure edges: 1.78 */
      assert_true(error[2] < 4e-3);
    }
}

/* ---- corners ---- */

typedef struct {
  double density, velocity[2];
} uniform;

static void uniform_start(const void *context, int x, int y, ht_plane_state *state) {
  const uniform *flow = context;
  (void)x, (void)y;
  state->density = flow->density;
  state->velocity[0] = flow->velocity[0], state->velocity[1] = flow->velocity[1];
}

/* A box with a port on each side and four corners where they touch: velocity where the flow comes
 * in, pressure where it leaves, or velocity all round but for one side. */
static double corner_error(const uniform *flow, int model, int pressure_sides) {
  plane_box box = plane_box_make(21, 18);
  ht_plane_port port[4];
  double error = 0;
  for (int side = 0; side < 4; side++) {
    port[side] = plane_box_port(&box, side,
                                (pressure_sides >> side) & 1 ? HT_PORT_PRESSURE : HT_PORT_VELOCITY);
    port[side].density_lu = flow->density;
    memcpy(port[side].velocity_lu, flow->velocity, sizeof flow->velocity);
  }
  ht_plane_setup setup = plane_box_setup(&box, 0.6);
  setup.ports = 4;
  setup.port = port;
  setup.start = uniform_start;
  setup.context = flow;
  set_model(&setup, model);
  plane_box_run(&box, &setup, 2000);
  for (int i = 0; i < box.nx * box.ny; i++) {
    error = larger(error, fabs(box.density[i] - flow->density));
    for (int a = 0; a < 2; a++)
      error = larger(error, fabs(box.velocity[2 * i + a] - flow->velocity[a]));
    for (int k = 0; k < 3; k++) error = larger(error, fabs(box.stress[3 * i + k]));
  }
  plane_box_free(&box);
  return error;
}

static void test_corners(void **unused) {
  (void)unused;
  for (int model = 0; model < 4; model++)
    for (int turn = 0; turn < 4; turn++) {
      uniform flow = {0.01, {turn & 1 ? 0.06 : -0.06, turn & 2 ? 0.03 : -0.03}};
      int leaving = 1 << (turn & 1) | 4 << (turn >> 1); /* sides that the flow leaves through */
      for (int k = 0; k < 3; k++) {
        int pressure = k == 0 ? leaving : k == 1 ? leaving & 3 : 15;
        double error = corner_error(&flow, model, pressure);
        if (!(error < 1e-14))
          fail_msg("%s, turn %d, pressure %x: %.1e", ht_model_name(model), turn, pressure, error);
      }
    }
}

/* ---- Taylor-Green ---- */

typedef struct {
  int n;
  double u0, nu, time;
  ht_compressibility compressibility;
} vortex;

/* Taylor & Green's vortices, decaying by exp(-2 nu k^2 t): velocity, pressure and stress. */
static void vortex_at(const void *context, int x, int y, ht_plane_state *state) {
  const vortex *v = context;
  double k = 2 * HT_PI / v->n, a = k * (x + 0.5), b = k * (y + 0.5);
  double u0 = v->u0 * exp(-2 * v->nu * k * k * v->time);
  state->velocity[0] = -u0 * cos(a) * sin(b);
  state->velocity[1] = u0 * sin(a) * cos(b);
  state->density = -0.75 * u0 * u0 * (cos(2 * a) + cos(2 * b));
  state->stress[0] = 2 * v->nu * u0 * k * sin(a) * sin(b);
  state->stress[1] = -state->stress[0];
  state->stress[2] = 0;
}

static void vortex_error(int n, int model, double error[2]) {
  const double tau = 0.8;
  plane_box box = plane_box_make(n, n);
  vortex v = {.n = n, .u0 = 0.16 / n, .nu = (tau - 0.5) / 3};
  ht_plane_setup setup = plane_box_setup(&box, tau);
  int steps = n * n / 16; /* decays to 0.61 */
  double of_velocity = 0, of_stress = 0, velocity = 0, stress = 0;
  setup.periodic[0] = setup.periodic[1] = 1;
  setup.start = vortex_at;
  setup.context = &v;
  set_model(&setup, model);
  plane_box_run(&box, &setup, steps - 1); /* what is read is a step later */
  v.time = steps;
  for (int i = 0; i < n * n; i++) {
    ht_plane_state exact;
    vortex_at(&v, i % n, i / n, &exact);
    for (int a = 0; a < 2; a++) {
      of_velocity += pow(box.velocity[2 * i + a] - exact.velocity[a], 2);
      velocity += pow(exact.velocity[a], 2);
    }
    for (int k = 0; k < 3; k++) {
      of_stress += pow(box.stress[3 * i + k] - exact.stress[k], 2);
      stress += pow(exact.stress[k], 2);
    }
  }
  error[0] = sqrt(of_velocity / velocity);
  error[1] = sqrt(of_stress / stress);
  plane_box_free(&box);
}

static void test_taylor_green(void **unused) {
  (void)unused;
  for (int model = 0; model < 4; model++) {
    double error[3][2];
    for (int k = 0; k < 3; k++) vortex_error(16 << k, model, error[k]);
    for (int f = 0; f < 2; f++) {
      double order = log2(error[1][f] / error[2][f]);
      print_message("Taylor-Green, %s, %s: %.2e %.2e %.2e, order %.2f\n", ht_model_name(model),
                    f ? "stress" : "velocity", error[0][f], error[1][f], error[2][f], order);
      assert_true(order > 1.9);
      assert_true(error[2][f] < 2e-3);
    }
  }
}

/* ---- refusals ---- */

static void refuse(const ht_plane_setup *setup, ht_status expected, const char *says) {
  ht_plane *plane = (ht_plane *)setup;
  assert_int_equal(ht_plane_create(setup, &plane), expected);
  assert_null(plane);
  if (!strstr(ht_error_message(), says)) fail_msg("'%s' lacks '%s'", ht_error_message(), says);
}

static void test_refused(void **unused) {
  (void)unused;
  static const double inf = INFINITY;
  plane_box box = plane_box_make(33, 20);
  ht_plane_port port[2] = {plane_box_port(&box, 0, HT_PORT_VELOCITY),
                           plane_box_port(&box, 0, HT_PORT_PRESSURE)};
  int64_t outside = 33 * 20, middle = 5 + 33 * 5;
  ht_plane_setup good = plane_box_setup(&box, 0.8), bad = good;
  bad.tau = 0.5;
  refuse(&bad, HT_ERR_UNSTABLE, "relaxation time is 0.5");
  bad.tau = -inf;
  refuse(&bad, HT_ERR_UNSTABLE, "above 0.5");
  bad = good, bad.nx = 0;
  refuse(&bad, HT_ERR_USAGE, "0 x 20");
  bad = good, bad.periodic[0] = 1;
  refuse(&bad, HT_ERR_USAGE, "33 nodes long along x: a periodic axis needs a multiple of 16");
  bad = good, bad.ports = 2, bad.port = port;
  refuse(&bad, HT_ERR_USAGE, "two ports along one axis");
  bad.ports = 1, port[0].axis = 2;
  refuse(&bad, HT_ERR_USAGE, "axis 2");
  port[0].axis = 0, port[0].nodes = 1, port[0].node = &outside;
  refuse(&bad, HT_ERR_USAGE, "node 660 is not a fluid node");
  port[0].node = &middle;
  refuse(&bad, HT_ERR_USAGE, "fluid outside of its node (5, 5)");
  memset(box.mask, 0, 33 * 20);
  refuse(&good, HT_ERR_USAGE, "no fluid");
  plane_box_free(&box);
}

/* A box two nodes wide has corners with no free node inside. */
static void test_narrow_corner(void **unused) {
  (void)unused;
  plane_box box = plane_box_make(2, 9);
  ht_plane_port port[2] = {plane_box_port(&box, 0, HT_PORT_VELOCITY),
                           plane_box_port(&box, 2, HT_PORT_VELOCITY)};
  ht_plane_setup setup = plane_box_setup(&box, 0.8);
  setup.ports = 2;
  setup.port = port;
  ht_plane *plane;
  assert_int_equal(ht_plane_create(&setup, &plane), HT_OK);
  ht_plane_free(plane);
  port[1] = plane_box_port(&box, 1, HT_PORT_PRESSURE);
  ht_plane_port third[3] = {port[0], port[1], plane_box_port(&box, 2, HT_PORT_VELOCITY)};
  setup.ports = 3;
  setup.port = third;
  refuse(&setup, HT_ERR_USAGE, "at least three nodes");
  plane_box_free(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads_and_places),
      cmocka_unit_test(test_mass),
      cmocka_unit_test(test_stored_tiles),
      cmocka_unit_test(test_one_voxel),
      cmocka_unit_test(test_couette),
      cmocka_unit_test(test_poiseuille),
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_taylor_green),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_narrow_corner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
