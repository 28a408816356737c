#include "run/run.h"
#include "run/numbers/plausibility.h"
#include "run/openings/place_named.h"
#include "core/machine/clock.h"
#include "run/process/console.h"
#include "core/machine/host_memory.h"
#include "run/record/identity.h"
#include "run/process/interrupt.h"
#include "run/lattice/run_explain.h"
#include "run/checkpoint/run_guard.h"
#include "run/run_hint.h"
#include "run/checkpoint/run_names.h"
#include "run/lattice/run_plan.h"
#include "run/checkpoint/run_record.h"
#include "run/stages/stage_dicom.h"
#include "run/stages/stage_report.h"
#include "run/stages/stages.h"
#include "run/numbers/summary.h"
#include "run/numbers/tile_report.h"
#include "run/process/thread_limit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ht_status find_own_scan(ht_run *run) {
  const ht_case *settings = run->given.settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN, path));
  int is_own = ht_same_file(input, path) || (!ht_file_exists(path) && strcmp(input, path) == 0);
  run->claim.own_scan = input[0] && ht_folder_is_case(run->given.folder) && is_own;
  return HT_OK;
}

static void hide_more(const char *paths) {
  char one[HT_PATH_MAX];
  for (const char *at = paths; *at; at += strspn(at, "\n")) {
    int length = (int)strcspn(at, "\n");
    snprintf(one, sizeof one, "%.*s", length, at);
    ht_identity_hide_input(one);
    at += length;
  }
}

/* Hides the paths. Call it before anything is written. */
static void hide_paths(const ht_run *run) {
  const ht_case *settings = run->given.settings;
  ht_identity_hide_output(run->given.folder);
  ht_identity_hide_input(settings->scan);
  ht_identity_hide_input(settings->mask);
  hide_more(settings->more_masks);
  ht_identity_hide_input(settings->file);
  ht_identity_hide_input(settings->markups);
  ht_identity_hide_input(settings->points_file);
  ht_identity_hide_input(settings->measured);
  if (ht_case_waveform_is_file(settings)) ht_identity_hide_input(settings->waveform);
}

/* Takes the stamps of the input, before it is examined. A folder's files are listed once, for all
 * who use the list. */
static ht_status stamp_input(ht_run *run, const char *input) {
  if (run->given.first != HT_STAGE_IMPORT || run->claim.own_scan || !input[0]) return HT_OK;
  HT_TRY(ht_input_stamps_take(input, ht_import_is_slice(input), run->given.settings->more_masks,
                              &run->imported.stamps));
  if (run->imported.stamps.has_folder && !run->given.settings->more_masks[0])
    run->imported.look.files = &run->imported.stamps.files;
  return HT_OK;
}

static ht_status hide_identity(ht_run *run, const char *input) {
  enum { MOST = 200 }; /* patients and studies in a folder */
  ht_identity *found;
  if (!input[0]) return HT_OK;
  HT_TRY(ht_alloc((void **)&found, MOST, sizeof *found, "the scan's identity"));
  int count = ht_import_identities(input, &run->imported.look, found, MOST);
  for (int i = 0; i < count; i++) ht_identity_hide(&found[i]);
  free(found);
  return HT_OK;
}

/* Records the folder's own scan: the old record is lost, and the new one can only name the scan in
 * the folder. */
static ht_status record_own_scan(ht_run *run, const char *input) {
  ht_manifest *manifest = &run->manifest;
  if (!ht_file_exists(input)) return HT_OK; /* the stage that needs it reports that */
  ht_console_warn("%s has no record of its scan's origin (" HT_FILE_MANIFEST
                  "): the new record names %s",
                  run->given.folder, input);
  if (ht_manifest_input_name(run->given.settings, manifest->input) != HT_OK)
    ht_console_warn("the record has no hash of the input's name: %s", ht_error_message());
  manifest->input_files = 1;
  return ht_hash_file(input, manifest->input_sha256);
}

/* Checks the folder of a slice, from which the import reads the series, before the import. */
static ht_status check_folder(const ht_run *run, const char *input) {
  char holder[HT_PATH_MAX];
  if (run->claim.own_scan) return ht_folder_check(run->given.folder, "");
  if (!ht_import_has_others(input)) return ht_folder_check(run->given.folder, input);
  ht_folder_of(input, holder);
  return ht_folder_check(run->given.folder, holder);
}

