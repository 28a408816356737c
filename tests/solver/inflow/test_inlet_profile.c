/* Inlet profiles against theory, on round sections of 12 to 96 nodes across and on oblique planes.
 */
#include "tests/check.h"
#include "solver/inflow/measured_profile.h"
#include "solver/inflow/thinning_profile.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int dim[3];
  ht_port port;
  double radius;  /* of the circle with the section's area across the vessel, spacings */
  double *across; /* [nodes] distance from the axis, over the radius */
} section;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The plane z = 1 through a round vessel whose axis is inclined to z by `slope` = tan(angle), in
 * the direction (cos, sin) of `turn` on the plane. */
static void begin(section *s, double diameter, double slope, double turn) {
  int side = (int)(diameter * sqrt(1 + slope * slope)) + 4;
  memset(s, 0, sizeof *s);
  memcpy(s->dim, (int[3]){side, side, 3}, sizeof s->dim);
  double length = sqrt(1 + slope * slope);
  const double direction[3] = {slope * cos(turn) / length, slope * sin(turn) / length, 1 / length};
  s->port.axis = 2;
  s->port.inward = 1;
  memcpy(s->port.direction, direction, sizeof direction);
  s->port.node = calloc((size_t)(side * side), sizeof *s->port.node);
  s->across = calloc((size_t)(side * side), sizeof *s->across);
  for (int v = 0; v < side * side; v++) {
    double at[3] = {v % side - 0.5 * (side - 1), (int)(v / side) - 0.5 * (side - 1), 0};
    double off = sqrt(dot(at, at) - pow(dot(at, direction), 2));
    if (off >= diameter / 2) continue;
    s->across[s->port.nodes] = off;
    s->port.node[s->port.nodes++] = v + (int64_t)side * side;
  }
  s->radius = sqrt((double)s->port.nodes / length / HT_PI);
  for (int64_t i = 0; i < s->port.nodes; i++) s->across[i] /= s->radius;
}

static void end(section *s) {
  free(s->port.node);
  free(s->across);
}

/* J0 and J1 of a complex number by their power series. */
static double complex bessel(int order, double complex z) {
  double complex term = order ? z / 2 : 1, sum = term;
  for (int n = 1; n < 80; n++) {
    term *= -z * z / 4 / n / (n + order);
    sum += term;
  }
  return sum;
}

/* Womersley (1955): velocity over the mean velocity, at the radius r of 1. */
static double complex womersley(double alpha, double r) {
  double complex z = alpha * cexp(0.75 * I * HT_PI);
  if (r > 1) r = 1;
  return (1 - bessel(0, z * r) / bessel(0, z)) / (1 - 2 * bessel(1, z) / (z * bessel(0, z)));
}

/* Relative L2 error of the complex profile. */
static double womersley_error(double diameter, double alpha, double slope, double turn) {
  section s;
  begin(&s, diameter, slope, turn);
  size_t nodes = (size_t)s.port.nodes;
  double *real = calloc(2 * nodes, sizeof(double)), *imaginary = real + nodes;
  double error = 0, size = 0, total[2] = {0, 0};
  double k = pow(alpha / s.radius, 2);
  assert_int_equal(ht_womersley_profile(s.dim, &s.port, k, real, imaginary), HT_OK);
  for (size_t i = 0; i < nodes; i++) {
    double complex right = womersley(alpha, s.across[i]);
    error += pow(cabs((real[i] + I * imaginary[i]) * (double)nodes - right), 2);
    size += pow(cabs(right), 2);
    total[0] += real[i];
    total[1] += imaginary[i];
  }
  assert_true(fabs(total[0] - 1) < 1e-12 && fabs(total[1]) < 1e-12);
  free(real);
  end(&s);
  return sqrt(error / size);
}

/* The rim of a circle on a lattice changes from size to size: each is a mean over 5 diameters. */
static double mean_error(double diameter, double alpha, double slope, double turn) {
  double sum = 0;
  for (int i = 0; i < 5; i++)
    sum += womersley_error(diameter * (1 + 0.02 * (i - 2)), alpha, slope, turn);
  return sum / 5;
}

