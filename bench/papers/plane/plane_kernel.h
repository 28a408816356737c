/* The CPU's inner loop of plane flows, compiled once for each instruction set (see CMakeLists.txt).
 * Private to bench/papers/plane/. */
#ifndef HT_PLANE_KERNEL_H
#define HT_PLANE_KERNEL_H

#include "bench/papers/plane/plane_backend.h"

/* Steps the tiles [begin, end) from one copy to the other: port nodes as if they had walls. */
typedef void (*ht_plane_kernel)(const ht_plane_tables *tables, const void *source, void *target,
                                int64_t begin, int64_t end);

#define HT_PLANE_DECLARE(isa)                                                                      \
  void ht_plane_step_f32_##isa(const ht_plane_tables *tables, const void *source, void *target,    \
                               int64_t begin, int64_t end);                                        \
  void ht_plane_step_f64_##isa(const ht_plane_tables *tables, const void *source, void *target,    \
                               int64_t begin, int64_t end);                                        \
  void ht_plane_step_f16_##isa(const ht_plane_tables *tables, const void *source, void *target,    \
                               int64_t begin, int64_t end);

HT_PLANE_DECLARE(base)
HT_PLANE_DECLARE(avx2)
HT_PLANE_DECLARE(avx512)

#endif
