/* Compiled once for each instruction set, with HT_ISA its name; each time for float and double. */
#include "cpu_kernel.h"
#include "d3q19.h"
#include <string.h>

#define HT_GLUE_(a, b) a##b
#define HT_GLUE(a, b)  HT_GLUE_(a, b)

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#define HT_STEP       HT_GLUE(ht_cpu_step_f32_, HT_ISA)
#include "cpu_tile.h"
#undef HT_REAL
#undef HT_NODE
#undef HT_STEP

#define HT_REAL       double
#define HT_NODE(name) name##_f64
#define HT_STEP       HT_GLUE(ht_cpu_step_f64_, HT_ISA)
#include "cpu_tile.h"
