/* Measurements as text for a person, and as JSON. */
#ifndef HT_MEASURE_TEXT_H
#define HT_MEASURE_TEXT_H

#include "app/measure/measurement.h"
#include "core/formats/json.h"

/* Writes a measurement as a table, with the unit of each number. name: NULL: it has none. */
void ht_measure_print(FILE *stream, const char *name, const ht_measure_place *place,
                      const ht_measurement *measurement);

/* Adds a measurement as an object to the current JSON array or, with a key, object. */
void ht_measure_json(ht_json *json, const char *key, const char *name,
                     const ht_measure_place *place, const ht_measurement *measurement);

#endif
