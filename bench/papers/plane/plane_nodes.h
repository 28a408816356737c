/* The physics of a plane flow's node: collide_d2q9.h and plane_port.h in both precisions,
 * plane_node.h for the three ways of storage. */
#ifndef HT_PLANE_NODES_H
#define HT_PLANE_NODES_H

#include "solver/kernels/half.h"
#include "solver/kernels/nodes.h"
#include "bench/papers/plane/plane_backend.h"

/* Slot 0, 1, 2: the tile below, itself, the tile above along one axis, for a place from -1 to
 * 16. */
HT_INLINE int ht_plane_slot(int place) {
  return 1 + (place >> 4);
}

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "bench/papers/plane/collide_d2q9.h"
#include "bench/papers/plane/plane_port.h"

#define HT_STORE       float
#define HT_LOAD(value) (value)
#define HT_KEEP(value) (value)
#define HT_PLANE(name) name##_f32
#include "bench/papers/plane/plane_node.h"
#undef HT_STORE
#undef HT_LOAD
#undef HT_KEEP
#undef HT_PLANE

#define HT_STORE       ht_half
#define HT_LOAD(value) ht_half_load(value)
#define HT_KEEP(value) ht_half_store(value)
#define HT_PLANE(name) name##_f16
#include "bench/papers/plane/plane_node.h"
#undef HT_STORE
#undef HT_LOAD
#undef HT_KEEP
#undef HT_PLANE
#undef HT_REAL
#undef HT_NODE

#define HT_REAL        double
#define HT_NODE(name)  name##_f64
#define HT_STORE       double
#define HT_LOAD(value) (value)
#define HT_KEEP(value) (value)
#define HT_PLANE(name) name##_f64
#include "bench/papers/plane/collide_d2q9.h"
#include "bench/papers/plane/plane_port.h"

#include "bench/papers/plane/plane_node.h" /* after plane_port.h */
#undef HT_REAL
#undef HT_NODE
#undef HT_STORE
#undef HT_LOAD
#undef HT_KEEP
#undef HT_PLANE

#endif
