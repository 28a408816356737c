/* The part of the body: its tissues as ellipsoids and cylinders, bone as these and as tubes. Sizes
 * are in mm, x to the side, y to the back, z along the body; they become widths as they are added.
 */
#include "phantom/labelled/labelled_plan.h"
#include "core/numbers/units.h"
#include <math.h>
#include <string.h>

/* ---- Adding ---- */

static ht_solid *drum_add(ht_labelled_plan *plan, double x, double y, double z, double hx,
                          double hy, double hz, float value) {
  ht_solid *solid = ht_solid_add(plan, x, y, z, hx, hy, hz, value);
  solid->is_drum = 1;
  return solid;
}

static ht_solid *turned(ht_labelled_plan *plan, ht_solid *solid) {
  float angle = ht_plan_between(plan, 0, HT_PI);
  solid->turn[0] = cosf(angle);
  solid->turn[1] = sinf(angle);
  return solid;
}

static void bone_of(ht_labelled_plan *plan, ht_solid *solid, double shell_mm) {
  solid->is_bone = 1;
  solid->shell = (float)shell_mm / plan->mm;
  plan->has |= HT_LABELLED_BONE;
}

/* A node of a bone, from the body's axes to the box's. */
static void bone_node(ht_labelled_plan *plan, const double at_mm[3], double r_mm, int joined) {
  float p[3];
  ht_plan_place(plan, at_mm, p);
  ht_tubes_add(&plan->bones, p, (float)r_mm / plan->mm, 0, 0, 0, joined);
  plan->has |= HT_LABELLED_BONE;
}

static void bone_bar(ht_labelled_plan *plan, const double from[3], const double to[3],
                     double r_mm) {
  bone_node(plan, from, r_mm, 0);
  bone_node(plan, to, r_mm, 1);
}

/* ---- Parts ---- */

static void skin_and_muscle(ht_labelled_plan *plan, double hx, double hy, double hz, double fat,
                            int is_drum) {
  const float *value = plan->value;
  ht_solid *skin = ht_solid_add(plan, 0, 0, 0, hx, hy, hz, value[HT_TISSUE_FAT]);
  ht_solid *muscle = ht_solid_add(plan, 0, 0, 0, hx - fat, hy - fat, hz - (is_drum ? 0 : fat),
                                  value[HT_TISSUE_MUSCLE]);
  skin->is_drum = muscle->is_drum = (uint8_t)is_drum;
}

static void lumps_add(ht_labelled_plan *plan, int count, const double reach[3],
                      const double size[2], int tissue) {
  for (int n = 0; n < count; n++) {
    double at[3], half[3], r = ht_plan_scaled(plan, size[0], size[1]);
    for (int a = 0; a < 3; a++) {
      at[a] = ht_plan_between(plan, -1, 1) * reach[a];
      half[a] = r * ht_plan_between(plan, 0.5, 1.4);
    }
    turned(plan,
           ht_solid_add(plan, at[0], at[1], at[2], half[0], half[1], half[2], plan->value[tissue]));
  }
}

/* Long along the body: muscles, and the fat between them, which is flat. */
static void strands_add(ht_labelled_plan *plan, int count, double reach_x, double reach_y,
                        const double size[2], double flat, int tissue) {
  for (int n = 0; n < count; n++) {
    lumps_add(plan, 1, (double[3]){reach_x, reach_y, 80}, size, tissue);
    ht_solid *strand = &plan->solid[plan->solids - 1];
    strand->half[1] *= (float)flat;
    strand->half[2] = ht_plan_between(plan, 40, 200) / plan->mm;
  }
}

/* Brighter than muscle, and no vessel: glands, mucosa, tumours, the pituitary. */
static void glands_add(ht_labelled_plan *plan, const double reach[3], double most_mm) {
  for (int n = ht_plan_is(plan, 0.6) ? ht_plan_count(plan, 1, 7) : 0; n > 0; n--) {
    lumps_add(plan, 1, reach, (double[2]){2.5, most_mm}, HT_TISSUE_MUSCLE);
    plan->solid[plan->solids - 1].value += ht_plan_between(plan, 0.1, 0.65) * plan->uptake;
  }
}

