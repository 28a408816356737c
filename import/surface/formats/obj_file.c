#include "import/surface/formats/obj_file.h"
#include "import/surface/formats/surface_points.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  ht_surface_points *to;
  long line;
} reader;

static ht_status bad_line(const reader *in, const char *why) {
  return ht_fail(HT_ERR_FORMAT, "%s:%ld: %s: damaged; export it again", in->to->path, in->line,
                 why);
}

static ht_status read_point(reader *in, const char *text) {
  double at[3];
  for (int r = 0; r < 3; r++) {
    char *end;
    at[r] = strtod(text, &end);
    if (end == text) return bad_line(in, "a point needs three numbers");
    text = end;
  }
  return ht_surface_add_point(in->to, at);
}

static ht_status read_face(reader *in, const char *text) {
  int64_t corner[HT_POLYGON_MOST];
  int count = 0;
  for (text += strspn(text, " \t\r"); *text; text += strspn(text, " \t\r")) {
    char *end;
    long long number = strtoll(text, &end, 10);
    if (end == text || number == 0 || (*end && !strchr(" \t\r/", *end)))
      return bad_line(in, "a face needs the numbers of its points");
    if (count == HT_POLYGON_MOST) return bad_line(in, "a face of more than 1000 corners");
    corner[count++] = number > 0 ? number - 1 : in->to->points + number;
    text = end + strcspn(end, " \t\r");
  }
  return ht_surface_add_polygon(in->to, corner, count, in->line);
}

static ht_status read_line(reader *in, char *line) {
  line += strspn(line, " \t");
  if (line[0] == '#' && in->to->surface->space == HT_STL_UNTOLD)
    in->to->surface->space = ht_stl_space_of(line, strlen(line));
  if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t')) return read_point(in, line + 2);
  if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t')) return read_face(in, line + 2);
  return HT_OK;
}

/* Lines ended by a backslash become one. */
static void join_lines(char *bytes) {
  for (char *at = bytes; (at = strchr(at, '\\')) != NULL; at++) {
    size_t blank = 1 + (at[1] == '\r');
    if (at[blank] == '\n') memset(at, ' ', blank + 1);
  }
}

static ht_status parse(ht_surface_points *to, char *bytes, size_t size) {
  reader in = {.to = to};
  if (strlen(bytes) != size)
    return ht_fail(HT_ERR_FORMAT, "%s: not an OBJ file: it has bytes that are no text", to->path);
  join_lines(bytes);
  for (char *line = bytes, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    in.line++;
    HT_TRY(read_line(&in, line));
  }
  return HT_OK;
}

ht_status ht_obj_read(const char *path, ht_stl *surface) {
  return ht_surface_parse_file(path, surface, parse);
}
