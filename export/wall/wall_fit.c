/* The fit of the stress at the wall. It uses the nodes' stress and not the velocity's slope: where
 * a pressure gradient drives the flow, the velocity of the nodes next to an interpolated wall is
 * low by some 0.01 spacings of the wall's shear. Over their small distance from a wall at rest that
 * is some per cent of the slope. The nodes' own stress follows the pressure gradient from 0.5
 * spacings on.
 *
 * Nearer to the wall the stress is low too, the more so the nearer the relaxation time is to 1/2.
 * The fit must not follow it there, and must find a thin boundary layer without nodes in it. So the
 * slope of the stress at the wall is prescribed. Fluid at rest has no acceleration (also in a
 * pulse, also where the viscosity changes): the stress on planes parallel to the wall balances the
 * pressure, d(stress)/dy = grad p + (k1 + k2) stress along the wall, k1 and k2 its curvatures. */
#include "export/wall/wall_fit.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { TERMS = 9, REACH = 3 };

/* Least distance of a node from the wall: one on the wall or beyond it (the mask decides which
 * nodes flow) counts as a little inside, as in the solver. */
static const double least_distance = 0.01;
static const double least_growth =
    0.8; /* change of the distance a spacing; less of it lies between two walls */
/* Independent part of a term, relative to those before it, below which the term is left out. */
static const double told = 1e-5;
/* Constant of a node's weight y^2 / (y^2 + near2): closer than 0.5 spacings its stress is low. */
static const double near2 = 0.3;
/* Depth below the wall at which its curvature is measured, and the reach to each side. */
static const double curvature_depth = 1.5, curvature_arm = 2; /* spacings */
/* Largest curvature (1 / radius) of a wall around the fluid, and of one that bulges into it; more
 * is noise. */
static const double most_curvature = 0.6, least_curvature = -0.3; /* 1 / spacings */
/* Least number of nodes that determine the gradient of the pressure. */
static const int enough_nodes = 2 * TERMS;
/* Depth below the wall, and the distance there below which another wall is near. */
static const double probe_depth = 2.75, least_distance_there = 2.45; /* spacings */

/* The place of a fit: a frame at the wall, lattice units. */
typedef struct {
  const ht_domain *domain;
  const ht_flow *flow;
  double wall[3], inward[3], across[2][3];
  double stretch; /* of the domain's distance, so that it grows by 1 a spacing */
  int low[3], high[3];
} place;

typedef struct {
  double weight, y, s, t;
  double depth; /* below the tangent plane */
  int64_t node;
} sample;

/* ---- where ---- */

/* Interpolates the distance trilinearly; outside the lattice it is the border's. */
static double distance_at(const ht_domain *domain, const double index[3]) {
  const int *dim = domain->mask.grid.dim;
  int low[3];
  double part[3], sum = 0;
  for (int a = 0; a < 3; a++) {
    low[a] = (int)fmin(fmax(floor(index[a]), 0), dim[a] > 1 ? dim[a] - 2 : 0);
    part[a] = fmin(fmax(index[a] - low[a], 0), dim[a] > 1);
  }
  for (int c = 0; c < 8; c++) {
    int64_t voxel = 0;
    double weight = 1;
    for (int a = 2; a >= 0; a--) {
      int bit = c >> a & 1;
      weight *= bit ? part[a] : 1 - part[a];
      voxel = voxel * dim[a] + low[a] + (bit && weight > 0);
    }
    if (weight > 0) sum += weight * domain->wall_distance[voxel];
  }
  return sum;
}

/* Finds the unit normal into the fluid: the distance's gradient over two spacings, smoother than
 * the surface's own normals, which replace it where the gradient is too small (between two walls).
 */
static void find_normal(const ht_domain *domain, const double index[3], const double otherwise[3],
                        double inward[3]) {
  for (int a = 0; a < 3; a++) {
    double before[3] = {index[0], index[1], index[2]}, after[3] = {index[0], index[1], index[2]};
    before[a] -= 1, after[a] += 1;
    inward[a] = (distance_at(domain, after) - distance_at(domain, before)) / 2;
  }
  double length = ht_length(inward);
  for (int a = 0; a < 3; a++) inward[a] = length > 0.5 ? inward[a] / length : otherwise[a];
}

/* Finds the growth of the distance over two spacings into the fluid or out of it (a smoothed
 * distance grows by less than 1 per spacing): the larger, as one of the two may end at another
 * wall. */