static void vertebra_add(ht_labelled_plan *plan, double y, double z, double r) {
  ht_solid *body = drum_add(plan, 0, y, z, 1.2 * r, 0.85 * r, 0.55 * r, 0);
  bone_of(plan, body, 0);
  const double back = y + 0.85 * r, arch[5][3] = {{-0.9 * r, back - 2, z},
                                                  {-0.8 * r, back + 0.5 * r, z},
                                                  {0, back + 1.0 * r, z - 2},
                                                  {0.8 * r, back + 0.5 * r, z},
                                                  {0.9 * r, back - 2, z}};
  for (int i = 0; i < 5; i++) bone_node(plan, arch[i], 0.24 * r, i > 0);
  bone_bar(plan, arch[2], (double[3]){0, back + 1.7 * r, z - 0.6 * r}, 0.2 * r);
  for (int side = -1; side <= 1; side += 2)
    bone_bar(plan, arch[side < 0 ? 1 : 3], (double[3]){side * 1.9 * r, back + 0.7 * r, z}, 0.2 * r);
  ht_solid_add(plan, 0, back + 0.35 * r, z, 0.55 * r, 0.4 * r, r, plan->value[HT_TISSUE_FLUID]);
}

static void spine_add(ht_labelled_plan *plan, double y, double r) {
  double pitch = 1.55 * r, from = ht_plan_between(plan, 0, 1);
  for (int n = -6; n <= 6; n++) vertebra_add(plan, y, (n + from) * pitch, r);
}

static void ribs_add(ht_labelled_plan *plan, double hx, double hy, double spine_y) {
  double r = ht_plan_between(plan, 2, 5.5), pitch = ht_plan_between(plan, 15, 34);
  double drop = ht_plan_between(plan, 30, 110);
  for (int n = -7; n <= 7; n++)
    for (int side = -1; side <= 1; side += 2)
      for (int i = 0; i <= 14; i++) {
        double angle = HT_PI * (0.5 - i / 14.0 * 0.85);
        double at[3] = {side * hx * cos(angle), fmin(hy * sin(angle), spine_y + 10),
                        n * pitch - drop * i / 14.0};
        bone_node(plan, at, r, i > 0);
      }
}

static void teeth_add(ht_labelled_plan *plan, double y, double z) {
  for (int n = -7; n <= 7; n++) {
    double angle = n * 0.2, x = 26 * sin(angle), back = y + 45 - 45 * cos(angle);
    ht_solid *tooth = ht_solid_add(plan, x, back, z, 3.2, 3.2, 9, 0);
    bone_of(plan, tooth, 0);
    bone_node(plan, (double[3]){x, back, z - 15}, 6, n > -7);
    if (!ht_plan_is(plan, 0.12)) continue;
    ht_tubes_add(&plan->hard, plan->bones.node[plan->bones.count - 1].p,
                 ht_plan_between(plan, 1, 3) / plan->mm, plan->value[HT_TISSUE_METAL], 0, 0, 0);
  }
}

static void air_cells(ht_labelled_plan *plan, double x, double y, double z) {
  for (int n = 0; n < 8; n++) {
    double r = ht_plan_between(plan, 1.5, 5), at[3] = {x, y, z};
    for (int a = 0; a < 3; a++) at[a] += ht_plan_between(plan, -9, 9);
    ht_solid_add(plan, at[0], at[1], at[2], r, r, r, plan->value[HT_TISSUE_AIR]);
  }
}

/* ---- Regions ---- */

