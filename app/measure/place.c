#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "app/measure/place.h"
#include "app/batch/cohort/csv.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdio.h>
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

static ht_status set_text(ht_measure_place *place, const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) return ht_fail(HT_ERR_MEMORY, "not enough memory for a place");
  memcpy(copy, text, length);
  copy[length] = 0;
  free(place->text);
  place->text = copy;
  return HT_OK;
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

/* ---- files ---- */

static ht_status number_of(const ht_csv *table, int row, int column, double *number) {
  const char *text = ht_csv_cell(table, row, column);
  const char *end = ht_place_numbers(text, 1, number);
  if (end && !*end) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "line %d: '%.40s' is not a number", table->line[row], text);
}

static ht_status take_points(const ht_csv *table, int column, ht_measure_place *place) {
  place->kind = HT_AT_POINTS;
  HT_TRY(ht_alloc((void **)&place->point, (size_t)table->rows, sizeof *place->point, "a region"));
  for (int row = 1; row < table->rows; row++) {
    double number;
    HT_TRY(number_of(table, row, column, &number));
    if (!(number >= 0 && number < 2147483647) || number != floor(number))
      return ht_fail(HT_ERR_FORMAT, "line %d: a point's number is 0, 1, 2, ..., not %g",
                     table->line[row], number);
    place->point[place->points++] = (int64_t)number;
  }
  return set_text(place, HT_PLACE_OF_POINTS, sizeof HT_PLACE_OF_POINTS - 1);
}

static ht_status take_balls(const ht_csv *table, const int column[4], ht_measure_place *place) {
  char *text = NULL;
  size_t size = 0;
  ht_status status = HT_OK;
  if (table->rows - 1 > HT_PLACE_BALLS_MAX)
    return ht_fail(HT_ERR_FORMAT, "%d balls; at most %d", table->rows - 1, HT_PLACE_BALLS_MAX);
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory for a region");
  for (int row = 1; row < table->rows && status == HT_OK; row++)
    for (int k = 0; k < 4 && status == HT_OK; k++) {
      double number = 0;
      status = number_of(table, row, column[k], &number);
      fprintf(stream, "%s%.9g", k > 0 ? "," : row > 1 ? ";" : "", number);
    }
  fclose(stream);
  if (status == HT_OK) status = set_text(place, text, size);
  free(text);
  return status == HT_OK ? parse_balls(place->text, place) : status;
}

static ht_status take_table(const ht_csv *table, ht_measure_place *place) {
  static const char *const names[4] = {"x_mm", "y_mm", "z_mm", "radius_mm"};
  const int point = ht_csv_column(table, "point");
  int column[4], balls = 1;
  for (int k = 0; k < 4; k++) {
    column[k] = ht_csv_column(table, names[k]);
    balls &= column[k] >= 0;
  }
  if (table->rows < 2) return ht_fail(HT_ERR_FORMAT, "the table has no row");
  if (balls) return take_balls(table, column, place);
  if (point >= 0) return take_points(table, point, place);
  return ht_fail(HT_ERR_FORMAT, "give balls in the columns x_mm,y_mm,z_mm,radius_mm, or numbers of "
                                "points of wall.vtp, from 0, in the column point");
}

static ht_status read_file(const char *path, ht_measure_place *place) {
  ht_csv table;
  ht_status status = ht_csv_read(path, &table);
  if (status != HT_OK) return status == HT_ERR_CASE ? HT_ERR_FORMAT : status;
  status = take_table(&table, place);
  ht_csv_free(&table);
  return status == HT_OK ? HT_OK : ht_fail_in(status, path);
}

/* ---- all ---- */

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
  if (ht_path_ends(text, ".csv")) return read_file(text, place);
  return parse_balls(text, place);
}

ht_status ht_place_parse(const char *option, const char *text, ht_measure_place *place) {
  ht_status status;
  memset(place, 0, sizeof *place);
  HT_TRY(set_text(place, text, strlen(text)));
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
  free(place->text), free(place->ball), free(place->point);
  memset(place, 0, sizeof *place);
}
