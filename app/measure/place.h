/* Place of a measurement: as typed after --plane, --station or --region, and as in the table. */
#ifndef HT_MEASURE_PLACE_H
#define HT_MEASURE_PLACE_H

#include "core/vessel/openings.h"
#include "export/measure/wall_region.h"

typedef enum {
  HT_AT_PLANE,   /* "X,Y,Z" or "X,Y,Z,NX,NY,NZ" */
  HT_AT_STATION, /* "MM" along the centreline of centreline.csv */
  HT_AT_WALL,    /* "wall": all of it */
  HT_AT_SAC,     /* "sac": that of an aneurysm */
  HT_AT_BRANCH,  /* "branch:NAME": from the opening of that name to the first junction */
  HT_AT_BALLS,   /* "X,Y,Z,R;X,Y,Z,R;..."; or "FILE.csv" of such balls */
  HT_AT_POINTS,  /* "FILE.csv" of numbers of points of wall.vtp, from 0 */
} ht_place_kind;

typedef struct {
  ht_place_kind kind;
  char *text;                    /* as typed. Owned */
  double point_mm[3], normal[3]; /* of a plane */
  int has_normal;
  double along_mm;        /* of a station */
  char name[HT_NAME_MAX]; /* of a branch */
  ht_wall_ball *ball;     /* [balls]. Owned */
  int balls;
  int64_t *point; /* [points]. Owned */
  int points;
} ht_measure_place;

/* Text of the place of a file of points: it cannot be repeated in another case. */
#define HT_PLACE_OF_POINTS "points of a file"

enum { HT_PLACE_BALLS_MAX = 4096 };

/* Returns "plane", "station" or "region": the name of the option, and the kind in the table. */
const char *ht_place_option(ht_place_kind kind);

/* Reads what was typed after the option of that name. HT_ERR_USAGE. HT_ERR_MEMORY. The caller
 * frees.
 */
ht_status ht_place_parse(const char *option, const char *text, ht_measure_place *place);
void ht_place_free(ht_measure_place *place);

/* Reads `count` numbers with commas between them. Returns the character behind the last; NULL: they
 * are not all there, or one is not finite. */
const char *ht_place_numbers(const char *text, int count, double *number);

#endif
