/* import/: a scan from disk into an ht_volume; a mask into an ht_mask.
 *
 * Reads a DICOM folder, file, DICOMDIR or zip archive (DCMTK), and NIfTI (.nii, .nii.gz), NRRD
 * (.nrrd, .nhdr) and MetaImage (.mha, .mhd) through ITK. Every reader gives the same ht_volume for
 * the same scan: LPS mm, values after slope and intercept. A DICOM series that is tilted or
 * unequally spaced is resampled, and that is said; what is not one volume (slices missing, several
 * series or phases, colour) is refused with the reason.
 */
#ifndef HT_IMPORT_H
#define HT_IMPORT_H

#include "openings.h"
#include "path_list.h"
#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a person has to know of how a scan was read: what was left out, resampled, interpolated.
 * Sentences, a line each. */
typedef struct {
  char text[2048];
  char warning[512]; /* what may make the results wrong (a sentence of its own); "" where nothing */
} ht_import_notes;

/* Who a DICOM scan is of, as its files tell, UTF-8; "" where they do not. */
typedef struct {
  char name[200]; /* "DOE^JANE" */
  char id[72];
  char birth_date[16], study_date[16]; /* YYYYMMDD */
  char accession[24];                  /* number of the request */
} ht_identity;

/* What the numbers of an STL file count. */
typedef enum { HT_UNIT_AUTO = 0, HT_UNIT_MM, HT_UNIT_CM, HT_UNIT_M } ht_surface_unit;

/* How a surface is read, and what it tells. */
typedef struct {
  ht_surface_unit unit; /* HT_UNIT_AUTO: by its size where that is sure */
  /* Voxels of the mask that it becomes, mm. 0: chosen by the thinnest vessel and by the lattice:
   * its spacing, or its nodes across the widest flat end, where they are known (else 0). */
  double spacing_mm, lattice_mm, nodes_across;
  /* Filled in where the input is a surface: its voxels, and the flat ends where vessels were cut
   * (centre, normal, area, radius), largest first. Else 0. */
  double voxel_mm;
  ht_openings ends;
} ht_import_surface;

typedef struct {
  /* DICOM with several series: which one, by its number in ht_import_list ("2"), its UID or a part
   * of its description; of a DICOM segmentation with several segments, which one. NULL: there has
   * to be just one. Borrowed. */
  const char *series;
  /* DICOM: where slices are missing, those on both sides are interpolated between, up to this
   * distance, mm. 0: refused. */
  double allow_gaps_mm;
  /* Which image of several at each position of a DICOM series, or which volume of a 4D file, from
   * 1. 0: there has to be just one. */
  int phase;
  ht_import_surface *surface; /* of STL; NULL: all of it automatic. Borrowed */
  /* Filled where it is not NULL with the files that were read: of DICOM those of the series (and
   * the DICOMDIR that named them), of an archive the archive, of an image with its voxels in a file
   * beside it both. Borrowed; what is in it is the caller's, who empties it first and frees it,
   * also after a failure. */
  ht_path_list *files;
  ht_identity *identity;  /* filled where it is not NULL; all "" of other files. Borrowed */
  ht_import_notes *notes; /* filled where it is not NULL. Borrowed */
} ht_import_options;

/* One series of a DICOM folder, or the one image of another file. */
typedef struct {
  char format[16]; /* "DICOM", "NIfTI", "NRRD", "MetaImage" */
  char uid[72];    /* DICOM: Series Instance UID; else "" */
  char description[72];
  char modality[8];
  char stack[20];    /* DICOM: Stack ID where the series has several stacks, each listed; else "" */
  int patient;       /* DICOM: whose, a number from 1 within the list; 0: not told */
  int files, images; /* DICOM: images with several frames a file; else both 1 */
  char aside[64];    /* what it is ("a localizer") where it is not taken unasked; else "" */
  ht_grid grid;      /* dim 0 where the series is not a regular volume */
  char problem[768]; /* why it cannot be imported; "" where it can */
  ht_status status;  /* the code that goes with the problem */
  char note[512];    /* what is special about it: not taken unasked, resampled; "" where nothing */
} ht_series;

typedef struct {
  int count;
  ht_series *series; /* owned */
  int taken;         /* from 1: the one that ht_import_volume takes, or fails with, where none is
                        asked for; 0: it asks which */
  int patients;      /* DICOM: how many different ones the files tell; of 2 and more no series is
                        taken unasked */
  int special;       /* DICOM: pipes, sockets and devices in the folder, which are left out */
  int strays;        /* files that tell no series, and may belong to any: then none is imported */
} ht_series_list;

/* What is at `path`. Of DICOM no pixel values are read; of an image file it is checked that all are
 * there, for which a compressed one is read through. HT_ERR_NOT_FOUND, HT_ERR_FORMAT,
 * HT_ERR_MEMORY, HT_ERR_INTERRUPTED. The caller frees the list. `progress` may be NULL. */
ht_status ht_import_list(const char *path, const ht_progress *progress, ht_series_list *list);
void ht_series_list_free(ht_series_list *list);

/* Who the DICOM files at `path` (file, folder, DICOMDIR, archive) are of, and of which studies:
 * puts what differs into found[most] and returns how many. Asks 200 of the files, spread over all;
 * of an archive the first 64 that are DICOM. Says nothing of what cannot be read. */
int ht_import_identities(const char *path, ht_identity *found, int most);

/* Reads the scan at `path` (folder, DICOM file or image file). HT_ERR_NOT_FOUND, HT_ERR_FORMAT,
 * HT_ERR_SERIES (several series: lists them and says how to choose; or not regular), HT_ERR_MEMORY.
 * The caller frees the volume. `options` and `progress` may be NULL. */
ht_status ht_import_volume(const char *path, const ht_import_options *options,
                           const ht_progress *progress, ht_volume *volume);

/* Reads a ready vessel: any image format above, where a voxel > 0 is vessel; a closed surface of
 * triangles (.stl); or a DICOM segmentation, of which options->series chooses the segment, by its
 * number or a part of its label, where it has several. HT_ERR_VESSEL where it is empty,
 * HT_ERR_FORMAT where it is a scan, or a surface that is not closed; else as ht_import_volume. The
 * caller frees. `options` may be NULL. */
ht_status ht_import_vessel(const char *path, const ht_import_options *options, ht_mask *mask);

/* Is the file at `path` by its kind a ready vessel and no scan: a surface, or a DICOM segmentation?
 * 0 of folders and of image files, which may be either. */
int ht_import_is_vessel(const char *path);

/* Is the file at `path` one of DICOM, so that its series is looked for in its folder? 0 of a
 * folder, an archive, an image file, a surface and a segmentation. */
int ht_import_is_slice(const char *path);

/* Are other files surely read with this one: is it a slice of one image, or a DICOMDIR? 0 of a
 * multi-frame file, which may be a scan of its own, and where ht_import_is_slice is 0. Reads its
 * header only. */
int ht_import_has_others(const char *path);

/* The same as ht_import_vessel without options. */
ht_status ht_import_mask(const char *path, ht_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
