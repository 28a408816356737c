#include "run/case/points_file.h"
#include "run/case/markups.h"
#include "core/text/number_text.h"
#include "run/case/text_lines.h"
#include "core/text/words.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NONE = -1, FIELDS_MAX = 64 };
static const char header_help[] =
    "the first line names no coordinates: x,y,z or x_mm,y_mm,z_mm or l,p,s (all LPS, mm), or r,a,s "
    "(RAS); without names each line is three numbers, LPS mm, and a name";

/* Columns of a table; NONE: absent. */
typedef struct {
  int place[3], name, description, defined, selected;
  int is_ras;
  int columns; /* of the header; 0: any number */
} layout;

typedef struct {
  ht_lines lines;
  ht_points *points;
  char separator; /* 0: not known yet */
  char decimal;   /* '.' or ','; 0: all numbers were whole so far */
  int has_header;
  layout at;
  int unselected, source; /* points not selected: their number, place of the last */
  int fields;
  char *field[FIELDS_MAX]; /* of the latest line */
  char cut[HT_LINE_MAX_CHARS];
} table;

static ht_status mistake(const table *in, const char *what, const char *got) {
  return ht_lines_mistake(&in->lines, in->lines.number, what, got);
}

/* ---- Fields ---- */

static char *trim(char *field) {
  size_t length = strlen(field);
  while (length > 0 && strchr(" \t", field[length - 1])) field[--length] = 0;
  return field + strspn(field, " \t");
}

/* Cuts off a field, which may hold the separator in quotes; removes the quotes. Returns what
 * follows the separator. */
static char *cut_field(char *text, char separator, char **field) {
  char *end;
  *field = text + strspn(text, " ");
  if (**field == '"' && (end = strchr(*field + 1, '"')) != NULL) {
    ++*field;
    *end++ = 0;
    end += strspn(end, " ");
    if (*end == 0) return NULL;
    if (*end == separator) return end + 1;
    if (separator == ' ') return end;
    text = end;
  }
  end = strchr(separator == ' ' ? *field : text, separator);
  if (!end) return NULL;
  *end++ = 0;
  if (separator == ' ') end += strspn(end, " ");
  return end;
}

static void split(table *in, char separator) {
  char *rest = in->cut;
  snprintf(in->cut, sizeof in->cut, "%s", in->lines.text);
  for (in->fields = 0; rest && in->fields < FIELDS_MAX; in->fields++) {
    rest = cut_field(rest, separator, &in->field[in->fields]);
    in->field[in->fields] = trim(in->field[in->fields]);
  }
}

/* Reads "2.5" or "2,5". */
static int parse_number(const char *field, double *value) {
  char text[64], *end, *comma;
  if (!*field || strlen(field) >= sizeof text) return 0;
  if (strspn(field, "0123456789+-.,eE") != strlen(field)) return 0;
  snprintf(text, sizeof text, "%s", field);
  comma = strchr(text, ',');
  if (comma && !isdigit((unsigned char)comma[1])) return 0;
  if (comma) *comma = '.';
  *value = ht_number_read(text, &end);
  return end != text && !*end;
}

static int count_numbers(const table *in) {
  double ignored;
  int count = 0;
  for (int f = 0; f < in->fields; f++) count += parse_number(in->field[f], &ignored);
  return count;
}

/* Splits a line. Where ',' may be the separator or a decimal comma, the line with three numbers
 * decides. */
static void split_line(table *in) {
  if (in->separator) {
    split(in, in->separator);
    return;
  }
  for (const char *sign = ";\t"; *sign; sign++)
    if (strchr(in->lines.text, *sign)) in->separator = *sign;
  if (!in->separator && !strchr(in->lines.text, ',')) in->separator = ' ';
  if (!in->separator) {
    split(in, ' ');
    in->separator = count_numbers(in) == 3 ? ' ' : ',';
  }
  split(in, in->separator);
}

/* Reads a number. "1.234" may be two numbers where both signs are in use. */
static ht_status read_number(table *in, const char *field, double *value) {
  const char *sign = strpbrk(field, ".,");
  if (!parse_number(field, value) || !isfinite(*value))
    return mistake(in, "expected a coordinate in mm, not", field);
  if (sign && in->decimal && in->decimal != *sign)
    return mistake(in,
                   "numbers with a decimal point and with a decimal comma in one file: write all "
                   "of them one way, not",
                   field);
  if (sign) in->decimal = *sign;
  return HT_OK;
}

/* ---- Points ---- */

