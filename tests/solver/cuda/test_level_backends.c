/* Levels on the GPU against the CPU: the same flow, for each collision and precision. Skipped (77)
 * where there is no GPU. */
#include "tests/check.h"
#include "core/status.h"
#include "tests/solver/common/chosen_device.h"
#include "tests/solver/common/level_box.h"
#include <stdlib.h>
#include <string.h>

/* Fine from `begin` to `end` along axis 0, coarse voxels, and finer within that; across it in the
 * middle alone (is_box). Inside a pipe of `radius`; 0: everywhere. */
typedef struct {
  ht_level_box_shape shape;
  int begin, end, finer, until, is_box;
  double radius;
} vessel;

static int is_within(double x, int from, int to) {
  return x > from - 0.5 && x < to - 0.5;
}

static int level_at(const double at[3], const void *data) {
  const vessel *v = data;
  const int across = v->shape.dim[1];
  if (!is_within(at[0], v->begin, v->end)) return 0;
  if (v->is_box && !is_within(at[1], across / 4, 3 * across / 4)) return 0;
  return 1 + is_within(at[0], v->finer, v->until);
}

static double pipe_wall(const double at[3], const void *data) {
  const vessel *v = data;
  return v->radius -
         hypot(at[1] - v->shape.dim[1] / 2.0 + 0.4, at[2] - v->shape.dim[2] / 2.0 + 0.3);
}

/* At rest at the wall of the pipe. */
static void flow_at(const double at[3], const void *data, ht_voxel_flow *to) {
  const vessel *v = data;
  const double inside = v->radius > 0 ? pipe_wall(at, v) / v->radius : 1;
  const double x = 2 * HT_PI * at[0] / v->shape.dim[0], y = 2 * HT_PI * at[1] / v->shape.dim[1];
  const double z = 2 * HT_PI * at[2] / v->shape.dim[2];
  to->velocity[0] = 0.03 + 0.02 * sin(y) * cos(z);
  to->velocity[1] = 0.01 * cos(x + z);
  to->velocity[2] = 0.015 * sin(x - y);
  for (int a = 0; a < 3; a++) to->velocity[a] *= inside * (2 - inside);
  to->density = 0.002 * cos(x);
}

static vessel make_vessel(int nx, int across, int levels) {
  vessel made = {.shape = {.dim = {nx, across, across}, .levels = levels, .level = level_at},
                 .begin = 8,
                 .end = nx - 8,
                 .finer = 12,
                 .until = levels > 2 ? nx - 12 : 0};
  return made;
}

static ht_lattice_setup lattice_of(const vessel *v, int model, double tau) {
  ht_lattice_setup setup = {.tau = tau, .periodic = {1, 1, 1}};
  if (v->radius > 0) {
    setup.periodic[1] = setup.periodic[2] = 0;
    setup.acceleration_lu[0] = 1e-5;
  }
  ht_set_model(&setup, model);
  return setup;
}

/* 66 coarse steps, over a balance of mass, and what was read then; bytes: of all levels. The pieces
 * need graphs of 16, 8, 4, 2 and 1. */
static ht_level_sample *step(const vessel *v, const ht_lattice_setup *lattice, int64_t *nodes,
                             int64_t *bytes) {
  ht_level_box box;
  ht_level_box_make(&v->shape, lattice, &box);
  ht_level_box_write(&box, flow_at, v);
  assert_int_equal(ht_levels_step(box.levels, 31), HT_OK);
  ht_level_sample *sample = ht_level_box_read(&box, nodes);
  free(sample); /* reading half way changes nothing */
  assert_int_equal(ht_levels_step(box.levels, 35), HT_OK);
  sample = ht_level_box_read(&box, nodes);
  *bytes = 0;
  for (int l = 0; l < v->shape.levels; l++) {
    ht_lattice_cost cost;
    ht_lattice_measure_cost(ht_levels_lattice(box.levels, l), &cost);
    *bytes += cost.bytes;
  }
  ht_level_box_free(&box);
  return sample;
}

static double difference(const ht_level_sample *one, const ht_level_sample *other, int64_t nodes) {
  double error = 0, size = 0;
  for (int64_t i = 0; i < nodes; i++) {
    const double *a = &one[i].density, *b = &other[i].density; /* density, velocity, stress */
    for (int k = 0; k < 10; k++) error += (a[k] - b[k]) * (a[k] - b[k]), size += a[k] * a[k];
  }
  assert_true(size > 0);
  return sqrt(error / size);
}

