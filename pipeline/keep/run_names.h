/* The names in a case's files: those that its user gave, and hemotile's own words. */
#ifndef HT_RUN_NAMES_H
#define HT_RUN_NAMES_H

#include "case.h"

/* From now on texts of files keep of what a message quotes hemotile's own words alone (redact.h);
 * with keep_identity all. */
void ht_run_guard_texts(int keep_identity);

/* Leaves out names of the case and of its openings that may hold the patient's identity, as far as
 * it is known, with a warning; texts of files keep the others. The openings then get names of
 * hemotile's, and the case that of its folder. */
void ht_run_clean_names(ht_case *settings);

#endif
