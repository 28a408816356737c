/* The settings of a case as JSON, for a page that shows and changes them. */
#ifndef HT_CASE_JSON_H
#define HT_CASE_JSON_H

#include "core/formats/json.h"
#include "run/case/schema.h"

/* Adds the array "keys" to the current object, one entry for each key of a case file that is no
 * path and no list of points: `name` ("flow.cycles"), `value` and `usual` as a case file has them,
 * `help` with the unit, `given` (by a person), `idle` (why it has no effect; absent where it may
 * have one), and what is allowed: `words`, or `least` and `most`, and `auto`. Call it after
 * ht_case_read_waveform. */
void ht_case_keys_json(ht_json *json, const ht_case *settings);

/* Adds the members of an opening of the case that are given, each by the name of its key and as a
 * case file has it; `name` as it is. */
void ht_case_opening_json(ht_json *json, const ht_case_opening *opening);

/* Adds the object "inflow": the waveform over a beat, as the case stretches it: `period_s` (0:
 * constant), `unit` ("mL/s" or "m/s"; "": only its shape counts), `mean`, `of_file`, `values` at
 * even times from its start. */
void ht_case_inflow_json(ht_json *json, const ht_case *settings);

#endif
