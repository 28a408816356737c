#include "import/series/series.h"
#include <stdlib.h>
#include <string.h>

void ht_series_list_free(ht_series_list *list) {
  if (!list) return;
  free(list->series);
  memset(list, 0, sizeof *list);
}
