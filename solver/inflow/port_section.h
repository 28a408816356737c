/* A port's nodes on a small plane map, for the flow across it. */
#ifndef HT_PORT_SECTION_H
#define HT_PORT_SECTION_H

#include "core/vessel/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Place of a port's node on the port's plane, voxels: along the axes (axis + 1) % 3, (axis + 2)
 * % 3. */
void ht_port_coordinates(const int dim[3], const ht_port *port, int64_t i, int out[2]);

/* The section of a port, with a border of one node around its nodes. */
typedef struct {
  int nx, ny;
  double *value;  /* [ny][nx], 0 outside; owned, as are the others */
  uint8_t *fluid; /* [ny][nx] */
  int *place;     /* [nodes] of each port node in the map */
} ht_port_section;

/* Makes the section of a port. HT_ERR_MEMORY. Free it also after a failure. */
ht_status ht_port_section_make(const int dim[3], const ht_port *port, ht_port_section *section);
void ht_port_section_free(ht_port_section *section);

/* Weights of a node's neighbours in the Laplacian across the vessel, spacings: u is constant along
 * the vessel's direction d, so on the plane (x, y) with a = dx/dn, b = dy/dn it is
 * (1 + a^2) uxx + 2 a b uxy + (1 + b^2) uyy. */
typedef double ht_port_stencil[3][3];
void ht_port_stencil_set(const ht_port *port, ht_port_stencil weight);

#ifdef __cplusplus
}
#endif
#endif
