#include "app/measure/place.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ht_place_option(ht_place_kind kind) {
  return kind == HT_AT_PLANE ? "plane" : kind == HT_AT_STATION ? "station" : "region";
}

const char *ht_place_numbers(const char *text, int count, double *number) {
  for (int i = 0; i < count; i++) {
    char *end;
    if (i > 0 && *text++ != ',') return NULL;
    number[i] = strtod(text, &end);
    if (end == text || !isfinite(number[i])) return NULL;
    text = end;
  }
  return text;
}

static ht_status parse_plane(const char *text, ht_measure_place *place) {
  double number[6];
  const char *end = ht_place_numbers(text, 3, number);
  if (end && *end == ',') {
    end = ht_place_numbers(text, 6, number);
    place->has_normal = 1;
  }
  if (!end || *end)
    return ht_fail(HT_ERR_USAGE,
                   "--plane %.80s: give a point, X,Y,Z (LPS, mm), or a point and a normal, "
                   "X,Y,Z,NX,NY,NZ, without blanks",
                   text);
  memcpy(place->point_mm, number, sizeof place->point_mm);
  memcpy(place->normal, number + 3, place->has_normal ? sizeof place->normal : 0);
  if (!place->has_normal || hypot(hypot(number[3], number[4]), number[5]) > 1e-9) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "--plane %.80s: the normal has no length", text);
}

static ht_status parse_station(const char *text, ht_measure_place *place) {
  const char *end = ht_place_numbers(text, 1, &place->along_mm);
  if (end && !*end) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "--station %.80s: give a position along the centreline in mm, as position_mm in "
                 "centreline.csv",
                 text);
}

static ht_status refuse_region(const char *text) {
  return ht_fail(
      HT_ERR_USAGE,
      "--region %.80s: give a ball as X,Y,Z,RADIUS (LPS, mm; several with ; between "
      "them), branch:NAME with an opening's name, sac, wall, or a table FILE.csv of balls "
      "or points",
      text);
}

static ht_status parse_balls(const char *text, ht_measure_place *place) {
  int room = 1;
  for (const char *c = text; *c; c++) room += *c == ';';
  if (room > HT_PLACE_BALLS_MAX)
    return ht_fail(HT_ERR_USAGE, "--region: %d balls; at most %d", room, HT_PLACE_BALLS_MAX);
  HT_TRY(ht_alloc((void **)&place->ball, (size_t)room, sizeof *place->ball, "a region"));
  place->kind = HT_AT_BALLS;
  for (const char *at = text; at;) {
    double *ball = place->ball[place->balls++];
    at = ht_place_numbers(at, 4, ball);
    if (!at || (*at && *at != ';')) return refuse_region(text);
    if (!(ball[3] > 0))
      return ht_fail(HT_ERR_USAGE, "--region %.80s: a ball's radius must be above 0 mm", text);
    at = *at ? at + 1 : NULL;
  }
  return HT_OK;
}

static ht_status parse_region(const char *text, ht_measure_place *place) {
  static const char branch[] = "branch:";
  const size_t skip = sizeof branch - 1;
  if (strcmp(text, "wall") == 0 || strcmp(text, "sac") == 0) {
    place->kind = *text == 'w' ? HT_AT_WALL : HT_AT_SAC;
    return HT_OK;
  }
  if (strncmp(text, branch, skip) == 0) {
    place->kind = HT_AT_BRANCH;
    if (strlen(text + skip) >= HT_NAME_MAX || !text[skip]) return refuse_region(text);
    memcpy(place->name, text + skip, strlen(text + skip) + 1);
    return HT_OK;
  }
  if (ht_path_ends(text, ".csv")) {
    place->kind = HT_AT_FILE;
    return HT_OK;
  }
  return parse_balls(text, place);
}

ht_status ht_place_parse(const char *option, const char *text, ht_measure_place *place) {
  ht_status status;
  memset(place, 0, sizeof *place);
  place->text = malloc(strlen(text) + 1);
  if (!place->text) return ht_fail(HT_ERR_MEMORY, "not enough memory for a place");
  memcpy(place->text, text, strlen(text) + 1);
  if (strcmp(option, "plane") == 0) {
    place->kind = HT_AT_PLANE;
    status = parse_plane(text, place);
  } else if (strcmp(option, "station") == 0) {
    place->kind = HT_AT_STATION;
    status = parse_station(text, place);
  } else {
    status = parse_region(text, place);
  }
  if (status != HT_OK) ht_place_free(place);
  return status;
}

void ht_place_free(ht_measure_place *place) {
  if (!place) return;
  free(place->text), free(place->ball);
  memset(place, 0, sizeof *place);
}
