/* measurements.csv: the kept measurements of a case. One row for each moment of a section and for
 * each quantity of a region; docs/measure.md lists the columns. */
#ifndef HT_MEASUREMENTS_H
#define HT_MEASUREMENTS_H

#include "app/measure/measurement.h"

/* Checks the name of a kept measurement: 1 to 63 bytes of UTF-8, no control characters, quotes,
 * commas or semicolons, and none of = + - @ at its beginning. HT_ERR_USAGE. */
ht_status ht_measurements_check_name(const char *name);

/* Writes the measurement's rows into the folder's table, in place of those of the same name, else
 * at its end. Whole or not at all; two processes wait for each other. HT_ERR_FORMAT: the table
 * there is of another kind; HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_measurements_keep(const char *folder, const char *name, const ht_measure_place *place,
                               const ht_measurement *measurement);

/* Removes the rows of a name. HT_ERR_NOT_FOUND: it has none. Errors as above. */
ht_status ht_measurements_remove(const char *folder, const char *name);

/* Calls `take` for each name of a table with the option and the text of its place.
 * HT_ERR_NOT_FOUND, HT_ERR_FORMAT, HT_ERR_MEMORY; a failure of `take` ends it. */
typedef ht_status (*ht_measurements_take)(void *user, const char *name, const char *option,
                                          const char *place);
ht_status ht_measurements_places(const char *path, ht_measurements_take take, void *user);

#endif
