/* A round jet in a periodic slab: whether the lattice keeps it round. The fourth moments of an
 * equilibrium that is only of second order drive a flow across the jet, 1 % of its speed. */
#include "validation/runs/jet_slab.h"
#include "validation/flows/validation_flows.h"
#include "validation/flows/validation_result.h"
#include <math.h>
#include <stdio.h>

static ht_status run(const ht_validation_options *options, ht_collision collision, int n,
                     int64_t steps, double bar, ht_validation_result *result) {
  ht_jet_slab_flow flow;
  const ht_jet_slab jet = {.n = n,
                           .radius_lu = 14.0 / 64 * n,
                           .width_lu = 2.0 / 64 * n,
                           .speed_lu = 0.1,
                           .cell_reynolds = 100,
                           .steps = steps,
                           .collision = collision,
                           .compressibility = HT_QUASI_COMPRESSIBLE,
                           .precision = HT_FP64,
                           .device = options->device,
                           .threads = options->threads};
  HT_TRY(ht_jet_slab_run(&jet, &flow));
  const char *name = ht_collision_words[collision];
  snprintf(result->device, sizeof result->device, "%s", flow.device);
  ht_validation_error(result, flow.across, bar, "%s, %lld steps: largest speed across the jet / U",
                      name, (long long)steps);
  ht_validation_error(result, flow.across_rms, NAN, "  its RMS / U");
  ht_validation_show(result, flow.fourfold, "  fourfold part of the velocity at the radius / U");
  return HT_OK;
}

ht_status ht_validate_jet_slab(const ht_validation_options *options, ht_validation_result *result) {
  int n;
  HT_TRY(ht_validation_nodes(options, 64, 64, 32, 512, &n));
  n = n / 4 * 4;
  snprintf(result->notes, sizeof result->notes, "%d x %d x 4 nodes, fp64, cell Reynolds number 100",
           n, n);
  HT_TRY(run(options, HT_LBGK, n, 300, NAN, result));
  HT_TRY(run(options, HT_MRT, n, 300, NAN, result));
  HT_TRY(run(options, ht_validation_turbulent(), n, 300, 1e-4, result));
  return run(options, ht_validation_turbulent(), n, 1500, NAN, result);
}
