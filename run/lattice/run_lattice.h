/* Chooses the lattice spacing of a case. */
#ifndef HT_RUN_LATTICE_H
#define HT_RUN_LATTICE_H

#include "run/case/case.h"
#include "run/lattice/run_measures.h"
#include "run/state/run_vessel.h"

/* Least number of nodes across the widest opening of a vessel without nodes_across and spacing_mm
 * (an automatic lattice); more if its flow needs them. */
enum { HT_LEAST_NODES_ACROSS = 20 };

/* HT_THROAT_NODES_ACROSS: nodes across the throat of a jet that is too fast for LBGK and MRT.
 * HT_MOST_NODES_ACROSS: most nodes across a vessel's widest opening, unless more are prescribed. */
enum { HT_THROAT_NODES_ACROSS = 20, HT_MOST_NODES_ACROSS = 96 };
/* Highest speed of blood: with 4 mmHg for each (m/s)^2 (Hatle et al., Br. Heart J. 40 (1978) 131)
 * the pressure drop would be 400 mmHg. */
enum { HT_FASTEST_M_S = 10 };

/* Returns 1 where the case prescribes neither nodes_across nor spacing_mm, and lattice.within has
 * led to no number. */
int ht_run_lattice_is_auto(const ht_case *settings);

/* Returns the diameter of the widest opening in nodes of the mask's lattice; 0: no opening. */
double ht_run_nodes_across(const ht_run_vessel *vessel);

/* Returns the spacing for a vessel with placed openings: the one of the kept choice of
 * lattice.within, the spacing that the case gives, mm, or the one that puts nodes_across nodes
 * (HT_LEAST_NODES_ACROSS if automatic) across the widest opening. */
double ht_run_first_spacing(const ht_case *settings, const ht_openings *openings);

/* Sets *spacing_mm, for a vessel found with HT_LEAST_NODES_ACROSS, to the spacing that its flow and
 * its narrowest place need, and prints a note. A narrow place gets HT_FEWEST_NODES_ACROSS nodes,
 * limited to twice the nodes across the widest opening and to the total memory; a jet's throat
 * HT_THROAT_NODES_ACROSS. Prints what a finer lattice takes: nodes, memory, steps, time. 0: the
 * present spacing is fine enough, or the flow is not known yet. HT_ERR_MEMORY: the free memory is
 * too small for the narrow place; *spacing_mm is still set. HT_ERR_UNSTABLE: the flow needs more
 * than HT_MOST_NODES_ACROSS. HT_ERR_CASE: the flow is faster than blood ever is. */
ht_status ht_run_choose_lattice(const ht_case *settings, const ht_run_vessel *vessel,
                                const ht_segment_report *report, double *spacing_mm);

/* Returns the nodes across the widest opening that this function would choose for a measured
 * vessel; 0: it would refuse the flow, and ht_error_message() says why. Prints nothing. */
double ht_run_auto_nodes_across(const ht_run_measures *measured);

/* Returns the number of voxels of a mask's box that fit into the free memory; 0: unknown. */
int64_t ht_run_most_voxels(void);

#endif
