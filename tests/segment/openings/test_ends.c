/* Vessels that end inside the mask, and domes that are no ends: shapes whose truth is known. */
#include "tests/check.h"
#include "segment/openings/border.h"
#include "segment/openings/ends.h"
#include "tests/segment/tube_mask.h"
#include "core/numbers/units.h"
#include <string.h>

static const double spacing_mm = 0.4; /* of ht_tube_grid */
static const double most_degrees = 3;

/* A true end: voxel index, and the direction out of the vessel along index axes. */
typedef struct {
  double at[3], out[3], radius;
} truth;

/* Tells whether a point (voxel index) is in the shape. */
typedef int (*shape)(const double at[3], const void *of);

static ht_mask mask_of(int nx, int ny, int nz, shape inside, const void *of) {
  ht_grid grid = ht_tube_grid(nx, ny, nz);
  ht_mask mask;
  ht_assert_ok(ht_mask_alloc(&grid, &mask));
  for (int64_t v = 0; v < ht_grid_voxels(&grid); v++) {
    int at[3];
    ht_voxel_place(grid.dim, v, at);
    mask.inside[v] = (uint8_t)inside((double[3]){at[0], at[1], at[2]}, of);
  }
  return mask;
}

static ht_ends find(const ht_mask *mask) {
  ht_openings known;
  ht_ends ends;
  int ignored;
  ht_assert_ok(ht_openings_at_border(mask, &known, &ignored));
  ht_assert_ok(ht_ends_find(mask, &known, &ends));
  return ends;
}

static int count_kind(const ht_ends *ends, ht_end_kind kind) {
  int count = 0;
  for (int i = 0; i < ends->count; i++) count += ends->item[i].kind == kind;
  return count;
}

static double degrees_apart(const double a[3], const double b[3]) {
  double product = 0, size = 0, other = 0;
  for (int k = 0; k < 3; k++) product += a[k] * b[k], size += a[k] * a[k], other += b[k] * b[k];
  return acos(fmax(-1, fmin(1, product / sqrt(size * other)))) * 180 / HT_PI;
}

/* Errors of an end: along the vessel and across it (voxels), direction, radius. */
typedef struct {
  double along, across, degrees, radius;
} miss;

static miss miss_of(const ht_mask *mask, const ht_end *end, const truth *true_end) {
  double at[3], out[3], length = 0, off2 = 0;
  miss m = {0};
  ht_grid_index(&mask->grid, end->opening.centre_mm, at);
  ht_grid_from_lps(&mask->grid, end->opening.direction, out);
  for (int a = 0; a < 3; a++) length += true_end->out[a] * true_end->out[a];
  for (int a = 0; a < 3; a++) {
    m.along += (at[a] - true_end->at[a]) * true_end->out[a] / sqrt(length);
    off2 += pow(at[a] - true_end->at[a], 2);
  }
  m.across = sqrt(fmax(0, off2 - m.along * m.along));
  m.degrees = degrees_apart(out, true_end->out);
  m.radius = end->opening.radius_mm / spacing_mm - true_end->radius;
  return m;
}

/* Every true end is found, nothing else is open, and each is as true as is promised. An end may lie
 * `inward` to `outward` radii from where its tube ends. */
static void expect_ends(const ht_mask *mask, const ht_ends *ends, const truth *true_ends, int count,
                        double inward, double outward, const char *what) {
  if (count_kind(ends, HT_END_OPEN) != count)
    fail_msg("%s: %d open ends, not %d", what, count_kind(ends, HT_END_OPEN), count);
  for (int t = 0; t < count; t++) {
    const truth *want = &true_ends[t];
    miss best = {0};
    double nearest = INFINITY;
    for (int i = 0; i < count; i++) {
      miss m = miss_of(mask, &ends->item[i], want);
      if (hypot(m.along, m.across) < nearest) nearest = hypot(m.along, m.across), best = m;
    }
    if (best.along < outward * want->radius + 0.3 &&
        best.along > -(inward + 0.25) * want->radius - 1.25 &&
        best.across < 0.3 + 0.1 * want->radius && best.degrees <= most_degrees &&
        fabs(best.radius) <= 0.15 + 0.03 * want->radius)
      continue;
    fail_msg("%s, radius %.1f: along %+.2f, across %.2f, %.2f degrees, radius %+.2f", what,
             want->radius, best.along, best.across, best.degrees, best.radius);
  }
}

/* ---- tubes, spheres, arcs ---- */

typedef struct {
  double from[3], to[3], radius, to_radius; /* a cone where they differ */
  int flat;                                 /* cut at both ends; else round */
} piece;

typedef struct {
  int pieces, balls;
  piece piece[6];
  double ball[4][4]; /* centre, radius */
} parts;

