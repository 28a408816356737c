/* The files of `hemotile validate`: the table and the curves of a flow as CSV, its plots as PNG. */
#ifndef HT_VALIDATE_FILES_H
#define HT_VALIDATE_FILES_H

#include "validation/flows/validation_types.h"
#include <stdio.h>

/* The table as the terminal shows it. */
void ht_validate_print(const ht_validation_result *result, FILE *stream);

/* Writes NAME.csv, and for each figure NAME_FIGURE.csv and, if this build has plots,
 * NAME_FIGURE.png into the folder, and makes the folder. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_validate_write(const char *folder, const char *name, const char *title,
                            const ht_validation_result *result);

/* Tells whether this build writes PNG. */
int ht_validate_has_plots(void);

#endif
