/* Vessels: trees that branch by Murray's law, bend, keep apart or touch; veins beside them; sacs
 * and narrowings. */
#include "phantom/labelled/labelled_plan.h"
#include "core/numbers/units.h"
#include <math.h>

enum { BUDS = 64, TRIES = 5 };
#define LEAST_WIDE 0.75f

/* Begin of a branch. */
typedef struct {
  float p[3], along[3], r, run; /* run: from the tree's root */
  float free;                   /* within this of p it may touch what is there */
} bud;

typedef struct {
  int most_nodes;
  float blood, loss, least_r; /* of the contrast; loss: over the box's size */
  float bend, gap, spread;    /* bend: curvature times radius; spread: branches over 10 radii */
} tree;

/* ---- One branch ---- */

/* Finds the place nearest to colliding with a sphere; returns the gap to it, and the way from it.
 */
static float nearest_gap(const ht_labelled_plan *plan, const bud *from, const float p[3], float r,
                         int before, float away[3]) {
  float least = HUGE_VALF;
  int at = -1;
  for (int i = 0; i < before; i++) {
    const ht_tube_node *node = &plan->vessels.node[i];
    float x = node->p[0] - p[0], y = node->p[1] - p[1], z = node->p[2] - p[2];
    float reach = r + node->r + 6, square = x * x + y * y + z * z;
    if (square > reach * reach) continue;
    float u = node->p[0] - from->p[0], v = node->p[1] - from->p[1], w = node->p[2] - from->p[2];
    if (u * u + v * v + w * w < from->free * from->free) continue;
    float gap = sqrtf(square) - r - node->r;
    if (gap < least) {
      least = gap;
      at = i;
    }
  }
  for (int a = 0; a < 3 && at >= 0; a++) away[a] = p[a] - plan->vessels.node[at].p[a];
  if (at >= 0) ht_make_unit(away);
  return least;
}

/* Moves a step on, away from what is near. Returns 0 where the way is barred. */
static int step_on(ht_labelled_plan *plan, const tree *t, const bud *from, int own, float step,
                   float r, float p[3], float along[3]) {
  int skipped = (int)(5 * r / step) + 3, before = plan->vessels.count - skipped;
  if (before < own) before = own < plan->vessels.count ? own : plan->vessels.count;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    float next[3], away[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) next[a] = p[a] + step * along[a];
    float gap = nearest_gap(plan, from, next, r, before, away);
    if (ht_plan_bone_distance(plan, next) < r) return 0;
    if (gap >= t->gap) {
      float push = gap < t->gap + r ? 0.1f : 0;
      for (int a = 0; a < 3; a++) {
        p[a] = next[a];
        along[a] += push * away[a];
      }
      ht_make_unit(along);
      return 1;
    }
    for (int a = 0; a < 3; a++) along[a] += 0.8f * away[a];
    ht_make_unit(along);
  }
  return 0;
}

static int is_far(const ht_labelled_plan *plan, const float p[3], float r) {
  for (int a = 0; a < 3; a++)
    if (fabsf(p[a]) > plan->half[a] + r + 6) return 1;
  return 0;
}

/* A vessel thinner than a voxel is as wide as one, and dimmer, so that its label has no gaps. */
static void node_add(ht_labelled_plan *plan, const tree *t, const bud *b, int tube, int joined) {
  int label;
  float share = fminf(b->run / (2 * plan->half[0]), 1.2f), wide = fmaxf(b->r, LEAST_WIDE);
  float filled = b->r * b->r / (wide * wide), around = plan->value[HT_TISSUE_MUSCLE];
  float value = ht_plan_blood(plan, t->blood - t->loss * share, &label);
  if (t->blood > 0.85f && label == HT_LABEL_VESSEL) label = HT_LABEL_EITHER; /* it fades */
  ht_tubes_add(&plan->vessels, b->p, wide, around + filled * (value - around), tube, label, joined);
}

/* Bends the direction: a curvature across it that wanders. */
static void bend(ht_labelled_plan *plan, float most, float step, float curve[3], float along[3]) {
  float across = 0;
  for (int a = 0; a < 3; a++) {
    curve[a] = 0.85f * curve[a] + 0.5f * most * ht_plan_between(plan, -1, 1);
    across += curve[a] * along[a];
  }
  for (int a = 0; a < 3; a++) along[a] += step * (curve[a] - across * along[a]);
  ht_make_unit(along);
}