static int in_piece(const piece *p, const double at[3]) {
  double length2 = 0, product = 0, off2 = 0, share;
  for (int a = 0; a < 3; a++) {
    length2 += pow(p->to[a] - p->from[a], 2);
    product += (at[a] - p->from[a]) * (p->to[a] - p->from[a]);
  }
  share = product / length2;
  if (p->flat && (share < 0 || share > 1)) return 0;
  share = fmin(1, fmax(0, share));
  double radius = p->radius + share * (p->to_radius - p->radius);
  for (int a = 0; a < 3; a++) off2 += pow(at[a] - p->from[a] - share * (p->to[a] - p->from[a]), 2);
  return off2 < radius * radius;
}

static int in_parts(const double at[3], const void *of) {
  const parts *all = of;
  for (int i = 0; i < all->pieces; i++)
    if (in_piece(&all->piece[i], at)) return 1;
  for (int i = 0; i < all->balls; i++) {
    const double *b = all->ball[i];
    if (pow(at[0] - b[0], 2) + pow(at[1] - b[1], 2) + pow(at[2] - b[2], 2) < b[3] * b[3]) return 1;
  }
  return 0;
}

/* The end at `to`, or at `from`. */
static truth end_of(const piece *p, int to) {
  truth t = {.radius = to ? p->to_radius : p->radius};
  for (int a = 0; a < 3; a++) {
    t.at[a] = to ? p->to[a] : p->from[a];
    t.out[a] = to ? p->to[a] - p->from[a] : p->from[a] - p->to[a];
  }
  return t;
}

static piece tube(const double middle[3], const double along[3], double length, double radius,
                  int flat) {
  piece p = {.radius = radius, .to_radius = radius, .flat = flat};
  double size = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
  for (int a = 0; a < 3; a++) {
    p.from[a] = middle[a] - 0.5 * length * along[a] / size;
    p.to[a] = middle[a] + 0.5 * length * along[a] / size;
  }
  return p;
}

static const double directions[6][3] = {{0, 0, 1}, {1, 0, 0.3},  {0.4, -0.5, 1},
                                        {1, 1, 1}, {0.02, 1, 0}, {-0.7, 0.6, 0.1}};

/* ---- tests ---- */

static void test_cropped_tubes(void **unused) {
  (void)unused;
  const double radii[4] = {3.2, 4.5, 6.3, 10};
  for (int k = 0; k < 4; k++)
    for (int r = 0; r < 4; r++) {
      parts all = {.pieces = 1};
      all.piece[0] = tube((double[3]){43.2, 44.1, 42.7}, directions[k], 60, radii[r], 1);
      ht_mask mask = mask_of(88, 88, 88, in_parts, &all);
      ht_ends ends = find(&mask);
      truth want[2] = {end_of(&all.piece[0], 0), end_of(&all.piece[0], 1)};
      assert_int_equal(ends.count, 2);
      expect_ends(&mask, &ends, want, 2, 0, 0, "flat ends");
      ht_mask_free(&mask);
    }
}

static void test_round_ends(void **unused) {
  (void)unused;
  for (int k = 0; k < 6; k += 2) {
    parts all = {.pieces = 1};
    all.piece[0] = tube((double[3]){43.2, 44.1, 42.7}, directions[k], 50, 5.4, 0);
    ht_mask mask = mask_of(88, 88, 88, in_parts, &all);
    ht_ends ends = find(&mask);
    truth want[2] = {end_of(&all.piece[0], 0), end_of(&all.piece[0], 1)};
    assert_int_equal(ends.count, 2);
    expect_ends(&mask, &ends, want, 2, 0, 0.5, "round ends");
    ht_mask_free(&mask);
  }
}

/* Tubes that are wider inward than at the tip, as vessels that run thin. */
static void test_tapering_tubes(void **unused) {
  (void)unused;
  for (int k = 0; k < 6; k += 2) {
    parts all = {.pieces = 1};
    piece *p = &all.piece[0];
    *p = tube((double[3]){43.2, 44.1, 42.7}, directions[k], 66, 7, 1);
    p->to_radius = 3.7;
    ht_mask mask = mask_of(92, 92, 92, in_parts, &all);
    ht_ends ends = find(&mask);
    truth want[2] = {end_of(p, 0), end_of(p, 1)};
    expect_ends(&mask, &ends, want, 2, 0, 0, "tapering");
    ht_mask_free(&mask);
  }
}

