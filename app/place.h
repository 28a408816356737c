/* The openings of a case: those that it asks for, those found at the border, their roles and flows.
 */
#ifndef HT_PLACE_H
#define HT_PLACE_H

#include "case.h"
#include "hash.h"
#include "json.h"

/* The openings as stored in openings.json, with the mask that they belong to. */
typedef struct {
  ht_openings openings;
  char mask_sha256[HT_HASH_TEXT];
  int asked_cut[HT_OPENINGS_MAX]; /* 1: cut where the case file asked, */
  double asked_centre_mm[HT_OPENINGS_MAX][3];
  double asked_normal[HT_OPENINGS_MAX][3];
  int ignored;  /* patches at the border too small for an opening */
  int ends_cut; /* vessels that ended inside the mask and were cut there just now */
} ht_placed;

/* Cuts the mask where the case asks for it, finds the openings at the border and where the vessel
 * ends inside (cut there unless the case says wall), matches them with the case's list, gives roles
 * and names. `before` (may be NULL): openings placed earlier, whose
 * cuts are not made again where the mask still ends at them. *cuts gets the number of cuts that
 * changed the mask. Openings that the case does not name get their names in `settings` too.
 * HT_ERR_OPENINGS. */
ht_status ht_place_openings(ht_case *settings, ht_mask *mask, const ht_placed *before,
                            ht_placed *placed, int *cuts);

/* Of ht_place_openings (place_ends.c): adds the ends inside the mask to those `found` at the
 * border, largest first, but not those at openings that are placed; and cuts the mask at those of
 * the openings placed that are such ends and no wall. HT_ERR_OPENINGS, HT_ERR_MEMORY. */
ht_status ht_place_find_ends(const ht_case *settings, const ht_mask *mask, const ht_placed *before,
                             const ht_openings *placed, ht_openings *found);
ht_status ht_place_cut_ends(ht_mask *mask, ht_placed *placed, int *cuts);

/* Planes of the case (place_planes.c): does one lie at an opening at the border, as its plane does?
 * And gives one that lacks it its normal, or turns it so that it points out. */
int ht_place_is_at_border(const ht_case_opening *asked, const ht_openings *border, double voxel_mm);
ht_status ht_place_plane(ht_case *settings, int a, const ht_mask *mask);

/* After the cut that `asked` asks for: are the openings placed before it still there?
 * HT_ERR_OPENINGS where one is not. */
ht_status ht_place_check_cut(const ht_case *settings, const ht_mask *mask,
                             const ht_case_opening *asked, const ht_openings *placed);

/* Where to cut at a plane: at its centre, or one voxel further in where the vessel ends there. */
void ht_place_inside_end(const ht_mask *mask, const double centre_mm[3], const double normal[3],
                         double inside_mm[3]);

/* Does the mask end at the plane of an opening? */
int ht_place_ends_at(const ht_mask *mask, const ht_opening *opening);

double ht_place_distance_mm(const double a[3], const double b[3]);

/* A line for each: name, role, radius, place. */
void ht_place_tell(const ht_openings *openings);

/* Warns of every opening that is gone, is new or has another role than before, where the case does
 * not ask for that role. */
void ht_place_compare(const ht_case *settings, const ht_openings *before, const ht_openings *now);

/* Of a mask that was edited by hand: has it more openings than before, one of which the case does
 * not list? A bulge that ends flat after resampling is taken for one, and the flow would leave
 * there. HT_ERR_OPENINGS with what to list. */
ht_status ht_place_check_new(const ht_case *settings, const ht_openings *before,
                             const ht_openings *now);

/* Sets flow_ml_s of every inlet: of its own entry, or the case's inlet_flow_ml_s, or the mean of
 * the waveform's file (of a velocity times the inlet's area, with a warning), or the usual flow
 * (with a warning). HT_ERR_CASE where none of them can be taken. */
ht_status ht_place_flows(const ht_case *settings, ht_openings *openings);

/* The usual flow of an artery by the area of its section, mL/s: Q = 48.21 A^1.84, A in cm2, of
 * internal carotid and vertebral arteries (Cebral et al., Physiol. Meas. 29 (2008) 585). For
 * diameters below 10 mm. */
double ht_usual_flow_ml_s(double area_mm2);

/* What every list of openings holds of one, as members of the current JSON object. */
void ht_opening_json(ht_json *json, const ht_opening *opening);

/* openings.json. HT_ERR_WRITE. */
ht_status ht_placed_write(const char *path, const ht_placed *placed);
/* HT_ERR_FORMAT, HT_ERR_NOT_FOUND. */
ht_status ht_placed_read(const char *path, ht_placed *placed);

#endif