static void head_draw(ht_labelled_plan *plan) {
  const float *value = plan->value;
  double hx = ht_plan_between(plan, 70, 85), hy = ht_plan_between(plan, 88, 105), hz = 115;
  double skull = ht_plan_between(plan, 4, 8);
  skin_and_muscle(plan, hx, hy, hz, ht_plan_between(plan, 2, 7), 0);
  ht_solid_add(plan, 0, 0, 20, hx - 14, hy - 14, hz - 34, value[HT_TISSUE_FLUID]);
  ht_solid_add(plan, 0, 0, 20, hx - 16, hy - 16, hz - 36, value[HT_TISSUE_ORGAN])->lumps =
      0.15f * plan->contrast;
  bone_of(plan, ht_solid_add(plan, 0, 0, 20, hx - 10, hy - 10, hz - 30, 0), skull);
  for (int side = -1; side <= 1; side += 2) {
    ht_solid_add(plan, side * 8, -5, 35, 6, 28, 9, value[HT_TISSUE_FLUID]);
    turned(plan, ht_solid_add(plan, side * 32, -70, -20, 12, 12, 12, value[HT_TISSUE_FLUID]));
    bone_of(plan, turned(plan, ht_solid_add(plan, side * 45, 15, -32, 30, 11, 10, 0)), 0);
    bone_of(plan, turned(plan, ht_solid_add(plan, side * 30, -45, -20, 28, 5, 5, 0)), 0);
    air_cells(plan, side * 58, 25, -38);
    ht_solid_add(plan, side * 30, -58, -48, 14, 16, 16, value[HT_TISSUE_AIR]);
  }
  bone_of(plan, ht_solid_add(plan, 0, 5, -35, 14, 22, 9, 0), 0);
  ht_solid_add(plan, 0, -20, -36, 11, 10, 8, value[HT_TISSUE_AIR]);
  ht_solid_add(plan, 0, -55, -50, 8, 30, 22, value[HT_TISSUE_AIR]);
  lumps_add(plan, ht_plan_count(plan, 4, 14), (double[3]){60, 70, 20}, (double[2]){3, 14},
            HT_TISSUE_MUSCLE);
  for (int n = ht_plan_count(plan, 0, 8); n > 0; n--) {
    lumps_add(plan, 1, (double[3]){50, 55, 12}, (double[2]){3, 14}, HT_TISSUE_CORTEX);
    plan->solid[plan->solids - 1].centre[2] -= 52 / plan->mm;
    bone_of(plan, &plan->solid[plan->solids - 1], 0);
  }
  glands_add(plan, (double[3]){60, 80, 60}, 14);
  teeth_add(plan, -85, -85);
  vertebra_add(plan, 25, -75, 12);
  vertebra_add(plan, 25, -97, 12);
}

static void neck_draw(ht_labelled_plan *plan) {
  double hx = ht_plan_between(plan, 50, 75), hy = ht_plan_between(plan, 50, 70);
  const float *value = plan->value;
  skin_and_muscle(plan, hx, hy, 600, ht_plan_between(plan, 3, 15), 1);
  strands_add(plan, ht_plan_count(plan, 8, 20), hx - 12, hy - 12, (double[2]){4, 18}, 0.6,
              HT_TISSUE_FAT);
  strands_add(plan, ht_plan_count(plan, 6, 16), hx - 15, hy - 15, (double[2]){5, 18}, 0.7,
              HT_TISSUE_MUSCLE);
  glands_add(plan, (double[3]){hx - 15, hy - 15, 60}, 14);
  spine_add(plan, 10, 12);
  drum_add(plan, 0, -25, 0, 9, 8, 600, value[HT_TISSUE_AIR]);
  for (int side = -1; side <= 1; side += 2)
    turned(plan, ht_solid_add(plan, side * 20, -25, -20, 10, 12, 24,
                              value[HT_TISSUE_ORGAN] + 0.4f * plan->uptake));
  if (ht_plan_is(plan, 0.5)) teeth_add(plan, -55, 50);
}

static void table_add(ht_labelled_plan *plan, double hy) {
  double top = hy + ht_plan_between(plan, 1, 12), deep = ht_plan_between(plan, 15, 60);
  float board = plan->value[HT_TISSUE_MUSCLE] + ht_plan_between(plan, -0.6, 1.2) * plan->contrast;
  drum_add(plan, 0, top + deep, 0, 240, deep, 900, board)->shell = 2.5f / plan->mm;
  plan->has |= HT_LABELLED_TABLE;
}

