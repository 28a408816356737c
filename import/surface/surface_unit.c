#include "surface_unit.h"
#include "import_note.h"
#include <math.h>
#include <stdio.h>

static const double least_mm = 0.5, most_mm = 2000; /* length of what a person may call a vessel */
static const double sure_mm = 5, sure_m = 0.2;      /* of a surface read without a given unit */
static const double most_cm = 60;                   /* an aorta in cm is no longer */

static double longest_side(const ht_stl *surface) {
  double longest = 0;
  for (int r = 0; r < 3; r++) {
    double low = INFINITY, high = -INFINITY;
    for (int t = 0; t < surface->triangles; t++)
      for (int c = 0; c < 3; c++) {
        low = fmin(low, surface->corner[t][c][r]);
        high = fmax(high, surface->corner[t][c][r]);
      }
    longest = fmax(longest, high - low);
  }
  return longest;
}

double ht_surface_unit_mm(ht_surface_unit unit) {
  return unit == HT_UNIT_M ? 1000 : unit == HT_UNIT_CM ? 10 : 1;
}

const char *ht_surface_unit_name(ht_surface_unit unit) {
  return unit == HT_UNIT_M ? "m" : unit == HT_UNIT_CM ? "cm" : "mm";
}

static ht_status choose_unit(double longest, ht_import_notes *notes, ht_surface_unit *unit) {
  if (longest >= sure_mm && longest <= most_mm) {
    *unit = HT_UNIT_MM;
    if (notes && longest < most_cm)
      ht_import_note(notes,
                     "its unit is assumed to be mm; if its numbers are cm: --surface-unit cm");
  } else if (longest < sure_m && 1000 * longest >= sure_mm) {
    *unit = HT_UNIT_M;
    if (notes)
      snprintf(notes->warning, sizeof notes->warning,
               "the surface is %.3g long in the file's unit, which is taken for metres: %.4g mm; "
               "if that is wrong, import it again with --surface-unit mm or cm",
               longest, 1000 * longest);
  } else if (longest > most_mm || 1000 * longest < sure_mm) {
    return ht_fail(HT_ERR_FORMAT,
                   "the surface would be %.3g mm long, which no vessel is: export it in mm",
                   longest);
  } else {
    return ht_fail(HT_ERR_FORMAT,
                   "the surface is %.3g long, and an STL file does not tell its unit: give it with "
                   "--surface-unit (surface_unit in a case file): mm (%.3g mm long), cm (%.4g mm) "
                   "or m (%.5g mm)",
                   longest, longest, 10 * longest, 1000 * longest);
  }
  return HT_OK;
}

ht_status ht_stl_to_mm(ht_stl *surface, ht_surface_unit unit, ht_import_notes *notes) {
  double longest = longest_side(surface);
  if (unit == HT_UNIT_AUTO) HT_TRY(choose_unit(longest, notes, &unit));
  double mm = ht_surface_unit_mm(unit) * longest;
  if (!(mm >= least_mm && mm <= most_mm))
    return ht_fail(HT_ERR_FORMAT,
                   "the surface would be %.3g mm long with the unit %s, which no vessel is (%g to "
                   "%g mm): give another --surface-unit",
                   mm, ht_surface_unit_name(unit), least_mm, most_mm);
  for (int t = 0; t < surface->triangles && unit != HT_UNIT_MM; t++)
    for (int i = 0; i < 9; i++) surface->corner[t][i / 3][i % 3] *= (float)ht_surface_unit_mm(unit);
  surface->unit = unit;
  return HT_OK;
}
