/* The wall's load over a cycle, from samples of it: time-averaged wall shear stress (both
 * definitions in use), oscillatory shear index, relative residence time, endothelial cell
 * activation potential, and the sample at peak systole.
 *
 * With tau_k the wall shear stress vector of sample k and w_k the time that it stands for,
 * T = sum w_k:
 *   TAWSS            = sum w_k |tau_k| / T        (the mean of the magnitude)
 *   |mean WSS|       = |sum w_k tau_k| / T        (the magnitude of the mean; at most TAWSS)
 *   OSI  = (1 - |sum w_k tau_k| / sum w_k |tau_k|) / 2
 *          He & Ku, J. Biomech. Eng. 118 (1996) 74: 0 where the direction stays, 0.5 where tau is 0
 *          on average
 *   RRT  = 1 / ((1 - 2 OSI) TAWSS) = 1 / |mean WSS|
 *          Himburg et al., Am. J. Physiol. Heart Circ. Physiol. 286 (2004) H1916
 *   ECAP = OSI / TAWSS
 *          Di Achille et al., Proc. R. Soc. A 470 (2014) 20140163
 * Samples of equal weight that divide the cycle evenly are its trapezoidal rule, exact for the
 * harmonics that they resolve.
 *
 * Where a denominator vanishes: TAWSS below HT_STILL_WSS_PA gives OSI 0 and ECAP 0; |mean WSS|
 * below it gives RRT = 1 / HT_STILL_WSS_PA, so that every number is finite and the point with the
 * longest residence comes last. `still` counts the points where one of the two happened.
 *
 * Memory: 56 bytes a point while it is filled, 60 for the result; the samples are not kept.
 */
#ifndef HT_WALL_SERIES_H
#define HT_WALL_SERIES_H

#include "core/formats/state_stream.h"
#include "export/wall/wall.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HT_STILL_WSS_PA 1e-6 /* a millionth of an artery's stress */

/* Sums over the samples; zeroed: empty. */
typedef struct {
  int64_t points;
  int samples, beats;
  double weight_s; /* sum */
  double peak_time_s, peak_flow_ml_s;
  double *sum;    /* [points][4] sum of w tau (3) and of w |tau|. Owned */
  float *range;   /* [points][2] least and largest |tau|. Owned */
  float *peak_pa; /* [points][4] tau (3) and pressure at the peak, means of the beats. Owned */
} ht_wall_series;

/* Adds a sample of beat number `beat`, from 0: the loads of `surface` (ht_surface_load), borrowed.
 * The beats have the same times, and may begin at any of them. `weight_s` is the time that it
 * stands for, > 0; `inflow_ml_s` the flow into the vessel then: the first sample of the first beat
 * with the largest is the peak; of several beats it is the mean of their samples at that time. The
 * first call fixes the number of points. HT_ERR_INTERNAL: no loads, another number of points, or
 * the weight is not above 0. HT_ERR_DIVERGED: a load is not finite. HT_ERR_MEMORY. On a failure the
 * series is as before. */
ht_status ht_wall_series_add(ht_wall_series *series, const ht_surface *surface, int beat,
                             double time_s, double weight_s, double inflow_ml_s);

/* Computes the cycle's numbers from the samples so far; the caller frees them. HT_ERR_INTERNAL: no
 * sample. HT_ERR_MEMORY. */
ht_status ht_wall_series_result(const ht_wall_series *series, ht_wall_cycle *cycle);
void ht_wall_series_free(ht_wall_series *series);

/* Moves the samples so far, of a wall of `points` points, to a stream or from it; a load into a
 * zeroed series. HT_ERR_MEMORY, and the stream's failures. */
ht_status ht_wall_series_move(ht_wall_series *series, int64_t points, ht_state *stream);

/* Makes room for the arrays of `points` points, all 0. HT_ERR_MEMORY. */
ht_status ht_wall_cycle_alloc(int64_t points, ht_wall_cycle *cycle);

/* The arrays of a cycle in the order of the struct, with their names in files and their components,
 * for writing or reading them all. */
enum { HT_CYCLE_ARRAYS = 11 };
typedef struct {
  const char *name; /* "tawss_pa" */
  int components;   /* 1 or 3 */
  float **values;   /* into the cycle */
} ht_cycle_array;
void ht_wall_cycle_arrays(ht_wall_cycle *cycle, ht_cycle_array array[HT_CYCLE_ARRAYS]);

#ifdef __cplusplus
}
#endif
#endif