HT_TEST(test_womersley_converges) {
  for (int alpha = 4; alpha <= 12; alpha += 4) {
    double error[3];
    for (int level = 0; level < 3; level++) error[level] = mean_error(24 << level, alpha, 0, 0);
    double order = log2(error[0] / error[2]) / 2;
    print_message("alpha %d: error %.2e, %.2e, %.2e at 24, 48, 96 across: order %.2f\n", alpha,
                  error[0], error[1], error[2], order);
    /* Walls half a spacing off the staircase: above first order; see test_square for the rest. */
    assert_true(order > 1.1 && order < 2);
    assert_true(error[2] < 0.01 && error[0] < 0.065);
  }
}

HT_TEST(test_oblique) {
  for (int i = 0; i < 4; i++) {
    double turn = i * HT_PI / 6, slope = tan(35 * HT_PI / 180);
    double error[2] = {mean_error(24, 8, slope, turn), mean_error(48, 8, slope, turn)};
    print_message("35 degrees, turned by %d: %.2e, %.2e\n", 30 * i, error[0], error[1]);
    assert_true(error[0] < 0.05 && error[1] < 0.5 * error[0]);
  }
}

/* Steady flow of shear-thinning blood in a round pipe: the wall's stress, rate by rate, gives the
 * velocity; [PARTS + 1] over the mean, from the axis to the wall. The gradient is that of the flow.
 */
enum { PARTS = 2000 };

static double pipe_profile(const ht_viscosity_law *law, double radius_m, double push, double *u) {
  double step = radius_m / PARTS, flow = 0;
  u[PARTS] = 0;
  for (int i = PARTS - 1; i >= 0; i--) {
    double stress = push * (i + 0.5) * step / 2, low = 0, high = stress / law->high;
    for (int k = 0; k < 60; k++) {
      double rate = (low + high) / 2;
      if (ht_viscosity(law, rate) * rate < stress)
        low = rate;
      else
        high = rate;
    }
    u[i] = u[i + 1] + low * step;
    flow += 2 * HT_PI * (i + 0.5) * step * step * (u[i] + u[i + 1]) / 2;
  }
  for (int i = 0; i <= PARTS; i++) u[i] /= flow / (HT_PI * radius_m * radius_m);
  return flow;
}

static void thinning_error(double diameter, double slope, const ht_viscosity_law *law,
                           double flow_m3_s) {
  const double radius_m = 1.5e-3;
  static double u[PARTS + 1];
  section s;
  begin(&s, diameter, slope, 0.4);
  double *share = calloc((size_t)s.port.nodes, sizeof *share), low = 0, high = 1e6, sum = 0;
  double error = 0, size = 0, most = 0;
  for (int k = 0; k < 80; k++) {
    double push = (low + high) / 2;
    if (pipe_profile(law, radius_m, push, u) < flow_m3_s)
      low = push;
    else
      high = push;
  }
  assert_int_equal(ht_thinning_profile(s.dim, &s.port, law, flow_m3_s, radius_m / s.radius, share),
                   HT_OK);
  for (int64_t i = 0; i < s.port.nodes; i++) {
    double right = u[(int)fmin(PARTS, PARTS * s.across[i])];
    double is = share[i] * (double)s.port.nodes;
    error += pow(is - right, 2);
    size += pow(right, 2);
    most = fmax(most, is);
    sum += share[i];
  }
  print_message("thinning, %g across, slope %.1f, %.2g mL/s: peak %.4f (right: %.4f), RMS %.4f\n",
                diameter, slope, 1e6 * flow_m3_s, most, u[0], sqrt(error / size));
  assert_near(sum, 1, 1e-9);
  assert_true(u[0] < 1.95); /* it is not the paraboloid */
  assert_true(fabs(most / u[0] - 1) < 0.015 && sqrt(error / size) < 0.03);
  free(share);
  end(&s);
}