static ht_status add(ht_points *points, const double position_mm[3], int is_ras, const char *where,
                     ht_status code) {
  const ht_range *allowed = &ht_segment_allowed.position_mm;
  if (points->count == HT_SEGMENT_POINTS_MAX)
    return ht_fail(code, "%s: more than %d points: choose some along the vessel and at its ends",
                   where, HT_SEGMENT_POINTS_MAX);
  ht_named_point *one = &points->item[points->count];
  memset(one, 0, sizeof *one);
  for (int r = 0; r < 3; r++) {
    one->position_mm[r] = (is_ras && r < 2 ? -1 : 1) * position_mm[r] + 0.;
    if (!ht_range_holds(allowed, one->position_mm[r]))
      return ht_fail(code, "%s: the coordinate %g is not from %g to %g mm", where, position_mm[r],
                     allowed->least, allowed->most);
  }
  points->is_ras = is_ras;
  points->count++;
  return HT_OK;
}

static ht_status set_name(ht_named_point *one, const char *name, const char *description,
                          const char *where) {
  if (ht_text_has_control(name))
    return ht_fail(HT_ERR_CASE, "%s: the point's name holds a control character", where);
  ht_text_copy(name, one->name, sizeof one->name);
  one->role = ht_markup_role(name, description);
  return HT_OK;
}

static const char *text_at(const table *in, int place) {
  return place != NONE && place < in->fields ? in->field[place] : "";
}

static ht_status take_row(table *in, const layout *at, const char *name) {
  char where[HT_PATH_MAX + 16];
  double position_mm[3];
  const char *defined = text_at(in, at->defined);
  for (int f = at->columns; at->columns && f < in->fields; f++)
    if (*in->field[f])
      return mistake(in,
                     "the line has more columns than the first (numbers with a decimal comma need "
                     "';' between the columns, in the first line too), from",
                     in->field[f]);
  if (strcmp(defined, "0") == 0) return HT_OK; /* a place that was skipped in the list */
  snprintf(where, sizeof where, "%s:%d", in->lines.path, in->lines.number);
  for (int r = 0; r < 3; r++) {
    if (at->place[r] >= in->fields)
      return mistake(in, "the line has too few columns for three coordinates", NULL);
    HT_TRY(read_number(in, in->field[at->place[r]], &position_mm[r]));
  }
  HT_TRY(add(in->points, position_mm, at->is_ras, where, HT_ERR_CASE));
  if (strcmp(text_at(in, at->selected), "0") == 0)
    in->unselected++, in->source = in->points->count - 1;
  return set_name(&in->points->item[in->points->count - 1], name, text_at(in, at->description),
                  where);
}

/* ---- A table with a header ---- */

static int find_column(const table *in, const char *name) {
  for (int f = 0; f < in->fields; f++)
    if (strcasecmp(in->field[f], name) == 0) return f;
  return NONE;
}

static int find_columns(const table *in, const char *const name[3], int place[3]) {
  for (int r = 0; r < 3; r++) place[r] = find_column(in, name[r]);
  return place[0] != NONE && place[1] != NONE && place[2] != NONE;
}

static int either(const table *in, const char *one, const char *other) {
  int place = find_column(in, one);
  return place != NONE ? place : find_column(in, other);
}

/* Takes the latest line as the header; 0: it names no coordinates. */
static int take_header(const table *in, layout *at) {
  static const char *const names[][3] = {
      {"r", "a", "s"}, {"l", "p", "s"}, {"x", "y", "z"}, {"x_mm", "y_mm", "z_mm"}};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    if (!find_columns(in, names[n], at->place)) continue;
    at->is_ras = n == 0;
    at->name = either(in, "label", "name");
    at->description = either(in, "description", "desc");
    at->defined = find_column(in, "defined");
    at->selected = either(in, "selected", "sel");
    at->columns = in->fields;
    return 1;
  }
  return 0;
}

/* ---- A table without one ---- */

/* Reads three numbers in a row, and text before or after them. */
static ht_status take_bare_row(table *in) {
  layout at = {{NONE, NONE, NONE}, NONE, NONE, NONE, NONE, 0, 0};
  char name[HT_LINE_MAX_CHARS] = "";
  size_t length = 0;
  int numbers = 0;
  double ignored;
  for (int f = 0; f < in->fields; f++) {
    if (!parse_number(in->field[f], &ignored)) {
      if (*in->field[f])
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", length ? " " : "",
                                   in->field[f]);
    } else if (numbers++ < 3) {
      at.place[numbers - 1] = f;
    }
  }
  if (numbers != 3 || at.place[2] != at.place[0] + 2)
    return mistake(in,
                   "expected three numbers, x, y and z in LPS mm, and no others (a first line "
                   "label,x,y,z names the columns), not",
                   in->lines.text);
  return take_row(in, &at, name);
}

