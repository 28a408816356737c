#include "phantom/phase_contrast/flow_images.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "phantom/image/random_field.h"
#include <stdlib.h>
#include <string.h>

/* Signal of what a voxel holds; blood flows in fresh. */
static const double BLOOD = 1, TISSUE = 0.35, AIR = 0.01;
static const double TISSUE_RADII = 3; /* thickness of the tissue around the vessel */
static const double PERIOD_S = 0.8, MAGNITUDE = 1000;
static const double PLANE_MM = 6; /* thickness of a plane, at most; of a thin vessel half as wide */
static const double VENC_MARGIN = 1.1;
enum { SUB = 4, SUBS = SUB * SUB * SUB, ACROSS_MOST = 64, TIMES_MOST = 100 };

const char *const ht_pc_convention_words[] = {
    "siemens", "siemens-xa", "ge", "ge-weighted", "philips", "philips-enhanced", "standard", NULL};

void ht_pc_defaults(ht_pc_options *options) {
  *options = (ht_pc_options){.plane_percent = 50, .times = 20, .voxels_across = 8, .seed = 1};
}

/* ---- Orientations ---- */

/* Fills the columns of a signed permutation, one of 48. */
static void signed_axes(int number, double m[3][3]) {
  static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
  memset(m, 0, 9 * sizeof(double));
  for (int a = 0; a < 3; a++) m[order[number / 8][a]][a] = number >> a & 1 ? -1 : 1;
}

static void apply(const double m[3][3], const double v[3], double out[3]) {
  double w[3] = {v[0], v[1], v[2]};
  for (int r = 0; r < 3; r++) out[r] = m[r][0] * w[0] + m[r][1] * w[1] + m[r][2] * w[2];
}

static void apply_back(const double m[3][3], const double v[3], double out[3]) {
  double w[3] = {v[0], v[1], v[2]};
  for (int r = 0; r < 3; r++) out[r] = m[0][r] * w[0] + m[1][r] * w[1] + m[2][r] * w[2];
}

int ht_pc_truth(const ht_vessel_flow *flow, int patient, const double position_mm[3],
                double m_s[3]) {
  double turned[3][3], at[3];
  signed_axes(patient, turned);
  apply_back(turned, position_mm, at);
  const int inside = ht_vessel_velocity(flow, at, m_s);
  apply(turned, m_s, m_s);
  return inside;
}

/* Makes the grid with axes `axes` (columns), and voxels `dim` of `spacing` along them, around
 * `centre`; then puts its axes into the order of the orientation. */
static ht_grid oriented_grid(const double axes[3][3], const int dim[3], const double spacing[3],
                             const double centre[3], int orientation) {
  ht_grid grid = ht_grid_make(1, 1, 1);
  double order[3][3], middle[3];
  signed_axes(orientation, order);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      if (order[b][a] == 0) continue;
      grid.dim[a] = dim[b];
      grid.spacing_mm[a] = spacing[b];
      for (int r = 0; r < 3; r++) grid.direction[r][a] = order[b][a] * axes[r][b];
    }
  for (int a = 0; a < 3; a++) middle[a] = -0.5 * (grid.dim[a] - 1) * grid.spacing_mm[a];
  ht_grid_to_lps(&grid, middle, grid.origin_mm);
  for (int r = 0; r < 3; r++) grid.origin_mm[r] += centre[r];
  return grid;
}

static ht_grid plane_grid(const ht_pc_options *options, const ht_vessel_station *station) {
  const double h = 2 * station->radius_mm / options->voxels_across;
  const int side = (int)fmax(4, ceil(3 * options->voxels_across));
  double across[2][3], axes[3][3];
  ht_span_across(station->along, across);
  for (int r = 0; r < 3; r++)
    axes[r][0] = across[0][r], axes[r][1] = across[1][r], axes[r][2] = station->along[r];
  /* The third axis stays: of the orders of the axes only those that swap the other two. */
  const int orientation = options->orientation / 8 % 2 * 8 + options->orientation % 8;
  return oriented_grid((const double(*)[3])axes, (int[3]){side, side + 2, 1},
                       (double[3]){h, h, fmin(PLANE_MM, station->radius_mm)}, station->point_mm,
                       orientation);
}

static ht_grid volume_grid(const ht_pc_options *options, const ht_shape *shape,
                           const ht_vessel_station *station) {
  static const double oblique[3] = {0.6, -0.64, 0.48}; /* as the phantom's scan */
  const double h = 2 * station->radius_mm / options->voxels_across;
  double axes[3][3];
  int dim[3];
  ht_turn(oblique, shape->tilt_degrees, axes);
  for (int a = 0; a < 3; a++) dim[a] = (int)fmax(3, nearbyint(shape->box_mm[a] / h));
  return oriented_grid((const double(*)[3])axes, dim, (double[3]){h, h, h}, (double[3]){0, 0, 0},
                       options->orientation);
}

