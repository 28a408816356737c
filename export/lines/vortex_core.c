#include "export/lines/vortex_core.h"
#include "core/work/jobs.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the cores of the vortices";
static const double weakest = 0.01; /* of the gradient's norm */

/* Numbers of faces and tetrahedra per voxel. A tetrahedron's corners are a voxel and three more,
 * each a step further along another axis: a set of axes is a mask of three bits. A face is its
 * lowest voxel and the masks of the two others, the first a part of the second. */
enum { FACES = 12, TETRAHEDRA = 6 };
static const int face_masks[FACES][2] = {{1, 3}, {2, 3}, {1, 5}, {4, 5}, {2, 6}, {4, 6},
                                         {1, 7}, {2, 7}, {4, 7}, {3, 7}, {5, 7}, {6, 7}};
static const int tetrahedra[TETRAHEDRA][2] = {{1, 3}, {2, 3}, {1, 5}, {4, 5}, {2, 6}, {4, 6}};

/* The point where a core crosses a face. */
typedef struct {
  int64_t face;  /* FACES times the lowest voxel, plus the number of the masks */
  double at[3];  /* voxel indices */
  int64_t line;  /* another mark of the same line; itself: the line's first */
  double length; /* the line's length so far, spacings; for its first mark only */
} mark;

typedef struct {
  const ht_flow *flow;
  const uint8_t *inside;
  mark *marks; /* in the order of their faces */
  int64_t count, room;
  uint8_t *marked; /* [voxels] 1: the lowest of a face with a mark */
} finder;

/* ---- the velocity and its gradient at a voxel, along the grid's axes, per spacing ---- */

static void velocity_of(const finder *f, int64_t node, double u[3]) {
  const float *lps = f->flow->velocity_m_s + 3 * node;
  for (int a = 0; a < 3; a++) {
    u[a] = 0;
    for (int r = 0; r < 3; r++) u[a] += f->flow->grid.direction[r][a] * lps[r];
  }
}

/* Adds gradient[i][a] = du_i / dx_a: central, at the wall one-sided. */
static void add_gradient(const finder *f, const int at[3], double gradient[3][3]) {
  for (int a = 0; a < 3; a++) {
    double u[2][3];
    int steps = 0;
    for (int side = 0; side < 2; side++) {
      int next[3] = {at[0], at[1], at[2]};
      next[a] += side ? 1 : -1;
      int64_t node = ht_flow_node_at(f->flow, next);
      steps += node >= 0;
      velocity_of(f, node >= 0 ? node : ht_flow_node_at(f->flow, at), u[side]);
    }
    for (int i = 0; i < 3 && steps > 0; i++) gradient[i][a] += (u[1][i] - u[0][i]) / steps;
  }
}

/* ---- the direction of a swirl ---- */

/* Finds the vector perpendicular to all rows: the longest of the three cross products of two rows.
 */
static int null_direction(const double m[3][3], double out[3]) {
  double longest = 0;
  for (int r = 0; r < 3; r++) {
    double product[3];
    ht_cross(m[r], m[(r + 1) % 3], product);
    double length = ht_length(product);
    if (length <= longest) continue;
    longest = length;
    memcpy(out, product, sizeof product);
  }
  return ht_normalise(out);
}

/* Finds the real eigenvector where the other two eigenvalues are complex; returns 0 where they are
 * not. The characteristic polynomial, less a third of the trace: t^3 + p t + q. */
static int swirl_direction(const double gradient[3][3], double out[3]) {
  double m[3][3], p = 0, norm = 0, third = (gradient[0][0] + gradient[1][1] + gradient[2][2]) / 3;
  memcpy(m, gradient, sizeof m);
  for (int i = 0; i < 3; i++) m[i][i] -= third;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) norm += m[i][j] * m[i][j], p -= 0.5 * m[i][j] * m[j][i];
  double q = -ht_determinant(m), under = 0.25 * q * q + p * p * p / 27;
  if (!(under > 0)) return 0;
  double real = cbrt(-0.5 * q + sqrt(under)) + cbrt(-0.5 * q - sqrt(under));
  double imaginary2 = p + 0.75 * real * real; /* t^2 + real t + (p + real^2): less (real / 2)^2 */
  if (!(imaginary2 > weakest * weakest * norm)) return 0;
  for (int i = 0; i < 3; i++) m[i][i] -= real;
  return null_direction(m, out);
}

