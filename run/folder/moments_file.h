/* wall_moments.bin: the wall shear stress at moments of the last beat, for the report. `hemotile
 * solve` writes it, because only it has the samples.
 *
 * Little-endian: 8 bytes "HTMOMT01"; int64 points, moments; 64 bytes, the SHA-256 of mask.nii.gz in
 * hex; float64 time_s [moments]; float32 highest_pa [moments]; uint8 step [moments][points]
 * (wall_moments.h); 32 bytes, the SHA-256 of all bytes before. */
#ifndef HT_MOMENTS_FILE_H
#define HT_MOMENTS_FILE_H

#include "run/folder/hash.h"
#include "export/wall/wall_moments.h"

/* Writes the file. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_moments_file_write(const char *path, const ht_wall_moments *moments,
                                const char *mask_sha256);

/* Reads the file. HT_ERR_NOT_FOUND; HT_ERR_FORMAT where it is damaged or of another version. The
 * caller frees. */
ht_status ht_moments_file_read(const char *path, ht_wall_moments *moments,
                               char mask_sha256[HT_HASH_TEXT]);

#endif
