#include "validation/runs/taylor_green.h"
#include "solver/plan/collision_limits.h"
#include "validation/runs/periodic_box.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double wave; /* 1 / L */
  double speed, viscosity;
} vortices;

/* Nodes lie at half-integer places, so that the eight-fold symmetry of the flow is the lattice's.
 */
static void flow_at(const void *context, const int voxel[3], ht_box_flow *flow) {
  const vortices *v = context;
  double s[3], c[3], rate = v->speed * v->wave, stress = v->viscosity * rate;
  for (int a = 0; a < 3; a++) {
    s[a] = sin(v->wave * (voxel[a] + 0.5));
    c[a] = cos(v->wave * (voxel[a] + 0.5));
  }
  double double_x = 1 - 2 * s[0] * s[0], double_y = 1 - 2 * s[1] * s[1];
  double double_z = 1 - 2 * s[2] * s[2];
  flow->velocity[0] = v->speed * s[0] * c[1] * c[2];
  flow->velocity[1] = -v->speed * c[0] * s[1] * c[2];
  flow->density = 3 * v->speed * v->speed / 16 * (double_x + double_y) * (double_z + 2);
  flow->stress[0] = 2 * stress * c[0] * c[1] * c[2];
  flow->stress[1] = -flow->stress[0];
  flow->stress[4] = -stress * s[0] * c[1] * s[2];
  flow->stress[5] = stress * c[0] * s[1] * s[2];
}

/* ---- means ---- */

enum { NODES_MOST = 1024 };

/* The velocity by voxel: [n][n][n][3], x fastest. */
typedef struct {
  int n;
  double *velocity;
  double energy;
  double layer[NODES_MOST]; /* enstrophy of the planes across z */
} field;

static void take_node(void *user, const int voxel[3], const ht_box_flow *flow) {
  field *f = user;
  int64_t at = voxel[0] + (int64_t)f->n * (voxel[1] + (int64_t)f->n * voxel[2]);
  memcpy(f->velocity + 3 * at, flow->velocity, sizeof flow->velocity);
  for (int a = 0; a < 3; a++) f->energy += 0.5 * flow->velocity[a] * flow->velocity[a];
}

/* d u_component / d axis. */
static double slope(const field *f, const int voxel[3], int component, int axis) {
  static const double weight[2] = {2.0 / 3, -1.0 / 12};
  double sum = 0;
  for (int away = 1; away <= 2; away++)
    for (int side = -1; side <= 1; side += 2) {
      int at[3] = {voxel[0], voxel[1], voxel[2]};
      at[axis] = (at[axis] + side * away + f->n) % f->n;
      int64_t there = at[0] + (int64_t)f->n * (at[1] + (int64_t)f->n * at[2]);
      sum += side * weight[away - 1] * f->velocity[3 * there + component];
    }
  return sum;
}

static double layer_enstrophy(const field *f, int z) {
  double sum = 0;
  for (int y = 0; y < f->n; y++)
    for (int x = 0; x < f->n; x++)
      for (int a = 0; a < 3; a++) {
        const int voxel[3] = {x, y, z}, b = (a + 1) % 3, c = (a + 2) % 3;
        double curl = slope(f, voxel, c, b) - slope(f, voxel, b, c);
        sum += 0.5 * curl * curl;
      }
  return sum;
}

static ht_status sample(ht_periodic_box *box, const vortices *v, double time, field *f,
                        ht_taylor_green_decay *decay) {
  double nodes = pow(f->n, 3), enstrophy = 0;
  int i = decay->count++;
  f->energy = 0;
  HT_TRY(ht_periodic_box_read(box, take_node, f));
#pragma omp parallel for
  for (int z = 0; z < f->n; z++) f->layer[z] = layer_enstrophy(f, z);
  for (int z = 0; z < f->n; z++) enstrophy += f->layer[z]; /* in order, whatever the threads */
  decay->time[i] = time;
  decay->energy[i] = f->energy / nodes / (v->speed * v->speed);
  decay->viscous[i] = 2 * v->viscosity * enstrophy / nodes / (v->wave * pow(v->speed, 3));
  return HT_OK;
}