HT_TEST(test_thinning_blood) {
  const ht_units si = {1, 1, 1060};
  for (int model = HT_CARREAU_YASUDA; model <= HT_CASSON; model++) {
    ht_blood blood;
    ht_blood_defaults(&blood);
    blood.model = (ht_blood_model)model;
    ht_viscosity_law law = ht_blood_law(&blood, 0.0035, &si);
    thinning_error(40, 0, &law, 1e-6);
    thinning_error(40, 0, &law, 1e-7);
    thinning_error(32, tan(35 * HT_PI / 180), &law, 3e-7);
  }
}

/* A square of `side` nodes, on which the walls are where they should be: both profiles against
 * their double sine series, the largest error over the mean velocity. */
static void square_error(int side, double alpha, double error[2]) {
  section s = {.dim = {side + 2, side + 2, 3}, .port = {.axis = 2, .direction = {0, 0, 1}}};
  int64_t nodes = s.port.nodes = (int64_t)side * side;
  s.port.node = calloc((size_t)nodes, sizeof *s.port.node);
  for (int64_t i = 0; i < nodes; i++)
    s.port.node[i] = 1 + i % side + (side + 2) * (1 + i / side + side + 2);
  double *share = calloc((size_t)(3 * nodes), sizeof(double)), k = pow(alpha / side, 2);
  assert_int_equal(ht_inlet_profile(s.dim, &s.port, share), HT_OK);
  assert_int_equal(ht_womersley_profile(s.dim, &s.port, k, share + nodes, share + 2 * nodes),
                   HT_OK);
  error[0] = error[1] = 0;
  for (int64_t i = 0; i < nodes; i += 11) {
    double x = HT_PI * ((double)(i % side) + 0.5) / side,
           y = HT_PI * ((double)(i / side) + 0.5) / side;
    double complex u[2] = {0, 0}, mean[2] = {0, 0};
    for (int m = 1; m < 120; m += 2)
      for (int n = 1; n < 120; n += 2)
        for (int kind = 0; kind < 2; kind++) {
          double complex divisor = HT_PI * HT_PI * (m * m + n * n) + kind * I * alpha * alpha;
          u[kind] += sin(m * x) * sin(n * y) / (m * n * divisor);
          mean[kind] += 4 / (HT_PI * HT_PI * m * m * n * n * divisor);
        }
    error[0] = fmax(error[0], cabs(share[i] * (double)nodes - u[0] / mean[0]));
    double complex found = share[nodes + i] + I * share[2 * nodes + i];
    error[1] = fmax(error[1], cabs(found * (double)nodes - u[1] / mean[1]));
  }
  free(share);
  end(&s);
}

HT_TEST(test_square) {
  double coarse[2], fine[2];
  square_error(24, 8, coarse);
  square_error(72, 8, fine);
  for (int kind = 0; kind < 2; kind++) {
    double order = log(coarse[kind] / fine[kind]) / log(3);
    print_message("square, %s: %.2e, %.2e at 24, 72 across: order %.2f\n",
                  kind ? "alpha 8" : "steady", coarse[kind], fine[kind], order);
    assert_true(order > 1.8 && fine[kind] < 0.01);
  }
}

/* ---- modes ---- */

static void make_waveform(ht_waveform *waveform) {
  ht_harmonics series = {.period_s = 0.8, .mean_ml_s = 4, .harmonics = 3};
  memcpy(series.cosine_ml_s, (double[3]){-1, 0.7, 0}, 3 * sizeof(double));
  memcpy(series.sine_ml_s, (double[3]){1.5, 0, -0.4}, 3 * sizeof(double));
  assert_int_equal(ht_waveform_series(&series, waveform), HT_OK);
}

