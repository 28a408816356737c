/* Results of `hemotile converge` on three lattices of one case: a table, CSV and a plot. */
#ifndef HT_CONVERGENCE_REPORT_H
#define HT_CONVERGENCE_REPORT_H

#include "run/studies/convergence.h"
#include "core/disk/file.h"
#include "core/vessel/openings.h"
#include "run/state/run_state.h"
#include <stdio.h>

#define HT_CONVERGE_LATTICES "lattices.csv" /* marks the folder: written first */
#define HT_CONVERGE_TABLE    "convergence.csv"
#define HT_CONVERGE_PLOT     "convergence.png"
#define HT_CONVERGE_VOLUME   "the vessel's volume, inner part"

extern const char *const ht_lattice_names[HT_LATTICES]; /* also the folders of the runs */

/* Results of one run. */
typedef struct {
  int done, pulsatile, outlets;
  int steady;                   /* 1: steady, or means that hold */
  double spacing_mm, widest_mm; /* spacing of the lattice; diameter of the widest opening */
  int64_t fluid_nodes, steps;
  int levels; /* of the lattice; 0 and 1: it has one spacing */
  double tau, seconds;
  double max_velocity_m_s, wss_mean_pa, wss_p99_pa; /* pulsatile: of the TAWSS */
  double osi_mean;
  int is_narrow; /* 1: a place on the path to the widest outlet is narrow */
  double highest_mmhg, peak_to_peak_mmhg; /* pressure drop there */
  double volume_ml; /* volume inside the wall, without the last radius before each opening's plane;
                       0: none is left */
  struct {
    char name[HT_NAME_MAX];
    double drop_pa, flow_percent; /* drop: from the main inlet */
  } outlet[HT_OPENINGS_MAX];
} ht_lattice_result;

/* Fills `result` from a run whose stages are done. */
void ht_lattice_result_of(const ht_run *run, ht_lattice_result *result);

enum { HT_FIGURES_MAX = 7 + 2 * HT_OPENINGS_MAX };

/* A figure on the three lattices. */
typedef struct {
  char name[HT_NAME_MAX + 32];
  const char *unit;
  double value[HT_LATTICES];
  double by_volume; /* power of the vessel's volume with which it falls; 0: it does not */
  ht_convergence convergence;
} ht_figure;

typedef struct {
  char name[HT_NAME_MAX]; /* name of the case */
  ht_lattice_result lattice[HT_LATTICES];
  int figures;
  ht_figure figure[HT_FIGURES_MAX];
} ht_convergence_study;

/* Fills `figure` from the three lattices, the vessel's volume first. The openings are decided on
 * one lattice for all, so the drops are those between the same planes. HT_ERR_OPENINGS: on one
 * lattice an outlet is too thin, and closed. */
ht_status ht_convergence_compare(ht_convergence_study *study);

/* Writes lattices.csv, with the runs done so far. HT_ERR_WRITE. */
ht_status ht_convergence_write_lattices(const char *folder, const ht_convergence_study *study);

/* Writes convergence.csv and convergence.png. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_convergence_write(const char *folder, const ht_convergence_study *study);

/* Prints the table, and its meaning in plain words. */
void ht_convergence_print(FILE *stream, const char *folder, const ht_convergence_study *study);

#endif
