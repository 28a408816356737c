/* Flow past a cylinder: in the channel of Schafer & Turek (1996) at Re 20 and 100, in a free stream
 * at Re 40. */
#include "bench/papers/plane_flows/plane_cylinder.h"
#include "bench/papers/plane_flows/plane_flows.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>

/* Share that the published bands are widened by. With half-way walls the cylinder is a staircase,
 * right to about a spacing; in a channel the forces are about proportional to the square of the
 * diameter. At the full size the published bands are the bar; at the small size the staircase's
 * error is added to them. */
static double slack(const ht_validation_options *options, const ht_plane_cylinder *cylinder) {
  return options->full ? 0 : 2.0 / cylinder->diameter;
}

static ht_plane_cylinder make(const ht_validation_options *options, int diameter, double reynolds,
                              double mean, int64_t ramp_steps) {
  return (ht_plane_cylinder){.diameter = diameter,
                             .reynolds = reynolds,
                             .mean = mean,
                             .ramp_steps = ramp_steps,
                             .precision = HT_FP64,
                             .device = options->device,
                             .threads = options->threads,
                             .progress = options->progress};
}

static void note_device(ht_validation_result *result, const ht_plane_cylinder_flow *flow) {
  snprintf(result->device, sizeof result->device, "%s", ht_plane_device(flow->box.plane));
}

static ht_status settle(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow,
                        double coefficient[2], ht_validation_result *result) {
  int64_t steps;
  HT_TRY(ht_plane_cylinder_begin(cylinder, flow));
  HT_TRY(ht_plane_cylinder_settle(cylinder, flow, &steps));
  note_device(result, flow);
  return ht_plane_cylinder_force(cylinder, flow, coefficient);
}

/* 2D-1: drag, lift, length of recirculation 0.0842 to 0.0852 m at a diameter of 0.1 m. */
static ht_status run_20(const ht_validation_options *options, int diameter,
                        ht_validation_result *result) {
  const ht_plane_cylinder cylinder = make(options, diameter, 20, 0.03, 200 * diameter);
  ht_plane_cylinder_flow flow;
  double coefficient[2];
  ht_status status = settle(&cylinder, &flow, coefficient, result);
  if (status == HT_OK) {
    ht_validation_band(result, coefficient[0], 5.57, 5.59, slack(options, &cylinder),
                       "Re 20, channel, %d across: drag", diameter);
    ht_validation_band(result, coefficient[1], 0.0104, 0.0110, NAN, "Re 20, channel: lift");
    ht_validation_band(result, ht_plane_cylinder_bubble(&cylinder, &flow), 0.842, 0.852,
                       slack(options, &cylinder), "Re 20, channel: wake over diameter");
  }
  ht_plane_cylinder_free(&flow);
  return status;
}

/* Drag: 1.498 (Fornberg, J. Fluid Mech. 98 (1980) 819) to 1.58 (Tritton, J. Fluid Mech. 6 (1959)
 * 547, measured); wake: 2.13 (Coutanceau & Bouard, J. Fluid Mech. 79 (1977) 231, measured) to 2.35
 * diameters (Dennis & Chang, J. Fluid Mech. 42 (1970) 471). */
static ht_status run_40(const ht_validation_options *options, int diameter,
                        ht_validation_result *result) {
  ht_plane_cylinder cylinder = make(options, diameter, 40, 0.05, 200 * diameter);
  cylinder.is_free = 1;
  ht_plane_cylinder_flow flow;
  double coefficient[2];
  ht_status status = settle(&cylinder, &flow, coefficient, result);
  if (status == HT_OK) {
    ht_validation_band(result, coefficient[0], 1.498, 1.58, slack(options, &cylinder),
                       "Re 40, free stream, %d across: drag", diameter);
    ht_validation_band(result, ht_plane_cylinder_bubble(&cylinder, &flow), 2.13, 2.35,
                       slack(options, &cylinder), "Re 40, free stream: wake over diameter");
  }
  ht_plane_cylinder_free(&flow);
  return status;
}

static ht_status draw(const ht_plane_cylinder_wake *wake, ht_validation_result *result) {
  ht_validation_figure *figure =
      ht_validation_plot(result, "forces", "Cylinder in a channel, Re 100: vortices",
                         "time, over diameter / velocity", "coefficient");
  HT_TRY(ht_validation_draw(figure, 1, wake->count, wake->time, wake->history[0], "drag"));
  return ht_validation_draw(figure, 1, wake->count, wake->time, wake->history[1], "lift");
}

/* 2D-2. */
static ht_status run_100(const ht_validation_options *options, int diameter,
                         ht_validation_result *result) {
  const ht_plane_cylinder cylinder = make(options, diameter, 100, 0.05, 250 * diameter);
  ht_plane_cylinder_flow flow;
  ht_plane_cylinder_wake wake = {0};
  ht_status status = ht_plane_cylinder_begin(&cylinder, &flow);
  if (status == HT_OK) status = ht_plane_cylinder_shed(&cylinder, &flow, &wake);
  if (status == HT_OK) {
    double room = slack(options, &cylinder);
    ht_validation_band(result, wake.drag, 3.22, 3.24, room,
                       "Re 100, channel, %d across: largest drag", diameter);
    ht_validation_band(result, wake.lift, 0.99, 1.01, room, "Re 100, channel: largest lift");
    ht_validation_band(result, wake.strouhal, 0.295, 0.305, room, "Re 100: Strouhal number");
    status = draw(&wake, result);
  }
  ht_plane_cylinder_wake_free(&wake);
  ht_plane_cylinder_free(&flow);
  return status;
}

ht_status ht_validate_cylinder(const ht_validation_options *options, ht_validation_result *result) {
  int diameter = options->nodes_across ? options->nodes_across : options->full ? 160 : 20;
  if (diameter < 10 || diameter > 400 || diameter % 10)
    return ht_fail(HT_ERR_USAGE, "--nodes-across is %d; allowed is 10, 20, ... 400", diameter);
  int in_free = diameter / 2 / 10 * 10;
  if (in_free < 10) in_free = 10;
  snprintf(result->notes, sizeof result->notes,
           "D2Q9, MRT, fp64, half-way walls; %d nodes across, %d in the free stream", diameter,
           in_free);
  HT_TRY(run_20(options, diameter, result));
  HT_TRY(run_40(options, in_free, result));
  return run_100(options, diameter, result);
}
