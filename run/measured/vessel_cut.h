/* A plane through a vessel's mask: its sections, and what lies on either side of each. */
#ifndef HT_VESSEL_CUT_H
#define HT_VESSEL_CUT_H

#include "core/vessel/openings.h"
#include "core/vessel/volume.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_CUT_SECTIONS_MAX = 64 };

/* A section: a connected part of the vessel in the plane. */
typedef struct {
  double centre_mm[3]; /* LPS */
  double area_mm2;     /* in the plane */
} ht_cut_section;

typedef struct {
  const ht_mask *mask; /* borrowed */
  ht_grid grid;        /* of the plane: the third axis is its normal; pixels as the mask's voxels */
  uint8_t *label;      /* [ny][nx] 0: not the vessel, else the section's number + 1. Owned */
  int sections;        /* 0: the plane misses the vessel */
  ht_cut_section section[HT_CUT_SECTIONS_MAX];
} ht_vessel_cut;

/* Cuts the vessel by the plane through a point with a unit normal (LPS). The mask is isotropic.
 * Parts of fewer than 4 pixels are none. HT_ERR_MEMORY. The caller frees. */
ht_status ht_vessel_cut_make(const ht_mask *mask, const double point_mm[3], const double normal[3],
                             ht_vessel_cut *cut);
void ht_vessel_cut_free(ht_vessel_cut *cut); /* NULL is fine */

/* Returns the section nearest to a place's projection on the plane, at most reach_mm from it; -1:
 * there is none. *away_mm (may be NULL): its distance. */
int ht_vessel_cut_nearest(const ht_vessel_cut *cut, const double place_mm[3], double reach_mm,
                          double *away_mm);

/* Piece of the vessel that one section cuts off. */
typedef struct {
  int alone;      /* 1: on the side of the opening lies no other inlet or outlet */
  int64_t voxels; /* of the vessel on that side */
  int side;       /* 1: that side is where the normal points to; -1: the other */
} ht_cut_piece;

/* Finds the part of the vessel that holds opening number `from` where this section alone is closed.
 * HT_ERR_MEMORY. */
ht_status ht_vessel_cut_piece(const ht_vessel_cut *cut, int section, const ht_openings *openings,
                              int from, ht_cut_piece *piece);

#ifdef __cplusplus
}
#endif
#endif
