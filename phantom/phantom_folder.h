/* Rule of the files that `hemotile phantom` may replace: those that it wrote itself and that nobody
 * has changed since. phantom.json records the SHA-256 of each. */
#ifndef HT_PHANTOM_FOLDER_H
#define HT_PHANTOM_FOLDER_H

#include "core/formats/json.h"
#include "core/status.h"

#define HT_PHANTOM_MARK     "phantom.json"
#define HT_PHANTOM_DICOM    "dicom"
#define HT_PHANTOM_FLOW     "phase_contrast"
#define HT_PHANTOM_MEASURED "measured.yaml" /* the case, with that flow as its inflow */
#define HT_PHANTOM_MASK     "truth_mask.nii.gz"
#define HT_PHANTOM_DISTANCE "truth_distance.nii.gz"
#define HT_PHANTOM_POINTS   "points.csv"

/* Checks that a phantom may be written here: the folder does not exist, is empty, or holds an
 * unchanged phantom. HT_ERR_USAGE names the file that is in the way. */
ht_status ht_phantom_folder_check(const char *folder);

/* Contents of a phantom's folder: `truth` writes members of phantom.json, `files` the files. */
typedef struct {
  const char *folder;
  void (*truth)(ht_json *json, const void *phantom);
  ht_status (*files)(const char *folder, const void *phantom);
  const void *phantom;
} ht_phantom_files;

/* Replaces the files of the phantom that is there (ht_phantom_folder_check); the user's own files
 * stay. A partial phantom looks like a complete one: if a file cannot be written, none is kept.
 * Errors of `files`; HT_ERR_WRITE. */
ht_status ht_phantom_folder_write(const ht_phantom_files *files);

#endif
