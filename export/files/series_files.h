/* The files of a beat's samples, from a series (beat_series.h). Every file is written whole or not
 * at all (file.h). HT_ERR_WRITE names the file and the reason; HT_ERR_FORMAT: the series cannot be
 * read, or belongs to another vessel; HT_ERR_MEMORY.
 *
 * No field of a sample is in memory as a whole. The functions may run side by side.
 */
#ifndef HT_SERIES_FILES_H
#define HT_SERIES_FILES_H

#include "core/vessel/flow.h"
#include "export/beat/beat_series.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes FOLDER/flow_000.vti, ...: samples first, first + step, first + 2 step, ... on the voxels
 * of `grid`, with the arrays of ht_export_vti. `flow` is any of the domain. */
ht_status ht_export_series_vti(const char *folder, const ht_domain *domain, const ht_flow *flow,
                               const ht_grid *grid, const ht_beat_series *series, int first,
                               int step);

/* Writes FOLDER/wall_000.vtp, ...: these samples on the wall, with "wss_pa", "wss_magnitude_pa",
 * "pressure_pa", "Normals". 16 bytes a point. */
ht_status ht_export_series_vtp(const char *folder, const ht_surface *surface,
                               const ht_beat_series *series, int first, int step);

/* Writes FOLDER/STEM.pvd: ParaView's list of the files FOLDER/STEM_000.ENDING, ... with their
 * times, s. */
ht_status ht_export_series_pvd(const char *folder, const ht_beat_series *series, const char *stem,
                               const char *ending);

/* Writes all samples as one NIfTI file (.nii, .nii.gz): x, y, z, time; for the velocity (m/s, LPS)
 * also the component, as the fifth dimension. The time between samples, s, is in the header. */
ht_status ht_export_series_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                                    const ht_grid *grid, const ht_beat_series *series);
ht_status ht_export_series_pressure(const char *path, const ht_domain *domain, const ht_flow *flow,
                                    const ht_grid *grid, const ht_beat_series *series);

#ifdef __cplusplus
}
#endif
#endif
