/* A node of a port and its prescribed values at a step. In the part of C that CUDA C++ also takes.
 */
#ifndef HT_PORTS_H
#define HT_PORTS_H

#include "solver/kernels/directions.h"

/* HT_PORT_MOVING_WALL is a sliding wall: half-way bounce-back with its velocity on the links that
 * come from outside along `inward`. */
typedef enum { HT_PORT_VELOCITY = 0, HT_PORT_PRESSURE, HT_PORT_MOVING_WALL } ht_port_kind;

/* One node of a port, or next to a moving wall. */
typedef struct {
  int64_t inner;   /* the fluid node next to it, inward of all its planes; moving wall: the node */
  int64_t node;    /* tile * 64 + local */
  double value;    /* velocity is this times `along` at a coefficient of 1; moving wall: 1 */
  double along[3]; /* pressure: the same of the velocity along the inward axis */
  double slope[2]; /* change of `value` from node to node along the two axes of the plane */
  double density;  /* deviation, where has_density */
  float wall_velocity[3];
  uint32_t moving_links; /* bit q: direction q comes from the moving wall, or from the port */
  uint32_t flow_links;   /* bit q: direction q goes to a fluid node of no port */
  int8_t kind;           /* ht_port_kind; HT_PORT_VELOCITY where planes of both kinds meet */
  int8_t axis, inward;   /* of its (first) plane */
  signed char plane[3];  /* inward sign of the plane across each axis, 0: none */
  int8_t is_edge;        /* on more than one plane */
  int8_t has_density;    /* on a plane of pressure */
  int8_t is_rim;         /* some direction of it comes from a wall, not only from outside */
  int8_t bounces;        /* see ht_port_bounces() */
  int8_t is_total;       /* on one plane, of pressure: see static_density() of zou_he_port.h */
  int32_t port;          /* number of its (first) port */
  int32_t column, density_column; /* of the coefficients: of the velocity's first mode; density's */
  int32_t modes;                  /* of the velocity */
  float keep;                     /* of a sponge (cumulants), see damp() of cumulant.h; 1: none */
  int64_t shape, shape_step; /* where its second mode is, in place of `value` and `slope`; from mode
                                to mode */
} ht_port_node;

/* The values that a port prescribes at a node at one step: its velocity is `speed` times
 * port->along (or times that of its moving wall), its density's deviation `density`. */
typedef struct {
  double speed, slope[2], density;
} ht_port_asked;

/* Numbers of a mode at a node: its value and its two slopes. */
enum { HT_MODE_VALUES = 3 };

/* `coefficient`: [columns] of the step; `shape`: the tables'. The part of `lane` of `lanes`, which
 * share the modes: speeds and slopes are sums over the lanes, the density is each lane's. */
HT_INLINE ht_port_asked ht_port_ask_part(const ht_port_node *port, const double *coefficient,
                                         const double *shape, int lane, int lanes) {
  const double first = lane == 0 ? coefficient[port->column] : 0;
  ht_port_asked asked = {port->value * first,
                         {port->slope[0] * first, port->slope[1] * first},
                         port->density * coefficient[port->density_column]};
  for (int m = 1 + lane; m < port->modes; m += lanes) {
    const double *mode = shape + port->shape + (m - 1) * port->shape_step;
    asked.speed += coefficient[port->column + m] * mode[0];
    asked.slope[0] += coefficient[port->column + m] * mode[1];
    asked.slope[1] += coefficient[port->column + m] * mode[2];
  }
  return asked;
}

HT_INLINE ht_port_asked ht_port_ask(const ht_port_node *port, const double *coefficient,
                                    const double *shape) {
  return ht_port_ask_part(port, coefficient, shape, 0, 1);
}

/* Tells whether a node takes its velocity from a wall half a spacing outside at a step: only where
 * it leads inward. Outward, that condition is unstable. */
HT_INLINE int ht_port_bounces(const ht_port_node *port, ht_port_asked asked) {
  return port->bounces && asked.speed >= 0;
}

#endif
