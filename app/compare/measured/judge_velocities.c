#include "app/compare/measured/judged.h"
#include "app/compare/measured/judge_times.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the compared velocities";
/* Voxels with this part of the most blood in them show its signal. */
static const double FULL = 0.9;
/* Tissue within so many voxels of the vessel shows its signal. */
enum { NEAR = 2 };

const char *const ht_judged_part_keys[HT_JUDGED_PARTS] = {"x", "y", "z", "speed", "along"};
const char *const ht_judged_part_words[HT_JUDGED_PARTS] = {
    "velocity to the left (x)", "velocity to the back (y)", "velocity to the head (z)", "speed",
    "velocity along the measured direction"};
const char *const ht_judged_moment_keys[HT_JUDGED_MOMENTS] = {"mean", "beat"};
const char *const ht_judged_moment_words[HT_JUDGED_MOMENTS] = {"mean over the beat",
                                                               "at each time"};

int ht_judged_has_part(const ht_judged *judged, int part) {
  return (judged->parts == 1) == (part == HT_JUDGED_ALONG);
}

double ht_judged_value(const ht_judged *judged, const float *values, int moment, int64_t n,
                       int part) {
  const float *v = values + (moment * judged->compared + n) * judged->parts;
  if (part == HT_JUDGED_ALONG) return v[0];
  return part == HT_JUDGED_SPEED ? ht_length((double[3]){v[0], v[1], v[2]}) : v[part];
}

/* ---- voxels ---- */

static ht_status refuse_away(const ht_judged *of) {
  double at_mm[3] = {0};
  const double away_mm =
      ht_scan_away_mm(&of->measured.grid, &of->results.flow, of->results.vessel.inside, at_mm);
  return ht_fail(HT_ERR_VESSEL,
                 "the measured %s misses the vessel of the case: its nearest place, (%.1f, %.1f, "
                 "%.1f) mm, is %.1f mm away. Either it was measured elsewhere, or its coordinates "
                 "are others than those of the case's scan: register it to that scan",
                 of->measured.grid.dim[2] == 1 ? "plane" : "volume", at_mm[0], at_mm[1], at_mm[2],
                 away_mm);
}

static ht_status refuse_coarse(const ht_judged *of, double most) {
  const double *mm = of->measured.grid.spacing_mm;
  return ht_fail(HT_ERR_VESSEL,
                 "no voxel of the measured flow lies mostly in the vessel: at most %.0f %% of one "
                 "does (%.0f %% are needed). Its voxels of %.3g x %.3g x %.3g mm are too large for "
                 "this vessel, or it only touches the vessel",
                 100 * most, 100 * HT_JUDGED_SHARE, mm[0], mm[1], mm[2]);
}

static double most_share(const ht_judged *of) {
  double most = 0;
  for (int64_t i = 0; i < of->voxels.count; i++) most = fmax(most, of->voxels.share[i]);
  return most;
}

static ht_status find_voxels(ht_judged *of) {
  HT_TRY(ht_scan_voxels_find(&of->measured.grid, &of->results.flow, of->results.vessel.inside,
                             &of->voxels));
  if (of->voxels.count == 0) return refuse_away(of);
  HT_TRY(ht_alloc((void **)&of->entry, (size_t)of->voxels.count, sizeof *of->entry, what));
  for (int64_t i = 0; i < of->voxels.count; i++) {
    if (of->voxels.share[i] < HT_JUDGED_SHARE) continue;
    if (of->corrected.noise && of->corrected.noise[of->voxels.voxel[i]])
      of->noisy++;
    else
      of->entry[of->compared++] = i;
  }
  if (of->compared > 0) return HT_OK;
  if (of->noisy == 0) return refuse_coarse(of, most_share(of));
  return ht_fail(HT_ERR_VESSEL,
                 "all %lld voxels of the measured flow in the vessel were taken for noise: `noise: "
                 "off` in its file keeps them",
                 (long long)of->noisy);
}

/* ---- signal ---- */

static double magnitude_of(const ht_measured_flow *flow, int64_t voxel) {
  double sum = 0;
  for (int t = 0; t < flow->times; t++)
    sum += flow->magnitude[t * ht_grid_voxels(&flow->grid) + voxel];
  return sum / flow->times;
}

static int is_next_to_vessel(const ht_scan_voxels *voxels, const int at[3]) {
  int next[3];
  for (next[2] = at[2] - NEAR; next[2] <= at[2] + NEAR; next[2]++)
    for (next[1] = at[1] - NEAR; next[1] <= at[1] + NEAR; next[1]++)
      for (next[0] = at[0] - NEAR; next[0] <= at[0] + NEAR; next[0]++)
        if (ht_voxel_in_grid(voxels->scan.dim, next) &&
            voxels->entry[ht_voxel_index(voxels->scan.dim, next)] >= 0)
          return 1;
  return 0;
}

