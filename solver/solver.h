/* solver/: flow in the domain by the lattice Boltzmann method (D3Q19), on CPU or GPU.
 *
 * High level: ht_solve() runs a domain to its steady state and gives the flow in SI units.
 * Low level: lattice.h (a solver in lattice units, step by step), for tests and the benchmark.
 */
#ifndef HT_SOLVER_H
#define HT_SOLVER_H

#include "solver/kernels/blood.h"
#include "solver/lattice/device.h"
#include "core/vessel/domain.h"
#include "core/vessel/flow.h"
#include "solver/inflow/measured_profile.h"
#include "solver/kernels/model.h"
#include "solver/inflow/outlets.h"
#include "solver/ranks/part_figures.h"
#include "core/work/progress.h"
#include "core/formats/state_stream.h"
#include "tiling/tiling.h"
#include "core/numbers/units.h"
#include "solver/inflow/waveform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Walls where ht_domain.wall_distance is 0 by interpolated bounce-back (Bouzidi, Firdaouss &
 * Lallemand, Phys. Fluids 13 (2001) 3452), or half-way between fluid and solid nodes. */
typedef enum { HT_WALLS_HALF_WAY = 0, HT_WALLS_INTERPOLATED } ht_walls;

/* The names in case files, options and results, in the order of the values; NULL at the end. */
extern const char *const ht_walls_words[];

/* Gets the flow at the samples that the results are made of: of the last period, or of each that
 * counts, in the order of their time, which need not begin with sample 0 (coarse_start); of a
 * steady inflow whose flow does not come to rest, of the time that it is averaged over (one beat of
 * HT_AVERAGE_SAMPLES, perhaps not to its end: the flow then came to rest after all). A sample with
 * `begins` may come again: what was before it does not count. Any result other than HT_OK ends the
 * run. It may be called in another thread than ht_solve, one sample after the other, and by the
 * time that ht_flow_enough is asked it has had all of them. */
typedef ht_status (*ht_flow_observer)(void *user, const ht_flow_sample *sample);
enum { HT_AVERAGE_SAMPLES = 200 };

/* Most halvings from the coarsest spacing of a lattice to the finest. */
enum { HT_COARSER_MOST = 2 };

/* Tells whether the beats observed so far are enough (1) for what the observer makes of them. */
typedef int (*ht_flow_enough)(void *user);

/* Makes the observer ready, which may wait until now for what other threads make. Called in the
 * thread of ht_solve before a sample or a state of the observer, each time. Any result other than
 * HT_OK ends the run. */
typedef ht_status (*ht_flow_ready)(void *user);

/* Settings by which a run keeps its state, so that another run of the same case can go on from it
 * with the same bits. A state is that of the domain's own lattice: a run on the coarse lattice
 * keeps none, and is interrupted at once. */
typedef struct {
  double every_s;  /* between two of them */
  int64_t at_step; /* for tests, 0: none: keeps one after this step, and ends as if interrupted */
  /* Calls save(run, stream) with a stream of its own. Called between two steps, also when the run
   * is asked to stop (which then ends with HT_ERR_INTERRUPTED). It handles its own failures: the
   * run continues. */
  void (*keep)(void *user, int64_t step, double time_s,
               ht_status (*save)(void *run, ht_state *stream), void *run);
  /* (optional) Moves what the options' observer has got so far, to the stream or from it; `flow`
   * has the nodes and their number, not always values. */
  ht_status (*move_observer)(void *observe_user, const ht_flow *flow, ht_state *stream);
  ht_state *resume; /* of such a state, at its beginning; NULL: a new run. Borrowed */
  void *user;
} ht_solve_keeping;

