/* Flow in a phantom's vessel in closed form: in each section across a tube's centreline
 * Poiseuille's profile, with the flow kept where the tube narrows or bends. No solver is run. */
#ifndef HT_VESSEL_FLOW_H
#define HT_VESSEL_FLOW_H

#include "phantom/phantom_shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const ht_shape *shape;              /* borrowed */
  double flow_ml_s;                   /* into the parent vessel */
  double foot_mm[HT_SHAPE_TUBES_MAX]; /* where a branch leaves the parent, along its centreline */
  double share[HT_SHAPE_TUBES_MAX];   /* of the inflow, by the area of the section */
} ht_vessel_flow;

/* Point of the parent's centreline with its section. */
typedef struct {
  double point_mm[3], along[3]; /* LPS; unit vector with the flow */
  double radius_mm;
  double flow_ml_s;
} ht_vessel_station;

/* Prepares the flow of a shape. HT_ERR_USAGE: a kind whose flow has no closed form (fda-nozzle). */
ht_status ht_vessel_flow_prepare(const ht_shape *shape, ht_vessel_flow *flow);

/* Finds the velocity at a position (LPS mm), m/s. Returns 1 within a tube, else 0 and zeros: also
 * in an aneurysm's sac, where the blood rests. */
int ht_vessel_velocity(const ht_vessel_flow *flow, const double position_mm[3], double m_s[3]);

/* Finds the station at `percent` of the parent's length within its middle: 0 and 100 are a tenth of
 * the length from either end of the scan's box. */
void ht_vessel_station_at(const ht_vessel_flow *flow, double percent, ht_vessel_station *station);

/* Returns the flow at a part of the beat (0 to 1) as a multiple of its mean: two cosines, always
 * positive. */
double ht_vessel_beat(double part);

#ifdef __cplusplus
}
#endif
#endif
