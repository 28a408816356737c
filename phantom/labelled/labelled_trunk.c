/* Vessels of usual courses, and what a chest and a belly contain: the heart with its chambers,
 * walls and great vessels, the organs. Marks are in mm in the body's axes. */
#include "phantom/labelled/labelled_plan.h"
#include "core/numbers/units.h"
#include <math.h>

/* A place on the way of a wide vessel. */
typedef struct {
  double p[3], r;
} mark;

/* ---- Courses ---- */

/* Size, middle and chance of a group of courses; a bit of each mark's place is chance. */
typedef struct {
  double size, middle[3], jitter;
} group;

static mark moved(ht_labelled_plan *plan, const group *g, const mark *m) {
  mark to = {.r = m->r * g->size * ht_plan_between(plan, 0.85, 1.15)};
  for (int a = 0; a < 3; a++)
    to.p[a] = g->middle[a] + g->size * (m->p[a] + g->jitter * ht_plan_between(plan, -1, 1));
  return to;
}

static double through(const double y[4], double t) { /* Catmull and Rom */
  return y[1] +
         0.5 * t *
             (y[2] - y[0] +
              t * (2 * y[0] - 5 * y[1] + 4 * y[2] - y[3] + t * (3 * (y[1] - y[2]) + y[3] - y[0])));
}

/* Adds a tube through marks; with `wall_mm` > 0 first a softer one around it. */
static void course_add(ht_labelled_plan *plan, const group *g, int count, const mark *marks,
                       float value, int label, double wall_mm) {
  enum { MOST = 12 };
  mark m[MOST];
  int tube = plan->tubes_made++, begun = 0;
  ht_tubes *to = label == HT_LABEL_BACKGROUND ? &plan->soft : &plan->vessels;
  float most = 0.45f * (float)plan->edge;
  float wall = plan->value[HT_TISSUE_MUSCLE] + ht_plan_between(plan, 0, 0.3) * plan->uptake;
  for (int n = 0; n < count; n++) m[n] = moved(plan, g, &marks[n]);
  for (int n = 0; n + 1 < count; n++) {
    const mark *four[4] = {&m[n > 0 ? n - 1 : 0], &m[n], &m[n + 1],
                           &m[n + 2 < count ? n + 2 : n + 1]};
    double apart = 0, y[4];
    for (int a = 0; a < 3; a++) apart += pow(m[n + 1].p[a] - m[n].p[a], 2);
    int steps = 1 + (int)(sqrt(apart) / fmax(0.7 * m[n].r, 0.8 * plan->mm));
    for (int s = n > 0; s <= steps; s++) {
      double t = (double)s / steps, at[3];
      for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 4; i++) y[i] = four[i]->p[a];
        at[a] = through(y, t);
      }
      float p[3], r = (float)(m[n].r + t * (m[n + 1].r - m[n].r)) / plan->mm;
      ht_plan_place(plan, at, p);
      float wide = fminf(fmaxf(r, 0.75f), most);
      int is_out = 0;
      for (int a = 0; a < 3; a++) is_out |= fabsf(p[a]) > plan->half[a] + wide + 8;
      if (plan->has & HT_LABELLED_LIMB) is_out |= ht_plan_bone_distance(plan, p) < wide;
      if (is_out) {
        begun = 0;
        continue;
      }
      if (wall_mm > 0)
        ht_tubes_add(&plan->soft, p, wide + (float)wall_mm / plan->mm, wall, tube, 0, begun);
      ht_tubes_add(to, p, wide, value, tube, label, begun);
      begun = wall_mm <= 0 || to != &plan->soft;
    }
  }
}

static void blood_add(ht_labelled_plan *plan, const group *g, int count, const mark *marks,
                      float share, double wall_mm) {
  int label;
  float value = ht_plan_blood(plan, share, &label);
  course_add(plan, g, count, marks, value, label, wall_mm);
}

/* A tree that begins at `from` towards `to`. */
static void root_add(ht_labelled_plan *plan, const group *g, const mark *from, const double to[3],
                     float share) {
  if (plan->roots == HT_ROOTS) return;
  mark m = moved(plan, &(group){g->size, {g->middle[0], g->middle[1], g->middle[2]}, 0}, from);
  ht_root *root = &plan->root[plan->roots];
  float end[3];
  double at[3];
  for (int a = 0; a < 3; a++) at[a] = g->middle[a] + g->size * to[a];
  ht_plan_place(plan, m.p, root->p);
  ht_plan_place(plan, at, end);
  for (int a = 0; a < 3; a++) {
    root->along[a] = end[a] - root->p[a];
    if (fabsf(root->p[a]) > plan->half[a] + 10) return;
  }
  ht_make_unit(root->along);
  root->r = (float)m.r / plan->mm;
  root->share = share;
  plan->roots++;
}

