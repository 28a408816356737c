/* Points in a vessel, from files of other programs and from the command line. */
#ifndef HT_POINTS_FILE_H
#define HT_POINTS_FILE_H

#include "run/case/case.h"

/* Points in a vessel, one to HT_SEGMENT_POINTS_MAX, in the order given. */
typedef struct {
  double position_mm[3];  /* LPS */
  char name[HT_NAME_MAX]; /* "": no name */
  ht_role role;           /* role by the name or the description; HT_ROLE_NONE: neither gives one */
} ht_named_point;

typedef struct {
  int count;
  int is_ras; /* 1: given in RAS, converted to LPS */
  ht_named_point item[HT_SEGMENT_POINTS_MAX];
} ht_points;

/* Reads points by the file's name and its header:
 *   .mrk.json   a point list of 3D Slicer (markups.h)
 *   .fcsv       its old form; the line `# CoordinateSystem = ` tells LPS (1) or RAS (0)
 *   others      a table, separated by ';', a tab, ',' or blanks; unless it is ',', numbers may have
 *               a decimal comma. A header names the columns: x,y,z or x_mm,y_mm,z_mm or l,p,s: LPS;
 *               r,a,s: RAS; label or name; description; others are ignored. Without a header each
 *               line has three numbers, LPS mm, with the name before or after them.
 * The role is "inlet", "outlet" or "wall" where the description is that word or the name begins
 * with it. Of the forms of 3D Slicer the one point that is not selected (column `selected` or
 * `sel`: 0) is the inlet, as in markups.h. Empty lines and, but for .fcsv, lines that begin with
 * '#' are ignored. HT_ERR_NOT_FOUND; HT_ERR_CASE (HT_ERR_FORMAT of a .mrk.json) with file:line: no
 * three numbers, fewer than two points, more than HT_SEGMENT_POINTS_MAX, one beyond
 * ht_segment_allowed.position_mm. */
ht_status ht_points_read(const char *path, ht_points *points);

/* Adds the point of "X,Y,Z" (LPS mm), or of "ras:X,Y,Z". `where` begins the message: "--from".
 * HT_ERR_USAGE. */
ht_status ht_points_add_typed(const char *text, const char *where, ht_points *points);

/* Makes these the points of the case. Those with a name or a role get an entry in the list of
 * openings. Entries of points that the case already has stay, with their flows; those of other
 * points are removed. HT_ERR_CASE: there are more openings than HT_OPENINGS_MAX. */
ht_status ht_case_set_points(ht_case *settings, const ht_points *points);

#endif
