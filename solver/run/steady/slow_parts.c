#include "solver/run/steady/slow_parts.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A class below the slowest is at less than a thousandth of the flow's speed. One that has less
 * than least_share of the nodes does not count. */
enum { CLASSES = 11 };
static const double least_share = 0.01;

/* Shares of the steps so far: to the next look, and to where the change has to have fallen. */
static const double more_steps = 0.05, mark_steps = 0.5, falls = 0.9;

/* ---- the mean of each tile ---- */

typedef struct {
  const uint64_t *nodes;
  float *velocity;
} seen_tiles;

static int nodes_of(const ht_stepped_level *level, int64_t tile) {
  return __builtin_popcountll(level->nodes[tile]);
}

static void see_tile(void *user, int64_t tile, const ht_lattice_fields *fields) {
  const seen_tiles *to = user;
  const int count = __builtin_popcountll(to->nodes[tile]);
  double sum[3] = {0};
  for (uint64_t left = to->nodes[tile]; left; left &= left - 1)
    for (int a = 0; a < 3; a++) sum[a] += fields->velocity[3 * __builtin_ctzll(left) + a];
  for (int a = 0; a < 3; a++) to->velocity[3 * tile + a] = count > 0 ? (float)(sum[a] / count) : 0;
}

static int64_t tiles_of(const ht_stepped_level *level, int levels) {
  int64_t tiles = 0;
  for (int l = 0; l < levels; l++) tiles += level[l].tiling->tiles;
  return tiles;
}

static ht_status see(const ht_stepped_level *level, int levels, float **velocity) {
  HT_TRY(ht_alloc((void **)velocity, (size_t)tiles_of(level, levels), 3 * sizeof **velocity,
                  "the change of the flow"));
  float *to = *velocity;
  for (int l = 0; l < levels; l++) {
    seen_tiles tiles = {level[l].nodes, to};
    HT_TRY(ht_lattice_keep(level[l].lattice, 0));
    HT_TRY(ht_lattice_visit(level[l].lattice, see_tile, &tiles));
    to += 3 * level[l].tiling->tiles;
  }
  return HT_OK;
}

/* ---- the change of each class ---- */

static double squared(const float v[3]) {
  return (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
}

/* Sums over the tiles of a class. */
typedef struct {
  double nodes[CLASSES], size[CLASSES], difference[CLASSES];
} class_sums;

static void add_level(const ht_stepped_level *level, const float *now, const float *before,
                      double mean, class_sums *sums) {
  for (int64_t t = 0; t < level->tiling->tiles; t++) {
    const float *u = now + 3 * t, *last = before + 3 * t;
    const float off[3] = {u[0] - last[0], u[1] - last[1], u[2] - last[2]};
    double count = nodes_of(level, t) * level->volume, octave = 0.5 * log2(mean / squared(u));
    if (!(octave < CLASSES - 1)) continue;
    int class = octave > 0 ? 1 + (int)octave : 0;
    sums->nodes[class] += count;
    sums->size[class] += count * squared(u);
    sums->difference[class] += count * squared(off);
  }
}

/* Returns the largest change of a class: sqrt(sum |u - u_last|^2 / sum |u|^2). */
static double change_of(const ht_stepped_level *level, int levels, const float *now,
                        const float *before) {
  class_sums sums = {.nodes = {0}};
  double nodes = 0, mean = 0, most = 0;
  int64_t first = 0;
  for (int l = 0; l < levels; l++)
    for (int64_t t = 0; t < level[l].tiling->tiles; t++)
      nodes += nodes_of(&level[l], t) * level[l].volume;
  for (int l = 0; l < levels; first += 3 * level[l++].tiling->tiles)
    for (int64_t t = 0; t < level[l].tiling->tiles; t++)
      mean += nodes_of(&level[l], t) * level[l].volume * squared(now + first + 3 * t) / nodes;
  first = 0;
  for (int l = 0; l < levels; first += 3 * level[l++].tiling->tiles)
    add_level(&level[l], now + first, before + first, mean, &sums);
  for (int c = 0; c < CLASSES; c++)
    if (sums.nodes[c] > least_share * nodes)
      most = fmax(most, sqrt(sums.difference[c] / sums.size[c]));
  return most;
}

/* Returns the steps in which the change falls to a part of e: the more of those since the last look
 * and since the first, as it falls in waves; all steps so far where it does not fall as fast. */
static double lasting(const ht_slow_parts *slow, int64_t step, double change) {
  const ht_slow_moment *of[] = {&slow->first, &slow->last};
  double least = (double)step, most = 0;
  for (int i = 0; i < 2; i++) {
    double fall = slow->looks > 0 ? log(of[i]->change / change) : 0;
    most = fmax(most, fall > 0 ? (double)(step - of[i]->step) / fall : least);
  }
  return fmin(least, most);
}

static int falls_still(ht_slow_parts *slow, int64_t step, double change) {
  if (slow->looks > 0 && (double)step < (1 + mark_steps) * (double)slow->mark.step) return 1;
  int does = slow->looks == 0 || change < falls * slow->mark.change;
  slow->mark = (ht_slow_moment){step, change};
  return does;
}

/* Returns whether it rests. */
static int judge(ht_slow_parts *slow, int64_t step, double change, double most_left) {
  slow->left = change * lasting(slow, step, change);
  int falls_on = falls_still(slow, step, change);
  slow->last = (ht_slow_moment){step, change};
  if (slow->looks++ == 0) slow->first = slow->last;
  return slow->left <= most_left || !falls_on;
}

ht_status ht_slow_parts_look(ht_slow_parts *slow, const ht_stepped_level *level, int levels,
                             int64_t step, int64_t every, double most_left, int *rests) {
  float *now = NULL;
  *rests = 0;
  if (step < slow->next - every) return HT_OK;
  ht_status status = see(level, levels, &now);
  if (status != HT_OK) {
    free(now);
    return status;
  }
  if (slow->velocity && slow->step == step - every && step >= slow->next) {
    double change = change_of(level, levels, now, slow->velocity) / (double)every;
    *rests = judge(slow, step, change, most_left);
    slow->next = step + (int64_t)fmax((double)every, more_steps * (double)step);
  }
  free(slow->velocity);
  slow->velocity = now;
  slow->step = step;
  return HT_OK;
}

/* ---- the state ---- */

ht_status ht_slow_parts_move(ht_slow_parts *slow, const ht_stepped_level *level, int levels,
                             ht_state *stream) {
  size_t tiles = (size_t)tiles_of(level, levels);
  HT_TRY(ht_state_part(stream, "slow parts"));
  HT_TRY(ht_state_count(stream, &slow->step, 0, INT64_MAX));
  HT_TRY(ht_state_count(stream, &slow->next, 0, INT64_MAX));
  HT_TRY(ht_state_int(stream, &slow->looks, 0, INT_MAX));
  HT_TRY(HT_STATE_OF(stream, slow->left));
  HT_TRY(HT_STATE_OF(stream, slow->first));
  HT_TRY(HT_STATE_OF(stream, slow->last));
  HT_TRY(HT_STATE_OF(stream, slow->mark));
  if (slow->step == 0) return HT_OK;
  if (stream->is_loading)
    HT_TRY(ht_alloc((void **)&slow->velocity, tiles, 3 * sizeof(float), "the change of the flow"));
  return ht_state_bytes(stream, slow->velocity, 3 * tiles * sizeof(float));
}

void ht_slow_parts_free(ht_slow_parts *slow) {
  free(slow->velocity);
  memset(slow, 0, sizeof *slow);
}
