#include "vtp_file.h"
#include "surface_points.h"
#include "vtp_array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tag: its name and attributes lie in [name, end). */
typedef struct {
  const char *name, *end; /* end: its '>' */
} tag;

typedef struct {
  ht_surface_points *to;
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
        "%s: its byte order is %s and its compressor %s; read are LittleEndian, and none "
        "or vtkZLibDataCompressor: save it again with these",
        in->to->path, order, packed ? packer : "none");
  in->coding.compressed = packed;
  in->coding.header_bytes = strcmp(sizes, "UInt64") == 0 ? 8 : 4;
  return HT_OK;
}

/* Before the pieces, whose arrays may lie there. */
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

static ht_status read_array_tag(reader *in, const tag *of) {
  char format[12] = "", name[32] = "", offset[24] = "0";
  ht_vtp_array array = {.text = in->at};
  attribute(of, "type", array.type, sizeof array.type);
  attribute(of, "format", format, sizeof format);
  attribute(of, "Name", name, sizeof name);
  attribute(of, "offset", offset, sizeof offset);
  const char *close = memchr(in->at, '<', (size_t)(in->end - in->at));
  array.size = of->end[-1] == '/' || !close ? 0 : (size_t)(close - in->at);
  array.offset = strtoull(offset, NULL, 10);
  array.format = strcmp(format, "appended") == 0 ? HT_VTP_APPENDED
                 : strcmp(format, "binary") == 0 ? HT_VTP_BASE64
                                                 : HT_VTP_TEXT;
  int polys = strcmp(in->section, "Polys") == 0;
  if (strcmp(in->section, "Points") == 0) in->points = array, in->has_points = 1;
  if (polys && strcmp(name, "connectivity") == 0) in->corners = array, in->has_corners = 1;
  if (polys && strcmp(name, "offsets") == 0) in->offsets = array, in->has_offsets = 1;
  return HT_OK;
}

/* ---- a piece ---- */

static ht_status add_points(reader *in) {
  double *value;
  int64_t count;
  HT_TRY(ht_vtp_numbers(&in->coding, &in->points, &value, &count));
  ht_status status = count % 3 ? damaged(in, "points of no three numbers") : HT_OK;
  for (int64_t i = 0; i + 2 < count && status == HT_OK; i += 3)
    status = ht_surface_add_point(in->to, value + i);
  free(value);
  return status;
}

static ht_status add_polygons(reader *in, const double *corner, int64_t corners,
                              const double *offset, int64_t offsets) {
  int64_t number[HT_POLYGON_MOST], from = 0;
  for (int64_t p = 0; p < offsets; p++) {
    int64_t to = offset[p] >= 0 && offset[p] <= 9e15 ? (int64_t)offset[p] : -1;
    if (to < from || to > corners || to - from > HT_POLYGON_MOST)
      return damaged(in, "offsets of its polygons that cannot be");
    for (int64_t i = from; i < to; i++)
      number[i - from] = fabs(corner[i]) < 9e15 ? in->first + (int64_t)corner[i] : -1;
    HT_TRY(ht_surface_add_polygon(in->to, number, (int)(to - from), p));
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
  ht_status status = ht_vtp_numbers(&in->coding, &in->corners, &corner, &corners);
  if (status == HT_OK) status = ht_vtp_numbers(&in->coding, &in->offsets, &offset, &offsets);
  if (status == HT_OK) status = add_polygons(in, corner, corners, offset, offsets);
  free(corner);
  free(offset);
  in->has_points = in->has_corners = in->has_offsets = 0;
  return status;
}

static ht_status read_tag(reader *in, const tag *of, int *files) {
  static const char *const sections[] = {"Points", "Polys",     "Lines",   "Verts",
                                         "Strips", "PointData", "CellData"};
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
