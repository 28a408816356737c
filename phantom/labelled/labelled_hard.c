/* Calcium, stents, clips, coils, wires: small and dense, at the vessels or anywhere. */
#include "phantom/labelled/labelled_plan.h"
#include "core/numbers/units.h"
#include <math.h>
#include <stdlib.h>

static void add(ht_labelled_plan *plan, const float p[3], float r, int tissue, int joined) {
  ht_tubes_add(&plan->hard, p, r, plan->value[tissue], 0, 0, joined);
}

/* The direction of a tube at a joined node. */
static void along_at(const ht_labelled_plan *plan, int at, float along[3]) {
  const ht_tube_node *node = &plan->vessels.node[at];
  for (int a = 0; a < 3; a++) along[a] = node->p[a] - node[-1].p[a];
  ht_make_unit(along);
}

/* Finds a joined node of a vessel of at least this radius, below the skin; -1 where chance finds
 * none. */
static int joined_node(ht_labelled_plan *plan, float least_r) {
  for (int n = 0; n < 20 && plan->vessels.count > 0; n++) {
    int at = ht_plan_count(plan, 0, plan->vessels.count - 1);
    const ht_tube_node *node = &plan->vessels.node[at];
    if (node->joined && node->r >= least_r && ht_plan_skin_distance(plan, node->p) < -1) return at;
  }
  return -1;
}

static void on_wall(const ht_labelled_plan *plan, int at, float angle, float out, float p[3]) {
  float along[3], across[3];
  along_at(plan, at, along);
  ht_across_of(along, across);
  ht_turned_about(along, angle, across);
  const ht_tube_node *node = &plan->vessels.node[at];
  for (int a = 0; a < 3; a++) p[a] = node->p[a] + (node->r + out) * across[a];
}

static void calcium_draw(ht_labelled_plan *plan) {
  int count = ht_plan_count(plan, 1, 14);
  for (int n = 0; n < count; n++) {
    int at = joined_node(plan, 1.2f), plaques = ht_plan_count(plan, 1, 6);
    if (at < 0) return;
    float angle = ht_plan_between(plan, 0, 2 * HT_PI), p[3];
    float r = fminf(ht_plan_scaled(plan, 0.4, 2), 0.5f * plan->vessels.node[at].r);
    for (int i = 0; i < plaques; i++) {
      float out = ht_plan_between(plan, -0.3, 0.5) * r;
      on_wall(plan, at, angle + ht_plan_between(plan, -0.5, 0.5) * (float)i, out, p);
      add(plan, p, r * ht_plan_between(plan, 0.6, 1.2), HT_TISSUE_CALCIUM, i > 0);
    }
    plan->has |= HT_LABELLED_CALCIUM;
  }
}

/* Crossed wires around a tube, or ones that run up and down; on its wall or, as a graft in a sac,
 * away from it in clotted blood. */
static void stent_draw(ht_labelled_plan *plan) {
  int at = joined_node(plan, ht_plan_is(plan, 0.4) ? 6 : 2.2f), wires = ht_plan_count(plan, 4, 9);
  if (at < 0) return;
  int last = at + ht_plan_count(plan, 8, 40), tube = plan->vessels.node[at].tube;
  float pitch = ht_plan_between(plan, 0.12, 0.4), thick = ht_plan_between(plan, 0.15, 0.6), p[3];
  float r = plan->vessels.node[at].r, out = 0.2f, sac = ht_plan_between(plan, 1.3, 3);
  int waves = ht_plan_is(plan, 0.5) ? ht_plan_count(plan, 3, 9) : 0,
      is_graft = ht_plan_is(plan, 0.5);
  if (is_graft) out = ht_plan_between(plan, 0, 0.35) * r;
  for (int family = -1; family <= 1; family += 2)
    for (int w = 0; w < wires; w++)
      for (int i = at; i < last && i < plan->vessels.count && plan->vessels.node[i].tube == tube;
           i++) {
        if (!plan->vessels.node[i].joined) break;
        int turns = waves ? abs((i - at) % (2 * waves) - waves) : i - at;
        on_wall(plan, i, (float)(2 * HT_PI * w / wires) + (float)family * pitch * (float)turns, out,
                p);
        add(plan, p, thick, HT_TISSUE_METAL, i > at);
      }
  for (int i = at; i < last && i < plan->vessels.count && is_graft; i++) {
    const ht_tube_node *node = &plan->vessels.node[i];
    if (node->tube != tube || !node->joined) break;
    ht_tubes_add(&plan->soft, node->p, fminf(node->r * sac, 0.45f * (float)plan->edge),
                 plan->value[HT_TISSUE_MUSCLE], tube, 0, i > at);
  }
  plan->has |= HT_LABELLED_STENT;
}

static void clips_draw(ht_labelled_plan *plan) {
  for (int n = ht_plan_count(plan, 1, 4); n > 0; n--) {
    float p[3], along[3], r = ht_plan_between(plan, 0.5, 1.4);
    for (int a = 0; a < 3; a++) p[a] = ht_plan_between(plan, -0.9, 0.9) * plan->half[a];
    int at = ht_plan_is(plan, 0.5) ? joined_node(plan, 0) : -1;
    if (at >= 0) on_wall(plan, at, ht_plan_between(plan, 0, 2 * HT_PI), r + 0.5f, p);
    ht_plan_direction(plan, along);
    add(plan, p, r, HT_TISSUE_METAL, 0);
    for (int a = 0; a < 3; a++) p[a] += ht_plan_between(plan, 2, 8) * along[a];
    add(plan, p, r, HT_TISSUE_METAL, 1);
  }
  plan->has |= HT_LABELLED_CLIP;
}

/* A catheter, an electrode, a screw: long and smooth. */
static void wire_draw(ht_labelled_plan *plan) {
  float p[3], along[3], across[3], r = ht_plan_scaled(plan, 0.4, 2.5);
  for (int a = 0; a < 3; a++) p[a] = ht_plan_between(plan, -1, 1) * plan->half[a];
  ht_plan_direction(plan, along);
  ht_across_of(along, across);
  int steps = ht_plan_count(plan, 5, 50);
  float turn = ht_plan_between(plan, 0, 0.06);
  for (int n = 0; n < steps; n++) {
    add(plan, p, r, HT_TISSUE_METAL, n > 0);
    ht_turned_about(across, turn, along);
    for (int a = 0; a < 3; a++) p[a] += 2.5f * along[a];
  }
  plan->has |= HT_LABELLED_WIRE;
}

void ht_labelled_hard_draw(ht_labelled_plan *plan) {
  if (ht_plan_is(plan, plan->is_mr ? 0.1 : 0.4)) calcium_draw(plan);
  for (int n = 0; n < 3; n++)
    if (ht_plan_is(plan, plan->is_mr ? 0.01 : 0.1)) stent_draw(plan);
  if (ht_plan_is(plan, plan->is_mr ? 0.03 : 0.12)) clips_draw(plan);
  if (ht_plan_is(plan, plan->is_mr ? 0.02 : 0.12)) wire_draw(plan);
}
