#include "run/mask/choose_vessel.h"
#include "run/mask/trial.h"
#include "export/pictures/pictures.h"
#include "segment/openings/border.h"
#include "run/record/candidates_record.h"
#include "run/process/console.h"
#include "segment/openings/ends.h"
#include "run/case/points_file.h"
#include "core/vessel/scan_signs.h"
#include "segment/segment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPENINGS = 6 };
static const double like_largest = 0.5; /* of the largest piece: this is another vessel */
static const double clearly = 1.5;      /* times the next score */
static const double unlikely = 0.1;     /* of the best score: not offered */

int ht_vessel_is_free(const ht_case *settings) {
  const ht_segment_options *o = &settings->segment;
  return !settings->mask[0] && settings->openings == 0 && o->points == 0 && !o->has_seed &&
         !o->has_region && !o->has_sphere;
}

/* Counts the places where the vessel leaves the scan or ends inside, also those too thin for an
 * opening. There are no openings where they were too many to place. */
static ht_status count_ends(const ht_run_vessel *vessel, ht_status placed, int *count) {
  ht_openings border = {0};
  ht_ends ends = {0};
  int ignored;
  *count = vessel->placed.openings.count + vessel->placed.thin_ends;
  if (placed == HT_OK) return HT_OK;
  ht_status status = ht_openings_at_border(&vessel->mask, &border, &ignored);
  *count = HT_OPENINGS_MAX + 1;
  if (status == HT_ERR_OPENINGS) return HT_OK;
  HT_TRY(status);
  HT_TRY(ht_ends_find(&vessel->mask, &border, &ends));
  *count = border.count;
  for (int i = 0; i < ends.count; i++) *count += ends.item[i].kind != HT_END_BLIND;
  return HT_OK;
}

static void drop(const char *folder, const char *one, const char *other) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, folder, one) == HT_OK) remove(path);
  if (ht_path_join(path, folder, other) == HT_OK) remove(path);
}

/* Returns 1 where the middle station of the candidate lies inside the mask found. */
static int is_found(const ht_mask *mask, const ht_candidate *one) {
  double at[3];
  int place[3];
  ht_grid_index(&mask->grid, one->station[one->stations / 2], at);
  for (int a = 0; a < 3; a++) place[a] = (int)lround(at[a]);
  return ht_voxel_in_grid(mask->grid.dim, place) &&
         mask->inside[ht_voxel_index(mask->grid.dim, place)];
}

/* `other_score`: the best of those that are not item[0], of the dropped ones too. */
static int is_clear(const ht_run *run, const ht_candidates *candidates, double other_score,
                    int ends) {
  const ht_candidate *best = candidates->item;
  if (ends > MOST_OPENINGS || (candidates->count == 0 && candidates->dropped > 0)) return 0;
  if (ends == 0) return candidates->count == 0;
  if (candidates->second_piece < like_largest || candidates->count == 0) return 1;
  if (!is_found(&run->vessel.mask, best)) return 0;
  if (best->score < clearly * other_score) return 0;
  ht_console_note("%d pieces of vessel are alike in size: the one with the vessel of the best "
                  "score, %.2f against %.2f, is taken; --points or segment.seed_mm names another",
                  run->manifest.segment.components, best->score, other_score);
  return 1;
}

static ht_status draw_candidates(const ht_run *run, const ht_candidates *candidates) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_picture_text text = {.name = ht_run_name(&run->given, folder)};
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_run_path(run, HT_FILE_CHOICE, path));
  return ht_picture_candidates(path, &run->imported.scan, candidates, &text);
}

static ht_status write_candidates(const ht_run *run, const ht_candidates *candidates) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FILE_CANDIDATES, path));
  HT_TRY(ht_candidates_write(path, candidates));
  return draw_candidates(run, candidates);
}

