/* Views along and across a vessel's centreline: frames that do not twist, and the sections that the
 * pictures show. */
#ifndef HT_PATH_VIEW_H
#define HT_PATH_VIEW_H

#include "core/vessel/openings.h"
#include "export/pixels/scan_panel.h"
#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place on the centreline with three unit vectors (LPS): along the path, and two across it. */
typedef struct {
  double along_mm, radius_mm; /* radius of the circle with the section's area; where a section is
                                 not the vessel's alone, interpolated between the stations around */
  double centre_mm[3], tangent[3], across[2][3];
} ht_path_frame;

/* Makes a frame for each station. The vectors across are carried from one to the next without
 * rotation about the path (R. Bishop, Am. Math. Mon. 82 (1975) 246), so a straightened vessel does
 * not twist. The first begins as near as it can to the patient's head, or, where the path runs
 * along the body, to the front. The caller frees. HT_ERR_MEMORY. */
ht_status ht_path_frames(const ht_vessel_path *path, ht_path_frame **frame);

/* Interpolates a frame linearly between the stations; beyond the ends, the end's frame. */
void ht_path_frame_at(const ht_path_frame *frame, int count, double along_mm, ht_path_frame *at);

/* The sections that the pictures show and number, from 1. */
enum { HT_PATH_MARKS_MOST = 12 };
typedef struct {
  int count, station[HT_PATH_MARKS_MOST]; /* ascending */
  int narrowest;                          /* which of them has the least area of the path */
} ht_path_marks;

/* Chooses 7 to 11 sections, evenly along the path, about one each diameter, and the narrowest
 * place; fewer where the path has fewer stations. Stations at a sac or a junction are not the
 * narrowest. */
void ht_path_marks_find(const ht_vessel_path *path, ht_path_marks *marks);

/* The largest radius of the path's sections. */
double ht_path_widest(const ht_path_frame *frame, int count);

/* Number of scan voxels across the vessel below which a mask cannot be trusted: drawn in amber. */
#define HT_PATH_VOXELS_LEAST 4
extern const ht_rgb ht_path_thin;

/* Colour of a section that is not the vessel's alone. */
extern const ht_rgb ht_path_mixed;

/* The side of a cube with the volume of a voxel of the scan, mm. */
double ht_scan_voxel_mm(const ht_volume *scan);

#ifdef __cplusplus
}
#endif
#endif
