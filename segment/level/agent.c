#include "segment/level/agent.h"
#include "segment/shape/neighbour.h"
#include "segment/settings/preset_guess.h"
#include "segment/voxels/quantile.h"
#include <math.h>
#include <string.h>

enum { KEPT = 8192, FEWEST = 50 };
static const double tissue = 50;                    /* HU, as of muscle and blood */
static const double bright[2] = {150, 900};         /* HU, of blood with an agent */
static const double soft[2] = {-150, 90};           /* HU, of fat to muscle */
static const double even = 0.1, brighter = 0.3;     /* of the height over tissue */
static const double far_mm = 30;                    /* length of the rays */
static const double clean = 0.8;                    /* of the rays, that meet nothing brighter */
static const double alike = 0.15, nearly_all = 0.7; /* the spread of one value; share of the even */

/* A sample of many values, spread evenly over them: every `stride`-th. */
typedef struct {
  int64_t seen, stride, voxel[KEPT];
  double value[KEPT];
  int count;
} sample;

typedef struct {
  const ht_volume *scan;
  const ht_box *box;
  double noise;
  sample some;
} search;

static void add(sample *s, int64_t voxel, double value) {
  if (s->seen++ % s->stride) return;
  if (s->count == KEPT) {
    for (int n = 0; n < KEPT / 2; n++) s->voxel[n] = s->voxel[2 * n], s->value[n] = s->value[2 * n];
    s->count = KEPT / 2;
    s->stride *= 2;
    if ((s->seen - 1) % s->stride) return;
  }
  s->voxel[s->count] = voxel;
  s->value[s->count++] = value;
}

static double value_at(const ht_volume *scan, const int at[3]) {
  return scan->values[ht_voxel_index(scan->grid.dim, at)];
}

/* Mean and variance of a voxel and its neighbours. */
static double mean_around(const ht_volume *scan, const int at[3], double *variance) {
  double own = value_at(scan, at), sum = 0, square = 0;
  int count = 1;
  for (int n = 0; n < HT_NEIGHBOURS; n++) {
    int next[3];
    if (!ht_neighbour(scan->grid.dim, at, n, next)) continue;
    double off = value_at(scan, next) - own;
    sum += off;
    square += off * off;
    count++;
  }
  *variance = fmax(0, square / count - sum / count * (sum / count));
  return own + sum / count;
}

static int is_within(double value, const double range[2]) {
  return value >= range[0] && value < range[1];
}

/* The least tenth of the deviations within tissue: larger deviations are anatomy. */
static double noise_of(search *s) {
  int at[3];
  const ht_box *box = s->box;
  s->some = (sample){.stride = 1};
  for (at[2] = box->first[2]; at[2] <= box->last[2]; at[2]++)
    for (at[1] = box->first[1]; at[1] <= box->last[1]; at[1]++)
      for (at[0] = box->first[0] + at[1] % 7; at[0] <= box->last[0]; at[0] += 7) {
        double variance;
        if (!is_within(value_at(s->scan, at), soft)) continue;
        if (is_within(mean_around(s->scan, at, &variance), soft) && variance > 0)
          add(&s->some, 0, variance);
      }
  if (s->some.count == 0) return 0;
  ht_sort_values(s->some.value, s->some.count);
  return sqrt(s->some.value[s->some.count / 10]);
}

static void find_even(search *s) {
  int at[3];
  const ht_box *box = s->box;
  s->some = (sample){.stride = 1};
  for (at[2] = box->first[2]; at[2] <= box->last[2]; at[2]++)
    for (at[1] = box->first[1]; at[1] <= box->last[1]; at[1]++)
      for (at[0] = box->first[0]; at[0] <= box->last[0]; at[0]++) {
        double variance;
        if (!is_within(value_at(s->scan, at), bright)) continue;
        double mean = mean_around(s->scan, at, &variance), most = even * (mean - tissue);
        if (is_within(mean, bright) && variance < 1.2 * s->noise * s->noise + most * most)
          add(&s->some, ht_voxel_index(s->scan->grid.dim, at), mean);
      }
}

/* Tells whether the ray from the voxel towards its neighbour n reaches the half-way value to
 * tissue, or goes far, without meeting anything brighter. */
static int is_clean(const search *s, const int from[3], int n, double mean) {
  const ht_grid *grid = &s->scan->grid;
  double most = mean + brighter * (mean - tissue) + 2.5 * s->noise, length = 0, along[3];
  int next[3];
  if (!ht_neighbour(grid->dim, from, n, next)) return 1;
  double step = fmin(grid->spacing_mm[0], fmin(grid->spacing_mm[1], grid->spacing_mm[2]));
  for (int a = 0; a < 3; a++) along[a] = next[a] - from[a], length += along[a] * along[a];
  for (int k = 1; k * step < far_mm; k++) {
    int at[3];
    for (int a = 0; a < 3; a++)
      at[a] = from[a] + (int)lround(along[a] * k * step / sqrt(length) / grid->spacing_mm[a]);
    if (!ht_voxel_in_grid(grid->dim, at)) return 1;
    double value = value_at(s->scan, at);
    if (value > most) return 0;
    if (value < (mean + tissue) / 2) return 1;
  }
  return 1;
}

/* Keeps the voxels with clean rays. */
static void keep_clean(search *s) {
  int kept = 0;
  for (int i = 0; i < s->some.count; i++) {
    int at[3], rays = 0;
    ht_voxel_place(s->scan->grid.dim, s->some.voxel[i], at);
    for (int n = 0; n < HT_NEIGHBOURS; n++) rays += is_clean(s, at, n, s->some.value[i]);
    if (rays > clean * HT_NEIGHBOURS) s->some.value[kept++] = s->some.value[i];
  }
  s->some.count = kept;
}

ht_agent ht_agent_find(const ht_volume *scan, const ht_box *box) {
  ht_agent agent = {0};
  search s = {.scan = scan, .box = box};
  if (scan->modality[0] && strcmp(scan->modality, "CT") != 0) return agent;
  agent.is_ct = ht_values_are_hounsfield(scan);
  if (!agent.is_ct) return agent;
  s.noise = agent.noise = noise_of(&s);
  find_even(&s);
  int all = s.some.count;
  keep_clean(&s);
  int count = s.some.count;
  if (count == 0) return agent;
  ht_sort_values(s.some.value, count);
  double blood = s.some.value[count / 2];
  agent.level = (blood + tissue) / 2;
  double spread = s.some.value[3 * count / 4] - s.some.value[count / 4];
  int is_one = spread <= alike * (blood - tissue);
  agent.is_there = (double)count * (double)s.some.stride >= FEWEST &&
                   (is_one || (double)count >= nearly_all * (double)all);
  return agent;
}
