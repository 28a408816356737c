#include "solver/plan/sound.h"
#include "core/numbers/units.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- distances ---- */

enum { CELLS_ACROSS = 6, CELLS_A_PIECE = 2 }; /* of the widest end */

/* The vessel in cubes of voxels, and their distance from the inlets. */
typedef struct {
  int side, dim[3];
  int64_t count;
  int32_t *nodes;    /* [count] owned */
  int32_t *distance; /* [count] tenths of a cell; FAR: none. Owned */
} cells;

enum { FAR = INT32_MAX, FACE = 10, EDGE = 14, CORNER = 17 };

static void free_cells(cells *c) {
  free(c->nodes);
  free(c->distance);
}

static int64_t cell_of(const cells *c, const int at[3]) {
  return at[0] + (int64_t)c->dim[0] * (at[1] + (int64_t)c->dim[1] * at[2]);
}

static void count_nodes(const ht_mask *mask, cells *c) {
  const int *dim = mask->grid.dim;
#pragma omp parallel for schedule(static)
  for (int z = 0; z < c->dim[2]; z++)
    for (int64_t row = (int64_t)z * c->side * dim[1];
         row < (int64_t)(z + 1) * c->side * dim[1] && row < (int64_t)dim[2] * dim[1]; row++) {
      const uint8_t *inside = mask->inside + row * dim[0];
      const int at[3] = {0, (int)(row % dim[1]) / c->side, z};
      int32_t *nodes = c->nodes + cell_of(c, at);
      for (int x = 0; x < dim[0]; x++) nodes[x / c->side] += inside[x] != 0;
    }
}

static ht_status make_cells(const ht_mask *mask, double widest, cells *c) {
  const char *what = "the vessel's sections";
  int side = (int)(widest / CELLS_ACROSS);
  *c = (cells){.side = side > 1 ? side : 1, .count = 1};
  for (int a = 0; a < 3; a++) {
    c->dim[a] = (mask->grid.dim[a] + c->side - 1) / c->side;
    c->count *= c->dim[a];
  }
  HT_TRY(ht_alloc((void **)&c->nodes, (size_t)c->count, sizeof *c->nodes, what));
  HT_TRY(ht_alloc((void **)&c->distance, (size_t)c->count, sizeof *c->distance, what));
  count_nodes(mask, c);
  return HT_OK;
}

/* Calls visit for the cells of the vessel in a ball of half the end's radius. */
static void visit_end(const cells *c, const ht_sound_end *end,
                      void (*visit)(const cells *c, int64_t cell, void *user), void *user) {
  double radius = fmax(1, 0.5 * end->radius / c->side);
  int low[3], high[3], at[3];
  double centre[3];
  for (int a = 0; a < 3; a++) {
    centre[a] = (end->centre[a] + 0.5) / c->side - 0.5;
    low[a] = (int)fmax(0, ceil(centre[a] - radius));
    high[a] = (int)fmin(c->dim[a] - 1, floor(centre[a] + radius));
  }
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        double square = 0;
        for (int a = 0; a < 3; a++) square += (at[a] - centre[a]) * (at[a] - centre[a]);
        int64_t cell = cell_of(c, at);
        if (square <= radius * radius && c->nodes[cell] > 0) visit(c, cell, user);
      }
}

/* A ring of the cells whose distance became less; each waits once at most. */
typedef struct {
  int64_t *cell;  /* [room]; owned */
  uint8_t *waits; /* [room]; owned */
  int64_t first, count, room;
} ring;

static void push(ring *r, int64_t cell) {
  if (r->waits[cell]) return;
  r->waits[cell] = 1;
  r->cell[(r->first + r->count++) % r->room] = cell;
}

static int64_t pop(ring *r) {
  int64_t cell = r->cell[r->first];
  r->first = (r->first + 1) % r->room;
  r->count--;
  r->waits[cell] = 0;
  return cell;
}

static void begin_here(const cells *c, int64_t cell, void *user) {
  c->distance[cell] = 0;
  push(user, cell);
}

static void go_on(const cells *c, int64_t cell, ring *r) {
  static const int length[4] = {0, FACE, EDGE, CORNER};
  int at[3];
  ht_voxel_place(c->dim, cell, at);
  for (int n = 0; n < 27; n++) {
    const int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    const int next[3] = {at[0] + step[0], at[1] + step[1], at[2] + step[2]};
    if (n == 13 || !ht_voxel_in_grid(c->dim, next)) continue;
    int64_t there = cell_of(c, next);
    int32_t distance = c->distance[cell] + length[abs(step[0]) + abs(step[1]) + abs(step[2])];
    if (c->nodes[there] == 0 || c->distance[there] <= distance) continue;
    c->distance[there] = distance;
    push(r, there);
  }
}

