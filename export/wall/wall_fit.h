/* The shear stress at a wall that lies between the nodes: private to export/wall/. */
#ifndef HT_WALL_FIT_H
#define HT_WALL_FIT_H

#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of nodes of a fit: those of a cube around a ball of 3 spacings. */
enum { HT_WALL_FIT_NODES = 343 };

/* A node's part in the shear stress at a point of the wall: of its stress on planes parallel to the
 * wall, and of its pressure along two directions of the wall. No dimension. */
typedef struct {
  int32_t node;
  float stress, slope[2];
} ht_wall_weight;

typedef struct {
  int32_t nodes;    /* 0: none is near */
  float axis[3][3]; /* LPS, unit: into the fluid; the two directions */
} ht_wall_frame;

/* Finds the wall shear stress at a point near the wall, as sums over nodes whose weights do not
 * depend on the flow; of `flow` only the numbers of its nodes are read. `index` on the lattice of
 * the domain, which has a wall_distance; `inward` a unit normal into the fluid along the lattice's
 * axes, used where the distance gives none. By weighted least squares over the fluid nodes within 3
 * spacings of the wall's point below `index`, y the distance from the wall, s and t across: each
 * component of the stress on planes parallel to the wall a + b y + c y^2 + d s + e t + f s^2 + g s
 * t + h t^2 + i y^3 at y = s = t = 0, along the wall. Half of the weight is that of the balance of
 * momentum at the wall, b = (the pressure's gradient along the wall, fitted in the same way) + a
 * (sum of the wall's curvatures). Terms that the nodes do not determine are left out, the last
 * first. Between walls less than some 5 spacings apart the nodes on this wall's side count, as the
 * stress changes its sign between the two. The walls of the solver have to be where the distance
 * is: half-way walls are not. */
void ht_wall_fit(const ht_domain *domain, const ht_flow *flow, const double index[3],
                 const double inward[3], ht_wall_frame *frame,
                 ht_wall_weight weight[HT_WALL_FIT_NODES]);

/* Computes the wall shear stress vector, Pa, LPS; weight: [frame->nodes], 1 or more. */
void ht_wall_fit_load(const ht_wall_frame *frame, const ht_wall_weight *weight, const ht_flow *flow,
                      double wss_pa[3]);

/* The fits of a surface's points, kept from a flow for further ones on the same nodes. Zeroed: none
 * so far. */
enum {
  HT_WALL_GROUP = 256,    /* points */
  HT_WALL_FIT_BYTES = 920 /* approximate bytes of a point */
};
typedef struct {
  int64_t points, groups;  /* of HT_WALL_GROUP points, the last of fewer */
  ht_wall_frame *frame;    /* [points]. Owned, as are these: */
  ht_wall_weight **weight; /* [groups] weights of a group's points, in order; NULL: not kept */
} ht_wall_fits;

/* Does the same as ht_surface_load() with fits that are kept: the same bits, in a small part of the
 * time. The surface and the domain have to stay. NULL: not kept. The caller frees. */
ht_status ht_surface_load_by(ht_surface *surface, const ht_domain *domain, const ht_flow *flow,
                             ht_wall_fits *fits);
void ht_wall_fits_free(ht_wall_fits *fits);

#ifdef __cplusplus
}
#endif
#endif
