#define _POSIX_C_SOURCE 200809L
/* hemotile bench: how fast the solver runs on this machine, on geometries made from a seed. */
#include "geometry.h"
#include "lattice.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

typedef struct {
  const char *name;
  const char *what;
  int dim[3];
  double porosity, radius[2]; /* porosity 1: a full box */
} bench_geometry;

static const bench_geometry geometries[] = {
    {"cavity", "a full cube", {256, 256, 256}, 1, {0, 0}},
    {"vessels", "bent tubes, radius 25 to 45", {730, 342, 334}, 0.175, {25, 45}},
    {"vessels-small", "bent tubes, radius 9 to 13", {93, 161, 442}, 0.094, {9, 13}},
    {"spheres", "between solid spheres, radius 20", {192, 192, 192}, 0.2, {20, 20}},
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

typedef struct {
  const char *geometry; /* NULL: all */
  ht_device device;
  int both; /* precisions */
  ht_precision precision;
  int threads;
} bench_options;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ht_status make(const bench_geometry *geometry, ht_mask *mask) {
  if (geometry->porosity == 1) return ht_geometry_box(geometry->dim, mask);
  if (strcmp(geometry->name, "spheres") == 0)
    return ht_geometry_spheres(geometry->dim, geometry->radius[0], geometry->porosity, 1, mask);
  return ht_geometry_tubes(geometry->dim, geometry->radius, geometry->porosity, 1, mask);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Steps that take about a second, then REPEATS timings of them; node updates a second, sorted. */
static ht_status time_steps(ht_lattice *lattice, double nodes, double rate[REPEATS]) {
  int64_t steps = 4;
  double seconds = 0;
  while (seconds < 0.2) {
    double began = now();
    HT_TRY(ht_lattice_step(lattice, steps));
    seconds = now() - began;
    if (seconds < 0.2) steps *= 4;
  }
  for (int i = 0; i < REPEATS; i++) {
    double began = now();
    HT_TRY(ht_lattice_step(lattice, steps));
    rate[i] = nodes * (double)steps / (now() - began);
  }
  qsort(rate, REPEATS, sizeof *rate, ascending);
  return HT_OK;
}

static ht_status bench_one(const bench_geometry *geometry, const ht_mask *mask,
                           const ht_tiling *tiling, const bench_options *options,
                           ht_precision precision) {
  ht_lattice_setup setup = {.tiling = tiling,
                            .tau = 0.6,
                            .precision = precision,
                            .device = options->device,
                            .threads = options->threads,
                            .noise_lu = 0.01};
  ht_lattice *lattice;
  double rate[REPEATS], bytes = 2 * 19 * (precision == HT_FP32 ? 4 : 8);
  HT_TRY(ht_lattice_create(&setup, &lattice));
  ht_status status = time_steps(lattice, (double)tiling->nodes, rate);
  if (status == HT_OK) {
    double median = rate[REPEATS / 2];
    printf("%-14s %-5s %10lld %8.3f %8.3f %8.3f %9.1f %5.1f%% %9.1f  %s\n", geometry->name,
           precision == HT_FP32 ? "fp32" : "fp64", (long long)tiling->nodes,
           (double)tiling->nodes / (double)ht_grid_voxels(&mask->grid),
           tiling->utilisation_at_origin_000, tiling->utilisation, median / 1e6,
           100 * (rate[REPEATS - 1] - rate[0]) / median, median * bytes / 1e9,
           ht_lattice_device(lattice));
    fflush(stdout);
  }
  ht_lattice_free(lattice);
  return status;
}

static ht_status bench_geometry_run(const bench_geometry *geometry, const bench_options *options) {
  ht_mask mask;
  ht_tiling tiling = {0};
  HT_TRY(make(geometry, &mask));
  ht_status status = ht_tiling_build(&mask, NULL, &tiling);
  for (int p = HT_FP32; p <= HT_FP64 && status == HT_OK; p++)
    if (options->both || options->precision == (ht_precision)p)
      status = bench_one(geometry, &mask, &tiling, options, (ht_precision)p);
  ht_tiling_free(&tiling);
  ht_mask_free(&mask);
  return status;
}

static int usage(void) {
  printf("usage: hemotile bench [GEOMETRY] [--device auto|cpu|cuda] [--precision fp32|fp64] "
         "[--threads N]\n\nTimes the flow solver (median of %d repeats) on geometries made from a "
         "seed:\n",
         REPEATS);
  for (int i = 0; i < GEOMETRIES; i++)
    printf("  %-14s %s, %d x %d x %d voxels, porosity %g\n", geometries[i].name, geometries[i].what,
           geometries[i].dim[0], geometries[i].dim[1], geometries[i].dim[2],
           geometries[i].porosity);
  printf("\nexample: hemotile bench vessels-small --device cpu\n");
  return 0;
}

static ht_status parse(int argc, char **argv, bench_options *options) {
  *options = (bench_options){.both = 1};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--device") == 0) {
      int k = strcmp(value, "auto") == 0 ? 0 : strcmp(value, "cpu") == 0 ? 1 : 2;
      if (k == 2 && strcmp(value, "cuda") != 0)
        return ht_fail(HT_ERR_USAGE, "--device is '%s'; allowed is auto, cpu or cuda", value);
      options->device = (ht_device)k;
      i++;
    } else if (strcmp(argv[i], "--precision") == 0) {
      options->both = 0;
      options->precision = strcmp(value, "fp64") == 0 ? HT_FP64 : HT_FP32;
      if (strcmp(value, "fp64") != 0 && strcmp(value, "fp32") != 0)
        return ht_fail(HT_ERR_USAGE, "--precision is '%s'; allowed is fp32 or fp64", value);
      i++;
    } else if (strcmp(argv[i], "--threads") == 0) {
      options->threads = atoi(value);
      if (options->threads < 1)
        return ht_fail(HT_ERR_USAGE, "--threads is '%s'; give a number from 1", value);
      i++;
    } else if (argv[i][0] == '-' || options->geometry) {
      return ht_fail(HT_ERR_USAGE, "'%s' is not understood; see hemotile bench --help", argv[i]);
    } else
      options->geometry = argv[i];
  }
  return HT_OK;
}

int ht_command_bench(int argc, char **argv) {
  bench_options options;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return usage();
  ht_status status = parse(argc, argv, &options);
  int found = 0;
  if (status == HT_OK)
    printf("%-14s %-5s %10s %8s %8s %8s %9s %6s %9s  %s\n", "geometry", "prec.", "nodes",
           "porosity", "util.000", "util.", "MFLUPS", "spread", "GB/s", "device");
  for (int i = 0; i < GEOMETRIES && status == HT_OK; i++) {
    if (options.geometry && strcmp(options.geometry, geometries[i].name) != 0) continue;
    found = 1;
    status = bench_geometry_run(&geometries[i], &options);
  }
  if (status == HT_OK && !found)
    status = ht_fail(HT_ERR_USAGE, "there is no geometry '%s'; see hemotile bench --help",
                     options.geometry);
  if (status != HT_OK) fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
  return status;
}
