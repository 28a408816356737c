/* A vessel as a network of resistances with Windkessels at its outlets: the pressures and flows of
 * a beat that repeats itself, in milliseconds, before any flow in space is computed.
 *
 * An element leads from a junction, or the main inlet, to the next:
 *   P(start) - P(end) = R Q + K Q |Q| + L dQ/dt
 * At its end it branches into further elements, or is an outlet with a 3-element Windkessel
 * (solver/inflow/outlets.h), or a further inlet with a share of the inflow. Walls are rigid and
 * blood is incompressible, as in the solver, so the inflow divides at every moment. P is the total
 * pressure; the dynamic pressures at the inlet and the outlets are parts of K. Steps are implicit
 * (Euler, the |Q| of the step before); each eliminates the tree from its ends: P(start) = a + b Q.
 */
#ifndef HT_NETWORK_H
#define HT_NETWORK_H

#include "solver/inflow/outlets.h"
#include "solver/inflow/waveform.h"

enum { HT_NETWORK_MAX = 3 * HT_OPENINGS_MAX, HT_NETWORK_MOMENTS = 1000 };

typedef struct {
  int before;                /* element whose end is this one's start; -1: the main inlet. Less than
                                this one's own number */
  double friction_pa_s_m3;   /* R */
  double loss_pa_s2_m6;      /* K */
  double inertance_pa_s2_m3; /* L */
  int is_outlet;             /* 1: the Windkessel below is at its end */
  ht_windkessel windkessel;
  double distal_pa;    /* beyond it */
  double source_share; /* > 0: a further inlet with this share of all inflow is at its end */
} ht_network_element;

typedef struct {
  int elements;
  ht_network_element element[HT_NETWORK_MAX];
  double inlet_pa_s2_m6; /* dynamic pressure of the main inlet over its flow squared */
} ht_network;

/* A beat that repeats itself. */
typedef struct {
  double systolic_pa, diastolic_pa, mean_pa; /* static pressure at the main inlet */
  /* Of each element: mean flow; for outlets the pressure S in the compliance at the beat's start,
   * and that from which a beat that begins at rest, its inflow rising as a cosine over the first
   * quarter, leads there (ht_windkessel_beat). */
  double flow_m3_s[HT_NETWORK_MAX], start_pa[HT_NETWORK_MAX], rest_start_pa[HT_NETWORK_MAX];
  int beats; /* run until it repeated within 1e-6 of the largest S */
} ht_network_beat;

/* Finds that beat for an inflow of all inlets, mL/s, with a period. HT_ERR_INTERNAL: there is no
 * outlet; it does not repeat after HT_NETWORK_BEATS_MAX beats. */
enum { HT_NETWORK_BEATS_MAX = 2000 };
ht_status ht_network_periodic(const ht_network *network, const ht_waveform *inflow,
                              ht_network_beat *beat);

#endif
