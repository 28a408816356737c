/* Place of an image file's voxels, and the check that all are there. A reader of a header
 * (meta_header.h, nrrd_header.h) fills the place. Private to import/. */
#ifndef HT_VOXEL_DATA_H
#define HT_VOXEL_DATA_H

#include "core/disk/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of extra bytes after the voxels: the end of a line, no header of another
 * format. */
enum { HT_SPARE_BYTES = 16 };

typedef struct {
  char data[HT_PATH_MAX]; /* the file that holds the voxels; "": not known yet */
  long begin;             /* first byte of the voxels there; -1: the voxels end the file */
  int compressed;         /* by zlib or gzip */
  double stored;          /* bytes of the compressed voxels: no more is read; HUGE_VAL: not given */
  double skip;            /* bytes before the voxels that are compressed with them */
  double spare;           /* bytes of other things that may lie next to the voxels */
} ht_voxel_file;

/* Returns 1 where a header claims more bytes of voxels than the file at `path` can hold, with the
 * reason in `problem`: no stored data shrink by more than zlib's 1032 : 1. Call it before that
 * memory is allocated. */
int ht_voxel_data_claims_more(const char *path, double bytes, char problem[128]);

/* Checks that the place has the `expected` bytes of voxels; inflates compressed ones to their
 * checksum; with 0 expected only the file must be there. `path` is that of the header.
 * HT_ERR_FORMAT, HT_ERR_MEMORY. */
ht_status ht_voxel_data_check(const char *path, const ht_voxel_file *place, double expected);

/* Finds the file `name`, in the folder of the header at `path` unless the name has a folder of its
 * own. With `path` "" and the header's path as `name`: the header itself. HT_ERR_FORMAT: too
 * long. */
ht_status ht_voxel_file_beside(const char *path, const char *name, ht_voxel_file *place);

/* Splits "Key = value": ends the key and returns the value, both without blanks around; NULL where
 * the line has no such sign. */
char *ht_header_split(char *line, char sign);

/* Reads the number of bytes before the voxels, or -1. */
long ht_header_offset(const char *value);

/* Fails for a header with lengths in another unit than mm: HT_ERR_FORMAT, always. */
ht_status ht_header_other_unit(const char *path, const char *unit);

#ifdef __cplusplus
}
#endif
#endif
