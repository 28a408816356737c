/* A round jet along z in a slab that is periodic along every axis and a tile thick, so that nothing
 * depends on z. Its exact flow stays along z and round: a flow across it, and a fourfold part, are
 * the lattice's. */
#ifndef HT_JET_SLAB_H
#define HT_JET_SLAB_H

#include "solver/lattice/lattice_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* u_z = U / 2 (1 - tanh((r - radius) / width)). */
typedef struct {
  int n;                          /* nodes a side, a multiple of 4 */
  double radius_lu, width_lu;     /* spacings */
  double speed_lu, cell_reynolds; /* U; U / viscosity */
  int64_t steps;
  ht_collision collision;
  ht_compressibility compressibility;
  ht_precision precision;
  ht_device device;
  int threads;
} ht_jet_slab;

typedef struct {
  double across;     /* largest speed across the jet / U */
  double across_rms; /* its RMS over the slab / U */
  double fourfold;   /* u_z on the axes minus that on the diagonals, at the radius: mean / U */
  char device[128];
} ht_jet_slab_flow;

/* Runs the jet. HT_ERR_DIVERGED and ht_lattice_create's. */
ht_status ht_jet_slab_run(const ht_jet_slab *jet, ht_jet_slab_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