/* Refuses a measured flow that no stage of this run would read, or that is not there. */
static ht_status check_measured(const ht_given *given) {
  const char *path = given->settings->measured;
  if (!path[0]) return HT_OK;
  if (given->first > HT_STAGE_SEGMENT)
    return ht_fail(
        HT_ERR_USAGE,
        "flow.measured is read when the vessel is found: `hemotile segment %s --measured "
        "SERIES` first",
        given->typed);
  if (given->last < HT_STAGE_SEGMENT)
    ht_console_note("flow.measured is read when the vessel is found, and this folder keeps no path "
                    "of it: `hemotile segment %s --measured SERIES`",
                    given->typed);
  if (ht_file_exists(path)) return HT_OK;
  return ht_fail(HT_ERR_NOT_FOUND, "flow.measured: there is no file or folder %s%s", path,
                 given->first == HT_STAGE_SEGMENT
                     ? ": the folder of a case keeps no path of a patient's series; give it with "
                       "--measured SERIES"
                     : "");
}

static ht_status begin(ht_run *run) {
  const ht_case *settings = run->given.settings;
  const char *input = settings->mask[0] ? settings->mask : settings->scan;
  HT_TRY(check_measured(&run->given));
  HT_TRY(find_own_scan(run));
  if (run->given.first == HT_STAGE_IMPORT && !run->claim.own_scan && input[0] &&
      !ht_file_exists(input))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", input);
  if (input[0]) HT_TRY(ht_input_check(input));
  HT_TRY(check_folder(run, input));
  HT_TRY(stamp_input(run, input));
  ht_identity_guard_texts(settings->keep_identity);
  if (!settings->keep_identity) {
    hide_paths(run);
    HT_TRY(hide_identity(run, input));
    ht_run_clean_names(run->given.settings);
  }
  ht_interrupt_folder(run->given.folder, ht_folder_sweep);
  if (!ht_folder_is_case(run->given.folder)) return HT_OK; /* the import makes it */
  HT_TRY(ht_run_claim(&run->given, &run->manifest, &run->claim));
  run->manifest = run->claim.held;
  return run->claim.own_scan && !run->claim.held.input[0] ? record_own_scan(run, input) : HT_OK;
}

/* Warns in one line of all keys that one setting rules out. */
static void warn_of_idle(const ht_idle_key *idle, int count) {
  for (int i = 0; i < count; i++) {
    char names[HT_WARNING_LENGTH] = "";
    int said = 0, several = 0;
    for (int k = 0; k < i; k++) said |= idle[k].why == idle[i].why;
    for (int k = i; k < count && !said; k++) {
      size_t length = strlen(names);
      if (idle[k].why != idle[i].why) continue;
      several = k > i;
      snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", idle[k].name);
    }
    if (!said) ht_console_warn("%s ha%s no effect: %s", names, several ? "ve" : "s", idle[i].why);
  }
}

static ht_status drop_idle(ht_case *settings) {
  ht_idle_key idle[HT_CASE_KEYS_MAX];
  int count;
  HT_TRY(ht_case_drop_idle(settings, idle, &count));
  warn_of_idle(idle, count);
  return HT_OK;
}

static ht_status limit_threads(int threads) {
  int fewer;
  HT_TRY(ht_thread_limit(threads, &fewer));
  if (fewer)
    ht_console_warn(
        "the system's limits (ulimit -v, ulimit -u) allow only %d thread%s: this is slower", fewer,
        fewer == 1 ? "" : "s");
  return HT_OK;
}

/* Shows what was read of the file, so that the user notices numbers that were read wrongly, and a
 * beat that ends elsewhere. */
static void tell_waveform(const ht_case *settings) {
  const ht_waveform *inflow = &settings->inflow;
  const ht_waveform_facts *facts = &settings->inflow_facts;
  double least, most, rate = 60 / inflow->period_s;
  char beat[200] = "";
  if (!ht_case_waveform_is_file(settings)) return;
  ht_waveform_range(inflow, &least, &most);
  if (facts->own_period_s > 0 && facts->own_period_s != inflow->period_s)
    snprintf(beat, sizeof beat, ", stretched from %.4g s", facts->own_period_s);
  if (inflow->samples > 0)
    snprintf(beat + strlen(beat), sizeof beat - strlen(beat), ": %s",
             ht_period_reason_words[inflow->period_reason]);
  ht_console_note("waveform: %s%s%s: mean %.4g %s, highest %.4g, lowest %.4g; a beat of %.4g s "
                  "(%.4g a minute)%s",
                  facts->has_comma ? "the numbers of " : "", settings->waveform,
                  facts->has_comma ? " are read with a decimal comma (0,5 is a half)" : "",
                  ht_waveform_mean(inflow), facts->is_velocity ? "m/s" : "mL/s", most, least,
                  inflow->period_s, rate, beat);
}