static ht_status find_distances(cells *c, int ends, const ht_sound_end *end) {
  ring r = {.room = c->count};
  for (int64_t i = 0; i < c->count; i++) c->distance[i] = FAR;
  ht_status status = ht_alloc((void **)&r.cell, (size_t)r.room, sizeof *r.cell, "a search");
  if (status == HT_OK) status = ht_alloc((void **)&r.waits, (size_t)r.room, 1, "a search");
  for (int i = 0; i < ends && status == HT_OK; i++)
    if (end[i].is_inlet) visit_end(c, &end[i], begin_here, &r);
  while (r.count > 0) go_on(c, pop(&r), &r);
  free(r.cell);
  free(r.waits);
  return status;
}

/* ---- the lines ---- */

typedef struct {
  double sum, count;
} mean_distance;

static void add_distance(const cells *c, int64_t cell, void *user) {
  mean_distance *mean = user;
  if (c->distance[cell] == FAR) return;
  mean->sum += c->distance[cell];
  mean->count++;
}

static int piece_of(int32_t distance) {
  return distance / (FACE * CELLS_A_PIECE);
}

/* The outlets that are reached, and how many pieces there are. */
static int add_lines(const cells *c, int ends, const ht_sound_end *end, ht_sound_lines *lines) {
  int most = 0;
  for (int i = 0; i < ends; i++) {
    mean_distance mean = {0};
    if (end[i].is_inlet) continue;
    visit_end(c, &end[i], add_distance, &mean);
    if (mean.count == 0) continue;
    ht_sound_line *line = &lines->line[lines->lines++];
    line->pieces = (int)fmax(1, round(mean.sum / mean.count / (FACE * CELLS_A_PIECE)));
    line->share = end[i].share;
    line->windkessel = end[i].windkessel;
    if (line->pieces > most) most = line->pieces;
  }
  return most;
}

/* volume[pieces]: nodes at each distance; those beyond the farthest outlet are added to the last.
 */
static void add_volumes(const cells *c, int pieces, double *volume) {
  for (int64_t i = 0; i < c->count; i++) {
    if (c->nodes[i] == 0 || c->distance[i] == FAR) continue;
    int piece = piece_of(c->distance[i]);
    volume[piece < pieces ? piece : pieces - 1] += c->nodes[i];
  }
}

/* The outlets beyond a piece share its section. */
static void divide(const double *volume, int pieces, double node_m3, double inlets_m2,
                   ht_sound_lines *lines) {
  for (int i = 0; i < pieces; i++) {
    double beyond = 0;
    for (int l = 0; l < lines->lines; l++)
      if (lines->line[l].pieces > i) beyond += lines->line[l].share;
    for (int l = 0; l < lines->lines; l++) {
      ht_sound_line *line = &lines->line[l];
      if (line->pieces <= i || !(beyond > 0)) continue;
      double area_m2 = volume[i] * node_m3 / lines->piece_m;
      line->area_m2[i] = area_m2 * line->share / beyond;
      line->through_m2[i] = fmin(area_m2, inlets_m2) * line->share / beyond;
    }
  }
}

/* Section of all inlets together, spacings^2. */
static double inlets_area(int ends, const ht_sound_end *end) {
  double sum = 0;
  for (int i = 0; i < ends; i++)
    if (end[i].is_inlet) sum += HT_PI * end[i].radius * end[i].radius;
  return sum;
}

static ht_status make_lines(const ht_mask *mask, int ends, const ht_sound_end *end, cells *c,
                            ht_sound_lines *lines) {
  const char *what = "the vessel's sections";
  double *volume, dx_m = 1e-3 * mask->grid.spacing_mm[0];
  HT_TRY(find_distances(c, ends, end));
  int pieces = add_lines(c, ends, end, lines);
  if (pieces == 0) return HT_OK;
  lines->piece_m = CELLS_A_PIECE * c->side * dx_m;
  for (int l = 0; l < lines->lines; l++) {
    ht_sound_line *line = &lines->line[l];
    HT_TRY(ht_alloc((void **)&line->area_m2, (size_t)line->pieces, sizeof(double), what));
    HT_TRY(ht_alloc((void **)&line->through_m2, (size_t)line->pieces, sizeof(double), what));
  }
  HT_TRY(ht_alloc((void **)&volume, (size_t)pieces, sizeof *volume, what));
  add_volumes(c, pieces, volume);
  divide(volume, pieces, pow(dx_m, 3), inlets_area(ends, end) * dx_m * dx_m, lines);
  free(volume);
  return HT_OK;
}

