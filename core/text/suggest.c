#include "core/text/suggest.h"
#include <string.h>

enum { WORD_MAX = 64 };

static int least(int a, int b) {
  return a < b ? a : b;
}

int ht_edit_distance(const char *a, const char *b) {
  int la = (int)strlen(a), lb = (int)strlen(b);
  if (la > WORD_MAX || lb > WORD_MAX) return WORD_MAX;
  int row[3][WORD_MAX + 1]; /* two before, the one before, this one */
  for (int j = 0; j <= lb; j++) row[1][j] = j;
  memset(row[0], 0, sizeof row[0]);
  for (int i = 1; i <= la; i++) {
    row[2][0] = i;
    for (int j = 1; j <= lb; j++) {
      int change = row[1][j - 1] + (a[i - 1] != b[j - 1]);
      int best = least(change, least(row[1][j], row[2][j - 1]) + 1);
      int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = least(best, row[0][j - 2] + 1);
      row[2][j] = best;
    }
    memcpy(row[0], row[1], sizeof row[0]);
    memcpy(row[1], row[2], sizeof row[1]);
  }
  return row[1][lb];
}

void ht_suggest(const char *typed, const char *candidate, const char **best, int *best_distance) {
  int distance = ht_edit_distance(typed, candidate);
  int allowed = (int)strlen(typed) / 3;
  if (allowed < 2) allowed = 2;
  if (distance >= (int)strlen(candidate)) return;
  if (distance > allowed || (*best && distance >= *best_distance)) return;
  *best = candidate;
  *best_distance = distance;
}
