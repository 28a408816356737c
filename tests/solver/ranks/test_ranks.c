/* Several ranks against one, in one program: rank 0 computes each flow alone and with the others.
 * On the CPU, and with "gpu" as first argument on GPUs, where all ranks may have the same one. The
 * second argument: host, peer or nccl, how GPUs exchange; the third: one of the tests. Started
 * alone, the program starts itself by mpirun. */
#define _GNU_SOURCE
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "phantom/geometry.h"
#include "tests/solver/common/pipe_domain.h"
#include "tests/solver/common/ported_vessel.h"
#include "tests/solver/common/memory_stream.h"
#include "solver/ranks/rank_serve.h"
#include "core/mpi/ranks.h"
#include "core/numbers/units.h"
#include "tests/solver/common/voxel_fields.h"
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ht_device device;

/* ---- what is compared ---- */

enum { STEPS = 45, LATER = 21, MARKED = 40, VALUES = 10 };

typedef struct {
  double *fields; /* density, velocity, stress of every node */
  double *marked; /* the same of some */
  double *kept;   /* of all again, kept a step before the last */
  double flow[HT_OPENINGS_MAX], speed, change;
} seen;

static void *room(int64_t count) {
  void *made = calloc((size_t)count + 1, sizeof(double));
  assert_non_null(made);
  return made;
}

static ht_lattice_fields fields_in(double *all, int64_t n) {
  return (ht_lattice_fields){.density = all, .velocity = all + n, .stress = all + 4 * n};
}

static void read_marked(ht_lattice *lattice, const ht_tiling *tiling, seen *to) {
  int64_t node[MARKED], count = 0;
  for (int64_t i = 0; i < MARKED; i++) {
    int64_t tile = i * (tiling->tiles - 1) / MARKED;
    node[count++] = 64 * tile + __builtin_ctzll(tiling->inside[tile]);
    if (count > 1 && node[count - 1] == node[count - 2]) count--;
  }
  to->marked = room(VALUES * MARKED);
  ht_lattice_fields fields = fields_in(to->marked, count);
  assert_int_equal(ht_lattice_mark(lattice, count, node), HT_OK);
  assert_int_equal(ht_lattice_read_marked(lattice, &fields), HT_OK);
}

/* A few tiles have the fields that they have among all; of parts that have none of them, too. */
static void read_few(ht_lattice *lattice, int64_t first, int64_t count,
                     const ht_lattice_fields *all) {
  double *few = room(VALUES * 64 * count);
  ht_lattice_fields fields = fields_in(few, 64 * count);
  assert_int_equal(ht_lattice_read(lattice, first, count, &fields), HT_OK);
  const size_t bytes = (size_t)(64 * count) * sizeof *few;
  assert_memory_equal(fields.density, all->density + 64 * first, bytes);
  assert_memory_equal(fields.velocity, all->velocity + 3 * 64 * first, 3 * bytes);
  assert_memory_equal(fields.stress, all->stress + 6 * 64 * first, 6 * bytes);
  free(few);
}

static void take_kept(void *user, int64_t tile, const ht_lattice_fields *fields) {
  double *to = (double *)user + VALUES * 64 * tile;
  memcpy(to, fields->density, 64 * sizeof *to);
  memcpy(to + 64, fields->velocity, 3 * 64 * sizeof *to);
  memcpy(to + 4 * 64, fields->stress, 6 * 64 * sizeof *to);
}

/* A state that is kept does not change with the next steps; of two that are kept the later counts.
 */
static void read_kept(ht_lattice *lattice, const ht_tiling *tiling, seen *to) {
  to->kept = room(VALUES * 64 * tiling->tiles);
  assert_int_equal(ht_lattice_keep(lattice, 0), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, 1), HT_OK);
  assert_int_equal(ht_lattice_keep(lattice, 1), HT_OK);
  if (ht_lattice_keeps_beside(lattice)) assert_int_equal(ht_lattice_step(lattice, 1), HT_OK);
  assert_int_equal(ht_lattice_visit(lattice, take_kept, to->kept), HT_OK);
}

