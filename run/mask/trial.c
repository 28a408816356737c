#include "run/mask/trial.h"
#include <stdlib.h>
#include <string.h>

ht_status ht_trial_begin(const ht_run *run, ht_run **trial) {
  ht_case *settings;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "a trial's settings"));
  const ht_status status = ht_alloc((void **)trial, 1, sizeof **trial, "a trial's run");
  if (status != HT_OK) {
    free(settings);
    return status;
  }
  *settings = *run->given.settings;
  **trial = *run;
  (*trial)->given.settings = settings;
  (*trial)->vessel.found = NULL;
  memset(&(*trial)->vessel.mask, 0, sizeof(*trial)->vessel.mask);
  memset(&(*trial)->vessel.placed, 0, sizeof(*trial)->vessel.placed);
  return HT_OK;
}

void ht_trial_end(ht_run *trial) {
  ht_mask_free(&trial->vessel.mask);
  ht_vessel_free(trial->vessel.found);
  free(trial->given.settings);
  free(trial);
}