static ht_status read_table(table *in) {
  for (int found = 1, first = 1;; first = 0) {
    HT_TRY(ht_lines_next(&in->lines, &found));
    if (!found) return HT_OK;
    split_line(in);
    if (first && (in->has_header = take_header(in, &in->at)) != 0) continue;
    if (first && count_numbers(in) == 0) return mistake(in, header_help, NULL);
    HT_TRY(in->has_header ? take_row(in, &in->at, text_at(in, in->at.name)) : take_bare_row(in));
  }
}

/* ---- The old form of 3D Slicer ---- */

/* Reads "# CoordinateSystem = LPS" or "# columns = id,x,y,z,...". */
static ht_status take_comment(table *in, int *has_axes) {
  char key[32], value[16];
  const char *text = in->lines.text + strspn(in->lines.text, "# \t"), *equals = strchr(text, '=');
  if (sscanf(text, "%31[A-Za-z] = %15s", key, value) != 2 || !equals) return HT_OK;
  if (strcmp(key, "columns") == 0) {
    layout at = in->at;
    equals += 1 + strspn(equals + 1, " ");
    memmove(in->lines.text, equals, strlen(equals) + 1);
    split(in, ',');
    if (!take_header(in, &at)) return mistake(in, "the columns have no x,y,z", NULL);
    at.is_ras = in->at.is_ras;
    at.columns = 0;
    in->at = at;
  }
  if (strcmp(key, "CoordinateSystem") != 0) return HT_OK;
  *has_axes = 1;
  in->at.is_ras = strcmp(value, "RAS") == 0 || strcmp(value, "0") == 0;
  if (in->at.is_ras || strcmp(value, "LPS") == 0 || strcmp(value, "1") == 0) return HT_OK;
  return mistake(in, "the CoordinateSystem must be LPS (1) or RAS (0), not", value);
}

static ht_status read_fcsv(table *in) {
  int has_axes = 0;
  in->lines.keeps_comments = 1;
  in->separator = ',';
  in->at = (layout){{1, 2, 3}, 11, 12, NONE, 9, 0, 0};
  for (int found = 1;;) {
    HT_TRY(ht_lines_next(&in->lines, &found));
    if (!found) return HT_OK;
    if (in->lines.text[0] == '#') {
      HT_TRY(take_comment(in, &has_axes));
      continue;
    }
    if (!has_axes)
      return mistake(in,
                     "no line says whether the points are LPS or RAS: write '# CoordinateSystem = "
                     "LPS' (or RAS) above them, or save the list as .mrk.json in 3D Slicer",
                     NULL);
    split_line(in);
    HT_TRY(take_row(in, &in->at, text_at(in, in->at.name)));
  }
}

/* Finds the source as in a list of the newer form (markups.h). */
static void find_source(const table *in) {
  ht_points *points = in->points;
  if (in->unselected != 1 || points->count < 2) return;
  for (int i = 0; i < points->count; i++)
    if (points->item[i].role == HT_ROLE_INLET) return;
  if (points->item[in->source].role == HT_ROLE_NONE) points->item[in->source].role = HT_ROLE_INLET;
}

static ht_status read_text(const char *path, ht_points *points) {
  table *in;
  HT_TRY(ht_alloc((void **)&in, 1, sizeof *in, "the points"));
  in->points = points;
  ht_status status = ht_lines_open(path, &in->lines);
  if (status == HT_OK) status = ht_path_ends(path, ".fcsv") ? read_fcsv(in) : read_table(in);
  if (status == HT_OK) find_source(in);
  ht_lines_close(&in->lines);
  free(in);
  return status;
}

/* ---- A point list of 3D Slicer: read as openings (markups.h) ---- */

static ht_status take_opening(const char *path, const ht_case_opening *from, ht_points *points) {
  char where[HT_PATH_MAX + 32];
  snprintf(where, sizeof where, "%s:%d:%d", path, from->line, from->column);
  if (from->has_normal)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: this is a plane; expected a point list (in the Markups module: Point "
                   "List); planes across the vessel go to --openings",
                   where);
  HT_TRY(add(points, from->centre_mm, 0, where, HT_ERR_FORMAT));
  ht_named_point *one = &points->item[points->count - 1];
  memcpy(one->name, from->name, sizeof one->name);
  one->role = (ht_role)from->role;
  return HT_OK;
}

