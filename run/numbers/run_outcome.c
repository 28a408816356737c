#include "run/numbers/run_outcome.h"
#include "run/folder/folder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Counts a number that is not known (NaN) as a fault, too. */
ht_flow_fault ht_flow_fault_of(const ht_flow_stats *stats) {
  int is_averaged = stats->averaged > 0, repeats = stats->cycle_change <= HT_PERIODIC_CHANGE;
  ht_flow_fault good = is_averaged ? HT_FLOW_AVERAGED : HT_FLOW_GOOD;
  if (stats->period_s == 0) return stats->steady || is_averaged ? good : HT_FLOW_NOT_STEADY;
  if (!repeats && !is_averaged) return HT_FLOW_NOT_PERIODIC;
  return fabs(stats->mass_imbalance) <= HT_PERIODIC_IMBALANCE ? good : HT_FLOW_NOT_BALANCED;
}

int ht_flow_is_result(const ht_flow_stats *stats) {
  return ht_flow_fault_of(stats) <= HT_FLOW_AVERAGED;
}

const char *ht_flow_fault_words(ht_flow_fault fault) {
  static const char *const words[] = {
      [HT_FLOW_GOOD] = NULL,
      [HT_FLOW_AVERAGED] = "MEANS of a flow that neither comes to rest nor repeats",
      [HT_FLOW_NOT_STEADY] = "NOT STEADY: not the numbers of the steady flow",
      [HT_FLOW_NOT_PERIODIC] = "NOT PERIODIC YET: the last beat differs from the one before",
      [HT_FLOW_NOT_BALANCED] = "IN AND OUT DIFFER: do not use these numbers"};
  return words[fault];
}

static void describe_steady(const ht_flow_stats *stats, char *text, size_t size) {
  snprintf(
      text, size,
      "the flow in " HT_FILE_FLOW
      " is not steady: after %lld step%s the velocity still changed by %.1e of its size per step",
      (long long)stats->steps, stats->steps == 1 ? "" : "s", stats->steady_change);
}

static void describe_pulse(const ht_flow_stats *stats, char *text, size_t size) {
  if (stats->averaged > 0) {
    snprintf(text, size,
             "these are not numbers of this flow: over %d beats in and out differ by %.2f %% (at "
             "most %g %%)",
             stats->beats, 100 * stats->mass_imbalance, 100 * HT_PERIODIC_IMBALANCE);
    return;
  }
  char change[120] = "", balance[80] = "";
  if (stats->cycles < 2)
    strcpy(change, " it is not known whether the flow is periodic (at least 2 beats are needed)");
  else if (!(stats->cycle_change <= HT_PERIODIC_CHANGE))
    snprintf(
        change, sizeof change,
        " its velocity at peak inflow changed by %.2g %% since the beat before (at most %g %%)",
        100 * stats->cycle_change, 100 * HT_PERIODIC_CHANGE);
  if (!(fabs(stats->mass_imbalance) <= HT_PERIODIC_IMBALANCE))
    snprintf(balance, sizeof balance, " in and out differ by %.2f %% (at most %g %%)",
             100 * stats->mass_imbalance, 100 * HT_PERIODIC_IMBALANCE);
  snprintf(text, size, "these are not the numbers of a periodic flow: after %d beat%s%s%s%s",
           stats->cycles, stats->cycles == 1 ? "" : "s", change, *change && *balance ? ", and" : "",
           balance);
}

void ht_run_judge(int64_t steps, ht_solved *solved) {
  const ht_flow_stats *stats = &solved->stats;
  ht_flow_fault fault = ht_flow_fault_of(stats);
  if (solved->outcome != HT_OK || fault <= HT_FLOW_AVERAGED) return;
  if (fault == HT_FLOW_NOT_STEADY && steps > 0) return; /* as prescribed */
  solved->outcome = HT_ERR_NOT_STEADY;
  void (*describe)(const ht_flow_stats *, char *, size_t) =
      fault == HT_FLOW_NOT_STEADY ? describe_steady : describe_pulse;
  describe(stats, solved->outcome_message, sizeof solved->outcome_message);
}