/* The velocity of the modes is the sum of Womersley's solutions, and carries the waveform. */
HT_TEST(test_modes) {
  section s;
  ht_waveform waveform;
  ht_inlet_modes modes;
  double coefficient[7], nu = 3.3e-6, dx = 1e-4;
  begin(&s, 60, 0, 0);
  make_waveform(&waveform);
  assert_int_equal(
      ht_inlet_modes_make(s.dim, &s.port, HT_PROFILE_WOMERSLEY, &waveform, dx, nu, &modes), HT_OK);
  assert_int_equal(modes.modes, 7);
  for (int step = 0; step < 8; step++) {
    double time = 0.1 * step + 0.03, error = 0, size = 0, flow = 0;
    ht_inlet_modes_at(&modes, time, coefficient);
    for (int64_t i = 0; i < modes.nodes; i++) {
      double speed = 0, r = fmin(1, s.across[i]), right = 4 * 2 * (1 - r * r);
      for (int m = 0; m < 7; m++) speed += coefficient[m] * modes.shape[m * modes.nodes + i];
      for (int k = 1; k <= 3; k++) {
        double w = 2 * HT_PI * k / 0.8, alpha = s.radius * dx * sqrt(w / nu);
        double complex c =
            waveform.series.cosine_ml_s[k - 1] - I * waveform.series.sine_ml_s[k - 1];
        right += creal(c * cexp(I * w * time) * womersley(alpha, r));
      }
      flow += speed;
      error += pow(speed * (double)modes.nodes - right, 2);
      size += right * right;
    }
    assert_near(flow, ht_waveform_value(&waveform, time), 1e-10);
    assert_true(sqrt(error / size) < 0.03);
  }
  ht_inlet_modes_free(&modes);
  end(&s);
}

enum { ONE = 0, Y = 1, X = 5 }; /* terms of a measured profile */

/* A measured profile: skewed along x in the mean, along y in the first harmonic. */
static ht_measured_profile skewed(void) {
  ht_measured_profile profile = {.normal = {0, 0, 1}, .across = {1, 0, 0}, .harmonics = 1};
  profile.coefficient[0][ONE] = 0.2; /* m/s; only the shape counts */
  profile.coefficient[0][X] = 0.1;
  profile.coefficient[1][ONE] = profile.coefficient[2][ONE] = 0.1;
  profile.coefficient[1][Y] = 0.03;
  return profile;
}

/* A port has the measured shape, turned with the vessel, and the waveform's flow at every moment.
 */
HT_TEST(test_measured) {
  const ht_measured_profile profile = skewed();
  for (int oblique = 0; oblique < 2; oblique++) {
    section s;
    ht_waveform waveform;
    ht_inlet_modes modes, usual;
    double coefficient[7], moment[3] = {0}, worst = 0, womersley_off = 0;
    begin(&s, 40, 0.5 * oblique, 0.4);
    const ht_grid grid = ht_grid_make(s.dim[0], s.dim[1], s.dim[2]);
    make_waveform(&waveform);
    assert_int_equal(
        ht_inlet_modes_make(s.dim, &s.port, HT_PROFILE_MEASURED, &waveform, 1e-4, 3e-6, &modes),
        HT_OK);
    assert_int_equal(
        ht_inlet_modes_make(s.dim, &s.port, HT_PROFILE_WOMERSLEY, &waveform, 1e-4, 3e-6, &usual),
        HT_OK);
    assert_int_equal(ht_measured_profile_apply(&grid, &s.port, &profile, &modes), HT_OK);
    assert_int_equal(modes.modes, 7);
    for (int64_t i = 0; i < modes.nodes; i++) {
      double at[3];
      ht_grid_voxel_position(&grid, s.port.node[i], at);
      const double x = (at[0] - 0.5 * (s.dim[0] - 1)) / s.radius;
      const double r = fmin(1, s.across[i]);
      for (int c = 0; c < 3; c++) moment[c] += modes.shape[i] * (at[c] - 0.5 * (s.dim[c] - 1));
      worst =
          fmax(worst, fabs(modes.shape[i] * (double)modes.nodes - 2 * (1 - r * r) * (1 + 0.5 * x)));
      for (int m = 3; m < 7; m++)
        womersley_off = fmax(womersley_off, fabs(modes.shape[m * modes.nodes + i] -
                                                 usual.shape[m * modes.nodes + i]));
    }
    if (!oblique) assert_near(worst, 0, 0.1);
    assert_near(womersley_off, 0, 0); /* of the harmonics that were not measured */
    /* The skew lies across the vessel, in the plane of x and the vessel's direction. */
    const double along = dot(moment, s.port.direction) / sqrt(dot(moment, moment));
    if (!oblique) assert_near(moment[1], 0, 1e-6 * s.radius);
    assert_true(moment[0] > 0.06 * s.radius);
    assert_true(fabs(along) < 0.8);
    for (int step = 0; step < 8; step++) {
      double flow = 0;
      ht_inlet_modes_at(&modes, 0.1 * step + 0.03, coefficient);
      for (int m = 0; m < 7; m++)
        for (int64_t i = 0; i < modes.nodes; i++)
          flow += coefficient[m] * modes.shape[m * modes.nodes + i];
      assert_near(flow, ht_waveform_value(&waveform, 0.1 * step + 0.03), 1e-10);
    }
    ht_inlet_modes_free(&modes);
    ht_inlet_modes_free(&usual);
    end(&s);
  }
  assert_int_equal(ht_measured_profile_apply(NULL, NULL, NULL, NULL), HT_ERR_CASE);
}