/* ---- the faces ---- */

/* A small shift of the field in a direction of no edge, spacings: a core along an edge would count
 * for all faces that meet there. */
static const double aside[3] = {1.3e-4, 2.9e-4, 4.7e-4};

static void step_by(const int from[3], int mask, int to[3]) {
  for (int a = 0; a < 3; a++) to[a] = from[a] + (mask >> a & 1);
}

/* Finds the shares of the second and third corner where the reduced velocity is 0; returns 0 if
 * that is not on the face. */
static int zero_on_face(double u[3][3], const double direction[3], double share[2]) {
  double across[2][3], w[3][2];
  ht_span_across(direction, across);
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 2; k++) w[c][k] = ht_dot(u[c], across[k]);
  double a = w[1][0] - w[0][0], b = w[2][0] - w[0][0], c = w[1][1] - w[0][1], d = w[2][1] - w[0][1];
  double det = a * d - b * c;
  if (!(fabs(det) > 0)) return 0;
  share[0] = (b * w[0][1] - d * w[0][0]) / det;
  share[1] = (c * w[0][0] - a * w[0][1]) / det;
  return share[0] >= 0 && share[1] >= 0 && share[0] + share[1] <= 1;
}

static ht_status add_mark(finder *f, const mark *found) {
  if (f->count == f->room) {
    int64_t room = 2 * f->room + 1024;
    mark *more = realloc(f->marks, (size_t)room * sizeof *more);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for %s", what);
    f->marks = more;
    f->room = room;
  }
  f->marks[f->count++] = *found;
  return HT_OK;
}

static ht_status look_at_face(finder *f, const int low[3], int64_t voxel, int face) {
  int corner[3][3] = {{low[0], low[1], low[2]}};
  double u[3][3], gradient[3][3] = {{0}}, direction[3], share[2];
  for (int c = 0; c < 3; c++) {
    if (c > 0) step_by(low, face_masks[face][c - 1], corner[c]);
    int64_t node = ht_flow_node_at(f->flow, corner[c]);
    if (node < 0 || !f->inside[ht_voxel_index(f->flow->grid.dim, corner[c])]) return HT_OK;
    velocity_of(f, node, u[c]);
  }
  for (int c = 0; c < 3; c++) add_gradient(f, corner[c], gradient);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) u[c][i] += ht_dot(gradient[i], aside) / 3;
  if (!swirl_direction(gradient, direction) || !zero_on_face(u, direction, share)) return HT_OK;
  mark found = {.face = FACES * voxel + face};
  for (int a = 0; a < 3; a++)
    found.at[a] = corner[0][a] + share[0] * (corner[1][a] - corner[0][a]) +
                  share[1] * (corner[2][a] - corner[0][a]);
  return add_mark(f, &found);
}

/* ---- the pieces ---- */

static int by_face(const void *a, const void *b) {
  int64_t x = ((const mark *)a)->face, y = ((const mark *)b)->face;
  return (x > y) - (x < y);
}

/* The number of the mark on a face; -1: none. */
static int64_t find_mark(const finder *f, const int low[3], int first, int second) {
  mark sought = {.face = 0};
  int face = 0;
  if (!ht_voxel_in_grid(f->flow->grid.dim, low)) return -1;
  if (!f->marked[ht_voxel_index(f->flow->grid.dim, low)]) return -1;
  while (face_masks[face][0] != first || face_masks[face][1] != second) face++;
  sought.face = FACES * ht_voxel_index(f->flow->grid.dim, low) + face;
  const mark *found = bsearch(&sought, f->marks, (size_t)f->count, sizeof sought, by_face);
  return found ? found - f->marks : -1;
}

static int64_t first_of(finder *f, int64_t m) {
  while (f->marks[m].line != m) m = f->marks[m].line = f->marks[f->marks[m].line].line;
  return m;
}

