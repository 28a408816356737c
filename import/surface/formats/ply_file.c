#include "import/surface/formats/ply_file.h"
#include "import/surface/formats/surface_points.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64, WORD_MAX = 40 };

/* Kinds of numbers: bytes; 1 signed, 2 unsigned, 3 floating. */
typedef struct {
  int bytes, kind;
} number_type;

typedef enum { USE_NONE, USE_X, USE_Y, USE_Z, USE_CORNERS } property_use;

typedef struct {
  number_type type, count; /* count.bytes 0: no list */
  property_use use;
} property;

typedef struct {
  int is_vertex, is_face, properties;
  long long count;
  property property[PROPERTIES_MAX];
} element;

typedef struct {
  ht_surface_points *to;
  const char *at, *end; /* what is left of the file */
  int text, swapped;
  int elements;
  element element[ELEMENTS_MAX];
} reader;

static ht_status damaged(const reader *in, const char *why) {
  return ht_fail(HT_ERR_FORMAT, "%s: %s: damaged, or no PLY file; export it again", in->to->path,
                 why);
}

/* ---- header ---- */

static number_type type_of(const char *word) {
  static const struct {
    const char *word;
    number_type type;
  } types[] = {{"char", {1, 1}},  {"int8", {1, 1}},    {"uchar", {1, 2}},  {"uint8", {1, 2}},
               {"short", {2, 1}}, {"int16", {2, 1}},   {"ushort", {2, 2}}, {"uint16", {2, 2}},
               {"int", {4, 1}},   {"int32", {4, 1}},   {"uint", {4, 2}},   {"uint32", {4, 2}},
               {"float", {4, 3}}, {"float32", {4, 3}}, {"double", {8, 3}}, {"float64", {8, 3}}};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    if (strcmp(word, types[t].word) == 0) return types[t].type;
  return (number_type){0, 0};
}

static property_use use_of(const element *of, const char *name, int is_list) {
  if (of->is_vertex && !is_list && name[1] == 0 && name[0] >= 'x' && name[0] <= 'z')
    return (property_use)(USE_X + name[0] - 'x');
  int corners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
  return of->is_face && is_list && corners ? USE_CORNERS : USE_NONE;
}

static ht_status add_property(reader *in, char word[5][WORD_MAX], int words) {
  element *of = in->elements ? &in->element[in->elements - 1] : NULL;
  int is_list = words > 1 && strcmp(word[1], "list") == 0;
  if (!of || of->properties == PROPERTIES_MAX || words != (is_list ? 5 : 3))
    return damaged(in, "an invalid property in its header");
  property *one = &of->property[of->properties++];
  one->type = type_of(word[is_list ? 3 : 1]);
  one->count = is_list ? type_of(word[2]) : (number_type){0, 0};
  one->use = use_of(of, word[is_list ? 4 : 2], is_list);
  if (one->type.bytes == 0 || (is_list && (one->count.bytes == 0 || one->count.kind == 3)))
    return damaged(in, "an unknown type of numbers in its header");
  return HT_OK;
}

static ht_status add_element(reader *in, char word[5][WORD_MAX], int words) {
  char *end;
  if (words != 3 || in->elements == ELEMENTS_MAX)
    return damaged(in, "an invalid element in its header");
  element *one = &in->element[in->elements++];
  one->count = strtoll(word[2], &end, 10);
  one->is_vertex = strcmp(word[1], "vertex") == 0;
  one->is_face = strcmp(word[1], "face") == 0;
  if (*end || end == word[2] || one->count < 0)
    return damaged(in, "the count of an element in its header is no number");
  return HT_OK;
}

static ht_status set_format(reader *in, const char *name) {
  const int one = 1;
  int little = *(const char *)&one;
  in->text = strcmp(name, "ascii") == 0;
  if (in->text) return HT_OK;
  int file_little = strcmp(name, "binary_little_endian") == 0;
  if (!file_little && strcmp(name, "binary_big_endian") != 0)
    return damaged(in, "its header names no known format");
  in->swapped = file_little != little;
  return HT_OK;
}

/* *done at "end_header". */
static ht_status read_header_line(reader *in, int *done) {
  char line[256], word[5][WORD_MAX] = {{0}};
  const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
  if (!newline) return damaged(in, "its header does not end");
  size_t length = (size_t)(newline - in->at);
  snprintf(line, sizeof line, "%.*s", (int)(length < 255 ? length : 255), in->at);
  in->at = newline + 1;
  int words = sscanf(line, "%39s %39s %39s %39s %39s", word[0], word[1], word[2], word[3], word[4]);
  *done = strcmp(word[0], "end_header") == 0;
  if (strcmp(word[0], "format") == 0) return set_format(in, word[1]);
  if (strcmp(word[0], "element") == 0) return add_element(in, word, words);
  if (strcmp(word[0], "property") == 0) return add_property(in, word, words);
  if (in->to->surface->space == HT_STL_UNTOLD) /* else a comment */
    in->to->surface->space = ht_stl_space_of(line, strlen(line));
  return HT_OK;
}

