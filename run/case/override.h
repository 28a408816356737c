/* Single settings that override those of a case: from the command line, or from a batch's table. */
#ifndef HT_OVERRIDE_H
#define HT_OVERRIDE_H

#include "run/case/case.h"
#include "run/case/schema.h"

/* Sets the key "section.key" ("flow.cycles"; "scan" at the top level) from its text, as a case file
 * has it: a list as "[1, 2, 3]". `vessel.points` and `openings` are paths of files that
 * points_file.h and markups.h read; an empty text removes the points, and a position.
 * "openings.NAME.key" is a key of the opening called NAME, which an empty text removes; it replaces
 * what else the case gives for the same (a place, the flow of the inlet). NAME is the one that the
 * opening had before the command, so that two can change names; else the new one. An opening that
 * the case does not list is added without a place (place_named.h finds it); with the key `point` it
 * gives the opening of that point its name. `where` begins a message: "cohort.csv:3, flow.cycles".
 * Returns `code`: there is no such key (the message names the nearest), or the value is not
 * allowed; errors of the files. */
ht_status ht_case_override(ht_case *settings, const char *name, const char *text, const char *where,
                           ht_status code);

/* Writes what ht_case_override() of "openings.NAME.role" removes of the opening, as only other
 * roles have it: "pressure_pa: 500, flow_fraction: 0.7"; "": nothing. `size`: of `drops`, bytes. */
void ht_case_role_drops(const ht_case *settings, const char *name, const char *text, char *drops,
                        size_t size);

/* Returns 1 where ht_case_override() knows the name. */
int ht_case_has_key(const char *name);

/* Returns the key that an unknown name probably means ("nodes_across", "Nodes across", "inlet flow
 * (mL/s)", "heart_rate", "flow"): only its letters and digits count, with or without the section
 * and the unit. NULL: none. *certain 1: the name hardly means anything else. */
const ht_key *ht_case_key_meant(const char *name, int *certain);

/* Returns `code` where two settings of one row or command, "section.key" each, give the same
 * quantity, so that the later would win silently: a flow and a Reynolds number, nodes and a
 * spacing. */
ht_status ht_case_refuse_rivals(const char *one, const char *other, const char *where,
                                ht_status code);

/* Marks the key as given, and removes what else the case gives for the same quantity. Call it
 * before the key is set. */
ht_status ht_case_make_way(ht_case *settings, const ht_key *key, const char *where, ht_status code);

#endif
