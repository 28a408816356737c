/* The geometries of the benchmark: made from a seed, or read from a mask file. */
#ifndef HT_BENCH_GEOMETRY_H
#define HT_BENCH_GEOMETRY_H

#include "tiling/tiling.h"
#include "core/vessel/volume.h"

typedef enum {
  HT_BENCH_CAVITY = 0,
  HT_BENCH_TUBES,
  HT_BENCH_SPHERES,
  HT_BENCH_SQUARE,
  HT_BENCH_CIRCLE,
  HT_BENCH_FILE
} ht_bench_kind;

typedef struct {
  const char *name, *what;
  ht_bench_kind kind;
  int standard;     /* 1: measured if the command names no geometry */
  int dim[3];       /* channels: side, side, length */
  double porosity;  /* requested, of vessels and spheres; 1: the whole shape */
  double radius[2]; /* tubes: from, to; spheres: both */
  uint64_t seed;
  const char *file; /* a mask */
  ht_tile_order order;
  int corner;     /* 1: tiles begin at voxel (0, 0, 0); 0: best origin */
  char label[32]; /* name with size or porosity: "spheres-0.2" */
} ht_bench_geometry;

/* All geometries with their defaults; NULL after the last. */
const ht_bench_geometry *ht_bench_geometry_number(int number);

/* Chooses a geometry by its name. `size` (0: its own): edge of the cavity and the spheres' box,
 * longest edge of the vessels' box (radii in proportion), side or diameter of a channel. `porosity`
 * (0: its own) of vessels and spheres. HT_ERR_USAGE: names what is allowed. */
ht_status ht_bench_geometry_choose(const char *name, int size, double porosity, uint64_t seed,
                                   ht_bench_geometry *geometry);

/* A mask file as a geometry; it is read later. HT_ERR_USAGE (no imaging in this build),
 * HT_ERR_NOT_FOUND. */
ht_status ht_bench_geometry_of_file(const char *path, ht_bench_geometry *geometry);

/* Sets order and origin of the tiles; the label names them if they are not the default. */
void ht_bench_geometry_tile(ht_bench_geometry *geometry, ht_tile_order order, int corner);

/* Makes a geometry of the same kind, small enough for a quick check. */
void ht_bench_geometry_shrink(const ht_bench_geometry *large, ht_bench_geometry *small);

/* Makes the mask of a geometry. HT_ERR_MEMORY (before anything is allocated, with the size needed);
 * as ht_import_mask. The caller frees. */
ht_status ht_bench_geometry_mask(const ht_bench_geometry *geometry, ht_mask *mask);

typedef struct {
  ht_bench_geometry geometry;
  ht_mask mask;
  ht_tiling tiling;
  double porosity;
} ht_bench_domain;

/* Errors as above. The caller frees. */
ht_status ht_bench_domain_make(const ht_bench_geometry *geometry, ht_bench_domain *domain);
void ht_bench_domain_free(ht_bench_domain *domain);

#endif
