#include "import/surface/formats/vtp_file.h"
#include "import/surface/formats/surface_points.h"
#include "import/surface/formats/surface_unit.h"
#include "core/vessel/volume.h"
#include "import/surface/formats/vtp_array.h"
#include "import/surface/formats/vtp_mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tag: its name and attributes lie in [name, end). */
typedef struct {
  const char *name, *end; /* end: its '>' */
} tag;

/* Numbers at the points, where they are wanted. */
typedef struct {
  ht_vtp_mesh *mesh;
  ht_vtp_wanted wanted;
  void *user;
  int is_wanted[HT_VTP_ARRAYS_MAX], has[HT_VTP_ARRAYS_MAX]; /* has: in this piece */
  ht_vtp_array array[HT_VTP_ARRAYS_MAX];                    /* of this piece */
  int64_t filled[HT_VTP_ARRAYS_MAX];                        /* points of earlier pieces */
  int64_t triangle_room;
} collector;

typedef struct {
  ht_surface_points *to;
  collector *also; /* NULL: only points and polygons */
  ht_vtp_coding coding;
  const char *at, *end;
  char section[16]; /* "Points", "Polys", ... that the tags lie in */
  int64_t first;    /* number of the piece's first point */
  ht_vtp_array points, corners, offsets;
  int has_points, has_corners, has_offsets;
} reader;

static ht_status damaged(const reader *in, const char *why) {
  return ht_fail(HT_ERR_FORMAT, "%s: %s: damaged, or no surface of VTK (PolyData); export it again",
                 in->to->path, why);
}

/* ---- tags ---- */

static int next_tag(reader *in, tag *found) {
  const char *open = memchr(in->at, '<', (size_t)(in->end - in->at));
  const char *close = open ? memchr(open, '>', (size_t)(in->end - open)) : NULL;
  if (!close) return 0;
  found->name = open + 1;
  found->end = close;
  in->at = close + 1;
  return 1;
}

static int is_tag(const tag *of, const char *name) {
  size_t length = strlen(name);
  if ((size_t)(of->end - of->name) < length || memcmp(of->name, name, length) != 0) return 0;
  return of->name + length == of->end || strchr(" \t\r\n/", of->name[length]) != NULL;
}

/* The value of an attribute; 0: it is not there, or longer than the room. */
static int attribute(const tag *of, const char *name, char *value, size_t size) {
  size_t length = strlen(name);
  for (const char *at = of->name; at + length + 2 < of->end; at++) {
    if (memcmp(at, name, length) != 0 || at[length] != '=' || !strchr(" \t\r\n", at[-1])) continue;
    const char *from = at + length + 2,
               *to = memchr(from, at[length + 1], (size_t)(of->end - from));
    if (!to || (size_t)(to - from) >= size) return 0;
    snprintf(value, size, "%.*s", (int)(to - from), from);
    return 1;
  }
  return 0;
}

static int64_t count_of(const tag *of, const char *name) {
  char text[24];
  return attribute(of, name, text, sizeof text) ? strtoll(text, NULL, 10) : 0;
}

/* ---- the file ---- */

static ht_status read_file_tag(reader *in, const tag *of) {
  char type[16] = "", order[24] = "LittleEndian", sizes[16] = "UInt32", packer[40] = "";
  attribute(of, "type", type, sizeof type);
  attribute(of, "byte_order", order, sizeof order);
  attribute(of, "header_type", sizes, sizeof sizes);
  int packed = attribute(of, "compressor", packer, sizeof packer);
  if (strcmp(type, "PolyData") != 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: it holds VTK's \"%s\"; a surface is PolyData: extract the surface in the "
                   "program that made it",
                   in->to->path, type);
  if (strcmp(order, "LittleEndian") != 0 ||
      (packed && strcmp(packer, "vtkZLibDataCompressor") != 0))
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: its byte order is %s and its compressor %s; supported are LittleEndian, and none "
        "or vtkZLibDataCompressor: save it again with these",
        in->to->path, order, packed ? packer : "none");
  in->coding.compressed = packed;
  in->coding.header_bytes = strcmp(sizes, "UInt64") == 0 ? 8 : 4;
  return HT_OK;
}

