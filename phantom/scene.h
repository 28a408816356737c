/* Scenes: random synthetic scans with a wanted vessel and what makes it hard to find, each with its
 * truth, to score a segmentation from points in the vessel.
 */
#ifndef HT_SCENE_H
#define HT_SCENE_H

#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_SCENE_CTA,  /* CT angiography, HU */
  HT_SCENE_TOF,  /* MR time of flight, arbitrary unit */
  HT_SCENE_3DRA, /* 3D rotational angiography, arbitrary unit */
  HT_SCENE_KINDS
} ht_scene_kind;

/* What is in a scene, as bits of ht_scene.has. The disturbers: */
enum {
  HT_SCENE_BONE = 1 << 0,        /* beside the vessel: a compact shell, spongy inside */
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

/* "CTA", ... of the kinds. */
extern const char *const ht_scene_kind_words[HT_SCENE_KINDS];

/* "bone", ... of the bits above, in their order. */
extern const char *const ht_scene_words[HT_SCENE_WORDS];

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

/* The scene of a seed: the same bytes whatever the number of threads. HT_ERR_MEMORY,
 * HT_ERR_INTERRUPTED. `progress` may be NULL. The caller frees the scene. */
ht_status ht_scene_make(uint64_t seed, const ht_progress *progress, ht_scene *scene);
void ht_scene_free(ht_scene *scene);

/* The same at any place. */
double ht_scene_distance(const ht_scene *scene, const double position_mm[3]);

/* 1 where scores count at a place near the wanted vessel: between the planes across it at the
 * points, half a radius and a voxel inside them, and not in a side branch or its mouth: a
 * segmentation may keep it or not. */
int ht_scene_counts(const ht_scene *scene, const double position_mm[3]);

/* 1 where the wanted vessel is a plain tube around station `station` of path `path`: no sac, branch
 * or bifurcation there, so that its section and its centre are defined. */
int ht_scene_is_plain(const ht_scene *scene, int path, int station);

#ifdef __cplusplus
}
#endif
#endif
