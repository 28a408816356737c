#include "import/phase_contrast/pc_sign.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { PATTERNS = 4, VOXELS_LEAST = 20 };
/* Least part of the highest signal in voxels that count. */
static const double FLOWING = 0.15;
/* Least difference of two mean squares, in standard errors, that is not by chance; number of voxels
 * that share their noise through the smoothing of the slopes. */
static const double SURE = 3, SHARED = 8;

/* Turns encoding 1 by bit 0 and encoding 2 by bit 1: up to the sign of all, these are all. */
static double turn_of(int pattern, int encoding) {
  return encoding > 0 && pattern >> (encoding - 1) & 1 ? -1 : 1;
}

static void turn_round(ht_velocity_encoding *e) {
  for (int r = 0; r < 3; r++) e->direction[r] = -e->direction[r];
}

/* ---- Signal: velocity times magnitude, mean over the beat ---- */

/* Signals of still tissue and blood in one voxel, which add up, so that velocity times magnitude is
 * that of the blood in the voxel: as the flow, it has no divergence, also at the vessel's wall. */
typedef struct {
  const ht_measured_flow *flow;
  double dual[3][3]; /* velocity = sum of part[e] * dual[e] */
  float *part[3];    /* [voxels] by direction */
  double least;      /* of the square of a signal that counts */
} signal;

static double weight_at(const ht_measured_flow *flow, int time, int64_t voxel) {
  return flow->magnitude ? flow->magnitude[time * ht_grid_voxels(&flow->grid) + voxel] : 1;
}

static double signal_square(const signal *s, int64_t voxel) {
  double sum = 0;
  for (int e = 0; e < 3; e++) sum += (double)s->part[e][voxel] * s->part[e][voxel];
  return sum;
}

static int by_size(const void *left, const void *right) {
  const float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

/* Finds the least square that counts from the 99.5th percentile: single voxels may be noise. */
static ht_status find_least(signal *s) {
  const int64_t voxels = ht_grid_voxels(&s->flow->grid);
  float *value;
  HT_TRY(ht_alloc((void **)&value, (size_t)voxels, sizeof *value, "the signals"));
  for (int64_t v = 0; v < voxels; v++) value[v] = (float)signal_square(s, v);
  qsort(value, (size_t)voxels, sizeof *value, by_size);
  s->least = FLOWING * FLOWING * value[voxels - 1 - voxels / 200];
  free(value);
  return HT_OK;
}

static void find_duals(signal *s) {
  const ht_velocity_encoding *e = s->flow->encoding;
  for (int c = 0; c < 3; c++)
    ht_cross(e[(c + 1) % 3].direction, e[(c + 2) % 3].direction, s->dual[c]);
  const double volume = ht_dot(e[0].direction, s->dual[0]);
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++) s->dual[c][r] /= volume;
}

static ht_status make_signal(const ht_measured_flow *flow, signal *s) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  *s = (signal){.flow = flow};
  find_duals(s);
  for (int e = 0; e < 3; e++) {
    HT_TRY(ht_alloc((void **)&s->part[e], (size_t)voxels, sizeof(float), "the signals"));
    for (int t = 0; t < flow->times; t++)
      for (int64_t v = 0; v < voxels; v++)
        s->part[e][v] += (float)(ht_measured_part(flow, t, e)[v] * weight_at(flow, t, v));
  }
  return find_least(s);
}

static void free_signal(signal *s) {
  for (int e = 0; e < 3; e++) free(s->part[e]);
}

/* ---- Divergence ---- */

/* Slope along an axis of the grid, per voxel: central difference, smoothed across the axis by
 * (1, 2, 1) / 4 (Sobel), so that the slopes along the three axes are of one smoothed field. */