static ht_status read_header(reader *in) {
  int done = 0, formats = 0;
  if (in->end - in->at < 4 || memcmp(in->at, "ply", 3) != 0)
    return damaged(in, "it does not begin with \"ply\"");
  while (!done) {
    formats += strncmp(in->at, "format", 6) == 0;
    HT_TRY(read_header_line(in, &done));
  }
  return formats == 1 ? HT_OK : damaged(in, "its header has no format");
}

/* ---- numbers ---- */

static ht_status read_text_number(reader *in, double *value) {
  char *end;
  while (in->at < in->end && isspace((unsigned char)*in->at)) in->at++;
  *value = strtod(in->at, &end); /* the bytes end with a 0 */
  if (end == in->at || end > in->end)
    return damaged(in, in->at >= in->end ? "truncated: it ends before its last element"
                                         : "a word where a number belongs");
  in->at = end;
  return HT_OK;
}

static double value_of(const unsigned char *bytes, number_type type) {
  union {
    unsigned char byte[8];
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint16_t u16;
    uint32_t u32;
    float f32;
    double f64;
  } as;
  memcpy(as.byte, bytes, (size_t)type.bytes);
  if (type.kind == 3) return type.bytes == 4 ? (double)as.f32 : as.f64;
  if (type.kind == 2) return type.bytes == 1 ? as.byte[0] : type.bytes == 2 ? as.u16 : as.u32;
  return type.bytes == 1 ? as.i8 : type.bytes == 2 ? as.i16 : as.i32;
}

static ht_status read_number(reader *in, number_type type, double *value) {
  unsigned char bytes[8];
  if (in->text) return read_text_number(in, value);
  if (in->end - in->at < type.bytes)
    return damaged(in, "truncated: it ends before its last element");
  for (int i = 0; i < type.bytes; i++)
    bytes[in->swapped ? type.bytes - 1 - i : i] = (unsigned char)in->at[i];
  in->at += type.bytes;
  *value = value_of(bytes, type);
  return HT_OK;
}

/* ---- elements ---- */

static ht_status read_list(reader *in, const property *of, int64_t number, int is_corners) {
  int64_t corner[HT_POLYGON_MOST];
  double count, value = 0;
  HT_TRY(read_number(in, of->count, &count));
  if (!(count >= 0 && count <= 4e9)) return damaged(in, "a list without a length");
  if (is_corners && count > HT_POLYGON_MOST) return damaged(in, "a face of more than 1000 corners");
  for (int64_t i = 0; i < (int64_t)count; i++) {
    HT_TRY(read_number(in, of->type, &value));
    if (is_corners) corner[i] = fabs(value) < 4e9 ? (int64_t)value : -1;
  }
  return is_corners ? ht_surface_add_polygon(in->to, corner, (int)count, number) : HT_OK;
}

static ht_status read_one(reader *in, const element *of, int64_t number) {
  double at[3] = {0, 0, 0}, value = 0;
  for (int p = 0; p < of->properties; p++) {
    const property *one = &of->property[p];
    if (one->count.bytes) {
      HT_TRY(read_list(in, one, number, one->use == USE_CORNERS));
      continue;
    }
    HT_TRY(read_number(in, one->type, &value));
    if (one->use >= USE_X && one->use <= USE_Z) at[one->use - USE_X] = value;
  }
  return of->is_vertex ? ht_surface_add_point(in->to, at) : HT_OK;
}

static ht_status check_element(const reader *in, const element *of) {
  int uses[USE_CORNERS + 1] = {0};
  for (int p = 0; p < of->properties; p++) uses[of->property[p].use]++;
  if (of->is_vertex && !(uses[USE_X] == 1 && uses[USE_Y] == 1 && uses[USE_Z] == 1))
    return damaged(in, "its vertices have no x, y and z");
  if (of->is_face && of->count > 0 && uses[USE_CORNERS] != 1)
    return damaged(in, "its faces have no list vertex_indices (a strip of triangles is not read)");
  /* Each has a byte at least, or its number would be any. */
  if (of->properties == 0 && of->count > 0) return damaged(in, "an element without properties");
  return HT_OK;
}

static ht_status read_all(reader *in) {
  HT_TRY(read_header(in));
  for (int e = 0; e < in->elements; e++) {
    HT_TRY(check_element(in, &in->element[e]));
    for (int64_t i = 0; i < in->element[e].count; i++) HT_TRY(read_one(in, &in->element[e], i));
  }
  return HT_OK;
}

static ht_status parse(ht_surface_points *to, char *bytes, size_t size) {
  reader in = {.to = to};
  in.at = bytes;
  in.end = bytes + size;
  return read_all(&in);
}

ht_status ht_ply_read(const char *path, ht_stl *surface) {
  return ht_surface_parse_file(path, surface, parse);
}