static void trunk_draw(ht_labelled_plan *plan) {
  const float *value = plan->value;
  int is_chest = ht_plan_is(plan, 0.5);
  double hx = ht_plan_between(plan, 140, 200), hy = ht_plan_between(plan, 90, 140);
  double fat = ht_plan_scaled(plan, 4, 40), spine_y = hy - fat - 45;
  for (int a = 0; a < 3; a++) plan->move[a] *= is_chest ? 0.6f : 1;
  skin_and_muscle(plan, hx, hy, 900, fat, 1);
  if (ht_plan_is(plan, 0.5)) /* fat between the layers of muscle */
    drum_add(plan, 0, -4, 0, hx - fat - 7, hy - fat - 10, 900, value[HT_TISSUE_FAT])->shell =
        ht_plan_between(plan, 1, 4) / plan->mm;
  const double inside[2] = {hx - fat - 14, hy - fat - 22};
  drum_add(plan, 0, -8, 0, inside[0], inside[1], 900, value[HT_TISSUE_FAT]);
  if (is_chest) {
    for (int side = -1; side <= 1; side += 2)
      ht_solid_add(plan, side * 0.5 * inside[0], 0, 40, 0.48 * inside[0], 0.9 * inside[1], 170,
                   value[HT_TISSUE_LUNG]);
    drum_add(plan, 0, 20, 120, 8, 8, 80, value[HT_TISSUE_AIR]);
  }
  double muscle = ht_plan_between(plan, 18, 34);
  for (int side = -1; side <= 1; side += 2) { /* beside the spine, before it */
    drum_add(plan, side * 1.1 * muscle, spine_y + 38, 0, muscle, 0.8 * muscle, 900,
             value[HT_TISSUE_MUSCLE]);
    if (!is_chest)
      drum_add(plan, side * 42, spine_y - 5, 0, 0.8 * muscle, 0.7 * muscle, 900,
               value[HT_TISSUE_MUSCLE]);
  }
  strands_add(plan, ht_plan_count(plan, 0, 8), 0.8 * hx, 0.95 * hy, (double[2]){4, 25}, 0.3,
              HT_TISSUE_FAT);
  double reach[3] = {0.6 * hx, 0.5 * hy, 140};
  if (!is_chest) {
    lumps_add(plan, ht_plan_count(plan, 2, 8), reach, (double[2]){8, 40}, HT_TISSUE_MUSCLE);
    lumps_add(plan, ht_plan_count(plan, 0, 8), reach, (double[2]){6, 22}, HT_TISSUE_AIR);
    lumps_add(plan, ht_plan_count(plan, 0, 5), reach, (double[2]){5, 30}, HT_TISSUE_FLUID);
    glands_add(plan, reach, 35);
    ht_labelled_belly_draw(plan, inside, spine_y);
  } else {
    ht_solid_add(plan, -50, -10, -150, 90, 80, 75, value[HT_TISSUE_ORGAN]);
    glands_add(plan, reach, 14);
    ht_labelled_chest_draw(plan, spine_y);
  }
  spine_add(plan, spine_y, ht_plan_between(plan, 15, 22));
  if (is_chest || ht_plan_is(plan, 0.8)) ribs_add(plan, hx - fat - 8, hy - fat - 8, spine_y);
  if (!is_chest && ht_plan_is(plan, 0.4)) /* pelvis */
    for (int side = -1; side <= 1; side += 2) {
      bone_of(plan, turned(plan, ht_solid_add(plan, side * 90, spine_y - 20, -20, 12, 55, 70, 0)),
              0);
      bone_of(plan, ht_solid_add(plan, side * 95, spine_y - 60, -90, 24, 24, 24, 0), 0);
    }
  if (!plan->is_mr && ht_plan_is(plan, 0.7)) table_add(plan, hy);
}

