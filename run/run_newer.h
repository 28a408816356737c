/* What in a case folder is newer than its flow; reads files alone. */
#ifndef HT_RUN_NEWER_H
#define HT_RUN_NEWER_H

/* Returns what has changed since the folder's flow was computed, after "its results are older: ":
 * "the mask was corrected", "the settings were changed", both; "": nothing, or there is no flow, or
 * its record cannot be read. */
const char *ht_run_newer(const char *folder);

/* Checkpoints that the next run of the folder would find. */
typedef enum {
  HT_CHECKPOINT_NONE,    /* none, or of other settings or another mask: it begins from rest */
  HT_CHECKPOINT_GOES_ON, /* it goes on from one */
  HT_CHECKPOINT_OTHER,   /* it is refused, as another version wrote it: only --restart runs */
} ht_checkpoint_use;
ht_checkpoint_use ht_run_checkpoint_use(const char *folder);

#endif
