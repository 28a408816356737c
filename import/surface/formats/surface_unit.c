#include "import/surface/formats/surface_unit.h"
#include "import/common/import_note.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>

static const double least_mm = 0.5, most_mm = 2000; /* length of what a person may call a vessel */
static const double sure_mm = 5, sure_m = 0.2;      /* of a surface read without a given unit */
/* Width (mean) and length of a vessel by which a unit is guessed. */
static const double least_width_mm = 0.4, most_width_mm = 60;
static const double likely_mm = 5, most_likely_mm = 1000;
static const double most_cm = 60; /* an aorta in cm is no longer */

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

/* Mean width of a tube: its area over pi times its length. Bends and branches make it too wide, an
 * aortic arch by a factor of two, but not of ten: an upper limit. */
static double mean_width(const ht_stl *surface, double longest) {
  double area = 0;
  for (int t = 0; t < surface->triangles; t++) {
    double u[3], v[3], n[3];
    for (int r = 0; r < 3; r++) {
      u[r] = (double)surface->corner[t][1][r] - surface->corner[t][0][r];
      v[r] = (double)surface->corner[t][2][r] - surface->corner[t][0][r];
    }
    ht_cross(u, v, n);
    area += 0.5 * ht_length(n);
  }
  return longest > 0 ? area / (HT_PI * longest) : 0;
}

/* Tells whether the size in this unit is that of a vessel. */
static int is_likely(ht_surface_unit unit, double longest, double width) {
  double mm = ht_surface_unit_mm(unit);
  return mm * width >= least_width_mm && mm * width <= most_width_mm && mm * longest >= likely_mm &&
         mm * longest <= most_likely_mm;
}

static void warn(ht_import_notes *notes, ht_surface_unit unit, double longest, double width) {
  double mm = ht_surface_unit_mm(unit);
  if (!notes) return;
  snprintf(
      notes->warning, sizeof notes->warning,
      "the surface is %.3g long and on average at most %.2g wide in the file's unit, which is "
      "taken for %s: %.4g mm long, at most %.2g mm wide; if that is wrong, import it again with "
      "--surface-unit "
      "mm, cm or m",
      longest, width, unit == HT_UNIT_M ? "metres" : "centimetres", mm * longest, mm * width);
}

static ht_status ask(double longest, double width) {
  if (longest > most_mm || 1000 * longest < sure_mm)
    return ht_fail(HT_ERR_FORMAT,
                   "the surface would be %.3g mm long, which no vessel is: export it in mm",
                   longest);
  return ht_fail(
      HT_ERR_FORMAT,
      "the surface is %.3g long and on average at most %.2g wide, and its file does not tell its "
      "unit: give it with --surface-unit (surface_unit in a case file): mm (%.3g mm "
      "long), cm (%.4g mm) or m (%.5g mm)",
      longest, width, longest, 10 * longest, 1000 * longest);
}

/* Long enough: mm, unless its width is only a vessel's in cm. Else the one unit in which length and
 * width are a vessel's. */
static ht_status choose_unit(const ht_stl *surface, double longest, ht_import_notes *notes,
                             ht_surface_unit *unit) {
  double width = mean_width(surface, longest);
  int likely = 0;
  for (int u = HT_UNIT_MM; u <= HT_UNIT_M; u++)
    if (is_likely((ht_surface_unit)u, longest, width)) likely |= 1 << u;
  int cm_only = likely == 1 << HT_UNIT_CM && width < least_width_mm;
  if (longest >= sure_mm && longest <= most_mm && !cm_only) {
    *unit = HT_UNIT_MM;
    if (notes && longest < most_cm)
      ht_import_note(notes,
                     "its unit is assumed to be mm: it is %.3g mm long and on average at most "
                     "%.2g mm wide; if its numbers are cm: --surface-unit cm",
                     longest, width);
    return HT_OK;
  }
  if ((longest < sure_m && 1000 * longest >= sure_mm) || likely == 1 << HT_UNIT_M)
    *unit = HT_UNIT_M;
  else if (cm_only)
    *unit = HT_UNIT_CM;
  else
    return ask(longest, width);
  warn(notes, *unit, longest, width);
  return HT_OK;
}

ht_status ht_stl_to_mm(ht_stl *surface, ht_surface_unit unit, ht_import_notes *notes) {
  double longest = longest_side(surface);
  if (unit == HT_UNIT_AUTO) HT_TRY(choose_unit(surface, longest, notes, &unit));
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
