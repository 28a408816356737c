/* The CPU's inner loops, compiled once for each instruction set (see CMakeLists.txt). Private to
 * solver/cpu/. */
#ifndef HT_CPU_KERNEL_H
#define HT_CPU_KERNEL_H

#include "solver/cpu/cpu_walls.h"

/* Values in place of a model: the diagnostic steps. */
enum { HT_CPU_PROPAGATE = -1, HT_CPU_READ_WRITE = -2 };

typedef struct {
  int64_t tiles;            /* of the lattice */
  const int32_t *neighbour; /* [tiles][27] */
  const int32_t *wall_slot; /* [tiles] place in `wall`; -1: no node of the tile has a wall */
  const uint64_t *wall;   /* [slots][directions] bit n: direction q comes to node n from a wall, as
                             all do to a solid node; [0]: node n is fluid */
  const uint8_t *skipped; /* [tiles] 1: the tile is not stepped; NULL: all are */
  const ht_cpu_walls *walls; /* interpolated; NULL: none */
  const void *source;        /* see cpu_layout.h; float, double, or ht_half (see half.h) */
  void *target;              /* the same; solid nodes of both are 0 */
  int stream;                /* write past the caches: for lattices larger than the caches */
  int64_t ahead;             /* distance of the prefetched tile from the present one */
  int model;                 /* see model.h, or one of the above */
  double omega;
  const void *rate;          /* omega of a node by relax_table.h, float or double as the arithmetic;
                                NULL: `omega` everywhere */
  const uint64_t *corrected; /* [tiles] bit n: the force of diagonal.h acts at node n; NULL: none */
  double diagonal_factor;    /* of that force */
  const void *square_before[3]; /* as `square`: one, two and three steps before */
  void *square; /* [tiles][3][64] of the velocity's components, of this step; float or double as
                   the arithmetic; 0 at solid nodes */
  const int32_t *sponge_slot; /* [tiles] place in `keep`; -1: none; NULL: none anywhere */
  const float *keep;          /* [slots][64] see damp() of cumulant.h; 1: no sponge */
} ht_cpu_job;

/* Steps the tiles [begin, end). */
typedef void (*ht_cpu_kernel)(const ht_cpu_job *job, int64_t begin, int64_t end);

/* One for each kind of storage and velocity set. */
#define HT_CPU_DECLARE(isa)                                                                        \
  void ht_cpu_step_f16_q19_##isa(const ht_cpu_job *job, int64_t begin, int64_t end);               \
  void ht_cpu_step_f32_q19_##isa(const ht_cpu_job *job, int64_t begin, int64_t end);               \
  void ht_cpu_step_f64_q19_##isa(const ht_cpu_job *job, int64_t begin, int64_t end);               \
  void ht_cpu_step_f16_q27_##isa(const ht_cpu_job *job, int64_t begin, int64_t end);               \
  void ht_cpu_step_f32_q27_##isa(const ht_cpu_job *job, int64_t begin, int64_t end);               \
  void ht_cpu_step_f64_q27_##isa(const ht_cpu_job *job, int64_t begin, int64_t end);

HT_CPU_DECLARE(base)
HT_CPU_DECLARE(avx2)
HT_CPU_DECLARE(avx512)

/* The one for this machine's best instruction set. directions: 19 or 27. */
ht_cpu_kernel ht_cpu_choose_kernel(ht_precision precision, int directions);

#endif