typedef struct {
  ht_device device;                   /* auto: CUDA where there is a working GPU, else CPU */
  ht_precision precision;             /* default fp32 */
  ht_collision collision;             /* default LBGK */
  ht_compressibility compressibility; /* default incompressible */
  ht_walls walls;        /* default half-way; interpolated needs ht_domain.wall_distance */
  double density_kg_m3;  /* default HT_BLOOD_DENSITY_KG_M3 */
  double viscosity_pa_s; /* Newtonian; default HT_BLOOD_VISCOSITY_PA_S */
  ht_blood blood;        /* default Newtonian */
  ht_profile profile; /* of the inlets; default parabolic; for a constant flow Womersley is the same
                       * as parabolic
                       */
  const ht_measured_profile *measured; /* of HT_PROFILE_MEASURED. Borrowed; NULL: none */
  const ht_waveform *waveform; /* of the inlets' flow, scaled to the mean of each (flow_ml_s).
                                  Borrowed; NULL: constant */
  int cycles; /* pulsatile flow: number of periods; results are those of the last; default 5 */
  /* Largest number of periods. Periods are added while the flow of the last one differs from that
   * before by more than HT_PERIODIC_CHANGE. Results are then means over the periods from number
   * `cycles` on, at least HT_LEAST_BEATS, until the observer has enough; while the flow still
   * drifts, from a later one on. Where a period repeats the one before after all, one more is the
   * result alone. Periods are also added while several outlets of a given pressure miss it. At most
   * `cycles` (default 0): none is added. */
  int max_cycles;
  int samples; /* pulsatile flow: samples of the last period, evenly spread from its start; default
                  50 */
  double inlet_noise; /* RMS of a seeded noise of the inlets' velocity over that of the profile
                         (inlet_noise.h); default 0 */
  int noise_seed;
  ht_flow_observer observe; /* of each of these; NULL: none */
  ht_flow_enough enough;    /* NULL: HT_LEAST_BEATS are */
  ht_flow_ready ready;      /* NULL: the observer is ready from the start */
  void *observe_user;
  ht_outlet_model outlets; /* default: pressure */
  double murray_exponent;  /* of the diameter; default 3 */
  /* Values for outlets with a Windkessel and no values of their own; 0: not given. */
  double mean_pressure_pa, compliance_m3_pa, wave_speed_m_s;
  /* Largest mean velocity over a section of the vessel, at the mean flow (throat.h), and the
   * diameter of the circle with that section's area; with them the time step and the start fit the
   * vessel's throat, too. 0: not known. */
  double throat_speed_m_s, throat_mm;
  /* Systolic and diastolic pressure to reach at the inlet of a pulsatile flow: the outlets'
   * Windkessels, all fitted to these (windkessel_fit.h), are tuned after the second beat and each
   * after it but the last two. 0: no tuning. */
  double cuff_pa[2];
  double max_velocity_lu; /* the largest inlet velocity on the lattice, sets the time step; default
                             0.05 */
  /* Largest difference between the flow out and the flow in at a moment of a pulse, as a share of
   * the largest inflow: the lattice's fluid is compressible. Sets the time step together with
   * max_velocity_lu (plan/sound.h); 1: it does not. Default 0: HT_SOUND_DEVIATION, or
   * HT_SOUND_DEVIATION_JETS in a flow that only cumulants can run. */
  double sound_deviation;
  int64_t max_steps;     /* stop here; 0: chosen from the vessel's length and diameter */
  int stop_at_max_steps; /* 1: run exactly max_steps; 0: reaching max_steps is a failure
                            (HT_ERR_NOT_STEADY) */
  int averages; /* 1: a steady inflow whose flow does not come to rest gives means over time;
                   default 0: HT_ERR_NOT_STEADY */
  double steady_tolerance; /* relative change of the velocity field a step; default 1e-7. The slow
                              parts of the vessel may then change by 1e5 times that in all */
  /* Start from a coarse lattice. 1: a flow that allows it (coarse_choice.h) begins from the flow on
   * a lattice of twice the spacing. In a pulse, all but the last of `cycles` beats are run there.
   * Then come, on the domain's own lattice, the samples of the waveform up to the first peak of the
   * inflow, and the period from there to the next, which counts where the two peaks agree within
   * HT_PERIODIC_CHANGE and the mean inflow is right to 0.2 %; else one more takes its place.
   * A flow with jets settles for a whole beat first, and outlets that are tuned to a cuff are tuned
   * once more after that. Where the coarse run fails, or the run after it diverges, the
   * flow begins from rest, and stats->coarse_note says why. Default 0. */
  int coarse_start;
  /* Correction of diagonals. 1: the flow along diagonals of the lattice is corrected
   * (kernels/diagonal.h) where it runs with cumulants in fp32 or fp64 at a cell Reynolds number
   * beyond those of LBGK and MRT. Default 1. */
  int diagonal_correction;
  /* [nz][ny][nx] of the domain, whose spacing is the finest: the number of halvings by which the
   * lattice may be coarser at a voxel, 0 to `halvings`, which is at most HT_COARSER_MOST; NULL: it
   * has one spacing. The flow is then computed on levels (levels/level_domain.h says where), and
   * read on the domain's spacing. Steps and the relaxation time are those of the coarsest.
   * Borrowed */
  const uint8_t *coarser;
  int halvings; /* from the coarsest spacing to the domain's; 0 without `coarser` */
  int finer;   /* halvings from the domain's spacing to that in the throat; only ht_solve sets it */
  int threads; /* CPU; 0: all */
  const ht_solve_keeping *keeping; /* borrowed; NULL: no state is kept */
} ht_solver_options;

