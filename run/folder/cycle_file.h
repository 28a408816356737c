/* wall_cycle.bin: the wall load over the last cycle. `hemotile solve` writes it, because only it
 * has the samples; `hemotile export` reads it.
 *
 * Little-endian: 8 bytes "HTWALL01"; int64 points, samples, points too still for RRT or ECAP;
 * float64 period_s, peak_time_s, peak_flow_ml_s; 64 bytes, the SHA-256 of mask.nii.gz in hex; the
 * arrays of ht_wall_cycle in its order, float32; 32 bytes, the SHA-256 of all bytes before. */
#ifndef HT_CYCLE_FILE_H
#define HT_CYCLE_FILE_H

#include "export/wall/wall.h"
#include "run/folder/hash.h"

/* Writes the file. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_cycle_file_write(const char *path, const ht_wall_cycle *cycle,
                              const char *mask_sha256);

/* Reads the file. HT_ERR_NOT_FOUND; HT_ERR_FORMAT where it is damaged or of another version. The
 * caller frees. */
ht_status ht_cycle_file_read(const char *path, ht_wall_cycle *cycle,
                             char mask_sha256[HT_HASH_TEXT]);

#endif
