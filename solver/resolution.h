/* Which lattice a vessel wants, before there is one; and why a run's spacing and step are as they
 * are. */
#ifndef HT_RESOLUTION_H
#define HT_RESOLUTION_H

#include "solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a vessel that was found on any lattice. */
typedef struct {
  double widest_mm;       /* diameter of the widest opening */
  double volume_mm3;      /* with its extensions */
  double speed_m_s;       /* highest at the fastest inlet */
  double available_bytes; /* memory that is free; 0: not known */
  double total_bytes;     /* in all; 0: not known */
} ht_vessel_size;

typedef struct {
  double nodes_across, spacing_mm; /* of the widest opening */
  double cell_reynolds, cell_reynolds_max;
  double bytes; /* about */
} ht_resolution;

/* As few nodes across as the largest cell Reynolds number allows with a tenth to spare, at least
 * `least_nodes_across`. HT_ERR_MEMORY: what that needs is not there; says how much it is and what
 * would do instead. */
ht_status ht_resolution_choose(const ht_vessel_size *vessel, const ht_solver_options *options,
                               double least_nodes_across, ht_resolution *chosen);

/* Highest velocity of a pulse over a period / mean velocity, with Womersley's profile of a round
 * inlet, as ht_solver_plan reckons it for the inlet's real shape. `inflow` has a period and a mean
 * above 0. HT_ERR_MEMORY, HT_ERR_CASE, HT_ERR_INTERNAL; *factor is then as before. */
ht_status ht_profile_peak(const ht_waveform *inflow, double diameter_m, double kinematic_m2_s,
                          double *factor);

/* The finest spacing whose lattice fits into `bytes`, mm; the widest opening's diameter where none
 * does. */
double ht_resolution_finest_mm(const ht_vessel_size *vessel, const ht_solver_options *options,
                               double bytes);

/* Bytes that a solver takes for distribution functions and the tiles' tables; and besides for
 * walls, which are those of a round vessel of `nodes_across`: 0 where they are half-way. About: on
 * a GPU both may be less. */
double ht_solver_bytes(int64_t tiles, ht_precision precision);
double ht_wall_bytes(const ht_solver_options *options, double nodes, double nodes_across);

/* What ht_solver_plan chose, and why. */
typedef struct {
  ht_units units;
  double tau, tau_min, tau_max;
  double reynolds, cell_reynolds, cell_reynolds_max;
  double speed_m_s, speed_lu; /* the highest that is expected of inlets and outlets */
  int of_outlets;             /* 1: it is what the outlets' pressures can drive */
  int step_of_viscosity;      /* 1: the step is as long as tau_max allows; 0: as long as
                                 max_velocity_lu does */
  int64_t likely_steps;       /* to the steady state; of the order of */
  int64_t most_steps;
} ht_solver_reasons;

/* Errors as ht_solver_plan. */
ht_status ht_solver_explain(const ht_domain *domain, const ht_solver_options *options,
                            ht_solver_reasons *reasons);

#ifdef __cplusplus
}
#endif
#endif
