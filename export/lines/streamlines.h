/* Lines along the velocity of a flow at one moment, for a picture. */
#ifndef HT_STREAMLINES_H
#define HT_STREAMLINES_H

#include "core/vessel/flow.h"

/* Lines with the speed at each point; zeroed: none. */
typedef struct {
  int64_t lines, points;
  int32_t *first;   /* [lines + 1] the first point of each line, and the end of the last. Owned */
  float *point_mm;  /* [points][3] LPS. Owned */
  float *speed_m_s; /* [points]. Owned */
} ht_streamlines;

enum { HT_STREAMLINE_SEEDS = 160 };

/* Chooses the places to begin at, the same in every run: two thirds on the inlets, in proportion to
 * their areas, on a spiral that covers the disc evenly (Vogel, Math. Biosci. 44 (1979) 179); the
 * others evenly among the nodes of the vessel, so that a sac that the inlet's lines pass by has
 * lines, too. `seed_mm`: room for HT_STREAMLINE_SEEDS. Returns the number of places. */
int ht_streamline_seeds(const ht_domain *domain, double (*seed_mm)[3]);

/* Traces the line through each seed, up- and downstream, by the classical Runge-Kutta method of
 * fourth order along the direction of the velocity, half a lattice spacing a step; velocity
 * trilinear, 0 in the solid. A line ends where it leaves the vessel (its extensions are left out),
 * where the blood is almost at rest, and after six times the diagonal of the grid. Its points are
 * about `apart_mm` from each other (at least a step). The caller frees. HT_ERR_MEMORY. */
ht_status ht_streamlines_trace(const ht_domain *domain, const ht_flow *flow,
                               const double (*seed_mm)[3], int seeds, double apart_mm,
                               ht_streamlines *lines);
void ht_streamlines_free(ht_streamlines *lines);

#endif
