#include "import/series/series.h"
#include "import/series/middle_slice.h"
#include <stdlib.h>
#include <string.h>

void ht_series_list_free(ht_series_list *list) {
  if (!list) return;
  free(list->series);
  memset(list, 0, sizeof *list);
}

void ht_middle_slice_free(ht_middle_slice *slice, int count) {
  for (int i = 0; slice && i < count; i++) free(slice[i].values);
  free(slice);
}
