/* Flows through the interface of two levels against the same on the coarse level alone, and against
 * theory: decaying vortices that drift (order 2), sound, a vortex that crosses, a pipe with walls
 * across the interface, driven by a force and between ports. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/level_box.h"
#include <complex.h>
#include <stdlib.h>
#include <string.h>

static ht_device device;

/* Where the fine level is. */
typedef enum { NOWHERE, SLAB, BOX, NESTED } region;

typedef struct {
  int n;
  region where;
  double k, speed, drift[2], viscosity, time; /* vortices */
  double radius, middle[2];                   /* a vortex, a pipe; the width of a pulse */
  double gradient;
} flow;

static ht_lattice_setup lattice_of(int model, ht_precision precision, double tau) {
  ht_lattice_setup setup = {
      .tau = tau, .precision = precision, .device = device, .threads = 1, .periodic = {1, 1, 1}};
  ht_set_model(&setup, model);
  return setup;
}

static int is_within(double x, double from, double to) {
  return x > from - 0.5 && x < to - 0.5;
}

static int level_at(const double at[3], const void *data) {
  const flow *f = data;
  const double n = f->n;
  const int in_slab = is_within(at[0], n / 4, 3 * n / 4);
  const int in_box = in_slab && is_within(at[1], n / 4, 3 * n / 4);
  if (f->where == NESTED && in_slab) return 1 + is_within(at[0], 3 * n / 8, 5 * n / 8);
  return f->where == SLAB ? in_slab : f->where == BOX ? in_box : 0;
}

static void make(const int dim[3], const flow *f, const ht_lattice_setup *lattice,
                 ht_level_box *box) {
  ht_level_box_shape shape = {.levels = f->where == NOWHERE  ? 1
                                        : f->where == NESTED ? 3
                                                             : 2,
                              .level = level_at,
                              .data = f};
  memcpy(shape.dim, dim, sizeof shape.dim);
  ht_level_box_make(&shape, lattice, box);
}

/* ---- vortices ---- */

/* Taylor and Green's vortices, in a stream. */
static void vortices_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const flow *f = data;
  const double x = f->k * (at[0] - f->drift[0] * f->time);
  const double y = f->k * (at[1] - f->drift[1] * f->time);
  const double speed = f->speed * exp(-2 * f->viscosity * f->k * f->k * f->time);
  const double strain = 2 * f->viscosity * f->k * speed * sin(x) * sin(y);
  to->velocity[0] = -speed * cos(x) * sin(y) + f->drift[0];
  to->velocity[1] = speed * sin(x) * cos(y) + f->drift[1];
  to->density = -0.75 * speed * speed * (cos(2 * x) + cos(2 * y));
  to->stress[0] = strain, to->stress[1] = -strain;
}

/* Diffusive scaling, as in test_taylor_green.c. lost: mass and momentum gained over the whole
 * flow's mass, without what is owed, and the momentum of its stream. */
static ht_level_error decay(int n, region where, const ht_lattice_setup *lattice, double lost[2]) {
  flow f = {.n = n, .where = where, .k = 2 * HT_PI / n, .speed = 0.02 * 16 / n};
  const int dim[3] = {n, n, 4};
  ht_level_error first, last;
  ht_level_box box;
  f.drift[0] = 2 * f.speed, f.drift[1] = 0.74 * f.speed;
  f.viscosity = (lattice->tau - 0.5) / 3;
  make(dim, &f, lattice, &box);
  ht_level_box_write(&box, vortices_at, &f);
  ht_level_box_compare(&box, vortices_at, &f, &first);
  f.time = n * n / 4;
  assert_int_equal(ht_levels_step(box.levels, (int64_t)f.time), HT_OK);
  ht_level_box_compare(&box, vortices_at, &f, &last);
  double owed;
  assert_int_equal(ht_levels_owed(box.levels, &owed), HT_OK);
  lost[0] = (last.mass - owed - first.mass) / (4 * n * n);
  lost[1] = (last.momentum[0] - first.momentum[0]) / (4 * n * n * f.drift[0]);
  ht_level_box_free(&box);
  return last;
}

