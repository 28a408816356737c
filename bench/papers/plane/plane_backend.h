/* The functions of a backend of plane flows (CPU, CUDA) and the tables that it works from:
 * backend.h for D2Q9. Private to bench/papers/plane/.
 *
 * Distribution functions, two copies: [tiles][9][256], node x + 16 y of a tile. A step pulls from
 * one copy, applies walls, collides and writes the other; then the port nodes, walls in the first
 * pass, are computed again with their boundary condition. */
#ifndef HT_PLANE_BACKEND_H
#define HT_PLANE_BACKEND_H

#include "solver/lattice/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HT_PLANE_SIDE = 16,
  HT_PLANE_NODES = HT_PLANE_SIDE * HT_PLANE_SIDE,
  HT_PLANE_VALUES = 9 * HT_PLANE_NODES,
  HT_PLANE_NEIGHBOURS = 9, /* slot (1 + dx) + 3 (1 + dy); 4 is the tile itself */
  HT_PLANE_WALLS = 0x1fe,  /* of a word of `links`: directions 1 to 8 */
  HT_PLANE_IS_PORT = 0x200
};

/* One node of one or two ports, or next to moving walls. */
typedef struct {
  int64_t node;                     /* tile * 256 + local */
  int64_t inside;                   /* corners: the node diagonally inside; -1: no corner */
  double velocity[2];               /* prescribed; on a pressure edge only the component along it */
  double density;                   /* prescribed deviation */
  double push[9];                   /* a moving wall's addition to each direction: 6 w c.u */
  int8_t inward[2];                 /* of the port along x and along y; 0: none */
  int8_t has_velocity, has_density; /* prescribed */
} ht_plane_port_node;

typedef struct {
  double omega; /* 1 / tau */
  ht_precision precision;
  int model; /* see model.h */
  int threads;
  int64_t ramp_steps;
  int64_t tiles;
  int32_t *neighbour; /* [tiles][9]; -1: none */
  uint8_t *walled;    /* [tiles] 1: some node has a wall or is solid */
  uint16_t *links;    /* [tiles][256] bit 0: fluid; bit q: direction q comes from a wall; then
                         HT_PLANE_IS_PORT */
  int64_t port_nodes;
  ht_plane_port_node *port_node; /* [port_nodes] by node */
} ht_plane_tables;

/* Bytes of one copy. */
static inline size_t ht_plane_copy_bytes(const ht_plane_tables *tables) {
  return (size_t)tables->tiles * HT_PLANE_VALUES * (size_t)ht_precision_bytes(tables->precision);
}

/* Bytes of the tables on the device. */
static inline int64_t ht_plane_table_bytes(const ht_plane_tables *tables) {
  int64_t a_tile = HT_PLANE_NEIGHBOURS * (int64_t)sizeof(int32_t) + 1 + HT_PLANE_NODES * 2;
  return tables->tiles * a_tile + tables->port_nodes * (int64_t)sizeof(ht_plane_port_node);
}

typedef struct {
  /* Allocates both copies, fluid at rest. `tables` is borrowed until destroy. */
  ht_status (*create)(const ht_plane_tables *tables, void **state, char device[128]);
  void (*destroy)(void *state);
  /* Steps first, first + 1, ... first + count - 1. */
  ht_status (*step)(void *state, int64_t first, int64_t count);
  /* Copies the current distribution functions to and from the host, as they are stored: double,
   * float or ht_half. Values of solid nodes are 0. */
  ht_status (*download)(void *state, void *values);
  ht_status (*upload)(void *state, const void *values);
  void (*measure_cost)(const void *state, ht_lattice_cost *cost);
} ht_plane_backend;

extern const ht_plane_backend ht_plane_backend_cpu;
extern const ht_plane_backend ht_plane_backend_cuda;

#ifdef __cplusplus
}
#endif
#endif
