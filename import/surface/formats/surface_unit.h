/* Unit of a surface: STL files do not have it. Private to import/. */
#ifndef HT_SURFACE_UNIT_H
#define HT_SURFACE_UNIT_H

#include "import/common/import_note.h"
#include "import/surface/formats/stl_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turns the corners into mm. HT_UNIT_AUTO, by the length and the mean width (area over pi and the
 * length): from 5 long on mm, below 0.2 metres; else, and where in mm it would be narrower than 0.4
 * mm, the one unit in which it is 0.4 to 60 mm wide and 5 to 1000 mm long, if there is just one.
 * Metres and centimetres with notes->warning. Else HT_ERR_FORMAT, which asks for the unit. A given
 * unit must make it 0.5 mm to 2 m long, else HT_ERR_FORMAT. `notes` may be NULL. */
ht_status ht_stl_to_mm(ht_stl *surface, ht_surface_unit unit, ht_import_notes *notes);

/* Millimetres in the unit. */
double ht_surface_unit_mm(ht_surface_unit unit);

/* Name of the unit: "mm", "cm", "m". */
const char *ht_surface_unit_name(ht_surface_unit unit);

#ifdef __cplusplus
}
#endif
#endif
