/* Measures and scores a stretch of vessel. Private to segment/candidates. */
#ifndef HT_MEASURE_H
#define HT_MEASURE_H

#include "segment/level/agent.h"
#include "core/vessel/candidates.h"
#include "segment/voxels/pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Smooths the centreline, orders it from the wider end, cuts one radius off each end (the points
 * then lie well inside), cuts what is thinner than two voxels off the far end, and fills length,
 * radii, tortuosity, curvature, contrast and ends. In: station, stations, from_at_border (of the
 * first station), to_at_border; branches_per_cm as the number of branches. `pieces`: all of vessel,
 * on `grid`. Returns 0 where the stretch is too short (three of its widths). Returns -1 where it is
 * no vessel that a person may mean: it runs from one inflow to another (both at one side of the
 * scan, alike in width, with branches or a neck between them), as from carotid to carotid; or, in a
 * CT, along bone or in air, as the scanner's table. */
int ht_candidate_measure(const ht_volume *scan, const ht_agent *agent, const ht_grid *grid,
                         const ht_pieces *pieces, ht_candidate *candidate);

/* Scores the candidates (their terms and `score`) and says where they are; names them where `signs`
 * (scan_signs.h) say which part of the body the scan shows. With the length L, the mean radius R,
 * the contrast C, the branches per cm B, the curvature k and the neck N of the candidate, and L',
 * R' the largest of all candidates, the score is the product of
 *   length L / L', radius R / R', contrast C / (C + 4), branching 1 / (1 + B),
 *   smoothness N / (1 + 2 R k). */
void ht_candidates_score(const ht_grid *scan, unsigned signs, ht_candidate *candidate, int count);

#ifdef __cplusplus
}
#endif
#endif
