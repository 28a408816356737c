/* The state of a rung on the device, filled in by its family of rungs. Private to
 * bench/papers/ladder/.
 */
#ifndef HT_LADDER_STATE_CUH
#define HT_LADDER_STATE_CUH

#include "bench/papers/ladder/ladder_rung.h"
#include "bench/papers/ladder/ladder_tables.h"
#include <cuda_runtime.h>

/* The order of the nodes in ht_ladder_read and ht_ladder_values. */
enum ht_ladder_order { HT_BY_VOXEL, HT_BY_TILE, HT_BY_NODE };

enum { HT_LADDER_TABLES = 18, HT_LADDER_LAYOUT_BYTES = 320 };

struct ht_ladder {
  const ht_ladder_rung *rung;
  const ht_tiling *tiling;
  double omega; /* 1 / tau */
  ht_precision precision;
  ht_step_kind kind;
  ht_ladder_order order;
  int64_t places; /* nodes that have a place in that order, solid ones included */
  int64_t values; /* of one copy of the distribution functions */
  void *d_copy[2];
  int64_t steps; /* done */
  int current;   /* the copy that holds the last step */
  void *d_table[HT_LADDER_TABLES];
  int tables;
  int64_t bytes; /* of device memory */
  /* The rung's struct and its kernels (rung_kernels.cuh). */
  alignas(8) unsigned char layout[HT_LADDER_LAYOUT_BYTES];
  void (*start)(ht_ladder *, double noise, const int32_t *d_position);
  void (*step)(ht_ladder *);
  void (*read)(ht_ladder *, double *d_fields); /* [places][4] density, velocity */
  void (*list)(ht_ladder *, double *d_values); /* [places][19] */
  const void *kernel;                          /* of step */
  int threads;                                 /* of its blocks */
};

/* Fills `ladder` for rung `name` of the family: its tables on the device, order, places, values and
 * kernels. Each knows its own names. */
ht_status ht_dense_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder);
ht_status ht_tile_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder);
ht_status ht_packed_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder);
ht_status ht_list_walls_build(const char *name, const ht_ladder_setup *setup, ht_ladder *ladder);

/* Allocates `bytes` of device memory, all 0; the caller frees with cudaFree(). `what`: "the start".
 * HT_ERR_DEVICE, HT_ERR_MEMORY. */
ht_status ht_ladder_allocate(void **d_pointer, int64_t bytes, const char *what);

/* Copies a table to the device; h_table NULL: all 0. The ladder owns the copy. HT_ERR_DEVICE,
 * HT_ERR_MEMORY. */
ht_status ht_ladder_to_device(ht_ladder *ladder, const void *h_table, int64_t bytes,
                              const void **d_table);

template <class T>
ht_status ht_ladder_table(ht_ladder *ladder, const T *h_table, int64_t count, const T **d_table) {
  return ht_ladder_to_device(ladder, h_table, count * (int64_t)sizeof(T), (const void **)d_table);
}

#endif
