/* Openings as planes and points of 3D Slicer: its markups files (.mrk.json). */
#ifndef HT_MARKUPS_H
#define HT_MARKUPS_H

#include "run/case/case.h"

/* Reads the planes (centre and normal) and the points of point lists (their direction follows from
 * the centreline) as the case's openings, in place of those in its list; an opening keeps the flow
 * and pressure of the entry with its name in that list. The name is that of the plane or the label
 * of the point; the role is "inlet", "outlet" or "wall" where the description is that word or the
 * name begins with it. In a point list in which exactly one point has `"selected": false`, and no
 * other is named an inlet, that point is the inlet: the source of SlicerVMTK's Extract Centerline.
 * Schema 1.0.0 to 1.0.3 of 3D Slicer's Markups module. HT_ERR_NOT_FOUND; HT_ERR_FORMAT: no markups
 * file, another kind of markup, nothing in it, units other than mm. */
ht_status ht_markups_read(const char *path, ht_case *settings);

/* Reads the one plane of such a file as the plane of the sac's neck (settings->sac). Errors as
 * above; HT_ERR_FORMAT also where it holds several planes, or none with a normal. */
ht_status ht_markups_read_neck(const char *path, ht_case *settings);

/* Returns the role that a description gives, or else the beginning of a name. */
ht_role ht_markup_role(const char *name, const char *description);

/* Writes the openings as planes: a person can move them and pass the file to --openings.
 * HT_ERR_WRITE. */
ht_status ht_markups_write(const char *path, const ht_openings *openings);

#endif
