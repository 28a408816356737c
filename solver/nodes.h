/* The physics of a node for both precisions: every function of node.h, collide_d2q9.h and
 * port_node.h as name_f32 and name_f64. */
#ifndef HT_NODES_H
#define HT_NODES_H

#include "backend.h"
#include "d3q19.h"

/* What a port asks of a node at one step: its velocity is `speed` times port->along (or times that
 * of its moving wall), its density's deviation `density`. */
typedef struct {
  double speed, density;
} ht_port_asked;

/* `coefficient`: [columns] of the step; `shape`: the tables'. */
HT_INLINE ht_port_asked ht_port_ask(const ht_port_node *port, const double *coefficient,
                                    const double *shape) {
  ht_port_asked asked = {port->value * coefficient[port->column],
                         port->density * coefficient[port->density_column]};
  for (int m = 1; m < port->modes; m++)
    asked.speed += coefficient[port->column + m] * shape[port->shape + (m - 1) * port->shape_step];
  return asked;
}

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "node.h"
#include "port_node.h"

#include "collide_d2q9.h" /* after node.h */
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "node.h"
#include "port_node.h"

#include "collide_d2q9.h" /* after node.h */
#undef HT_REAL
#undef HT_NODE

#endif