/* fp64 to 1e-12 relative; fp32 to 1e-5, as without levels. Returns the bytes of the GPU. */
static int64_t compare(vessel *v, ht_lattice_setup *lattice, const char *what) {
  static const double most[] = {[HT_FP32] = 1e-5, [HT_FP64] = 1e-12};
  int64_t bytes[2];
  v->shape.data = v;
  if (v->radius > 0) v->shape.interpolated = 1, v->shape.wall = pipe_wall;
  for (int p = HT_FP32; p <= HT_FP64; p++) {
    ht_level_sample *sample[2];
    int64_t nodes[2];
    lattice->precision = (ht_precision)p;
    for (int d = 0; d < 2; d++) {
      lattice->device = d ? HT_DEVICE_CUDA : HT_DEVICE_CPU;
      sample[d] = step(v, lattice, &nodes[d], &bytes[d]);
    }
    assert_int_equal(nodes[0], nodes[1]);
    const double found = difference(sample[0], sample[1], nodes[0]);
    print_message("%s, %s: relative difference %.2e\n", what, ht_precision_words[p], found);
    assert_true(found <= most[p]);
    for (int d = 0; d < 2; d++) free(sample[d]);
  }
  return bytes[1];
}

HT_TEST(test_slab) {
  vessel slab = make_vessel(32, 8, 2);
  for (int model = 0; model < HT_MODELS; model++) {
    ht_lattice_setup lattice = lattice_of(&slab, model, 0.55);
    compare(&slab, &lattice, ht_model_name(model));
  }
}

HT_TEST(test_three_levels) {
  vessel nested = make_vessel(40, 4, 3);
  ht_lattice_setup lattice = lattice_of(&nested, HT_MODEL_CUMULANT, 0.502);
  lattice.corrects_diagonals = 1;
  compare(&nested, &lattice, "three levels, diagonals corrected");
}

/* A box in a pipe with a force and walls between the nodes, that begins and ends between tiles: the
 * nodes of the other level do not share the mass of these walls. Then the same with one copy of the
 * values, in several portions. */
HT_TEST(test_walls) {
  static const int model[] = {HT_MODEL(HT_LBGK, HT_QUASI_COMPRESSIBLE), HT_MODEL_CUMULANT};
  vessel pipe = make_vessel(32, 16, 2);
  pipe.radius = 5.4;
  pipe.begin = 9, pipe.end = 22;
  for (pipe.is_box = 0; pipe.is_box < 2; pipe.is_box++)
    for (int i = 0; i < 2; i++) {
      ht_lattice_setup lattice = lattice_of(&pipe, model[i], 0.55);
      const int64_t two_copies = compare(&pipe, &lattice, pipe.is_box ? "box" : "pipe");
      lattice.compact = 1;
      assert_true(compare(&pipe, &lattice, "compact") < two_copies);
    }
}

/* ---- ports ---- */

enum { ACROSS = 16, LONG = 32, SPONGE = 3 };

typedef struct {
  int64_t voxel[2][ACROSS * ACROSS], sponge[SPONGE * ACROSS * ACROSS];
  double speed[ACROSS * ACROSS];
  float viscosity[SPONGE * ACROSS * ACROSS];
  ht_lattice_port port[2];
} pipe_ends;

/* The velocity at one end, the density at the other. */
static void drive_at(void *user, int64_t step, double *coefficient) {
  (void)user;
  coefficient[0] = 0.5 + 0.4 * sin(0.2 * (double)step);
  coefficient[1] = 0.001 * cos(0.13 * (double)step);
}