static void join(finder *f, int64_t a, int64_t b) {
  double length = ht_distance(f->marks[a].at, f->marks[b].at);
  a = first_of(f, a);
  b = first_of(f, b);
  if (a != b) {
    f->marks[a].length += f->marks[b].length;
    f->marks[b].line = a;
  }
  f->marks[a].length += length;
}

/* Adds the piece of a core in a tetrahedron of the cube whose lowest voxel is `low`. */
static void look_at_tetrahedron(finder *f, const int low[3], const int masks[2]) {
  int higher[3], count = 0;
  int64_t found[4];
  step_by(low, masks[0], higher);
  const int64_t four[4] = {find_mark(f, low, masks[0], masks[1]), find_mark(f, low, masks[0], 7),
                           find_mark(f, low, masks[1], 7),
                           find_mark(f, higher, masks[1] ^ masks[0], 7 ^ masks[0])};
  for (int k = 0; k < 4; k++)
    if (four[k] >= 0) found[count++] = four[k];
  for (int k = 1; k < count; k++) join(f, found[k - 1], found[k]);
}

/* ---- all of them ---- */

/* The marks on the faces of one plane of voxels. */
typedef struct {
  finder found;
  ht_status status;
} plane;

static void look_at_plane(void *user, int z) {
  plane *of = (plane *)user + z;
  const int *dim = of->found.flow->grid.dim;
  const int64_t size = (int64_t)dim[0] * dim[1];
  int low[3];
  for (int64_t v = z * size; v < (z + 1) * size && of->status == HT_OK; v++) {
    if (!of->found.inside[v]) continue;
    ht_voxel_place(dim, v, low);
    for (int face = 0; face < FACES && of->status == HT_OK; face++)
      of->status = look_at_face(&of->found, low, v, face);
  }
}

static ht_status take_marks(const plane *planes, finder *f) {
  for (int z = 0; z < f->flow->grid.dim[2]; z++) {
    if (planes[z].status != HT_OK) /* its message is another thread's */
      return ht_fail(planes[z].status, "not enough memory for %s", what);
    for (int64_t m = 0; m < planes[z].found.count; m++) {
      mark one = planes[z].found.marks[m];
      one.line = f->count;
      f->marked[one.face / FACES] = 1;
      HT_TRY(add_mark(f, &one));
    }
  }
  return HT_OK;
}

static ht_status find_marks(finder *f) {
  const int count = f->flow->grid.dim[2];
  plane *planes;
  HT_TRY(ht_alloc((void **)&planes, (size_t)count, sizeof *planes, what));
  for (int z = 0; z < count; z++) planes[z].found = *f;
  ht_status status = ht_jobs_spread(count, look_at_plane, planes);
  if (status == HT_OK) status = take_marks(planes, f);
  for (int z = 0; z < count; z++) free(planes[z].found.marks);
  free(planes);
  return status;
}

static void join_marks(finder *f) {
  const int *dim = f->flow->grid.dim;
  int low[3];
  for (int64_t v = 0; v < ht_grid_voxels(&f->flow->grid) && f->count > 0; v++) {
    if (!f->inside[v]) continue;
    ht_voxel_place(dim, v, low);
    for (int t = 0; t < TETRAHEDRA; t++) look_at_tetrahedron(f, low, tetrahedra[t]);
  }
}

ht_status ht_vortex_core_length(const ht_flow *flow, const uint8_t *inside, double least_mm,
                                double *length_mm) {
  finder f = {.flow = flow, .inside = inside};
  const double spacing_mm = flow->grid.spacing_mm[0];
  *length_mm = 0;
  HT_TRY(ht_alloc((void **)&f.marked, (size_t)ht_grid_voxels(&flow->grid), 1, what));
  ht_status status = find_marks(&f);
  if (status == HT_OK) join_marks(&f);
  for (int64_t m = 0; m < f.count && status == HT_OK; m++)
    if (f.marks[m].line == m && f.marks[m].length * spacing_mm >= least_mm)
      *length_mm += f.marks[m].length * spacing_mm;
  free(f.marks);
  free(f.marked);
  return status;
}
