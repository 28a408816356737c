#include "validation/runs/periodic_pipe.h"
#include "core/machine/clock.h"
#include "validation/runs/periodic_box.h"
#include "validation/runs/round_pipe.h"
#include "solver/kernels/start_noise.h"
#include "core/numbers/units.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVES = 24, LOOKS = 20 }; /* LOOKS: times that the force is set in a D/U */

/* ---- the start ---- */

/* A wave of the vector potential: vector * cos(wave . place + phase), times (1 - (r/R)^2)^2; along
 * the pipe the wave fits into its length. */
typedef struct {
  double wave[3], phase, vector[3]; /* along and across the pipe */
} potential_wave;

typedef struct {
  const ht_periodic_pipe *wanted;
  ht_round_pipe pipe;
  potential_wave wave[WAVES];
} start;

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void random_unit(uint64_t seed, double out[3]) {
  double z = ht_noise_at(seed), angle = HT_PI * ht_noise_at(seed + 1), flat = sqrt(1 - z * z);
  out[0] = z, out[1] = flat * cos(angle), out[2] = flat * sin(angle);
}

/* Makes a wave. Its velocity is near wave x vector, whose square has the mean |wave x vector|^2 / 2
 * * 1/5: the mean of (1 - (r/R)^2)^4 over the section. */
static void make_wave(const start *s, int number, potential_wave *wave) {
  const uint64_t seed = 1000 + 10 * (uint64_t)number;
  double across = 2 * s->pipe.radius, around = 2 * HT_PI / s->pipe.length, velocity[3];
  double length = 0.3 * across * pow(4, 0.5 + 0.5 * ht_noise_at(seed));
  random_unit(seed + 1, wave->wave);
  for (int k = 0; k < 3; k++) wave->wave[k] *= 2 * HT_PI / length;
  wave->wave[0] = around * nearbyint(wave->wave[0] / around);
  wave->phase = HT_PI * ht_noise_at(seed + 3);
  random_unit(seed + 4, wave->vector);
  cross(wave->wave, wave->vector, velocity);
  double size =
      sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
  double wanted = s->wanted->disturbance * s->wanted->speed_lu * sqrt(10.0 / WAVES);
  for (int k = 0; k < 3; k++) wave->vector[k] *= wanted / size;
}

/* The curl of the waves at a place: grad(window cos) x vector. */
static void add_waves(const start *s, const double place[3], double velocity[3]) {
  double radius2 = s->pipe.radius * s->pipe.radius;
  double within = 1 - (place[1] * place[1] + place[2] * place[2]) / radius2;
  for (int i = 0; i < WAVES; i++) {
    const potential_wave *w = &s->wave[i];
    double phase = w->phase, slope[3], curl[3];
    for (int k = 0; k < 3; k++) phase += w->wave[k] * place[k];
    for (int k = 0; k < 3; k++) {
      slope[k] = -within * within * sin(phase) * w->wave[k];
      if (k > 0) slope[k] -= 4 * within * place[k] / radius2 * cos(phase);
    }
    cross(slope, w->vector, curl);
    for (int k = 0; k < 3; k++) velocity[k] += curl[k];
  }
}

/* Mean velocity over U. The power law of exponent 1/6 has the axis at 1.26, near that of Re 5300
 * (1.31). */
static double profile(const start *s, double from_wall) {
  double y = from_wall / s->pipe.radius, n = 6;
  if (s->wanted->disturbance > 0) return (n + 1) * (2 * n + 1) / (2 * n * n) * pow(y, 1 / n);
  return 2 * y * (2 - y);
}

static void flow_at(const void *context, const int voxel[3], ht_box_flow *flow) {
  const start *s = context;
  double place[3], velocity[3] = {0, 0, 0};
  double from_wall = ht_round_pipe_place(&s->pipe, voxel, &place[0], place + 1);
  if (s->wanted->disturbance > 0) add_waves(s, place, velocity);
  velocity[0] += s->wanted->speed_lu * profile(s, from_wall);
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < 3; k++) flow->velocity[a] += velocity[k] * s->pipe.axis[k][a];
}

/* ---- the force ---- */

