#include "run/run_hint.h"
#include "run/mask/choose_seen.h"
#include "run/process/console.h"
#include "core/text/shell_word.h"
#include <stdio.h>
#include <string.h>

/* Hints at a checkpoint where the device or the memory was lost while the flow was computed. It can
 * be resumed only on the kind of device that wrote it. Returns 1 where it gave a hint. */
static int hint_at_kept(const ht_given *given, int64_t kept_step, const char *stage,
                        ht_status status) {
  if (kept_step == 0 || strcmp(stage, ht_stage_name(HT_STAGE_SOLVE)) != 0) return 0;
  const char *folder = given->typed;
  if (status == HT_ERR_DEVICE)
    ht_console_hint(
        "the flow is kept in %s: `hemotile solve %s` resumes from step %lld when the device works "
        "again; `hemotile solve %s --device cpu --restart` starts again on the CPU",
        given->folder, folder, (long long)kept_step, folder);
  else if (status == HT_ERR_MEMORY)
    ht_console_hint("the flow is kept in %s: `hemotile solve %s` resumes from step %lld when there "
                    "is memory again (close other programs); with less memory: a coarser lattice, "
                    "`hemotile segment %s --nodes-across N`",
                    given->folder, folder, (long long)kept_step, folder);
  else
    return 0;
  return 1;
}

/* Hints at the machine where the cause is not in the case: the same command works once the cause is
 * gone. Returns 1 where it gave a hint. */
static int hint_at_machine(const ht_given *given, int64_t kept_step, const char *stage,
                           ht_status status) {
  static const char kept[] = "the files of the stages before it are complete";
  if (hint_at_kept(given, kept_step, stage, status)) return 1;
  if (status == HT_ERR_INTERRUPTED && kept_step > 0 &&
      strcmp(stage, ht_stage_name(HT_STAGE_SOLVE)) == 0)
    ht_console_hint(
        "stopped in stage '%s'; the flow is kept in %s: `hemotile %s %s` resumes from step %lld",
        stage, given->folder, stage, given->typed, (long long)kept_step);
  else if (status == HT_ERR_INTERRUPTED)
    ht_console_hint("stopped in stage '%s'; %s: go on with `hemotile %s %s` and the same options",
                    stage, kept, stage, given->typed);
  else if (status == HT_ERR_MEMORY && strcmp(stage, ht_stage_name(HT_STAGE_SOLVE)) == 0)
    ht_console_hint("stage '%s' found too little memory; %s: go on with `hemotile %s %s` when "
                    "there is more, or with --device cpu; with less memory: a coarser lattice, "
                    "`hemotile segment %s --nodes-across N`",
                    stage, kept, stage, given->typed, given->typed);
  else if (status == HT_ERR_WRITE)
    ht_console_hint("stage '%s' could not write; %s: when there is room, go on with `hemotile %s "
                    "%s`",
                    stage, kept, stage, given->typed);
  else if (status == HT_ERR_DEVICE)
    ht_console_hint(
        "stage '%s' had no device; %s: go on with `hemotile %s %s --set flow.device=cpu`", stage,
        kept, stage, given->typed);
  else
    return 0;
  return 1;
}

