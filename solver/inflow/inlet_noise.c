#include "solver/inflow/inlet_noise.h"
#include "solver/kernels/start_noise.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The random numbers of a wave. */
enum { LENGTH = 0, ANGLE, PHASE, START, NUMBERS };

typedef struct {
  double along[2], phase; /* over the section, from its centre; 1 / spacing */
} wave;

/* Returns a pseudo-random number in [0, 1). */
static double number(int64_t seed, int mode, int which) {
  uint64_t place = (uint64_t)seed * HT_NOISE_MODES * NUMBERS + (uint64_t)(mode * NUMBERS + which);
  return 0.5 + 0.5 * ht_noise_at(place);
}

/* Returns the diameter of a round port of the same area, in spacings. */
static double diameter_of(const ht_port *port) {
  return 2 * sqrt((double)port->nodes * fabs(port->direction[port->axis]) / HT_PI);
}

static wave make_wave(double diameter, int64_t seed, int mode) {
  double length = diameter * pow(4, number(seed, mode, LENGTH) - 1);
  double angle = 2 * HT_PI * number(seed, mode, ANGLE), k = 2 * HT_PI / length;
  return (wave){{k * cos(angle), k * sin(angle)}, 2 * HT_PI * number(seed, mode, PHASE)};
}

static void centre_of(const int dim[3], const ht_port *port, double centre[2]) {
  int at[2];
  centre[0] = centre[1] = 0;
  for (int64_t i = 0; i < port->nodes; i++) {
    ht_port_coordinates(dim, port, i, at);
    for (int a = 0; a < 2; a++) centre[a] += at[a] / (double)port->nodes;
  }
}

/* The wave times the profile; what it carries is taken off again with the profile's shape. */
static void fill_shape(const int dim[3], const ht_port *port, const double centre[2], const wave *w,
                       const double *profile, double *shape) {
  double carried = 0;
  int at[2];
  for (int64_t i = 0; i < port->nodes; i++) {
    ht_port_coordinates(dim, port, i, at);
    double x = at[0] - centre[0], y = at[1] - centre[1];
    shape[i] = profile[i] * sqrt(2) * cos(w->along[0] * x + w->along[1] * y + w->phase);
    carried += shape[i];
  }
  for (int64_t i = 0; i < port->nodes; i++) shape[i] -= carried * profile[i];
}

ht_status ht_inlet_noise_add(const int dim[3], const ht_port *port, double rms, int64_t seed,
                             double flow_m3_s, double dx_m, ht_inlet_modes *modes) {
  double diameter = diameter_of(port), centre[2], *shape;
  double speed_m_s = flow_m3_s / (HT_PI / 4 * diameter * diameter * dx_m * dx_m);
  size_t before = (size_t)(modes->modes * modes->nodes);
  HT_TRY(ht_alloc((void **)&shape, before + (size_t)(HT_NOISE_MODES * modes->nodes), sizeof(double),
                  "the inlet's noise"));
  memcpy(shape, modes->shape, before * sizeof(double));
  centre_of(dim, port, centre);
  for (int m = 0; m < HT_NOISE_MODES; m++) {
    wave w = make_wave(diameter, seed, m);
    fill_shape(dim, port, centre, &w, modes->shape, shape + (modes->modes + m) * modes->nodes);
    modes->noise_hz[m] = speed_m_s * hypot(w.along[0], w.along[1]) / (2 * HT_PI * dx_m);
    modes->noise_phase[m] = 2 * HT_PI * number(seed, m, START);
  }
  free(modes->shape);
  modes->shape = shape;
  modes->modes += HT_NOISE_MODES;
  modes->noise_modes = HT_NOISE_MODES;
  modes->noise_rms = rms;
  return HT_OK;
}