/* Fourth-order central differences of the samples, which are evenly spaced. */
static void differentiate(ht_taylor_green_decay *decay) {
  const double *e = decay->energy;
  for (int i = 0; i < decay->count; i++) {
    decay->decay[i] = NAN;
    if (i < 2 || i + 2 >= decay->count) continue;
    double step = decay->time[i + 1] - decay->time[i];
    decay->decay[i] = -(e[i - 2] - 8 * e[i - 1] + 8 * e[i + 1] - e[i + 2]) / (12 * step);
  }
}

static ht_status march(const ht_taylor_green *flow, const vortices *v, ht_periodic_box *box,
                       field *f, ht_taylor_green_decay *decay) {
  double step = v->speed * v->wave; /* of the time */
  int64_t steps = (int64_t)fmax(1, nearbyint(flow->every / step));
  int samples = (int)ceil(flow->end / (step * (double)steps));
  char note[64];
  snprintf(note, sizeof note, "Taylor-Green, %d nodes", flow->n);
  if (samples + 1 > HT_TAYLOR_GREEN_MOST)
    return ht_fail(HT_ERR_USAGE, "Taylor-Green: %d samples; at most %d", samples,
                   HT_TAYLOR_GREEN_MOST);
  HT_TRY(sample(box, v, 0, f, decay));
  for (int i = 1; i <= samples; i++) {
    HT_TRY(ht_progress_report(flow->progress, "validate", i, samples, note));
    HT_TRY(ht_lattice_step(box->lattice, steps));
    HT_TRY(sample(box, v, (double)(i * steps) * step, f, decay));
    if (!isfinite(decay->energy[i]) || decay->energy[i] > 1)
      return ht_fail(HT_ERR_DIVERGED, "%s: unstable after %lld steps", note,
                     (long long)(i * steps));
  }
  decay->steps = samples * steps;
  differentiate(decay);
  return HT_OK;
}

ht_status ht_taylor_green_run(const ht_taylor_green *flow, ht_taylor_green_decay *decay) {
  const double wave = 2 * HT_PI / flow->n;
  const vortices v = {wave, flow->speed_lu, flow->speed_lu / wave / flow->reynolds};
  ht_lattice_setup setup = {
      .tau = 0.5 + 3 * v.viscosity,
      .precision = flow->precision,
      .collision = flow->collision,
      .compressibility = HT_QUASI_COMPRESSIBLE,
      .device = flow->device,
      .threads = flow->threads,
      .corrects_diagonals = ht_collision_has_jets(flow->collision, flow->speed_lu / v.viscosity),
      .periodic = {1, 1, 1}};
  ht_periodic_box box;
  field f = {.n = flow->n};
  memset(decay, 0, sizeof *decay);
  if (flow->n < 4 || flow->n > NODES_MOST || flow->n % 4)
    return ht_fail(HT_ERR_USAGE,
                   "Taylor-Green: %d nodes a side; allowed is a multiple of 4 up to %d", flow->n,
                   NODES_MOST);
  decay->tau = setup.tau;
  ht_status status = ht_periodic_box_make((int[3]){flow->n, flow->n, flow->n}, NULL, &setup, &box);
  if (status == HT_OK) {
    snprintf(decay->device, sizeof decay->device, "%s", ht_lattice_device(box.lattice));
    status = ht_periodic_box_begin(&box, flow_at, &v);
  }
  if (status == HT_OK)
    status = ht_alloc((void **)&f.velocity, (size_t)flow->n * (size_t)flow->n * (size_t)flow->n,
                      3 * sizeof(double), "the velocity of a cube");
  if (status == HT_OK) status = march(flow, &v, &box, &f, decay);
  free(f.velocity);
  ht_periodic_box_free(&box);
  return status;
}

double ht_peak_of(int count, const double *x, const double *value, double *at) {
  int top = -1;
  for (int i = 0; i < count; i++)
    if (isfinite(value[i]) && (top < 0 || value[i] > value[top])) top = i;
  *at = top < 0 ? NAN : x[top];
  if (top < 0) return NAN;
  if (top == 0 || top + 1 >= count || !isfinite(value[top - 1]) || !isfinite(value[top + 1]))
    return value[top];
  double slope = (value[top + 1] - value[top - 1]) / 2;
  double bend = value[top + 1] - 2 * value[top] + value[top - 1];
  if (!(bend < 0)) return value[top];
  *at = x[top] - slope / bend * (x[top + 1] - x[top]);
  return value[top] - slope * slope / (2 * bend);
}
