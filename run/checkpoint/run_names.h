/* Names in a case's files that its user gave. */
#ifndef HT_RUN_NAMES_H
#define HT_RUN_NAMES_H

#include "run/case/case.h"

/* Removes names of the case and of its openings that may hold the patient's identity, as far as it
 * is known, with a warning; texts of files keep the others. The openings then get names made up by
 * hemotile, and the case the name of its folder. */
void ht_run_clean_names(ht_case *settings);

#endif
