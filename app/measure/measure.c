#include "app/measure/measure.h"
#include "app/measure/measure_region.h"
#include "app/measure/measure_section.h"
#include <string.h>

ht_status ht_measure(const ht_results *results, const ht_measure_place *place,
                     ht_measurement *measurement) {
  if (strcmp(ht_place_option(place->kind), "region") == 0)
    return ht_measure_region(results, place, measurement);
  return ht_measure_section(results, place, measurement);
}
