/* The CPU's kernels, one for each instruction set and kind of storage, against a plain loop over
 * the nodes; the error of fp16 storage; the largest speed that the backend reports. */
#include "tests/check.h"
#include "solver/cpu/cpu_kernel.h"
#include "solver/kernels/nodes.h"
#include "solver/kernels/start_noise.h"
#include "tests/solver/cpu/stored_values.h"
#include "tests/solver/cpu/tube_links.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ht_tube_links of;
  double *start;     /* [of.values] what every kind of storage can hold */
  double *reference; /* [of.values] after one step */
} kernel_case;

static double start_of(int64_t i, int directions) {
  (void)directions;
  return ht_start_value(0.02, (uint64_t)i, 0, 0, 0, HT_Q19);
}

static void make_case(int directions, kernel_case *c) {
  ht_tube_links_make(directions, &c->of);
  c->start = ht_tube_start(&c->of, start_of);
  c->reference = calloc((size_t)c->of.values, sizeof *c->reference);
  assert_non_null(c->reference);
}

static void free_case(kernel_case *c) {
  ht_tube_links_free(&c->of);
  free(c->start);
  free(c->reference);
}

/* Rates of shear-thinning blood. */
static double rate[4 * HT_RELAX_ROWS];
static float rate_single[4 * HT_RELAX_ROWS];

/* Cumulants have all their rates only at a higher omega. */
static double omega_of(int model) {
  return model == HT_MODEL_CUMULANT ? 1.9 : 1.3;
}

static void step_reference(kernel_case *c, int model) {
  for (int64_t n = 0; n < c->of.tiling.tiles * 64; n++) {
    double g[HT_Q_MOST] = {0};
    if (c->of.links[n] & 1)
      arrive_f64(c->start, c->of.directions, c->of.tiling.neighbour, c->of.links[n], n / 64,
                 (int)(n % 64), g);
    double omega = model < HT_MODELS ? omega_of(model) : local_rate_f64(g, model, rate);
    if (model >= 0) relax_f64(g, HT_MODEL_GLOBAL(model), omega);
    for (int q = 0; q < c->of.directions; q++)
      c->reference[n / 64 * HT_TILE_VALUES(c->of.directions) + 64 * q + n % 64] = g[q];
  }
}

/* Arithmetic: some 64 roundings of numbers up to 0.3, the sum of all; storage of fp16: half of the
 * last of 11 bits, and 2^-40 below 2^-29. Propagation alone changes nothing. */
static double allowed(double value, int model, ht_precision precision) {
  double arithmetic = 64 * 0.3 * (precision == HT_FP64 ? DBL_EPSILON : (double)FLT_EPSILON);
  if (model < 0) return 0;
  return precision == HT_FP16 ? arithmetic + fabs(value) * 0x1p-11 + 0x1p-40 : arithmetic;
}

static void check_kernel(kernel_case *c, ht_cpu_kernel kernel, ht_precision precision, int model,
                         int stream) {
  void *source = ht_stored_values(c->of.directions, c->of.tiling.tiles, c->start, precision);
  void *target = aligned_alloc(64, (size_t)c->of.values * sizeof(double));
  assert_non_null(target);
  memset(target, 0, (size_t)c->of.values * sizeof(double));
  ht_cpu_job job = {.tiles = c->of.tiling.tiles,
                    .neighbour = c->of.tiling.neighbour,
                    .wall_slot = c->of.slot,
                    .wall = c->of.wall,
                    .source = source,
                    .target = target,
                    .stream = stream,
                    .ahead = 5,
                    .model = model < HT_MODELS ? model : HT_MODEL_GLOBAL(model),
                    .omega = omega_of(model)};
  if (HT_MODEL_IS_LOCAL(model)) job.rate = precision == HT_FP64 ? (const void *)rate : rate_single;
  kernel(&job, 0, c->of.tiling.tiles / 3);
  kernel(&job, c->of.tiling.tiles / 3, c->of.tiling.tiles);
  for (int64_t i = 0; i < c->of.values; i++) {
    double value = ht_stored_value(target, ht_stored_place(c->of.directions, c->of.tiling.tiles, i),
                                   precision);
    double right = model == HT_CPU_READ_WRITE ? c->start[i] : c->reference[i];
    if (!(fabs(value - right) <= allowed(right, model, precision)))
      fail_msg(
          "fp kind %d, model %d, stream %d, tile %lld, direction %lld, node %lld: %.9g, not %.9g",
          precision, model, stream, (long long)(i / HT_TILE_VALUES(c->of.directions)),
          (long long)(i % HT_TILE_VALUES(c->of.directions) / 64), (long long)(i % 64), value,
          right);
  }
  free(source);
  free(target);
}

static void check_set(kernel_case *c, const ht_cpu_kernel kernel[3]) {
  for (int model = HT_CPU_READ_WRITE; model < HT_MODEL_LOCAL(HT_MODELS); model++) {
    if (model >= 0 && HT_MODEL_DIRECTIONS(model) != c->of.directions) continue;
    if (model != HT_CPU_READ_WRITE) step_reference(c, model);
    for (int precision = 0; precision < 3; precision++)
      for (int stream = 0; stream < 2; stream++)
        check_kernel(c, kernel[precision], (ht_precision)precision, model, stream);
  }
}

