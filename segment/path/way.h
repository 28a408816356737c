/* Way of the vessel between points: its centreline, and the values of blood and tissue along it.
 * Private to segment/. */
#ifndef HT_WAY_H
#define HT_WAY_H

#include "segment/voxels/component.h"
#include "core/work/progress.h"
#include "segment/settings/segment_options.h"
#include "segment/path/search.h"
#include "segment/path/snap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double centre_mm[3];  /* LPS */
  double tangent[3];    /* unit, away from the first point */
  double radius_mm;     /* of the circle with the section's area */
  double blood, tissue; /* values inside, and around */
  int before;           /* previous station; -1: this is the first */
  int is_dark;          /* 1: a short gap, where the scan is as dark as tissue */
  int is_ringed;        /* 1: in a stent, whose struts are the wall */
} ht_way_station;

/* Tree of stations about a voxel apart, in the order of ht_paths. */
typedef struct {
  ht_volume coarse; /* the scan at larger voxels where the vessel is 32 of its own in radius or
                       more, and still 16 of these or more; values NULL: the scan as it is. Owned */
  int stations;
  ht_way_station *station; /* owned */
  double bright; /* what is brighter than blood by more than this share of the contrast is no blood:
                    HT_WAY_BRIGHT, or HT_WAY_BRIGHT_MR */
  int by_brightest; /* 1: by the way whose darkest place is the brightest, however long */
  int crosses;      /* 1: a dark stretch leads across into another vessel (crossing.h) */
  ht_closed_ball closed;
  int points;
  int at_point[HT_SEGMENT_POINTS_MAX]; /* station at each point */
  int is_end[HT_SEGMENT_POINTS_MAX];   /* 1: the way ends there; 0: it leads through */
  ht_snap snap[HT_SEGMENT_POINTS_MAX];
  double away_mm[HT_SEGMENT_POINTS_MAX]; /* distance from each point to the vessel's wall; 0:
                                            inside */
} ht_way;

/* Snaps the points to the vessel (snap.h), and joins them by minimal paths (search.h). Radius,
 * blood and tissue are those at the points. `other`: NULL, or a measured way that the vessel does
 * not take: the new one is by the brightest way that does not enter its closed ball, for blood and
 * tissue as measured, also when it is refined.
 * HT_ERR_CASE, HT_ERR_VESSEL, HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The caller frees. */
ht_status ht_way_find(const ht_volume *scan, const double (*point_mm)[3], int points,
                      const ht_way *other, const ht_progress *progress, ht_way *way);

void ht_way_free(ht_way *way);

/* Joins the points again in a region around a measured way. The new way keeps to the middle of a
 * tube of the median radius (tubeness.h), so that it neither crosses into a touching vessel nor
 * goes round a short gap. Its stations start from the nearest measured values. The points move to
 * the middle of that tube, by at most two radii of the vessel there, and a third of that along it.
 * Errors as above; the way has no stations then. */
ht_status ht_way_refine(const ht_volume *region, const double (*point_mm)[3],
                        const ht_progress *progress, ht_way *way);

/* Finds the box of the grid around the way where the vessel can be: within 20 mm or three radii of
 * it, times `widened`. */
ht_status ht_way_box(const ht_grid *grid, const ht_way *way, double widened, ht_box *box);

/* Measures radius, blood and tissue of every station from the profiles of the smoothed scan along
 * rays across the way, and moves the stations to the middle of the sections. The vessel ends where
 * a profile falls half-way from blood to tissue, or rises beyond blood by the contrast's
 * HT_WAY_BRIGHT. Takes medians over the rays and over the stations nearby, so that a branch or a
 * bone next to the vessel does not count. Lung next to tissue does not count as surroundings
 * (tissue.h). In a stent, where thin struts brighter than blood lie around the way with tissue
 * beyond them, the wall is the circle through the struts. `point_mm` [points]: as given. `is_final`
 * 0: for ht_way_refine, so any length may be dark. HT_ERR_VESSEL where a final way leaves the
 * vessel: it is as dark as tissue for more than 3 mm and 4 voxels, or `crosses`. HT_ERR_MEMORY. */
ht_status ht_way_measure(const ht_volume *region, const double (*point_mm)[3], int is_final,
                         ht_way *way);

/* Bone, calcium and metal are brighter than blood in X-rays. In MR nothing is but blood itself,
 * where it flows faster or came in later. */
#define HT_WAY_BRIGHT    0.6
#define HT_WAY_BRIGHT_MR 20.0

#ifdef __cplusplus
}
#endif
#endif
