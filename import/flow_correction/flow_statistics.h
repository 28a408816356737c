/* Statistics over the beat of each voxel of a measured flow. Private to import/. */
#ifndef HT_FLOW_STATISTICS_H
#define HT_FLOW_STATISTICS_H

#include "core/vessel/measured_flow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  float *scatter;   /* [voxels] standard deviation over the beat, of venc, root mean square over the
                       directions */
  float *magnitude; /* [voxels] mean over the beat; NULL: none */
  double bright;    /* magnitude of the brightest voxels but for one in a hundred */
} ht_flow_statistics;

/* Least number of time points from which the scatter tells noise and still tissue. */
enum { HT_SCATTER_TIMES_LEAST = 5 };

/* HT_ERR_MEMORY. The caller frees. */
ht_status ht_flow_statistics_make(const ht_measured_flow *flow, ht_flow_statistics *made);
void ht_flow_statistics_free(ht_flow_statistics *made); /* NULL is fine */

/* Returns the value below which a `part` of the values lies. HT_ERR_MEMORY. */
ht_status ht_value_at_part(const float *value, int64_t count, double part, double *at);

#ifdef __cplusplus
}
#endif
#endif
