#include "run/measured/profile_fit.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

enum { TERMS = HT_MEASURED_TERMS };
static const double LAYER = 1;    /* voxels along the normal, to both sides, of a volume */
static const double RIDGE = 1e-6; /* of the mean of the diagonal */

/* The section's pixels, with the developed profile and the terms at each. */
typedef struct {
  const ht_measured_flow *flow;
  const ht_vessel_cut *cut;
  int64_t pixels;
  int64_t *pixel;     /* [pixels] number in the cut's plane */
  double (*place)[2]; /* [pixels] mm over the plane */
  double *developed;  /* [pixels] */
  double (*term)[TERMS];
  float *share; /* [voxels] */
  double voxel_mm, layer_mm;
} fit;

static ht_status list_pixels(fit *f, int section) {
  const ht_grid *grid = &f->cut->grid;
  const int64_t all = ht_grid_voxels(grid);
  for (int64_t p = 0; p < all; p++) f->pixels += f->cut->label[p] == section + 1;
  const size_t n = (size_t)f->pixels;
  HT_TRY(ht_alloc((void **)&f->pixel, n, sizeof *f->pixel, "the measured profile"));
  HT_TRY(ht_alloc((void **)&f->place, n, sizeof *f->place, "the measured profile"));
  HT_TRY(ht_alloc((void **)&f->developed, n, sizeof *f->developed, "the measured profile"));
  HT_TRY(ht_alloc((void **)&f->term, n, sizeof *f->term, "the measured profile"));
  for (int64_t p = 0, i = 0; p < all; p++) {
    if (f->cut->label[p] != section + 1) continue;
    f->pixel[i] = p;
    f->place[i][0] = grid->spacing_mm[0] * (double)(p % grid->dim[0]);
    f->place[i++][1] = grid->spacing_mm[1] * (double)(p / grid->dim[0]);
  }
  return HT_OK;
}

/* Finds the developed profile over the pixels, those of a port across the first axis. */
static ht_status develop(fit *f) {
  const int dim[3] = {1, f->cut->grid.dim[0], f->cut->grid.dim[1]};
  const ht_port port = {.axis = 0, .direction = {1, 0, 0}, .nodes = f->pixels, .node = f->pixel};
  return ht_inlet_profile(dim, &port, f->developed);
}

/* Averages developed profile times terms over a voxel: over the disc of its area around its centre,
 * of which the part outside the section is 0. */
static void average(const fit *f, const double centre[2], double part[TERMS]) {
  const double pixel_mm2 = f->cut->grid.spacing_mm[0] * f->cut->grid.spacing_mm[1];
  const double voxel_mm2 = f->voxel_mm * f->voxel_mm, reach_mm2 = voxel_mm2 / HT_PI;
  memset(part, 0, TERMS * sizeof *part);
  for (int64_t i = 0; i < f->pixels; i++) {
    const double x = f->place[i][0] - centre[0], y = f->place[i][1] - centre[1];
    if (x * x + y * y > reach_mm2) continue;
    for (int n = 0; n < TERMS; n++)
      part[n] += f->developed[i] * f->term[i][n] * pixel_mm2 / voxel_mm2;
  }
}

/* Normal equations, with a right side for each time. */
typedef struct {
  double matrix[TERMS][TERMS];
  double (*right)[TERMS]; /* [times] */
  double square;          /* of the velocities, all times */
  int64_t voxels;
} equations;

static void add_voxel(const fit *f, int64_t voxel, const double centre[2], equations *e) {
  const double normal[3] = {f->cut->grid.direction[0][2], f->cut->grid.direction[1][2],
                            f->cut->grid.direction[2][2]};
  double part[TERMS], v[3];
  average(f, centre, part);
  for (int r = 0; r < TERMS; r++)
    for (int c = 0; c < TERMS; c++) e->matrix[r][c] += part[r] * part[c];
  for (int t = 0; t < f->flow->times; t++) {
    ht_measured_velocity(f->flow, t, voxel, v);
    const double speed = f->share[voxel] * ht_dot(v, normal);
    for (int r = 0; r < TERMS; r++) e->right[t][r] += part[r] * speed;
    e->square += speed * speed;
  }
  e->voxels++;
}

static void add_voxels(const fit *f, equations *e) {
  const ht_grid *grid = &f->cut->grid;
  double at[3], index[3];
  for (int64_t v = 0; v < ht_grid_voxels(&f->flow->grid); v++) {
    if (!(f->share[v] > 0)) continue;
    ht_grid_voxel_position(&f->flow->grid, v, at);
    ht_grid_index(grid, at, index);
    if (f->layer_mm > 0 && fabs(index[2] * grid->spacing_mm[2]) > f->layer_mm) continue;
    const double centre[2] = {index[0] * grid->spacing_mm[0], index[1] * grid->spacing_mm[1]};
    add_voxel(f, v, centre, e);
  }
}

