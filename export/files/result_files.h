/* Images and VTK files. Every file is written whole or not at all (file.h). HT_ERR_WRITE names the
 * file and the reason. */
#ifndef HT_RESULT_FILES_H
#define HT_RESULT_FILES_H

#include "core/vessel/flow.h"
#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a volume as an image; the ending gives the format: .nii.gz, .nii, .nrrd, .mha
 * (HT_ERR_USAGE for another). Origin, spacing and direction round-trip to the format's own
 * precision: NIfTI's sform is float32, within 1e-4 mm over a scan. A volume whose values are all
 * integers that fit int16 is written as int16, else float. */
ht_status ht_export_volume(const char *path, const ht_volume *volume);
/* Writes a volume as float, with the name of its quantity (at most 15 characters) and a text with
 * its unit (79) where the format keeps them: NIfTI's intent_name and descrip. */
ht_status ht_export_quantity(const char *path, const ht_volume *volume, const char *name,
                             const char *about);

ht_status ht_export_mask(const char *path, const ht_mask *mask); /* uint8 */

/* Writes a surface as a binary STL file in LPS mm, which its header states. */
ht_status ht_export_triangles(const char *path, const ht_triangles *triangles);

/* Writes the wall as a binary STL file. */
ht_status ht_export_wall_stl(const char *path, const ht_surface *surface);

/* Writes a table with a row for each point of the wall: its place, its share of the area, and the
 * numbers of wall.vtp that are no vectors. in_sac: [points], NULL: no such column; `cycle` may be
 * NULL. */
ht_status ht_export_wall_csv(const char *path, const ht_surface *surface,
                             const ht_wall_cycle *cycle, const uint8_t *in_sac);

/* Writes a number of the wall as an image on the voxels of `grid`, the vessel's mask's: the
 * vessel's voxels at the wall have the value of the nearest point (wall_voxels.h, as in the DICOM
 * files), all others 0. values: [points]; name, about: as for ht_export_quantity. Errors as for
 * ht_export_velocity. */
ht_status ht_export_wall_image(const char *path, const ht_surface *surface, const float *values,
                               const ht_domain *domain, const ht_grid *grid, const char *name,
                               const char *about);

/* Images of velocity (3 components, m/s) and pressure (Pa) of the vessel without its extensions,
 * float; 0 outside the vessel. The voxels are those of `grid`, the vessel's mask's: the domain's
 * lattice is that grid with more around it for the extensions. The components are along L, P, S
 * (DICOM's axes) in every format, as ITK keeps them: 3D Slicer expects that and shows them as RAS.
 * In NIfTI they are dimension 5 with intent "vector"; a tool that reads them as RAS has to turn the
 * signs of the first two. HT_ERR_VESSEL: no vessel. HT_ERR_DIVERGED: a number is not finite; says
 * where. HT_ERR_INTERNAL: the voxels of the grid are not the domain's, or part of the vessel lies
 * outside it. */
ht_status ht_export_velocity(const char *path, const ht_domain *domain, const ht_flow *flow,
                             const ht_grid *grid);
ht_status ht_export_pressure(const char *path, const ht_domain *domain, const ht_flow *flow,
                             const ht_grid *grid);

/* Writes velocity and pressure, with the mask (1 in the vessel), as one VTK ImageData file (.vti,
 * appended raw, zlib-compressed) for ParaView, in LPS mm, on the same voxels: point data
 * "velocity_m_s", "pressure_pa", "mask". Its direction needs VTK 9: older readers show it
 * unrotated. Errors as above. */
ht_status ht_export_vti(const char *path, const ht_domain *domain, const ht_flow *flow,
                        const ht_grid *grid);

/* Writes the wall as VTK PolyData, XML, appended raw: points (LPS mm), triangles, arrays "wss_pa"
 * "wss_magnitude_pa" "pressure_pa" "dx_plus" (those that are there) "Normals". HT_ERR_DIVERGED: a
 * number is not finite. */
ht_status ht_export_vtp(const char *path, const ht_surface *surface);

/* Writes the arrays of ht_export_vtp and the cycle's: "tawss_pa" "mean_wss_pa"
 * "mean_wss_magnitude_pa" "osi" "rrt_per_pa" "ecap_per_pa" "wss_min_pa" "wss_max_pa" "wss_peak_pa"
 * "wss_peak_magnitude_pa" "pressure_peak_pa". `cycle` NULL: as ht_export_vtp. HT_ERR_INTERNAL: the
 * cycle has another number of points. */
ht_status ht_export_vtp_cycle(const char *path, const ht_surface *surface,
                              const ht_wall_cycle *cycle);

/* A number at each point of a wall. */
typedef struct {
  const char *name;    /* "wss_difference_pa" */
  const float *values; /* [points]; NAN: no value. Borrowed */
} ht_wall_field;

/* Writes the wall's points and triangles with these numbers alone; a viewer shows the first.
 * HT_ERR_INTERNAL: more than HT_WALL_FIELDS_MAX. */
enum { HT_WALL_FIELDS_MAX = 20 };
ht_status ht_export_vtp_fields(const char *path, const ht_surface *surface,
                               const ht_wall_field *field, int fields);

#ifdef __cplusplus
}
#endif
#endif
