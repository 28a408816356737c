#include "solver/inflow/inlet_profile.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_profile_words[] = {"plug", "parabolic", "womersley", "measured", NULL};

/* One Gauss-Seidel update of a node; a neighbour outside is the mirror image -u (half-way wall). */
static double relax(const ht_port_section *s, int p, const double weight[3][3]) {
  double sum = 1, diagonal = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      double w = weight[dy + 1][dx + 1];
      if (dx == 0 && dy == 0) continue;
      diagonal += w;
      int q = p + dy * s->nx + dx;
      if (s->fluid[q])
        sum += w * s->value[q];
      else
        diagonal += w;
    }
  }
  return sum / diagonal;
}

/* Factor of successive over-relaxation: the best for a disc of as many nodes (Young 1954), whose
 * Jacobi iteration leaves 1 - (4.81 / across)^2 / 4. */
static double over_relaxation(int64_t nodes) {
  const double across = sqrt(4 / HT_PI * (double)nodes);
  const double leaves = fmax(0, 1 - 4.81 * 4.81 / (4 * across * across));
  return 2 / (1 + sqrt(1 - leaves * leaves));
}

/* Ends where a sweep changes nothing but what rounding does, which grows as the factor nears 2. */
static void solve_section(ht_port_section *s, const int64_t nodes, const ht_port_stencil weight) {
  const double over = over_relaxation(nodes), least = fmax(1e-14, 2 * DBL_EPSILON / (2 - over));
  for (int sweep = 0; sweep < 100000; sweep++) {
    double change = 0, size = 0;
    for (int64_t i = 0; i < nodes; i++) {
      double *u = &s->value[s->place[i]];
      double step = over * (relax(s, s->place[i], weight) - *u);
      *u += step;
      change = fmax(change, fabs(step));
      size = fmax(size, fabs(*u));
    }
    if (change <= least * size) return;
  }
}

ht_status ht_inlet_profile(const int dim[3], const ht_port *port, double *share) {
  ht_port_section s;
  ht_port_stencil weight;
  double total = 0;
  ht_status status = ht_port_section_make(dim, port, &s);
  if (status == HT_OK) {
    ht_port_stencil_set(port, weight);
    solve_section(&s, port->nodes, weight);
    for (int64_t i = 0; i < port->nodes; i++) total += s.value[s.place[i]];
    for (int64_t i = 0; i < port->nodes; i++) share[i] = s.value[s.place[i]] / total;
  }
  ht_port_section_free(&s);
  return status;
}

/* ---- Womersley ---- */

/* Solution of i k u - laplace(u) = 1 by conjugate gradients for complex symmetric matrices (COCG:
 * van der Vorst & Melissen, IEEE Trans. Magn. 26 (1990) 706). All vectors lie on the section's map,
 * 0 outside. */
typedef struct {
  const ht_port_section *map;
  int64_t nodes;
  double complex *diagonal; /* [nodes] */
  double complex *solution, *rest, *search, *image;
  double complex *memory; /* of all five */
  int offset[8];          /* of the neighbours in the map, and their weights */
  double weight[8];
} helmholtz;

static ht_status helmholtz_make(const ht_port_section *map, const ht_port *port, double k,
                                helmholtz *h) {
  ht_port_stencil weight;
  size_t cells = (size_t)map->nx * map->ny;
  *h = (helmholtz){.map = map, .nodes = port->nodes};
  HT_TRY(ht_alloc((void **)&h->memory, 5 * cells, sizeof *h->memory, "the Womersley profile"));
  h->diagonal = h->memory;
  h->solution = h->memory + cells;
  h->rest = h->memory + 2 * cells;
  h->search = h->memory + 3 * cells;
  h->image = h->memory + 4 * cells;
  ht_port_stencil_set(port, weight);
  for (int d = 0, n = 0; d < 9; d++) {
    if (d == 4) continue;
    h->offset[n] = (d / 3 - 1) * map->nx + d % 3 - 1;
    h->weight[n++] = weight[d / 3][d % 3];
  }
  for (int64_t i = 0; i < h->nodes; i++) {
    h->diagonal[i] = k * I;
    for (int n = 0; n < 8; n++) /* a neighbour outside is -u */
      h->diagonal[i] += h->weight[n] * (map->fluid[map->place[i] + h->offset[n]] ? 1 : 2);
  }
  return HT_OK;
}

/* Applies the operator: image = (i k - laplace) search; returns search . image. */
static double complex apply(helmholtz *h) {
  double complex product = 0;
  for (int64_t i = 0; i < h->nodes; i++) {
    int at = h->map->place[i];
    const double complex *u = h->search + at;
    double complex sum = h->diagonal[i] * u[0];
    for (int n = 0; n < 8; n++) sum -= h->weight[n] * u[h->offset[n]];
    h->image[at] = sum;
    product += sum * u[0];
  }
  return product;
}

/* Returns rest . rest, and the square of its length in *size. */
static double complex step_along(helmholtz *h, double complex length, double *size) {
  double complex product = 0;
  *size = 0;
  for (int64_t i = 0; i < h->nodes; i++) {
    int at = h->map->place[i];
    h->solution[at] += length * h->search[at];
    h->rest[at] -= length * h->image[at];
    product += h->rest[at] * h->rest[at];
    *size += creal(h->rest[at]) * creal(h->rest[at]) + cimag(h->rest[at]) * cimag(h->rest[at]);
  }
  return product;
}

