/* A layer of Stokes that oscillates between two plane walls: how far the interpolated walls are
 * from rest. With "long" the table of docs/notes/walls/walls-in-pulses.md. */
#include "tests/check.h"
#include "tests/solver/common/chosen_device.h"
#include "tiling/tiling.h"
#include "core/numbers/units.h"
#include "tests/solver/common/voxel_fields.h"
#include <complex.h>
#include <stdlib.h>

enum { SAMPLES = 40, MOST_SIDE = 32 };

/* The walls are planes across (1, 0, 0), (1, 1, 0) or (1, 1, 1), so that the nodes lie in layers;
 * the box is periodic everywhere, and an eighth of it is solid on either side. */
typedef struct {
  int axes, in_plane; /* of the normal; 1: the flow is not along z, but along (1, -1, 0) */
  int layers;         /* of fluid */
  double fraction;    /* of the way to the next layer at which the wall is */
  double thickness;   /* sqrt(2 viscosity / frequency) */
  int period;         /* steps */
  ht_collision collision;
} layer_case;

typedef struct {
  const layer_case *of;
  double flow[3], normal[3]; /* unit */
  double half, frequency, viscosity, force;
  double complex wave;           /* 1 / spacing */
  double complex sum[MOST_SIDE]; /* velocity of a layer's node, as exact() */
} layer;

static int box_side(const layer_case *of) {
  return of->layers * 4 / 3;
}

/* Distance from the middle between the walls; the planes of the layers are 1 / sqrt(axes) apart. */
static double place_of(const layer_case *of, const int voxel[3]) {
  int number = 0;
  for (int a = 0; a < of->axes; a++) number += voxel[a];
  return (number % box_side(of) - 0.5 * (box_side(of) - 1)) / sqrt(of->axes);
}

static layer make_layer(const layer_case *of) {
  layer made = {.of = of, .half = (0.5 * (of->layers - 1) + of->fraction) / sqrt(of->axes)};
  for (int a = 0; a < of->axes; a++) made.normal[a] = 1 / sqrt(of->axes);
  if (of->in_plane)
    made.flow[0] = sqrt(0.5), made.flow[1] = -sqrt(0.5);
  else
    made.flow[2] = 1;
  made.frequency = 2 * HT_PI / of->period;
  made.viscosity = made.frequency * of->thickness * of->thickness / 2;
  made.force = 1e-3 * made.frequency;
  made.wave = (1 + I) / of->thickness;
  return made;
}

/* The velocity between walls at rest, at time 0; it oscillates as cos(frequency time) does. */
static double complex exact(const layer *made, double place) {
  double complex wall = ccosh(made->wave * made->half);
  return made->force / (I * made->frequency) * (1 - ccosh(made->wave * place) / wall);
}

static void flow_at(const int voxel[3], const void *data, ht_voxel_flow *flow) {
  static const int first[] = {0, 1, 2, 0, 0, 1}, second[] = {0, 1, 2, 1, 2, 2};
  const layer *made = data;
  double place = place_of(made->of, voxel);
  if (fabs(place) >= made->half) return;
  double complex slope = -made->force / (I * made->frequency) * made->wave *
                         csinh(made->wave * place) / ccosh(made->wave * made->half);
  for (int a = 0; a < 3; a++) flow->velocity[a] = creal(exact(made, place)) * made->flow[a];
  for (int k = 0; k < 6; k++)
    flow->stress[k] = made->viscosity * creal(slope) *
                      (made->normal[first[k]] * made->flow[second[k]] +
                       made->normal[second[k]] * made->flow[first[k]]);
}

static void add_sample(layer *made, ht_lattice *lattice, const ht_tiling *tiling, int step) {
  double *state = ht_read_voxels(lattice, tiling);
  double complex weight = 2.0 / SAMPLES * cexp(-I * made->frequency * step);
  for (int x = 0; x < box_side(made->of); x++)
    for (int a = 0; a < 3; a++) made->sum[x] += weight * made->flow[a] * state[4 * x + 1 + a];
  free(state);
}

static void run_layer(layer *made, ht_lattice *lattice, const ht_tiling *tiling) {
  for (int step = 0; step < made->of->period; step++) {
    double acceleration[3];
    for (int a = 0; a < 3; a++)
      acceleration[a] = made->force * cos(made->frequency * (step + 0.5)) * made->flow[a];
    assert_int_equal(ht_lattice_accelerate(lattice, acceleration), HT_OK);
    assert_int_equal(ht_lattice_step(lattice, 1), HT_OK);
    if ((step + 1) % (made->of->period / SAMPLES) == 0) add_sample(made, lattice, tiling, step + 1);
  }
}