static double find_growth(const ht_domain *domain, const double index[3], const double inward[3]) {
  double here = distance_at(domain, index), growth = 0;
  for (int side = -1; side < 2; side += 2) {
    double there[3];
    for (int a = 0; a < 3; a++) there[a] = index[a] + 2 * side * inward[a];
    growth = fmax(growth, side * (distance_at(domain, there) - here) / 2);
  }
  return fmin(fmax(growth, least_growth), 1 / least_growth);
}

/* Finds two unit vectors perpendicular to a third. */
static void find_across(const double inward[3], double across[2][3]) {
  int least = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(inward[a]) < fabs(inward[least])) least = a;
  const int b = (least + 1) % 3, c = (least + 2) % 3;
  double length = hypot(inward[b], inward[c]), *s = across[0], *t = across[1];
  s[least] = 0, s[b] = -inward[c] / length, s[c] = inward[b] / length;
  for (int a = 0; a < 3; a++)
    t[a] = inward[(a + 1) % 3] * s[(a + 2) % 3] - inward[(a + 2) % 3] * s[(a + 1) % 3];
}

static void set_place(const ht_domain *domain, const ht_flow *flow, const double index[3],
                      const double inward[3], place *at) {
  at->domain = domain;
  at->flow = flow;
  find_normal(domain, index, inward, at->inward);
  at->stretch = 1 / find_growth(domain, index, at->inward);
  double depth = fmin(fmax(at->stretch * distance_at(domain, index), -1), 1);
  find_across(at->inward, at->across);
  for (int a = 0; a < 3; a++) {
    at->wall[a] = index[a] - depth * at->inward[a];
    at->low[a] = (int)fmax(ceil(at->wall[a] - REACH), 0);
    at->high[a] = (int)fmin(floor(at->wall[a] + REACH), domain->mask.grid.dim[a] - 1);
  }
}

/* Returns 1 if the node counts: within reach, and nearest to this wall, not to a wall across a gap:
 * its distance is then that from the tangent plane, apart from the wall's curvature. */
static int take_node(const place *at, int x, int y, int z, sample *found) {
  const int *dim = at->flow->grid.dim;
  int64_t voxel = x + dim[0] * (y + (int64_t)dim[1] * z);
  double off[3] = {x - at->wall[0], y - at->wall[1], z - at->wall[2]};
  double far2 = ht_dot(off, off) / (REACH * REACH);
  found->node = ht_flow_node(at->flow, voxel);
  if (found->node < 0 || far2 >= 1) return 0;
  found->weight = (1 - far2) * (1 - far2);
  found->y = fmax(at->stretch * at->domain->wall_distance[voxel], least_distance);
  found->s = ht_dot(off, at->across[0]);
  found->t = ht_dot(off, at->across[1]);
  found->depth = ht_dot(off, at->inward);
  double bend = 0.25 * (found->s * found->s + found->t * found->t);
  return fabs(found->y - found->depth) <= 0.5 + bend;
}

/* ---- the fit ---- */

/* Fills in a node's terms in order of precedence: few nodes determine only the first ones. */
static void terms_of(const sample *at, double term[TERMS]) {
  const double y = at->y, s = at->s, t = at->t;
  const double all[TERMS] = {1, y, y * y, s, t, s * s, s * t, t * t, y * y * y};
  memcpy(term, all, sizeof all);
}

/* A node's row: its value counts by weight * term in the right-hand side. */
typedef struct {
  double weight, term[TERMS];
  int32_t node;
} row;

typedef struct {
  double normal[TERMS][TERMS], weight; /* the lower triangle; sum of the weights */
  int nodes;
  row row[HT_WALL_FIT_NODES];
} fit;

static void add_terms(fit *sums, double weight, const double term[TERMS]) {
  sums->weight += weight;
  for (int i = 0; i < TERMS; i++) {
    double weighted = weight * term[i];
    for (int j = 0; j <= i; j++) sums->normal[i][j] += weighted * term[j];
  }
}

static void add_node(fit *sums, const place *at, const sample *found) {
  row *to = &sums->row[sums->nodes++];
  (void)at;
  to->weight = found->weight * found->y * found->y / (found->y * found->y + near2);
  to->node = (int32_t)found->node;
  terms_of(found, to->term);
  add_terms(sums, to->weight, to->term);
}

/* Adds a node between two walls, where the stress changes its sign: it counts if the distance grows
 * away from this wall. */
