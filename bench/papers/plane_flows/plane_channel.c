#include "bench/papers/plane_flows/plane_channel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double top_speed(const ht_plane_channel *channel) {
  return 0.4 / channel->height;
}

static double parabola(const ht_plane_channel *channel, int y) {
  int height = channel->height;
  return 4 * top_speed(channel) * (y + 0.5) * (height - y - 0.5) / height / height;
}

static ht_status run(const ht_plane_channel *channel, const double *profile, ht_rectangle *box) {
  const int height = channel->height;
  const double nu = (channel->tau - 0.5) / 3;
  ht_plane_port port[2] = {
      ht_rectangle_port(box, 0, channel->is_velocity ? HT_PORT_VELOCITY : HT_PORT_PRESSURE),
      ht_rectangle_port(box, 1, HT_PORT_PRESSURE)};
  if (channel->is_velocity) port[0].profile_lu = profile;
  port[0].density_lu = 3 * 8 * nu * top_speed(channel) / height / height * (box->nx - 1);
  ht_plane_setup setup = ht_rectangle_setup(box, channel->tau, channel->device, channel->threads);
  setup.collision = channel->collision;
  setup.compressibility = channel->compressibility;
  setup.ports = 2;
  setup.ramp_steps = 50 * height;
  setup.port = port;
  HT_TRY(ht_rectangle_begin(box, &setup));
  HT_TRY(ht_plane_step(box->plane, (int64_t)(2 * height * height / nu)));
  return ht_rectangle_read(box);
}

static double error_of(const ht_plane_channel *channel, const ht_rectangle *box) {
  double off = 0, size = 0;
  for (int i = 0; i < box->nx * box->ny; i++) {
    double u = parabola(channel, i / box->nx);
    off += pow(box->velocity[2 * i] - u, 2) + pow(box->velocity[2 * i + 1], 2);
    size += u * u;
  }
  return sqrt(off / size);
}

ht_status ht_plane_channel_run(const ht_plane_channel *channel, ht_rectangle *box, double *exact,
                               double *error) {
  double *profile;
  *error = NAN;
  memset(box, 0, sizeof *box);
  HT_TRY(ht_rectangle_make(2 * channel->height, channel->height, box));
  HT_TRY(ht_alloc((void **)&profile, (size_t)channel->height, 2 * sizeof(double), "a profile"));
  for (int y = 0; y < channel->height; y++) profile[2 * y] = parabola(channel, y);
  for (int y = 0; exact && y < channel->height; y++) exact[y] = profile[2 * y];
  ht_status status = run(channel, profile, box);
  free(profile);
  if (status == HT_OK) *error = error_of(channel, box);
  return status;
}