static void check_vortices(int model, double tau, region last, double bar, double of_stress) {
  static const char *const name[] = {"coarse", "slab", "box", "three levels"};
  const ht_lattice_setup lattice = lattice_of(model, HT_FP64, tau);
  ht_level_error error[2][4];
  double lost[2];
  for (int where = NOWHERE; where <= (int)last; where++)
    for (int i = 0; i < 2; i++) {
      const ht_level_error e = error[i][where] = decay(16 << i, (region)where, &lattice, lost);
      print_message(
          "%s tau %g, %s, %d nodes: velocity %.3e stress %.3e, mass %+.1e momentum %+.1e\n",
          ht_model_name(model), tau, name[where], 16 << i, e.velocity, e.stress, lost[0], lost[1]);
      assert_near(lost[0], 0, 1e-16);
      assert_near(lost[1], 0, 5e-3);
    }
  for (int where = SLAB; where <= (int)last; where++) {
    assert_true(error[1][where].velocity <= bar * error[1][NOWHERE].velocity);
    assert_true(error[1][where].stress <= of_stress * error[1][NOWHERE].stress);
    assert_true(log2(error[0][where].velocity / error[1][where].velocity) > 1.7);
  }
}

HT_TEST(test_vortices) {
  check_vortices(HT_MODEL_CUMULANT, 0.53, BOX, 1.1, 1.1);
  check_vortices(HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), 0.6, SLAB, 1.1, 1.1);
  check_vortices(HT_MODEL(HT_MRT, HT_QUASI_COMPRESSIBLE), 0.55, SLAB, 1.1, 1.1);
}

HT_TEST(test_precision_and_levels) {
  double lost[2];
  const ht_lattice_setup in_double = lattice_of(HT_MODEL_CUMULANT, HT_FP64, 0.53);
  const ht_lattice_setup in_single = lattice_of(HT_MODEL_CUMULANT, HT_FP32, 0.53);
  const ht_level_error twice = decay(16, SLAB, &in_double, lost);
  const ht_level_error single = decay(16, SLAB, &in_single, lost);
  assert_near(single.velocity, twice.velocity, 0.01 * twice.velocity);
  assert_near(lost[0], 0, 1e-8);
  const ht_level_error nested = decay(32, NESTED, &in_single, lost);
  print_message("three levels: velocity %.3e stress %.3e, mass %+.1e\n", nested.velocity,
                nested.stress, lost[0]);
  assert_true(nested.velocity < 9e-4 && nested.stress < 7e-3); /* coarse: 8.9e-4, 7.8e-3 */
  assert_near(lost[0], 0, 1e-8);
}

/* ---- sound ---- */

static const double amplitude = 1e-4;

static void pulse_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const flow *f = data;
  const double x = (at[0] - f->middle[0]) / f->radius;
  to->density = amplitude * exp(-x * x / 2);
  to->velocity[0] = to->density / sqrt(3);
}

/* The largest wave that goes back, in what has not reached the interface. */
static double reflection(int model, double tau) {
  const int n = 128, dim[3] = {n, 4, 4};
  const ht_lattice_setup lattice = lattice_of(model, HT_FP64, tau);
  const flow f = {.n = n, .where = SLAB, .radius = 4, .middle = {16}};
  double most = 0;
  int64_t nodes;
  ht_level_box box;
  make(dim, &f, &lattice, &box);
  ht_level_box_write(&box, pulse_at, &f);
  assert_int_equal(ht_levels_step(box.levels, 70), HT_OK); /* it is at 56, the interface at 32 */
  ht_level_sample *sample = ht_level_box_read(&box, &nodes);
  for (int64_t i = 0; i < nodes; i++) {
    const double back = (sample[i].density - sqrt(3) * sample[i].velocity[0]) / 2;
    if (sample[i].at[0] < n / 4) most = fmax(most, fabs(back));
  }
  free(sample);
  ht_level_box_free(&box);
  return most / amplitude;
}

HT_TEST(test_sound) {
  for (int model = 0; model < HT_MODELS; model++) {
    const double back = reflection(model, 0.55);
    print_message("%s: %.2e of a pulse of sound comes back\n", ht_model_name(model), back);
    assert_true(back < 0.005);
  }
}

/* ---- a vortex crosses ---- */