static void tell(const ht_candidates *candidates) {
  for (int i = 0; i < candidates->count; i++) {
    const ht_candidate *one = &candidates->item[i];
    ht_console_note("vessel %d: %.0f mm long, radius %.1f mm, from [%.1f, %.1f, %.1f] to [%.1f, "
                    "%.1f, %.1f] (LPS mm), score %.2f; %s%s%s",
                    i + 1, one->length_mm, one->radius_mm, one->from_mm[0], one->from_mm[1],
                    one->from_mm[2], one->to_mm[0], one->to_mm[1], one->to_mm[2], one->score,
                    one->place, one->name[0] ? "; " : "", one->name);
  }
}

static ht_status ask(ht_run *run, const ht_candidates *candidates, int ends) {
  char why[96];
  drop(run->given.folder, HT_FILE_OPENINGS, HT_FILE_MARKUPS); /* nobody requested these */
  run->vessel.has_openings = 0;
  snprintf(why, sizeof why, "the largest piece of vessel has %s%d openings",
           ends > HT_OPENINGS_MAX ? "more than " : "",
           ends > HT_OPENINGS_MAX ? HT_OPENINGS_MAX : ends);
  if (ends == 0)
    snprintf(why, sizeof why, "the largest piece of vessel has no opening");
  else if (ends <= MOST_OPENINGS)
    snprintf(why, sizeof why, "%d pieces of vessel, of which none stands out",
             run->manifest.segment.components);
  if (candidates->count > 0) HT_TRY(write_candidates(run, candidates));
  if (candidates->count == 0) HT_TRY(draw_candidates(run, candidates));
  if (candidates->count == 0)
    return ht_fail(HT_ERR_VESSEL,
                   "it is not clear which vessel is meant (%s), and none that was found "
                   "convinces: look at %s/" HT_FILE_CHOICE
                   " or the scan, and put two points into the vessel, the first where the blood "
                   "enters: `hemotile segment %s --from X,Y,Z --to X,Y,Z` (or --points FILE)",
                   why, run->given.folder, run->given.typed);
  tell(candidates);
  return ht_fail(HT_ERR_VESSEL,
                 "%d vessel%s could be meant (%s): look at %s/" HT_FILE_CHOICE
                 ", then take %s, `hemotile segment %s --vessel 1`, or put two "
                 "points into the vessel: --points FILE, or --from X,Y,Z --to X,Y,Z",
                 candidates->count, candidates->count == 1 ? "" : "s", why, run->given.folder,
                 candidates->count == 1 ? "it if it is the right one" : "one by its number",
                 run->given.typed);
}

static ht_status take_points(const ht_points *points, ht_case *settings) {
  settings->points_file[0] = 0;
  settings->points_are_ras = 0;
  return ht_case_set_points(settings, points);
}

static ht_points points_of(const double from_mm[3], const double to_mm[3]) {
  ht_points points = {.count = 2};
  memcpy(points.item[0].position_mm, from_mm, sizeof points.item[0].position_mm);
  memcpy(points.item[1].position_mm, to_mm, sizeof points.item[1].position_mm);
  return points;
}

ht_status ht_try_points(const ht_run *run, const ht_points *points, ht_decide *decide,
                        ht_placed *placed) {
  const int mark = ht_console_warnings();
  ht_run *trial;
  HT_TRY(ht_trial_begin(run, &trial));
  ht_status status = take_points(points, trial->given.settings);
  if (status == HT_OK) status = decide(trial);
  if (placed) *placed = trial->vessel.placed;
  ht_trial_end(trial);
  ht_console_drop_warnings(mark, ht_console_warnings());
  return status;
}

/* Drops the candidates that cannot be taken, and the unlikely ones: what is offered runs.
 * *other_score gets the best score of those that are not the first kept one. */