/* Finds the appended data, before the pieces, whose arrays may lie there. */
static void find_appended(reader *in) {
  static const char name[] = "<AppendedData";
  for (const char *at = in->at; at + sizeof name < in->end; at++) {
    at = memchr(at, '<', (size_t)(in->end - at));
    if (!at || at + sizeof name >= in->end) return;
    if (memcmp(at, name, sizeof name - 1) != 0) continue;
    char encoding[12] = "";
    tag of = {at + 1, memchr(at, '>', (size_t)(in->end - at))};
    const char *begin = of.end ? memchr(of.end, '_', (size_t)(in->end - of.end)) : NULL;
    if (!begin) return;
    attribute(&of, "encoding", encoding, sizeof encoding);
    in->coding.appended = begin + 1;
    in->coding.appended_size = (size_t)(in->end - begin - 1);
    in->coding.appended_base64 = strcmp(encoding, "base64") == 0;
    in->end = at;
    return;
  }
}

static int array_of(ht_vtp_mesh *mesh, const char *name, int components) {
  for (int i = 0; i < mesh->arrays; i++)
    if (strcmp(mesh->array[i].name, name) == 0)
      return mesh->array[i].components == components ? i : -1;
  if (mesh->arrays == HT_VTP_ARRAYS_MAX) return -1;
  ht_vtp_values *one = &mesh->array[mesh->arrays];
  snprintf(one->name, sizeof one->name, "%s", name);
  one->components = components;
  return mesh->arrays++;
}

static void keep_array(reader *in, const tag *of, const char *name, const ht_vtp_array *array) {
  collector *also = in->also;
  char components[8] = "1";
  if (!also) return;
  if (strcmp(in->section, "CellData") == 0) also->mesh->cell_arrays++;
  if (strcmp(in->section, "PointData") != 0 || !*name) return;
  attribute(of, "NumberOfComponents", components, sizeof components);
  int count = atoi(components), before = also->mesh->arrays;
  int i = count >= 1 && count <= 9 ? array_of(also->mesh, name, count) : -1;
  if (i < 0) return;
  if (also->mesh->arrays > before) also->is_wanted[i] = also->wanted(also->user, name);
  also->array[i] = *array;
  also->has[i] = 1;
}

static ht_vtp_array array_at(const reader *in, const tag *of) {
  char format[12] = "", offset[24] = "0";
  ht_vtp_array array = {.text = in->at};
  attribute(of, "type", array.type, sizeof array.type);
  attribute(of, "format", format, sizeof format);
  attribute(of, "offset", offset, sizeof offset);
  const char *close = memchr(in->at, '<', (size_t)(in->end - in->at));
  array.size = of->end[-1] == '/' || !close ? 0 : (size_t)(close - in->at);
  array.offset = strtoull(offset, NULL, 10);
  array.format = strcmp(format, "appended") == 0 ? HT_VTP_APPENDED
                 : strcmp(format, "binary") == 0 ? HT_VTP_BASE64
                                                 : HT_VTP_TEXT;
  return array;
}

/* The array SPACE of the FieldData, where 3D Slicer names the axes: the letters' codes. */
static ht_status read_space(reader *in, const tag *of) {
  char name[8] = "", text[24] = "SPACE=";
  ht_vtp_array array = array_at(in, of);
  double *code;
  int64_t count;
  size_t length = strlen(text);
  if (!attribute(of, "Name", name, sizeof name) || strcmp(name, "SPACE") != 0) return HT_OK;
  if (strcmp(array.type, "String") != 0) return HT_OK;
  snprintf(array.type, sizeof array.type, "Int8");
  HT_TRY(ht_vtp_numbers(&in->coding, &array, &code, &count));
  for (int64_t i = 0; i < count && length + 1 < sizeof text && code[i] > 0 && code[i] < 128; i++)
    text[length++] = (char)code[i];
  free(code);
  in->to->surface->space = ht_stl_space_of(text, length);
  return HT_OK;
}

static ht_status read_array_tag(reader *in, const tag *of) {
  char name[HT_VTP_NAME_MAX] = "";
  ht_vtp_array array = array_at(in, of);
  attribute(of, "Name", name, sizeof name);
  int polys = strcmp(in->section, "Polys") == 0;
  if (strcmp(in->section, "Points") == 0) in->points = array, in->has_points = 1;
  if (polys && strcmp(name, "connectivity") == 0) in->corners = array, in->has_corners = 1;
  if (polys && strcmp(name, "offsets") == 0) in->offsets = array, in->has_offsets = 1;
  keep_array(in, of, name, &array);
  return HT_OK;
}

/* ---- a piece ---- */