typedef struct {
  ht_lattice *lattice;
  ht_round_pipe pipe;
  double nodes, speed_lu;
  double force;    /* acceleration along the pipe */
  double momentum; /* along the pipe, of all nodes, after the last step */
  double drag;     /* of the wall over the last steps, a node and step */
} drive;

static ht_status set_force(drive *d, double force) {
  double acceleration[3];
  for (int a = 0; a < 3; a++) acceleration[a] = force * d->pipe.axis[0][a];
  d->force = force;
  return ht_lattice_accelerate(d->lattice, acceleration);
}

static ht_status measure(drive *d, double *momentum) {
  double sum[3];
  HT_TRY(ht_lattice_momentum(d->lattice, sum));
  *momentum = 0;
  for (int a = 0; a < 3; a++) *momentum += sum[a] * d->pipe.axis[0][a];
  return HT_OK;
}

/* Mean speed through the section: the sum over the nodes of a profile that is 0 at the wall. */
static double mean_speed(const drive *d) {
  double volume = HT_PI * d->pipe.radius * d->pipe.radius * d->pipe.length;
  return (d->momentum - 0.5 * d->force * d->nodes) / volume;
}

/* Balance of momentum: what the force gave and the fluid has not, the wall has taken. Then the
 * force that would hold the velocity at this drag, and what brings it back within half a D/U. */
static ht_status advance(drive *d, int64_t steps) {
  double before = d->momentum;
  HT_TRY(ht_lattice_step(d->lattice, steps));
  HT_TRY(measure(d, &d->momentum));
  d->drag = d->force - (d->momentum - before) / d->nodes / (double)steps;
  double back = (d->speed_lu - mean_speed(d)) * d->speed_lu / d->pipe.radius;
  if (!(fabs(mean_speed(d)) < 0.3))
    return ht_fail(HT_ERR_DIVERGED, "pipe: unstable; the mean velocity is %g", mean_speed(d));
  return set_force(d, d->drag + back);
}

/* ---- samples ---- */

typedef struct {
  const ht_round_pipe *pipe;
  double count[HT_PIPE_RINGS], axial[HT_PIPE_RINGS], square[HT_PIPE_RINGS], off[HT_PIPE_RINGS];
  double across, density, nodes, most;
} samples;

static void take_node(void *user, const int voxel[3], const ht_box_flow *flow) {
  samples *s = user;
  double along, off[2], velocity[3] = {0, 0, 0}, speed2 = 0;
  double from_wall = ht_round_pipe_place(s->pipe, voxel, &along, off);
  int ring = (int)from_wall < HT_PIPE_RINGS ? (int)from_wall : HT_PIPE_RINGS - 1;
  for (int k = 0; k < 3; k++)
    for (int a = 0; a < 3; a++) velocity[k] += s->pipe->axis[k][a] * flow->velocity[a];
  for (int k = 0; k < 3; k++) speed2 += velocity[k] * velocity[k];
  s->count[ring]++;
  s->off[ring] += from_wall;
  s->axial[ring] += velocity[0];
  s->square[ring] += velocity[0] * velocity[0];
  s->across += 0.5 * (velocity[1] * velocity[1] + velocity[2] * velocity[2]);
  s->density += flow->density;
  s->nodes++;
  s->most = fmax(s->most, sqrt(speed2));
}

/* ---- a run ---- */

typedef struct {
  const ht_periodic_pipe *wanted;
  start start;
  ht_periodic_box box;
  float *distance;
  drive drive;
  samples samples;
  int64_t a_look;       /* steps between two settings of the force */
  int looks;            /* of the time averaged over */
  double *drag, *speed; /* [looks] */
  int look;             /* done, from the start on */
  double kept_at;       /* seconds, the last state */
  int stops;            /* 1: asked to stop: keeps the state, and ends */
} run;

static double viscosity_of(const ht_periodic_pipe *w) {
  return w->speed_lu * w->across / w->reynolds;
}

/* Blasius's law, or that of laminar flow: what the force begins with. */
static double expected_friction(const ht_periodic_pipe *w) {
  return w->disturbance > 0 ? 0.316 * pow(w->reynolds, -0.25) : 64 / w->reynolds;
}