static void add_near_node(fit *sums, const place *at, const sample *found) {
  double grown[2], there[3];
  for (int side = 0; side < 2; side++) {
    double depth = found->depth + (side ? 0.5 : -0.5);
    for (int a = 0; a < 3; a++)
      there[a] = at->wall[a] + found->s * at->across[0][a] + found->t * at->across[1][a] +
                 depth * at->inward[a];
    grown[side] = distance_at(at->domain, there);
  }
  if (grown[1] >= grown[0]) add_node(sums, at, found);
}

/* The factors L D L^T; a term without a pivot of its own has d = 0, and its coefficient is 0. */
typedef struct {
  double l[TERMS][TERMS], d[TERMS];
} factors;

static void factorise(const fit *sums, factors *of) {
  memset(of, 0, sizeof *of);
  for (int i = 0; i < TERMS; i++) {
    of->d[i] = sums->normal[i][i];
    for (int j = 0; j < i; j++) {
      double sum = sums->normal[i][j];
      for (int k = 0; k < j; k++) sum -= of->l[i][k] * of->l[j][k] * of->d[k];
      of->l[i][j] = of->d[j] > 0 ? sum / of->d[j] : 0;
      of->d[i] -= of->l[i][j] * of->l[i][j] * of->d[j];
    }
    if (!(of->d[i] > told * sums->normal[i][i])) of->d[i] = 0;
  }
}

/* Finds a coefficient as a sum over the right-hand side, a share for each of its terms: a row of
 * the inverse, which is also a column of it. */
static void shares_of(const factors *of, int coefficient, double c[TERMS]) {
  for (int i = 0; i < TERMS; i++) {
    c[i] = i == coefficient;
    for (int k = 0; k < i; k++) c[i] -= of->l[i][k] * c[k];
  }
  for (int i = 0; i < TERMS; i++) c[i] = of->d[i] > 0 ? c[i] / of->d[i] : 0;
  for (int i = TERMS - 1; i >= 0; i--)
    for (int k = i + 1; k < TERMS && of->d[i] > 0; k++) c[i] -= of->l[k][i] * c[k];
}

static double product(const double a[TERMS], const double b[TERMS]) {
  double sum = 0;
  for (int i = 0; i < TERMS; i++) sum += a[i] * b[i];
  return sum;
}

static void lps_of(const ht_grid *grid, const double lattice[3], double lps[3]) {
  ht_grid_to_lps(grid, lattice, lps);
  double length = ht_length(lps);
  for (int r = 0; r < 3; r++) lps[r] /= length;
}

/* ---- the balance of momentum at the wall ---- */

/* The sum of the wall's curvatures, 1 / spacings, > 0 where it is hollow. Along the two directions
 * across, from the distance on the parallel surface below, whose radius is smaller by the depth. */
static double curvature_of(const place *at) {
  double middle[3], there[3], sum = 0;
  for (int a = 0; a < 3; a++) middle[a] = at->wall[a] + curvature_depth * at->inward[a];
  double here = distance_at(at->domain, middle);
  for (int k = 0; k < 2; k++) {
    double bend = -2 * here;
    for (int side = -1; side < 2; side += 2) {
      for (int a = 0; a < 3; a++) there[a] = middle[a] + side * curvature_arm * at->across[k][a];
      bend += distance_at(at->domain, there);
    }
    double below = -at->stretch * bend / (curvature_arm * curvature_arm);
    below = fmin(fmax(below, least_curvature), most_curvature);
    sum += below / (1 + below * curvature_depth);
  }
  return sum;
}

/* Adds the balance with as much weight as all nodes together: b - curvature a = pressure gradient
 * along the wall. `term`: its terms. Returns its weight. */
static double add_balance(fit *sums, const place *at, double term[TERMS]) {
  const double weight = sums->weight;
  term[0] = -curvature_of(at);
  term[1] = 1;
  add_terms(sums, weight, term);
  return weight;
}

/* ---- all of it ---- */

static int is_narrow(const place *at) {
  double below[3];
  for (int a = 0; a < 3; a++) below[a] = at->wall[a] + probe_depth * at->inward[a];
  return at->stretch * distance_at(at->domain, below) < least_distance_there;
}

