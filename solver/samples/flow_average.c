#include "solver/samples/flow_average.h"
#include "solver/samples/flow_read.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double ht_relative_change(const float *a, const float *b, int64_t count) {
  double change = 0, size = 0;
  for (int64_t i = 0; i < count; i++) {
    double off = (double)a[i] - b[i];
    change += off * off;
    size += (double)a[i] * a[i];
  }
  return size > 0 ? sqrt(change / size) : NAN;
}

double ht_vessel_change(const ht_domain *domain, const ht_flow *flow, const float *a,
                        const float *b) {
  double change = 0, size = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++) {
    int64_t at = 3 * ht_flow_node(flow, v);
    if (at < 0 || domain->mask.inside[v] != HT_VESSEL) continue;
    for (int r = 0; r < 3; r++) {
      double off = (double)a[at + r] - b[at + r];
      change += off * off;
      size += (double)a[at + r] * a[at + r];
    }
  }
  return size > 0 ? sqrt(change / size) : NAN;
}

/* ---- means ---- */

ht_status ht_flow_average_make(const ht_flow *flow, ht_flow_average *average) {
  size_t nodes = (size_t)flow->nodes;
  ht_flow *mean = &average->mean;
  *average = (ht_flow_average){.mean = *flow};
  mean->velocity_m_s = mean->pressure_pa = mean->stress_pa = NULL;
  mean->tke_j_m3 = mean->tke_peak_j_m3 = NULL;
  HT_TRY(ht_alloc((void **)&mean->velocity_m_s, nodes, 3 * sizeof(float), "the mean flow"));
  HT_TRY(ht_alloc((void **)&mean->pressure_pa, nodes, sizeof(float), "the mean flow"));
  return ht_alloc((void **)&mean->stress_pa, nodes, 6 * sizeof(float), "the mean flow");
}

static void add(const float *from, int64_t count, int number, float *mean) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; i++) mean[i] += (from[i] - mean[i]) / (float)number;
}

void ht_flow_average_add(const ht_domain *domain, const ht_flow *flow, ht_flow_average *average) {
  ht_flow *mean = &average->mean;
  int number = ++average->count;
  add(flow->velocity_m_s, 3 * flow->nodes, number, mean->velocity_m_s);
  add(flow->pressure_pa, flow->nodes, number, mean->pressure_pa);
  add(flow->stress_pa, 6 * flow->nodes, number, mean->stress_pa);
  average->fastest_m_s = fmax(average->fastest_m_s, ht_flow_fastest(domain, flow));
}

void ht_flow_average_clear(ht_flow_average *average) {
  size_t nodes = (size_t)average->mean.nodes;
  memset(average->mean.velocity_m_s, 0, nodes * 3 * sizeof(float));
  memset(average->mean.pressure_pa, 0, nodes * sizeof(float));
  memset(average->mean.stress_pa, 0, nodes * 6 * sizeof(float));
  average->count = 0;
  average->fastest_m_s = 0;
}

ht_status ht_flow_average_move(ht_flow_average *average, ht_state *stream) {
  size_t nodes = (size_t)average->mean.nodes;
  HT_TRY(ht_state_part(stream, "mean flow"));
  HT_TRY(ht_state_int(stream, &average->count, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, average->fastest_m_s));
  HT_TRY(ht_state_bytes(stream, average->mean.velocity_m_s, nodes * 3 * sizeof(float)));
  HT_TRY(ht_state_bytes(stream, average->mean.pressure_pa, nodes * sizeof(float)));
  return ht_state_bytes(stream, average->mean.stress_pa, nodes * 6 * sizeof(float));
}

static void swap(float **a, float **b) {
  float *kept = *a;
  *a = *b;
  *b = kept;
}

void ht_flow_average_swap(ht_flow *flow, ht_flow_average *average) {
  swap(&flow->velocity_m_s, &average->mean.velocity_m_s);
  swap(&flow->pressure_pa, &average->mean.pressure_pa);
  swap(&flow->stress_pa, &average->mean.stress_pa);
}

void ht_flow_average_free(ht_flow_average *average) {
  free(average->mean.velocity_m_s);
  free(average->mean.pressure_pa);
  free(average->mean.stress_pa);
  memset(average, 0, sizeof *average);
}

/* ---- turbulence ---- */

ht_status ht_turbulence_make(int64_t nodes, int phases, ht_turbulence *turbulence) {
  size_t values = (size_t)nodes * (size_t)phases;
  *turbulence = (ht_turbulence){.nodes = nodes, .phases = phases};
  HT_TRY(ht_alloc((void **)&turbulence->mean, values, 3 * sizeof(float), "the phase averages"));
  return ht_alloc((void **)&turbulence->square, values, sizeof(float), "the phase averages");
}

