#include "run/run_hint.h"
#include "run/process/console.h"
#include "core/text/shell_word.h"
#include <stdio.h>
#include <string.h>

void ht_run_quote_folder(ht_run *run) {
  ht_shell_word(run->given.folder, run->given.typed, sizeof run->given.typed);
}

/* Hints at a checkpoint where the device or the memory was lost while the flow was computed. It can
 * be resumed only on the kind of device that wrote it. Returns 1 where it gave a hint. */
static int hint_at_kept(const ht_run *run, const char *stage, ht_status status) {
  if (run->solved.kept_step == 0 || strcmp(stage, ht_stage_name(HT_STAGE_SOLVE)) != 0) return 0;
  const char *folder = run->given.typed;
  if (status == HT_ERR_DEVICE)
    ht_console_hint(
        "the flow is kept in %s: `hemotile solve %s` resumes from step %lld when the device works "
        "again; `hemotile solve %s --device cpu --restart` starts again on the CPU",
        run->given.folder, folder, (long long)run->solved.kept_step, folder);
  else if (status == HT_ERR_MEMORY)
    ht_console_hint("the flow is kept in %s: `hemotile solve %s` resumes from step %lld when there "
                    "is memory again (close other programs); with less memory: a coarser lattice, "
                    "`hemotile segment %s --nodes-across N`",
                    run->given.folder, folder, (long long)run->solved.kept_step, folder);
  else
    return 0;
  return 1;
}

/* Hints at the machine where the cause is not in the case: the same command works once the cause is
 * gone. Returns 1 where it gave a hint. */
static int hint_at_machine(const ht_run *run, const char *stage, ht_status status) {
  static const char kept[] = "the files of the stages before it are complete";
  if (hint_at_kept(run, stage, status)) return 1;
  if (status == HT_ERR_INTERRUPTED && run->solved.kept_step > 0 &&
      strcmp(stage, ht_stage_name(HT_STAGE_SOLVE)) == 0)
    ht_console_hint(
        "stopped in stage '%s'; the flow is kept in %s: `hemotile %s %s` resumes from step %lld",
        stage, run->given.folder, stage, run->given.typed, (long long)run->solved.kept_step);
  else if (status == HT_ERR_INTERRUPTED)
    ht_console_hint("stopped in stage '%s'; %s: go on with `hemotile %s %s`", stage, kept, stage,
                    run->given.typed);
  else if (status == HT_ERR_MEMORY && strcmp(stage, ht_stage_name(HT_STAGE_SOLVE)) == 0)
    ht_console_hint("stage '%s' found too little memory; %s: go on with `hemotile %s %s` when "
                    "there is more, or with --device cpu; with less memory: a coarser lattice, "
                    "`hemotile segment %s --nodes-across N`",
                    stage, kept, stage, run->given.typed, run->given.typed);
  else if (status == HT_ERR_WRITE)
    ht_console_hint("stage '%s' could not write; %s: when there is room, go on with `hemotile %s "
                    "%s`",
                    stage, kept, stage, run->given.typed);
  else if (status == HT_ERR_DEVICE)
    ht_console_hint("stage '%s' had no device; %s: go on with `hemotile %s %s --device cpu`", stage,
                    kept, stage, run->given.typed);
  else
    return 0;
  return 1;
}

static void hint_at_import(const ht_run *run, ht_status status) {
  const ht_case *settings = run->given.settings;
  char input[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
  if (settings->phantom[0] || status == HT_ERR_WRITE || status == HT_ERR_INTERRUPTED ||
      status == HT_ERR_USAGE)
    return; /* the input is not the cause */
  ht_shell_word(settings->mask[0] ? settings->mask : settings->scan, input, sizeof input);
  ht_console_hint("the input could not be imported: `hemotile info %s` lists its contents", input);
}

/* Hints at the settings: the remedy may belong to an earlier stage, as a finer lattice or another
 * region. */
static void hint_at_settings(const ht_run *run, ht_stage stage) {
  static const char picture[] = HT_FOLDER_PICTURES "/mask_on_scan.png";
  static const char *const what[] = {"", "region, segment, vessel, lattice, openings or flow",
                                     "openings", "blood, flow, extensions or openings", ""};
  const char *name = ht_stage_name(stage);
  char path[HT_PATH_MAX], look[HT_PATH_MAX + 32] = "",
                                             earlier[HT_SHELL_WORD_MAX(HT_PATH_MAX) + 64] = "";
  if (stage == HT_STAGE_EXPORT) {
    ht_console_hint("stage 'export' failed; the flow is kept in %s/" HT_FILE_FLOW
                    ": go on with `hemotile export %s`",
                    run->given.folder, run->given.typed);
    return;
  }
  if (ht_run_path(run, picture, path) == HT_OK && ht_file_exists(path))
    snprintf(look, sizeof look, "look at %s; ", path);
  if (stage > HT_STAGE_SEGMENT)
    snprintf(earlier, sizeof earlier,
             "; or lattice or region, and go on with `hemotile segment %s`", run->given.typed);
  ht_console_hint("stage '%s' failed; %schange %s in %s/" HT_FILE_CASE
                  " (`hemotile help case`) and go on with `hemotile %s %s`%s",
                  name, look, what[stage], run->given.folder, name, run->given.typed, earlier);
}

void ht_run_hint_failed(const ht_run *run, ht_stage stage, ht_status status) {
  char path[HT_PATH_MAX];
  if (strstr(ht_error_message(), "`hemotile ")) return; /* it names a command already */
  if (stage == HT_STAGE_IMPORT) {
    hint_at_import(run, status);
    return;
  }
  if (hint_at_machine(run, ht_stage_name(stage), status)) return;
  if (ht_run_path(run, HT_FILE_CASE, path) != HT_OK || !ht_file_exists(path)) return;
  hint_at_settings(run, stage);
}

/* Names the files that hold a flow whose steps (or beats) have ended before it was steady (or
 * periodic). */
void ht_run_hint_not_steady(const ht_run *run) {
  static const char steady[] = "; for the steady flow give `hemotile solve` more --max-steps, or "
                               "loosen flow.steady_tolerance in";
  static const char pulse[] =
      "; set more flow.cycles, and a smaller flow.max_velocity_lu if in and out differ, in";
  const char *more = run->solved.stats.period_s > 0 ? pulse : steady;
  if (run->given.last == HT_STAGE_EXPORT)
    ht_console_hint("the results are written and marked 'steady: false': they are not those of "
                    "the %s flow%s %s/" HT_FILE_CASE,
                    run->solved.stats.period_s > 0 ? "periodic" : "steady", more,
                    run->given.folder);
  else
    ht_console_hint("%s/" HT_FILE_FLOW
                    "  holds the flow computed so far, and nothing is exported yet: `hemotile "
                    "export %s` writes it, marked 'steady: false'%s %s/" HT_FILE_CASE,
                    run->given.folder, run->given.typed, more, run->given.folder);
}
