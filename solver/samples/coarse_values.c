#include "solver/samples/coarse_values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  PRESSURE = HT_COARSE_PRESSURE,
  VELOCITY = HT_COARSE_VELOCITY,
  STRESS = HT_COARSE_STRESS,
  VALUES = HT_COARSE_VALUES
};

static const char *const what = "the values between nodes";

void ht_coarse_values_free(ht_coarse_values *values) {
  free(values->number);
  free(values->wall);
  free(values->value);
}

/* ---- nodes in the wall ---- */

static double distance_of(const ht_domain *domain, int64_t voxel) {
  if (domain->wall_distance) return domain->wall_distance[voxel];
  return domain->mask.inside[voxel] ? 0.5 : -0.5;
}

/* A fluid node next to a node in the wall, and the next one on the same line; -1: none. */
typedef struct {
  int64_t first, second;
} fluid_line;

/* Finds those of the 26 lines from a voxel that begin with a fluid node; returns their number. */
static int lines_from(const ht_coarse_values *s, const ht_flow *flow, int64_t voxel,
                      fluid_line line[26]) {
  const int *dim = s->domain->mask.grid.dim;
  int at[3], count = 0;
  ht_voxel_place(dim, voxel, at);
  for (int n = 0; n < 27; n++) {
    const int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    int64_t found[2] = {-1, -1};
    for (int k = 0; k < 2; k++) {
      const int there[3] = {at[0] + (k + 1) * step[0], at[1] + (k + 1) * step[1],
                            at[2] + (k + 1) * step[2]};
      int64_t v = ht_voxel_in_grid(dim, there) ? ht_voxel_index(dim, there) : -1;
      if (v >= 0 && ht_flow_node(flow, v) >= 0) found[k] = v;
    }
    if (found[0] >= 0) line[count++] = (fluid_line){found[0], found[1]};
  }
  return count;
}

/* Finds the weights of two fluid nodes at distances d[0], d[1] in the velocity at `own` < 0: of the
 * parabola that is 0 at the wall; of a straight line, where that is ill-conditioned or rough. */
static void wall_weights(const double d[2], double own, int is_rough, double weight[2]) {
  const double least = 0.25;
  weight[0] = own * d[0] / (d[0] * d[0] + d[1] * d[1]);
  weight[1] = own * d[1] / (d[0] * d[0] + d[1] * d[1]);
  if (is_rough || d[0] < least || d[1] - d[0] < least) return;
  weight[0] = own * (own - d[1]) / (d[0] * (d[0] - d[1]));
  weight[1] = own * (own - d[0]) / (d[1] * (d[1] - d[0]));
}

/* Adds the values that a line gives: velocities are 0 at the wall, pressure and stress go on
 * straight. */
static void add_line(const ht_coarse_values *s, const fluid_line *line, double own,
                     double sum[VALUES]) {
  const float *first = s->value + VALUES * (int64_t)s->number[line->first], *second = first;
  double d[2] = {distance_of(s->domain, line->first), 0}, weight[2], go_on[2] = {1, 0};
  if (line->second >= 0) {
    second = s->value + VALUES * (int64_t)s->number[line->second];
    d[1] = distance_of(s->domain, line->second);
    go_on[0] = 2, go_on[1] = -1;
  }
  if (s->is_rough) own = fmax(own, -hypot(d[0], d[1]));
  wall_weights(d, own, s->is_rough, weight);
  for (int k = 0; k < VALUES; k++) {
    const double *w = k >= VELOCITY && k < STRESS ? weight : go_on;
    sum[k] += w[0] * first[k] + w[1] * second[k];
  }
}

/* Fills a node in the wall with the mean over its lines. Only those with two fluid nodes count,
 * where there is one. */
static void fill_wall(const ht_coarse_values *s, int64_t voxel, const fluid_line *line, int lines) {
  float *to = s->value + VALUES * (int64_t)s->number[voxel];
  double sum[VALUES] = {0}, own = distance_of(s->domain, voxel);
  int count = 0, whole = 0;
  own = fmin(0, fmax(-2, own)); /* farther off it is a bound, not the distance */
  for (int i = 0; i < lines; i++) whole |= line[i].second >= 0;
  for (int i = 0; i < lines; i++) {
    if (whole && line[i].second < 0) continue;
    add_line(s, &line[i], own, sum);
    count++;
  }
  for (int k = 0; k < VALUES; k++) to[k] = (float)(sum[k] / count);
}