/* Warns of a beat: a heart rate in place of the period, or times in another unit than the file's
 * header says. */
static void warn_of_beat(const ht_case *settings) {
  const ht_range *possible = &ht_patient_allowed.heart_rate_per_min;
  double period_s = settings->inflow.period_s, rate = 60 / period_s;
  int times = ht_waveform_repeats(&settings->inflow);
  if (times > 1)
    ht_console_warn("the waveform repeats itself %d times within its beat of %.3g s: its file may "
                    "hold %d beats, and the heart rate is then not %.3g but %.3g per minute: leave "
                    "one beat in the file",
                    times, period_s, times, rate, rate * times);
  if (!(period_s > 0) || ht_range_holds(possible, rate)) return;
  ht_console_warn("a beat of the inflow takes %.3g s, which is a heart rate of %.4g per minute (%g "
                  "to %g are possible): check flow.period_s (seconds, not a heart rate) and the "
                  "unit of the times in the waveform's file",
                  period_s, rate, possible->least, possible->most);
}

/* Warns of a viscosity: poise in place of Pa s passes for a very thick blood. */
static void warn_of_viscosity(const ht_case *settings) {
  static const double least = 0.001, most = 0.015; /* plasma; the thickest blood, and a reserve */
  double pa_s = settings->solver.viscosity_pa_s;
  if (settings->solver.blood.model != HT_NEWTONIAN || (pa_s >= least && pa_s <= most)) return;
  ht_console_warn("blood.viscosity_pa_s is %g, and blood has 0.003 to 0.006 Pa s: check the unit "
                  "(0.035 poise are 0.0035 Pa s)",
                  pa_s);
}

static ht_run *make_run(ht_case *settings) {
  ht_run *run = NULL;
  if (ht_alloc((void **)&run, 1, sizeof *run, "the case") == HT_OK &&
      ht_alloc((void **)&run->vessel.throat, 1, sizeof *run->vessel.throat, "the case") == HT_OK) {
    run->given.settings = settings;
    ht_console_warnings_to(&run->warnings);
    run->given.begun_s = ht_clock_s();
    run->given.umask = ht_folder_privacy(settings->follow_umask);
    return run;
  }
  free(run);
  free(settings);
  return NULL;
}

ht_status ht_run_begin(ht_case *settings, const char *folder, ht_stage first, ht_stage last,
                       int force, ht_run **made) {
  ht_run *run = *made = make_run(settings);
  if (!run) return HT_ERR_MEMORY;
  run->given.first = first;
  run->given.last = last;
  run->given.force = force;
  if (snprintf(run->given.folder, sizeof run->given.folder, "%s", folder) >=
      (int)sizeof run->given.folder)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", folder);
  size_t length = strlen(run->given.folder);
  while (length > 1 && run->given.folder[length - 1] == '/') run->given.folder[--length] = 0;
  ht_shell_word(run->given.folder, run->given.typed, sizeof run->given.typed);
  HT_TRY(ht_place_named(settings, run->given.folder));
  HT_TRY(ht_case_check(settings));
  HT_TRY(ht_case_read_waveform(settings));
  HT_TRY(drop_idle(settings));
  ht_host_memory_limit(1e9 * settings->max_memory_gb);
  HT_TRY(limit_threads(settings->solver.threads));
  HT_TRY(begin(run));
  tell_waveform(settings);
  warn_of_beat(settings);
  warn_of_viscosity(settings);
  return HT_OK;
}

