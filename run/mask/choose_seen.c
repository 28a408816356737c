#include "run/mask/choose_seen.h"
#include "run/mask/cut_ends.h"
#include "run/mask/see_vessels.h"
#include "run/mask/trial.h"
#include "run/process/console.h"
#include "segment/openings/blood_beyond.h"
#include <stdio.h>

/* Takes the vessel of the trial into the run. */
static void adopt(ht_run *run, ht_run *trial) {
  const ht_segment_learned asked = run->given.settings->segment.learned;
  ht_mask_free(&run->vessel.mask);
  ht_vessel_free(run->vessel.found);
  run->vessel = trial->vessel;
  run->manifest = trial->manifest;
  *run->given.settings = *trial->given.settings;
  run->given.settings->segment.learned = asked;
  trial->vessel = (ht_run_vessel){.found = NULL};
}

static ht_status require_clear(const ht_run *trial) {
  int is_clear;
  HT_TRY(ht_vessel_stands_out(trial, HT_OK, &is_clear));
  if (is_clear) return HT_OK;
  return ht_fail(HT_ERR_VESSEL,
                 "the network sees several vessels, or parts of one, that could be meant: "
                 "`hemotile segment %s --set segment.learned=only` lists them",
                 trial->given.typed);
}

static ht_status require_end(const ht_run *trial, const ht_opening *end) {
  double beyond_mm[3];
  int goes_on = 0;
  HT_TRY(ht_blood_beyond(&trial->imported.scan, &trial->vessel.mask, end,
                         trial->manifest.segment.lower, beyond_mm, &goes_on));
  if (!goes_on) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS,
                 "the network sees a part of a vessel, which goes on at [%.1f, %.1f, %.1f] (LPS "
                 "mm): put two points into the vessel, --from X,Y,Z --to X,Y,Z",
                 beyond_mm[0], beyond_mm[1], beyond_mm[2]);
}

/* Requires that the vessel goes on beyond no opening inside the scan and no wide closed end, and
 * that no outlet is missing: the network may have seen a part of it only. */
static ht_status require_whole(const ht_run *trial) {
  const double wide = 0.5; /* of the inlet */
  const ht_openings *openings = &trial->vessel.placed.openings;
  const ht_openings *blind = &trial->vessel.placed.blind;
  const ht_opening *inlet = ht_openings_main_inlet(openings);
  for (int i = 0; i < openings->count; i++)
    if (!openings->item[i].at_border) HT_TRY(require_end(trial, &openings->item[i]));
  for (int i = 0; i < blind->count; i++) {
    const ht_opening *end = &blind->item[i];
    if (ht_placed_is_missed(openings, end))
      return ht_fail(HT_ERR_OPENINGS,
                     "the network sees a vessel without an outlet that it needs: put "
                     "points into the vessel, --from X,Y,Z and --to X,Y,Z for each "
                     "outlet");
    if (inlet && end->radius_mm > wide * inlet->radius_mm) HT_TRY(require_end(trial, end));
  }
  return HT_OK;
}

/* Tells whether another search may end better. */
static int is_unclear(ht_status status) {
  return status == HT_ERR_OPENINGS || status == HT_ERR_VESSEL;
}

/* Of the vessel found without the network: it does not stand out or is cut off; it is clear, but
 * more than a tenth, or more than half, of it is something else as the network sees it. */
typedef enum { UNCLEAR, CLEAR, PARTLY_OTHER, MOSTLY_OTHER } verdict;

/* Requires that the trial has most of what is artery in the run's vessel. */
static ht_status require_no_less(const ht_run *run, const ht_run *trial) {
  const double most = 0.75; /* the wall moves by a part of a voxel */
  const double kept = ht_seen_kept(run, &trial->vessel.mask);
  if (kept >= most) return HT_OK;
  return ht_fail(HT_ERR_VESSEL, "it has %.0f %% of what it sees as artery in the vessel found",
                 100 * kept);
}

/* Searches where the network sees arteries. Takes what is found into the run if it is clear, whole
 * and no part of a clear vessel; of a vessel that is mostly something else: whatever is found.
 * *decided: the status of the search for its openings, or why it is not whole. */