/* ---- The chest ---- */

static void heart_draw(ht_labelled_plan *plan, const group *g, float left, float right) {
  const mark ventricle[2] = {{{14, -8, -15}, 20}, {{42, -26, -36}, 13}};
  const mark right_ventricle[3] = {{{-18, -28, -12}, 15}, {{8, -40, -22}, 14}, {{28, -44, -40}, 8}};
  const mark outflow[3] = {{{2, -40, -16}, 13}, {{10, -36, 2}, 11}, {{13, -28, 18}, 11}};
  const mark atrium[2] = {{{-14, 22, 0}, 19}, {{14, 20, 6}, 18}};
  const mark right_atrium[2] = {{{-40, -4, -16}, 18}, {{-36, -8, 12}, 15}};
  const mark below[2] = {{{-34, 4, -34}, 11}, {{-28, 22, -160}, 12}};
  float below_share = ht_plan_is(plan, 0.4) ? 0 : ht_plan_vein_share(plan);
  blood_add(plan, g, 2, ventricle, left, ht_plan_between(plan, 7, 13));
  blood_add(plan, g, 3, right_ventricle, right, 3);
  blood_add(plan, g, 3, outflow, right, 2);
  blood_add(plan, g, 2, atrium, left, 1.5);
  blood_add(plan, g, 2, right_atrium, right, 1.5);
  blood_add(plan, g, 2, below, below_share, 0);
  plan->has |= HT_LABELLED_CHAMBER;
}

static void great_vessels_draw(ht_labelled_plan *plan, const group *g, double spine_y, float left,
                               float right) {
  const double deep = (spine_y - 30 - g->middle[1]) / g->size;
  const mark aorta[8] = {{{0, -6, 0}, 14},      {{-9, -16, 28}, 15},   {{-6, -12, 58}, 14.5},
                         {{6, 8, 78}, 13},      {{18, 28, 72}, 12.5},  {{22, deep - 6, 48}, 12},
                         {{18, deep, -20}, 12}, {{10, deep, -260}, 11}};
  const mark lungs[3] = {{{13, -26, 20}, 13}, {{12, -10, 38}, 13.5}, {{8, 4, 46}, 13}};
  const mark lung_right[3] = {{{10, 0, 45}, 11}, {{-22, 10, 44}, 10.5}, {{-52, 16, 38}, 9}};
  const mark lung_left[3] = {{{10, 0, 46}, 11}, {{32, 18, 50}, 10.5}, {{52, 30, 40}, 8.5}};
  const mark above[3] = {{{-35, -6, 14}, 10}, {{-34, -8, 50}, 9}, {{-32, -12, 120}, 8}};
  float undiluted = ht_plan_is(plan, 0.5) ? right * ht_plan_between(plan, 1.1, 3.5) : right;
  blood_add(plan, g, 8, aorta, left, 1.2);
  blood_add(plan, g, 3, lungs, right, 0);
  blood_add(plan, g, 3, lung_right, right, 0);
  blood_add(plan, g, 3, lung_left, right, 0);
  blood_add(plan, g, 3, above, undiluted, 0);
  root_add(plan, g, &lung_right[2], (double[3]){-90, 25, ht_plan_between(plan, -60, 60)}, right);
  root_add(plan, g, &lung_left[2], (double[3]){90, 40, ht_plan_between(plan, -60, 60)}, right);
  for (int n = 0; n < 4; n++) { /* lobes, then the veins of the lungs */
    int side = n % 2 ? 1 : -1, high = n / 2;
    const mark vein[3] = {{{side * 12, 24, high ? 8 : -4}, 8},
                          {{side * 40, 26, high ? 16 : -12}, 7},
                          {{side * 60, 28, high ? 26 : -24}, 6}};
    const mark lobe = {{side * 46, 18, 40}, 6};
    root_add(plan, g, &lobe,
             (double[3]){side * 70, ht_plan_between(plan, -60, 70), high ? 90 : -40}, right);
    blood_add(plan, g, 3, vein, left, 0);
    root_add(plan, g, &vein[2],
             (double[3]){side * 110, ht_plan_between(plan, -30, 60), high ? 80 : -80}, left);
  }
  for (int n = 0; n < 3; n++) { /* of the arch */
    const mark arch = {{n * 9 - 8, n * 11 - 6, 84}, 5 - 0.8 * n};
    root_add(plan, g, &arch, (double[3]){n * 12 - 14, n * 14 - 8, 160}, left);
  }
  for (int n = 0; n < 2; n++) { /* of the heart itself */
    const mark begin = {{n ? 10 : -16, -16, 10}, 1.9};
    root_add(plan, g, &begin, (double[3]){n ? 60 : -60, -30, n ? -10 : 0}, left);
  }
}

