/* Keys that a case gives and that change nothing, since other settings rule them out. The schema
 * names the rule of each key; a rule says why the key has no effect, and NULL where it may have
 * one. */
#ifndef HT_IDLE_KEYS_H
#define HT_IDLE_KEYS_H

#include "schema.h"

/* Marks the key of ht_case_keys as given by a person. */
void ht_case_mark_given(ht_case *settings, const ht_key *key);

/* Unmarks the keys that have their default: a file that hemotile wrote lists every key.
 * HT_ERR_MEMORY.
 */
ht_status ht_case_unmark_defaults(ht_case *settings);

typedef struct {
  const ht_key *key; /* of ht_case_keys */
  const char *why;   /* "blood.model is casson"; a constant */
} ht_idle_key;

/* Finds the given keys that have no effect, at most HT_CASE_KEYS_MAX, and puts them back to their
 * defaults, so that the record keeps what was used. After ht_case_read_waveform. HT_ERR_MEMORY. */
ht_status ht_case_drop_idle(ht_case *settings, ht_idle_key *idle, int *count);

/* The rules. */
ht_key_rule ht_idle_without_phantom, ht_idle_without_dicom, ht_idle_without_surface;
ht_key_rule ht_idle_region, ht_idle_segment, ht_idle_segment_between, ht_idle_radius;
ht_key_rule ht_idle_viscosity, ht_idle_carreau, ht_idle_casson;
ht_key_rule ht_idle_blood_pressure;
ht_key_rule ht_idle_beat_length, ht_idle_steady, ht_idle_pulse, ht_idle_noise, ht_idle_diagonals;
ht_key_rule ht_idle_murray, ht_idle_windkessel, ht_idle_sac_find;

#endif
