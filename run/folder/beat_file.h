/* beat.bin: pressure and flow over the beats of a pulsatile flow, for `hemotile export`.
 *
 * Little-endian: 8 bytes "HTBEAT01"; int64 beats, samples, ports, stations; float64 period_s; 64
 * bytes, the SHA-256 of mask.nii.gz in hex; float64 time_s [samples]; for each station float64
 * along_mm, centre_mm[3], direction[3], area_mm2 and int64 is_mixed; then the arrays of ht_beat
 * from flow_ml_s on; 32 bytes, the SHA-256 of all before. */
#ifndef HT_BEAT_FILE_H
#define HT_BEAT_FILE_H

#include "export/beat/beat.h"
#include "run/folder/hash.h"

/* Writes the file. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_beat_file_write(const char *path, const ht_beat *beat, const char *mask_sha256);

/* Reads the file. HT_ERR_NOT_FOUND; HT_ERR_FORMAT where it is damaged or of another version. The
 * caller frees the beat. */
ht_status ht_beat_file_read(const char *path, ht_beat *beat, char mask_sha256[HT_HASH_TEXT]);

#endif