static void vortex_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const flow *f = data;
  const double along = at[0] - f->middle[0] - f->drift[0] * f->time, y = at[1] - f->middle[1];
  const double x = along - f->n * rint(along / f->n);
  const double square = f->radius * f->radius + 4 * f->viscosity * f->time;
  const double turn = f->speed * pow(f->radius, 3) / (square * square);
  const double here = turn * exp(-(x * x + y * y) / square);
  to->velocity[0] = f->drift[0] - y * here;
  to->velocity[1] = x * here;
  to->density = -0.75 * turn * turn * square * exp(-2 * (x * x + y * y) / square);
  to->stress[0] = 4 * f->viscosity * x * y * here / square;
  to->stress[1] = -to->stress[0];
  to->stress[3] = 2 * f->viscosity * (y * y - x * x) * here / square;
}

/* The error, and the largest one over the vortex's speed, once it is half across. */
static double cross(region where, double *worst) {
  const int n = 48, dim[3] = {n, n / 2, 4};
  const ht_lattice_setup lattice = lattice_of(HT_MODEL_CUMULANT, HT_FP64, 0.51);
  flow f = {.n = n, .where = where, .speed = 0.03, .drift = {0.06}, .radius = 4};
  ht_level_error error;
  ht_level_box box;
  int64_t nodes;
  f.middle[0] = 2, f.middle[1] = n / 4 - 0.5;
  f.viscosity = (lattice.tau - 0.5) / 3;
  make(dim, &f, &lattice, &box);
  ht_level_box_write(&box, vortex_at, &f);
  f.time = 160; /* at 11.6; the interface is at 11.5 */
  assert_int_equal(ht_levels_step(box.levels, (int64_t)f.time), HT_OK);
  ht_level_box_compare(&box, vortex_at, &f, &error);
  ht_level_sample *sample = ht_level_box_read(&box, &nodes);
  *worst = 0;
  for (int64_t i = 0; i < nodes; i++) {
    ht_voxel_flow exact = {0};
    vortex_at(sample[i].at, &f, &exact);
    if (fabs(sample[i].at[0] - n / 4) < 8)
      *worst = fmax(*worst, hypot(sample[i].velocity[0] - exact.velocity[0],
                                  sample[i].velocity[1] - exact.velocity[1]));
  }
  *worst /= f.speed;
  free(sample);
  ht_level_box_free(&box);
  return error.velocity;
}

HT_TEST(test_vortex_leaves_no_stripe) {
  double worst[2];
  const double coarse = cross(NOWHERE, &worst[0]), both = cross(SLAB, &worst[1]);
  print_message("vortex: error %.3e (coarse %.3e), most %.3e (%.3e)\n", both, coarse, worst[1],
                worst[0]);
  assert_true(both < 1.1 * coarse && worst[1] < 1.1 * worst[0]);
}

/* ---- walls ---- */

static double pipe_wall(const double at[3], const void *data) {
  const flow *f = data;
  return f->radius - hypot(at[1] - f->middle[0], at[2] - f->middle[1]);
}

static void pipe_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const flow *f = data;
  const double r = f->radius - pipe_wall(at, data);
  to->velocity[0] = f->gradient / (4 * f->viscosity) * (f->radius * f->radius - r * r);
  to->stress[3] = -f->gradient * (at[1] - f->middle[0]) / 2;
  to->stress[4] = -f->gradient * (at[2] - f->middle[1]) / 2;
}

static ht_level_error pipe_flow(region where, int model, double tau) {
  flow f = {.n = 32, .where = where, .radius = 5.4, .middle = {7.63, 7.63}};
  ht_lattice_setup lattice = lattice_of(model, HT_FP64, tau);
  ht_level_box_shape shape = {.dim = {32, 16, 16},
                              .levels = where == NOWHERE ? 1 : 2,
                              .interpolated = 1,
                              .wall = pipe_wall,
                              .level = level_at,
                              .data = &f};
  ht_level_error error;
  ht_level_box box;
  lattice.periodic[1] = lattice.periodic[2] = 0;
  f.viscosity = (tau - 0.5) / 3;
  f.gradient = 4 * f.viscosity * 0.03 / (f.radius * f.radius);
  lattice.acceleration_lu[0] = f.gradient;
  ht_level_box_make(&shape, &lattice, &box);
  ht_level_box_write(&box, pipe_at, &f);
  assert_int_equal(ht_levels_step(box.levels, 320), HT_OK);
  ht_level_box_compare(&box, pipe_at, &f, &error);
  ht_level_box_free(&box);
  return error;
}

