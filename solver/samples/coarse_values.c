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

/* The nodes around a place between them: eight corners, bit a of whose number is their place along
 * axis a, and along each axis the four before and the four behind these. */
typedef struct {
  double corner[8][VALUES], outer[3][2][4][VALUES];
  int has[3][2]; /* 1: all four have values */
} around;

static const int other_axes[3][2] = {{1, 2}, {0, 2}, {0, 1}};

/* Tells whether all places are on the nodes along this axis: the first ones alone count. */
static int is_on_nodes(const ht_coarse_places *places, int axis) {
  return places->count == 1 && places->past[axis][0] == 0;
}

static void copy_values(const float *from, double *to) {
  for (int k = 0; k < VALUES; k++) to[k] = from[k];
}

/* Gives corners without values the mean of their neighbours. there: bits of those with values, not
 * 0. */
static void fill_corners(unsigned there, around *of) {
  enum { ALL = 0xff };
  while (there != ALL) {
    unsigned now = there;
    for (int c = 0; c < 8; c++) {
      int count = 0;
      double *to = of->corner[c];
      if (there >> c & 1) continue;
      memset(to, 0, sizeof of->corner[c]);
      for (int a = 0; a < 3; a++) {
        const int beside = c ^ (1 << a);
        if (!(there >> beside & 1)) continue;
        for (int k = 0; k < VALUES; k++) to[k] += of->corner[beside][k];
        count++;
      }
      for (int k = 0; k < VALUES && count > 0; k++) to[k] /= count;
      if (count > 0) now |= 1U << c;
    }
    there = now;
  }
}

/* Returns 0 where no corner has values. */
static int find_corners(const ht_coarse_values *s, const int at[3], const ht_coarse_places *places,
                        around *of) {
  unsigned there = 0;
  for (int c = 0; c < 8; c++) {
    int node[3];
    for (int a = 0; a < 3; a++) node[a] = at[a] + (!is_on_nodes(places, a) && (c >> a & 1));
    const float *from = values_at(s, node, 0);
    if (!from) continue;
    copy_values(from, of->corner[c]);
    there |= 1U << c;
  }
  if (there) fill_corners(there, of);
  return there != 0;
}

static void find_outer(const ht_coarse_values *s, const int at[3], const ht_coarse_places *places,
                       int axis, int side, around *of) {
  const int *other = other_axes[axis];
  of->has[axis][side] = !is_on_nodes(places, axis);
  for (int e = 0; e < 4 && of->has[axis][side]; e++) {
    int node[3];
    node[axis] = at[axis] + (side ? 2 : -1);
    for (int k = 0; k < 2; k++)
      node[other[k]] = at[other[k]] + (!is_on_nodes(places, other[k]) && (e >> k & 1));
    const float *from = values_at(s, node, s->is_rough);
    if (from)
      copy_values(from, of->outer[axis][side][e]);
    else
      of->has[axis][side] = 0;
  }
}

/* Finds the weights of the values at -1, 0, 1 and 2 in that at t, by the outer ones that are there:
 * of a cubic, a parabola or a straight line. */
static void line_weights(const int has[2], double t, double weight[4]) {
  const double cubic[4] = {-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2,
                           -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6};
  const double lower[4] = {t * (t - 1) / 2, (1 + t) * (1 - t), t * (t + 1) / 2, 0};
  const double upper[4] = {0, (t - 1) * (t - 2) / 2, t * (2 - t), t * (t - 1) / 2};
  const double line[4] = {0, 1 - t, t, 0};
  const double *taken = has[0] ? has[1] ? cubic : lower : has[1] ? upper : line;
  memcpy(weight, taken, 4 * sizeof *weight);
}

enum { MOST = HT_COARSE_PLACES };

/* Values in the planes of the nodes at -1, 0, 1 and 2 along an axis: [place along the first of the
 * other axes][along the second][VALUES]. */
typedef struct {
  double at[4][MOST * MOST * VALUES];
} planes;

/* Interpolates bilinearly between four nodes of a plane, from[] by the bits of the other axes. */
static void fill_plane(const double *const from[4], const ht_coarse_places *places, int axis,
                       double *value) {
  const double *first = places->past[other_axes[axis][0]];
  const double *second = places->past[other_axes[axis][1]];
  for (int i = 0; i < places->count; i++)
    for (int j = 0; j < places->count; j++, value += VALUES) {
      const double weight[4] = {(1 - first[i]) * (1 - second[j]), first[i] * (1 - second[j]),
                                (1 - first[i]) * second[j], first[i] * second[j]};
      for (int k = 0; k < VALUES; k++)
        value[k] = weight[0] * from[0][k] + weight[1] * from[1][k] + weight[2] * from[2][k] +
                   weight[3] * from[3][k];
    }
}

static void fill_planes(const around *of, const ht_coarse_places *places, int axis, planes *to) {
  const int *other = other_axes[axis];
  const double *from[4];
  for (int p = 0; p < 4; p++) {
    const int is_outer = p == 0 || p == 3;
    if (is_outer && !of->has[axis][p == 3]) continue;
    for (int e = 0; e < 4; e++) {
      const int corner = (e & 1) << other[0] | (e >> 1) << other[1] | (p == 2) << axis;
      from[e] = is_outer ? of->outer[axis][p == 3][e] : of->corner[corner];
    }
    fill_plane(from, places, axis, to->at[p]);
  }
}

/* Adds what the nodes along an axis give at all places: the whole value, or what it has beyond that
 * of a straight line. */
static void add_axis(const around *of, const ht_coarse_places *places, int axis, int is_whole,
                     const planes *from, double *value) {
  const int count = places->count;
  double weight[MOST][4];
  for (int t = 0; t < count; t++) {
    line_weights(of->has[axis], places->past[axis][t], weight[t]);
    if (is_whole) continue;
    weight[t][1] -= 1 - places->past[axis][t];
    weight[t][2] -= places->past[axis][t];
  }
  for (int n = 0; n < count * count * count; n++, value += VALUES) {
    const int place[3] = {n / (count * count), n / count % count, n % count};
    const int in_plane = place[other_axes[axis][0]] * count + place[other_axes[axis][1]];
    for (int p = 0; p < 4; p++) {
      const double w = weight[place[axis]][p], *plane = from->at[p] + VALUES * in_plane;
      for (int k = 0; k < VALUES && w != 0; k++) value[k] += w * plane[k];
    }
  }
}

int ht_coarse_values_between(const ht_coarse_values *s, const int at[3],
                             const ht_coarse_places *places, double *value) {
  around of;
  planes from;
  if (!find_corners(s, at, places, &of)) return 0;
  memset(value, 0,
         (size_t)(places->count * places->count * places->count) * VALUES * sizeof *value);
  for (int a = 0; a < 3; a++) {
    for (int side = 0; side < 2; side++) find_outer(s, at, places, a, side, &of);
    if (a > 0 && !of.has[a][0] && !of.has[a][1]) continue;
    fill_planes(&of, places, a, &from);
    add_axis(&of, places, a, a == 0, &from, value);
  }
  return 1;
}

int ht_coarse_values_at(const ht_coarse_values *values, const int at[3], const double past[3],
                        double value[HT_COARSE_VALUES]) {
  const ht_coarse_places place = {1, {{past[0]}, {past[1]}, {past[2]}}};
  return ht_coarse_values_between(values, at, &place, value);
}