static ht_status search_seen(ht_run *run, ht_decide *decide, verdict without, ht_status *decided,
                             int *taken) {
  const int mark = ht_console_warnings();
  ht_run *trial;
  HT_TRY(ht_need_seen(run));
  HT_TRY(ht_trial_begin(run, &trial));
  trial->given.settings->segment.learned = HT_SEGMENT_LEARNED_ONLY;
  ht_status status = *decided = decide(trial);
  if (status == HT_OK) status = require_clear(trial);
  if (status == HT_OK) status = ht_check_cut_ends(trial, decide);
  if (status == HT_OK) status = *decided = require_whole(trial);
  if (status == HT_OK && without == PARTLY_OTHER) status = require_no_less(run, trial);
  *taken = status == HT_OK ||
           (without == MOSTLY_OTHER && is_unclear(status) && trial->vessel.mask.inside);
  if (*taken)
    adopt(run, trial);
  else
    ht_console_drop_warnings(mark, ht_console_warnings());
  ht_trial_end(trial);
  return *taken ? HT_OK : status;
}

static ht_status judge(ht_run *run, ht_status decided, ht_decide *decide, verdict *without) {
  const double mostly = 0.5;
  int is_clear = 0;
  *without = UNCLEAR;
  if (decided == HT_OK) HT_TRY(ht_vessel_stands_out(run, decided, &is_clear));
  if (!is_clear || ht_check_cut_ends(run, decide) != HT_OK) return HT_OK;
  *without = CLEAR;
  if (!ht_seen_is_quick(run)) return HT_OK;
  HT_TRY(ht_need_seen(run));
  const double foreign = ht_seen_foreign(run);
  if (foreign > ht_seen_foreign_most)
    *without = foreign > mostly ? MOSTLY_OTHER : PARTLY_OTHER;
  else
    ht_console_note("the vessel found without the network stays: it sees %.0f %% of it as a vessel",
                    100 * (1 - foreign));
  return HT_OK;
}

/* Looks for a vessel by the network where the one found without it is not clear. */
static ht_status look(ht_run *run, ht_decide *decide, ht_status *decided, int *taken) {
  static const char *const why[] = {"without the network the vessel is not clear", "",
                                    "the network sees a part of the vessel found as bone or tissue",
                                    "the network sees most of the vessel found as bone or tissue"};
  verdict without;
  ht_status by_seen = HT_ERR_VESSEL;
  HT_TRY(judge(run, *decided, decide, &without));
  if (without == CLEAR) return HT_OK;
  HT_TRY(search_seen(run, decide, without, &by_seen, taken));
  *decided = by_seen;
  ht_console_note("%s: the vessel is searched for where it sees arteries (segment.learned: auto)",
                  why[without]);
  return HT_OK;
}

int ht_seen_is_offered(const ht_case *settings) {
  return settings->segment.learned == HT_SEGMENT_LEARNED_NO && ht_vessel_is_free(settings);
}

/* Tells of a network that has nothing to find. */
static void tell_of_unused(const ht_case *settings) {
  const ht_segment_options *segment = &settings->segment;
  const int is_unused = segment->learned == HT_SEGMENT_LEARNED_AUTO
                            ? !ht_vessel_is_free(settings)
                            : segment->learned == HT_SEGMENT_LEARNED_ONLY && segment->points > 0;
  if (is_unused && !settings->mask[0])
    ht_console_note("segment.learned has no effect: the case says where the vessel is");
}

ht_status ht_choose_seen(ht_run *run, ht_decide *decide, ht_status *decided, int *taken) {
  const ht_case *settings = run->given.settings;
  char message[4096];
  *taken = 0;
  tell_of_unused(settings);
  if (settings->segment.learned != HT_SEGMENT_LEARNED_AUTO || !ht_vessel_is_free(settings) ||
      (*decided != HT_OK && !is_unclear(*decided)) || run->manifest.segment.no_agent)
    return HT_OK;
  snprintf(message, sizeof message, "%s", ht_error_message());
  ht_status status = look(run, decide, decided, taken);
  if (*taken || status == HT_ERR_INTERRUPTED) return status;
  if (is_unclear(status))
    ht_console_note("what the network sees is not taken as the vessel: %s", ht_error_message());
  else if (status != HT_OK)
    ht_console_warn("the vessel is searched for without the network: %s", ht_error_message());
  if (*decided != HT_OK) ht_fail(*decided, "%s", message);
  return HT_OK;
}
