#include "bench/papers/plane_flows/plane_cylinder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIODS = 10, LOOKS_A_PERIOD = 60, MOST_LOOKS = 20000 };

static void place(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow, int size[2]) {
  int d = cylinder->diameter;
  size[0] = (cylinder->is_free ? 40 : 22) * d;
  size[1] = cylinder->is_free ? 40 * d : 41 * d / 10;
  flow->centre[0] = (cylinder->is_free ? 15 : 2) * d;
  flow->centre[1] = (cylinder->is_free ? 20 : 2) * d;
}

static void cut_out(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow) {
  ht_rectangle *box = &flow->box;
  for (int i = 0; i < box->nx * box->ny; i++)
    if (hypot(i % box->nx + 0.5 - flow->centre[0], i / box->nx + 0.5 - flow->centre[1]) <
        0.5 * cylinder->diameter)
      box->mask[i] = 0;
}

/* Inlet, outlet, and in a free stream both sides; a corner node belongs to two ports. */
static int make_ports(const ht_plane_cylinder *cylinder, const ht_rectangle *box,
                      const double *profile, ht_plane_port port[4]) {
  port[0] = ht_rectangle_port(box, 0, HT_PORT_VELOCITY);
  port[1] = ht_rectangle_port(box, 1, HT_PORT_PRESSURE);
  if (!cylinder->is_free) {
    port[0].profile_lu = profile;
    return 2;
  }
  port[0].velocity_lu[0] = cylinder->mean;
  for (int side = 2; side < 4; side++) {
    port[side] = ht_rectangle_port(box, side, HT_PORT_VELOCITY);
    port[side].velocity_lu[0] = cylinder->mean;
  }
  return 4;
}

static ht_status begin(const ht_plane_cylinder *cylinder, const double *profile,
                       ht_plane_cylinder_flow *flow) {
  ht_plane_port port[4];
  double tau = 0.5 + 3 * cylinder->mean * cylinder->diameter / cylinder->reynolds;
  ht_plane_setup setup = ht_rectangle_setup(&flow->box, tau, cylinder->device, cylinder->threads);
  setup.precision = cylinder->precision;
  setup.collision = HT_MRT;
  setup.ramp_steps = cylinder->ramp_steps;
  setup.ports = make_ports(cylinder, &flow->box, profile, port);
  setup.port = port;
  return ht_rectangle_begin(&flow->box, &setup);
}

ht_status ht_plane_cylinder_begin(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow) {
  int size[2];
  double *profile;
  memset(flow, 0, sizeof *flow);
  place(cylinder, flow, size);
  HT_TRY(ht_rectangle_make(size[0], size[1], &flow->box));
  cut_out(cylinder, flow);
  HT_TRY(ht_alloc((void **)&profile, (size_t)size[1], 2 * sizeof(double), "the inlet profile"));
  for (int y = 0; y < size[1]; y++)
    profile[2 * y] = 6 * cylinder->mean * (y + 0.5) * (size[1] - y - 0.5) / size[1] / size[1];
  ht_status status = begin(cylinder, profile, flow);
  free(profile);
  return status;
}

void ht_plane_cylinder_free(ht_plane_cylinder_flow *flow) {
  if (flow) ht_rectangle_free(&flow->box);
}

ht_status ht_plane_cylinder_force(const ht_plane_cylinder *cylinder,
                                  const ht_plane_cylinder_flow *flow, double coefficient[2]) {
  int d = cylinder->diameter, x = (int)flow->centre[0] - d, y = (int)flow->centre[1] - d;
  HT_TRY(ht_plane_force(flow->box.plane, (int[4]){x, y, x + 2 * d, y + 2 * d}, coefficient));
  for (int a = 0; a < 2; a++) coefficient[a] *= 2 / (cylinder->mean * cylinder->mean * d);
  return HT_OK;
}

/* Velocity along the axis, which lies between two rows. */
static double on_axis(const ht_plane_cylinder_flow *flow, int x) {
  int64_t above = x + (int64_t)flow->box.nx * (int)flow->centre[1];
  return 0.5 * (flow->box.velocity[2 * above] + flow->box.velocity[2 * (above - flow->box.nx)]);
}

