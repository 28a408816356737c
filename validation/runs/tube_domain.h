/* Straight tubes of any direction and varying radius as flow domains: pipes, nozzles, stenoses. As
 * after segment/domain/extend.h, an axis plane cuts both ends, where the ports are. */
#ifndef HT_TUBE_DOMAIN_H
#define HT_TUBE_DOMAIN_H

#include "core/vessel/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double direction[3];   /* unit, along the flow; its largest component is across the ports */
  double length_mm;      /* of the centre line, from port to port */
  double extension_mm;   /* part of the length, at either end, that is extension and not vessel */
  double outlet_more_mm; /* further extension at the outlet */
  double spacing_mm;
  double flow_ml_s;      /* of the inlet */
  double windkessel[3];  /* of the outlet, as in ht_opening; all 0: none */
  double most_radius_mm; /* largest radius */
  /* Radius at a distance along the centre line from the inlet. Oblique ports also call it a little
   * before 0 and beyond length_mm. */
  double (*radius_mm)(const void *context, double along_mm);
  const void *context;
} ht_tube_shape;

/* Place of a point (LPS mm): along the centre line from the inlet, and off it. */
typedef struct {
  double along_mm, off_mm;
} ht_tube_place;

/* A node is fluid where its distance from the centre line is less than the radius there. The middle
 * of the tube is the middle of the grid; the grid's size decides whether that is on a node or
 * between two. The caller frees with ht_domain_free. HT_ERR_MEMORY. */
ht_status ht_tube_domain(const ht_tube_shape *tube, ht_domain *domain);

/* Signed distance of every voxel of the domain's grid from the wall, in spacings, > 0 in the fluid;
 * exact within 3.5 spacings, beyond that 3.5 with the right sign. Where the radius jumps the wall
 * has a flat face. The layers of the ports have the distances of the layers inside them. `distance`
 * [nz][ny][nx]; the caller frees with free(). HT_ERR_MEMORY. */
ht_status ht_tube_wall_distance(const ht_tube_shape *tube, const ht_domain *domain,
                                float **distance);

/* Finds the place of a point (LPS, mm) in the tube. */
ht_tube_place ht_tube_locate(const ht_tube_shape *tube, const ht_grid *grid,
                             const double point_mm[3]);

#ifdef __cplusplus
}
#endif
#endif