/* Grows a branch to where it forks. Returns 1 there, 0 where it ended before. */
static int branch_grow(ht_labelled_plan *plan, const tree *t, bud *b) {
  int own = plan->vessels.count, tube = plan->tubes_made++;
  float length = b->r * ht_plan_scaled(plan, 5, 10 + 60 / t->spread), curve[3] = {0, 0, 0};
  float loop = ht_plan_is(plan, 0.06) ? ht_plan_between(plan, 0.25, 0.5) / b->r : 0, axis[3];
  ht_plan_direction(plan, axis);
  float taper = ht_plan_between(plan, 0, 0.012), walked = 0;
  node_add(plan, t, b, tube, 0);
  while (walked < length && plan->vessels.count < t->most_nodes) {
    float step = fmaxf(0.7f, 0.45f * b->r);
    if (loop > 0 && loop * walked < 2.5f * (float)HT_PI)
      ht_turned_about(axis, loop * step, b->along);
    bend(plan, t->bend / b->r, step, curve, b->along);
    bud from = *b;
    for (int a = 0; a < 3; a++) from.p[a] = plan->vessels.node[own].p[a];
    if (!step_on(plan, t, &from, own, step, b->r, b->p, b->along)) return 0;
    walked += step;
    b->run += step;
    b->r *= 1 - taper * step / b->r;
    node_add(plan, t, b, tube, 1);
    if (is_far(plan, b->p, b->r) && walked > 3 * b->r) return 0;
  }
  return plan->vessels.count < t->most_nodes;
}

/* ---- A tree ---- */

/* Splits a branch by Murray's law: r^3 = r1^3 + r2^3; the smaller one turns off more. */
static void split(ht_labelled_plan *plan, const bud *from, bud daughter[2]) {
  float share = ht_plan_scaled(plan, 0.06, 0.5), across[3];
  ht_across_of(from->along, across);
  ht_turned_about(from->along, ht_plan_between(plan, 0, 2 * HT_PI), across);
  float open = ht_plan_between(plan, 0.5, 1.4), angle[2] = {-open * share, open * (1 - share)};
  for (int n = 0; n < 2; n++) {
    daughter[n] = *from;
    daughter[n].r = from->r * cbrtf(n ? share : 1 - share);
    daughter[n].free = 2.6f * from->r + 1;
    for (int a = 0; a < 3; a++)
      daughter[n].along[a] = from->along[a] * cosf(angle[n]) + across[a] * sinf(angle[n]);
  }
}

static void tree_grow(ht_labelled_plan *plan, const tree *t, const bud *root) {
  bud stack[BUDS] = {*root};
  int count = 1;
  while (count > 0 && plan->vessels.count < t->most_nodes) {
    bud b = stack[--count], daughter[2];
    if (!branch_grow(plan, t, &b)) continue;
    split(plan, &b, daughter);
    for (int n = 1; n >= 0; n--)
      if (count < BUDS && daughter[n].r >= t->least_r) stack[count++] = daughter[n];
  }
}

/* A root at the border that aims inside, or a place inside; in the body, where chance finds one. */
static void root_draw(ht_labelled_plan *plan, float r, bud *root) {
  float deep = fmaxf(r, plan->has & HT_LABELLED_TRUNK ? 30 / plan->mm : 0);
  *root = (bud){.r = r};
  for (int attempt = 0; attempt < 12; attempt++) {
    float aim[3];
    int side = ht_plan_count(plan, 0, 5), is_inside = ht_plan_is(plan, attempt < 6 ? 0.12 : 1);
    for (int a = 0; a < 3; a++) {
      root->p[a] = ht_plan_between(plan, -0.9, 0.9) * plan->half[a];
      aim[a] = ht_plan_between(plan, -0.5, 0.5) * plan->half[a];
    }
    if (!is_inside) root->p[side / 2] = (side % 2 ? 1 : -1) * (plan->half[side / 2] + 0.7f * r);
    for (int a = 0; a < 3; a++) root->along[a] = aim[a] - root->p[a];
    if (is_inside) ht_plan_direction(plan, root->along);
    ht_make_unit(root->along);
    if (ht_plan_skin_distance(plan, root->p) < -deep && ht_plan_bone_distance(plan, root->p) > r)
      return;
  }
}

static tree tree_draw(ht_labelled_plan *plan, float blood, int nodes) {
  int most = plan->vessels.count + nodes;
  tree t = {.blood = blood, .most_nodes = most < HT_TUBE_NODES ? most : HT_TUBE_NODES};
  t.loss = ht_plan_between(plan, 0, plan->is_mr ? 0.5 : 0.12);
  t.least_r = ht_plan_between(plan, 0.5, 1);
  t.bend = ht_plan_scaled(plan, 0.02, 0.4);
  int may_touch = ht_plan_is(plan, 0.4);
  t.gap = ht_plan_between(plan, may_touch ? -0.3 : 0.5, may_touch ? 0.5 : 3);
  t.spread = ht_plan_scaled(plan, 0.7, 6);
  return t;
}

/* ---- Veins ---- */

