/* The inflow's waveform of a case: constant, published, or a file. */
#include "case.h"
#include "folder.h"
#include "published_waveforms.h"
#include "waveform_file.h"
#include "words.h"
#include <string.h>

static int word(const ht_case *settings) {
  return ht_word_find(ht_waveform_words, settings->waveform, strlen(settings->waveform));
}

int ht_case_flow_is_constant(const ht_case *settings) {
  return word(settings) == HT_WAVEFORM_CONSTANT;
}

int ht_case_waveform_is_file(const ht_case *settings) {
  return word(settings) < 0;
}

const char *ht_case_waveform_name(const ht_case *settings) {
  return ht_case_waveform_is_file(settings) ? HT_FILE_WAVEFORM : settings->waveform;
}

static ht_status take_published(ht_case *settings) {
  HT_TRY(ht_waveform_published((ht_waveform_name)word(settings), &settings->inflow));
  if (!(settings->period_s > 0)) return HT_OK;
  return ht_waveform_stretch(&settings->inflow, settings->period_s);
}

static ht_status read_file(ht_case *settings) {
  if (!ht_file_exists(settings->waveform))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: flow.waveform: there is no file %s; without a file it is constant, carotid "
                   "or aorta",
                   ht_case_file(settings), settings->waveform);
  HT_TRY(ht_waveform_file_read(settings->waveform, settings->period_s, &settings->inflow,
                               &settings->inflow_is_velocity, &settings->inflow_has_comma));
  return ht_hash_file(settings->waveform, settings->waveform_sha256);
}

ht_status ht_case_read_waveform(ht_case *settings) {
  settings->waveform_sha256[0] = 0;
  settings->inflow_is_velocity = settings->inflow_has_comma = 0;
  return ht_case_waveform_is_file(settings) ? read_file(settings) : take_published(settings);
}
