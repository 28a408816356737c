/* The exchange between two levels, compiled once for each instruction set, HT_ISA. */
#include "solver/cpu/cpu_level_kernel.h"
#include "solver/cpu/cpu_layout.h"
#include "solver/kernels/nodes.h"

#define HT_GLUE_(a, b) a##b
#define HT_GLUE(a, b)  HT_GLUE_(a, b)

/* level_node.h before cpu_level_nodes.h, which calls it. */
#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/kernels/level_node.h"

#include "solver/cpu/cpu_level_nodes.h"
#undef HT_REAL
#undef HT_NODE
#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/kernels/level_node.h"

#include "solver/cpu/cpu_level_nodes.h"
#undef HT_REAL
#undef HT_NODE

void HT_GLUE(ht_cpu_exchange_f32_, HT_ISA)(const ht_cpu_levels *levels, ht_cpu_level_stage stage,
                                           int64_t begin, int64_t end) {
  exchange_f32(levels, stage, begin, end);
}

void HT_GLUE(ht_cpu_exchange_f64_, HT_ISA)(const ht_cpu_levels *levels, ht_cpu_level_stage stage,
                                           int64_t begin, int64_t end) {
  exchange_f64(levels, stage, begin, end);
}
