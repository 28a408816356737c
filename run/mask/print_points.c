#include "run/mask/print_points.h"
#include "run/process/console.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void ht_tell_points_given(const ht_case *settings) {
  if (settings->segment.points == 0) return;
  if (settings->points_file[0])
    ht_console_note("points: %d of %s%s", settings->segment.points, settings->points_file,
                    settings->points_are_ras ? ", RAS, turned to LPS" : "");
}

/* Returns 1 for names as 3D Slicer numbers its points: F-1, MF_2. */
static int is_numbered(const char *name) {
  enum { LETTERS_MOST = 2 };
  size_t digits = strcspn(name, "-_0123456789");
  return digits <= LETTERS_MOST && name[digits + strspn(name + digits, "-_0123456789")] == 0;
}

void ht_tell_names_unchecked(const ht_case *settings) {
  const char *file = settings->points_file[0] ? settings->points_file : settings->markups;
  if (!file[0] || settings->keep_identity) return;
  for (int i = 0; i < settings->openings; i++) {
    const ht_case_opening *one = &settings->opening[i];
    const char *name = one->name;
    if (!(settings->points_file[0] ? one->point > 0 : one->from_markups)) continue;
    if (ht_case_name_is_made_up(name) || is_numbered(name)) continue;
    ht_console_warn(
        "names in %s, as \"%s\", go into the results as they are: the patient's name is "
        "known only while the scan is imported, so they were not compared with it. If "
        "one holds it, rename it there and segment again",
        file, name);
    return;
  }
}

static void tell_moved(const double given_mm[3], const ht_segment_point *point, int number) {
  const double least_mm = 0.05; /* less is written as 0.0 */
  const double *at = point->centre_mm;
  if (point->away_mm < least_mm) return;
  ht_console_note("point %d lay %.1f mm beside the vessel, at [%.1f, %.1f, %.1f]: taken at [%.1f, "
                  "%.1f, %.1f]",
                  number, point->away_mm, given_mm[0], given_mm[1], given_mm[2], at[0], at[1],
                  at[2]);
}

/* Returns 1 where the opening of an entry lies inside the scan, but not where its point is, or is
 * far wider or narrower than the vessel there. */
static int is_cut_askew(const ht_case_opening *asked, const ht_segment_point *point,
                        const ht_opening *cut) {
  const double most = 1.5, most_along = 3, r = point->radius_mm; /* true to a tenth */
  return asked->point > 0 && !cut->at_border &&
         !(ht_opening_side_mm(cut, point->centre_mm) < r &&
           ht_distance(cut->centre_mm, point->centre_mm) < most_along * r &&
           cut->radius_mm < most * r && cut->radius_mm > r / most);
}

ht_status ht_check_point_cuts(const ht_case *settings, const ht_segment_report *report,
                              ht_placed *placed) {
  for (int a = 0; a < settings->openings; a++) {
    const ht_case_opening *asked = &settings->opening[a];
    const ht_segment_point *point = &report->point[asked->point > 0 ? asked->point - 1 : 0];
    const ht_opening *cut = ht_openings_named(&placed->openings, asked->name);
    if (asked->point > report->points || !cut || !is_cut_askew(asked, point, cut)) continue;
    placed->lost_point = asked->point;
    return ht_fail(HT_ERR_OPENINGS,
                   "the opening '%s' at point %d has a radius of %.2f mm and lies %.1f mm from the "
                   "middle of the vessel, whose radius is %.2f mm there: the cut runs through two "
                   "vessels, or along one; look at pictures/mask_on_scan.png, and move the point "
                   "along the vessel",
                   cut->name, asked->point, cut->radius_mm,
                   ht_distance(cut->centre_mm, point->centre_mm), point->radius_mm);
  }
  return HT_OK;
}

/* Warns of what is left out: it may be a branch, or the true lumen, and only a person can tell. */
static void warn_of_left(const ht_segment_left *left, int may_be_mr) {
  const double *at = left->centre_mm;
  ht_console_warn("blood that touches the vessel at [%.1f, %.1f, %.1f] is left out as another "
                  "structure: %.3g mL in all, touching over a section of %.1f mm radius (the "
                  "vessel: %.1f mm); look there in pictures/mask_on_scan.png, and where it is a "
                  "branch of this vessel, or its own blood, give one more point in it (--to "
                  "X,Y,Z)%s",
                  at[0], at[1], at[2], left->ml, left->radius_mm, left->vessel_mm,
                  may_be_mr ? "; if the scan is an MR, which its values do not show, give --preset "
                              "tof-mra: nothing brighter than blood is left out then"
                            : "");
}

static void warn_of_border(const double at_mm[3]) {
  ht_console_warn(
      "the vessel runs along the scan's border at [%.1f, %.1f, %.1f]: its wall is closed "
      "there, where the scan ends, so do not trust the wall shear stress; a first point "
      "farther on leaves that part out",
      at_mm[0], at_mm[1], at_mm[2]);
}

/* Returns 1 where an end about as wide is closed at that place, and is not closed as thin: its own
 * warning tells of what touches it. */
static int is_told_as_closed(const ht_openings *closed, const ht_segment_left *left) {
  for (int i = 0; i < closed->count; i++) {
    const ht_opening *one = &closed->item[i];
    double least_mm = fmax(left->radius_mm / 2, HT_PLACE_THIN * left->vessel_mm);
    if (one->radius_mm > least_mm &&
        ht_distance(one->centre_mm, left->centre_mm) < 2 * one->radius_mm)
      return 1;
  }
  return 0;
}

void ht_tell_points_found(const ht_case *settings, const ht_segment_report *report,
                          const ht_placed *placed) {
  if (report->points != settings->segment.points) return;
  for (int p = 0; p < report->points; p++)
    tell_moved(settings->segment.point_mm[p], &report->point[p], p + 1);
  if (report->closed_border > 0) warn_of_border(report->closed_border_mm);
  for (int n = 0; n < report->lefts; n++)
    if (!is_told_as_closed(&placed->closed, &report->left[n]))
      warn_of_left(&report->left[n], report->may_be_mr);
  if (report->parted_ml > 0)
    ht_console_note(
        "left out, as it touches the vessel and seems to be another structure: %.2g mL; "
        "look at pictures/mask_on_scan.png",
        report->parted_ml);
}
