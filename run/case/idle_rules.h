/* Rules that tell why a key of a case has no effect under the other settings: one for each kind of
 * key that these can rule out. The schema names the rule of each key. A rule returns the reason, a
 * constant that ends a sentence ("blood.model is casson"), and NULL where the key may have an
 * effect. */
#ifndef HT_IDLE_RULES_H
#define HT_IDLE_RULES_H

#include "run/case/case.h"

typedef const char *ht_key_rule(const ht_case *settings);

ht_key_rule ht_idle_with_phantom, ht_idle_without_phantom, ht_idle_without_dicom,
    ht_idle_without_surface;
ht_key_rule ht_idle_measured_frame;
ht_key_rule ht_idle_levels, ht_idle_refined;
ht_key_rule ht_idle_region, ht_idle_segment, ht_idle_segment_between, ht_idle_radius;
ht_key_rule ht_idle_viscosity, ht_idle_carreau, ht_idle_casson;
ht_key_rule ht_idle_blood_pressure;
ht_key_rule ht_idle_beat_length, ht_idle_steady, ht_idle_pulse, ht_idle_noise, ht_idle_diagonals;
ht_key_rule ht_idle_murray, ht_idle_windkessel, ht_idle_sac_find;

#endif
