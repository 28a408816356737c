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
  HT_SOFT_NODES = 8000,
  HT_SOLIDS = 240,
  HT_ROOTS = 24,
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

/* Where a tree begins at a vessel of the body that is there already. */
typedef struct {
  float p[3], along[3], r, share; /* share: of the contrast */
} ht_root;

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
  float uptake;                      /* the contrast; 0 without agent */
  float shell, clear; /* thickness of compact bone; the gap that bone leaves around a vessel */
  float blur[3], sharpen, noise, grain[3], mixing, bias, blinds, blinds_width;
  float dark, bright;           /* low and high brightness of the whole scan, before the window */
  float vein_mixing, window[2]; /* of the mixing; least and most that is stored */
  float streak, streak_at[2], mask_half[3], cut;
  int is_mr, is_coarse; /* is_coarse: stored in 8 bits */
  int tubes_made;
  ht_tubes vessels, bones, hard;
  ht_tubes soft;             /* blood without agent, walls of hearts, bowel, clots: background */
  ht_solid solid[HT_SOLIDS]; /* the first: the skin */
  int solids;
  ht_root root[HT_ROOTS];
  int roots;
} ht_labelled_plan;

/* Draw a part each; the nodes have room. The order of the draws is fixed. */
void ht_labelled_scanner_draw(ht_labelled_plan *plan);
void ht_labelled_body_draw(ht_labelled_plan *plan);
void ht_labelled_vessels_draw(ht_labelled_plan *plan);
void ht_labelled_hard_draw(ht_labelled_plan *plan);

/* Moves the vessels without agent to the soft tubes, once hard parts lie on them. */
void ht_labelled_soft_split(ht_labelled_plan *plan);

/* Draws the contents of a chest or a belly; `half_mm`: of the inside; the spine's place. */
void ht_labelled_chest_draw(ht_labelled_plan *plan, double spine_y_mm);
void ht_labelled_belly_draw(ht_labelled_plan *plan, const double half_mm[2], double spine_y_mm);

/* Draws the vessels of a head, a neck or a limb that have usual courses. */
void ht_labelled_courses_draw(ht_labelled_plan *plan);

/* Adds an ellipsoid, sizes in mm in the body's axes; where there is no room, in place of the last.
 */
ht_solid *ht_solid_add(ht_labelled_plan *plan, double x, double y, double z, double hx, double hy,
                       double hz, float value);

/* Turns a place in the body's axes, mm, into one in the box's. */
void ht_plan_place(const ht_labelled_plan *plan, const double at_mm[3], float p[3]);

/* Brightness of blood with a share of the contrast, and its label. */
float ht_plan_blood(const ht_labelled_plan *plan, float share, int *label);

/* The share of the contrast in a vein: none, as in the arteries, or between. */
float ht_plan_vein_share(ht_labelled_plan *plan);

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

/* Distance from the nearest bone, without warp, at a place in the box's axes; tubes by their nodes.
 */
float ht_plan_bone_distance(const ht_labelled_plan *plan, const float p[3]);

/* Vectors in widths. */
float ht_length_of(const float v[3]);
void ht_make_unit(float v[3]);
void ht_across_of(const float v[3], float across[3]);
void ht_turned_about(const float unit[3], float angle, float v[3]);

#endif