static double slope_along(const float *value, const int64_t step[3], int axis) {
  static const double weight[3] = {0.25, 0.5, 0.25};
  const int64_t b = step[(axis + 1) % 3], c = step[(axis + 2) % 3];
  double sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int k = -1; k <= 1; k++) {
      const float *at = value + j * b + k * c;
      sum += weight[j + 1] * weight[k + 1] * (at[step[axis]] - at[-step[axis]]) / 2;
    }
  return sum;
}

/* Finds each direction's part of the divergence at a voxel. */
static void divergence_parts(const signal *s, int64_t voxel, double part[3]) {
  const ht_grid *grid = &s->flow->grid;
  const int64_t step[3] = {1, grid->dim[0], (int64_t)grid->dim[0] * grid->dim[1]};
  for (int e = 0; e < 3; e++) {
    part[e] = 0;
    for (int a = 0; a < 3; a++) {
      const double slope = slope_along(s->part[e] + voxel, step, a) / grid->spacing_mm[a];
      for (int r = 0; r < 3; r++) part[e] += slope * grid->direction[r][a] * s->dual[e][r];
    }
  }
}

/* Sums over voxels of the divergence's square by pattern, and of products for the errors. */
typedef struct {
  int64_t count;
  double sum[PATTERNS], product[PATTERNS][PATTERNS];
} divergence;

static int is_inner(const ht_measured_flow *flow, int64_t voxel) {
  int at[3];
  ht_voxel_place(flow->grid.dim, voxel, at);
  for (int a = 0; a < 3; a++)
    if (at[a] < 1 || at[a] > flow->grid.dim[a] - 2) return 0;
  return 1;
}

static void add_voxel(const double part[3], divergence *d) {
  double square[PATTERNS];
  for (int p = 0; p < PATTERNS; p++) {
    const double sum = part[0] + turn_of(p, 1) * part[1] + turn_of(p, 2) * part[2];
    square[p] = sum * sum;
    d->sum[p] += square[p];
  }
  for (int p = 0; p < PATTERNS; p++)
    for (int q = 0; q < PATTERNS; q++) d->product[p][q] += square[p] * square[q];
  d->count++;
}

static ht_status measure(const ht_measured_flow *flow, divergence *d) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  double part[3];
  signal s;
  memset(d, 0, sizeof *d);
  ht_status status = make_signal(flow, &s);
  for (int64_t v = 0; status == HT_OK && v < voxels; v++) {
    if (signal_square(&s, v) < s.least || !is_inner(flow, v)) continue;
    divergence_parts(&s, v, part);
    add_voxel(part, d);
  }
  free_signal(&s);
  return status;
}

/* Tells whether pattern p is better than q beyond chance. */
static int is_better(const divergence *d, int p, int q) {
  const double n = (double)d->count, mean = (d->sum[q] - d->sum[p]) / n;
  const double square = (d->product[q][q] - 2 * d->product[p][q] + d->product[p][p]) / n;
  return d->count >= VOXELS_LEAST && mean > SURE * sqrt(SHARED * fmax(square - mean * mean, 0) / n);
}

/* ---- The choice ---- */

/* Tells whether a pattern, up to the sign of all, turns no direction whose sign is known. */
static int is_possible(const ht_measured_flow *flow, int pattern) {
  double known = 0;
  for (int e = 0; e < 3; e++) {
    if (flow->encoding[e].sign == HT_SIGN_OPEN) continue;
    if (known != 0 && known != turn_of(pattern, e)) return 0;
    known = turn_of(pattern, e);
  }
  return 1;
}

static int count_open(const ht_measured_flow *flow) {
  int open = 0;
  for (int e = 0; e < flow->encodings; e++) open += flow->encoding[e].sign == HT_SIGN_OPEN;
  return open;
}

static int best_of(const ht_measured_flow *flow, const divergence *d, int only_possible) {
  int best = -1;
  for (int p = 0; p < PATTERNS; p++)
    if ((!only_possible || is_possible(flow, p)) && (best < 0 || d->sum[p] < d->sum[best]))
      best = p;
  return best;
}