ht_status ht_sound_lines_make(const ht_mask *mask, int ends, const ht_sound_end *end,
                              ht_sound_lines *lines) {
  double widest = 0;
  cells c;
  memset(lines, 0, sizeof *lines);
  for (int i = 0; i < ends; i++) widest = fmax(widest, 2 * end[i].radius);
  ht_status status = make_cells(mask, widest, &c);
  if (status == HT_OK) status = make_lines(mask, ends, end, &c, lines);
  free_cells(&c);
  return status;
}

void ht_sound_lines_free(ht_sound_lines *lines) {
  if (!lines) return;
  for (int l = 0; l < lines->lines; l++) {
    free(lines->line[l].area_m2);
    free(lines->line[l].through_m2);
  }
  memset(lines, 0, sizeof *lines);
}

/* ---- a harmonic ---- */

/* Z of a section, for the flow exp(i w t). */
static double complex impedance(const ht_sound_pulse *pulse, double area_m2, double w) {
  double square = area_m2 / HT_PI * w / pulse->kinematic_m2_s; /* x^2 */
  double inertia = w * (1 + 1 / sqrt(9 + square / 2));
  double friction = 8 * w / square * sqrt(1 + square / 32);
  return pulse->density_kg_m3 / area_m2 * (friction + I * inertia);
}

/* Z of an outlet. */
static double complex end_impedance(const ht_windkessel *windkessel, double w) {
  double distal = windkessel->distal_pa_s_m3;
  if (!(distal > 0)) return 0;
  return windkessel->proximal_pa_s_m3 +
         distal / (1 + I * w * distal * windkessel->compliance_m3_pa);
}

/* Flow out over flow in. */
static double complex passes(const ht_sound_line *line, double piece_m, const ht_sound_pulse *pulse,
                             double w, double speed_m_s) {
  double complex flow = 1, pressure = end_impedance(&line->windkessel, w);
  double soft = w * piece_m / (pulse->density_kg_m3 * speed_m_s * speed_m_s);
  for (int i = line->pieces - 1; i >= 0; i--) {
    if (!(line->area_m2[i] > 0)) continue;
    double complex half = 0.5 * piece_m * impedance(pulse, line->through_m2[i], w);
    pressure += half * flow;
    flow += I * soft * line->area_m2[i] * pressure;
    pressure += half * flow;
  }
  return 1 / flow;
}

/* ---- the beat ---- */

enum { MOMENTS = 200 };

ht_sound_pulse ht_sound_pulse_of(const ht_waveform *waveform, double kinematic_m2_s,
                                 double density_kg_m3) {
  ht_sound_pulse pulse = {.peak_ml_s = ht_waveform_peak(waveform),
                          .kinematic_m2_s = kinematic_m2_s,
                          .density_kg_m3 = density_kg_m3};
  ht_waveform_harmonics(waveform, 1e-3, HT_HARMONICS_MAX, &pulse.series);
  return pulse;
}

double ht_sound_deviation(const ht_sound_lines *lines, const ht_sound_pulse *pulse,
                          double speed_m_s) {
  const ht_harmonics *series = &pulse->series;
  double off[MOMENTS] = {0}, most = 0, peak = pulse->peak_ml_s, shares = 0;
  for (int l = 0; l < lines->lines; l++) shares += lines->line[l].share;
  if (!(peak > 0) || !(shares > 0)) return 0;
  for (int k = 1; k <= series->harmonics; k++) {
    double complex sum = 0, flow = series->cosine_ml_s[k - 1] - I * series->sine_ml_s[k - 1];
    double w = 2 * HT_PI * k / series->period_s;
    for (int l = 0; l < lines->lines; l++)
      sum += lines->line[l].share / shares *
             (passes(&lines->line[l], lines->piece_m, pulse, w, speed_m_s) - 1);
    for (int m = 0; m < MOMENTS; m++)
      off[m] += creal(flow * sum * cexp(2 * HT_PI * I * k * m / MOMENTS));
  }
  for (int m = 0; m < MOMENTS; m++) most = fmax(most, fabs(off[m]));
  return most / peak;
}

double ht_sound_least_speed(const ht_sound_lines *lines, const ht_sound_pulse *pulse, double most) {
  const double slowest = 0.1, fastest = 1e4, coarse = 1.3;
  double low = fastest;
  if (lines->lines == 0 || !(most > 0)) return 0;
  while (low > slowest && ht_sound_deviation(lines, pulse, low) <= most) low /= coarse;
  if (low <= slowest) return 0;
  double high = low * coarse;
  for (int halving = 0; halving < 8; halving++) {
    double middle = sqrt(low * high);
    if (ht_sound_deviation(lines, pulse, middle) <= most)
      high = middle;
    else
      low = middle;
  }
  return high;
}
