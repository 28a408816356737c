/* The word that a person probably meant. */
#ifndef HT_SUGGEST_H
#define HT_SUGGEST_H

#include <stddef.h>

/* Returns the number of letters to insert, delete, replace or swap to turn one word into the
 * other. */
int ht_edit_distance(const char *a, const char *b);

/* Keeps the nearer of two words: start with *best = NULL. A word that differs by more than a third
 * of its letters (at least 2) is no candidate. */
void ht_suggest(const char *typed, const char *candidate, const char **best, int *best_distance);

#endif