/* Fills the places beyond a port with the flow at the port. */
static void fill_beyond_ports(ht_coarse_values *s) {
  const int *dim = s->domain->mask.grid.dim;
  for (int p = 0; p < s->domain->ports; p++) {
    const ht_port *port = &s->domain->port[p];
    for (int64_t i = 0; i < port->nodes; i++) {
      int at[3];
      ht_voxel_place(dim, port->node[i], at);
      at[port->axis] -= port->inward;
      if (!ht_voxel_in_grid(dim, at)) continue;
      int32_t beyond = s->number[ht_voxel_index(dim, at)], here = s->number[port->node[i]];
      if (beyond < 0 || here < 0 || s->domain->mask.inside[ht_voxel_index(dim, at)]) continue;
      memcpy(s->value + VALUES * (int64_t)beyond, s->value + VALUES * (int64_t)here,
             VALUES * sizeof(float));
    }
  }
}

static void copy_nodes(const ht_flow *flow, float *value) {
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < flow->nodes; n++) {
    float *to = value + VALUES * n;
    to[PRESSURE] = flow->pressure_pa[n];
    memcpy(to + VELOCITY, flow->velocity_m_s + 3 * n, 3 * sizeof(float));
    memcpy(to + STRESS, flow->stress_pa + 6 * n, 6 * sizeof(float));
  }
}

/* Marks in place of a number; the second while the nodes in the wall are counted. */
enum { NO_VALUES = -1, IN_WALL = -2 };

/* Numbers the nodes in the wall after those of the fluid. */
static ht_status number_walls(const ht_flow *flow, ht_coarse_values *s) {
  const ht_mask *mask = &s->domain->mask;
  int64_t voxels = ht_grid_voxels(&mask->grid);
#pragma omp parallel for schedule(dynamic, 4096)
  for (int64_t v = 0; v < voxels; v++) {
    fluid_line line[26];
    s->number[v] = (int32_t)ht_flow_node(flow, v);
    if (s->number[v] < 0 && !mask->inside[v])
      s->number[v] = lines_from(s, flow, v, line) > 0 ? IN_WALL : NO_VALUES;
  }
  s->nodes = s->count = flow->nodes;
  for (int64_t v = 0; v < voxels; v++)
    if (s->number[v] == IN_WALL) s->number[v] = (int32_t)s->count++;
  HT_TRY(ht_alloc((void **)&s->wall, (size_t)(s->count - s->nodes), sizeof *s->wall, what));
  for (int64_t v = 0; v < voxels; v++)
    if (s->number[v] >= s->nodes) s->wall[s->number[v] - s->nodes] = v;
  return HT_OK;
}

ht_status ht_coarse_values_make(const ht_domain *domain, const ht_flow *flow, int is_rough,
                                ht_coarse_values *s) {
  int64_t voxels = ht_grid_voxels(&domain->mask.grid);
  *s = (ht_coarse_values){.domain = domain, .is_rough = is_rough};
  HT_TRY(ht_alloc((void **)&s->number, (size_t)voxels, sizeof *s->number, what));
  HT_TRY(number_walls(flow, s));
  HT_TRY(ht_alloc((void **)&s->value, (size_t)s->count, VALUES * sizeof(float), what));
  ht_coarse_values_take(s, flow);
  return HT_OK;
}

void ht_coarse_values_take(ht_coarse_values *s, const ht_flow *flow) {
  copy_nodes(flow, s->value);
#pragma omp parallel for schedule(static)
  for (int64_t w = 0; w < s->count - s->nodes; w++) {
    fluid_line line[26];
    fill_wall(s, s->wall[w], line, lines_from(s, flow, s->wall[w], line));
  }
  fill_beyond_ports(s);
}

/* ---- between the coarse nodes ---- */

static const float *values_at(const ht_coarse_values *s, const int at[3], int fluid_alone) {
  const int *dim = s->domain->mask.grid.dim;
  if (!ht_voxel_in_grid(dim, at)) return NULL;
  int32_t number = s->number[ht_voxel_index(dim, at)];
  return number < 0 || (fluid_alone && number >= s->nodes) ? NULL
                                                           : s->value + VALUES * (int64_t)number;
}

/* Finds the weights of the values at -1, 0, 1 and 2 in that at t, by those that are there: of a
 * cubic, a parabola, a straight line, one value alone. 0: neither of the inner two. */
