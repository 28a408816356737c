/* The word that a person probably meant. */
#ifndef HT_SUGGEST_H
#define HT_SUGGEST_H

#include <stddef.h>

/* Number of letters to insert, delete, replace or swap to come from one word to the other. */
int ht_edit_distance(const char *a, const char *b);

/* Keeps the nearer of two words: start with *best = NULL. A word further off than a third of its
 * letters (at least 2) is no candidate. */
void ht_suggest(const char *typed, const char *candidate, const char **best, int *best_distance);

#endif
