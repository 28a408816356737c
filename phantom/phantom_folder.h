/* What `hemotile phantom` may write over: files that it wrote itself and nobody changed since.
 * phantom.json records the SHA-256 of each.
 */
#ifndef HT_PHANTOM_FOLDER_H
#define HT_PHANTOM_FOLDER_H

#include "json.h"
#include "status.h"

#define HT_PHANTOM_MARK     "phantom.json"
#define HT_PHANTOM_DICOM    "dicom"
#define HT_PHANTOM_MASK     "truth_mask.nii.gz"
#define HT_PHANTOM_DISTANCE "truth_distance.nii.gz"

/* May a phantom go here? A folder that is not there yet, is empty, or holds a phantom as it was
 * written. HT_ERR_USAGE names the file that is in the way. */
ht_status ht_phantom_folder_check(const char *folder);

/* Removes the files of a phantom, but for phantom.json; those of the user stay. */
void ht_phantom_folder_clear(const char *folder);

/* The object "sha256" of phantom.json: each file of the phantom that is in the folder. */
ht_status ht_phantom_folder_json(ht_json *json, const char *folder);

#endif
