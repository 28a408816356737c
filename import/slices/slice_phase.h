/* Several images at each position of a series: phases of the heart or of a bolus, echoes, or the
 * magnitudes and velocities of a flow measurement. Private to import/.
 */
#ifndef HT_SLICE_PHASE_H
#define HT_SLICE_PHASE_H

#include "import/slices/slice.h"
#include "import/slices/stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves velocity (phase), real and imaginary images to the end where magnitudes are among the
 * images, with a note in the stack's remark; *count becomes the number of the others. HT_ERR_SERIES
 * where all are of these kinds, which are then put aside: they show no vessel. */
ht_status ht_phase_drop_velocity(ht_slice *slice, int *count, ht_stack *stack);

/* Chooses a phase of slices that are sorted by position. Where several lie at each, keeps those of
 * phase `wanted` (from 1) in front, one per position, with a note in the remark; *count becomes
 * their number. `wanted` 0: HT_ERR_SERIES with the list of phases, except of magnitudes that came
 * with velocities, whose first phase is taken. HT_ERR_SERIES where a position has more images than
 * another, where images cannot be distinguished, and where there is no such phase. Phases are
 * distinguished by the first of these that differs at every position: trigger time, percentage of
 * the cardiac cycle, echo time, temporal position, acquisition, time of acquisition, of content,
 * instance number, frame. A phase has the same rank of it at each position. */
ht_status ht_phase_choose(ht_slice *slice, int *count, int wanted, ht_stack *stack);

#ifdef __cplusplus
}
#endif
#endif