static int is_best(const ht_measured_flow *flow, const divergence *d, int best) {
  for (int p = 0; p < PATTERNS; p++)
    if (p != best && is_possible(flow, p) && !is_better(d, best, p)) return 0;
  return 1;
}

/* Turns the open directions by a pattern, and notes it. */
static void take_pattern(ht_measured_flow *flow, int pattern, ht_import_notes *notes) {
  const int open = count_open(flow);
  double all = 1; /* the sign of all: that of a known direction */
  int turned = 0;
  for (int e = 0; e < 3; e++)
    if (flow->encoding[e].sign != HT_SIGN_OPEN) all = turn_of(pattern, e);
  for (int e = 0; e < 3; e++) {
    ht_velocity_encoding *one = &flow->encoding[e];
    if (one->sign != HT_SIGN_OPEN) continue;
    if (turn_of(pattern, e) * all < 0) turn_round(one), turned++;
    if (open < 3) one->sign = HT_SIGN_PHYSICS;
  }
  ht_import_note(notes,
                 "the sign of %d of the 3 directions was open: that with the smallest divergence "
                 "was taken%s%s",
                 open, turned ? " (turned)" : "",
                 open == 3 ? "; the sign of all together stays open" : "");
}

static ht_status decide_volume(ht_measured_flow *flow, ht_import_notes *notes) {
  divergence d;
  HT_TRY(measure(flow, &d));
  if (d.count < VOXELS_LEAST) return HT_OK;
  const int best = best_of(flow, &d, 1), any = best_of(flow, &d, 0);
  if (any != best && is_better(&d, any, best))
    ht_import_warn(notes,
                   "the directions that the images give contradict the conservation of mass: with "
                   "another sign of one direction the divergence is %.0f %% smaller; look at the "
                   "velocities, and give `direction`",
                   100 * (1 - d.sum[any] / d.sum[best]));
  else if (count_open(flow) && is_best(flow, &d, best))
    take_pattern(flow, best, notes);
  return HT_OK;
}

/* Turns all open directions where the weighted mean velocity is against the known way. */
static void decide_along(ht_measured_flow *flow, const double along[3], ht_import_notes *notes) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  double mean[3] = {0}, v[3];
  for (int t = 0; t < flow->times; t++)
    for (int64_t i = 0; i < voxels; i++) {
      const double weight = weight_at(flow, t, i) * weight_at(flow, t, i);
      if (!ht_measured_velocity(flow, t, i, v)) continue;
      /* The square prefers the vessel to still tissue. */
      for (int r = 0; r < 3; r++) mean[r] += weight * ht_length(v) * v[r];
    }
  const int turned = ht_dot(mean, along) < 0;
  for (int e = 0; e < flow->encodings; e++) {
    if (flow->encoding[e].sign != HT_SIGN_OPEN) continue;
    if (turned) turn_round(&flow->encoding[e]);
    flow->encoding[e].sign = HT_SIGN_PHYSICS;
  }
  ht_import_note(notes,
                 "the sign of the velocities was open: that with which the blood flows the "
                 "known way was taken%s",
                 turned ? " (turned)" : "");
}

ht_status ht_pc_signs_decide(ht_measured_flow *flow, const double along[3],
                             ht_import_notes *notes) {
  const int all_open = count_open(flow) == flow->encodings;
  if (flow->encodings == 3 && flow->grid.dim[2] >= 3) HT_TRY(decide_volume(flow, notes));
  if (all_open && ht_length(along) > 0) decide_along(flow, along, notes);
  const int open = count_open(flow);
  if (open > 0 && open < flow->encodings)
    ht_import_warn(notes,
                   "the sign of %d of the 3 directions is open, and nothing in the images decides "
                   "it: every velocity may be wrong; give `direction` with the right signs",
                   open);
  if (open == flow->encodings)
    ht_import_note(notes, "the sign of the velocities is open: nothing in the images tells which "
                          "way positive values point; `sign: -1` turns them round");
  return HT_OK;
}