static int line_weights(const int there[4], double t, double weight[4]) {
  const double cubic[4] = {-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2,
                           -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6};
  const double lower[4] = {t * (t - 1) / 2, (1 + t) * (1 - t), t * (t + 1) / 2, 0};
  const double upper[4] = {0, (t - 1) * (t - 2) / 2, t * (2 - t), t * (t - 1) / 2};
  const double middle[4] = {0, 1 - t, t, 0};
  const double one[4] = {0, there[1], there[2], 0};
  const double *taken = middle;
  if (there[1] != there[2])
    taken = one;
  else if (there[0] && there[3])
    taken = cubic;
  else if (there[0] || there[3])
    taken = there[0] ? lower : upper;
  memcpy(weight, taken, 4 * sizeof *weight);
  return there[1] || there[2];
}

/* Interpolates `length` values of the nodes at -1, 0, 1 and 2, `part`, of which those that are
 * there[] have some, at each of `count` places. 0: there is nothing to interpolate from. */
static int mix(const double *const part[4], const int there[4], const double *past, int count,
               int length, double *value) {
  double weight[4];
  for (int t = 0; t < count; t++, value += length) {
    if (past[t] == 0) {
      if (!there[1]) return 0;
      memcpy(value, part[1], (size_t)length * sizeof *value);
      continue;
    }
    if (!line_weights(there, past[t], weight)) return 0;
    memset(value, 0, (size_t)length * sizeof *value);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < length && weight[i] != 0; k++) value[k] += weight[i] * part[i][k];
  }
  return 1;
}

enum { MOST = HT_COARSE_PLACES };

/* The values that an interpolation along two axes needs. */
typedef struct {
  double node[4][VALUES], along_z[4][MOST * VALUES], along_y[4][MOST * MOST * VALUES];
} parts;

/* Tells whether the node in the line's place i is interpolated: on a node no other is. */
static int takes(const ht_coarse_places *places, int axis, int i) {
  return i == 1 || places->past[axis][0] != 0 || places->count > 1;
}

/* Interpolates along z from the nodes at `at`[0], `at`[1]. */
static int mix_z(const ht_coarse_values *s, const int at[3], const ht_coarse_places *places,
                 int fluid_alone, parts *p, double *value) {
  const double *const part[4] = {p->node[0], p->node[1], p->node[2], p->node[3]};
  int there[4] = {0};
  for (int i = 0; i < 4; i++) {
    const int beside[3] = {at[0], at[1], at[2] + i - 1}, is_outer = i == 0 || i == 3;
    if (!takes(places, 2, i)) continue;
    const float *from = values_at(s, beside, fluid_alone || (s->is_rough && is_outer));
    there[i] = from != NULL;
    for (int k = 0; k < VALUES && from; k++) p->node[i][k] = from[k];
  }
  return mix(part, there, places->past[2], places->count, VALUES, value);
}

/* Interpolates along z, then along y, from the nodes at `at`[0]. */
static int mix_y(const ht_coarse_values *s, const int at[3], const ht_coarse_places *places,
                 int fluid_alone, parts *p, double *value) {
  const double *const part[4] = {p->along_z[0], p->along_z[1], p->along_z[2], p->along_z[3]};
  int there[4] = {0};
  for (int i = 0; i < 4; i++) {
    const int beside[3] = {at[0], at[1] + i - 1, at[2]}, is_outer = i == 0 || i == 3;
    if (takes(places, 1, i))
      there[i] =
          mix_z(s, beside, places, fluid_alone || (s->is_rough && is_outer), p, p->along_z[i]);
  }
  return mix(part, there, places->past[1], places->count, places->count * VALUES, value);
}

int ht_coarse_values_between(const ht_coarse_values *s, const int at[3],
                             const ht_coarse_places *places, double *value) {
  parts p;
  const double *const part[4] = {p.along_y[0], p.along_y[1], p.along_y[2], p.along_y[3]};
  const int length = places->count * places->count * VALUES;
  int there[4] = {0};
  for (int i = 0; i < 4; i++) {
    const int beside[3] = {at[0] + i - 1, at[1], at[2]}, is_outer = i == 0 || i == 3;
    if (takes(places, 0, i))
      there[i] = mix_y(s, beside, places, s->is_rough && is_outer, &p, p.along_y[i]);
  }
  return mix(part, there, places->past[0], places->count, length, value);
}

int ht_coarse_values_at(const ht_coarse_values *values, const int at[3], const double past[3],
                        double value[HT_COARSE_VALUES]) {
  const ht_coarse_places place = {1, {{past[0]}, {past[1]}, {past[2]}}};
  return ht_coarse_values_between(values, at, &place, value);
}