static ht_status drop_failing(const ht_run *run, ht_decide *decide, ht_candidates *candidates,
                              double *other_score) {
  const double best_score = candidates->count > 0 ? candidates->item[0].score : 0;
  int kept = 0;
  *other_score = 0;
  ht_status ended = HT_OK;
  for (int i = 0; i < candidates->count; i++) {
    ht_candidate *one = &candidates->item[i];
    ht_points ends = points_of(one->from_mm, one->to_mm);
    const int is_likely = one->score >= unlikely * best_score;
    ht_status status = ended;
    if (status == HT_OK)
      status = is_likely ? ht_try_points(run, &ends, decide, NULL) : HT_ERR_VESSEL;
    if (status == HT_ERR_INTERRUPTED || status == HT_ERR_MEMORY) ended = status;
    if (status != HT_OK || kept > 0) *other_score = fmax(*other_score, one->score);
    if (status == HT_OK)
      candidates->item[kept++] = *one;
    else
      free(one->station);
  }
  candidates->dropped += candidates->count - kept;
  candidates->count = kept;
  return ended;
}

/* Returns the signs by the tags, or by the preset that a person chose. */
static unsigned signs_of(ht_segment_preset preset, unsigned of_tags) {
  switch (preset) {
  case HT_PRESET_TOF_MRA:
  case HT_PRESET_CTA_HEAD:
    return HT_SIGN_HEAD;
  case HT_PRESET_CTA_AORTA:
    return HT_SIGN_AORTA;
  default:
    return of_tags;
  }
}

/* `ends`: number of places where it leaves the scan or ends. */
static int stands_out(const ht_segment_report *report, int ends) {
  /* A second piece of half the size leaves a fraction of two thirds at most. */
  int alike = report->components > 1 && report->kept_fraction <= 1 / (1 + like_largest);
  return ends > 0 && ends <= MOST_OPENINGS && !alike;
}

ht_status ht_vessel_stands_out(const ht_run *run, ht_status placed, int *found) {
  int ends;
  HT_TRY(count_ends(&run->vessel, placed, &ends));
  *found = stands_out(&run->manifest.segment, ends);
  return HT_OK;
}

ht_status ht_choose_vessel(ht_run *run, ht_status placed, ht_decide *decide) {
  ht_candidates candidates;
  char message[4096];
  double other_score;
  int ends;
  if (!ht_vessel_is_free(run->given.settings) || !run->vessel.mask.inside || !run->vessel.found)
    return placed;
  if (placed != HT_OK && placed != HT_ERR_OPENINGS) return placed;
  snprintf(message, sizeof message, "%s", ht_error_message());
  drop(run->given.folder, HT_FILE_CANDIDATES, HT_FILE_CHOICE);
  HT_TRY(count_ends(&run->vessel, placed, &ends));
  if (stands_out(&run->manifest.segment, ends))
    return placed == HT_OK ? placed : ht_fail(placed, "%s", message);
  HT_TRY(ht_vessel_candidates(run->vessel.found, &run->imported.scan,
                              signs_of(run->given.settings->segment.preset, run->manifest.signs),
                              ht_console_progress(), &candidates));
  ht_status status = drop_failing(run, decide, &candidates, &other_score);
  if (status != HT_OK)
    ht_candidates_free(&candidates);
  else if (!is_clear(run, &candidates, other_score, ends))
    status = ask(run, &candidates, ends);
  else if (placed != HT_OK)
    status = ht_fail(placed, "%s", message);
  ht_candidates_free(&candidates);
  return status;
}

ht_status ht_take_candidate(const char *folder, int number, ht_case *settings) {
  char path[HT_PATH_MAX];
  double ends_mm[2][3];
  HT_TRY(ht_path_join(path, folder, HT_FILE_CANDIDATES));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_USAGE,
                   "--vessel %d: there is no %s: `hemotile segment` without --vessel writes it "
                   "where it is not clear which vessel is meant",
                   number, path);
  HT_TRY(ht_candidates_read_ends(path, number, ends_mm));
  ht_points ends = points_of(ends_mm[0], ends_mm[1]);
  return take_points(&ends, settings);
}
