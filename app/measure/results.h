/* The results of a finished case, read from its folder alone: what a measurement needs. */
#ifndef HT_RESULTS_H
#define HT_RESULTS_H

#include "core/disk/file.h"
#include "core/vessel/triangles.h"
#include "export/beat/beat.h"
#include "export/beat/beat_series.h"
#include "export/wall/wall.h"
#include "export/wall/wall_moments.h"
#include "import/surface/formats/vtp_mesh.h"
#include "run/openings/placed.h"

/* All that is known of the flow and the load on the wall. All is owned. */
typedef struct {
  char folder[HT_PATH_MAX];
  ht_flow flow; /* steady, or the mean over the beat */
  ht_flow_stats stats;
  ht_flow phase;           /* at stats.phase_time_s; velocity_m_s NULL: none */
  ht_vtp_mesh mesh;        /* arrays of wall.vtp, one component each, by their names there */
  ht_surface wall;         /* its points, triangles and normals */
  ht_beat beat;            /* along the main way; samples 0: none */
  ht_wall_moments moments; /* moments 0: none */
  ht_beat_series series;   /* samples 0: not kept */
  ht_mask vessel;          /* on the flow's grid, without the extensions; inside NULL: not known */
  ht_node_map entry_of;    /* number of a vessel's voxel in the series; has NULL: no series */
  ht_triangles outline;    /* surface that the flow's walls follow; count 0: the voxels' */
  ht_placed placed;        /* the openings */
  ht_station *station;     /* [stations] of centreline.csv: place, and whether it is mixed */
  int stations;
  int mask_edited_since; /* 1: mask.nii.gz is no longer the one that the flow was computed in */
} ht_results;

/* Reads the results of a case folder. HT_ERR_NOT_FOUND: no case folder, or a stage has not run,
 * with the command that does; HT_ERR_FORMAT: a file is damaged; HT_ERR_CASE: files of two flows;
 * HT_ERR_USAGE: another hemotile works in the folder; HT_ERR_MEMORY. The caller frees. */
ht_status ht_results_read(const char *folder, ht_results *results);
void ht_results_free(ht_results *results);

/* Returns an array of the wall by its name in wall.vtp: "osi"; NULL: there is none. */
const float *ht_results_array(const ht_results *results, const char *name);

/* Returns the magnitude of the wall shear stress; of a pulse its mean over the beat, TAWSS. NULL:
 * none. */
const float *ht_results_wss(const ht_results *results);

/* Returns a number that changes whenever the results of a folder do; 0: there are none. */
uint64_t ht_results_stamp(const char *folder);

#endif
