/* `hemotile run` as a command-line module of 3D Slicer: the table of its parameters, and the XML
 * that describes them (`hemotile --xml`). */
#ifndef HT_SLICER_PAGE_H
#define HT_SLICER_PAGE_H

#include <stdio.h>

typedef enum {
  HT_SLICER_OPTION, /* an option of `hemotile run` with the same value and name, except '_' */
  HT_SLICER_POINTS, /* --point, once per point: the first becomes --from, the others --to */
  HT_SLICER_FLOW,   /* --flow, left out where it is 0 */
  HT_SLICER_PART,   /* "head": patient.kind */
  HT_SLICER_SCAN,   /* the scan, by its position */
  HT_SLICER_FOLDER, /* the folder of the results, by its position */
  HT_SLICER_RESULT, /* a result that Slicer loads: the file that it is copied to */
} ht_slicer_use;

typedef struct {
  const char *group;       /* set: begins a group of parameters with this label */
  const char *element;     /* "image", "point", ... with attributes */
  const char *name, *flag; /* flag: the option, without "--", and with '_', because the schema
                              allows no '-' in it; NULL: by position */
  const char *label, *description, *value; /* value: the default; NULL: none */
  const char *const *choices;              /* words of an enumeration, ended by NULL */
  const char *limits;                      /* least, most, step as elements; NULL: none */
  const char *channel;                     /* "input", "output"; NULL: a plain value */
  const char *file;                        /* HT_SLICER_RESULT: its name in the folder */
  ht_slicer_use use;
} ht_slicer_parameter;

/* Parameters in their order; ends with element NULL. */
extern const ht_slicer_parameter ht_slicer_parameters[];

/* Writes the description by the schema of Slicer's execution model
 * (https://www.slicer.org/wiki/Slicer3:Execution_Model_Documentation, and CTK's
 * ctkCmdLineModule.xsd). */
void ht_slicer_describe(FILE *out);

#endif
