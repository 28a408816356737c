/* A bent vessel with an inlet, an outlet and a wall that slides, oblique and uneven so that its own
 * symmetry hides no mistake; turned and mirrored on request. For tests of the solver. */
#ifndef HT_PORTED_VESSEL_H
#define HT_PORTED_VESSEL_H

#include "core/vessel/domain.h"
#include "solver/lattice/lattice.h"

/* Axis a of the vessel becomes axis order[a], reversed where sign[a] is -1. */
typedef struct {
  int order[3], sign[3];
} ht_turn;

void ht_turn_voxel(const ht_turn *turn, const int dim[3], const int voxel[3], int turned[3]);
void ht_turn_vector(const ht_turn *turn, const double *vector, double *turned);

enum { HT_VESSEL_PORTS = 3 };
typedef struct {
  ht_mask mask;
  ht_lattice_port port[HT_VESSEL_PORTS];
  int64_t *voxel[HT_VESSEL_PORTS];
  double *speed;
} ht_ported_vessel;

void ht_ported_vessel_make(const ht_turn *turn, ht_ported_vessel *vessel);
void ht_ported_vessel_free(ht_ported_vessel *vessel);

/* Neither turned nor mirrored, its tiles, and a setup with both and their ports. The caller frees
 * vessel and tiling. */
ht_lattice_setup ht_ported_vessel_setup(ht_ported_vessel *vessel, ht_tiling *tiling);

/* A straight pipe, 14 nodes across and 22 long, along z: in through modes of the velocities `speed`
 * (ht_lattice_port, which keeps the pointer), out at a total pressure. The caller frees domain and
 * tiling. */
void ht_driven_pipe(int modes, const double *speed, ht_domain *domain, ht_tiling *tiling,
                    ht_lattice_port port[2]);

/* Runs it from rest on this tiling, with the other settings of `setup`, and gives density and
 * velocity by voxel; see voxel_fields.h. The caller frees. */
double *ht_ported_vessel_run(const ht_ported_vessel *vessel, const ht_tiling *tiling,
                             ht_lattice_setup *setup, int64_t steps);

#endif