/* In a pipe of which half is fine the pressure's gradient gives the flow: the momentum that the two
 * interfaces add shows as a few tenths of a node of its length. */
HT_TEST(test_pipe) {
  static const int model[] = {HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), HT_MODEL_CUMULANT};
  static const double tau[] = {0.6, 0.53};
  for (int i = 0; i < 2; i++) {
    const ht_level_error coarse = pipe_flow(NOWHERE, model[i], tau[i]);
    const ht_level_error both = pipe_flow(SLAB, model[i], tau[i]);
    print_message("pipe, %s: velocity %.3e (coarse %.3e) stress %.3e (%.3e), mass %+.1e\n",
                  ht_model_name(model[i]), both.velocity, coarse.velocity, both.stress,
                  coarse.stress, both.mass);
    assert_true(both.velocity < 0.008 && both.stress < 1.2 * coarse.stress);
  }
}

/* ---- a pulse ---- */

/* Womersley's flow between plates half of a node outside of the box, n - 1 / 2 and -1 / 2: gradient
 * times cos(turn time). */
typedef struct {
  flow of;
  double turn;
} pulse;

static void pulse_flow_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const pulse *p = data;
  const double half = p->of.n / 2.0, y = at[1] + 0.5 - half;
  const double complex wave = csqrt(I * p->turn / p->of.viscosity);
  const double complex scale =
      p->of.gradient / (I * p->turn) * cexp(I * p->turn * p->of.time) / ccosh(wave * half);
  to->velocity[0] = creal(scale * (ccosh(wave * half) - ccosh(wave * y)));
  to->stress[3] = -p->of.viscosity * creal(scale * wave * csinh(wave * y));
}

/* Relative to the largest values of a quarter of a period, after one and a quarter of it. */
static ht_level_error pulsate(region where, int n, double alpha) {
  const double tau = 0.6;
  pulse p = {.of = {.n = n, .where = where, .viscosity = (tau - 0.5) / 3}};
  ht_lattice_setup lattice = lattice_of(HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), HT_FP64, tau);
  ht_level_box_shape shape = {
      .dim = {32, n, 4}, .levels = where == NOWHERE ? 1 : 2, .level = level_at, .data = &p.of};
  ht_level_error error;
  ht_level_box box;
  p.turn = alpha * alpha * p.of.viscosity / (n * n / 4);
  p.of.gradient = 0.02 * p.turn;
  p.of.n = 32; /* of the fine region */
  lattice.periodic[1] = 0;
  lattice.acceleration_lu[0] = p.of.gradient;
  ht_level_box_make(&shape, &lattice, &box);
  p.of.n = n;
  ht_level_box_write(&box, pulse_flow_at, &p);
  const int64_t steps = (int64_t)(2.5 * HT_PI / p.turn);
  for (; p.of.time < (double)steps; p.of.time++)
    for (int l = 0; l < shape.levels; l++) {
      /* In the middle of the level's steps within the coarse one's. */
      const double now = p.of.time + 0.5 - 0.5 / (1 << l), share = p.of.gradient / (1 << l);
      const double force[3] = {share * cos(p.turn * now), 0, 0};
      ht_lattice_accelerate(ht_levels_lattice(box.levels, l), force);
      if (l == shape.levels - 1) assert_int_equal(ht_levels_step(box.levels, 1), HT_OK);
    }
  ht_level_box_compare(&box, pulse_flow_at, &p, &error);
  ht_level_box_free(&box);
  return error;
}

HT_TEST(test_womersley) {
  static const int n[] = {16, 32};
  static const double alpha[] = {4, 12};
  for (int i = 0; i < 2; i++) {
    const ht_level_error coarse = pulsate(NOWHERE, n[i], alpha[i]);
    const ht_level_error both = pulsate(SLAB, n[i], alpha[i]);
    print_message("Womersley %g: velocity %.3e (coarse %.3e) stress %.3e (%.3e)\n", alpha[i],
                  both.velocity, coarse.velocity, both.stress, coarse.stress);
    assert_true(both.velocity < 1.1 * coarse.velocity && both.stress < 1.1 * coarse.stress);
  }
}

/* ---- ports ---- */

enum { ACROSS = 16, ALONG = 64 };