void ht_labelled_chest_draw(ht_labelled_plan *plan, double spine_y) {
  if (plan->mm < 0.6f) return; /* wider than the volume */
  group g = {.size = ht_plan_between(plan, 0.75, 1.2), .jitter = 3};
  for (int a = 0; a < 3; a++)
    g.middle[a] = (double[3]){8, spine_y - 85, 0}[a] + ht_plan_between(plan, -10, 10);
  float left = 1, right = 1;
  if (ht_plan_is(plan, 0.45)) /* a phase before or after */
    *(ht_plan_is(plan, 0.5) ? &left : &right) =
        ht_plan_is(plan, 0.3) ? ht_plan_between(plan, 0, 0.3) : ht_plan_between(plan, 0.4, 1);
  heart_draw(plan, &g, left, right);
  great_vessels_draw(plan, &g, spine_y, left, right);
}

/* ---- The belly ---- */

/* An organ that takes up agent between two shares of the contrast. */
static ht_solid *organ_add(ht_labelled_plan *plan, double x, double y, double z,
                           const double half[3], double low, double high) {
  double size = ht_plan_between(plan, 0.8, 1.2);
  float value = plan->value[HT_TISSUE_ORGAN] + ht_plan_between(plan, low, high) * plan->uptake;
  return ht_solid_add(plan, x + ht_plan_between(plan, -10, 10), y + ht_plan_between(plan, -10, 10),
                      z + ht_plan_between(plan, -25, 25), size * half[0], size * half[1],
                      size * half[2], value);
}

static void kidney_add(ht_labelled_plan *plan, double x, double y) {
  const float *value = plan->value;
  ht_solid *cortex = organ_add(plan, x, y, 0, (double[3]){29, 27, 56}, 0.1, 0.8);
  double c[3], h[3];
  for (int a = 0; a < 3; a++) {
    c[a] = cortex->centre[a] * plan->mm;
    h[a] = cortex->half[a] * plan->mm;
  }
  float outer = cortex->value, pith = outer - ht_plan_between(plan, 0, 0.35) * plan->uptake;
  for (int n = -2; n <= 2; n++) /* pyramids */
    for (int side = -1; side <= 1; side += 2)
      ht_solid_add(plan, c[0] + 0.3 * side * h[0], c[1] + 0.45 * h[1] * side, c[2] + 0.3 * n * h[2],
                   0.3 * h[0], 0.3 * h[1], 0.13 * h[2], pith);
  double in = x > 0 ? -0.35 : 0.35;
  ht_solid_add(plan, c[0] + in * h[0], c[1], c[2], 0.5 * h[0], 0.35 * h[1], 0.5 * h[2],
               value[HT_TISSUE_FAT]);
  ht_solid_add(plan, c[0] + in * h[0], c[1], c[2], 0.22 * h[0], 0.18 * h[1], 0.35 * h[2],
               ht_plan_is(plan, 0.8)
                   ? value[HT_TISSUE_FLUID]
                   : value[HT_TISSUE_MUSCLE] + ht_plan_between(plan, 0.5, 2.5) * plan->uptake);
}

/* A gut: wall around what is in it. */
static void bowel_add(ht_labelled_plan *plan, const double half[2]) {
  enum { COUNT = 7 };
  mark m[COUNT];
  double r = ht_plan_between(plan, 6, 16);
  static const int tissue[] = {HT_TISSUE_FLUID, HT_TISSUE_MUSCLE, HT_TISSUE_AIR, HT_TISSUE_FAT};
  float value = plan->value[tissue[ht_plan_count(plan, 0, 3)]];
  if (ht_plan_is(plan, 0.05) && !plan->is_mr)
    value = plan->value[HT_TISSUE_MUSCLE] + ht_plan_between(plan, 0.4, 1.5) * plan->contrast;
  const double middle[2] = {ht_plan_between(plan, -0.5, 0.5) * half[0],
                            ht_plan_between(plan, -0.8, -0.1) * half[1]};
  double z = ht_plan_between(plan, -60, 60);
  for (int n = 0; n < COUNT; n++) {
    m[n].r = r;
    for (int a = 0; a < 2; a++) m[n].p[a] = middle[a] + ht_plan_between(plan, -45, 45);
    m[n].p[2] = z + ht_plan_between(plan, -35, 35);
  }
  course_add(plan, &(group){.size = 1}, COUNT, m, value, HT_LABEL_BACKGROUND,
             ht_plan_between(plan, 1, 3));
}