static void limb_draw(ht_labelled_plan *plan) {
  double hx = ht_plan_between(plan, 30, 85), hy = hx * ht_plan_between(plan, 0.7, 1);
  skin_and_muscle(plan, hx, hy, 900, hx * ht_plan_between(plan, 0.06, 0.3), 1);
  strands_add(plan, ht_plan_count(plan, 8, 20), 0.7 * hx, 0.7 * hy,
              (double[2]){0.06 * hx, 0.3 * hx}, 0.3, HT_TISSUE_FAT);
  strands_add(plan, ht_plan_count(plan, 4, 12), 0.7 * hx, 0.7 * hy,
              (double[2]){0.08 * hx, 0.3 * hx}, 0.7, HT_TISSUE_MUSCLE);
  int bones = ht_plan_count(plan, 1, 2);
  for (int n = 0; n < bones; n++) {
    double r = hx * ht_plan_between(plan, 0.12, 0.25), x = (n ? 0.4 : -0.1) * hx;
    bone_of(plan, drum_add(plan, x, ht_plan_between(plan, -0.3, 0.3) * hy, 0, r, r, 900, 0), 0);
  }
}

/* Lumps of everything, as in no body. */
static void blobs_draw(ht_labelled_plan *plan) {
  double wide = 0.5 * plan->edge * plan->mm;
  const double reach[3] = {wide, wide, wide};
  ht_solid_add(plan, 0, 0, 0, 40 * wide, 40 * wide, 40 * wide, plan->value[HT_TISSUE_MUSCLE]);
  lumps_add(plan, ht_plan_count(plan, 2, 10), reach, (double[2]){0.1 * wide, 0.7 * wide},
            HT_TISSUE_FAT);
  lumps_add(plan, ht_plan_count(plan, 2, 10), reach, (double[2]){0.1 * wide, 0.6 * wide},
            HT_TISSUE_ORGAN);
  lumps_add(plan, ht_plan_count(plan, 0, 4), reach, (double[2]){0.1 * wide, 0.6 * wide},
            HT_TISSUE_LUNG);
  lumps_add(plan, ht_plan_count(plan, 0, 8), reach, (double[2]){0.05 * wide, 0.3 * wide},
            HT_TISSUE_AIR);
  lumps_add(plan, ht_plan_count(plan, 0, 8), reach, (double[2]){0.05 * wide, 0.3 * wide},
            HT_TISSUE_FLUID);
  glands_add(plan, reach, 0.3 * wide);
  for (int n = ht_plan_count(plan, 0, 6); n > 0; n--) {
    lumps_add(plan, 1, reach, (double[2]){0.05 * wide, 0.4 * wide}, HT_TISSUE_CORTEX);
    bone_of(plan, &plan->solid[plan->solids - 1], ht_plan_is(plan, 0.3) ? 0.06 * wide : 0);
  }
}

/* ---- The body in the box ---- */

static void place_draw(ht_labelled_plan *plan, const double reach_mm[3]) {
  float axis[3], most = ht_plan_is(plan, 0.2) ? (float)HT_PI : 0.3f;
  ht_plan_direction(plan, axis);
  float angle = ht_plan_between(plan, -most, most);
  for (int a = 0; a < 3; a++) {
    float row[3] = {(float)(a == 0), (float)(a == 1), (float)(a == 2)};
    ht_turned_about(axis, angle, row);
    memcpy(plan->turn[a], row, sizeof row);
    plan->move[a] = ht_plan_between(plan, -1, 1) * (float)reach_mm[a] / plan->mm;
  }
}

void ht_labelled_body_draw(ht_labelled_plan *plan) {
  static const struct {
    unsigned has;
    double reach_mm[3];
    void (*draw)(ht_labelled_plan *plan);
  } regions[] = {{HT_LABELLED_HEAD, {45, 55, 50}, head_draw},
                 {HT_LABELLED_NECK, {40, 40, 60}, neck_draw},
                 {HT_LABELLED_TRUNK, {110, 80, 60}, trunk_draw},
                 {HT_LABELLED_LIMB, {30, 30, 60}, limb_draw},
                 {HT_LABELLED_BLOBS, {0, 0, 0}, blobs_draw}};
  int n = 0;
  while (!(plan->has & regions[n].has)) n++;
  plan->warp = ht_plan_between(plan, 2, 10) / plan->mm;
  plan->warp_cell = ht_plan_between(plan, 30, 60) / plan->mm;
  place_draw(plan, regions[n].reach_mm);
  regions[n].draw(plan);
  if (ht_plan_is(plan, 0.9)) ht_labelled_courses_draw(plan);
}
