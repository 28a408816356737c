/* Room import/: reads a scan from disk into an ht_volume, a mask into an ht_mask.
 *
 * Reads a DICOM folder, file, DICOMDIR or zip archive (DCMTK), NIfTI (.nii, .nii.gz), MetaImage
 * (.mha, .mhd) and NRRD (.nrrd, .nhdr). Every reader gives the same ht_volume for the same scan:
 * LPS mm, values after slope and intercept. A DICOM series that is tilted or unequally spaced is
 * resampled, with a note. Data that are not one volume (slices missing, several series or phases,
 * colour) are refused with the reason. */
#ifndef HT_IMPORT_H
#define HT_IMPORT_H

#include "import/dicom/dicom_look.h"
#include "import/dicom/scan_identity.h"
#include "import/common/import_note.h"
#include "core/disk/path_list.h"
#include "core/work/progress.h"
#include "import/series/middle_slice.h"
#include "import/series/series.h"
#include "import/surface/formats/surface_input.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  /* DICOM with several series: the wanted one, by its number in ht_import_list ("2"), its UID or a
   * part of its description; of a DICOM segmentation the wanted segment. NULL: there must be just
   * one. Borrowed. */
  const char *series;
  /* DICOM: where slices are missing, interpolates between those on both sides, up to this distance,
   * mm. 0: refused. */
  double allow_gaps_mm;
  /* The wanted one of several images at each position of a DICOM series, or volume of a 4D file,
   * from 1. 0: there must be just one. */
  int phase;
  ht_import_surface *surface; /* of STL; NULL: all automatic. Borrowed */
  /* Filled where it is not NULL with the files that were read: of DICOM those of the series (and
   * the DICOMDIR that named them), of an archive the archive, of an image in two files both.
   * Borrowed. The caller empties the list before and frees it after, also after a failure. */
  ht_path_list *files;
  int *chosen; /* the number of the series (SEG: of the segment) that was read, filled where it is
                  not NULL and there are several to choose from. Borrowed */
  ht_dicom_look *look; /* first look of ht_import_identities() at a folder; NULL: none. Borrowed */
  ht_identity *identity;  /* filled where it is not NULL; all "" for other files. Borrowed */
  ht_study *study;        /* filled where it is not NULL. Borrowed */
  ht_import_notes *notes; /* filled where it is not NULL. Borrowed */
  int is_own;             /* a mask of hemotile: its voxels may be finer than any scan's */
  unsigned *signs; /* of the scan's kind (scan_signs.h), filled where it is not NULL; 0 of files
                      that are no DICOM. Borrowed */
} ht_import_options;

/* Lists the series or the image at `path`. Reads no pixel values of DICOM. Checks that all voxels
 * of an image file are there; a compressed one is read to its end. HT_ERR_NOT_FOUND, HT_ERR_FORMAT,
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The caller frees the list. `progress` may be NULL. */
ht_status ht_import_list(const char *path, const ht_progress *progress, ht_series_list *list);

/* Lists as ht_import_list, and reads the middle slice of each series into *middle [list->count]; of
 * a surface none. The caller frees both. */
ht_status ht_import_list_shown(const char *path, const ht_progress *progress, ht_series_list *list,
                               ht_middle_slice **middle);

/* Finds the patients and studies of the DICOM files at `path` (file, folder, DICOMDIR, archive):
 * puts each different one into found[most] and returns their number. Reads 200 of the files, spread
 * over all; of an archive the first 64 that are DICOM. Skips files that cannot be read. `look`:
 * first look at a folder, from which the import takes the headers; may be NULL. */
int ht_import_identities(const char *path, ht_dicom_look *look, ht_identity *found, int most);

/* Reads the scan at `path` (folder, DICOM file or image file). HT_ERR_NOT_FOUND, HT_ERR_FORMAT,
 * HT_ERR_SERIES (several series: lists them and how to choose; or not regular), HT_ERR_MEMORY.
 * The caller frees the volume. `options` and `progress` may be NULL. */
ht_status ht_import_volume(const char *path, const ht_import_options *options,
                           const ht_progress *progress, ht_volume *volume);

/* Reads a ready vessel: any image format above, where a voxel > 0 is vessel; a closed surface of
 * triangles (.stl), whose open ends are closed; or a DICOM segmentation. Of several segments
 * options->series chooses one, by its number or a part of its label. HT_ERR_VESSEL where it is
 * empty, HT_ERR_FORMAT where it is a scan, or a surface that is not closed; else as
 * ht_import_volume. The caller frees. `options` may be NULL. */
ht_status ht_import_vessel(const char *path, const ht_import_options *options, ht_mask *mask);

/* Tells whether the file at `path` is always a ready vessel: a surface or a DICOM segmentation. 0
 * for folders and for image files, which may be either. */
int ht_import_is_vessel(const char *path);

/* Tells whether the name is that of a surface of triangles. */
int ht_import_is_surface(const char *path);

/* Tells whether the file at `path` is a DICOM slice, whose series is looked for in its folder. 0
 * for a folder, an archive, an image file, a surface and a segmentation. */
int ht_import_is_slice(const char *path);

/* Tells whether other files are certainly read with this one: it is a slice of one image, or a
 * DICOMDIR. 0 for a multi-frame file, which may be a scan of its own, and where ht_import_is_slice
 * is 0. Reads its header only. */
int ht_import_has_others(const char *path);

/* Reads a ready vessel as ht_import_vessel without options. */
ht_status ht_import_mask(const char *path, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