static void hint_at_import(const ht_case *settings, ht_status status) {
  char input[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
  if (settings->phantom[0] || status == HT_ERR_WRITE || status == HT_ERR_INTERRUPTED ||
      status == HT_ERR_USAGE)
    return; /* the input is not the cause */
  ht_shell_word(settings->mask[0] ? settings->mask : settings->scan, input, sizeof input);
  ht_console_hint("the input could not be imported: `hemotile info %s` lists its contents", input);
}

#define HINT_NETWORK                                                                               \
  "let a network look for the vessel: `hemotile segment %s --set segment.learned=auto`"

/* Tells whether a network may find the vessel: the case does not say where it is, and none was
 * found that is clear, though there is a contrast agent. */
static int network_may_help(const ht_run *run, ht_stage stage, ht_status status) {
  return stage == HT_STAGE_SEGMENT && (status == HT_ERR_VESSEL || status == HT_ERR_OPENINGS) &&
         ht_seen_is_offered(run->given.settings) && !run->manifest.segment.no_agent;
}

/* Hints at the settings: the remedy may belong to an earlier stage, as a finer lattice or another
 * region. */
static void hint_at_settings(const ht_given *given, ht_stage stage, int may_see) {
  static const char picture[] = HT_FOLDER_PICTURES "/mask_on_scan.png";
  static const char *const what[] = {"", "region, segment, vessel, lattice, openings or flow",
                                     "openings", "blood, flow, extensions or openings", ""};
  const char *name = ht_stage_name(stage);
  char path[HT_PATH_MAX], look[HT_PATH_MAX + 32] = "",
                                             other[HT_SHELL_WORD_MAX(HT_PATH_MAX) + 128] = "";
  if (stage == HT_STAGE_EXPORT) {
    ht_console_hint("stage 'export' failed; the flow is kept in %s/" HT_FILE_FLOW
                    ": go on with `hemotile export %s`",
                    given->folder, given->typed);
    return;
  }
  if (ht_path_join(path, given->folder, picture) == HT_OK && ht_file_exists(path))
    snprintf(look, sizeof look, "look at %s; ", path);
  if (stage > HT_STAGE_SEGMENT)
    snprintf(other, sizeof other, "; or lattice or region, and go on with `hemotile segment %s`",
             given->typed);
  if (may_see) snprintf(other, sizeof other, "; or " HINT_NETWORK, given->typed);
  ht_console_hint("stage '%s' failed; %schange %s in %s/" HT_FILE_CASE
                  " (`hemotile help case`) and go on with `hemotile %s %s`%s",
                  name, look, what[stage], given->folder, name, given->typed, other);
}

void ht_run_hint_failed(const ht_run *run, ht_stage stage, ht_status status) {
  const ht_given *given = &run->given;
  char path[HT_PATH_MAX];
  const int may_see = network_may_help(run, stage, status);
  if (strstr(ht_error_message(), "`hemotile ")) { /* it names a command already */
    if (may_see) ht_console_hint(HINT_NETWORK, given->typed);
    return;
  }
  if (status == HT_ERR_TIME) return; /* so does its hint */
  if (stage == HT_STAGE_IMPORT) {
    hint_at_import(given->settings, status);
    return;
  }
  if (hint_at_machine(given, run->solved.kept_step, ht_stage_name(stage), status)) return;
  if (ht_path_join(path, given->folder, HT_FILE_CASE) != HT_OK || !ht_file_exists(path)) return;
  hint_at_settings(given, stage, may_see);
}

/* Names the files that hold a flow whose steps (or beats) have ended before it was steady (or
 * periodic). */
void ht_run_hint_not_steady(const ht_given *given, const ht_flow_stats *stats) {
  static const char steady[] = "; for the steady flow give `hemotile solve` more --max-steps, or "
                               "loosen flow.steady_tolerance in";
  static const char pulse[] =
      "; set more flow.cycles, and a smaller flow.max_velocity_lu if in and out differ, in";
  const char *more = stats->period_s > 0 ? pulse : steady;
  if (given->last == HT_STAGE_EXPORT)
    ht_console_hint("the results are written and marked 'steady: false': they are not those of "
                    "the %s flow%s %s/" HT_FILE_CASE,
                    stats->period_s > 0 ? "periodic" : "steady", more, given->folder);
  else
    ht_console_hint("%s/" HT_FILE_FLOW
                    "  holds the flow computed so far, and nothing is exported yet: `hemotile "
                    "export %s` writes it, marked 'steady: false'%s %s/" HT_FILE_CASE,
                    given->folder, given->typed, more, given->folder);
}
