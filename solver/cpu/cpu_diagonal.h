/* The CPU backend's sweep for the correction of diagonals (diagonal.h). Private to solver/cpu/. */
#ifndef HT_CPU_DIAGONAL_H
#define HT_CPU_DIAGONAL_H

#include "solver/lattice/backend.h"

/* Each [tiles][3][64], float, or double in fp64; 0 at solid nodes. Allocated by the caller. */
typedef struct {
  void *square[3]; /* of the velocity's components; of step s in number s % 3 */
  void *force;     /* of the next step */
} ht_cpu_diagonal;

/* Bytes of one of these. */
size_t ht_cpu_diagonal_bytes(const ht_lattice_tables *tables);

/* Finds the force of step number `step` at the nodes of the tiles [begin, end). Reads the squares
 * of all tiles around, so no tile may be stepped before all are done. */
void ht_cpu_diagonal_find(const ht_lattice_tables *tables, const ht_cpu_diagonal *diagonal,
                          int64_t step, int64_t begin, int64_t end);

#endif
