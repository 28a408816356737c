/* The CPU kernel of plane flows, compiled once for each instruction set, with HT_ISA its name; each
 * time for the three ways of storage. */
#include "bench/papers/plane/plane_kernel.h"
#include "bench/papers/plane/plane_nodes.h"
#include <string.h>

#define HT_GLUE_(a, b)           a##_##b
#define HT_GLUE(a, b)            HT_GLUE_(a, b)
#define HT_TAKE(from, count, to) memcpy(to, from, (count) * sizeof *(to))
#define HT_SAVE(from, count, to) memcpy(to, from, (count) * sizeof *(to))
#define HT_LOAD(value)           (value)

#define HT_REAL        float
#define HT_NODE(name)  name##_f32
#define HT_STORE       float
#define HT_PLANE(name) name##_f32
#include "bench/papers/plane/plane_tile.h"
#undef HT_REAL
#undef HT_NODE
#undef HT_STORE
#undef HT_PLANE

#define HT_REAL        double
#define HT_NODE(name)  name##_f64
#define HT_STORE       double
#define HT_PLANE(name) name##_f64
#include "bench/papers/plane/plane_tile.h"
#undef HT_REAL
#undef HT_NODE
#undef HT_STORE
#undef HT_PLANE
#undef HT_TAKE
#undef HT_SAVE
#undef HT_LOAD

#define HT_TAKE(from, count, to) ht_half_load_many(from, count, to)
#define HT_SAVE(from, count, to) ht_half_store_many(from, count, to)
#define HT_LOAD(value)           ht_half_load(value)
#define HT_REAL                  float
#define HT_NODE(name)            name##_f32
#define HT_STORE                 ht_half
#define HT_PLANE(name)           name##_f16
#include "bench/papers/plane/plane_tile.h"
