#include "export/beat/phase_record.h"

static ht_status make_fields(const ht_flow *like, ht_flow *phase) {
  size_t nodes = (size_t)like->nodes;
  *phase = *like;
  phase->shares_nodes = 1;
  phase->velocity_m_s = phase->pressure_pa = phase->stress_pa = NULL;
  phase->tke_j_m3 = phase->tke_peak_j_m3 = NULL;
  HT_TRY(
      ht_alloc((void **)&phase->velocity_m_s, nodes, 3 * sizeof(float), "the fields of a phase"));
  HT_TRY(ht_alloc((void **)&phase->pressure_pa, nodes, sizeof(float), "the fields of a phase"));
  return ht_alloc((void **)&phase->stress_pa, nodes, 6 * sizeof(float), "the fields of a phase");
}

static void add_to(float *mean, const float *values, int64_t count, int beat) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; i++)
    mean[i] = beat == 0 ? values[i] : mean[i] + (values[i] - mean[i]) / (float)(beat + 1);
}

ht_status ht_phase_record_sample(ht_phase_record *phase, const ht_flow_sample *sample) {
  const ht_flow *flow = sample->flow;
  if (phase->index < 0 ? !sample->is_peak : sample->index != phase->index) return HT_OK;
  if (!phase->flow.velocity_m_s) HT_TRY(make_fields(flow, &phase->flow));
  phase->time_s = sample->time_s;
  add_to(phase->flow.velocity_m_s, flow->velocity_m_s, 3 * flow->nodes, sample->beat);
  add_to(phase->flow.pressure_pa, flow->pressure_pa, flow->nodes, sample->beat);
  add_to(phase->flow.stress_pa, flow->stress_pa, 6 * flow->nodes, sample->beat);
  return HT_OK;
}

ht_status ht_phase_record_move(ht_phase_record *record, const ht_flow *like, ht_state *stream) {
  ht_flow *flow = &record->flow;
  size_t nodes = (size_t)like->nodes;
  int is_there = flow->velocity_m_s != NULL;
  HT_TRY(ht_state_part(stream, "phase"));
  HT_TRY(ht_state_int(stream, &is_there, 0, 1));
  if (!is_there) return HT_OK;
  if (stream->is_loading) HT_TRY(make_fields(like, flow));
  HT_TRY(HT_STATE_OF(stream, record->time_s));
  HT_TRY(ht_state_bytes(stream, flow->velocity_m_s, nodes * 3 * sizeof(float)));
  HT_TRY(ht_state_bytes(stream, flow->pressure_pa, nodes * sizeof(float)));
  return ht_state_bytes(stream, flow->stress_pa, nodes * 6 * sizeof(float));
}