/* A beat with a jet would need several times as many steps for a hundredth. */
#define HT_SOUND_DEVIATION      0.01
#define HT_SOUND_DEVIATION_JETS 0.1

enum { HT_LEAST_BEATS = 3 }; /* that a mean over beats is made of */

void ht_solver_defaults(ht_solver_options *options);

/* Returns the options for the domain's own spacing alone. */
ht_solver_options ht_solver_of_one_spacing(const ht_solver_options *options);

/* Tells whether the inflow has a beat. */
static inline int ht_solver_is_pulse(const ht_solver_options *options) {
  return options->waveform && options->waveform->period_s > 0;
}

/* Returns the kinematic viscosity of the blood where it is least, m2/s. */
static inline double ht_solver_least_kinematic(const ht_solver_options *options) {
  double least_pa_s, most_pa_s;
  ht_blood_range(&options->blood, options->viscosity_pa_s, &least_pa_s, &most_pa_s);
  return least_pa_s / options->density_kg_m3;
}

/* The allowed range of each number, in its unit. The case file's table has the same ranges. */
typedef struct {
  ht_range density_kg_m3, viscosity_pa_s; /* of liquids like blood: 3.5 mPa s as 3.5 is refused */
  ht_range max_velocity_lu, sound_deviation, steady_tolerance, max_steps, cycles, max_cycles,
      samples, inlet_noise, noise_seed, murray_exponent, threads;
} ht_solver_ranges;
extern const ht_solver_ranges ht_solver_allowed;

enum { HT_THREADS_MAX = 4096 };

/* Each number in its range. HT_ERR_CASE. */
ht_status ht_solver_check(const ht_solver_options *options);

/* Chooses the time step for this domain and refuses what cannot be run stably; fills dx, dt, tau,
 * Reynolds. HT_ERR_UNSTABLE: names the number that is out of range and the nearest settings that
 * can be run. */
ht_status ht_solver_plan(const ht_domain *domain, const ht_solver_options *options, ht_units *units,
                         ht_flow_stats *stats);

/* Finds how `parts` ranks would share the flow of this domain: figures[parts], and the part of each
 * tile, part[tiling->tiles]. Nothing is stepped. HT_ERR_USAGE: more parts than the tiling has
 * tiles; as ht_solver_plan. */
ht_status ht_solver_parts(const ht_domain *domain, const ht_tiling *tiling,
                          const ht_solver_options *options, int parts, ht_part_figures *figures,
                          int32_t *part);

/* Runs to the steady state; a pulsatile flow (a waveform with a period) over `cycles` periods, from
 * rest (or, with coarse_start, the first of them on the coarse lattice): `flow` is then the mean of
 * the last one (velocity, pressure and stress; every sample goes to `observe`), or of several
 * (max_cycles), and the run need not become steady. A steady inflow whose flow does not come to
 * rest, with `averages`: the mean over the second half of max_steps (stats->averaged); where the
 * two halves of that time differ by more than a fifth, or the change a step halves over it (the
 * flow only needs more steps): HT_ERR_NOT_STEADY. HT_ERR_UNSTABLE, HT_ERR_DIVERGED (the flow then
 * holds the last good state, after stats->steps steps; its arrays are NULL where it diverged before
 * the first check), HT_ERR_NOT_STEADY (the same), HT_ERR_DEVICE, HT_ERR_MEMORY, HT_ERR_INTERRUPTED;
 * with keeping->resume also its stream's failures, HT_ERR_FORMAT where the state is that of another
 * run, and HT_ERR_DEVICE where it is that of another kind of device. The caller frees the flow,
 * also after a failure. */
ht_status ht_solve(const ht_domain *domain, const ht_tiling *tiling,
                   const ht_solver_options *options, const ht_progress *progress, ht_flow *flow,
                   ht_flow_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
