/* Results as DICOM objects: a segmentation, parametric maps, pictures and a document. They open in
 * a PACS and in a DICOM viewer. Every file is written whole or not at all (file.h), as explicit
 * little endian; pictures are compressed by RLE. Texts are UTF-8. HT_ERR_WRITE names the file and
 * the reason.
 *
 * Each file is a series of its own, except for the pictures, which share one. Multi-frame objects
 * have one frame for each plane k of their grid, in this order: rows along j, columns along i. */
#ifndef HT_DICOM_OUT_H
#define HT_DICOM_OUT_H

#include "core/vessel/flow.h"
#include "core/formats/uid.h"
#include "core/vessel/volume.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The patient and the study that all files of a case belong to. "" where not known. */
typedef struct {
  char patient_name[200]; /* "DOE^JANE" */
  char patient_id[72];
  char birth_date[16]; /* YYYYMMDD */
  char sex[4];
  char study_uid[72];  /* must be given */
  char frame_uid[72];  /* frame of reference; must be given */
  char study_date[16]; /* YYYYMMDD */
  char study_time[20]; /* HHMMSS.FFFFFF */
  char study_id[20];
  char accession[24];
  char comment[200];   /* comment on all images: what a reader must know */
  int is_pseudonymous; /* 1: nothing of the above is the patient's own */
  int is_beat;         /* 1: the flow and its stress are means over a beat: their series say so */
} ht_dicom_study;

/* The vessel as a binary DICOM Segmentation of one segment. HT_ERR_USAGE: the grid has more rows
 * or columns than DICOM allows (65535), or its voxels are too many for a file (4 GB). */
ht_status ht_dicom_segmentation(const char *path, const ht_dicom_study *study, const ht_mask *mask);

/* The speed of the flow as a Parametric Map, float, m/s, on the voxels of `grid`, the vessel's
 * mask's; 0 outside the vessel. Errors as for ht_export_velocity and ht_dicom_segmentation. */
ht_status ht_dicom_speed(const char *path, const ht_dicom_study *study, const ht_domain *domain,
                         const ht_flow *flow, const ht_grid *grid);

/* A number of the wall as a Parametric Map. */
typedef enum { HT_DICOM_WSS, HT_DICOM_TAWSS } ht_dicom_quantity;
typedef struct {
  const ht_surface *surface; /* borrowed, as are these: */
  const float *values;       /* [surface->points] Pa */
  ht_dicom_quantity quantity;
} ht_dicom_load;

/* The value of a voxel that has none: no magnitude is below 0, so it is never taken for one. */
#define HT_DICOM_NO_LOAD (-1.0f)

/* The load on the voxels of `grid`: a voxel of the vessel with solid at one
 * of its 26 neighbours has the value of the surface's nearest point; every other voxel, and one
 * without a point among its 27 (at the rim of an opening), has HT_DICOM_NO_LOAD. */
ht_status ht_dicom_wall(const char *path, const ht_dicom_study *study, const ht_domain *domain,
                        const ht_flow *flow, const ht_grid *grid, const ht_dicom_load *load);

/* A picture of a series. */
typedef struct {
  char series_uid[HT_UID_TEXT]; /* of all pictures */
  int number;                   /* from 1, in its series */
} ht_dicom_place;

/* The PNG file `picture` as a Secondary Capture, RGB, with a title of at most 64 characters.
 * HT_ERR_FORMAT: it cannot be read. */
ht_status ht_dicom_capture(const char *path, const ht_dicom_study *study,
                           const ht_dicom_place *place, const char *picture, const char *title);

/* The PDF file `pdf` as an Encapsulated PDF. HT_ERR_FORMAT: it cannot be read. */
ht_status ht_dicom_document(const char *path, const ht_dicom_study *study, const char *pdf,
                            const char *title);

#ifdef __cplusplus
}
#endif
#endif