void ht_turbulence_add(int phase, const ht_flow *flow, ht_turbulence *turbulence) {
  int64_t nodes = turbulence->nodes;
  float *mean = turbulence->mean + 3 * nodes * phase, *square = turbulence->square + nodes * phase;
  float number = (float)++turbulence->count[phase];
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < nodes; n++)
    for (int64_t i = 3 * n; i < 3 * n + 3; i++) {
      float off = flow->velocity_m_s[i] - mean[i];
      mean[i] += off / number;
      square[n] += off * (flow->velocity_m_s[i] - mean[i]);
    }
}

void ht_turbulence_clear(ht_turbulence *turbulence) {
  size_t values = (size_t)turbulence->nodes * (size_t)turbulence->phases;
  memset(turbulence->count, 0, sizeof turbulence->count);
  if (turbulence->mean) memset(turbulence->mean, 0, values * 3 * sizeof(float));
  if (turbulence->square) memset(turbulence->square, 0, values * sizeof(float));
}

ht_status ht_turbulence_move(int64_t nodes, ht_turbulence *turbulence, ht_state *stream) {
  int phases = turbulence->square ? turbulence->phases : 0;
  HT_TRY(ht_state_part(stream, "turbulence"));
  HT_TRY(ht_state_int(stream, &phases, 0, HT_TKE_PHASES));
  if (phases == 0) return HT_OK;
  if (stream->is_loading) HT_TRY(ht_turbulence_make(nodes, phases, turbulence));
  size_t values = (size_t)nodes * (size_t)phases;
  HT_TRY(HT_STATE_OF(stream, turbulence->count));
  HT_TRY(ht_state_bytes(stream, turbulence->mean, values * 3 * sizeof(float)));
  return ht_state_bytes(stream, turbulence->square, values * sizeof(float));
}

/* J/m3 of a node at a phase. */
static double energy_at(const ht_turbulence *turbulence, const ht_flow *flow, int phase,
                        int64_t node) {
  double squares = turbulence->square[turbulence->nodes * phase + node];
  return 0.5 * flow->density_kg_m3 * squares / (turbulence->count[phase] - 1);
}

/* Returns the energy in the vessel, its extensions left out. */
static double energy_mj(const ht_turbulence *turbulence, const ht_domain *domain,
                        const ht_flow *flow, int phase) {
  double sum = 0, voxel_m3 = pow(flow->grid.spacing_mm[0] * 1e-3, 3);
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++)
    if (ht_flow_node(flow, v) >= 0 && domain->mask.inside[v] == HT_VESSEL)
      sum += energy_at(turbulence, flow, phase, ht_flow_node(flow, v));
  return 1e3 * sum * voxel_m3;
}

ht_status ht_turbulence_result(const ht_turbulence *turbulence, const ht_domain *domain,
                               ht_flow *flow, ht_flow_stats *stats) {
  int most = 0;
  for (int k = 0; k < turbulence->phases; k++)
    if (turbulence->count[k] < 2) return HT_OK;
  if (turbulence->phases == 0) return HT_OK;
  size_t nodes = (size_t)turbulence->nodes;
  HT_TRY(ht_alloc((void **)&flow->tke_j_m3, nodes, sizeof(float), "the turbulent energy"));
  HT_TRY(ht_alloc((void **)&flow->tke_peak_j_m3, nodes, sizeof(float), "the turbulent energy"));
  stats->tke_phases = turbulence->phases;
  for (int k = 0; k < turbulence->phases; k++) {
    stats->tke_mj[k] = energy_mj(turbulence, domain, flow, k);
    if (stats->tke_mj[k] > stats->tke_mj[most]) most = k;
  }
  for (size_t n = 0; n < nodes; n++) {
    double sum = 0;
    for (int k = 0; k < turbulence->phases; k++)
      sum += energy_at(turbulence, flow, k, (int64_t)n) / turbulence->phases;
    flow->tke_j_m3[n] = (float)sum;
    flow->tke_peak_j_m3[n] = (float)energy_at(turbulence, flow, most, (int64_t)n);
  }
  for (int64_t v = 0; v < ht_grid_voxels(&flow->grid); v++)
    if (ht_flow_node(flow, v) >= 0 && domain->mask.inside[v] == HT_VESSEL)
      stats->tke_highest_j_m3 =
          fmax(stats->tke_highest_j_m3, flow->tke_peak_j_m3[ht_flow_node(flow, v)]);
  return HT_OK;
}

void ht_turbulence_free(ht_turbulence *turbulence) {
  free(turbulence->mean);
  free(turbulence->square);
  memset(turbulence, 0, sizeof *turbulence);
}
