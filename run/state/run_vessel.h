/* The vessel of a run: its mask, the surface of its wall, its openings. */
#ifndef HT_RUN_VESSEL_H
#define HT_RUN_VESSEL_H

#include "core/vessel/triangles.h"
#include "core/vessel/volume.h"
#include "run/openings/place_outlets.h"
#include "run/openings/placed.h"
#include "segment/openings/throat.h"
#include "segment/segment.h"

/* Throat as last found, and its mask: the lattice, the extensions and the solver need it. */
typedef struct {
  char mask_sha256[HT_HASH_TEXT]; /* "": none found */
  ht_openings openings;
  double outflow_ml_s[HT_OPENINGS_MAX];
  ht_throat throat;
} ht_run_throat_found;

typedef struct {
  ht_vessel *found;   /* NULL except while the lattice is chosen */
  ht_mask mask;       /* on the isotropic lattice, cut at the openings. Owned */
  ht_triangles walls; /* surface between the voxels that the mask is a sampling of; corner NULL: not
                         in memory, or none. Owned */
  char mask_sha256[HT_HASH_TEXT]; /* hash of mask.nii.gz at present */
  int mask_edited;                /* mask.nii.gz differs from hemotile's own */
  int has_openings;               /* `placed` belongs to this mask */
  ht_placed placed;
  ht_physiology physiology;    /* the outlets' Windkessels */
  ht_run_throat_found *throat; /* owned; NULL: not kept */
} ht_run_vessel;

#endif