static ht_status add_points(reader *in) {
  double *value;
  int64_t count;
  HT_TRY(ht_vtp_numbers(&in->coding, &in->points, &value, &count));
  ht_status status = count % 3 ? damaged(in, "points without three numbers each") : HT_OK;
  for (int64_t i = 0; i + 2 < count && status == HT_OK; i += 3)
    status = ht_surface_add_point(in->to, value + i);
  free(value);
  return status;
}

/* The polygon as a fan, as ht_surface_add_polygon has it. */
static ht_status keep_triangles(collector *also, const int64_t *number, int count) {
  ht_vtp_mesh *mesh = also->mesh;
  for (int i = 1; i + 1 < count; i++) {
    if (mesh->triangles == also->triangle_room) {
      int64_t room = also->triangle_room ? 2 * also->triangle_room : 1024;
      void *larger = realloc(mesh->triangle, (size_t)room * 3 * sizeof *mesh->triangle);
      if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the surface");
      mesh->triangle = larger;
      also->triangle_room = room;
    }
    int32_t *to = mesh->triangle + 3 * mesh->triangles++;
    to[0] = (int32_t)number[0], to[1] = (int32_t)number[i], to[2] = (int32_t)number[i + 1];
  }
  return HT_OK;
}

/* The values of an array at the points of this piece. */
static ht_status keep_values(reader *in, int i) {
  ht_vtp_values *one = &in->also->mesh->array[i];
  double *value;
  int64_t count, from = in->first * one->components, all = in->to->points * one->components;
  HT_TRY(ht_vtp_numbers(&in->coding, &in->also->array[i], &value, &count));
  float *larger = realloc(one->value, (size_t)(all + 1) * sizeof *larger);
  if (larger) one->value = larger;
  ht_status status = HT_OK;
  if (!larger)
    status = ht_fail(HT_ERR_MEMORY, "not enough memory for the surface");
  else if (count != all - from || in->also->filled[i] != in->first)
    status =
        ht_fail(HT_ERR_FORMAT,
                "%s: the array '%s' has not one value for each point: damaged; export it again",
                in->to->path, one->name);
  for (int64_t k = 0; k < count && status == HT_OK; k++) larger[from + k] = (float)value[k];
  if (status == HT_OK) in->also->filled[i] = in->to->points;
  free(value);
  return status;
}

static ht_status keep_piece(reader *in) {
  collector *also = in->also;
  for (int i = 0; also && i < also->mesh->arrays; i++) {
    if (also->has[i] && also->is_wanted[i]) HT_TRY(keep_values(in, i));
    also->has[i] = 0;
  }
  return HT_OK;
}

static ht_status add_polygons(reader *in, const double *corner, int64_t corners,
                              const double *offset, int64_t offsets) {
  int64_t number[HT_POLYGON_MOST], from = 0;
  for (int64_t p = 0; p < offsets; p++) {
    int64_t to = offset[p] >= 0 && offset[p] <= 9e15 ? (int64_t)offset[p] : -1;
    if (to < from || to > corners || to - from > HT_POLYGON_MOST)
      return damaged(in, "impossible offsets of its polygons");
    for (int64_t i = from; i < to; i++)
      number[i - from] = fabs(corner[i]) < 9e15 ? in->first + (int64_t)corner[i] : -1;
    HT_TRY(ht_surface_add_polygon(in->to, number, (int)(to - from), p));
    if (in->also) HT_TRY(keep_triangles(in->also, number, (int)(to - from)));
    from = to;
  }
  return HT_OK;
}

static ht_status end_piece(reader *in) {
  double *corner = NULL, *offset = NULL;
  int64_t corners = 0, offsets = 0;
  if (!in->has_points && !in->has_corners) return HT_OK; /* an empty piece */
  if (!in->has_points || !in->has_corners || !in->has_offsets)
    return damaged(in, "a piece without points, or without polygons");
  in->first = in->to->points;
  HT_TRY(add_points(in));
  HT_TRY(keep_piece(in));
  ht_status status = ht_vtp_numbers(&in->coding, &in->corners, &corner, &corners);
  if (status == HT_OK) status = ht_vtp_numbers(&in->coding, &in->offsets, &offset, &offsets);
  if (status == HT_OK) status = add_polygons(in, corner, corners, offset, offsets);
  free(corner);
  free(offset);
  in->has_points = in->has_corners = in->has_offsets = 0;
  return status;
}