/* A vein along a tube, whose side of it turns slowly. */
static void companion_add(ht_labelled_plan *plan, int first, int last) {
  int label, tube = plan->tubes_made++;
  float value = ht_plan_blood(plan, ht_plan_vein_share(plan), &label);
  float wide = ht_plan_between(plan, 0.7, 1.6);
  float gap = ht_plan_between(plan, -0.2, 1.5), side[3], turn = ht_plan_between(plan, -0.04, 0.04);
  ht_plan_direction(plan, side);
  for (int i = first + 1; i <= last; i++) {
    const ht_tube_node node = plan->vessels.node[i], *before = &plan->vessels.node[i - 1];
    float along[3], dot = 0, p[3], r = wide * node.r;
    for (int a = 0; a < 3; a++) along[a] = node.p[a] - before->p[a];
    ht_make_unit(along);
    for (int a = 0; a < 3; a++) dot += side[a] * along[a];
    for (int a = 0; a < 3; a++) side[a] -= dot * along[a];
    ht_make_unit(side);
    ht_turned_about(along, turn, side);
    for (int a = 0; a < 3; a++) p[a] = node.p[a] + (node.r + r + gap) * side[a];
    ht_tubes_add(&plan->vessels, p, r, value, tube, label, i > first + 1);
  }
  plan->has |= HT_LABELLED_COMPANION;
}

static void companions_draw(ht_labelled_plan *plan) {
  int grown = plan->vessels.count, first = 0;
  for (int i = 1; i <= grown; i++) {
    if (i < grown && plan->vessels.node[i].joined) continue;
    if (i - first > 12 && plan->vessels.node[first].r > 1.2f && ht_plan_is(plan, 0.3))
      companion_add(plan, first, i - 1);
    first = i;
  }
}

/* ---- Illness ---- */

static void sac_add(ht_labelled_plan *plan, int at) {
  const ht_tube_node node = plan->vessels.node[at];
  float side[3], p[3], most = 0.3f * (float)plan->edge;
  float r = fminf(fmaxf(1.5f, node.r * ht_plan_between(plan, 0.7, 2.5)), most);
  ht_plan_direction(plan, side);
  for (int lobe = ht_plan_count(plan, 1, 3); lobe > 0; lobe--) {
    float out = node.r + r * ht_plan_between(plan, 0.3, 0.8);
    for (int a = 0; a < 3; a++)
      p[a] = node.p[a] + out * side[a] + 0.3f * r * ht_plan_between(plan, -1, 1);
    ht_tubes_add(&plan->vessels, p, r * ht_plan_between(plan, 0.7, 1), node.value, node.tube,
                 node.label, 0);
  }
  plan->has |= HT_LABELLED_SAC;
}

/* Widens or narrows a tube around a node: a narrowing to 0.3 to 0.8 of the radius, or a bulge. */
static void width_change(ht_labelled_plan *plan, int at, float factor) {
  const ht_tube_node node = plan->vessels.node[at];
  float reach = node.r * ht_plan_between(plan, 0.8, 3);
  for (int step = -1; step <= 1; step += 2)
    for (int i = at + (step > 0); i >= 0 && i < plan->vessels.count; i += step) {
      ht_tube_node *one = &plan->vessels.node[i];
      float v[3] = {one->p[0] - node.p[0], one->p[1] - node.p[1], one->p[2] - node.p[2]};
      float away = ht_length_of(v);
      if (one->tube != node.tube || away > 3 * reach) break;
      one->r *= 1 + (factor - 1) * expf(-away * away / (reach * reach));
      one->r = fminf(one->r, 0.3f * (float)plan->edge);
    }
}

/* Clotted blood around a wide place: as bright as muscle, and not a vessel. */
static void clot_add(ht_labelled_plan *plan, int at) {
  const ht_tube_node node = plan->vessels.node[at];
  if (plan->solids == HT_SOLIDS) return;
  ht_solid *clot = &plan->solid[plan->solids++];
  *clot = (ht_solid){.turn = {1, 0}, .value = plan->value[HT_TISSUE_MUSCLE]};
  for (int r = 0; r < 3; r++) {
    const float *row = plan->turn[r];
    clot->half[r] = node.r * ht_plan_between(plan, 1.3, 2.8);
    clot->centre[r] = row[0] * node.p[0] + row[1] * node.p[1] + row[2] * node.p[2] + plan->move[r];
    clot->centre[r] += 0.5f * node.r * ht_plan_between(plan, -1, 1);
  }
}