static ht_status helmholtz_solve(helmholtz *h) {
  const double tolerance = 1e-11;
  double size = (double)h->nodes, small = tolerance * tolerance * size;
  double complex product = size;
  for (int64_t i = 0; i < h->nodes; i++)
    h->search[h->map->place[i]] = h->rest[h->map->place[i]] = 1;
  for (int64_t round = 0; size > small; round++) {
    if (round > 1000 + 4 * h->nodes || !isfinite(size))
      return ht_fail(
          HT_ERR_INTERNAL,
          "the Womersley profile of a port with %lld nodes did not converge (residual after %lld "
          "rounds: %.1e); take the profile parabolic or plug",
          (long long)h->nodes, (long long)round, sqrt(size / (double)h->nodes));
    double complex before = product;
    product = step_along(h, product / apply(h), &size);
    double complex ratio = product / before;
    for (int64_t i = 0; i < h->nodes; i++) {
      int at = h->map->place[i];
      h->search[at] = h->rest[at] + ratio * h->search[at];
    }
  }
  return HT_OK;
}

ht_status ht_womersley_profile(const int dim[3], const ht_port *port, double k, double *real,
                               double *imaginary) {
  ht_port_section map;
  helmholtz h = {0};
  double complex total = 0;
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_port_section_make(dim, port, &map));
  HT_TRY_DONE(helmholtz_make(&map, port, k, &h));
  HT_TRY_DONE(helmholtz_solve(&h));
  for (int64_t i = 0; i < port->nodes; i++) total += h.solution[map.place[i]];
  for (int64_t i = 0; i < port->nodes; i++) {
    double complex share = h.solution[map.place[i]] / total;
    real[i] = creal(share);
    imaginary[i] = cimag(share);
  }
done:
  free(h.memory);
  ht_port_section_free(&map);
  return status;
}

/* ---- modes ---- */

static ht_status fill_womersley(const int dim[3], const ht_port *port, double k,
                                ht_inlet_modes *modes) {
  for (int m = 1; m <= modes->series.harmonics; m++) {
    double *real = modes->shape + (2 * m - 1) * modes->nodes;
    HT_TRY(ht_womersley_profile(dim, port, m * k, real, real + modes->nodes));
  }
  return HT_OK;
}

ht_status ht_inlet_modes_make(const int dim[3], const ht_port *port, ht_profile profile,
                              const ht_waveform *waveform, double dx_m, double kinematic_m2_s,
                              ht_inlet_modes *modes) {
  const double share = 0.01;
  const int most = 32;
  memset(modes, 0, sizeof *modes);
  modes->waveform = *waveform;
  modes->nodes = port->nodes;
  if (profile >= HT_PROFILE_WOMERSLEY)
    modes->left_out = ht_waveform_harmonics(waveform, share, most, &modes->series);
  modes->modes = 1 + 2 * modes->series.harmonics;
  HT_TRY(ht_alloc((void **)&modes->shape, (size_t)(modes->modes * modes->nodes), sizeof(double),
                  "the inlet profile"));
  if (profile == HT_PROFILE_PLUG) {
    for (int64_t i = 0; i < port->nodes; i++) modes->shape[i] = 1 / (double)port->nodes;
    return HT_OK;
  }
  HT_TRY(ht_inlet_profile(dim, port, modes->shape));
  if (modes->series.harmonics == 0) return HT_OK;
  double w = 2 * HT_PI / modes->series.period_s;
  return fill_womersley(dim, port, w * dx_m * dx_m / kinematic_m2_s, modes);
}

void ht_inlet_modes_free(ht_inlet_modes *modes) {
  if (!modes) return;
  free(modes->shape);
  memset(modes, 0, sizeof *modes);
}

/* Harmonic m is Re(c exp(i m w t) shape), c = cosine - i sine. */
void ht_inlet_modes_at(const ht_inlet_modes *modes, double time_s, double *coefficient) {
  const ht_harmonics *series = &modes->series;
  double all = ht_waveform_value(&modes->waveform, time_s);
  coefficient[0] = all;
  for (int m = 1; m <= series->harmonics; m++) {
    double phase = 2 * HT_PI * m * (time_s / series->period_s);
    double a = series->cosine_ml_s[m - 1], b = series->sine_ml_s[m - 1];
    coefficient[2 * m - 1] = a * cos(phase) + b * sin(phase);
    coefficient[2 * m] = b * cos(phase) - a * sin(phase);
    coefficient[0] -= coefficient[2 * m - 1];
  }
  double *noise = coefficient + modes->modes - modes->noise_modes;
  for (int m = 0; m < modes->noise_modes; m++)
    noise[m] = all * modes->noise_rms * sqrt(2.0 / modes->noise_modes) *
               cos(2 * HT_PI * modes->noise_hz[m] * time_s + modes->noise_phase[m]);
}

double ht_inlet_modes_peak(const ht_inlet_modes *modes, int moments) {
  double coefficient[1 + 2 * HT_HARMONICS_MAX + HT_NOISE_MODES], peak = 0;
  double reserve = HT_NOISE_PEAK * modes->noise_rms;
  if (modes->waveform.period_s == 0) moments = 1;
  for (int at = 0; at < moments; at++) {
    double time_s = at * modes->waveform.period_s / moments;
    double mean = ht_waveform_value(&modes->waveform, time_s);
    ht_inlet_modes_at(modes, time_s, coefficient);
    for (int64_t i = 0; i < modes->nodes; i++) {
      double flow = 0;
      for (int m = 0; m < modes->modes - modes->noise_modes; m++)
        flow += coefficient[m] * modes->shape[m * modes->nodes + i];
      peak = fmax(peak, fabs(flow) + reserve * fabs(mean) * modes->shape[i]);
    }
  }
  return peak;
}