/* Finds the signal of tissue next to the vessel as a part of that of blood. Without magnitudes
 * tissue is taken to have none. */
static void find_tissue(ht_judged *of) {
  const double full = FULL * most_share(of);
  double blood = 0, tissue = 0;
  int64_t bloods = 0, tissues = 0;
  if (!of->measured.magnitude) return;
  for (int64_t v = 0; v < ht_grid_voxels(&of->measured.grid); v++) {
    const int32_t entry = of->voxels.entry[v];
    int at[3];
    ht_voxel_place(of->measured.grid.dim, v, at);
    if (entry >= 0 && of->voxels.share[entry] >= full)
      blood += magnitude_of(&of->measured, v), bloods++;
    else if (entry < 0 && is_next_to_vessel(&of->voxels, at))
      tissue += magnitude_of(&of->measured, v), tissues++;
  }
  if (bloods > 0 && tissues > 0 && blood > 0)
    of->tissue = fmin(1, fmax(0, tissue / (double)tissues / (blood / (double)bloods)));
}

double ht_judged_blood(const ht_judged *judged, int64_t i) {
  const double share = fmin(1, judged->voxels.share[i]);
  return share / (share + (1 - share) * judged->tissue);
}

/* ---- velocities ---- */

/* Room for a moment of the computed flow. */
typedef struct {
  ht_flow flow;    /* the case's, with a velocity of its own */
  float *mean_m_s; /* [voxels.count][3] */
} scanned;

/* Takes a flow's velocities as the scan shows them: signal of blood and still tissue in a voxel. */
static void take_computed(const ht_judged *of, const ht_flow *flow, float *mean_m_s, float *to) {
  ht_scan_voxels_velocity(&of->voxels, flow, of->results.vessel.inside, mean_m_s);
  for (int64_t n = 0; n < of->compared; n++) {
    const int64_t i = of->entry[n];
    const double blood = ht_judged_blood(of, i);
    double v[3];
    for (int r = 0; r < 3; r++) v[r] = blood * mean_m_s[3 * i + r];
    if (of->parts == 1) to[n] = (float)ht_dot(v, of->measured.encoding[0].direction);
    for (int r = 0; r < 3 && of->parts == 3; r++) to[3 * n + r] = (float)v[r];
  }
}

static void take_measured(const ht_judged *of, int time, float *to) {
  for (int64_t n = 0; n < of->compared; n++) {
    const int64_t voxel = of->voxels.voxel[of->entry[n]];
    double v[3];
    ht_measured_velocity(&of->measured, time, voxel, v);
    if (of->parts == 1) to[n] = ht_measured_part(&of->measured, time, 0)[voxel];
    for (int r = 0; r < 3 && of->parts == 3; r++) to[3 * n + r] = (float)v[r];
  }
}

/* Takes the mean and, where they are compared, the times of the measured velocities. */
static ht_status take_all_measured(ht_judged *of) {
  const int64_t size = of->compared * of->parts;
  float *one;
  HT_TRY(ht_alloc((void **)&one, (size_t)size, sizeof *one, what));
  for (int t = 0; t < of->measured.times; t++) {
    take_measured(of, t, one);
    for (int64_t i = 0; i < size; i++) of->measured_m_s[i] += (float)(of->weight[t] * one[i]);
    if (of->times > 0) memcpy(of->measured_m_s + (1 + t) * size, one, (size_t)size * sizeof *one);
  }
  free(one);
  return HT_OK;
}

/* Interpolates the samples of the beat at the scan's times. */
static ht_status take_samples(ht_judged *of, scanned *room) {
  const ht_beat_series *series = &of->results.series;
  const ht_domain domain = {.mask = of->results.vessel};
  const int64_t size = of->compared * of->parts;
  double time_s[HT_SERIES_MOST];
  float *one;
  ht_status status = HT_OK;
  HT_TRY(ht_alloc((void **)&one, (size_t)size, sizeof *one, what));
  for (int s = 0; s < series->samples; s++) time_s[s] = series->sample[s].time_s;
  for (int s = 0; s < series->samples && status == HT_OK; s++) {
    status = ht_beat_series_velocity(series, s, &domain, &room->flow);
    if (status == HT_OK) take_computed(of, &room->flow, room->mean_m_s, one);
    for (int t = 0; t < of->times && status == HT_OK; t++) {
      const double part = ht_judge_sample_part(of, t, time_s, series->samples, s);
      float *to = of->computed_m_s + (1 + t) * size;
      for (int64_t i = 0; i < size && part > 0; i++) to[i] += (float)(part * one[i]);
    }
  }
  free(one);
  return status;
}