static void illness_draw(ht_labelled_plan *plan) {
  int grown = plan->vessels.count;
  if (grown < 10) return;
  for (int n = ht_plan_is(plan, 0.35) ? ht_plan_count(plan, 1, 2) : 0; n > 0; n--)
    sac_add(plan, ht_plan_count(plan, 0, grown - 1));
  for (int n = ht_plan_is(plan, 0.4) ? ht_plan_count(plan, 1, 3) : 0; n > 0; n--) {
    int at = ht_plan_count(plan, 0, grown - 1), is_wider = ht_plan_is(plan, 0.3);
    if (plan->vessels.node[at].r < 1.5f) continue;
    if (ht_plan_is(plan, 0.3)) clot_add(plan, at);
    width_change(plan, at,
                 is_wider ? ht_plan_between(plan, 1.3, 2) : ht_plan_between(plan, 0.3, 0.8));
    plan->has |= HT_LABELLED_NARROWING;
  }
}

/* ---- All ---- */

/* Removes vessels that are too dim for a scan cut off at a level: nobody sees them. */
static void dim_remove(ht_labelled_plan *plan) {
  ht_tubes *tubes = &plan->vessels;
  int kept = 0, last_kept = -2;
  for (int i = 0; i < tubes->count; i++) {
    if (tubes->node[i].value < plan->cut) continue;
    ht_tube_node node = tubes->node[i];
    if (last_kept != i - 1) node.joined = 0;
    tubes->node[kept++] = node;
    last_kept = i;
  }
  tubes->count = kept;
}

/* Radius of a trunk: any in voxels, or one usual in this part of the body. */
static float trunk_radius(ht_labelled_plan *plan) {
  float mm = plan->has & HT_LABELLED_HEAD    ? ht_plan_scaled(plan, 0.7, 3)
             : plan->has & HT_LABELLED_TRUNK ? ht_plan_scaled(plan, 2, 16)
                                             : ht_plan_scaled(plan, 1.2, 6);
  float r = ht_plan_is(plan, 0.2) ? ht_plan_scaled(plan, 0.9, 14) : mm / plan->mm;
  return fminf(fmaxf(r, 0.9f), 0.22f * (float)plan->edge);
}

/* A tree with its root; most nodes of its own: `nodes`. */
static void tree_add(ht_labelled_plan *plan, float blood, float trunk, int nodes) {
  tree t = tree_draw(plan, blood, nodes);
  bud root;
  root_draw(plan, trunk, &root);
  tree_grow(plan, &t, &root);
}

/* The trees of the body's wide vessels. */
static void rooted_draw(ht_labelled_plan *plan) {
  for (int n = 0; n < plan->roots; n++) {
    const ht_root *from = &plan->root[n];
    float r = fmaxf(from->r, 0.5f);
    tree t = tree_draw(plan, from->share, (int)ht_plan_scaled(plan, 150, 1200));
    bud root = {.r = r, .free = 3 * r + 16 / plan->mm};
    for (int a = 0; a < 3; a++) {
      root.p[a] = from->p[a];
      root.along[a] = from->along[a];
    }
    t.bend = fminf(t.bend, 0.15f);
    t.spread = fmaxf(t.spread, 2.5f);
    t.least_r *= 0.7f;
    tree_grow(plan, &t, &root);
  }
}

void ht_labelled_soft_split(ht_labelled_plan *plan) {
  ht_tubes *from = &plan->vessels;
  int kept = 0, was_soft = 0;
  for (int i = 0; i < from->count; i++) {
    ht_tube_node node = from->node[i];
    int is_soft = node.label == HT_LABEL_BACKGROUND;
    node.joined = node.joined && is_soft == was_soft;
    was_soft = is_soft;
    if (is_soft)
      ht_tubes_add(&plan->soft, node.p, node.r, node.value, node.tube, 0,
                   node.joined && plan->soft.count > 0);
    else
      from->node[kept++] = node;
  }
  from->count = kept;
}

/* Draws a few trees, many, or a thicket of thin ones. */
void ht_labelled_vessels_draw(ht_labelled_plan *plan) {
  int is_dense = ht_plan_is(plan, 0.12);
  int many = is_dense || ht_plan_is(plan, 0.25);
  int arteries = ht_plan_count(plan, is_dense ? 8 : 2, is_dense ? 26 : many ? 12 : 6);
  int veins = ht_plan_count(plan, 0, many ? 5 : 2);
  if (plan->has & HT_LABELLED_TRUNK) arteries = ht_plan_count(plan, 0, many ? 8 : 2);
  rooted_draw(plan);
  for (int n = 0; n < arteries + veins; n++) {
    float blood = n < arteries ? 1 : ht_plan_vein_share(plan);
    float trunk = is_dense ? ht_plan_scaled(plan, 0.9, 3.5) : trunk_radius(plan);
    int nodes = (int)ht_plan_scaled(plan, 100, many ? 500 : 1200);
    tree_add(plan, blood, trunk, nodes);
    if (n == arteries - 1 && ht_plan_is(plan, 0.65)) companions_draw(plan);
  }
  illness_draw(plan);
  if (plan->has & HT_LABELLED_CUT) dim_remove(plan);
}
