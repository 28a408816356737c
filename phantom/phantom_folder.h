/* Which files `hemotile phantom` may replace: those that it wrote itself and that nobody has
 * changed since. phantom.json records the SHA-256 of each.
 */
#ifndef HT_PHANTOM_FOLDER_H
#define HT_PHANTOM_FOLDER_H

#include "json.h"
#include "status.h"

#define HT_PHANTOM_MARK     "phantom.json"
#define HT_PHANTOM_DICOM    "dicom"
#define HT_PHANTOM_MASK     "truth_mask.nii.gz"
#define HT_PHANTOM_DISTANCE "truth_distance.nii.gz"

/* Checks that a phantom may be written here: the folder does not exist, is empty, or holds an
 * unchanged phantom. HT_ERR_USAGE names the file that is in the way. */
ht_status ht_phantom_folder_check(const char *folder);

/* Removes the files of a phantom except phantom.json; the user's own files stay. */
void ht_phantom_folder_clear(const char *folder);

/* The object "sha256" of phantom.json: each file of the phantom that is in the folder. */
ht_status ht_phantom_folder_json(ht_json *json, const char *folder);

#endif
