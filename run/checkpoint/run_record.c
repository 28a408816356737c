#include "run/checkpoint/run_record.h"
#include "run/record/journal.h"
#include "run/case/markups.h"
#include "run/checkpoint/run_guard.h"
#include <string.h>

/* Copies the file of a measured profile into the folder. */
static ht_status keep_profile(const ht_case *settings, const char *folder) {
  char from[HT_PATH_MAX], to[HT_PATH_MAX];
  if (!settings->profile_sha256[0]) return HT_OK;
  HT_TRY(ht_case_profile_path(settings, from));
  HT_TRY(ht_path_join(to, folder, HT_FILE_PROFILE));
  return ht_same_file(from, to) ? HT_OK
                                : ht_case_profile_write(to, &settings->measured_profile,
                                                        settings->inflow_facts.sha256);
}

ht_status ht_run_keep_waveform(const ht_case *settings, const char *folder) {
  char path[HT_PATH_MAX];
  const char *source = settings->waveform;
  HT_TRY(keep_profile(settings, folder));
  HT_TRY(ht_path_join(path, folder, HT_FILE_WAVEFORM));
  if (!ht_case_waveform_is_file(settings) || ht_same_file(path, source)) return HT_OK;
  return ht_waveform_file_copy(source, path);
}

/* Writes case.yaml under a hidden name and lists it in the journal: if the program ends before the
 * manifest is written, the file does not count as edited by hand. */
static ht_status stage_case(ht_run *run, ht_output *staged) {
  char hex[HT_HASH_TEXT];
  HT_TRY(ht_case_write(staged->hidden, run->given.settings,
                       run->given.settings->mask[0] ? HT_FILE_DRAWN : HT_FILE_SCAN,
                       run->vessel.has_openings ? &run->vessel.placed.openings : NULL));
  HT_TRY(ht_hash_file(staged->hidden, hex));
  if (strcmp(hex, run->manifest.case_sha256) != 0)
    HT_TRY(ht_journal_add(run->given.folder, staged->hidden));
  memcpy(run->manifest.case_sha256, hex, sizeof hex);
  return HT_OK;
}

static ht_status write_case(ht_run *run) {
  char path[HT_PATH_MAX];
  ht_output staged;
  HT_TRY(ht_run_path(run, HT_FILE_CASE, path));
  HT_TRY(ht_output_name(path, &staged));
  ht_status status = stage_case(run, &staged);
  return status == HT_OK ? ht_output_rename(&staged) : ht_output_failed(&staged, status);
}

ht_status ht_run_record(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_keep_case(&run->given, &run->claim));
  HT_TRY(ht_run_keep_waveform(run->given.settings, run->given.folder));
  HT_TRY(write_case(run));
  HT_TRY(ht_run_path(run, HT_FILE_MANIFEST, path));
  HT_TRY(ht_manifest_write(path, &run->manifest, run->given.settings));
  ht_journal_end(run->given.folder);
  return HT_OK;
}

ht_status ht_run_write_openings(const char *folder, const ht_placed *placed) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, HT_FILE_OPENINGS));
  HT_TRY(ht_placed_write(path, placed));
  HT_TRY(ht_path_join(path, folder, HT_FILE_MARKUPS));
  return ht_markups_write(path, &placed->openings);
}
