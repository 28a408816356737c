#include "app/measure/measurement.h"
#include <stdlib.h>
#include <string.h>

void ht_measurement_free(ht_measurement *measurement) {
  if (!measurement) return;
  free(measurement->row), free(measurement->contour_mm);
  ht_wall_region_free(&measurement->region);
  memset(measurement, 0, sizeof *measurement);
}