ht_status ht_run_open(const char *folder, ht_case **settings) {
  char path[HT_PATH_MAX];
  *settings = NULL;
  if (!ht_file_exists(folder))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such folder", folder);
  HT_TRY(ht_path_join(path, folder, HT_FILE_CASE));
  if (!ht_folder_is_case(folder) || !ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: this is not a case folder (it has no " HT_FILE_CASE
                   " of hemotile): make one with `hemotile import SCAN -o FOLDER`",
                   folder);
  HT_TRY(ht_alloc((void **)settings, 1, sizeof **settings, "the case"));
  ht_status status = ht_case_read(path, *settings);
  if (status == HT_OK) status = ht_case_unmark_defaults(*settings); /* it lists every key */
  if (status != HT_OK) {
    free(*settings);
    *settings = NULL;
  }
  return status;
}

static ht_status run_stage(ht_run *run, ht_stage stage) {
  static ht_status (*const function[])(ht_run *) = {ht_stage_import, ht_stage_segment,
                                                    ht_stage_tile, ht_stage_solve, ht_stage_export};
  double begun_s = ht_clock_s();
  ht_console_stage(ht_stage_name(stage), (int)(stage - run->given.first) + 1,
                   (int)(run->given.last - run->given.first) + 1);
  ht_stage_record *record = &run->manifest.stage[stage];
  ht_status status = ht_progress_report(ht_console_progress(), ht_stage_name(stage), 0, 0, "");
  if (status == HT_OK) status = function[stage](run);
  if (status == HT_OK &&
      ht_progress_report(ht_console_progress(), ht_stage_name(stage), 0, 0, "") != HT_OK)
    status = HT_ERR_INTERRUPTED;
  if (status != HT_OK) {
    ht_run_hint_failed(run, stage, status);
    return status;
  }
  if (stage != HT_STAGE_IMPORT || !run->claim.own_scan) {
    record->seconds = ht_clock_s() - begun_s;
    ht_time_utc(record->ended);
  }
  for (int later = (int)stage + 1; later < HT_STAGES; later++)
    memset(&run->manifest.stage[later], 0, sizeof *run->manifest.stage);
  ht_console_stage_end();
  return HT_OK;
}

static ht_status write_pages(ht_run *run) {
  ht_status status = ht_run_write_report(&run->given, &run->view);
  if (status == HT_OK) status = ht_run_dicom_pages(run);
  if (status != HT_OK)
    ht_console_hint("the results in %s are complete but for their page: `hemotile report %s` makes "
                    "it",
                    run->given.folder, run->given.typed);
  return status;
}

static ht_status run_before_flow(ht_run *run, ht_status (*before_flow)(ht_run *run)) {
  const ht_status status = before_flow ? before_flow(run) : HT_OK;
  if (status != HT_OK) ht_run_hint_failed(run, HT_STAGE_SOLVE, status);
  return status;
}

ht_status ht_run_stages(ht_run *run) {
  return ht_run_stages_with(run, NULL);
}

/* Plans the flow of a run that computes none. */
static ht_status plan_flow(ht_run *run) {
  HT_TRY(ht_run_foretell(run));
  HT_TRY(ht_run_draw_levels(run));
  ht_run_judge_planned(&run->vessel.placed.openings, &run->ahead.path, &run->measured.plausible);
  return HT_OK;
}

ht_status ht_run_stages_with(ht_run *run, ht_status (*before_flow)(ht_run *run)) {
  char path[HT_PATH_MAX];
  ht_run_wake_gpu(&run->given, &run->ahead.side);
  for (int stage = (int)run->given.first; stage <= (int)run->given.last; stage++) {
    if (stage == HT_STAGE_SOLVE) HT_TRY(run_before_flow(run, before_flow));
    HT_TRY(run_stage(run, (ht_stage)stage));
    if (run->given.dry && stage == (int)run->given.last) HT_TRY(plan_flow(run));
    HT_TRY(ht_run_record(run));
  }
  if (run->given.last == HT_STAGE_EXPORT) {
    HT_TRY(ht_run_path(run, HT_FILE_SUMMARY, path));
    run->time = ht_time_of(&run->manifest, run->given.first, ht_clock_s() - run->given.begun_s);
    HT_TRY(ht_summary_write(path, run));
    if (!run->given.no_pictures) HT_TRY(write_pages(run));
  }
  if (run->solved.outcome == HT_OK) return HT_OK;
  ht_run_hint_not_steady(&run->given, &run->solved.stats);
  return ht_fail(run->solved.outcome, "%s", run->solved.outcome_message);
}
