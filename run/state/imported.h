/* The input: its files, and the scan, mask or surface in them. */
#ifndef HT_IMPORTED_H
#define HT_IMPORTED_H

#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"
#include "import/import.h"
#include "run/folder/input_stamps.h"

typedef struct {
  ht_path_list files;     /* read by the import; owned */
  ht_input_stamps stamps; /* stamps of the input, before it is examined; {0}: not taken. Owned */
  ht_dicom_look look;     /* what was seen of the input before the import. Owned */
  ht_volume scan;         /* values NULL: not in memory. Owned */
  ht_mask seen;           /* kind of each voxel of the scan as a network sees it (HT_SEEN_...);
                             inside NULL: it was not run. Owned */
  ht_mask drawn;          /* the ready mask as imported. Owned */
  ht_triangles surface;   /* that `drawn` was made of; corner NULL: not in memory, or none. Owned */
} ht_imported;

/* Frees what was kept of the input's files: stamps and look. */
void ht_imported_forget(ht_imported *imported);

#endif
