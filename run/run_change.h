/* Changes of a case's settings between its runs: what `--set` of the next run would change, written
 * into the folder's case.yaml now. */
#ifndef HT_RUN_CHANGE_H
#define HT_RUN_CHANGE_H

#include "core/formats/json.h"
#include "run/case/case.h"

/* Returns HT_ERR_USAGE while another hemotile works in the folder. */
ht_status ht_run_refuse_busy(const char *folder);

/* One setting as `--set NAME=TEXT` has it; borrowed. */
typedef struct {
  const char *name, *text;
} ht_setting;

/* Sets them in their order, checks the case as a run does, and replaces case.yaml: its other keys
 * and the openings that were found stay. A waveform's file is copied as a run copies it. On an
 * error nothing is changed, and the message is that of the command line. HT_ERR_USAGE: a setting is
 * refused, or another hemotile works in the folder. Errors of ht_run_open, ht_case_check,
 * ht_case_read_waveform, and HT_ERR_WRITE. */
ht_status ht_run_change(const char *folder, const ht_setting *settings, int count);

/* Writes the case's settings as JSON: an object of `keys` and `inflow` (case_json.h), `openings`
 * (those that the case lists; where there is an openings.json, `found` and `strayed_mm` as
 * ht_place_of_entry says, the number from 0), `checkpoint` (a flow that was stopped can go on),
 * `other_checkpoint` (it could with another version), `newer` (ht_run_newer), and `heart` of the
 * patient's aorta in its state: rate_per_min, output_l_min, stroke_ml; 0: not known. `problem`: why
 * a run would refuse the case; absent where it would not. Errors of ht_run_open; HT_ERR_FORMAT:
 * openings.json is damaged. */
ht_status ht_run_settings_json(const char *folder, FILE *stream);

#endif