static void along_spine(ht_labelled_plan *plan, double spine_y) {
  double y = spine_y - ht_plan_between(plan, 24, 36), fork = ht_plan_between(plan, -120, -20);
  double x = ht_plan_between(plan, 4, 16), r = ht_plan_between(plan, 6.5, 12);
  float vein = ht_plan_vein_share(plan);
  const mark aorta[4] = {
      {{x, y, 300}, r * 1.1}, {{x, y, 100}, r}, {{x, y - 4, fork + 70}, r}, {{x, y, fork}, r}};
  const group g = {.size = 1, .jitter = 4}, exact = {.size = 1};
  mark iliac[2][4];
  blood_add(plan, &g, 4, aorta, 1, 1);
  for (int n = 0; n < 2; n++) {
    double side = n ? 1 : -1;
    const mark way[4] = {{{x, y, fork + 4}, 0.7 * r},
                         {{x + side * 14, y, fork - 25}, 0.68 * r},
                         {{x + side * 40, y - 5, fork - 75}, 0.65 * r},
                         {{x + side * 75, y - 60, fork - 190}, 0.55 * r}};
    for (int i = 0; i < 4; i++) iliac[n][i] = way[i];
    blood_add(plan, &g, 4, iliac[n], 1, 0);
    root_add(plan, &exact, &(mark){{x + side * 0.7 * r, y, fork + 105}, 2.8},
             (double[3]){x + side * 70, y + 15, fork + 90}, 1);
    root_add(plan, &exact, &(mark){{x, y - 0.7 * r, fork + 120 + 18 * n}, 3.5},
             (double[3]){x + side * 15, y - 60, fork + 70 + 60 * n}, 1);
  }
  const mark cava[4] = {{{-30, y - 14, 260}, 12},
                        {{-20, y, 100}, 11.5},
                        {{-16, y + 4, fork}, 11},
                        {{-10, y + 8, fork - 20}, 10}};
  blood_add(plan, &g, 4, cava, vein, 0.8);
  const mark portal[4] = {{{35, y - 30, 30}, 5},
                          {{0, y - 34, 45}, 6.5},
                          {{-35, y - 40, 75}, 6.5},
                          {{-55, y - 38, 95}, 5}};
  float gut = ht_plan_vein_share(plan);
  blood_add(plan, &g, 4, portal, gut, 0);
  root_add(plan, &exact, &portal[3], (double[3]){-110, y - 50, 120}, gut);
}

void ht_labelled_belly_draw(ht_labelled_plan *plan, const double half[2], double spine_y) {
  const float *value = plan->value;
  for (int n = ht_plan_count(plan, 0, 6); n > 0; n--) bowel_add(plan, half);
  if (ht_plan_is(plan, 0.7))
    organ_add(plan, -0.5 * half[0], -0.15 * half[1], 80, (double[3]){85, 75, 85}, 0, 0.35);
  if (ht_plan_is(plan, 0.6))
    organ_add(plan, 0.65 * half[0], 0.3 * half[1], 80, (double[3]){28, 38, 50}, 0.05, 0.7);
  if (ht_plan_is(plan, 0.5))
    organ_add(plan, 0.3 * half[0], -0.4 * half[1], 80, (double[3]){45, 35, 40}, 0, 0)->value =
        value[ht_plan_is(plan, 0.5) ? HT_TISSUE_FLUID : HT_TISSUE_AIR];
  for (int side = -1; side <= 1; side += 2)
    if (ht_plan_is(plan, 0.75)) kidney_add(plan, side * 68, spine_y - 2);
  along_spine(plan, spine_y);
}

/* ---- Head, neck, limb ---- */

/* On both sides where x is not 0. `root`: where a tree goes on from the last mark; 0, 0, 0: none.
 */
typedef struct {
  unsigned has;
  int is_vein, count;
  mark m[7];
  double root[3];
} usual;

