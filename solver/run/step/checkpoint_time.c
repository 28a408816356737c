#include "solver/run/step/checkpoint_time.h"
#include "core/machine/clock.h"

int ht_checkpoint_is_due(int64_t step, ht_solve_checkpoint *checkpoint) {
  const ht_solve_keeping *keeping = checkpoint->keeping;
  if (!keeping) return 0;
  if (keeping->at_step > 0 && step == keeping->at_step) checkpoint->stops = 1;
  return checkpoint->stops || ht_clock_s() - checkpoint->kept_at >= keeping->every_s;
}

int64_t ht_checkpoint_steps_left(int64_t step, const ht_solve_checkpoint *checkpoint) {
  int64_t left = checkpoint->keeping ? checkpoint->keeping->at_step - step : 0;
  return left > 0 ? left : INT64_MAX;
}

ht_status ht_checkpoint_asked_to_stop(ht_status reported, ht_solve_checkpoint *checkpoint) {
  if (reported != HT_ERR_INTERRUPTED || !checkpoint->keeping) return reported;
  checkpoint->stops = 1;
  return HT_OK;
}