/* The excess of the velocity decays from the wall like the layer. Taken back to the wall, over the
 * second derivative of the velocity there: in spacings squared. A mean over three layers. */
static double complex slip_of(const layer *made) {
  double complex sum = 0;
  const int wall = box_side(made->of) / 8;
  for (int x = wall; x < wall + 3; x++) {
    double place = place_of(made->of, (int[3]){x, 0, 0});
    sum += (made->sum[x] - exact(made, place)) * cexp(made->wave * (made->half - fabs(place)));
  }
  return -sum / 3 * made->viscosity / made->force;
}

static double complex measure(const layer_case *of) {
  const ht_tiling_options at_corner = {.fixed_origin = 1};
  layer made = make_layer(of);
  const int side = box_side(of);
  const ht_grid grid = ht_grid_make(side, of->axes > 1 ? side : 4, of->axes > 2 ? side : 4);
  ht_mask mask;
  ht_tiling tiling;
  ht_lattice *lattice;
  ht_lattice_setup setup = {.tau = 0.5 + 3 * made.viscosity,
                            .precision = HT_FP64,
                            .collision = of->collision,
                            .compressibility = HT_QUASI_COMPRESSIBLE,
                            .threads = 1,
                            .periodic = {1, 1, 1}};
  float *distance = malloc((size_t)ht_grid_voxels(&grid) * sizeof *distance);
  assert_non_null(distance);
  assert_int_equal(ht_mask_alloc(&grid, &mask), HT_OK);
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    distance[v] = (float)(made.half - fabs(place_of(of, at)));
    mask.inside[v] = distance[v] > 0;
  }
  for (int a = 0; a < 3; a++) setup.acceleration_lu[a] = made.force * made.flow[a];
  assert_int_equal(ht_tiling_build(&mask, &at_corner, &tiling), HT_OK);
  setup.tiling = &tiling, setup.wall_distance = distance;
  assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
  ht_write_voxels(lattice, &tiling, flow_at, &made);
  run_layer(&made, lattice, &tiling);
  ht_lattice_free(lattice);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
  free(distance);
  return slip_of(&made);
}

/* The slip without that of wall_links.h is fraction^2 / 2 with LBGK, 0.125 in the middle of a link.
 * That of cumulants takes the flow to run along the links' own directions. */
static void test_slip(void **unused) {
  (void)unused;
  static const double most[] = {[HT_LBGK] = 0.03, [HT_MRT] = 0.03, [HT_CUMULANT] = 0.07};
  for (int c = HT_LBGK; c <= HT_CUMULANT; c++)
    for (int axes = 1; axes < 3; axes++) {
      double complex slip = measure(&(layer_case){axes, 0, 12, 0.5, 3, 2000, (ht_collision)c});
      print_message("%s, wall across %d axes: slip %.4f %+.4fi spacings^2 times u''\n",
                    ht_collision_words[c], axes, creal(slip), cimag(slip));
      assert_true(cabs(slip) < most[c]);
    }
}

static void print_row(ht_collision collision, int axes, int in_plane) {
  static const char *const normal[] = {"", "(1, 0, 0)", "(1, 1, 0)", "(1, 1, 1)"};
  static const double fraction[] = {0.2, 0.5, 0.8, 1};
  print_message("%-8s wall across %s, flow along %s:", ht_collision_words[collision], normal[axes],
                in_plane ? "(1, -1, 0)" : "(0, 0, 1)");
  for (int f = 0; f < 4; f++) {
    double complex slip =
        measure(&(layer_case){axes, in_plane, 24, fraction[f], 6, 16000, collision});
    print_message("  %.3f %+.3fi", creal(slip), cimag(slip));
  }
  print_message("\n");
}

/* The slip in spacings^2 times the velocity's second derivative, at four fractions of a link. */
static void test_table(void **unused) {
  (void)unused;
  for (int c = HT_LBGK; c <= HT_CUMULANT; c++) {
    print_row((ht_collision)c, 1, 0);
    print_row((ht_collision)c, 2, 0);
    print_row((ht_collision)c, 2, 1);
    print_row((ht_collision)c, 3, 1);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest quick[] = {cmocka_unit_test(test_slip)};
  const struct CMUnitTest all[] = {cmocka_unit_test(test_slip), cmocka_unit_test(test_table)};
  if (ht_has_argument(argc, argv, "long")) return cmocka_run_group_tests(all, NULL, NULL);
  return cmocka_run_group_tests(quick, NULL, NULL);
}
