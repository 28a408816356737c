/* Measures the samples of a flow at the openings and in the sections of a path. */
#include "export/beat/beat.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

ht_status ht_beat_record_begin(const ht_vessel_path *path, int samples, double period_s,
                               ht_beat_record *record) {
  ht_beat *beat = &record->beat;
  memset(record, 0, sizeof *record);
  record->path = path;
  beat->samples = samples;
  beat->period_s = period_s;
  beat->stations = path->stations;
  ht_status status =
      ht_alloc((void **)&beat->time_s, (size_t)samples, sizeof *beat->time_s, "the beat");
  if (status == HT_OK)
    status = ht_alloc((void **)&beat->station, (size_t)path->stations + 1, sizeof *beat->station,
                      "the beat");
  if (status == HT_OK && path->stations > 0)
    memcpy(beat->station, path->station, (size_t)path->stations * sizeof *beat->station);
  if (status != HT_OK) ht_beat_record_free(record);
  return status;
}

void ht_beat_record_free(ht_beat_record *record) {
  if (!record) return;
  free(record->voxel);
  free(record->flow_voxel);
  ht_beat_free(&record->beat);
  memset(record, 0, sizeof *record);
}

/* Voxels of the path in the grid of the flow, which has more around it. -1: outside of it. */
static ht_status find_voxels(const ht_grid *from, const int64_t *voxel, int64_t count,
                             const ht_grid *grid, int64_t **found) {
  HT_TRY(ht_alloc((void **)found, (size_t)count + 1, sizeof(int64_t), "the sections"));
  for (int64_t n = 0; n < count; n++) {
    double position_mm[3], index[3];
    int place[3];
    ht_grid_voxel_position(from, voxel[n], position_mm);
    ht_grid_index(grid, position_mm, index);
    for (int a = 0; a < 3; a++) place[a] = (int)lround(index[a]);
    (*found)[n] = ht_voxel_in_grid(grid->dim, place) ? ht_voxel_index(grid->dim, place) : -1;
  }
  return HT_OK;
}

static ht_status find_all_voxels(ht_beat_record *record, const ht_grid *grid) {
  const ht_vessel_path *path = record->path;
  int n = path->stations;
  int64_t voxels = n > 0 ? path->first[n] : 0, around = n > 0 ? path->flow_first[n] : 0;
  HT_TRY(find_voxels(&path->grid, path->flow_voxel, around, grid, &record->flow_voxel));
  return find_voxels(&path->grid, path->voxel, voxels, grid, &record->voxel);
}

/* The mean velocity along the vessel, m/s: the flow through the section, mL/s (mm2 times m/s), over
 * its area. */
static double mean_velocity(const ht_beat_record *record, const ht_flow *flow, int station) {
  const ht_vessel_path *path = record->path;
  double flow_ml_s = 0;
  for (int64_t n = path->flow_first[station]; n < path->flow_first[station + 1]; n++) {
    int64_t node = record->flow_voxel[n] >= 0 ? ht_flow_node(flow, record->flow_voxel[n]) : -1;
    if (node < 0) continue;
    const float *u = flow->velocity_m_s + 3 * node;
    flow_ml_s +=
        path->flow_mm2[n] * ht_dot((const double[3]){u[0], u[1], u[2]}, path->normal[station]);
  }
  int is_known = path->flow_first[station] < path->flow_first[station + 1];
  return is_known ? flow_ml_s / path->station[station].area_mm2 : NAN;
}

static void measure_station(const ht_beat_record *record, const ht_flow *flow, int station,
                            int64_t moment) {
  const ht_vessel_path *path = record->path;
  const ht_beat *beat = &record->beat;
  double pressure = 0, fastest2 = 0, nodes = 0;
  for (int64_t n = path->first[station]; n < path->first[station + 1]; n++) {
    int64_t node = record->voxel[n] >= 0 ? ht_flow_node(flow, record->voxel[n]) : -1;
    if (node < 0) continue;
    const float *u = flow->velocity_m_s + 3 * node;
    const double velocity[3] = {u[0], u[1], u[2]};
    pressure += flow->pressure_pa[node];
    fastest2 = fmax(fastest2, ht_dot(velocity, velocity));
    nodes++;
  }
  int64_t to = moment * beat->stations + station;
  beat->section_pa[to] = nodes > 0 ? pressure / nodes : NAN;
  beat->axial_m_s[to] = nodes > 0 ? mean_velocity(record, flow, station) : NAN;
  beat->peak_m_s[to] = sqrt(fastest2);
}

ht_status ht_beat_record_sample(ht_beat_record *record, const ht_flow_sample *sample) {
  ht_beat *beat = &record->beat;
  if (!record->voxel) {
    HT_TRY(find_all_voxels(record, &sample->flow->grid));
    beat->ports = sample->ports;
  }
  if (sample->index < 0 || sample->index >= beat->samples || sample->ports != beat->ports ||
      sample->beat < 0 || sample->beat > beat->beats)
    return ht_fail(HT_ERR_INTERNAL, "sample %d of beat %d was not expected", sample->index,
                   sample->beat);
  if (sample->begins) HT_TRY(ht_beat_resize(beat, 0));
  if (sample->beat == beat->beats) HT_TRY(ht_beat_resize(beat, beat->beats + 1));
  int64_t moment = (int64_t)sample->beat * beat->samples + sample->index;
  beat->time_s[sample->index] = sample->time_s;
  for (int p = 0; p < beat->ports; p++) {
    beat->flow_ml_s[moment * beat->ports + p] = sample->flow_ml_s[p];
    beat->pressure_pa[moment * beat->ports + p] = sample->pressure_pa[p];
  }
#pragma omp parallel for schedule(dynamic)
  for (int s = 0; s < beat->stations; s++) measure_station(record, sample->flow, s, moment);
  return HT_OK;
}

ht_status ht_beat_of_steady(const ht_vessel_path *path, const ht_flow *flow,
                            const ht_flow_stats *stats, ht_beat *beat) {
  ht_beat_record record;
  double flow_ml_s[HT_OPENINGS_MAX], pressure_pa[HT_OPENINGS_MAX];
  for (int p = 0; p < stats->ports; p++) {
    flow_ml_s[p] = stats->port[p].flow_ml_s;
    pressure_pa[p] = stats->port[p].pressure_pa;
  }
  const ht_flow_sample sample = {
      .flow = flow, .ports = stats->ports, .flow_ml_s = flow_ml_s, .pressure_pa = pressure_pa};
  memset(beat, 0, sizeof *beat);
  HT_TRY(ht_beat_record_begin(path, 1, 0, &record));
  ht_status status = ht_beat_record_sample(&record, &sample);
  if (status == HT_OK) {
    *beat = record.beat;
    memset(&record.beat, 0, sizeof record.beat);
  }
  ht_beat_record_free(&record);
  return status;
}
