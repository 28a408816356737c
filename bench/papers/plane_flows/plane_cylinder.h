/* Flow past a cylinder (D2Q9; the cylinder is a staircase, half-way walls): in the channel of
 * Schafer & Turek, Notes Numer. Fluid Mech. 52 (1996) 547, 22 x 4.1 diameters with the centre at
 * (2, 2), or in a free stream, 40 x 40 diameters with the centre at (15, 20), where the undisturbed
 * velocity is prescribed on all sides but the outlet. */
#ifndef HT_PLANE_CYLINDER_H
#define HT_PLANE_CYLINDER_H

#include "bench/papers/plane_flows/plane_rectangle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int diameter;          /* nodes; a multiple of 10 */
  int is_free;           /* 1: in a free stream */
  double reynolds, mean; /* velocity of the inflow: Re = mean * diameter / viscosity */
  int64_t ramp_steps;
  ht_precision precision;
  ht_device device;
  int threads;
  const ht_progress *progress;
} ht_plane_cylinder;

typedef struct {
  ht_rectangle box;
  double centre[2]; /* spacings; node i lies at i + 1/2 */
} ht_plane_cylinder_flow;

/* Begins the flow at rest. As ht_plane_create. The caller frees, also after a failure. */
ht_status ht_plane_cylinder_begin(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow);
void ht_plane_cylinder_free(ht_plane_cylinder_flow *flow);

/* Drag and lift coefficient: 2 F / (mean^2 diameter). */
ht_status ht_plane_cylinder_force(const ht_plane_cylinder *cylinder,
                                  const ht_plane_cylinder_flow *flow, double coefficient[2]);

/* Length of the steady wake behind the cylinder, on its axis, over the diameter; 0 without
 * backflow. Needs ht_rectangle_read. */
double ht_plane_cylinder_bubble(const ht_plane_cylinder *cylinder,
                                const ht_plane_cylinder_flow *flow);

/* Runs until the flow is steady; reads it. */
ht_status ht_plane_cylinder_settle(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow,
                                   int64_t *steps);

/* Runs until vortices are shed regularly, then ten periods. */
typedef struct {
  double drag, lift; /* largest in these periods */
  double mean_drag, strouhal;
  int count;                 /* of the history: */
  double *time, *history[2]; /* [count] in units of diameter / mean; drag, lift. Owned */
} ht_plane_cylinder_wake;
ht_status ht_plane_cylinder_shed(const ht_plane_cylinder *cylinder, ht_plane_cylinder_flow *flow,
                                 ht_plane_cylinder_wake *wake);
void ht_plane_cylinder_wake_free(ht_plane_cylinder_wake *wake);

#ifdef __cplusplus
}
#endif
#endif