static void visit_nodes(const place *at, void (*each)(fit *, const place *, const sample *),
                        fit *sums) {
  const double slack = 1e-9; /* for rounding; take_node decides */
  sample found;
  for (int z = at->low[2]; z <= at->high[2]; z++)
    for (int y = at->low[1]; y <= at->high[1]; y++) {
      double dy = y - at->wall[1], dz = z - at->wall[2], left = REACH * REACH - dy * dy - dz * dz;
      double arm = sqrt(fmax(left, 0)) + slack;
      int from = (int)fmax(ceil(at->wall[0] - arm), at->low[0]);
      int to = (int)fmin(floor(at->wall[0] + arm), at->high[0]);
      for (int x = from; x <= to; x++)
        if (take_node(at, x, y, z, &found)) each(sums, at, &found);
    }
}

static void take_frame(const place *at, ht_wall_frame *frame) {
  const double *axis[3] = {at->inward, at->across[0], at->across[1]};
  for (int k = 0; k < 3; k++) {
    double lps[3];
    lps_of(&at->flow->grid, axis[k], lps);
    for (int r = 0; r < 3; r++) frame->axis[k][r] = (float)lps[r];
  }
}

/* Finds the nodes' weights: the stress at the wall is coefficient 0; the pressure's slopes across
 * are 3 and 4. */
static void find_weights(fit *sums, const place *at, ht_wall_weight *weight) {
  factors of;
  double slope[2][TERMS] = {{0}}, stress[TERMS], balance[TERMS] = {0}, by_slope = 0;
  if (sums->nodes >= enough_nodes) {
    factorise(sums, &of);
    for (int k = 0; k < 2; k++) shares_of(&of, 3 + k, slope[k]);
    by_slope = add_balance(sums, at, balance);
  }
  factorise(sums, &of);
  shares_of(&of, 0, stress);
  by_slope *= product(stress, balance);
  for (int n = 0; n < sums->nodes; n++) {
    const row *from = &sums->row[n];
    weight[n].node = from->node;
    weight[n].stress = (float)(from->weight * product(stress, from->term));
    for (int k = 0; k < 2; k++)
      weight[n].slope[k] = (float)(by_slope * from->weight * product(slope[k], from->term));
  }
}

void ht_wall_fit(const ht_domain *domain, const ht_flow *flow, const double index[3],
                 const double inward[3], ht_wall_frame *frame,
                 ht_wall_weight weight[HT_WALL_FIT_NODES]) {
  place at;
  fit found;
  memset(found.normal, 0, sizeof found.normal);
  found.weight = 0;
  found.nodes = 0;
  set_place(domain, flow, index, inward, &at);
  visit_nodes(&at, is_narrow(&at) ? add_near_node : add_node, &found);
  if (found.nodes == 0) visit_nodes(&at, add_node, &found);
  frame->nodes = found.nodes;
  take_frame(&at, frame);
  if (found.nodes > 0) find_weights(&found, &at, weight);
}

/* Sums the weights. Pressures are taken relative to the first node's: the weights of a slope add up
 * to 0 but for their rounding. */
void ht_wall_fit_load(const ht_wall_frame *frame, const ht_wall_weight *weight, const ht_flow *flow,
                      double wss_pa[3]) {
  double s[6] = {0}, slope[2] = {0}, through = 0;
  const double first = flow->pressure_pa[weight[0].node];
  for (int n = 0; n < frame->nodes; n++) {
    const float *v = flow->stress_pa + 6 * (int64_t)weight[n].node;
    const double above = flow->pressure_pa[weight[n].node] - first;
    for (int k = 0; k < 6; k++) s[k] += (double)weight[n].stress * v[k];
    for (int k = 0; k < 2; k++) slope[k] += (double)weight[n].slope[k] * above;
  }
  const double on[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
  for (int r = 0; r < 3; r++) {
    wss_pa[r] = slope[0] * frame->axis[1][r] + slope[1] * frame->axis[2][r];
    for (int a = 0; a < 3; a++) wss_pa[r] += on[r][a] * frame->axis[0][a];
  }
  for (int r = 0; r < 3; r++) through += wss_pa[r] * frame->axis[0][r];
  for (int r = 0; r < 3; r++) wss_pa[r] -= through * frame->axis[0][r];
}

void ht_wall_fits_free(ht_wall_fits *fits) {
  if (!fits) return;
  for (int64_t g = 0; g < fits->groups; g++) free(fits->weight[g]);
  free(fits->weight);
  free(fits->frame);
  memset(fits, 0, sizeof *fits);
}