#define KERNELS(set)                                                                               \
  (const ht_cpu_kernel[]) {                                                                        \
    ht_cpu_step_f32_##set, ht_cpu_step_f64_##set, ht_cpu_step_f16_##set                            \
  }

static void test_every_instruction_set(void **unused) {
  (void)unused;
  kernel_case few, many;
  const ht_viscosity_law law = {.model = HT_CARREAU_YASUDA,
                                .high = 0.02,
                                .rest = 0.3,
                                .time = 40,
                                .index = 0.3568,
                                .yasuda = 2};
  ht_relax_table(&law, rate, rate_single);
  make_case(HT_Q19, &few);
  make_case(HT_Q27, &many);
  check_set(&few, KERNELS(q19_base));
  check_set(&many, KERNELS(q27_base));
#ifdef HEMOTILE_HAVE_WIDE
  const char *best = ht_cpu_instruction_set();
  if (strcmp(best, "baseline") != 0) {
    check_set(&few, KERNELS(q19_avx2));
    check_set(&many, KERNELS(q27_avx2));
  }
  if (strcmp(best, "AVX-512") == 0) {
    check_set(&few, KERNELS(q19_avx512));
    check_set(&many, KERNELS(q27_avx512));
  }
#endif
  free_case(&few);
  free_case(&many);
}

/* ---- through the lattice ---- */

static ht_lattice_setup setup_of(const ht_tiling *tiling, ht_precision precision, int model,
                                 int threads) {
  return (ht_lattice_setup){.tiling = tiling,
                            .tau = 0.6,
                            .precision = precision,
                            .collision = HT_MODEL_COLLISION(model),
                            .compressibility = HT_MODEL_COMPRESSIBILITY(model),
                            .device = HT_DEVICE_CPU,
                            .threads = threads,
                            .noise_lu = 0.05};
}

static double *run(const ht_tiling *tiling, ht_precision precision, int model, int threads) {
  const ht_lattice_setup setup = setup_of(tiling, precision, model, threads);
  return ht_velocity_after(&setup, 100);
}

/* Every store rounds to 11 bits, and the roundings of 100 steps add up as a random walk. */
static void test_half_follows_single(void **unused) {
  (void)unused;
  kernel_case c;
  make_case(HT_Q19, &c);
  for (int model = 0; model < HT_MODELS; model++) {
    double *half = run(&c.of.tiling, HT_FP16, model, 2),
           *single = run(&c.of.tiling, HT_FP32, model, 2);
    double *other = run(&c.of.tiling, HT_FP16, model, 3), difference = 0, size = 0;
    for (int64_t i = 0; i < c.of.tiling.tiles * 64 * 3; i++) {
      difference += (half[i] - single[i]) * (half[i] - single[i]);
      size += single[i] * single[i];
    }
    print_message("model %d: fp16 from fp32 %.1e\n", model, sqrt(difference / size));
    assert_true(size > 0 && difference > 0);
    assert_true(sqrt(difference / size) <= 0.02);
    assert_memory_equal(half, other, (size_t)c.of.tiling.tiles * 64 * 3 * sizeof(double));
    free(half);
    free(single);
    free(other);
  }
  free_case(&c);
}

/* Largest speed at the start: j, or in quasi-compressible runs j / (1 + rho). */
static double speed_at_start(const ht_tiling *tiling, int compressibility) {
  double most = 0;
  for (int64_t n = 0; n < tiling->tiles * 64; n++) {
    const int32_t *p = tiling->position + 3 * (n / 64);
    double g[HT_Q19], rho, u[3];
    if (!((tiling->inside[n / 64] >> n % 64) & 1)) continue;
    for (int q = 0; q < HT_Q19; q++)
      g[q] = ht_start_value(0.05, (uint64_t)(4 * p[0] - tiling->origin[0] + (n & 3)),
                            (uint64_t)(4 * p[1] - tiling->origin[1] + (n >> 2 & 3)),
                            (uint64_t)(4 * p[2] - tiling->origin[2] + (n >> 4 & 3)), q, HT_Q19);
    velocity_f64(g, HT_MODEL(HT_LBGK, compressibility), &rho, u);
    most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  }
  return most;
}

static void test_velocity_is_watched(void **unused) {
  (void)unused;
  kernel_case c;
  make_case(HT_Q19, &c);
  for (int compressibility = 0; compressibility < 2; compressibility++) {
    const ht_lattice_setup setup = setup_of(&c.of.tiling, HT_FP64, compressibility, 2);
    ht_lattice *lattice;
    ht_lattice_monitor seen;
    assert_int_equal(ht_lattice_create(&setup, &lattice), HT_OK);
    assert_int_equal(ht_lattice_watch(lattice, &seen), HT_OK);
    assert_near(seen.max_speed, speed_at_start(&c.of.tiling, compressibility), 1e-12);
    ht_lattice_free(lattice);
  }
  assert_true(fabs(speed_at_start(&c.of.tiling, 0) - speed_at_start(&c.of.tiling, 1)) > 1e-6);
  free_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_instruction_set),
      cmocka_unit_test(test_half_follows_single),
      cmocka_unit_test(test_velocity_is_watched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
