/* The performance tables of the tiling paper, as data: T. Tomczak, R. G. Szafran, "A new GPU
 * implementation for lattice-Boltzmann simulations on sparse geometries", Comput. Phys. Commun. 235
 * (2019) 258. Measured there on a GeForce GTX Titan (Kepler, 288.384 GB/s). */
#ifndef HT_PAPER_TABLES_H
#define HT_PAPER_TABLES_H

#include "solver/lattice/lattice_setup.h"

/* One figure of a table, and the run that it is compared with. */
typedef struct {
  const char *geometry; /* the benchmark's name */
  int size;             /* 0: its own */
  double porosity;      /* 0: its own */
  const char *rung;     /* the paper's layout as a rung of the ladder; NULL: ours alone is run */
  ht_precision precision;
  ht_collision collision;
  ht_compressibility fluid;
  ht_step_kind step;
  const char *what;   /* the paper's column or row, if the geometry does not name it */
  double mflups;      /* the paper's; NAN: not given */
  double utilisation; /* its tile utilisation; NAN: not given */
  double printed;     /* its bandwidth utilisation where it prints one; NAN */
  double peer;        /* bandwidth utilisation of the code that it compares with; NAN */
} ht_paper_entry;

typedef struct {
  const char *name, *title, *source; /* "3"; what it shows; section and page of the paper */
} ht_paper_table;

enum { HT_PAPER_ENTRIES = 200 };

/* All tables; NULL after the last, and where there is no such name. */
const ht_paper_table *ht_paper_table_number(int number);
const ht_paper_table *ht_paper_table_find(const char *name);

/* The figures of a table in the order in which they are run: those of one geometry together.
 * Returns their number, at most HT_PAPER_ENTRIES. */
int ht_paper_table_entries(const ht_paper_table *table, ht_paper_entry *entry);

/* Share of its GPU's bandwidth that the paper's figure needs: 2 x 19 x bytes x MFLUPS (its equation
 * 10) over 288.384 GB/s. */
double ht_paper_fraction(const ht_paper_entry *entry);

/* The paper's largest figure on the dense cavity for the entry's kernel and precision, the divisor
 * of its figure 19; NAN if not known. */
double ht_paper_dense(const ht_paper_entry *entry);

#endif