/* Half as wide in its middle: not an end. */
static void test_narrowing(void **unused) {
  (void)unused;
  for (int k = 1; k < 6; k += 2) {
    parts all = {.pieces = 2};
    piece whole = tube((double[3]){43.2, 44.1, 42.7}, directions[k], 76, 7, 1);
    for (int i = 0; i < 2; i++) {
      all.piece[i] = whole;
      all.piece[i].to_radius = 3;
      for (int a = 0; a < 3; a++) {
        double middle = (whole.from[a] + whole.to[a]) / 2;
        if (i) all.piece[i].from[a] = whole.to[a];
        all.piece[i].to[a] = middle;
      }
      all.piece[i].radius = 7 + 4; /* a cone that is cut off by the tube's own width below */
    }
    ht_mask mask = mask_of(96, 96, 96, in_parts, &all);
    piece limit = whole;
    for (int64_t v = 0; v < ht_grid_voxels(&mask.grid); v++) {
      int at[3];
      ht_voxel_place(mask.grid.dim, v, at);
      mask.inside[v] &= (uint8_t)in_piece(&limit, (double[3]){at[0], at[1], at[2]});
    }
    ht_ends ends = find(&mask);
    truth want[2] = {end_of(&whole, 0), end_of(&whole, 1)};
    expect_ends(&mask, &ends, want, 2, 0, 0, "narrowing");
    ht_mask_free(&mask);
  }
}

/* Part of a ring, flat at both ends. */
typedef struct {
  double middle[3], ring, radius, angle; /* from -angle to angle about the x axis direction */
} arc;

static int in_arc(const double at[3], const void *of) {
  const arc *a = of;
  double x = at[0] - a->middle[0], y = at[1] - a->middle[1], z = at[2] - a->middle[2];
  double off = hypot(x, y) - a->ring;
  return off * off + z * z < a->radius * a->radius && fabs(atan2(y, x)) <= a->angle;
}

/* The end of the arc on a side, where it was found to be: the direction is that of the place. */
static truth end_of_arc(const arc *a, int side, const ht_mask *mask, const ht_ends *ends) {
  double turn = side ? 1 : -1, angle = turn * a->angle;
  for (int i = 0; i < ends->count; i++) {
    double at[3];
    ht_grid_index(&mask->grid, ends->item[i].opening.centre_mm, at);
    double found = atan2(at[1] - a->middle[1], at[0] - a->middle[0]);
    if (found * turn > 0 && (a->angle - fabs(found)) * a->ring < 0.4 * a->radius + 1) angle = found;
  }
  return (truth){
      {a->middle[0] + a->ring * cos(angle), a->middle[1] + a->ring * sin(angle), a->middle[2]},
      {-turn * sin(angle), turn * cos(angle), 0},
      a->radius};
}

static void test_bends(void **unused) {
  (void)unused;
  const arc arcs[4] = {{{45.2, 44.7, 14.6}, 30, 5, 2.2},
                       {{45.2, 44.7, 14.6}, 30, 8, 1.6},
                       {{45.2, 44.7, 14.6}, 20, 4, 1.9},
                       {{45.2, 44.7, 14.6}, 16, 5, 2.0}};
  for (int k = 0; k < 4; k++) {
    ht_mask mask = mask_of(90, 90, 30, in_arc, &arcs[k]);
    ht_ends ends = find(&mask);
    truth want[2] = {end_of_arc(&arcs[k], 0, &mask, &ends), end_of_arc(&arcs[k], 1, &mask, &ends)};
    expect_ends(&mask, &ends, want, 2, 0, 0.15, "bend");
    ht_mask_free(&mask);
  }
}

/* Domes at the side of the vessel, of 1.3 to 3.2 times its radius, sessile or on a neck. */
static void test_domes_are_blind(void **unused) {
  (void)unused;
  const double balls[3] = {6.5, 10, 16}, off[3] = {0.4, 0.8, 0.95};
  for (int b = 0; b < 3; b++)
    for (int o = 0; o < 3; o++) {
      parts all = {.pieces = 1, .balls = 1};
      const double *along = directions[(b + o) % 3], middle[3] = {53.2, 54.1, 52.7};
      double up[3] = {along[1], along[2], along[0]}, product = 0, size2 = 0, length2 = 0;
      for (int a = 0; a < 3; a++) product += up[a] * along[a], size2 += along[a] * along[a];
      for (int a = 0; a < 3; a++) up[a] -= product / size2 * along[a], length2 += up[a] * up[a];
      all.piece[0] = tube(middle, along, 80, 5, 1);
      for (int a = 0; a < 3; a++)
        all.ball[0][a] = middle[a] + (5 + off[o] * balls[b]) * up[a] / sqrt(length2);
      all.ball[0][3] = balls[b];
      ht_mask mask = mask_of(108, 108, 108, in_parts, &all);
      ht_ends ends = find(&mask);
      truth want[2] = {end_of(&all.piece[0], 0), end_of(&all.piece[0], 1)};
      expect_ends(&mask, &ends, want, 2, 0, 0, "dome");
      assert_int_equal(count_kind(&ends, HT_END_THIN), 0);
      if (b > 0 && o > 0) assert_int_equal(count_kind(&ends, HT_END_BLIND), 1); /* and told of */
      ht_mask_free(&mask);
    }
}

