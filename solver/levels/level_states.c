#include "solver/levels/level_states.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Marks before there are numbers. */
enum { WANTED = -2, GUESSED = -3 };
enum { MARGIN = 2, REACH = 2, TERMS_MOST = REACH * 26, FAR = 4 };

/* Limits of the distances from the wall by which a velocity is extrapolated. */
static const double least_away = 0.25, most_away = 1;

static const char *const what = "the interface of two levels";

static int64_t place_of(const ht_state_map *map, const int at[3]) {
  const ht_level_region *region = map->region;
  int64_t place = 0;
  for (int a = 2; a >= 0; a--) {
    int there = at[a];
    if (region->periodic[a]) there = (at[a] + region->dim[a]) % region->dim[a];
    place = place * (region->dim[a] + 2 * MARGIN) + there + MARGIN;
  }
  return place;
}

static int64_t places(const ht_state_map *map) {
  int64_t count = 1;
  for (int a = 0; a < 3; a++) count *= map->region->dim[a] + 2 * MARGIN;
  return count;
}

static void voxel_at(const ht_state_map *map, int64_t place, int at[3]) {
  const int *dim = map->region->dim;
  const int wide[3] = {dim[0] + 2 * MARGIN, dim[1] + 2 * MARGIN, dim[2] + 2 * MARGIN};
  ht_voxel_place(wide, place, at);
  for (int a = 0; a < 3; a++) at[a] -= MARGIN;
}

ht_status ht_state_map_begin(const ht_level_region *region, int is_coarse, ht_level_states *states,
                             ht_state_map *map) {
  *map = (ht_state_map){.region = region, .is_coarse = is_coarse, .states = states};
  const int64_t count = places(map);
  HT_TRY(ht_alloc((void **)&map->number, (size_t)count, sizeof(int32_t), what));
  memset(map->number, 0xff, (size_t)count * sizeof(int32_t));
  return HT_OK;
}

void ht_state_map_free(ht_state_map *map) {
  free(map->number);
  map->number = NULL;
}

int32_t ht_state_map_at(const ht_state_map *map, const int at[3]) {
  return map->number[place_of(map, at)];
}

/* ---- what is wanted ---- */

static int has_state(const ht_state_map *map, ht_voxel_part part) {
  return ht_part_is_stepped(part) || (map->is_coarse && part == HT_VOXEL_FROM_FINE);
}

ht_status ht_state_map_want(ht_state_map *map, const int at[3]) {
  const ht_voxel_part part = ht_region_part(map->region, at);
  int32_t *number = &map->number[place_of(map, at)];
  if (!has_state(map, part) && part != HT_VOXEL_SOLID)
    return ht_fail(HT_ERR_USAGE,
                   "the levels around voxel (%d, %d, %d) of one of them are too near to each "
                   "other: each needs a layer of some four nodes next to the next level",
                   at[0], at[1], at[2]);
  if (*number == HT_STATE_NONE) *number = has_state(map, part) ? WANTED : GUESSED;
  return HT_OK;
}

/* ---- extrapolation ---- */

typedef struct {
  int terms;
  int64_t place[TERMS_MOST];
  float weight[TERMS_MOST][HT_LEVEL_KINDS];
} guess;

static int stands_at(const ht_state_map *map, const int at[3], const int d[3], int steps) {
  const int there[3] = {at[0] + steps * d[0], at[1] + steps * d[1], at[2] + steps * d[2]};
  return has_state(map, ht_region_part(map->region, there));
}

/* The distance from the wall, `steps` steps from a solid node into the fluid. */
static double distance_at(const ht_state_map *map, const int at[3], const int d[3], int steps) {
  const ht_level_region *region = map->region;
  const int there[3] = {at[0] + steps * d[0], at[1] + steps * d[1], at[2] + steps * d[2]};
  if (!region->wall_distance || !ht_voxel_in_grid(region->dim, there)) return steps - 0.5;
  return region->wall_distance[ht_voxel_index(region->dim, there)];
}

/* Nodes with a state in line, up to two. */
static int reach(const ht_state_map *map, const int at[3], const int d[3]) {
  int steps = 0;
  while (steps < REACH && stands_at(map, at, d, steps + 1)) steps++;
  return steps;
}

static void direction_of(int i, int d[3]) {
  d[0] = i % 3 - 1, d[1] = i / 3 % 3 - 1, d[2] = i / 9 - 1;
}

/* Adds a line's nodes. The velocity goes on in proportion to the distance from the wall, where it
 * is 0, so that no deviation grows; the density stays that of the first node, and the strain rate
 * goes on in a straight line. */
static void add_line(const ht_state_map *map, const int at[3], const int d[3], int steps,
                     double part, guess *found) {
  const double own = fmin(0, fmax(-most_away, distance_at(map, at, d, 0)));
  double away[REACH], squares = 0;
  for (int k = 0; k < steps; k++) {
    away[k] = fmax(least_away, distance_at(map, at, d, k + 1));
    squares += away[k] * away[k];
  }
  for (int k = 0; k < steps; k++) {
    const int there[3] = {at[0] + (k + 1) * d[0], at[1] + (k + 1) * d[1], at[2] + (k + 1) * d[2]};
    float *weight = found->weight[found->terms];
    weight[HT_OF_DENSITY] = (float)(k == 0 ? part : 0);
    weight[HT_OF_VELOCITY] = (float)(part * own * away[k] / squares);
    weight[HT_OF_STRAIN] = (float)(part * (k > 0 ? -1 : steps));
    found->place[found->terms++] = place_of(map, there);
  }
}