static ht_status begin(run *r) {
  const ht_periodic_pipe *w = r->wanted;
  ht_mask mask;
  double force = expected_friction(w) * w->speed_lu * w->speed_lu / (2 * w->across);
  const ht_round_pipe *pipe = &r->start.pipe;
  ht_lattice_setup setup = {.tau = 0.5 + 3 * viscosity_of(w),
                            .precision = w->precision,
                            .collision = w->collision,
                            .compressibility = HT_QUASI_COMPRESSIBLE,
                            .device = w->device,
                            .threads = w->threads,
                            .corrects_diagonals = w->corrects_diagonals};
  for (int a = 0; a < 3; a++) {
    setup.periodic[a] = pipe->periodic[a];
    setup.acceleration_lu[a] = force * pipe->axis[0][a];
  }
  HT_TRY(ht_round_pipe_voxels(pipe, &mask, w->half_way ? NULL : &r->distance));
  setup.wall_distance = r->distance;
  HT_TRY(ht_periodic_box_make(pipe->dim, &mask, &setup, &r->box));
  HT_TRY(ht_periodic_box_begin(&r->box, flow_at, &r->start));
  r->drive = (drive){.lattice = r->box.lattice,
                     .pipe = *pipe,
                     .nodes = (double)r->box.tiling.nodes,
                     .speed_lu = w->speed_lu,
                     .force = force};
  /* The walls have turned back what is written next to them: a step makes it a state as all
   * others. */
  HT_TRY(ht_lattice_step(r->box.lattice, 1));
  return measure(&r->drive, &r->drive.momentum);
}

static ht_status report(const run *r, double done) {
  const ht_periodic_pipe *w = r->wanted;
  char note[96];
  snprintf(note, sizeof note, "%d across, %s, %s walls: %.0f D/U, friction %.4f", w->across,
           w->diagonal ? "45 degrees" : "axis", w->half_way ? "half-way" : "interpolated", done,
           2 * w->across * r->drive.drag / (w->speed_lu * w->speed_lu));
  return ht_progress_report(w->progress, "validate", done, w->settle + w->average, note);
}

/* ---- the state, between two looks ---- */

static ht_status move_run(run *r, ht_state *stream) {
  size_t looks = (size_t)r->looks * sizeof *r->drag;
  samples *s = &r->samples;
  HT_TRY(ht_state_part(stream, "pipe"));
  HT_TRY(ht_state_int(stream, &r->look, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, r->drive.force));
  HT_TRY(HT_STATE_OF(stream, r->drive.momentum));
  HT_TRY(HT_STATE_OF(stream, r->drive.drag));
  HT_TRY(ht_state_bytes(stream, r->drag, looks));
  HT_TRY(ht_state_bytes(stream, r->speed, looks));
  const ht_round_pipe *pipe = s->pipe;
  HT_TRY(HT_STATE_OF(stream, *s));
  s->pipe = pipe;
  return ht_lattice_transfer(r->drive.lattice, stream);
}

static ht_status save(void *user, ht_state *stream) {
  return move_run(user, stream);
}

static ht_status resume(run *r) {
  ht_state *from = r->wanted->keeping ? r->wanted->keeping->resume : NULL;
  r->kept_at = ht_clock_s();
  if (!from) return HT_OK;
  HT_TRY(move_run(r, from));
  return set_force(&r->drive, r->drive.force);
}

static ht_status keep(run *r) {
  const ht_solve_keeping *keeping = r->wanted->keeping;
  int64_t step = r->look * r->a_look;
  if (!keeping) return HT_OK;
  if (keeping->at_step > 0 && step >= keeping->at_step) r->stops = 1;
  if (!r->stops && ht_clock_s() - r->kept_at < keeping->every_s) return HT_OK;
  keeping->keep(keeping->user, step, (double)step, save, r);
  r->kept_at = ht_clock_s();
  return r->stops ? ht_fail(HT_ERR_INTERRUPTED, "pipe: stopped as asked") : HT_OK;
}

/* ---- all of it ---- */

