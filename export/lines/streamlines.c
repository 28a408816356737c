#include "export/lines/streamlines.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "streamlines";
static const double rest = 1e-4;   /* of the highest speed; below it the blood counts as at rest */
static const double diagonals = 3; /* the longest line in one direction, diagonals of the grid */
static const double step_share = 0.5;

typedef struct {
  const ht_domain *domain;
  const ht_flow *flow;
  double least_m_s, step_mm, longest_mm;
  int64_t every;           /* steps between two points that are kept */
  float *point_mm, *speed; /* of one direction; [most] */
  int64_t most;
} tracer;

static int in_vessel(const tracer *of, const double at_mm[3]) {
  double index[3];
  int at[3];
  const ht_mask *mask = &of->domain->mask;
  ht_grid_index(&mask->grid, at_mm, index);
  for (int a = 0; a < 3; a++) at[a] = (int)floor(index[a] + 0.5);
  return ht_voxel_in_grid(mask->grid.dim, at) &&
         mask->inside[ht_voxel_index(mask->grid.dim, at)] == HT_VESSEL;
}

/* Interpolates the velocity trilinearly; 0 in the solid and outside the grid. Returns the speed. */
static double velocity_at(const ht_flow *flow, const double at_mm[3], double velocity[3]) {
  double index[3];
  int base[3];
  ht_grid_index(&flow->grid, at_mm, index);
  for (int a = 0; a < 3; a++) base[a] = (int)floor(index[a]);
  memset(velocity, 0, 3 * sizeof *velocity);
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    int at[3];
    for (int a = 0; a < 3; a++) {
      int up = corner >> a & 1;
      at[a] = base[a] + up;
      weight *= up ? index[a] - base[a] : 1 - (index[a] - base[a]);
    }
    int64_t node = ht_flow_node_at(flow, at);
    for (int r = 0; r < 3 && node >= 0; r++)
      velocity[r] += weight * flow->velocity_m_s[3 * node + r];
  }
  return ht_length(velocity);
}

/* Finds the unit direction along (`along` 1) or against (-1) the velocity. Returns 0 where the
 * blood is almost at rest. */
static int direction_at(const tracer *of, const double at_mm[3], double along, double out[3]) {
  double speed = velocity_at(of->flow, at_mm, out);
  if (!(speed > of->least_m_s)) return 0;
  for (int r = 0; r < 3; r++) out[r] *= along / speed;
  return 1;
}

static int runge_kutta(const tracer *of, double along, double at[3]) {
  static const double ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double slope[3] = {0, 0, 0}, sum[3] = {0, 0, 0}, place[3];
  for (int s = 0; s < 4; s++) {
    for (int r = 0; r < 3; r++) place[r] = at[r] + ahead[s] * of->step_mm * slope[r];
    if (!direction_at(of, place, along, slope)) return 0;
    for (int r = 0; r < 3; r++) sum[r] += weight[s] * slope[r];
  }
  for (int r = 0; r < 3; r++) at[r] += of->step_mm * sum[r] / 6;
  return 1;
}

/* Traces the points beyond the seed in one direction into of->point_mm. Returns their number. */
static int64_t follow(tracer *of, const double seed_mm[3], double along) {
  double at[3] = {seed_mm[0], seed_mm[1], seed_mm[2]}, velocity[3];
  int64_t count = 0, steps = (int64_t)(of->longest_mm / of->step_mm);
  for (int64_t s = 1; s <= steps && count < of->most; s++) {
    if (!runge_kutta(of, along, at) || !in_vessel(of, at)) break;
    if (s % of->every) continue;
    for (int r = 0; r < 3; r++) of->point_mm[3 * count + r] = (float)at[r];
    of->speed[count++] = (float)velocity_at(of->flow, at, velocity);
  }
  return count;
}

static ht_status grow(ht_streamlines *lines, int64_t more) {
  size_t points = (size_t)(lines->points + more);
  float *place = realloc(lines->point_mm, 3 * points * sizeof(float));
  if (place) lines->point_mm = place;
  float *speed = realloc(lines->speed_m_s, points * sizeof(float));
  if (speed) lines->speed_m_s = speed;
  return place && speed ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for %s", what);
}

static void append(ht_streamlines *lines, const float point_mm[3], float speed) {
  memcpy(lines->point_mm + 3 * lines->points, point_mm, 3 * sizeof(float));
  lines->speed_m_s[lines->points++] = speed;
}

/* Adds a line: upstream in reverse, the seed, downstream. Drops a line of fewer than three points.
 */
static ht_status add_line(tracer *of, const double seed_mm[3], ht_streamlines *lines) {
  double velocity[3];
  int64_t begun = lines->points;
  if (!in_vessel(of, seed_mm)) return HT_OK;
  int64_t up = follow(of, seed_mm, -1);
  HT_TRY(grow(lines, up + 1));
  for (int64_t i = up - 1; i >= 0; i--) append(lines, of->point_mm + 3 * i, of->speed[i]);
  const float seed[3] = {(float)seed_mm[0], (float)seed_mm[1], (float)seed_mm[2]};
  append(lines, seed, (float)velocity_at(of->flow, seed_mm, velocity));
  int64_t down = follow(of, seed_mm, 1);
  HT_TRY(grow(lines, down));
  for (int64_t i = 0; i < down; i++) append(lines, of->point_mm + 3 * i, of->speed[i]);
  if (lines->points - begun < 3)
    lines->points = begun;
  else
    lines->first[++lines->lines] = (int32_t)lines->points;
  return HT_OK;
}