static void ported_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const flow *f = data;
  pipe_at(at, data, to);
  to->density = 3 * f->gradient * (ALONG - 1 - at[0]);
}

/* The nodes of the planes at both ends, and the velocity in the first. */
static int64_t find_ends(const flow *f, int64_t voxel[2][ACROSS * ACROSS],
                         double speed[ACROSS * ACROSS]) {
  int64_t count = 0;
  for (int64_t v = 0; v < ACROSS * ACROSS; v++) {
    const double at[3] = {0, (double)(v % ACROSS), (double)(v / ACROSS)};
    ht_voxel_flow here = {0};
    if (!(pipe_wall(at, f) > 0)) continue;
    pipe_at(at, f, &here);
    voxel[0][count] = ALONG * v;
    voxel[1][count] = ALONG * v + ALONG - 1;
    speed[count++] = here.velocity[0];
  }
  return count;
}

/* Steps a pipe between an inlet and an outlet of pressure 0. lost: of the flow, between them. */
static ht_level_error flow_between_ports(region where, double *lost) {
  static const double none[ACROSS * ACROSS] = {0};
  const double tau = 0.7;
  flow f = {.n = ALONG, .where = where, .radius = 6.4, .middle = {7.6, 7.8}};
  int64_t voxel[2][ACROSS * ACROSS];
  double speed[ACROSS * ACROSS], through[2];
  f.viscosity = (tau - 0.5) / 3;
  f.gradient = 4 * f.viscosity * 0.04 / (f.radius * f.radius);
  const int64_t nodes = find_ends(&f, voxel, speed);
  const ht_lattice_port port[2] = {{.kind = HT_PORT_VELOCITY,
                                    .inward = 1,
                                    .direction = {1, 0, 0},
                                    .nodes = nodes,
                                    .voxel = voxel[0],
                                    .speed_lu = speed},
                                   {.kind = HT_PORT_PRESSURE,
                                    .inward = -1,
                                    .direction = {-1, 0, 0},
                                    .nodes = nodes,
                                    .voxel = voxel[1],
                                    .speed_lu = none}};
  ht_lattice_setup lattice = lattice_of(HT_MODEL(HT_LBGK, HT_INCOMPRESSIBLE), HT_FP32, tau);
  ht_level_box_shape shape = {.dim = {ALONG, ACROSS, ACROSS},
                              .levels = where == NOWHERE ? 1 : 2,
                              .interpolated = 1,
                              .wall = pipe_wall,
                              .level = level_at,
                              .data = &f};
  ht_level_error error;
  ht_level_box box;
  memset(lattice.periodic, 0, sizeof lattice.periodic);
  lattice.ports = 2;
  lattice.port = port;
  ht_level_box_make(&shape, &lattice, &box);
  ht_level_box_write(&box, ported_at, &f);
  assert_int_equal(ht_levels_step(box.levels, 800), HT_OK);
  assert_int_equal(ht_lattice_port_flow(ht_levels_lattice(box.levels, 0), through), HT_OK);
  *lost = (through[0] + through[1]) / through[0];
  ht_level_box_compare(&box, ported_at, &f, &error);
  ht_level_box_free(&box);
  return error;
}

HT_TEST(test_pipe_between_ports) {
  double lost[2];
  const ht_level_error coarse = flow_between_ports(NOWHERE, &lost[0]);
  const ht_level_error both = flow_between_ports(SLAB, &lost[1]);
  print_message("pipe between ports: velocity %.3e (coarse %.3e) stress %.3e (%.3e) pressure %.3e "
                "(%.3e), lost %+.1e (%+.1e)\n",
                both.velocity, coarse.velocity, both.stress, coarse.stress, both.density,
                coarse.density, lost[1], lost[0]);
  assert_true(both.velocity < 1.1 * coarse.velocity && both.stress < 1.1 * coarse.stress);
  assert_true(both.density < 1.1 * coarse.density);
  assert_near(lost[1], 0, 2e-4);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vortices), cmocka_unit_test(test_precision_and_levels),
      cmocka_unit_test(test_sound),    cmocka_unit_test(test_vortex_leaves_no_stripe),
      cmocka_unit_test(test_pipe),     cmocka_unit_test(test_pipe_between_ports),
      cmocka_unit_test(test_womersley)};
  device = ht_chosen_device(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