/* ---- Signal ---- */

typedef struct {
  const ht_vessel_flow *flow;
  const ht_pc_options *options;
  ht_measured_flow *measured;
  double tissue_mm;
} painter;

/* What a voxel holds, at SUBS places: its velocity at the mean flow and its signal. */
typedef struct {
  int places;
  double v[SUBS][3], signal[SUBS];
} contents;

static void fill_contents(const painter *p, const int at[3], contents *held) {
  const ht_grid *grid = &p->measured->grid;
  const ht_shape *shape = p->flow->shape;
  double turned[3][3], place[3], middle[3];
  signed_axes(p->options->patient, turned);
  ht_grid_position(grid, (double[3]){at[0], at[1], at[2]}, place);
  apply_back(turned, place, middle);
  const double distance = ht_shape_distance(shape, middle, NULL);
  const double reach = 0.5 * ht_length(grid->spacing_mm);
  held->places = distance > reach ? 1 : SUBS;
  for (int s = 0; s < held->places; s++) {
    const int sub[3] = {s % SUB, s / SUB % SUB, s / SUB / SUB};
    double index[3];
    for (int a = 0; a < 3; a++)
      index[a] = held->places == 1 ? at[a] : at[a] + (sub[a] + 0.5) / SUB - 0.5;
    ht_grid_position(grid, index, place);
    const int blood = ht_pc_truth(p->flow, p->options->patient, place, held->v[s]);
    held->signal[s] = blood ? BLOOD : distance < p->tissue_mm ? TISSUE : AIR;
  }
}

/* Phase offset, in half turns: a plane over the image, another for each direction. */
static double offset_at(const painter *p, const int at[3], int encoding) {
  const int *dim = p->measured->grid.dim;
  const double x = 2. * at[0] / fmax(1, dim[0] - 1) - 1, y = 2. * at[1] / fmax(1, dim[1] - 1) - 1;
  return p->options->offset * (encoding == 1 ? 0.3 * x - 0.7 * y : 0.6 * x + 0.4 * y);
}

static void paint_one(const painter *p, const contents *held, const int at[3], int64_t voxel,
                      int time, int encoding) {
  ht_measured_flow *m = p->measured;
  const ht_velocity_encoding *e = &m->encoding[encoding];
  const double beat = ht_vessel_beat(m->time_s[time] / m->period_s);
  const double noise = HT_PI * p->options->noise * BLOOD, offset = offset_at(p, at, encoding);
  const uint64_t stream = ht_random_stream(p->options->seed, 100 + time * 3 + encoding);
  double real = noise * ht_random_normal(stream, (uint64_t)(2 * voxel));
  double imaginary = noise * ht_random_normal(stream, (uint64_t)(2 * voxel + 1));
  for (int s = 0; s < held->places; s++) {
    const double part = beat * ht_dot(held->v[s], e->direction) / e->venc_m_s + offset;
    real += held->signal[s] * cos(HT_PI * part) / held->places;
    imaginary += held->signal[s] * sin(HT_PI * part) / held->places;
  }
  ht_measured_part(m, time, encoding)[voxel] =
      (float)(e->venc_m_s * atan2(imaginary, real) / HT_PI);
  if (encoding == 0)
    m->magnitude[time * ht_grid_voxels(&m->grid) + voxel] =
        (float)nearbyint(MAGNITUDE * hypot(real, imaginary));
}

static void paint(const painter *p) {
  const ht_measured_flow *m = p->measured;
  const int64_t voxels = ht_grid_voxels(&m->grid);
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t v = 0; v < voxels; v++) {
    contents held;
    int at[3];
    ht_voxel_place(m->grid.dim, v, at);
    fill_contents(p, at, &held);
    for (int t = 0; t < m->times; t++)
      for (int e = 0; e < m->encodings; e++) paint_one(p, &held, at, v, t, e);
  }
}

/* ---- All of it ---- */

static ht_status check(const char *what, double value, double least, double most) {
  if (value >= least && value <= most) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "the %s of the phase-contrast images is %g: allowed is %g to %g",
                 what, value, least, most);
}