/* Sets ports at both ends, and a sponge before the second. */
static void set_ends(const vessel *v, pipe_ends *ends, ht_lattice_setup *lattice) {
  int64_t nodes = 0;
  *ends = (pipe_ends){.port = {{.kind = HT_PORT_VELOCITY, .inward = 1, .direction = {1, 0, 0}},
                               {.kind = HT_PORT_PRESSURE, .inward = -1, .direction = {-1, 0, 0}}}};
  lattice->sponge_nodes = 0;
  for (int64_t row = 0; row < ACROSS * ACROSS; row++) {
    const double at[3] = {0, (double)(row % ACROSS), (double)(row / ACROSS)};
    const double inside = pipe_wall(at, v) / v->radius;
    if (!(inside > 0)) continue;
    ends->voxel[0][nodes] = LONG * row;
    ends->voxel[1][nodes] = LONG * row + LONG - 1;
    ends->speed[nodes++] = 0.05 * inside * (2 - inside);
    for (int k = 0; k < SPONGE; k++) {
      ends->viscosity[lattice->sponge_nodes] = 0.02F;
      ends->sponge[lattice->sponge_nodes++] = LONG * row + LONG - SPONGE + k;
    }
  }
  for (int p = 0; p < 2; p++) {
    ends->port[p].modes = 1;
    ends->port[p].density_lu = 1;
    ends->port[p].nodes = nodes;
    ends->port[p].voxel = ends->voxel[p];
    ends->port[p].speed_lu = ends->speed;
  }
  lattice->ports = 2, lattice->port = ends->port, lattice->drive = drive_at;
  lattice->sponge_voxel = ends->sponge, lattice->sponge_lu = ends->viscosity;
}

/* Driven ports, whose coefficients are sent for all steps of a graph, a sponge, and corrected
 * diagonals; with two copies of the values and one. */
HT_TEST(test_ports) {
  vessel pipe = make_vessel(LONG, ACROSS, 2);
  pipe_ends ends;
  pipe.radius = 5.4;
  ht_lattice_setup lattice = lattice_of(&pipe, HT_MODEL_CUMULANT, 0.55);
  memset(lattice.periodic, 0, sizeof lattice.periodic);
  memset(lattice.acceleration_lu, 0, sizeof lattice.acceleration_lu);
  lattice.corrects_diagonals = 1;
  set_ends(&pipe, &ends, &lattice);
  const int64_t two_copies = compare(&pipe, &lattice, "ports");
  lattice.compact = 1;
  assert_true(compare(&pipe, &lattice, "ports, compact") < two_copies);
}

/* The one driven port of each level, in steps of that level. */
static void drive_port(void *user, int64_t step, double *coefficient) {
  (void)user;
  coefficient[0] = 1 + 0.5 * sin(0.1 * (double)step);
}

/* Lists the voxels of a level at its first or last plane along axis 0. */
static int64_t list_plane(const vessel *v, int level, int is_last, int64_t *voxel) {
  const int nx = v->shape.dim[0] << level, across = v->shape.dim[1] << level;
  int64_t count = 0;
  for (int64_t i = 0; i < (int64_t)across * across; i++) {
    const double at[3] = {0, ((double)(i % across) + 0.5) / (1 << level) - 0.5,
                          ((double)(i / across) + 0.5) / (1 << level) - 0.5};
    if (pipe_wall(at, v) > 0) voxel[count++] = (is_last ? nx - 1 : 0) + nx * i;
  }
  return count;
}

/* A driven inlet on the coarse level, a driven outlet on the fine one. */
HT_TEST(test_ports_on_two_levels) {
  enum { NODES = 28, WIDTH = 12, PLANE = 4 * WIDTH * WIDTH };
  static int64_t voxel[2][PLANE];
  static double speed[PLANE];
  vessel pipe = make_vessel(NODES, WIDTH, 2);
  pipe.radius = 4.4;
  pipe.begin = 12, pipe.end = NODES + 1;
  ht_lattice_port port[2] = {
      {.kind = HT_PORT_VELOCITY, .inward = 1, .direction = {1, 0, 0}, .modes = 1},
      {.kind = HT_PORT_PRESSURE, .inward = -1, .direction = {-1, 0, 0}, .modes = 1, .level = 1}};
  for (int p = 0; p < 2; p++) {
    port[p].voxel = voxel[p];
    port[p].nodes = list_plane(&pipe, p, p, voxel[p]);
  }
  for (int64_t i = 0; i < port[0].nodes; i++) speed[i] = 0.02;
  port[0].speed_lu = speed;
  port[1].density_lu = 0.002;
  ht_lattice_setup lattice = {.tau = 0.55, .ports = 2, .port = port, .drive = drive_port};
  ht_set_model(&lattice, HT_MODEL_CUMULANT);
  compare(&pipe, &lattice, "ports on two levels");
  lattice.compact = 1;
  compare(&pipe, &lattice, "the same, compact");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slab),
                                     cmocka_unit_test(test_three_levels),
                                     cmocka_unit_test(test_walls), cmocka_unit_test(test_ports),
                                     cmocka_unit_test(test_ports_on_two_levels)};
  ht_need_gpu();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