static ht_status look(run *r) {
  const ht_periodic_pipe *w = r->wanted;
  int settle = (int)(w->settle * LOOKS), every = r->looks / (w->samples > 0 ? w->samples : 1);
  HT_TRY(advance(&r->drive, r->a_look));
  int i = r->look++ - settle;
  if (i < 0) return HT_OK;
  r->drag[i] = r->drive.drag;
  r->speed[i] = mean_speed(&r->drive);
  if (every == 0 || i % every != every - 1) return HT_OK;
  return ht_periodic_box_read(&r->box, take_node, &r->samples);
}

static ht_status march(run *r) {
  int all = (int)(r->wanted->settle * LOOKS) + r->looks;
  HT_TRY(resume(r));
  while (r->look < all) {
    HT_TRY(look(r));
    ht_status status = report(r, (double)r->look / LOOKS);
    r->stops = status == HT_ERR_INTERRUPTED && r->wanted->keeping;
    if (!r->stops) HT_TRY(status);
    HT_TRY(keep(r));
  }
  return HT_OK;
}

static void fill_rings(const samples *s, double viscosity, double friction_speed,
                       ht_periodic_pipe_flow *flow) {
  for (int i = 0; i < HT_PIPE_RINGS && s->count[i] > 0; i++) {
    double mean = s->axial[i] / s->count[i];
    flow->wall_units[i] = s->off[i] / s->count[i] * friction_speed / viscosity;
    flow->axial[i] = mean / friction_speed;
    flow->axial_rms[i] = sqrt(fmax(0, s->square[i] / s->count[i] - mean * mean)) / friction_speed;
    flow->rings = i + 1;
  }
  flow->across_rms = sqrt(s->across / s->nodes) / friction_speed;
  flow->density = s->density / s->nodes;
  flow->most_lu = s->most;
}

static void judge(const run *r, ht_periodic_pipe_flow *flow) {
  const ht_periodic_pipe *w = r->wanted;
  ht_batch_mean drag = ht_batch_mean_of(r->looks, r->drag);
  double speed = ht_batch_mean_of(r->looks, r->speed).mean;
  /* The mean stress of a round wall: drag a volume times radius / 2. */
  double scale = 2 * w->across / (speed * speed);
  flow->friction = (ht_batch_mean){scale * drag.mean, scale * drag.error};
  flow->reynolds = speed * w->across / viscosity_of(w);
  flow->tau = 0.5 + 3 * viscosity_of(w);
  flow->nodes = r->box.tiling.nodes;
  flow->steps = (int64_t)(w->settle * LOOKS + r->looks) * r->a_look;
  snprintf(flow->device, sizeof flow->device, "%s", ht_lattice_device(r->box.lattice));
  double friction_speed = speed * sqrt(flow->friction.mean / 8);
  fill_rings(&r->samples, viscosity_of(w), friction_speed, flow);
  flow->centre = flow->rings ? flow->axial[flow->rings - 1] * friction_speed / speed : NAN;
}

ht_status ht_periodic_pipe_run(const ht_periodic_pipe *wanted, ht_periodic_pipe_flow *flow) {
  run *r;
  memset(flow, 0, sizeof *flow);
  HT_TRY(ht_alloc((void **)&r, 1, sizeof *r, "a pipe"));
  r->wanted = r->start.wanted = wanted;
  r->start.pipe = ht_round_pipe_make(wanted->across, wanted->diagonal, wanted->lengths);
  r->samples.pipe = &r->start.pipe;
  for (int i = 0; i < WAVES; i++) make_wave(&r->start, i, &r->start.wave[i]);
  r->a_look = (int64_t)fmax(1, nearbyint(wanted->across / wanted->speed_lu / LOOKS));
  r->looks = (int)(wanted->average * LOOKS);
  ht_status status = ht_alloc((void **)&r->drag, 2 * (size_t)r->looks, sizeof(double), "a pipe");
  if (status == HT_OK) r->speed = r->drag + r->looks;
  if (status == HT_OK) status = begin(r);
  if (status == HT_OK) status = march(r);
  if (status == HT_OK) judge(r, flow);
  ht_periodic_box_free(&r->box);
  free(r->distance);
  free(r->drag);
  free(r);
  return status;
}