/* A dome where a trunk divides, whose trunk runs out of the grid: that opening is known. */
static void test_a_tree_with_a_dome(void **unused) {
  (void)unused;
  parts all = {.pieces = 3, .balls = 1, .ball = {{45, 30, 62, 9}}};
  all.piece[0] = (piece){{45, 30, -9}, {45, 30, 50}, 7, 7, 0};
  all.piece[1] = (piece){{45, 30, 50}, {14, 28, 84}, 5, 5, 1};
  all.piece[2] = (piece){{45, 30, 50}, {80, 33, 80}, 4.2, 4.2, 1};
  ht_mask mask = mask_of(92, 60, 96, in_parts, &all);
  ht_ends ends = find(&mask);
  truth want[2] = {end_of(&all.piece[1], 1), end_of(&all.piece[2], 1)};
  expect_ends(&mask, &ends, want, 2, 0, 0, "tree");
  assert_int_equal(count_kind(&ends, HT_END_THIN), 0);
  assert_true(ends.item[0].opening.radius_mm > ends.item[1].opening.radius_mm);
  ht_mask_free(&mask);
}

/* Shapes without an end, or without one that is to be an opening: a ring, a ball, a bulb at a
 * vessel's end, a stump, a vessel of 4 voxels across. */
static void test_no_ends(void **unused) {
  (void)unused;
  const arc ring = {{45.2, 44.7, 14.6}, 30, 6, 4};
  ht_mask mask = mask_of(90, 90, 30, in_arc, &ring);
  ht_ends ends = find(&mask);
  assert_int_equal(count_kind(&ends, HT_END_OPEN) + count_kind(&ends, HT_END_THIN), 0);
  ht_mask_free(&mask);
  parts ball = {.balls = 1, .ball = {{20, 20, 20, 12}}};
  mask = mask_of(40, 40, 40, in_parts, &ball);
  ends = find(&mask);
  assert_int_equal(count_kind(&ends, HT_END_OPEN) + count_kind(&ends, HT_END_THIN), 0);
  ht_mask_free(&mask);
  parts bulb = {.pieces = 1, .balls = 1, .ball = {{30, 30, 50, 9}}};
  bulb.piece[0] = (piece){{30, 30, -9}, {30, 30, 50}, 5, 5, 0};
  mask = mask_of(60, 60, 64, in_parts, &bulb);
  ends = find(&mask);
  assert_int_equal(ends.count, 1);
  assert_int_equal(ends.item[0].kind, HT_END_BLIND);
  ht_mask_free(&mask);
  parts side = {.pieces = 2};
  side.piece[0] = (piece){{30, 30, -9}, {30, 30, 90}, 7, 7, 0};
  side.piece[1] = (piece){{30, 30, 32}, {48, 30, 32}, 5, 5, 0}; /* a stump, round */
  mask = mask_of(60, 60, 64, in_parts, &side);
  ends = find(&mask);
  assert_int_equal(count_kind(&ends, HT_END_OPEN) + count_kind(&ends, HT_END_THIN), 0);
  ht_mask_free(&mask);
  side.piece[1] = (piece){{30, 30, 32}, {56, 30, 32}, 2.2, 2.2, 1};
  mask = mask_of(60, 60, 64, in_parts, &side);
  ends = find(&mask);
  assert_int_equal(ends.count, 1);
  assert_int_equal(ends.item[0].kind, HT_END_THIN);
  ht_mask_free(&mask);
}

/* Thin and short spurs on a wide vessel, in all directions: the fit must not run off along it. */
static void test_spurs(void **unused) {
  (void)unused;
  for (int k = 0; k < 5; k++) {
    double angle = 0.4 * k, up = 0.3 * (k - 3);
    parts all = {.pieces = 2};
    all.piece[0] = (piece){{40, 40, -30}, {40, 40, 150}, 13, 13, 0};
    all.piece[1] = (piece){{40, 40, 45}, {0, 0, 0}, 2.4, 2.4, 0};
    const double out[3] = {cos(angle), sin(angle), up};
    for (int a = 0; a < 3; a++) all.piece[1].to[a] = all.piece[1].from[a] + 27 * out[a];
    ht_mask mask = mask_of(80, 80, 100, in_parts, &all);
    ht_ends ends = find(&mask);
    assert_int_equal(count_kind(&ends, HT_END_OPEN), 0);
    ht_mask_free(&mask);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cropped_tubes),
      cmocka_unit_test(test_round_ends),
      cmocka_unit_test(test_tapering_tubes),
      cmocka_unit_test(test_narrowing),
      cmocka_unit_test(test_bends),
      cmocka_unit_test(test_domes_are_blind),
      cmocka_unit_test(test_a_tree_with_a_dome),
      cmocka_unit_test(test_no_ends),
      cmocka_unit_test(test_spurs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
