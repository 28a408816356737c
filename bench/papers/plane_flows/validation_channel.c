/* The channel: plane Poiseuille flow from a parabola or from a pressure. */
#include "bench/papers/plane_flows/plane_channel.h"
#include "bench/papers/plane_flows/plane_flows.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 3, HIGHEST = 512 };

/* The velocity across the middle of the channel, over the speed on the axis. */
static ht_status draw(ht_validation_figure *figure, const ht_rectangle *box, const double *exact,
                      int is_exact, const char *label) {
  double y[HIGHEST], u[HIGHEST], top = exact[box->ny / 2];
  for (int i = 0; i < box->ny; i++) {
    y[i] = (i + 0.5) / box->ny;
    u[i] = (is_exact ? exact[i] : box->velocity[2 * (box->nx / 2 + box->nx * i)]) / top;
  }
  return ht_validation_draw(figure, !is_exact, box->ny, y, u, "%s", label);
}

static ht_status run(const ht_validation_options *options, int height, int is_velocity,
                     ht_validation_figure *figure, double *error) {
  const ht_plane_channel channel = {.height = height,
                                    .tau = 0.8,
                                    .is_velocity = is_velocity,
                                    .device = options->device,
                                    .threads = options->threads};
  double exact[HIGHEST];
  ht_rectangle box;
  ht_status status = ht_plane_channel_run(&channel, &box, exact, error);
  if (status == HT_OK && figure && is_velocity) status = draw(figure, &box, exact, 1, "analytic");
  if (status == HT_OK && figure)
    status = draw(figure, &box, exact, 0, is_velocity ? "velocity inlet" : "pressure inlet");
  ht_rectangle_free(&box);
  return status;
}

ht_status ht_validate_channel(const ht_validation_options *options, ht_validation_result *result) {
  static const char *const inlet[2] = {"pressure", "velocity"};
  int finest;
  HT_TRY(ht_validation_nodes(options, 48, 128, 16, HIGHEST, &finest));
  ht_validation_figure *figure = ht_validation_plot(
      result, "velocity", "Channel: velocity across it",
      "place across the channel, over its height", "velocity along it, over that on the axis");
  snprintf(result->notes, sizeof result->notes, "%d, %d, %d nodes across, D2Q9, LBGK, fp64",
           finest / 4, finest / 2, finest);
  for (int is_velocity = 1; is_velocity >= 0; is_velocity--) {
    double error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
      HT_TRY(ht_validation_report(options, LEVELS * !is_velocity + k, 2 * LEVELS, "%s inlet",
                                  inlet[is_velocity]));
      HT_TRY(run(options, finest >> (LEVELS - 1 - k), is_velocity, k == LEVELS - 1 ? figure : NULL,
                 &error[k]));
      ht_validation_error(result, error[k], k == LEVELS - 1 ? 0.01 : NAN,
                          "%s inlet, %d across: velocity, L2", inlet[is_velocity],
                          finest >> (LEVELS - 1 - k));
    }
    ht_validation_band(result, log2(error[LEVELS - 2] / error[LEVELS - 1]), 1.8, INFINITY, 0,
                       "%s inlet: order of the velocity", inlet[is_velocity]);
  }
  return HT_OK;
}
