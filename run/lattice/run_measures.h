/* Measures of a vessel by which its lattice is chosen, from a mask on any lattice. */
#ifndef HT_RUN_MEASURES_H
#define HT_RUN_MEASURES_H

#include "run/case/case.h"
#include "run/state/run_vessel.h"
#include "solver/plan/resolution.h"

/* Returns the diameter of the widest opening, mm; 0: no opening. */
double ht_widest_opening_mm(const ht_openings *openings);

typedef struct {
  const ht_case *settings;     /* borrowed */
  const ht_run_vessel *vessel; /* borrowed */
  ht_vessel_size size;
  double reynolds; /* of the inlets the largest; 0: not known */
  int has_flow; /* 0: the flow of an inlet is not known; ht_error_message() says what is missing */
  ht_openings openings; /* the vessel's, with these flows */
  double scan_voxels;   /* of the scan, for the memory; 0: not known */
  int is_quiet;         /* 1: a choice prints no note and no warning */
} ht_run_measures;

/* Measures the vessel, whose openings are placed: mask, openings, and `volume_ml` without
 * extensions. What cannot be measured is 0. Its warnings are dropped. */
void ht_run_measure(const ht_case *settings, const ht_run_vessel *vessel, double volume_ml,
                    ht_run_measures *of);

/* Returns the collision that `auto` takes on a lattice of this spacing. */
ht_collision ht_run_collision_at(const ht_run_measures *of, double spacing_mm);

/* Returns the options with the collision that a lattice of this spacing gets: the number of nodes
 * across the vessel decides the lattice, and the lattice decides an automatic collision. */
ht_solver_options ht_run_options_at(const ht_run_measures *of, double spacing_mm);

#endif
