

/* The CPU kernel, compiled once for each instruction set, HT_ISA; each time for the three kinds of
 * storage and the two velocity sets. */
#include "solver/cpu/cpu_kernel.h"
#include "solver/cpu/cpu_layout.h"
#include "solver/cpu/cpu_rows.h"
#include "solver/kernels/directions.h"
#include "solver/kernels/half.h"
#include "solver/lattice/wall_links.h"

#define HT_GLUE_(a, b)     a##b
#define HT_GLUE(a, b)      HT_GLUE_(a, b)
#define HT_LANES__(a, n)   a##_##n
#define HT_LANES_(a, n)    HT_LANES__(a, n)
#define HT_LANES(movement) HT_LANES_(movement, HT_ROWS)

/* Rows in a vector of the pull: as many as fit into a register, at most a plane. */
#if HT_REGISTER == 64
#define HT_ROWS_F16 4
#define HT_ROWS_F32 4
#define HT_ROWS_F64 2
#elif HT_REGISTER == 32
#define HT_ROWS_F16 4
#define HT_ROWS_F32 2
#define HT_ROWS_F64 1
#else
#define HT_ROWS_F16 2
#define HT_ROWS_F32 1
#define HT_ROWS_F64 1
#endif

/* ht_wall_share() in three sums and without a branch. */
static double ht_cpu_wall_share(const ht_cpu_walls *walls, const ht_cpu_wall_tile *tile) {
  const double *given = walls->given_before;
  double sum[3] = {0};
  for (int k = 0; k < HT_TILE_NEIGHBOURS; k += 3)
    for (int j = 0; j < 3; j++) sum[j] += given[tile->beside[k + j]];
  return sum[0] + sum[1] + sum[2];
}

#define HT_REAL       float
#define HT_NODE(name) name##_f32
#include "solver/kernels/node.h"

#define HT_STORED     float
#define HT_UINT       uint32_t
#define HT_IS_HALF    0
#define HT_DIRECTIONS 19
#define HT_ROWS       HT_ROWS_F32
#define HT_KIND(name) name##_of_f32_q19
#define HT_STEP       HT_GLUE(ht_cpu_step_f32_q19_, HT_ISA)
#include "solver/cpu/cpu_tile.h"

#define HT_STORED     float
#define HT_UINT       uint32_t
#define HT_IS_HALF    0
#define HT_DIRECTIONS 27
#define HT_ROWS       HT_ROWS_F32
#define HT_KIND(name) name##_of_f32_q27
#define HT_STEP       HT_GLUE(ht_cpu_step_f32_q27_, HT_ISA)
#include "solver/cpu/cpu_tile.h"

#define HT_STORED     ht_half
#define HT_UINT       uint16_t
#define HT_IS_HALF    1
#define HT_DIRECTIONS 19
#define HT_ROWS       HT_ROWS_F16
#define HT_KIND(name) name##_of_f16_q19
#define HT_STEP       HT_GLUE(ht_cpu_step_f16_q19_, HT_ISA)
#include "solver/cpu/cpu_tile.h"

#define HT_STORED     ht_half
#define HT_UINT       uint16_t
#define HT_IS_HALF    1
#define HT_DIRECTIONS 27
#define HT_ROWS       HT_ROWS_F16
#define HT_KIND(name) name##_of_f16_q27
#define HT_STEP       HT_GLUE(ht_cpu_step_f16_q27_, HT_ISA)
#include "solver/cpu/cpu_tile.h"
#undef HT_REAL
#undef HT_NODE

#define HT_REAL       double
#define HT_NODE(name) name##_f64
#include "solver/kernels/node.h"

#define HT_STORED     double
#define HT_UINT       uint64_t
#define HT_IS_HALF    0
#define HT_DIRECTIONS 19
#define HT_ROWS       HT_ROWS_F64
#define HT_KIND(name) name##_of_f64_q19
#define HT_STEP       HT_GLUE(ht_cpu_step_f64_q19_, HT_ISA)
#include "solver/cpu/cpu_tile.h"

#define HT_STORED     double
#define HT_UINT       uint64_t
#define HT_IS_HALF    0
#define HT_DIRECTIONS 27
#define HT_ROWS       HT_ROWS_F64
#define HT_KIND(name) name##_of_f64_q27
#define HT_STEP       HT_GLUE(ht_cpu_step_f64_q27_, HT_ISA)
#include "solver/cpu/cpu_tile.h"
