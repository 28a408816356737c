#include "run/measured/measured_frame.h"
#include <stdio.h>
#include <string.h>

/* Tells whether the record's frame is this one, or its pseudonym. */
static int is_same(const char *frame_uid, const ht_study *scan) {
  ht_study own = {0};
  if (strcmp(frame_uid, scan->frame_uid) == 0) return 1;
  snprintf(own.frame_uid, sizeof own.frame_uid, "%s", frame_uid);
  return ht_identity_hide_study(&own) == HT_OK && strcmp(own.frame_uid, scan->frame_uid) == 0;
}

ht_status ht_measured_frame_check(const ht_measured_flow *flow, const ht_study *scan,
                                  const char *remedy) {
  if (flow->landmarks > 0) return HT_OK;
  if (!flow->frame_uid[0] || !scan->frame_uid[0])
    return ht_fail(HT_ERR_CASE,
                   "wrong frame of reference: %s does not tell its own (DICOM's Frame of Reference "
                   "UID), so nothing says that the positions are those of the %s; %s",
                   flow->frame_uid[0] ? "the scan" : "the measured flow",
                   flow->frame_uid[0] ? "measured flow" : "scan", remedy);
  if (is_same(flow->frame_uid, scan)) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "wrong frame of reference: the measured flow and the scan have different ones "
                 "(DICOM's Frame of Reference UID): they are of two examinations, or the patient "
                 "was moved between them; %s",
                 remedy);
}
