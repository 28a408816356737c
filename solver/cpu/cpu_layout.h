/* The CPU backend's storage of the distribution functions. Private to solver/cpu/.
 *
 * In planes: 16 nodes, those of one z, of one direction. A copy of the lattice is three arrays, one
 * after the other, each read and written in the order of the tiles:
 *   main [tiles][66 or 90]  planes: all others, by direction, then z
 *   up   [tiles][5 or 9]    planes z = 3 of the directions with c_z = 1: the tile above alone pulls
 *                           them
 *   down [tiles][5 or 9]    planes z = 0 of the directions with c_z = -1: the tile below alone does
 * So a sweep also reads the planes from the layers of tiles below and above in order; in
 * [tiles][directions][64] these are single lines of tiles that have left the caches. */
#ifndef HT_CPU_LAYOUT_H
#define HT_CPU_LAYOUT_H

#include "solver/kernels/directions.h"

enum { HT_PLANE = 16 };

/* Values of a tile, of `up` and of `main`. */
#define HT_FACE_VALUES(directions) (((directions) == HT_Q19 ? 5 : 9) * HT_PLANE)
#define HT_MAIN_VALUES(directions) (HT_TILE_VALUES(directions) - 2 * HT_FACE_VALUES(directions))

/* Values from the beginning of a copy to each part of a tile. */
typedef struct {
  int64_t main, up, down;
} ht_cpu_parts;

static inline ht_cpu_parts ht_cpu_parts_of(int directions, int64_t tiles, int64_t tile) {
  const int64_t in_main = HT_MAIN_VALUES(directions), in_face = HT_FACE_VALUES(directions);
  return (ht_cpu_parts){tile * in_main, tiles * in_main + tile * in_face,
                        tiles * (in_main + in_face) + tile * in_face};
}

/* Directions below q that go up or down: each has one plane less in `main`. */
static inline int ht_cpu_vertical_before(int q) {
  return q < 6 ? 0 : q == 6 ? 1 : q < 11 ? 2 : q - 9;
}

/* Plane z of direction q within the part where it is. */
static inline int ht_cpu_main_plane(int q, int z) {
  return HT_PLANE * (4 * q - ht_cpu_vertical_before(q) + z - (ht_c[q][2] < 0));
}
static inline int ht_cpu_face_plane(int q) {
  return HT_PLANE * (ht_cpu_vertical_before(q) / 2);
}

/* Plane z of direction q from the beginning of a copy. */
static inline int64_t ht_cpu_plane(const ht_cpu_parts *parts, int q, int z) {
  int cz = ht_c[q][2];
  return cz > 0 && z == 3   ? parts->up + ht_cpu_face_plane(q)
         : cz < 0 && z == 0 ? parts->down + ht_cpu_face_plane(q)
                            : parts->main + ht_cpu_main_plane(q, z);
}

/* Direction q of node `local` of a tile. */
static inline int64_t ht_cpu_place(int directions, int64_t tiles, int64_t tile, int q, int local) {
  ht_cpu_parts parts = ht_cpu_parts_of(directions, tiles, tile);
  return ht_cpu_plane(&parts, q, local >> 4) + (local & 15);
}

#endif
