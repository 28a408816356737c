#include "run/record/measured_record.h"
#include <string.h>

#define OPENING(key, field)                                                                        \
  { HT_MEMBER(ht_measured_opening, key, field), .options = HT_OPTIONAL | HT_SIX_DIGITS }
#define AT(key, field)                                                                             \
  { HT_MEMBER(ht_measured_record, key, field) }
#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_measured_record, key, field), .options = HT_SIX_DIGITS }
#define OPTIONAL(key, field)                                                                       \
  { HT_MEMBER(ht_measured_record, key, field), .options = HT_OPTIONAL }

static const ht_member opening_members[] = {
    {HT_MEMBER(ht_measured_opening, "name", name)},
    {HT_MEMBER(ht_measured_opening, "sections", sections)},
    OPENING("mean_flow_ml_s", mean_ml_s),
    OPENING("voxels_across", across),
    OPENING("area_mm2", area_mm2),
    {HT_MEMBER(ht_measured_opening, "centre_mm", centre_mm), .options = HT_OPTIONAL | HT_POSITION},
    OPENING("normal", normal),
    {HT_MEMBER(ht_measured_opening, "beyond_percent", beyond), .times = 100,
     .options = HT_SIX_DIGITS},
    {HT_MEMBER(ht_measured_opening, "spread_percent", spread), .times = 100},
    OPENING("flow_fraction", share),
    {HT_MEMBER(ht_measured_opening, "why_not", why_not), .options = HT_OPTIONAL},
    {0},
};

static const ht_member number_members[] = {
    AT("kind", kind),
    AT("directions", directions),
    AT("time_points", times),
    NUMBER("mean_flow_ml_s", mean_ml_s),
    NUMBER("least_flow_ml_s", least_ml_s),
    NUMBER("most_flow_ml_s", most_ml_s),
    NUMBER("voxels_across", opening[0].across),
    {HT_MEMBER(ht_measured_record, "spread_percent", opening[0].spread), .times = 100,
     .options = HT_SIX_DIGITS},
    NUMBER("noise_ml_s", noise_ml_s),
    {HT_MEMBER(ht_measured_record, "beat_covered_percent", covered), .times = 100,
     .options = HT_SIX_DIGITS},
    {HT_MEMBER(ht_measured_record, "outflow_over_inflow", out_over_in),
     .options = HT_OPTIONAL | HT_SIX_DIGITS},
    {0},
};

#define SOURCE                                                                                     \
  { HT_MEMBER(ht_measured_record, "source", source), .options = HT_DECIDES }

const ht_member ht_measured_short_members[] = {SOURCE, {HT_GROUP(number_members)}, {0}};

const ht_member ht_measured_members[] = {
    SOURCE,
    {HT_GROUP(number_members)},
    AT("description", description),
    AT("period_s", period_s),
    OPTIONAL("venc_m_s", venc_m_s),
    AT("voxel_mm", voxel_mm),
    {HT_MEMBER(ht_measured_record, "frame_taken_as_same", is_frame_taken), .options = HT_BOOL},
    OPTIONAL("profile", profile),
    {HT_MEMBER(ht_measured_record, "profile_misfit_percent", misfit), .times = 100,
     .options = HT_OPTIONAL | HT_SIX_DIGITS},
    AT("noise_voxels", noisy),
    AT("unwrapped_values", unwrapped),
    AT("still_tissue_voxels", still),
    OPTIONAL("notes", notes),
    OPTIONAL("waveform_sha256", waveform_sha256),
    {HT_ITEMS(ht_measured_record, "openings", opening, openings, opening_members)},
    {0},
};

int ht_measured_is_inflow(const ht_measured_record *of, const ht_case *settings) {
  if (!of->source[0] || strcmp(of->waveform_sha256, settings->inflow_facts.sha256) != 0) return 0;
  return of->waveform_sha256[0] || settings->inlet_flow_ml_s == of->mean_ml_s;
}

void ht_measured_record_print(FILE *stream, const ht_measured_record *of) {
  if (!of->source[0]) return;
  fprintf(stream, "  measured inflow       %.4g mL/s, by phase-contrast MR (%s, %s)", of->mean_ml_s,
          of->source, of->kind);
  fprintf(stream, ", %.1f voxels across", of->opening[0].across);
  if (of->out_over_in > 0) fprintf(stream, "; measured out over in %.3f", of->out_over_in);
  fputc('\n', stream);
}
