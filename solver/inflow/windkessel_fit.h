/* A 3-element Windkessel fitted to a cuff's systolic and diastolic pressure. */
#ifndef HT_WINDKESSEL_FIT_H
#define HT_WINDKESSEL_FIT_H

#include "solver/inflow/outlets.h"
#include "solver/inflow/waveform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pressure over a beat that repeats itself, before the Windkessel. */
typedef struct {
  double systolic_pa, diastolic_pa, mean_pa; /* highest, lowest, mean */
  double start_pa;                           /* S at the beat's start */
  /* S from which a beat that begins at rest leads to that: the solver lets the inflow rise over a
   * quarter of the first beat, as a cosine. */
  double rest_start_pa;
} ht_windkessel_beat;

/* Finds the periodic beat of `windkessel` under a pulsatile inflow. The lumped model: the vessel
 * itself has no resistance, inertia or compliance. */
void ht_windkessel_periodic(const ht_waveform *inflow, const ht_windkessel *windkessel,
                            ht_windkessel_beat *beat);

/* The Windkessel of the whole circulation after an aorta, and its beat: compliance and distal
 * resistance so that the beat has the two pressures, to 0.01 mmHg (the pulse pressure method:
 * Stergiopulos, Meister & Westerhof, Ann. Biomed. Eng. 22 (1994) 392, here with three elements).
 * The proximal resistance is 5.6 % of the total: density * wave speed / area of an adult's
 * ascending aorta (5 m/s, 28 mm across) over the resistance at 5 L/min and 95 mmHg; less where the
 * flow's peak through it would be more than 60 % of the pulse pressure. `inflow`: the flow itself,
 * mL/s, with a period and a mean above 0. HT_ERR_CASE: pressures not above 0, or the systolic not
 * above the diastolic, or they cannot be reached. */
ht_status ht_windkessel_fit(const ht_waveform *inflow, double systolic_pa, double diastolic_pa,
                            ht_windkessel *windkessel, ht_windkessel_beat *beat);

#ifdef __cplusplus
}
#endif
#endif