static const usual usuals[] = {
    {HT_LABELLED_HEAD,
     0,
     6, /* carotid with its siphon, middle artery of the brain */
     {{{22, 8, -140}, 2.6},
      {{24, 4, -80}, 2.5},
      {{24, 6, -48}, 2.5},
      {{12, -4, -40}, 2.3},
      {{10, -20, -32}, 2.1},
      {{11, -10, -20}, 1.9}},
     {50, -5, -12}},
    {HT_LABELLED_HEAD,
     0,
     3,
     {{{11, -10, -20}, 1.4}, {{6, -22, -14}, 1.3}, {{2, -30, -4}, 1.2}},
     {3, -50, 40}},
    {HT_LABELLED_HEAD,
     0,
     4, /* vertebral, basilar, posterior artery */
     {{{18, 30, -130}, 1.9}, {{12, 26, -75}, 1.9}, {{1, 4, -55}, 1.8}, {{1, 0, -24}, 1.7}},
     {30, 45, -10}},
    {HT_LABELLED_HEAD,
     1,
     6, /* sinuses */
     {{{0, -75, 40}, 2},
      {{0, -35, 82}, 3.2},
      {{0, 35, 80}, 3.8},
      {{0, 82, 30}, 4.5},
      {{0, 84, -8}, 4.5},
      {{0, 80, -20}, 4}},
     {0, 0, 0}},
    {HT_LABELLED_HEAD,
     1,
     5,
     {{{4, 82, -14}, 3},
      {{40, 64, -22}, 4},
      {{58, 34, -30}, 4},
      {{40, 16, -60}, 4.5},
      {{34, 14, -140}, 5}},
     {0, 0, 0}},
    {HT_LABELLED_HEAD,
     0,
     4, /* of the face */
     {{{30, 0, -140}, 2}, {{44, -2, -80}, 2}, {{62, 4, -30}, 1.4}, {{70, 0, 30}, 1}},
     {0, 0, 0}},
    {HT_LABELLED_NECK,
     0,
     5,
     {{{16, 0, -180}, 3.8},
      {{24, -4, -60}, 3.5},
      {{25, -5, 0}, 4},
      {{27, -2, 40}, 2.8},
      {{25, 0, 160}, 2.6}},
     {0, 0, 0}},
    {HT_LABELLED_NECK,
     0,
     3,
     {{{24, -7, 2}, 2.4}, {{32, -10, 40}, 2.1}, {{40, -6, 160}, 1.8}},
     {0, 0, 0}},
    {HT_LABELLED_NECK,
     0,
     4,
     {{{22, 4, -160}, 2}, {{17, 10, -60}, 1.9}, {{17, 10, 40}, 1.9}, {{18, 12, 160}, 1.8}},
     {0, 0, 0}},
    {HT_LABELLED_NECK,
     1,
     4,
     {{{30, -6, -170}, 6.5}, {{35, -6, -50}, 5.5}, {{36, -3, 40}, 5}, {{30, 2, 160}, 4}},
     {0, 0, 0}},
    {HT_LABELLED_LIMB,
     0,
     4,
     {{{10, -8, -180}, 3.5}, {{14, 0, -60}, 3.2}, {{12, 6, 60}, 3}, {{6, 10, 180}, 2.6}},
     {0, 0, 0}},
    {HT_LABELLED_LIMB,
     1,
     4,
     {{{16, -8, -180}, 4}, {{20, 2, -60}, 3.8}, {{18, 8, 60}, 3.5}, {{12, 14, 180}, 3}},
     {0, 0, 0}},
};

void ht_labelled_courses_draw(ht_labelled_plan *plan) {
  float vein = ht_plan_vein_share(plan);
  const group g = {.size = ht_plan_between(plan, 0.8, 1.2), .jitter = 4};
  for (int n = 0; n < (int)(sizeof usuals / sizeof *usuals); n++) {
    const usual *u = &usuals[n];
    if (!(plan->has & u->has)) continue;
    for (int side = u->m[0].p[0] == 0 ? 1 : -1; side <= 1; side += 2) {
      if (ht_plan_is(plan, u->is_vein ? 0.3 : 0.15)) continue;
      usual one = *u;
      for (int i = 0; i < u->count; i++) one.m[i].p[0] *= side;
      float share = u->is_vein ? vein : 1;
      blood_add(plan, &g, u->count, one.m, share, 0);
      if (u->root[2] == 0) continue;
      one.m[u->count - 1].r *= 0.8;
      root_add(plan, &g, &one.m[u->count - 1],
               (double[3]){side * u->root[0], u->root[1], u->root[2]}, share);
    }
  }
}
