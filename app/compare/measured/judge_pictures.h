/* Pictures of a computed flow and a measured one. */
#ifndef HT_JUDGE_PICTURES_H
#define HT_JUDGE_PICTURES_H

#include "app/compare/measured/judged.h"
#include "export/drawing/picture_text.h"

/* A picture of a comparison, for its page. */
typedef struct {
  const char *file, *title, *caption; /* file: its name in the folder */
} ht_judge_picture;

enum { HT_JUDGE_PICTURES_MAX = 8 };

/* Draws all pictures that the comparison has the numbers for into a folder. Returns their number in
 * *count. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_judge_pictures(const char *folder, const ht_judged *judged,
                            const ht_picture_text *text,
                            ht_judge_picture picture[HT_JUDGE_PICTURES_MAX], int *count);

/* Draws slices of the scan: the measured velocity, the computed one as the scan shows it, and their
 * difference, at the time of the fastest flow, or of the means. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_judge_slices(const char *path, const ht_judged *judged, const ht_picture_text *text);

/* Draws the streamlines of the mean flow, measured or as the scan shows the computed one, both
 * interpolated between the scan's voxels, in the same colours. Three directions are needed.
 * HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_judge_streamlines(const char *measured, const char *computed, const ht_judged *judged,
                               const ht_picture_text *text);

#endif
