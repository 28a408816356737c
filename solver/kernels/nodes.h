/* The physics of a node for both precisions: every function of node.h and zou_he_port.h as name_f32
 * and name_f64. */
#ifndef HT_NODES_H
#define HT_NODES_H

#include "solver/kernels/ports.h"

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/kernels/node.h"
#include "solver/kernels/zou_he_port.h"
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/kernels/node.h"
#include "solver/kernels/zou_he_port.h"
#undef HT_REAL
#undef HT_NODE

#endif
