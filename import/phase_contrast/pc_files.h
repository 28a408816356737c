/* Measured flow from image files (NIfTI, NRRD, MetaImage), whose meaning somebody gives. */
#ifndef HT_PC_FILES_H
#define HT_PC_FILES_H

#include "import/phase_contrast/pc_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of time points at most. */
enum { HT_PC_TIMES_MOST = 1000 };

typedef struct {
  int count;               /* files of velocities: 1 or 3 */
  const char *velocity[3]; /* one for each direction, with its time points; or one with the three
                              directions at one time. Borrowed */
  const char *magnitude;   /* with the same time points, or one for all; NULL: none. Borrowed */
  double unit_m_s; /* of the values, in m/s: 0.01 for cm/s; of phases in radians venc / pi */
  int times;       /* number of time_s; 0: not given */
  double time_s[HT_PC_TIMES_MOST];
} ht_pc_files;

/* Reads the velocities of image files. given->direction: of each direction, "row", "column" and
 * "through" being the axes of the voxels; NULL: these three, or "through" for one, with an open
 * sign, which physics decides where it can; the notes say so. HT_ERR_FORMAT: the files do not fit
 * each other, or their times are not known; errors of the image's reader. The caller frees the
 * flow. */
ht_status ht_pc_files_read(const ht_pc_files *files, const ht_pc_given *given,
                           ht_import_notes *notes, ht_measured_flow *flow);

#ifdef __cplusplus
}
#endif
#endif
