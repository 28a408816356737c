/* Pressure and flow over a beat: at every opening, and in the sections along the main way through
 * the vessel (core/vessel/vessel_path.h). A steady flow is a beat of one sample.
 *
 * Memory: 24 bytes for each station, 16 for each opening, in each sample of each beat. */
#ifndef HT_BEAT_H
#define HT_BEAT_H

#include "core/vessel/flow.h"
#include "core/formats/state_stream.h"
#include "core/vessel/vessel_path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values of some beats; zeroed: none. All arrays are owned; a moment is a sample of a beat:
 * beat * samples + sample. */
typedef struct {
  int beats, samples; /* beats that count; samples of each. samples 0: nothing was recorded */
  int ports, stations;
  double period_s;     /* 0: a steady flow */
  ht_station *station; /* [stations] */
  double *time_s;      /* [samples] from the start of the beat */
  double *flow_ml_s;   /* [beats][samples][ports] signs as in ht_flow_sample */
  double *pressure_pa; /* [beats][samples][ports] at the openings */
  double *section_pa;  /* [beats][samples][stations] mean over the section */
  double *axial_m_s;   /* [beats][samples][stations] mean over the section, along its direction: the
                          flow through it over its area */
  double *peak_m_s;    /* [beats][samples][stations] largest speed in the section */
} ht_beat;

void ht_beat_free(ht_beat *beat);

/* Makes room for `beats` beats, more or fewer than now; new values are 0. The other sizes must be
 * set, and stay. On a failure the beat is unchanged. HT_ERR_MEMORY. */
ht_status ht_beat_resize(ht_beat *beat, int beats);

/* Moves the moments so far to a stream or from it; a load into a beat of the same path and samples.
 * HT_ERR_MEMORY, and the stream's failures. */
ht_status ht_beat_move(ht_beat *beat, ht_state *stream);

/* The mean over the beats of one of the arrays, at a sample; `width`: ports or stations. */
double ht_beat_mean(const ht_beat *beat, const double *values, int width, int sample, int at);

/* The mean of one of the arrays over beats and samples, at port or station `at`. */
double ht_beat_whole_mean(const ht_beat *beat, const double *values, int width, int at);

/* The standard error of ht_beat_whole_mean: standard deviation of the beats' means / sqrt(beats); 0
 * for one beat. */
double ht_beat_error(const ht_beat *beat, const double *values, int width, int at);

/* Divides the samples of one beat into `parts` equal parts, in their order, and stores the mean of
 * each as a beat of one sample (batch means: their scatter gives the error of the series' mean
 * where a part is longer than what fluctuates). The caller frees `batches`. HT_ERR_MEMORY. */
ht_status ht_beat_batch(const ht_beat *series, int parts, ht_beat *batches);

/* The sample with the largest flow into port `port`, by the means over the beats. */
int ht_beat_peak_sample(const ht_beat *beat, int port);

/* ---- recording ---- */

typedef struct {
  const ht_vessel_path *path; /* borrowed */
  int64_t *voxel; /* [path->first[stations]] the path's voxels, in the grid of the flow; owned */
  int64_t *flow_voxel; /* [path->flow_first[stations]] the same; owned */
  ht_beat beat;        /* the record so far; to take it over, copy it and zero it here */
} ht_beat_record;

/* Begins a record along `path`, which may have no stations, with `samples` samples in each beat.
 * Zero the record first, or end the previous one. HT_ERR_MEMORY. */
ht_status ht_beat_record_begin(const ht_vessel_path *path, int samples, double period_s,
                               ht_beat_record *record);

/* Adds a sample; one that begins a new series drops the previous ones. The path's grid is the
 * flow's, shifted by whole voxels. HT_ERR_MEMORY; HT_ERR_INTERNAL: a sample beyond the number
 * given, or another number of ports. */
ht_status ht_beat_record_sample(ht_beat_record *record, const ht_flow_sample *sample);
void ht_beat_record_free(ht_beat_record *record);

/* Makes a beat of one sample from a steady flow, with the openings' values from the statistics. The
 * caller frees it. HT_ERR_MEMORY. */
ht_status ht_beat_of_steady(const ht_vessel_path *path, const ht_flow *flow,
                            const ht_flow_stats *stats, ht_beat *beat);

#ifdef __cplusplus
}
#endif
#endif
