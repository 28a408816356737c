/* The names in a case's files: those that its user gave. */
#ifndef HT_RUN_NAMES_H
#define HT_RUN_NAMES_H

#include "run/case/case.h"

/* Leaves out names of the case and of its openings that may hold the patient's identity, as far as
 * it is known, with a warning; texts of files keep the others. The openings then get names of
 * hemotile's, and the case that of its folder. */
void ht_run_clean_names(ht_case *settings);

#endif
