/* The exchange between two levels, compiled once for each instruction set (see CMakeLists.txt).
 * Private to solver/cpu/. */
#ifndef HT_CPU_LEVEL_KERNEL_H
#define HT_CPU_LEVEL_KERNEL_H

#include "solver/kernels/directions.h"
#include "solver/kernels/model.h"
#include "solver/lattice/interface.h"

/* Nodes that are read or made together. */
enum { HT_LEVEL_LANES = 16 };

/* Place of direction q of a node in plane z of its tile: from the begin of a part of the tile, see
 * cpu_layout.h. */
enum { HT_CPU_LEVEL_MAIN, HT_CPU_LEVEL_UP, HT_CPU_LEVEL_DOWN };
typedef struct {
  int32_t part, offset;
} ht_cpu_level_place;

typedef struct {
  void *values; /* the present copy, float or double */
  int64_t tiles;
  int model, directions, forced;
  double omega, nu, force[3];
  ht_cpu_level_place place[HT_TILE_SIDE][HT_Q_MOST];
} ht_cpu_level_side;

typedef struct {
  const ht_interface *lists;
  ht_cpu_level_side coarse, fine;
  void *coarse_states, *fine_states; /* [states][HT_LEVEL_VALUES] as the values */
} ht_cpu_levels;

/* An exchange, in its order. A guess needs the states that are read, a place the guesses. */
typedef enum {
  HT_CPU_READ_FINE,
  HT_CPU_READ_COARSE,
  HT_CPU_GUESS_FINE,
  HT_CPU_PLACE_BLOCKS,
  HT_CPU_GUESS_COARSE,
  HT_CPU_PLACE_CELLS,
  HT_CPU_LEVEL_STAGES
} ht_cpu_level_stage;

/* Does the entries [begin, end) of a stage's list. */
typedef void (*ht_cpu_exchange)(const ht_cpu_levels *levels, ht_cpu_level_stage stage,
                                int64_t begin, int64_t end);

#define HT_CPU_DECLARE_LEVELS(isa)                                                                 \
  void ht_cpu_exchange_f32_##isa(const ht_cpu_levels *levels, ht_cpu_level_stage stage,            \
                                 int64_t begin, int64_t end);                                      \
  void ht_cpu_exchange_f64_##isa(const ht_cpu_levels *levels, ht_cpu_level_stage stage,            \
                                 int64_t begin, int64_t end);

HT_CPU_DECLARE_LEVELS(base)
HT_CPU_DECLARE_LEVELS(avx2)
HT_CPU_DECLARE_LEVELS(avx512)

/* The one for this machine's best instruction set. */
ht_cpu_exchange ht_cpu_choose_exchange(ht_precision precision);

#endif