static void look(ht_lattice *lattice, const ht_lattice_setup *setup, seen *to) {
  const int64_t nodes = 64 * setup->tiling->tiles;
  ht_lattice_monitor monitor;
  to->fields = room(VALUES * nodes);
  ht_lattice_fields fields = fields_in(to->fields, nodes);
  assert_int_equal(ht_lattice_watch(lattice, &monitor), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, 1), HT_OK);
  assert_int_equal(ht_lattice_watch(lattice, &monitor), HT_OK);
  to->speed = monitor.max_speed;
  to->change = monitor.change;
  memset(to->flow, 0, sizeof to->flow);
  assert_int_equal(ht_lattice_port_flow(lattice, to->flow), HT_OK);
  read_marked(lattice, setup->tiling, to);
  assert_int_equal(ht_lattice_read(lattice, 0, setup->tiling->tiles, &fields), HT_OK);
  read_few(lattice, setup->tiling->tiles - 1, 1, &fields);
  read_few(lattice, setup->tiling->tiles / 3, setup->tiling->tiles / 2, &fields);
  read_kept(lattice, setup->tiling, to);
}

static void forget(seen *of) {
  free(of->fields);
  free(of->marked);
  free(of->kept);
}

/* ---- a checkpoint ---- */

static ht_lattice *make(ht_lattice_setup *setup, int alone) {
  ht_lattice *made;
  setup->alone = alone;
  setup->device = device;
  ht_status status = ht_lattice_create(setup, &made);
  if (status != HT_OK) print_error("%s\n", ht_error_message());
  assert_int_equal(status, HT_OK);
  return made;
}

/* Another lattice takes the state, and this one ends. */
static ht_lattice *hand_over(ht_lattice *lattice, ht_lattice_setup *setup, int alone) {
  ht_memory kept = {0};
  ht_state save = ht_memory_stream(&kept, 0), load = ht_memory_stream(&kept, 1);
  assert_int_equal(ht_lattice_transfer(lattice, &save), HT_OK);
  ht_lattice_free(lattice);
  lattice = make(setup, alone);
  assert_int_equal(ht_lattice_transfer(lattice, &load), HT_OK);
  ht_memory_free(&kept);
  return lattice;
}

/* ---- the comparison ---- */

/* Checks that no reason is given where GPUs do not exchange by the host, and on a CPU. */
static void check_by_host(const ht_lattice *lattice, int alone) {
  const char *asked = getenv("HEMOTILE_EXCHANGE");
  const int host = !alone && device == HT_DEVICE_CUDA && asked && strcmp(asked, "host") == 0;
  if (alone || device == HT_DEVICE_CPU || asked)
    assert_string_equal(ht_lattice_by_host(lattice), host ? "HEMOTILE_EXCHANGE=host" : "");
}

/* Steps, a checkpoint, the inflow changed, steps; the flow is read and written back, steps. */
static void run(ht_lattice_setup *setup, int alone, seen *to) {
  const int64_t nodes = 64 * setup->tiling->tiles;
  double *all = room(VALUES * nodes);
  ht_lattice_fields fields = fields_in(all, nodes);
  ht_lattice *lattice = make(setup, alone);
  if (!alone) print_message("%s\n", ht_lattice_device(lattice));
  check_by_host(lattice, alone);
  assert_int_equal(ht_lattice_step(lattice, STEPS), HT_OK);
  lattice = hand_over(lattice, setup, alone);
  if (setup->ports) assert_int_equal(ht_lattice_scale_inflow(lattice, 0, 1.02), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, LATER), HT_OK);
  assert_int_equal(ht_lattice_read(lattice, 0, setup->tiling->tiles, &fields), HT_OK);
  assert_int_equal(ht_lattice_write(lattice, &fields), HT_OK);
  assert_int_equal(ht_lattice_step(lattice, LATER), HT_OK);
  look(lattice, setup, to);
  ht_lattice_free(lattice);
  free(all);
}