/* Factorises the symmetric matrix in place (Cholesky); 0 where it is not positive. */
static int factorise(double m[TERMS][TERMS]) {
  double trace = 0;
  for (int n = 0; n < TERMS; n++) trace += m[n][n] / TERMS;
  for (int n = 0; n < TERMS; n++) m[n][n] += RIDGE * trace;
  for (int r = 0; r < TERMS; r++)
    for (int c = 0; c <= r; c++) {
      double sum = m[r][c];
      for (int k = 0; k < c; k++) sum -= m[r][k] * m[c][k];
      if (r == c && !(sum > 0)) return 0;
      m[r][c] = r == c ? sqrt(sum) : sum / m[c][c];
    }
  return 1;
}

static void solve(const double m[TERMS][TERMS], double b[TERMS]) {
  for (int r = 0; r < TERMS; r++) {
    for (int c = 0; c < r; c++) b[r] -= m[r][c] * b[c];
    b[r] /= m[r][r];
  }
  for (int r = TERMS - 1; r >= 0; r--) {
    for (int c = r + 1; c < TERMS; c++) b[r] -= m[c][r] * b[c];
    b[r] /= m[r][r];
  }
}

/* Makes mean and harmonics of the coefficients at the times; harmonics in the lowest two thirds. */
static void analyse(const fit *f, const double (*at)[TERMS], ht_measured_profile *profile) {
  const int times = f->flow->times, most = times / 3;
  const double start = f->flow->times > 1 ? f->flow->time_s[0] / f->flow->period_s : 0;
  profile->harmonics = most < HT_MEASURED_HARMONICS_MAX ? most : HT_MEASURED_HARMONICS_MAX;
  memset(profile->coefficient, 0, sizeof profile->coefficient);
  for (int t = 0; t < times; t++)
    for (int n = 0; n < TERMS; n++) {
      profile->coefficient[0][n] += at[t][n] / times;
      for (int m = 1; m <= profile->harmonics; m++) {
        const double phase = 2 * HT_PI * m * (start + (double)t / times);
        profile->coefficient[2 * m - 1][n] += 2 * at[t][n] * cos(phase) / times;
        profile->coefficient[2 * m][n] += 2 * at[t][n] * sin(phase) / times;
      }
    }
}

static ht_status solve_all(const fit *f, equations *e, ht_measured_profile *profile,
                           double *misfit) {
  double explained = 0;
  HT_TRY(ht_alloc((void **)&e->right, (size_t)f->flow->times, sizeof *e->right,
                  "the measured profile"));
  add_voxels(f, e);
  if (e->voxels < 2 * TERMS || !factorise(e->matrix)) return HT_OK;
  for (int t = 0; t < f->flow->times; t++) {
    double right[TERMS];
    memcpy(right, e->right[t], sizeof right);
    solve((const double(*)[TERMS])e->matrix, e->right[t]);
    for (int n = 0; n < TERMS; n++) explained += right[n] * e->right[t][n];
  }
  *misfit = sqrt(fmax(0, 1 - explained / fmax(e->square, 1e-30)));
  analyse(f, (const double(*)[TERMS])e->right, profile);
  return HT_OK;
}

static void set_frame(const ht_grid *grid, ht_measured_profile *profile) {
  for (int r = 0; r < 3; r++) {
    profile->normal[r] = grid->direction[r][2];
    profile->across[r] = grid->direction[r][0];
  }
}

static ht_status fit_section(fit *f, int section, ht_measured_profile *profile, double *misfit) {
  ht_profile_frame frame;
  equations e = {.right = NULL};
  double at[2];
  HT_TRY(list_pixels(f, section));
  HT_TRY(develop(f));
  if (!ht_profile_frame_of(f->pixels, (const double(*)[2])f->place, &frame)) return HT_OK;
  for (int64_t i = 0; i < f->pixels; i++) {
    f->developed[i] *= (double)f->pixels;
    ht_profile_place(&frame, f->place[i], at);
    ht_measured_terms(at, f->term[i]);
  }
  HT_TRY(ht_section_share(f->flow, f->cut, section, &f->share));
  const ht_status status = solve_all(f, &e, profile, misfit);
  free(e.right);
  return status;
}

ht_status ht_profile_fit(const ht_measured_flow *flow, const ht_vessel_cut *cut, int section,
                         ht_measured_profile *profile, double *misfit) {
  const double *mm = flow->grid.spacing_mm;
  fit f = {.flow = flow, .cut = cut};
  double along[3];
  const double normal[3] = {cut->grid.direction[0][2], cut->grid.direction[1][2],
                            cut->grid.direction[2][2]};
  *profile = (ht_measured_profile){.harmonics = -1};
  *misfit = 1;
  set_frame(&cut->grid, profile);
  f.voxel_mm = flow->grid.dim[2] == 1 ? sqrt(mm[0] * mm[1]) : cbrt(mm[0] * mm[1] * mm[2]);
  ht_grid_from_lps(&flow->grid, normal, along);
  for (int a = 0; a < 3 && flow->grid.dim[2] > 1; a++) f.layer_mm += LAYER * fabs(along[a]) * mm[a];
  const ht_status status = fit_section(&f, section, profile, misfit);
  free(f.pixel);
  free(f.place);
  free(f.developed);
  free(f.term);
  free(f.share);
  return status;
}
