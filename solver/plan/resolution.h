/* The lattice that a vessel needs, before a run, and the reasons for a run's spacing and time step.
 */
#ifndef HT_RESOLUTION_H
#define HT_RESOLUTION_H

#include "solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The measures of a vessel, from any lattice. */
typedef struct {
  double widest_mm;        /* diameter of the widest opening */
  double volume_mm3;       /* with its extensions */
  double speed_m_s;        /* highest at the fastest inlet */
  double flow_m3_s;        /* mean, all inlets */
  double throat_mm;        /* diameter of the throat's section; 0: not known */
  double throat_speed_m_s; /* mean over it, at the beat's peak; 0: not known */
  /* Least speed of the lattice's sound that its beat needs (sound.h), and that of a flow with jets,
   * which may deviate more; 0: any. */
  double sound_m_s, jet_sound_m_s;
  double available_bytes; /* memory that is free; 0: not known */
  double total_bytes;     /* in all; 0: not known */
} ht_vessel_size;

typedef struct {
  double nodes_across, spacing_mm; /* of the widest opening */
  double cell_reynolds, cell_reynolds_max;
  double bytes; /* about */
} ht_resolution;

/* Sets both speeds of sound, from the vessel's mask (isotropic) and its openings with their roles;
 * to 0 of a steady flow. Outlets count as outlets of a given pressure. HT_ERR_MEMORY. */
ht_status ht_vessel_sound(const ht_mask *mask, const ht_openings *openings,
                          const ht_solver_options *options, ht_vessel_size *vessel);

/* Chooses as few nodes across as the largest cell Reynolds number allows with a tenth to spare, at
 * least `least_nodes_across`. HT_ERR_MEMORY: too little memory; says how much is needed and which
 * settings would fit. */
ht_status ht_resolution_choose(const ht_vessel_size *vessel, const ht_solver_options *options,
                               double least_nodes_across, ht_resolution *chosen);

/* Highest velocity of a pulse over a period / mean velocity, with Womersley's profile of a round
 * inlet, as ht_solver_plan computes it for the inlet's real shape. `inflow` has a period and a mean
 * above 0. HT_ERR_MEMORY, HT_ERR_CASE, HT_ERR_INTERNAL; *factor is then as before. */
ht_status ht_profile_peak(const ht_waveform *inflow, double diameter_m, double kinematic_m2_s,
                          double *factor);

/* The finest spacing whose lattice fits into `bytes`, mm; the widest opening's diameter where none
 * does. */
double ht_resolution_finest_mm(const ht_vessel_size *vessel, const ht_solver_options *options,
                               double bytes);

/* Estimate of what a run on a lattice of this spacing takes, before there is a lattice; orders of
 * magnitude. bytes: of the whole run with the CPU; of the lattice on a GPU, on_gpu. */
typedef struct {
  double nodes, bytes, steps;
  int on_gpu;
  double step_s; /* of time */
} ht_run_estimate;

/* Estimates a run from the size of the vessel, its speeds and the options alone. */
void ht_solver_estimate(const ht_vessel_size *vessel, const ht_solver_options *options,
                        double spacing_mm, ht_run_estimate *estimate);

/* Bytes of a solver for distribution functions and the tiles' tables; and for interpolated walls,
 * those of a round vessel of `nodes_across`: 0 where walls are half-way. An estimate: on a GPU the
 * first may be less. */
double ht_solver_bytes(int64_t tiles, ht_collision collision, ht_precision precision);
double ht_wall_bytes(const ht_solver_options *options, double nodes, double nodes_across);

/* A lattice that is made. */
typedef struct {
  int64_t tiles;
  double nodes, nodes_across; /* of the widest opening */
} ht_lattice_size;

/* Returns the approximate number of faces of voxels at the wall: those of a round vessel. */
double ht_wall_faces(const ht_lattice_size *size);

/* Machine memory that a flow takes, in bytes; on a GPU in addition to that of the GPU. */
typedef struct {
  double lattice; /* with a CPU all of the lattice, with a GPU the tables that the host keeps */
  double reading; /* while the flow is read: its values on their way, the flow, means of a pulse */
  double unrest;  /* and so much more where it does not come to rest, or its beats not repeat */
} ht_host_needs;
ht_host_needs ht_solver_host_needs(const ht_lattice_size *size, const ht_solver_options *options);

/* The choices of ht_solver_plan and their reasons. */
typedef struct {
  ht_units units;
  double tau, tau_min, tau_max;
  double reynolds, cell_reynolds, cell_reynolds_max;
  double speed_m_s, speed_lu; /* the highest expected at inlets and outlets */
  double throat_speed_m_s,
      throat_speed_lu;         /* mean over the throat's section, at the beat's peak; */
  double throat_cell_reynolds; /* 0: no throat is known */
  int of_outlets;        /* 1: it is the speed that the outlets' pressure difference can drive */
  int step_of_throat;    /* 1: the throat shortens the step */
  double sound_off;      /* deviation of the flow out, of the peak inflow, by the lattice's sound */
  double sound_m_s;      /* of the lattice; 0: a steady flow */
  int keeps_sound;       /* 0: the collision's least tau stands against the steps that it needs */
  double step_of_sound;  /* how often the steps are those that would do without it; 1: it does not
                            shorten the step */
  int step_of_viscosity; /* 1: the step is as long as tau_max allows; 0: as long as
                            max_velocity_lu does */
  int64_t likely_steps;  /* to the steady state; of the order of */
  int64_t most_steps;
} ht_solver_reasons;

/* Errors as ht_solver_plan. */
ht_status ht_solver_explain(const ht_domain *domain, const ht_solver_options *options,
                            ht_solver_reasons *reasons);

#ifdef __cplusplus
}
#endif
#endif
