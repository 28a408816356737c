/* flow.bin: the flow at every node. `hemotile solve` writes it, `hemotile export` reads it.
 *
 * Little-endian:
 *   8 bytes   "HTFLOW01"
 *   8 bytes   length N of the text that follows, uint64
 *   N bytes   JSON: hemotile (version), commit, grid of the lattice, nodes, stats of the run,
 *             mask_sha256 (of mask.nii.gz that the flow was computed in)
 *   then, for each node:  int64 voxel (x + nx (y + ny z));
 *                         float32 velocity_m_s[3] (LPS); float32 pressure_pa;
 *                         float32 stress_pa[6] (xx yy zz xy xz yz, LPS);
 *                         where stats has tke_phases > 0: float32 tke_j_m3; float32 tke_peak_j_m3
 *             as one array after the other
 *   32 bytes  SHA-256 of all before
 */
#ifndef HT_FLOW_FILE_H
#define HT_FLOW_FILE_H

#include "core/vessel/flow.h"
#include "run/folder/hash.h"
#include "run/folder/members.h"

/* Writes the file. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_flow_file_write(const char *path, const ht_flow *flow, const ht_flow_stats *stats,
                             const char *mask_sha256);

/* Reads the file. HT_ERR_NOT_FOUND; HT_ERR_FORMAT where it is damaged or of another version. The
 * caller frees the flow. */
ht_status ht_flow_file_read(const char *path, ht_flow *flow, ht_flow_stats *stats,
                            char mask_sha256[HT_HASH_TEXT]);

/* Computes the SHA-256 of the values at the nodes (velocity, pressure, stress, turbulence). Unlike
 * the file's header they do not hold the time that a run took. HT_ERR_MEMORY. */
ht_status ht_flow_hash(const ht_flow *flow, char hex[HT_HASH_TEXT]);

/* Members of a flow's statistics in flow.bin's JSON. */
extern const ht_member ht_flow_stats_members[];

#endif
