/* Figures of a tiling, as the tiling paper defines them: T. Tomczak, R. G. Szafran, "A new GPU
 * implementation for lattice-Boltzmann simulations on sparse geometries", Comput. Phys. Commun. 235
 * (2019) 258. */
#ifndef HT_TILING_FIGURES_H
#define HT_TILING_FIGURES_H

#include "tiling/tiling.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double best, worst, mean;            /* tile utilisation over the 64 origins */
  int best_origin[3], worst_origin[3]; /* the first that has it, x fastest */
  int64_t full_tiles;                  /* all 64 nodes fluid */
  int64_t faces;                       /* common to two tiles (section 4.4) */
  int64_t edges;                       /* common to four tiles */
  double faces_a_tile, edges_a_tile;   /* the paper's eta_f and eta_e */
} ht_tiling_figures;

/* Linear in the tiles. Best, worst and mean need a tiling of ht_tiling_build. */
void ht_tiling_measure(const ht_tiling *tiling, ht_tiling_figures *figures);

/* Operations and transfers for the solid nodes of tiles, over those for the fluid nodes:
 * (1 - eta) / eta. Equation 15. `utilisation` > 0. */
double ht_tiling_overhead(double utilisation);

/* Memory beyond one copy of the values of the fluid nodes, over that copy:
 * (2 q n_d + n_t) / (eta q n_d) - 1. Equation 16, exact form. `values` a node (q: 19) of
 * `value_bytes` (n_d), stored `copies` times (the paper: 2), `type_bytes` for the kind of a node
 * (n_t: 1 to 4). */
double ht_tiling_memory_overhead(double utilisation, int values, int value_bytes, int copies,
                                 int type_bytes);

#ifdef __cplusplus
}
#endif
#endif