static ht_status check_options(const ht_pc_options *o) {
  HT_TRY(check("place of the plane (per cent)", o->plane_percent, 0, 100));
  if (o->venc_m_s != 0) HT_TRY(check("venc (m/s)", o->venc_m_s, 0.01, 20));
  HT_TRY(check("noise (of venc)", o->noise, 0, 0.5));
  HT_TRY(check("offset (of venc)", o->offset, 0, 0.5));
  HT_TRY(check("orientation", o->orientation, 0, HT_PC_ORIENTATIONS - 1));
  HT_TRY(check("number of time points", o->times, 1, TIMES_MOST));
  return check("number of voxels across", o->voxels_across, 2, ACROSS_MOST);
}

/* Peak velocity in the beat, on the axis: at the plane, or of a volume at its narrowest section. */
static double peak_velocity(const ht_vessel_flow *flow, const ht_pc_options *options,
                            const ht_vessel_station *station) {
  const ht_tube *tube = &flow->shape->tube[0];
  double most = 0, v[3];
  if (options->is_plane)
    return 2 * station->flow_ml_s / (HT_PI * pow(station->radius_mm, 2)) * ht_vessel_beat(0.25);
  for (int i = 0; i < tube->points; i++)
    if (ht_vessel_velocity(flow, tube->point[i], v)) most = fmax(most, ht_length(v));
  return most * ht_vessel_beat(0.25);
}

static ht_status begin(const ht_vessel_flow *flow, const ht_pc_options *options,
                       ht_pc_phantom *made) {
  double turned[3][3];
  ht_vessel_station_at(flow, options->is_plane ? options->plane_percent : 0, &made->station);
  ht_grid grid = options->is_plane ? plane_grid(options, &made->station)
                                   : volume_grid(options, flow->shape, &made->station);
  signed_axes(options->patient, turned);
  for (int a = 0; a < 3; a++) {
    double axis[3] = {grid.direction[0][a], grid.direction[1][a], grid.direction[2][a]};
    apply(turned, axis, axis);
    for (int r = 0; r < 3; r++) grid.direction[r][a] = axis[r];
  }
  apply(turned, grid.origin_mm, grid.origin_mm);
  apply(turned, made->station.point_mm, made->station.point_mm);
  apply(turned, made->station.along, made->station.along);
  HT_TRY(
      ht_measured_flow_alloc(&grid, options->times, options->is_plane ? 1 : 3, 1, &made->measured));
  return ht_alloc((void **)&made->flow_ml_s, (size_t)options->times, sizeof(double), "the flow");
}

static void encode(const ht_vessel_flow *flow, const ht_pc_options *options, ht_pc_phantom *made) {
  ht_measured_flow *m = &made->measured;
  double venc = options->venc_m_s > 0 ? options->venc_m_s
                                      : VENC_MARGIN * peak_velocity(flow, options, &made->station);
  venc = fmax(1, nearbyint(100 * venc)) / 100; /* scanners store whole cm/s */
  for (int e = 0; e < m->encodings; e++) {
    const int axis = m->encodings == 1 ? 2 : e;
    m->encoding[e].venc_m_s = venc;
    m->encoding[e].sign = HT_SIGN_GIVEN;
    for (int r = 0; r < 3; r++) m->encoding[e].direction[r] = m->grid.direction[r][axis];
  }
  m->period_s = PERIOD_S;
  for (int t = 0; t < m->times; t++) {
    m->time_s[t] = PERIOD_S * t / m->times;
    made->flow_ml_s[t] = made->station.flow_ml_s * ht_vessel_beat(m->time_s[t] / PERIOD_S);
  }
}

static ht_status make(const ht_shape *shape, const ht_pc_options *options, ht_pc_phantom *made) {
  ht_vessel_flow flow;
  HT_TRY(ht_vessel_flow_prepare(shape, &flow));
  HT_TRY(begin(&flow, options, made));
  encode(&flow, options, made);
  const painter p = {&flow, options, &made->measured, TISSUE_RADII * made->station.radius_mm};
  paint(&p);
  return HT_OK;
}

ht_status ht_pc_make(const ht_phantom_options *phantom, const ht_pc_options *options,
                     ht_pc_phantom *made) {
  ht_shape *shape;
  memset(made, 0, sizeof *made);
  HT_TRY(check_options(options));
  HT_TRY(ht_shape_make(phantom, &shape));
  ht_status status = make(shape, options, made);
  if (status != HT_OK) ht_pc_free(made);
  free(shape);
  return status;
}

void ht_pc_free(ht_pc_phantom *made) {
  if (!made) return;
  ht_measured_flow_free(&made->measured);
  free(made->flow_ml_s);
  memset(made, 0, sizeof *made);
}
