/* Course of a measured flow over the beat, without its noise. */
#ifndef HT_FLOW_COURSE_H
#define HT_FLOW_COURSE_H

/* Fewest time points from which noise is told from flow. */
enum { HT_COURSE_TIMES_LEAST = 15 };

/* Removes noise from a flow at even times over a whole beat: harmonics that do not stand out. Noise
 * has the same strength in all harmonics, and the flow next to none in the highest third, which
 * tells that strength; of the others those with less than three times this amplitude are removed,
 * and the highest third. An inflow's noise matters: the pressure that speeds the blood up follows
 * the flow's slope. Returns the standard deviation of the noise, in the flow's unit; 0, and the
 * flow stays, with fewer than HT_COURSE_TIMES_LEAST times or without noise. */
double ht_flow_course_clean(int times, double *flow);

#endif