static ht_status take_all_computed(ht_judged *of) {
  scanned room = {.flow = of->results.flow};
  room.flow.velocity_m_s = NULL;
  ht_status status;
  HT_TRY_DONE(ht_alloc((void **)&room.mean_m_s, 3 * (size_t)of->voxels.count, sizeof(float), what));
  take_computed(of, &of->results.flow, room.mean_m_s, of->computed_m_s);
  if (of->times == 0) goto done;
  HT_TRY_DONE(
      ht_alloc((void **)&room.flow.velocity_m_s, 3 * (size_t)room.flow.nodes, sizeof(float), what));
  HT_TRY_DONE(take_samples(of, &room));
done:
  free(room.mean_m_s);
  free(room.flow.velocity_m_s);
  return status;
}

/* Turns directions whose signs are all open to the side on which the blood flows as computed. */
static void take_sign(ht_judged *of) {
  const int64_t size = of->compared * of->parts;
  double along = 0;
  for (int e = 0; e < of->parts; e++)
    if (of->measured.encoding[e].sign != HT_SIGN_OPEN) return;
  for (int64_t i = 0; i < size; i++) along += of->measured_m_s[i] * of->computed_m_s[i];
  of->sign_taken = 1;
  if (along >= 0) return;
  for (int e = 0; e < of->parts; e++)
    for (int r = 0; r < 3; r++) of->measured.encoding[e].direction[r] *= -1;
  /* Vectors turn; a part along the direction stays, and that of the computed velocity turns. */
  float *turned = of->parts == 3 ? of->measured_m_s : of->computed_m_s;
  for (int64_t i = 0; i < (1 + of->times) * size; i++) turned[i] = -turned[i];
}

/* ---- agreement ---- */

static ht_status agree(ht_judged *of, int moment, int part) {
  const int first = moment == HT_JUDGED_MEAN ? 0 : 1,
            last = moment == HT_JUDGED_MEAN ? 0 : of->times;
  const int64_t count = (last - first + 1) * of->compared;
  double *value;
  if (count <= 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&value, 2 * (size_t)count, sizeof *value, what));
  for (int64_t i = 0; i < count; i++) {
    const int at = first + (int)(i / of->compared);
    value[i] = ht_judged_value(of, of->computed_m_s, at, i % of->compared, part);
    value[count + i] = ht_judged_value(of, of->measured_m_s, at, i % of->compared, part);
  }
  of->velocity[moment][part] = ht_agreement_of(value, value + count, count);
  free(value);
  return HT_OK;
}

int ht_judged_peak(const ht_judged *judged) {
  int peak = 0;
  double most = 0;
  for (int t = 1; t <= judged->times; t++) {
    double sum = 0;
    for (int64_t i = 0; i < judged->compared * judged->parts; i++)
      sum += fabs(judged->computed_m_s[t * judged->compared * judged->parts + i]);
    if (sum > most) most = sum, peak = t;
  }
  return peak;
}

ht_status ht_judge_velocities(ht_judged *judged) {
  if (!judged->results.vessel.inside)
    return ht_fail(HT_ERR_CASE,
                   "%s: the mask was changed since the flow was computed: run `hemotile solve` and "
                   "`hemotile export` of this case first",
                   judged->results.folder);
  judged->parts = judged->measured.encodings;
  HT_TRY(find_voxels(judged));
  find_tissue(judged);
  HT_TRY(ht_judge_times(judged));
  const size_t size =
      (size_t)(1 + judged->times) * (size_t)judged->compared * (size_t)judged->parts;
  HT_TRY(ht_alloc((void **)&judged->measured_m_s, size, sizeof(float), what));
  HT_TRY(ht_alloc((void **)&judged->computed_m_s, size, sizeof(float), what));
  HT_TRY(take_all_measured(judged));
  HT_TRY(take_all_computed(judged));
  take_sign(judged);
  for (int m = 0; m < HT_JUDGED_MOMENTS; m++)
    for (int p = 0; p < HT_JUDGED_PARTS; p++)
      if (ht_judged_has_part(judged, p)) HT_TRY(agree(judged, m, p));
  return HT_OK;
}

void ht_judged_free(ht_judged *judged) {
  if (!judged) return;
  ht_results_free(&judged->results);
  ht_measured_flow_free(&judged->measured);
  ht_flow_corrected_free(&judged->corrected);
  ht_scan_voxels_free(&judged->voxels);
  free(judged->weight);
  free(judged->entry);
  free(judged->measured_m_s);
  free(judged->computed_m_s);
  for (int s = 0; s < judged->sections; s++) {
    free(judged->section[s].measured_at_ml_s);
    free(judged->section[s].computed_at_ml_s);
  }
  memset(judged, 0, sizeof *judged);
}