HT_TEST(test_plug_and_parabola) {
  section s;
  ht_waveform waveform;
  ht_inlet_modes modes;
  double coefficient, peak[2];
  begin(&s, 40, 0, 0);
  make_waveform(&waveform);
  for (int kind = 0; kind < 2; kind++) {
    ht_profile profile = kind ? HT_PROFILE_PARABOLIC : HT_PROFILE_PLUG;
    assert_int_equal(ht_inlet_modes_make(s.dim, &s.port, profile, &waveform, 1e-4, 3e-6, &modes),
                     HT_OK);
    assert_int_equal(modes.modes, 1);
    ht_inlet_modes_at(&modes, 0.3, &coefficient);
    assert_true(coefficient == ht_waveform_value(&waveform, 0.3));
    peak[kind] = ht_inlet_modes_peak(&modes, 512) * (double)modes.nodes;
    ht_inlet_modes_free(&modes);
  }
  double highest = ht_waveform_peak(&waveform);
  assert_near(peak[0] / highest, 1, 1e-4);
  assert_near(peak[1] / peak[0], 2, 0.03);
  end(&s);
}

/* A constant flow has the parabola alone, whatever was requested. */
HT_TEST(test_constant) {
  section s;
  ht_waveform waveform;
  ht_inlet_modes modes;
  double coefficient;
  begin(&s, 20, 0, 0);
  ht_waveform_constant(5, &waveform);
  double *share = calloc((size_t)s.port.nodes, sizeof *share);
  assert_int_equal(ht_inlet_profile(s.dim, &s.port, share), HT_OK);
  assert_int_equal(
      ht_inlet_modes_make(s.dim, &s.port, HT_PROFILE_WOMERSLEY, &waveform, 1e-4, 3e-6, &modes),
      HT_OK);
  assert_int_equal(modes.modes, 1);
  assert_memory_equal(modes.shape, share, (size_t)s.port.nodes * sizeof *share);
  ht_inlet_modes_at(&modes, 123.4, &coefficient);
  assert_true(coefficient == 5);
  free(share);
  ht_inlet_modes_free(&modes);
  end(&s);
}

/* A large section with many harmonics is a matter of seconds. */
HT_TEST(test_large) {
  section s;
  double real[12000], imaginary[12000];
  begin(&s, 113, 0, 0);
  assert_in_range(s.port.nodes, 9900, 10200);
  clock_t began = clock();
  for (int m = 1; m <= 16; m++)
    assert_int_equal(
        ht_womersley_profile(s.dim, &s.port, m * 16 / pow(s.radius, 2), real, imaginary), HT_OK);
  double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  print_message("%lld nodes, 16 harmonics: %.2f s\n", (long long)s.port.nodes, seconds);
  assert_true(seconds < 8);
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_womersley_converges),
      cmocka_unit_test(test_thinning_blood),
      cmocka_unit_test(test_oblique),
      cmocka_unit_test(test_square),
      cmocka_unit_test(test_measured),
      cmocka_unit_test(test_modes),
      cmocka_unit_test(test_plug_and_parabola),
      cmocka_unit_test(test_constant),
      cmocka_unit_test(test_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
