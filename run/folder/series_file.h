/* series.bin: velocity, pressure and the wall's load at the samples of the last beat, as 16-bit
 * numbers. `hemotile solve` writes it where the case asks for it, `hemotile export` reads it.
 *
 * Little-endian:
 *   8 bytes   "HTSERI01"
 *   int64     samples, voxels of the vessel, points of the wall;  float64 period_s
 *   64 bytes  SHA-256 of mask.nii.gz, in hex
 *   for each sample:  float64 time_s; float64 base[8]; float64 step[8]; 64 bytes: SHA-256 of its
 *             numbers, in hex
 *   64 bytes  SHA-256 of all before, in hex
 *   for each sample:  uint16 [8 planes] (beat_series.h): number = base + step * q
 *
 * The samples have one size, so that each beat is written over the one before it.
 */
#ifndef HT_SERIES_FILE_H
#define HT_SERIES_FILE_H

#include "run/folder/hash.h"
#include "export/beat/beat_series.h"
#include "core/formats/state_stream.h"
#include "export/wall/wall.h"

/* A series being written. */
typedef struct ht_series_record ht_series_record;

/* Returns the number of samples to leave out after each one kept: of `samples` at most
 * HT_SERIES_MOST stay. */
int ht_beat_series_stride(int samples);

/* Begins a file for the vessel's voxels of the domain, borrowed. `samples` of a beat are offered;
 * `points`: number of points on the wall. A thread of its own writes: two samples are in memory, 8
 * bytes per voxel and per point each. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_beat_series_begin(const char *path, const ht_domain *domain, int64_t points,
                               int samples, double period_s, const char *mask_sha256,
                               ht_series_record **record);

/* Writes the sample, if it is one to keep, over that of the beat before. `wall` has the loads of
 * the flow then. Waits only where the disk is still busy with the previous sample. HT_ERR_DIVERGED:
 * a number is not finite. Borrows. */
ht_status ht_beat_series_add(ht_series_record *record, const ht_flow_sample *sample,
                             const ht_surface *wall);

/* Moves the samples so far, with their numbers, to a stream or from it; loads into a series begun
 * with the same arguments. HT_ERR_WRITE, and the stream's failures. */
ht_status ht_beat_series_move(ht_series_record *record, ht_state *stream);

/* Completes the file where `status` is HT_OK, all samples are there and none failed; else removes
 * it. Frees the record; NULL is allowed. Returns `status`, or HT_ERR_WRITE. */
ht_status ht_beat_series_end(ht_series_record *record, ht_status status);

/* Opens a series and checks all its checksums, on all cores. HT_ERR_NOT_FOUND; HT_ERR_FORMAT:
 * damaged. The caller frees. */
ht_status ht_beat_series_open(const char *path, ht_beat_series *series,
                              char mask_sha256[HT_HASH_TEXT]);

#endif
