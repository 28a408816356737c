/* Geometry and brightnesses of a scene. Private to phantom/. */
#ifndef HT_SCENE_PLAN_H
#define HT_SCENE_PLAN_H

#include "phantom/phantom_shapes.h"
#include "phantom/image/random_field.h"
#include "core/work/progress.h"
#include "phantom/scenes/scene_types.h"
#include "phantom/image/soft_tissue.h"

enum { HT_SCENE_OTHERS_MAX = 4, HT_SCENE_SPOTS_MAX = 8 };

/* Another vessel. */
typedef struct {
  ht_tube tube;
  double clear_mm; /* least distance from the wanted lumen: it is carved there */
  double value;    /* brightness in the scan's unit */
} ht_scene_other;

/* Calcium: the balls of one radius between two places. */
typedef struct {
  double from_mm[3], to_mm[3], radius_mm;
} ht_scene_spot;

/* A mesh of two families of helices on the wall, between two stations of the main tube. */
typedef struct {
  int from, to;
  int wires;      /* helices of each family */
  double turn_mm; /* length along the vessel of a turn of a helix */
  double value;   /* added where two wires do not cross */
} ht_scene_stent;

/* Stations of a tube that scores count for: those of the points' planes. */
typedef struct {
  int from, to;
} ht_scene_span;

/* Streams of the seed, in addition to the soft tissue's. */
enum {
  HT_SCENE_STREAM_PLAN = 11,
  HT_SCENE_STREAM_BONE,
  HT_SCENE_STREAM_STREAKS,
  HT_SCENE_STREAM_SHADING,
  HT_SCENE_STREAM_BLOOD,
  HT_SCENE_STREAM_NOISE
};

struct ht_scene_plan {
  ht_draws draws;
  ht_scene_kind kind;
  uint64_t seed;
  unsigned has;
  ht_grid grid;
  double voxel_mm, diameter_mm;
  double noise, blur;       /* share of the contrast; voxels */
  double narrowing_percent; /* of the area; 0: none */
  double blood, tissue;     /* scan's unit */
  double loss;              /* share of the contrast lost from the inlet to the end */
  double shading;           /* slow change of brightness: share */
  double streak;            /* amplitude, scan's unit */
  double streak_centre_mm[3];
  ht_shape wanted;     /* tube 0: from the inlet on; then the second daughter of a bifurcation; then
                          side branches. Its bone is the scene's. */
  double (*normal)[3]; /* [points of tube 0] across its axis, turning as little as can be */
  double *along_mm;    /* [points of tube 0] from its first point */
  int daughters;       /* 1: tube 1 is the second daughter */
  int fork;            /* point of tube 0 where it begins */
  ht_scene_span span[2]; /* of tube 0 and of the second daughter */
  int ends_inside[2];    /* of tube 0: it ends within the scan */
  int gap;               /* point of tube 0 in the middle of the gap; -1: none */
  double bone_clear_mm, bone_shell_mm, bone_compact, bone_spongy;
  int others, spots;
  ht_scene_other other[HT_SCENE_OTHERS_MAX];
  ht_scene_spot spot[HT_SCENE_SPOTS_MAX];
  double spot_value;
  ht_scene_stent stent; /* wires 0: none */
  ht_soft_tissue soft;
};

#endif
