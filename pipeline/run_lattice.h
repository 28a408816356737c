/* The lattice of a case: how fine it has to be. */
#ifndef HT_RUN_LATTICE_H
#define HT_RUN_LATTICE_H

#include "run_state.h"

/* Where neither nodes_across nor spacing_mm is given, a vessel has at least so many nodes across
 * its widest opening, and more where its flow needs it. */
enum { HT_LEAST_NODES_ACROSS = 20 };
int ht_run_lattice_is_auto(const ht_run *run);

/* Diameter of the widest opening, mm; 0: there is none. In nodes, on the lattice of the mask. */
double ht_widest_opening_mm(const ht_openings *openings);
double ht_run_nodes_across(const ht_run *run);

/* Of a vessel whose openings are placed: the spacing that puts as many nodes across the widest as
 * nodes_across says (or the least, where that is automatic). 0: they lie there, to a node or 5 %,
 * or spacing_mm is given. */
double ht_run_mended_spacing(const ht_run *run);

/* Of a vessel that was found with the least: the spacing that its flow and its narrowest place need
 * (HT_FEWEST_NODES_ACROSS there, within twice the nodes across the widest opening and the memory in
 * all), and says it. 0: the least does, or its flow is not known yet. HT_ERR_MEMORY: the memory
 * that is free does not hold it; *spacing_mm is still that of a narrow place. */
ht_status ht_run_choose_lattice(const ht_run *run, double *spacing_mm);

/* Voxels of a mask's box that fit into the free memory; 0: not known. */
int64_t ht_run_most_voxels(void);

#endif
