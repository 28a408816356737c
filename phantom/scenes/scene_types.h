/* Scene with its truth. */
#ifndef HT_SCENE_TYPES_H
#define HT_SCENE_TYPES_H

#include "core/vessel/volume.h"

typedef enum {
  HT_SCENE_CTA,  /* CT angiography, HU */
  HT_SCENE_TOF,  /* MR time of flight, arbitrary unit */
  HT_SCENE_3DRA, /* 3D rotational angiography, arbitrary unit */
  HT_SCENE_KINDS
} ht_scene_kind;

/* Contents of a scene, as bits of ht_scene.has. The disturbers: */
enum {
  HT_SCENE_BONE = 1 << 0,        /* next to the vessel: a compact shell, spongy inside */
  HT_SCENE_KISSING = 1 << 1,     /* a second artery that touches the vessel for a stretch */
  HT_SCENE_VEIN = 1 << 2,        /* a vein near the vessel, dimmer or as bright */
  HT_SCENE_CALCIUM = 1 << 3,     /* spots on the wall */
  HT_SCENE_STENT = 1 << 4,       /* a metal mesh on the wall */
  HT_SCENE_STREAKS = 1 << 5,     /* of a rotation over less than a full turn */
  HT_SCENE_INFLOW_LOSS = 1 << 6, /* the blood loses brightness along its way */
  /* The vessel's own: */
  HT_SCENE_BIFURCATION = 1 << 7,
  HT_SCENE_SIDE_BRANCHES = 1 << 8,
  HT_SCENE_SAC = 1 << 9,
  HT_SCENE_NARROWING = 1 << 10,
  HT_SCENE_GAP = 1 << 11, /* two voxels along the vessel without signal */
};
enum { HT_SCENE_WORDS = 12, HT_SCENE_DISTURBERS = (1 << 7) - 1 };

/* A true centreline. */
typedef struct {
  int stations;
  double (*station)[4]; /* [stations] x, y, z (LPS), radius: mm; owned */
} ht_scene_path;

enum { HT_SCENE_POINTS_MAX = 3, HT_SCENE_FAR_VOXELS = 12 };

typedef struct ht_scene_plan ht_scene_plan;

typedef struct {
  uint64_t seed;
  ht_scene_kind kind;
  unsigned has;       /* HT_SCENE_BONE, ... */
  ht_volume scan;     /* slices may be up to 1.5 times as thick as a voxel is wide */
  ht_mask truth;      /* the wanted lumen with branches and sac, without calcium: voxel centres */
  ht_volume distance; /* signed, from the wall of the wanted lumen: mm, negative inside; more than
                         HT_SCENE_FAR_VOXELS outside a lower bound */
  double voxel_mm;    /* the smallest spacing of the scan */
  double diameter_mm; /* of the wanted vessel */
  int points;         /* as a person clicks them: the inlet first, then each end */
  double point_mm[HT_SCENE_POINTS_MAX][3];     /* LPS */
  ht_scene_path path[HT_SCENE_POINTS_MAX - 1]; /* true, from the first point's plane to that of
                                                  each other; points - 1 of them */
  char text[320];                              /* one line that describes the scene */
  ht_scene_plan *plan;                         /* its geometry; owned */
} ht_scene;

#endif
