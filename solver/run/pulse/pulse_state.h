/* The state of a pulse, from its parts. Private to solver/. */
#ifndef HT_PULSE_STATE_H
#define HT_PULSE_STATE_H

#include "solver/run/pulse/beat_results.h"
#include "solver/run/pulse/port_correction.h"
#include "solver/run/step/solve_run.h"

/* A sample that counts, which may be taken while the next steps run. */
typedef struct {
  int sample;                      /* its number */
  int is_first;                    /* 1: the first of all that count */
  int learns;                      /* 1: adds to the fit of the outlets' loss */
  double flow_lu[HT_OPENINGS_MAX]; /* into the ports */
  double reference_pa;             /* pressure of the lattice's 0 */
} ht_beat_sample;

typedef struct {
  ht_solve_run *run;
  ht_beat_schedule schedule;
  ht_port_record ports;
  ht_beat_results results;
  ht_beat_sample taken;
  int64_t checked; /* step of the last check */
  int resumed;     /* 1: the present period was begun by an earlier run, and goes on */
} ht_pulse;

#endif
