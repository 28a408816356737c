/* Keeps the fields of one moment of a beat from a flow's samples. */
#ifndef HT_PHASE_RECORD_H
#define HT_PHASE_RECORD_H

#include "core/vessel/flow.h"
#include "core/formats/state_stream.h"

typedef struct {
  int index;     /* of the sample; -1: that of the largest inflow */
  double time_s; /* of it, from the start of the beat */
  ht_flow flow; /* the mean of several beats; velocity_m_s NULL: none yet. Owned, except node_of: it
                   belongs to the samples' flow, which has to live longer */
} ht_phase_record;

/* Takes the sample if it is the one to keep; beat 0 starts the mean again. 40 bytes a node.
 * HT_ERR_MEMORY. Free record->flow, also after a failure. */
ht_status ht_phase_record_sample(ht_phase_record *record, const ht_flow_sample *sample);

/* Moves the record to a stream or from it; `like` has the nodes of the flow, and lives longer.
 * HT_ERR_MEMORY, and the stream's failures. */
ht_status ht_phase_record_move(ht_phase_record *record, const ht_flow *like, ht_state *stream);

#endif
