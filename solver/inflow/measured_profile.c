#include "solver/inflow/measured_profile.h"
#include "core/numbers/vector3.h"
#include <complex.h>
#include <stdlib.h>

static const double NET_LEAST = 0.2; /* net flow of a harmonic, of what goes to and fro */

void ht_measured_terms(const double at[2], double term[HT_MEASURED_TERMS]) {
  enum { ORDER = 4 };
  double x = 1;
  int n = 0;
  for (int a = 0; a <= ORDER; a++, x *= at[0]) {
    double y = 1;
    for (int b = 0; a + b <= ORDER; b++, y *= at[1]) term[n++] = x * y;
  }
}

/* Half of the inverse of the covariance's symmetric root: an ellipse's standard deviation along an
 * axis is half of its half axis. */
int ht_profile_frame_of(int64_t count, const double (*place)[2], ht_profile_frame *frame) {
  double c[3] = {0}, *centre = frame->centre;
  centre[0] = centre[1] = 0;
  for (int64_t i = 0; i < count; i++)
    for (int a = 0; a < 2; a++) centre[a] += place[i][a] / (double)count;
  for (int64_t i = 0; i < count; i++) {
    const double x = place[i][0] - centre[0], y = place[i][1] - centre[1];
    c[0] += x * x / (double)count;
    c[1] += x * y / (double)count;
    c[2] += y * y / (double)count;
  }
  const double root = sqrt(fmax(0, c[0] * c[2] - c[1] * c[1])),
               trace = sqrt(c[0] + c[2] + 2 * root);
  if (!(root > 0)) return 0;
  /* The root of C is (C + s I) / t, s the root of its determinant; its determinant is s. */
  frame->inverse[0][0] = 0.5 * (c[2] + root) / (trace * root);
  frame->inverse[1][1] = 0.5 * (c[0] + root) / (trace * root);
  frame->inverse[0][1] = frame->inverse[1][0] = -0.5 * c[1] / (trace * root);
  return 1;
}

void ht_profile_place(const ht_profile_frame *frame, const double offset[2], double at[2]) {
  const double x = offset[0] - frame->centre[0], y = offset[1] - frame->centre[1];
  for (int a = 0; a < 2; a++) at[a] = frame->inverse[a][0] * x + frame->inverse[a][1] * y;
}

/* Turns the section's first axis as the shortest turn takes its normal to the port's direction. */
static void turn_axis(const ht_measured_profile *profile, const double along[3], double across[3]) {
  double axis[3], crossed[3];
  const double c = ht_dot(profile->normal, along);
  ht_cross(profile->normal, along, axis);
  ht_cross(axis, profile->across, crossed);
  const double part = ht_dot(axis, profile->across) / fmax(1e-9, 1 + c);
  for (int r = 0; r < 3; r++) across[r] = c * profile->across[r] + crossed[r] + part * axis[r];
  const double off = ht_dot(across, along);
  for (int r = 0; r < 3; r++) across[r] -= off * along[r];
  ht_normalise(across);
}

/* Finds the places of the port's nodes across the vessel, mm. */
static void find_places(const ht_grid *grid, const ht_port *port,
                        const ht_measured_profile *profile, double (*place)[2]) {
  double along[3], first[3], second[3];
  ht_grid_to_lps(grid, port->direction, along);
  turn_axis(profile, along, first);
  ht_cross(along, first, second);
  for (int64_t i = 0; i < port->nodes; i++) {
    double at[3];
    ht_grid_voxel_position(grid, port->node[i], at);
    place[i][0] = ht_dot(at, first);
    place[i][1] = ht_dot(at, second);
  }
}

/* Evaluates one of the polynomials at a node, times its developed profile. */
static double value(const double coefficient[HT_MEASURED_TERMS],
                    const double term[HT_MEASURED_TERMS], double developed) {
  double sum = 0;
  for (int n = 0; n < HT_MEASURED_TERMS; n++) sum += coefficient[n] * term[n];
  return developed * sum;
}

/* Fills a harmonic's shape; of a small net flow it stays. */
static void fill_harmonic(const ht_measured_profile *profile, int harmonic,
                          const double (*term)[HT_MEASURED_TERMS], const double *developed,
                          ht_inlet_modes *modes) {
  const double(*c)[HT_MEASURED_TERMS] = profile->coefficient + 2 * harmonic - 1;
  double *real = modes->shape + (2 * harmonic - 1) * modes->nodes, *imaginary = real + modes->nodes;
  double complex net = 0;
  double all = 0;
  for (int64_t i = 0; i < modes->nodes; i++) {
    const double complex one =
        value(c[0], term[i], developed[i]) - I * value(c[1], term[i], developed[i]);
    net += one;
    all += cabs(one);
  }
  if (cabs(net) < NET_LEAST * all) return;
  for (int64_t i = 0; i < modes->nodes; i++) {
    const double complex share =
        (value(c[0], term[i], developed[i]) - I * value(c[1], term[i], developed[i])) / net;
    real[i] = creal(share);
    imaginary[i] = cimag(share);
  }
}

static ht_status fill(const ht_measured_profile *profile, const double (*term)[HT_MEASURED_TERMS],
                      const double *developed, ht_inlet_modes *modes) {
  double net = 0;
  for (int64_t i = 0; i < modes->nodes; i++)
    net += value(profile->coefficient[0], term[i], developed[i]);
  if (!(net > 0))
    return ht_fail(HT_ERR_CASE, "the mean flow of the measured profile is not into the vessel");
  for (int64_t i = 0; i < modes->nodes; i++)
    modes->shape[i] = value(profile->coefficient[0], term[i], developed[i]) / net;
  for (int m = 1; m <= profile->harmonics && m <= modes->series.harmonics; m++)
    fill_harmonic(profile, m, term, developed, modes);
  return HT_OK;
}

ht_status ht_measured_profile_apply(const ht_grid *grid, const ht_port *port,
                                    const ht_measured_profile *profile, ht_inlet_modes *modes) {
  double(*place)[2] = NULL, (*term)[HT_MEASURED_TERMS] = NULL, *developed = NULL, at[2];
  ht_profile_frame frame;
  if (!profile || profile->harmonics < 0)
    return ht_fail(HT_ERR_CASE, "flow.profile is measured, and there is no measured profile");
  const size_t nodes = (size_t)port->nodes;
  ht_status status = ht_alloc((void **)&place, nodes, sizeof *place, "the inlet profile");
  if (status == HT_OK) status = ht_alloc((void **)&term, nodes, sizeof *term, "the inlet profile");
  if (status == HT_OK)
    status = ht_alloc((void **)&developed, nodes, sizeof *developed, "the inlet profile");
  if (status == HT_OK) {
    find_places(grid, port, profile, place);
    for (size_t i = 0; i < nodes; i++) developed[i] = modes->shape[i];
    if (ht_profile_frame_of(port->nodes, (const double(*)[2])place, &frame)) {
      for (size_t i = 0; i < nodes; i++) {
        ht_profile_place(&frame, place[i], at);
        ht_measured_terms(at, term[i]);
      }
      status = fill(profile, (const double(*)[HT_MEASURED_TERMS])term, developed, modes);
    }
  }
  free(place);
  free(term);
  free(developed);
  return status;
}