/* The largest, in lattice units, where the density is 1. */
static double apart(const double *a, const double *b, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static double epsilon_of(ht_precision precision) {
  return precision == HT_FP64 ? DBL_EPSILON : precision == HT_FP32 ? (double)FLT_EPSILON : 5e-4;
}

/* Bit for bit, but on GPUs with walls between the nodes: a GPU adds up the mass of a tile's links
 * by groups of nodes that lie together in memory, and these are others in a part; each sum is
 * rounded to 2^-52 of a node's mass. */
static void check(ht_lattice_setup *setup, const char *what) {
  const int64_t count = VALUES * 64 * setup->tiling->tiles;
  const int exact = device == HT_DEVICE_CPU || !setup->wall_distance;
  const double most = exact ? 0 : 10 * epsilon_of(setup->precision);
  seen one, all;
  run(setup, 1, &one);
  run(setup, 0, &all);
  double fields = apart(one.fields, all.fields, count);
  double marked = apart(one.marked, all.marked, VALUES * MARKED);
  double kept = apart(one.kept, all.kept, count);
  print_message(
      "%s, %s: %.1e, marked nodes %.1e, kept %.1e%s\n", what, ht_precision_words[setup->precision],
      fields, marked, kept,
      memcmp(one.fields, all.fields, (size_t)count * sizeof(double)) == 0 ? ", the same bits" : "");
  assert_true(fields <= most);
  assert_true(marked <= most);
  assert_true(kept <= most);
  assert_near(one.speed, all.speed, most);
  assert_near(one.change, all.change, 1e-9 + 1e3 * most);
  for (int p = 0; p < setup->ports; p++)
    assert_near(one.flow[p], all.flow[p], 100 * most); /* nodes of a port */
  forget(&one);
  forget(&all);
}

static void check_precisions(ht_lattice_setup *setup, int fp16, const char *what) {
  static const ht_precision precision[] = {HT_FP32, HT_FP64, HT_FP16};
  for (int i = 0; i < 2 + fp16; i++) {
    setup->precision = precision[i];
    check(setup, what);
  }
  setup->precision = HT_FP32;
}

/* ---- flows ---- */

static void make_tubes(ht_mask *mask, ht_tiling *tiling) {
  assert_int_equal(ht_geometry_tubes((int[3]){45, 37, 41}, (double[2]){4, 7}, 0.2, 3, mask), HT_OK);
  assert_int_equal(ht_tiling_build(mask, NULL, tiling), HT_OK);
}

static void closed_vessels(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  make_tubes(&mask, &tiling);
  ht_lattice_setup setup = {.tiling = &tiling, .tau = 0.6, .noise_lu = 0.02};
  check_precisions(&setup, 1, "closed vessels");
  setup.collision = HT_MRT;
  check(&setup, "closed vessels, MRT");
  setup.collision = HT_LBGK;
  setup.law = (ht_viscosity_law){.model = HT_NEWTONIAN, .eddies = 0.1};
  check(&setup, "closed vessels, eddies");
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void cumulants(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  make_tubes(&mask, &tiling);
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = 0.51,
                            .noise_lu = 0.02,
                            .collision = HT_CUMULANT,
                            .compressibility = HT_QUASI_COMPRESSIBLE};
  check(&setup, "cumulants");
  setup.corrects_diagonals = 1;
  check_precisions(&setup, 0, "cumulants, diagonals corrected");
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void interpolated_walls(void **unused) {
  (void)unused;
  ht_mask mask;
  ht_tiling tiling;
  float *distance;
  make_tubes(&mask, &tiling);
  assert_int_equal(ht_geometry_rough_walls(&mask, &distance), HT_OK);
  ht_lattice_setup setup = {
      .tiling = &tiling, .tau = 0.6, .noise_lu = 0.02, .wall_distance = distance};
  /* fp16 on the CPU alone, bit for bit. On GPUs the mass of a tile differs in its last bit, which
   * moves a value of 16 bits to its neighbour: the flows are then apart by roundings to fp16, of
   * which ten, as check() allows, are a quarter of the velocity here. docs/notes/speed/ranks.md has
   * how far they are apart. */
  check_precisions(&setup, device == HT_DEVICE_CPU, "walls between the nodes");
  setup.collision = HT_CUMULANT;
  setup.compressibility = HT_QUASI_COMPRESSIBLE;
  setup.corrects_diagonals = 1;
  check(&setup, "walls between the nodes, cumulants");
  free(distance);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
}

static void ports_and_a_sliding_wall(void **unused) {
  (void)unused;
  ht_ported_vessel vessel;
  ht_tiling tiling;
  ht_lattice_setup setup = ht_ported_vessel_setup(&vessel, &tiling);
  setup.ramp_steps = 20;
  check_precisions(&setup, 1, "ports and a sliding wall");
  ht_tiling_free(&tiling);
  ht_ported_vessel_free(&vessel);
}

/* ---- a pulse ---- */

enum { PULSE_MODES = 3, PULSE_NODES = 256 };

static void drive_pulse(void *unused, int64_t step, double *coefficient) {
  double t = 2 * HT_PI * (double)step / 80, rise = fmin(1, (double)step / 20);
  (void)unused;
  coefficient[0] = 0.5 * rise;
  coefficient[1] = rise * cos(t);
  coefficient[2] = 0.3 * rise * sin(3 * t);
  coefficient[3] = rise * sin(t);
}

/* Driven ports, a sponge in the last third of the pipe, walls between the nodes or half-way. */
static void pulse_through_a_sponge(void **unused) {
  (void)unused;
  static double speed[PULSE_MODES * PULSE_NODES];
  static int64_t voxel[8 * PULSE_NODES];
  static float added[8 * PULSE_NODES];
  ht_domain domain;
  ht_tiling tiling;
  ht_lattice_port port[2];
  ht_driven_pipe(PULSE_MODES, speed, &domain, &tiling, port);
  assert_true(port[0].nodes <= PULSE_NODES);
  for (int i = 0; i < PULSE_MODES * PULSE_NODES; i++) speed[i] = 0.02 + 0.01 * cos((double)i);
  ht_lattice_setup setup = {.tiling = &tiling,
                            .tau = 0.51,
                            .collision = HT_CUMULANT,
                            .compressibility = HT_QUASI_COMPRESSIBLE,
                            .ports = 2,
                            .port = port,
                            .drive = drive_pulse,
                            .sponge_nodes = ht_pipe_sponge(&domain.mask, voxel, added),
                            .sponge_voxel = voxel,
                            .sponge_lu = added};
  assert_true(setup.sponge_nodes <= 8 * PULSE_NODES);
  check_precisions(&setup, 0, "pulse through a sponge");
  float *distance;
  assert_int_equal(ht_geometry_rough_walls(&domain.mask, &distance), HT_OK);
  setup.wall_distance = distance;
  check(&setup, "pulse through a sponge, walls between the nodes");
  free(distance);
  ht_tiling_free(&tiling);
  ht_domain_free(&domain);
}

/* ---- the program ---- */

/* Starts the ranks: this process becomes mpirun. */
static int start_ranks(char **argv) {
  char self[4096];
  char *ranks = getenv("HEMOTILE_TEST_RANKS"); /* NCCL wants a GPU for each */
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return 1;
  self[length] = 0;
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  char *command[16] = {"mpirun", "--oversubscribe",   "--bind-to", "none",
                       "-n",     ranks ? ranks : "3", self};
  for (int i = 1; argv[i] && i < 8; i++) command[6 + i] = argv[i];
  execvp(command[0], command);
  print_message("skipped: there is no mpirun\n");
  return 77;
}

static int no_signal(void) {
  return 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_vessels),         cmocka_unit_test(cumulants),
      cmocka_unit_test(interpolated_walls),     cmocka_unit_test(ports_and_a_sliding_wall),
      cmocka_unit_test(pulse_through_a_sponge),
  };
  if (!ht_ranks_built()) return 77;
  if (ht_ranks_begin() != HT_OK) return 1;
  if (argc > 2) setenv("HEMOTILE_EXCHANGE", argv[2], 1);
  setenv("HEMOTILE_SHARED_GPU", "1", 1);
  if (argc > 3) cmocka_set_test_filter(argv[3]);
  int failed = 0;
  if (ht_rank() == 0) device = ht_chosen_device(argc, argv);
  if (ht_ranks() == 1) return start_ranks(argv);
  if (ht_rank() == 0) {
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    ht_rank_dismiss();
  } else {
    ht_rank_serve(no_signal);
  }
  ht_ranks_end();
  return failed;
}
