/* DICOM files of a folder, grouped into series. Private to import/. */
#ifndef HT_DICOM_FOLDER_H
#define HT_DICOM_FOLDER_H

#include "import/dicom/dicom.h"
#include "import/dicom/dicom_look.h"
#include "core/disk/path_list.h"
#include "core/work/progress.h"
#include "import/series/middle_slice.h"
#include "import/series/series.h"
#include "import/slices/stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Depth below the given folder down to which folders are searched; deeper ones are refused. */
enum { HT_DICOM_DEPTH = 200 };

typedef struct {
  ht_slice *slice; /* [slices] by series; within a series in the order of ht_stack_check. Owned */
  int slices, room;
  int looked;             /* number of files read */
  int other;              /* number of these that are not DICOM */
  char example[256];      /* name of one of those */
  int special;            /* number of pipes, sockets and devices there, which were left out */
  char special_name[256]; /* name of the first */
  const char *joined;  /* reason why images became one series although their UIDs do not make one;
                          or NULL */
  ht_series_list list; /* the series, by series number, then UID. Owned */
  ht_stack *stack;     /* [list.count] the volume that its slices make. Owned */
  int *first;          /* [list.count] first slice of the series. Owned */
  int *planes;         /* [list.count] its slices without second copies. Owned */
  int *aside;          /* [list.count] ht_stack_aside of the series. Owned */
  ht_status *status;   /* [list.count] HT_OK, or the code that goes with its problem. Owned */
} ht_dicom_folder;

/* Reads the header of every file under `path`. Where `path` is a file: of the files in its folder,
 * and keeps only its series. `options`: those of ht_stack_check. `look`: first look at the folder;
 * its headers are taken from there; may be NULL. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (no DICOM file
 * there), HT_ERR_MEMORY, HT_ERR_INTERRUPTED. */
ht_status ht_dicom_folder_read(const char *path, const ht_stack_options *options,
                               ht_dicom_look *look, const ht_progress *progress,
                               ht_dicom_folder *folder);
void ht_dicom_folder_free(ht_dicom_folder *folder);

/* Adds the files of series `number` (from 0) to the list, each once. HT_ERR_MEMORY. */
ht_status ht_dicom_folder_files(const ht_dicom_folder *folder, int number, ht_path_list *files);

/* Reads the middle slice of series `number` (from 0), also of one that makes no volume; without one
 * that can be read leaves it empty. HT_ERR_MEMORY. */
ht_status ht_dicom_folder_middle(const ht_dicom_folder *folder, int number,
                                 ht_middle_slice *middle);

/* Reads the pixels of series `number` (from 0), or fails with its problem. */
ht_status ht_dicom_folder_volume(const ht_dicom_folder *folder, int number,
                                 const ht_progress *progress, ht_volume *volume);

#ifdef __cplusplus
}
#endif
#endif