static ht_status read_tag(reader *in, const tag *of, int *files) {
  static const char *const sections[] = {"Points", "Polys",     "Lines",    "Verts",
                                         "Strips", "PointData", "CellData", "FieldData"};
  if (is_tag(of, "VTKFile")) {
    ++*files;
    HT_TRY(read_file_tag(in, of));
    find_appended(in);
  }
  if (is_tag(of, "Piece") && count_of(of, "NumberOfStrips") > 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its triangles are in strips, which are not read: save it as triangles (in "
                   "ParaView: the filter Triangulate)",
                   in->to->path);
  for (size_t s = 0; s < sizeof sections / sizeof *sections; s++)
    if (is_tag(of, sections[s])) snprintf(in->section, sizeof in->section, "%s", sections[s]);
  if (is_tag(of, "DataArray")) return read_array_tag(in, of);
  if (is_tag(of, "Array") && strcmp(in->section, "FieldData") == 0) return read_space(in, of);
  return is_tag(of, "/Piece") ? end_piece(in) : HT_OK;
}

static ht_status read_all(reader *in) {
  tag of;
  int files = 0, ended = 0;
  while (next_tag(in, &of)) {
    HT_TRY(read_tag(in, &of, &files));
    ended |= is_tag(&of, "/PolyData");
  }
  if (files == 0) return damaged(in, "it has no <VTKFile>");
  return ended ? HT_OK : damaged(in, "truncated: it ends before </PolyData>");
}

static ht_status parse(ht_surface_points *to, char *bytes, size_t size) {
  reader in = {.to = to, .coding = {.path = to->path}};
  in.at = bytes;
  in.end = bytes + size;
  return read_all(&in);
}

ht_status ht_vtp_read(const char *path, ht_stl *surface) {
  return ht_surface_parse_file(path, surface, parse);
}

/* ---- with the numbers at the points ---- */

static ht_status check_filled(const reader *in) {
  const collector *also = in->also;
  for (int i = 0; i < also->mesh->arrays; i++)
    if (also->is_wanted[i] && also->filled[i] != in->to->points)
      return ht_fail(HT_ERR_FORMAT,
                     "%s: the array '%s' is missing at some points: damaged; export it again",
                     in->to->path, also->mesh->array[i].name);
  return HT_OK;
}

/* The points in mm, LPS: unit and axes are those of the triangles. */
static ht_status take_points(ht_surface_points *to, ht_surface_unit unit, ht_import_notes *notes,
                             ht_vtp_mesh *mesh) {
  HT_TRY(ht_stl_check_corners(to->path, to->surface));
  HT_TRY(ht_stl_to_mm(to->surface, unit, notes));
  float mm = (float)ht_surface_unit_mm(to->surface->unit);
  const float turn = to->surface->space == HT_STL_RAS ? -mm : mm; /* of the first two axes */
  HT_TRY(ht_alloc((void **)&mesh->point_mm, 3 * (size_t)to->points, sizeof(float), "the surface"));
  for (int64_t p = 0; p < to->points; p++)
    for (int r = 0; r < 3; r++) mesh->point_mm[3 * p + r] = (r < 2 ? turn : mm) * to->point[p][r];
  mesh->points = to->points;
  mesh->unit = to->surface->unit;
  return HT_OK;
}

ht_status ht_vtp_mesh_read(const char *path, ht_surface_unit unit, ht_vtp_wanted wanted, void *user,
                           ht_import_notes *notes, ht_vtp_mesh *mesh) {
  ht_stl soup = {.triangles = 0};
  ht_surface_points to = {.path = path, .surface = &soup};
  collector also = {.mesh = mesh, .wanted = wanted, .user = user};
  reader in = {.to = &to, .also = &also, .coding = {.path = path}};
  char *bytes = NULL;
  size_t size = 0;
  memset(mesh, 0, sizeof *mesh);
  ht_status status = ht_surface_bytes(path, &bytes, &size);
  if (status == HT_OK) {
    in.at = bytes;
    in.end = bytes + size;
    status = read_all(&in);
  }
  if (status == HT_OK) status = check_filled(&in);
  if (status == HT_OK) status = take_points(&to, unit, notes, mesh);
  free(bytes);
  free(to.point);
  ht_stl_free(&soup);
  if (status != HT_OK) ht_vtp_mesh_free(mesh);
  return status;
}

void ht_vtp_mesh_free(ht_vtp_mesh *mesh) {
  if (!mesh) return;
  free(mesh->point_mm);
  free(mesh->triangle);
  for (int i = 0; i < HT_VTP_ARRAYS_MAX; i++) free(mesh->array[i].value);
  memset(mesh, 0, sizeof *mesh);
}
