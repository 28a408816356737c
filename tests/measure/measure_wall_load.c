/* Measures the wall shear stress that ht_surface_load reads out of a flow that is exact at every
 * node, against the exact one: the error of the reading alone. Prints the table of
 * docs/notes/walls/wall-shear-stress.md; takes a minute. Not a test: test_wall_load.c has bars for
 * what matters here. */
#include "export/wall/wall.h"
#include "tests/export/voxel_pipe.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double viscosity_pa_s = 0.0035;
static const double alphas[] = {0, 4, 8, 12};
static const double angles[] = {0, 17, 45};
static const int sizes[] = {12, 24, 48};

/* Errors in per cent of the exact amplitude; vectors: what is across the flow counts. */
typedef struct {
  double mean, rms, max;
} load_error;

static void check(ht_status status) {
  if (status == HT_OK) return;
  fprintf(stderr, "%s\n", ht_error_message());
  exit(1);
}

/* Adds one phase: for each point the square of the error, and the part along the flow. */
static void add_phase(const ht_pipe *pipe, const ht_domain *domain, ht_surface *surface,
                      double alpha, double phase, double *square, double *amplitude2) {
  ht_flow flow;
  double speed, slope, lps[3];
  check(ht_pipe_wave_flow(pipe, domain, alpha, phase, viscosity_pa_s, &flow));
  check(ht_surface_load(surface, domain, &flow));
  ht_pipe_wave(alpha, phase, 1, &speed, &slope);
  double wss = -viscosity_pa_s * slope / (0.5e-3 * pipe->across * pipe->spacing_mm);
  ht_grid_to_lps(&domain->mask.grid, pipe->direction, lps);
  *amplitude2 += wss * wss;
  for (int64_t p = 0; p < surface->points; p++)
    for (int r = 0; r < 3; r++) square[p] += pow(surface->wss_pa[3 * p + r] - wss * lps[r], 2);
  ht_flow_free(&flow);
}

static int counts(const ht_pipe *pipe, const ht_grid *grid, const float point_mm[3]) {
  double at[3], index[3], radius, along, outward[3];
  for (int r = 0; r < 3; r++) at[r] = point_mm[r];
  ht_grid_index(grid, at, index);
  ht_pipe_place(pipe, index, &radius, &along, outward);
  return fabs(along) <= 2 * pipe->half_wall / 3;
}

static load_error measure(const ht_pipe *pipe, const ht_domain *domain, ht_surface *surface,
                          double alpha) {
  load_error error = {0};
  double amplitude2 = 0, points = 0;
  double *square = calloc((size_t)surface->points, sizeof *square);
  if (!square) exit(1);
  for (int quarter = 0; quarter < (alpha > 0 ? 2 : 1); quarter++)
    add_phase(pipe, domain, surface, alpha, quarter * acos(0), square, &amplitude2);
  for (int64_t p = 0; p < surface->points; p++) {
    if (!counts(pipe, &domain->mask.grid, surface->point_mm + 3 * p)) continue;
    double off = sqrt(square[p] / amplitude2);
    error.mean += off;
    error.rms += off * off;
    error.max = fmax(error.max, off);
    points++;
  }
  free(square);
  return (load_error){100 * error.mean / points, 100 * sqrt(error.rms / points), 100 * error.max};
}

static void make(double degrees, int across, int interpolated, ht_pipe *pipe, ht_domain *domain,
                 ht_surface *surface) {
  const ht_grid frame = ht_grid_make(1, 1, 1);
  double angle = degrees * HT_PI / 180;
  *pipe = (ht_pipe){.across = across, .length = across + 40, .spacing_mm = 0.2};
  pipe->direction[0] = cos(angle), pipe->direction[1] = sin(angle);
  check(ht_voxel_pipe(pipe, &frame, 1, domain));
  if (interpolated) check(ht_pipe_distance(pipe, domain));
  check(ht_surface_build(domain, surface));
}

static void print_row(double alpha, double degrees, int interpolated) {
  double last = 0;
  printf("| %s | %g | %g |", interpolated ? "interpolated" : "half-way", alpha, degrees);
  for (int s = 0; s < 3; s++) {
    ht_pipe pipe;
    ht_domain domain;
    ht_surface surface;
    make(degrees, sizes[s], interpolated, &pipe, &domain, &surface);
    load_error error = measure(&pipe, &domain, &surface, alpha);
    printf(" %.2f / %.1f |", error.rms, error.max);
    if (s > 0) printf(" %.1f |", log2(last / error.rms));
    fflush(stdout);
    last = error.rms;
    ht_surface_free(&surface);
    ht_domain_free(&domain);
  }
  printf("\n");
}

int main(void) {
  printf(
      "| walls | alpha | degrees | 12 across: RMS / max %% | 24 across | order | 48 across | order "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (int interpolated = 0; interpolated < 2; interpolated++)
    for (int a = 0; a < 4; a++)
      for (int d = 0; d < 3; d++) print_row(alphas[a], angles[d], interpolated);
  return 0;
}