static ht_status read_markups(const char *path, ht_points *points) {
  ht_case *scratch;
  HT_TRY(ht_alloc((void **)&scratch, 1, sizeof *scratch, "the points"));
  ht_status status = ht_markups_read(path, scratch);
  for (int i = 0; i < scratch->openings && status == HT_OK; i++)
    status = take_opening(path, &scratch->opening[i], points);
  free(scratch);
  return status;
}

/* Gives each opening a name of its own. */
static void tell_names_apart(ht_points *points) {
  for (int i = 0; i < points->count; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(points->item[k].name, points->item[i].name) == 0) points->item[i].name[0] = 0;
}

ht_status ht_points_read(const char *path, ht_points *points) {
  memset(points, 0, sizeof *points);
  HT_TRY(ht_path_ends(path, ".json") ? read_markups(path, points) : read_text(path, points));
  tell_names_apart(points);
  if (points->count >= 2) return HT_OK;
  return ht_fail(HT_ERR_CASE,
                 "%s: it holds %s: give at least two, in the vessel at its inlet and where the "
                 "blood leaves",
                 path, points->count ? "one point" : "no point");
}

ht_status ht_points_add_typed(const char *text, const char *where, ht_points *points) {
  const char *at = text;
  double position_mm[3];
  int count = 0, is_ras = strncasecmp(text, "ras:", 4) == 0;
  if (is_ras || strncasecmp(text, "lps:", 4) == 0) at += 4;
  for (char *end; count < 3; count++, at = end) {
    if (count > 0 && *at++ != ',') break;
    position_mm[count] = ht_number_read(at, &end);
    if (end == at || !isfinite(position_mm[count])) break;
  }
  if (count == 3 && *at == 0) return add(points, position_mm, is_ras, where, HT_ERR_USAGE);
  return ht_fail(
      HT_ERR_USAGE,
      "%s needs three numbers with commas between, as in %s -12.5,3,40 (LPS, mm; in RAS, "
      "as 3D Slicer shows them: ras:12.5,-3,40), not '%.60s'",
      where, where, text);
}

/* ---- The points of a case ---- */

static int is_same(const double a[3], const double b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Returns the number, from 1, of an earlier point in the new list; 0: it is not there. */
static int number_of(const double position_mm[3], const ht_points *points) {
  for (int i = 0; i < points->count; i++)
    if (is_same(points->item[i].position_mm, position_mm)) return i + 1;
  return 0;
}

static void keep_entries(ht_case *settings, const ht_points *points) {
  int kept = 0;
  for (int a = 0; a < settings->openings; a++) {
    ht_case_opening one = settings->opening[a];
    if (one.point > 0) {
      one.point = number_of(settings->segment.point_mm[one.point - 1], points);
      if (one.point == 0) continue;
    }
    settings->opening[kept++] = one;
  }
  settings->openings = kept;
}

static ht_case_opening *entry_of(ht_case *settings, int point) {
  for (int a = 0; a < settings->openings; a++)
    if (settings->opening[a].point == point) return &settings->opening[a];
  if (settings->openings == HT_OPENINGS_MAX) return NULL;
  ht_case_opening *one = &settings->opening[settings->openings++];
  memset(one, 0, sizeof *one);
  one->point = point;
  return one;
}

static int is_named_by_another(const ht_case *settings, const char *name, int point) {
  for (int a = 0; a < settings->openings; a++)
    if (settings->opening[a].point != point && strcmp(settings->opening[a].name, name) == 0)
      return 1;
  return 0;
}

ht_status ht_case_set_points(ht_case *settings, const ht_points *points) {
  if (settings->segment.points > 0) keep_entries(settings, points);
  settings->segment.points = points->count;
  for (int i = 0; i < points->count; i++) {
    const ht_named_point *from = &points->item[i];
    memcpy(settings->segment.point_mm[i], from->position_mm, sizeof from->position_mm);
    if (!from->name[0] && from->role == HT_ROLE_NONE) continue;
    ht_case_opening *entry = entry_of(settings, i + 1);
    if (!entry) return ht_fail(HT_ERR_CASE, "more than %d openings", HT_OPENINGS_MAX);
    if (from->name[0] && !is_named_by_another(settings, from->name, i + 1))
      memcpy(entry->name, from->name, sizeof entry->name);
    if (from->role == HT_ROLE_NONE || entry->role == (int)from->role) continue;
    entry->role = (int)from->role;
    entry->flow_ml_s = entry->pressure_pa = entry->flow_fraction = 0; /* of another role */
    entry->has_windkessel = 0;
  }
  return HT_OK;
}