/* Extrapolates along the lines of `axes` axes that have the most nodes, at least `least`, to their
 * mean. */
static void guess_along(const ht_state_map *map, const int at[3], int axes, int least,
                        guess *found) {
  int best = least, count = 0, d[3];
  for (int pass = 0; pass < 3; pass++)
    for (int i = 0; i < 27; i++) {
      direction_of(i, d);
      if (abs(d[0]) + abs(d[1]) + abs(d[2]) != axes) continue;
      const int steps = reach(map, at, d);
      if (pass == 0 && steps > best) best = steps;
      if (pass == 1) count += steps == best;
      if (pass == 2 && steps == best) add_line(map, at, d, steps, 1.0 / count, found);
    }
}

/* The nearest node with a state; the blood rests there. */
static void guess_nearest(const ht_state_map *map, const int at[3], guess *found) {
  int d[3], least = 3 * FAR * FAR + 1;
  for (d[2] = -FAR; d[2] <= FAR; d[2]++)
    for (d[1] = -FAR; d[1] <= FAR; d[1]++)
      for (d[0] = -FAR; d[0] <= FAR; d[0]++) {
        const int square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square >= least || !stands_at(map, at, d, 1)) continue;
        const int there[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
        least = square;
        found->terms = 1;
        found->place[0] = place_of(map, there);
        found->weight[0][HT_OF_DENSITY] = 1;
        found->weight[0][HT_OF_VELOCITY] = found->weight[0][HT_OF_STRAIN] = 0;
      }
}

static ht_status find_guess(const ht_state_map *map, int64_t place, guess *found) {
  int at[3];
  voxel_at(map, place, at);
  found->terms = 0;
  for (int least = REACH; least > 0 && found->terms == 0; least--)
    for (int axes = 1; axes <= 3 && found->terms == 0; axes++)
      guess_along(map, at, axes, least, found);
  if (found->terms == 0) guess_nearest(map, at, found);
  if (found->terms > 0) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "near voxel (%d, %d, %d) a level has no fluid node next to another",
                 at[0], at[1], at[2]);
}

/* ---- numbers ---- */

/* Counts the guesses and their terms, and asks for what these are made of. */
static ht_status count_guesses(ht_state_map *map) {
  guess found;
  for (int64_t p = 0; p < places(map); p++) {
    if (map->number[p] != GUESSED) continue;
    HT_TRY(find_guess(map, p, &found));
    map->states->guesses++;
    map->states->terms += found.terms;
    for (int k = 0; k < found.terms; k++)
      if (map->number[found.place[k]] == HT_STATE_NONE) map->number[found.place[k]] = WANTED;
  }
  return HT_OK;
}

static int is_block(const ht_state_map *map, const int at[3]) {
  return map->is_coarse && ht_region_part(map->region, at) == HT_VOXEL_FROM_FINE;
}

/* Numbers reads from 0 on and blocks from `block` on, in the order of the tiles, so that a batch of
 * them is near in memory; returns their numbers. fills 0: only counts. */
static void number_nodes(ht_state_map *map, const ht_tiling *tiling, int fills, int32_t *read,
                         int32_t *block) {
  int at[3];
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1) {
      const int local = __builtin_ctzll(left);
      ht_tile_voxel(tiling, t, local, at);
      int32_t *number = &map->number[place_of(map, at)];
      if (is_block(map, at)) {
        if (fills) *number = *block;
        ++*block;
      } else if (*number == WANTED) {
        if (fills) map->states->node[*read] = HT_TILE_NODES * t + local;
        if (fills) *number = *read;
        ++*read;
      }
    }
}

static ht_status number_reads(ht_state_map *map, const ht_tiling *tiling) {
  ht_level_states *states = map->states;
  int32_t reads = 0, blocks = 0;
  number_nodes(map, tiling, 0, &reads, &blocks);
  states->reads = reads;
  states->states = (int64_t)reads + blocks + states->guesses;
  HT_TRY(ht_alloc((void **)&states->node, (size_t)reads, sizeof(int64_t), what));
  blocks = reads;
  reads = 0;
  number_nodes(map, tiling, 1, &reads, &blocks);
  return HT_OK;
}

static ht_status fill_guesses(ht_state_map *map) {
  ht_level_states *states = map->states;
  guess found;
  HT_TRY(ht_alloc((void **)&states->guess, (size_t)states->guesses, sizeof *states->guess, what));
  HT_TRY(ht_alloc((void **)&states->from, (size_t)states->terms, sizeof(int32_t), what));
  HT_TRY(ht_alloc((void **)&states->weight, HT_LEVEL_KINDS * (size_t)states->terms, sizeof(float),
                  what));
  int32_t next = (int32_t)(states->states - states->guesses), first = 0, number = 0;
  for (int64_t p = 0; p < places(map); p++) {
    if (map->number[p] != GUESSED) continue;
    HT_TRY(find_guess(map, p, &found));
    states->guess[number++] = (ht_level_guess){next, first, found.terms};
    for (int k = 0; k < found.terms; k++) {
      states->from[first + k] = map->number[found.place[k]];
      memcpy(states->weight + HT_LEVEL_KINDS * (first + k), found.weight[k],
             sizeof found.weight[k]);
    }
    first += found.terms;
    map->number[p] = next++;
  }
  return HT_OK;
}

ht_status ht_state_map_number(ht_state_map *map, const ht_tiling *tiling) {
  HT_TRY(count_guesses(map));
  HT_TRY(number_reads(map, tiling));
  return fill_guesses(map);
}
