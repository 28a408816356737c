/* The place of a sac on its vessel: its neck, found from the vessel's centrelines, and the parent
 * vessel at the neck.
 *
 * The parent vessel's tube is the union of balls along the centrelines (sac_tube.h). A sac is a
 * piece of the wall that stands out of all tubes and holds no opening. The normal of its neck is
 * the vector area of that piece. The plane lies a fifth of the tube's radius above the tube, by the
 * mean along the neck's rim, or at the lowest place above that where it cuts a sac off; from there
 * it moves up to the first waist, where the neck's area is least, if there is one.
 */
#ifndef HT_SAC_FIND_H
#define HT_SAC_FIND_H

#include "export/sac/sac_vessel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of the search. */
typedef struct {
  int found;
  int others;    /* further pieces that stand out of the vessel, smaller ones */
  char why[160]; /* why none was found; "" where one was */
} ht_sac_search;

/* Finds the largest sac that is clear: at least half of the parent's radius and 4 spacings high,
 * its wall at least 1.3 times the neck's area, no stump of a branch (an aspect ratio above 2 with a
 * bottleneck factor below 1.1), no branch whose end was closed as wall, and resolved: 8
 * spacings across the neck and 10 across the parent. Without one search->found is 0, and `sac` is
 * zeroed. HT_ERR_MEMORY. The caller frees `sac`. */
ht_status ht_sac_find(const ht_sac_vessel *vessel, ht_sac_mesh *sac, ht_sac_search *search);

/* The parent vessel at the neck. Dhar et al., Neurosurgery 63 (2008) 185: its diameter is the mean
 * of D1, upstream at the neck's edge, and D2, 1.5 D1 further upstream. At a bifurcation they also
 * take the daughters; here it is the parent's alone. */
typedef struct {
  int path;           /* the way nearest to the neck; -1: there is none, and all else is 0 */
  int before, behind; /* stations next to the neck, of the vessel alone; -1: none */
  double d1_mm, d2_mm, diameter_mm;
  double direction[3];          /* LPS, unit, downstream, at D1 */
  double size_ratio;            /* length / diameter (Dhar: Hmax / vessel) */
  double vessel_angle_deg;      /* between the parent's direction and the neck's plane */
  double inclination_angle_deg; /* between the sac's length and the neck's plane */
  double flow_angle_deg;        /* between the sac's length and the parent's direction (Dhar);
                                   the inflow angle of Baharoglu et al., Stroke 41 (2010) 1423 */
} ht_sac_parent;

/* Measures the parent on the path, of `count`, that passes nearest to the neck. path -1: there is
 * none; diameter_mm 0: no station is clear of the neck. */
void ht_sac_parent_of(const ht_sac_mesh *sac, const ht_sac_shape *shape,
                      const ht_vessel_path *paths, int count, ht_sac_parent *parent);

#ifdef __cplusplus
}
#endif
#endif
