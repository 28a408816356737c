/* The viscous sponge of an outlet: viscosity added in the straight extension after the vessel, so
 * that eddies and jets have decayed where the pressure is prescribed. */
#ifndef HT_SPONGE_H
#define HT_SPONGE_H

#include "core/vessel/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Added at the port itself, lattice units: 0.05 s^2, s from 0 at the vessel to 1 at the port. With
 * two diameters of it the jets of a stenosis hold at every Reynolds number that was tried
 * (docs/notes/solver/cumulants.md). */
#define HT_SPONGE_MOST 0.05

typedef struct {
  int64_t nodes;
  int64_t *voxel;      /* [nodes] rising */
  float *viscosity_lu; /* [nodes] added, lattice units, > 0 */
} ht_sponge;

/* Builds the sponge of all outlets with an extension whose nodes are of the domain's own grid.
 * Owned by the caller; ht_sponge_free. HT_ERR_MEMORY. */
ht_status ht_sponge_make(const ht_domain *domain, ht_sponge *sponge);
void ht_sponge_free(ht_sponge *sponge);

#ifdef __cplusplus
}
#endif
#endif
