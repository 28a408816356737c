/* The flow domain: the vessel's mask on its isotropic lattice, with the straight flow extensions at
 * the openings, each cut by an axis plane (a "port") where the solver prescribes velocity or
 * pressure. Made by segment/domain/extend.h from a mask and its openings; tiled by tiling/, run by
 * solver/.
 */
#ifndef HT_DOMAIN_H
#define HT_DOMAIN_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of ht_domain.mask.inside. */
enum { HT_SOLID = 0, HT_VESSEL = 1, HT_EXTENSION = 2 };

/* A port: the nodes of one axis plane of the lattice, one voxel thick. Outside it there is nothing;
 * inside it the extension. */
typedef struct {
  ht_opening opening;  /* a copy of the opening that it stands for */
  int axis;            /* 0, 1, 2: lattice axis normal to the plane */
  int inward;          /* +1 or -1: the direction along the axis that leads into the domain */
  double direction[3]; /* unit vector along the vessel, lattice axes, pointing into the domain */
  int follows_surface; /* 1: the extension is the surface's own section, swept; 0: the mask's */
  int halvings;  /* from the mask's spacing to that of the grid whose voxels the nodes are; above 0
                    only where the mask is the coarsest of several spacings */
  int64_t nodes; /* number of nodes on the plane */
  int64_t *node; /* [nodes] linear voxel index (x + nx * (y + ny * z)); owned by the domain */
} ht_port;

typedef struct {
  ht_mask mask;         /* HT_SOLID, HT_VESSEL or HT_EXTENSION; isotropic spacing; owned */
  float *wall_distance; /* [nz][ny][nx] signed distance from the wall's smooth surface between the
                           nodes, in lattice spacings: > 0 in the fluid, < 0 in the solid; true to
                           3 spacings from the wall, beyond them a bound of the right sign. NULL:
                           only the staircase is known. Owned */
  int ports;            /* inlets and outlets; openings with role wall have none */
  ht_port port[HT_OPENINGS_MAX];
} ht_domain;

void ht_domain_free(ht_domain *domain);

/* Returns the grid whose voxels the nodes of a port are. */
ht_grid ht_port_grid(const ht_domain *domain, int port);

/* Finds the voxels of a port's extension that its nodes lead to, these first: `found`, with room
 * for all fluid voxels. mark [voxels]: 1 where a voxel is taken, which it is once. Returns their
 * number. */
int64_t ht_port_extension(const ht_domain *domain, int port, uint8_t *mark, int64_t *found);

/* Returns the part of a voxel's cube that lies inside the wall, 0 to 1, fluid or not: by its
 * distance from the wall, as if the wall were parallel to a side. The sum over a smooth wall is its
 * volume. Without distances: 1 for a fluid voxel, else 0. */
double ht_domain_part_inside(const ht_domain *domain, int64_t voxel);

/* Returns the volume of the vessel inside its wall, without the extensions, mL. */
double ht_domain_vessel_ml(const ht_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
