/* Openings of a case as they are placed on its mask, and their file openings.json. */
#ifndef HT_PLACED_H
#define HT_PLACED_H

#include "run/folder/hash.h"
#include "core/formats/json.h"
#include "core/vessel/openings.h"

/* The openings as stored in openings.json, with the mask that they belong to. */
typedef struct {
  ht_openings openings;
  char mask_sha256[HT_HASH_TEXT];
  int asked_cut[HT_OPENINGS_MAX]; /* 1: cut where the case file says, */
  double asked_centre_mm[HT_OPENINGS_MAX][3];
  double asked_normal[HT_OPENINGS_MAX][3];
  int ignored;    /* patches at the border too small for an opening */
  int thin_ends;  /* vessels that end inside the mask, too thin for an opening */
  int ends_cut;   /* vessels that ended inside the mask and were cut there by this placement */
  int lost_point; /* number of the point, from 1, at which the vessel could not be cut; 0: none. Not
                     in the file */
  ht_openings
      blind; /* other ends of the vessel, which look like domes or stumps. Not in the file */
  ht_openings closed; /* centre and radius where such a vessel is closed; not those `ignored` */
} ht_placed;

/* Slack of a position that names the nearest opening: it lies within the opening's radius and this
 * of its centre. */
enum { HT_NEAR_SLACK_MM = 5 };

/* Least fraction of the widest opening's width: a thinner one gets 1 % of the flow by Murray's law,
 * and has fewer than five nodes where 12 lie across the widest. */
#define HT_PLACE_THIN 0.21

/* Counts a vessel that is cut off and closed: too thin for an opening, or cut off with something
 * that touches it. */
void ht_place_close(ht_placed *placed, const ht_opening *end);

/* Lists the places where a person may open the vessel, numbered "1", "2", ...: openings that are
 * placed, then closed ends, the widest first. */
void ht_place_offer(const ht_placed *placed, ht_openings *offer);

/* Returns the share of the inlets' flow that the outlets carry by Murray's law: the sum of r^3 of
 * these over that of those; 1 without an inlet. */
double ht_placed_outlet_share(const ht_openings *openings);

/* Returns 1 where a closed end is so wide that it is missed: at least 0.7 times as wide as the main
 * inlet, while the outlets carry less than half of the inlets' flow. */
int ht_placed_is_missed(const ht_openings *openings, const ht_opening *end);

/* Returns the opening nearest to a position (LPS, mm), and its distance; -1: there is none. */
int ht_placed_nearest(const ht_openings *openings, const double position_mm[3],
                      double *distance_mm);

/* Adds the members that every list of openings has to the current JSON object. */
void ht_opening_json(ht_json *json, const ht_opening *opening);

/* Writes openings.json. HT_ERR_WRITE. */
ht_status ht_placed_write(const char *path, const ht_placed *placed);
/* Reads openings.json. HT_ERR_FORMAT, HT_ERR_NOT_FOUND. */
ht_status ht_placed_read(const char *path, ht_placed *placed);

#endif