double ht_plane_cylinder_bubble(const ht_plane_cylinder *cylinder,
                                const ht_plane_cylinder_flow *flow) {
  double rear = flow->centre[0] + 0.5 * cylinder->diameter;
  int x = (int)rear;
  while (x + 1 < flow->box.nx && on_axis(flow, x) < 0) x++;
  if (x == (int)rear) return 0;
  double before = on_axis(flow, x - 1), after = on_axis(flow, x);
  return (x - 0.5 + before / (before - after) - rear) / cylinder->diameter;
}

ht_status ht_plane_cylinder_settle(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow,
                                   int64_t *steps) {
  char note[64];
  snprintf(note, sizeof note, "cylinder, Re %g, %d nodes across", cylinder->reynolds,
           cylinder->diameter);
  int64_t pass = (int64_t)(flow->box.nx / cylinder->mean);
  const ht_rectangle_rest rest = {.tolerance = 1e-8,
                                  .every = 2000,
                                  .least = cylinder->ramp_steps + pass,
                                  .most = cylinder->ramp_steps + 30 * pass,
                                  .fastest = 3.5 * cylinder->mean,
                                  .progress = cylinder->progress,
                                  .note = note};
  HT_TRY(ht_rectangle_settle(&flow->box, &rest, steps));
  return ht_rectangle_read(&flow->box);
}

/* ---- vortices ---- */

typedef struct {
  double last, first_rise, rise; /* lift at the previous sample; times at which it rose through 0 */
  int rises, looks;
} watch;

/* Samples the wake at `time`, in units of diameter / mean. */
static void take(ht_plane_cylinder_wake *wake, watch *w, double time, double every,
                 const double coefficient[2]) {
  wake->drag = fmax(wake->drag, coefficient[0]);
  wake->lift = fmax(wake->lift, coefficient[1]);
  if (w->last < 0 && coefficient[1] >= 0) {
    w->rise = time - every * coefficient[1] / (coefficient[1] - w->last);
    if (w->rises++ == 0) w->first_rise = w->rise;
  }
  w->last = coefficient[1];
  if (w->rises == 0) return;
  wake->time[wake->count] = time;
  for (int a = 0; a < 2; a++) wake->history[a][wake->count] = coefficient[a];
  wake->mean_drag += coefficient[0];
  wake->count++;
}

static ht_status make_wake(ht_plane_cylinder_wake *wake) {
  memset(wake, 0, sizeof *wake);
  HT_TRY(ht_alloc((void **)&wake->time, MOST_LOOKS, sizeof(double), "the wake"));
  for (int a = 0; a < 2; a++)
    HT_TRY(ht_alloc((void **)&wake->history[a], MOST_LOOKS, sizeof(double), "the wake"));
  return HT_OK;
}

ht_status ht_plane_cylinder_shed(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow,
                                 ht_plane_cylinder_wake *wake) {
  /* A period is about 1 / 0.3 of diameter / mean; 100 of these units let vortices grow. */
  const double unit = cylinder->diameter / cylinder->mean;
  const int64_t every = (int64_t)(unit / 0.3 / LOOKS_A_PERIOD) + 1;
  const int64_t settled = cylinder->ramp_steps + (int64_t)(100 * unit);
  watch w = {0};
  HT_TRY(make_wake(wake));
  HT_TRY(ht_plane_step(flow->box.plane, settled));
  for (int64_t step = settled; w.rises <= PERIODS; w.looks++) {
    double coefficient[2];
    if (w.looks == MOST_LOOKS) return ht_fail(HT_ERR_NOT_STEADY, "no vortices are shed");
    HT_TRY(ht_progress_report(cylinder->progress, "validate", w.rises, PERIODS, "vortices"));
    HT_TRY(ht_plane_step(flow->box.plane, every));
    step += every;
    HT_TRY(ht_plane_cylinder_force(cylinder, flow, coefficient));
    if (!(fabs(coefficient[1]) < 5))
      return ht_fail(HT_ERR_DIVERGED, "flow past a cylinder: lift coefficient %g", coefficient[1]);
    take(wake, &w, (double)step / unit, (double)every / unit, coefficient);
  }
  wake->strouhal = PERIODS / (w.rise - w.first_rise);
  wake->mean_drag /= wake->count;
  return ht_rectangle_read(&flow->box);
}

void ht_plane_cylinder_wake_free(ht_plane_cylinder_wake *wake) {
  if (!wake) return;
  free(wake->time);
  for (int a = 0; a < 2; a++) free(wake->history[a]);
  memset(wake, 0, sizeof *wake);
}