static double fastest(const ht_flow *flow) {
  double most = 0;
  for (int64_t n = 0; n < flow->nodes; n++) {
    const float *v = flow->velocity_m_s + 3 * n;
    most = fmax(most, ht_length((double[3]){v[0], v[1], v[2]}));
  }
  return most;
}

static tracer tracer_of(const ht_domain *domain, const ht_flow *flow, double apart_mm) {
  double spacing = flow->grid.spacing_mm[0], extent[3];
  for (int a = 0; a < 3; a++) extent[a] = flow->grid.dim[a] * spacing;
  tracer of = {.domain = domain, .flow = flow, .step_mm = step_share * spacing};
  of.least_m_s = rest * fastest(flow);
  of.longest_mm = diagonals * ht_length(extent);
  of.every = (int64_t)fmax(1, round(apart_mm / of.step_mm));
  of.most = (int64_t)(of.longest_mm / of.step_mm) / of.every + 1;
  return of;
}

ht_status ht_streamlines_trace(const ht_domain *domain, const ht_flow *flow,
                               const double (*seed_mm)[3], int seeds, double apart_mm,
                               ht_streamlines *lines) {
  tracer of = tracer_of(domain, flow, apart_mm);
  ht_status status;
  memset(lines, 0, sizeof *lines);
  HT_TRY_DONE(ht_alloc((void **)&of.point_mm, 3 * (size_t)of.most, sizeof(float), what));
  HT_TRY_DONE(ht_alloc((void **)&of.speed, (size_t)of.most, sizeof(float), what));
  HT_TRY_DONE(ht_alloc((void **)&lines->first, (size_t)seeds + 1, sizeof(int32_t), what));
  for (int s = 0; s < seeds; s++) HT_TRY_DONE(add_line(&of, seed_mm[s], lines));
done:
  free(of.point_mm);
  free(of.speed);
  if (status != HT_OK) ht_streamlines_free(lines);
  return status;
}

void ht_streamlines_free(ht_streamlines *lines) {
  if (!lines) return;
  free(lines->first);
  free(lines->point_mm);
  free(lines->speed_m_s);
  memset(lines, 0, sizeof *lines);
}

/* ---- seeds ---- */

/* Places a seed on an opening's disc, within nine tenths of the radius, one spacing inside the
 * vessel. */
static void seed_on_disc(const ht_opening *opening, double inside_mm, int n, int count,
                         double seed_mm[3]) {
  const double golden = HT_PI * (3 - sqrt(5));
  double across[2][3], radius = 0.9 * opening->radius_mm * sqrt((n + 0.5) / count);
  ht_span_across(opening->direction, across);
  for (int r = 0; r < 3; r++)
    seed_mm[r] = opening->centre_mm[r] - inside_mm * opening->direction[r] +
                 radius * (cos(golden * n) * across[0][r] + sin(golden * n) * across[1][r]);
}

static int seeds_of_inlets(const ht_domain *domain, int most, double (*seed_mm)[3]) {
  double area = 0;
  int count = 0;
  for (int p = 0; p < domain->ports; p++)
    if (domain->port[p].opening.role == HT_ROLE_INLET) area += domain->port[p].opening.area_mm2;
  for (int p = 0; p < domain->ports; p++) {
    const ht_opening *opening = &domain->port[p].opening;
    if (opening->role != HT_ROLE_INLET || !(area > 0)) continue;
    int share = (int)(most * opening->area_mm2 / area);
    for (int n = 0; n < share && count < most; n++)
      seed_on_disc(opening, domain->mask.grid.spacing_mm[0], n, share, seed_mm[count++]);
  }
  return count;
}

static int seeds_of_nodes(const ht_mask *mask, int most, double (*seed_mm)[3]) {
  int64_t voxels = ht_grid_voxels(&mask->grid), inside = 0, seen = 0;
  int count = 0;
  for (int64_t v = 0; v < voxels; v++) inside += mask->inside[v] == HT_VESSEL;
  for (int64_t v = 0; v < voxels && count < most; v++) {
    if (mask->inside[v] != HT_VESSEL) continue;
    if (seen++ >= (2 * (int64_t)count + 1) * inside / (2 * most))
      ht_grid_voxel_position(&mask->grid, v, seed_mm[count++]);
  }
  return count;
}

int ht_streamline_seeds(const ht_domain *domain, double (*seed_mm)[3]) {
  const int most = HT_STREAMLINE_SEEDS * 2 / 3;
  int count = seeds_of_inlets(domain, most, seed_mm);
  return count + seeds_of_nodes(&domain->mask, HT_STREAMLINE_SEEDS - count, seed_mm + count);
}
