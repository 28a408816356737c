/* The results of `hemotile converge` on three lattices of one case: a table, CSV and a plot. */
#ifndef HT_CONVERGENCE_REPORT_H
#define HT_CONVERGENCE_REPORT_H

#include "convergence.h"
#include "file.h"
#include "openings.h"
#include "run_state.h"
#include <stdio.h>

#define HT_CONVERGE_LATTICES "lattices.csv" /* marks the folder: written first */
#define HT_CONVERGE_TABLE    "convergence.csv"
#define HT_CONVERGE_PLOT     "convergence.png"

extern const char *const ht_lattice_names[HT_LATTICES]; /* also the folders of the runs */

/* A section of the vessel between whose pressures a drop is taken. */
typedef struct {
  double centre_mm[3], normal[3], radius_mm; /* LPS; normal: out of the vessel */
  double along_pa_mm; /* what the pressure falls by along the vessel there, by Poiseuille's law */
} ht_lattice_plane;

/* The results of one run. */
typedef struct {
  int done, pulsatile, outlets;
  int steady;                   /* or means that hold */
  double spacing_mm, widest_mm; /* lattice; diameter of the widest opening */
  int64_t fluid_nodes, steps;
  double tau, seconds;
  double max_velocity_m_s, wss_mean_pa, wss_p99_pa; /* pulsatile: of the TAWSS */
  double osi_mean;
  int is_narrow;                          /* somewhere on the way to the widest outlet */
  double highest_mmhg, peak_to_peak_mmhg; /* pressure drop there */
  ht_lattice_plane inlet;                 /* the main one */
  struct {
    char name[HT_NAME_MAX];
    ht_lattice_plane plane;
    double drop_pa, flow_percent; /* drop: from the main inlet, between this lattice's planes */
  } outlet[HT_OPENINGS_MAX];
} ht_lattice_result;

/* Fills `result` from a run whose stages are done. */
void ht_lattice_result_of(const ht_run *run, ht_lattice_result *result);

enum { HT_FIGURES_MAX = 6 + 2 * HT_OPENINGS_MAX };

/* A figure on the three lattices. */
typedef struct {
  char name[HT_NAME_MAX + 32];
  const char *unit;
  double value[HT_LATTICES];
  ht_convergence convergence;
} ht_figure;

typedef struct {
  char name[HT_NAME_MAX]; /* of the case */
  ht_lattice_result lattice[HT_LATTICES];
  int figures;
  ht_figure figure[HT_FIGURES_MAX];
} ht_convergence_study;

/* Fills `figure` from the three lattices. Where the scan ends, an opening's plane lies within a
 * spacing of the end, on each lattice at another place: the drops are those between the planes of
 * the fine one, by the fall of the pressure along the vessel at each opening. HT_ERR_OPENINGS:
 * their outlets differ. */
ht_status ht_convergence_compare(ht_convergence_study *study);

/* Writes lattices.csv, with the runs done so far. HT_ERR_WRITE. */
ht_status ht_convergence_write_lattices(const char *folder, const ht_convergence_study *study);

/* Writes convergence.csv and convergence.png. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_convergence_write(const char *folder, const ht_convergence_study *study);

/* The table, and its meaning in plain words. */
void ht_convergence_print(FILE *stream, const char *folder, const ht_convergence_study *study);

#endif
