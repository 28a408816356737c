/* The computed flow, and whether it may be used. */
#ifndef HT_SOLVED_H
#define HT_SOLVED_H

#include "core/status.h"
#include "core/vessel/flow.h"

typedef struct {
  ht_flow flow;  /* steady, or the mean over the beat. Owned */
  ht_flow phase; /* pulsatile: the flow at a moment of the beat; velocity_m_s NULL: none. Owned */
  ht_flow_stats stats;
  int64_t kept_step; /* step of the latest checkpoint of this run's flow; 0: none */
  ht_status outcome; /* HT_OK or HT_ERR_NOT_STEADY */
  char outcome_message[1024];
} ht_solved;

#endif
