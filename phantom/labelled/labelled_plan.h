/* Inside of phantom/labelled/: the plan of a volume, drawn from its seed before it is painted.
 *
 * Lengths are in widths of the narrowest voxel ("widths"), in the axes of the box, from its middle.
 * The body has axes of its own: turned, moved and warped against the box. */
#ifndef HT_LABELLED_PLAN_H
#define HT_LABELLED_PLAN_H

#include "phantom/image/random_field.h"
#include "phantom/labelled/labelled_types.h"
#include "core/status.h"

enum {
  HT_TUBE_NODES = 6000, /* of the vessels */
  HT_HARD_NODES = 4000,
  HT_BONE_NODES = 3000,
  HT_SOLIDS = 200,
};

/* Streams of a volume's seed. */
enum {
  HT_STREAM_PLAN = 100,
  HT_STREAM_WARP, /* three */
  HT_STREAM_FINE = HT_STREAM_WARP + 3,
  HT_STREAM_LUMPS,
  HT_STREAM_SLOW,
  HT_STREAM_NOISE,
  HT_STREAM_NOISE_2,
  HT_STREAM_RAYS,
};

typedef enum {
  HT_TISSUE_AIR,
  HT_TISSUE_LUNG,
  HT_TISSUE_FAT,
  HT_TISSUE_MUSCLE,
  HT_TISSUE_FLUID,
  HT_TISSUE_ORGAN,
  HT_TISSUE_MARROW,
  HT_TISSUE_CORTEX,
  HT_TISSUE_BLOOD,
  HT_TISSUE_CALCIUM,
  HT_TISSUE_METAL,
  HT_TISSUES,
} ht_tissue;

/* A node of a tube; where it is joined, the tube runs from the node before it to this one. */
typedef struct {
  float p[3], r, value;
  int tube;
  uint8_t label, joined;
} ht_tube_node;

typedef struct {
  ht_tube_node *node;
  int count, most;
} ht_tubes;

/* An ellipsoid, or an elliptic cylinder of half length half[2] along z, in the body's axes, turned
 * about their z. `shell` > 0: only a layer of this thickness. */
typedef struct {
  float centre[3], half[3], turn[2]; /* cosine, sine */
  float shell, value, fine, lumps;   /* fine, lumps: its texture, in the scan's unit */
  uint8_t is_drum, is_bone;
} ht_solid;

typedef struct {
  uint64_t seed;
  ht_draws draws;
  int edge;
  unsigned has;
  float spacing[3], half[3]; /* widths; of a voxel, of the box */
  float mm;                  /* mm in a width */
  float turn[3][3], move[3]; /* to the body's axes: turn p + move */
  float warp, warp_cell;
  float value[HT_TISSUES], contrast; /* of blood above muscle */
  float shell, clear; /* thickness of compact bone; the gap that bone leaves around a vessel */
  float blur[3], sharpen, noise, grain[3], mixing, bias, blinds, blinds_width;
  float streak, streak_at[2], mask_half[3], cut;
  int is_mr, is_coarse; /* is_coarse: stored in 8 bits */
  int tubes_made;
  ht_tubes vessels, bones, hard;
  ht_solid solid[HT_SOLIDS]; /* the first: the skin */
  int solids;
} ht_labelled_plan;

/* Draw a part each; the nodes have room. The order of the draws is fixed. */
void ht_labelled_scanner_draw(ht_labelled_plan *plan);
void ht_labelled_body_draw(ht_labelled_plan *plan);
void ht_labelled_vessels_draw(ht_labelled_plan *plan);
void ht_labelled_hard_draw(ht_labelled_plan *plan);

/* Numbers by chance: uniform, log-uniform, a whole one from low to high, a bit with a probability.
 */
float ht_plan_between(ht_labelled_plan *plan, double low, double high);
float ht_plan_scaled(ht_labelled_plan *plan, double low, double high);
int ht_plan_count(ht_labelled_plan *plan, int low, int high);
int ht_plan_is(ht_labelled_plan *plan, double share);
void ht_plan_direction(ht_labelled_plan *plan, float unit[3]);

/* Adds a node; nothing where there is no room. */
void ht_tubes_add(ht_tubes *tubes, const float p[3], float r, float value, int tube, int label,
                  int joined);

/* Distance from a solid at a place in the body's axes, negative inside; from the unwarped skin at a
 * place in the box's. */
float ht_solid_distance(const ht_solid *solid, float x, float y, float z);
float ht_plan_skin_distance(const ht_labelled_plan *plan, const float p[3]);

/* Vectors in widths. */
float ht_length_of(const float v[3]);
void ht_make_unit(float v[3]);
void ht_across_of(const float v[3], float across[3]);
void ht_turned_about(const float unit[3], float angle, float v[3]);

#endif
