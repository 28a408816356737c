#include "import/surface/formats/stl_file.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };

void ht_stl_free(ht_stl *surface) {
  if (!surface) return;
  free(surface->corner);
  memset(surface, 0, sizeof *surface);
}

/* ---- Its axes ---- */

ht_stl_space ht_stl_space_of(const char *text, size_t length) {
  for (size_t i = 0; i + 9 <= length; i++) {
    if (strncasecmp(text + i, "SPACE=RAS", 9) == 0) return HT_STL_RAS;
    if (strncasecmp(text + i, "SPACE=LPS", 9) == 0) return HT_STL_LPS;
  }
  return HT_STL_UNTOLD;
}

/* ---- Binary: little-endian ---- */

static uint32_t get32(const unsigned char *b) {
  return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static float get_float(const unsigned char *b) {
  uint32_t bits = get32(b);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static ht_status truncated(const char *path, long long promised, long long there) {
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated or damaged: its header promises %lld triangles, there are %lld; "
                 "copy or export it again",
                 path, promised, there);
}

static ht_status read_binary(const char *path, FILE *file, long long bytes, ht_stl *surface) {
  unsigned char head[HEADER_BYTES], triangle[TRIANGLE_BYTES];
  if (fread(head, 1, sizeof head, file) < sizeof head)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: truncated or damaged: %lld bytes, and an STL has at least %d; copy or "
                   "export it again",
                   path, bytes, HEADER_BYTES);
  long long count = get32(head + 80), there = (bytes - HEADER_BYTES) / TRIANGLE_BYTES;
  if (count > there || count > INT_MAX) return truncated(path, count, there);
  surface->space = ht_stl_space_of((const char *)head, 80);
  HT_TRY(ht_alloc((void **)&surface->corner, (size_t)count, sizeof *surface->corner,
                  "the triangles of the surface"));
  for (; surface->triangles < count; surface->triangles++) {
    if (fread(triangle, 1, sizeof triangle, file) < sizeof triangle)
      return truncated(path, count, surface->triangles);
    for (int i = 0; i < 9; i++) /* after the normal */
      surface->corner[surface->triangles][i / 3][i % 3] = get_float(triangle + 12 + 4 * i);
  }
  return HT_OK;
}

/* ---- Text ---- */

enum { LINE_MAX_BYTES = 512 };

static ht_status add_corner(ht_stl *surface, int *room, long corners, const float at[3]) {
  if (corners / 3 >= *room) {
    int grown = *room ? 2 * *room : 1024;
    void *larger = *room > INT_MAX / 2
                       ? NULL
                       : realloc(surface->corner, (size_t)grown * sizeof *surface->corner);
    if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the triangles");
    surface->corner = larger;
    *room = grown;
  }
  memcpy(surface->corner[corners / 3][corners % 3], at, 3 * sizeof *at);
  return HT_OK;
}

static ht_status bad_line(const char *path, long line, const char *why) {
  return ht_fail(HT_ERR_FORMAT, "%s:%ld: %s: damaged; export it again", path, line, why);
}

/* "vertex X Y Z"; 0 of any other line, -1 where the numbers are none. */
static int parse_vertex(const char *text, float at[3]) {
  text += strspn(text, " \t");
  if (strncasecmp(text, "vertex", 6) != 0) return 0;
  text += 6;
  for (int r = 0; r < 3; r++) {
    char *end;
    at[r] = strtof(text, &end);
    if (end == text) return -1;
    text = end;
  }
  return 1;
}

static int line_begins(const char *text, const char *word) {
  text += strspn(text, " \t");
  return strncasecmp(text, word, strlen(word)) == 0;
}

/* The next line, whether CR, LF or both end it. As fgets. */
static char *next_line(char line[LINE_MAX_BYTES], FILE *file) {
  int length = 0, sign = 0;
  while (length + 1 < LINE_MAX_BYTES && (sign = getc(file)) != EOF) {
    if (sign == '\r' || sign == '\n') break;
    line[length++] = (char)sign;
  }
  line[length] = 0;
  if (sign == '\r' && (sign = getc(file)) != '\n' && sign != EOF) ungetc(sign, file);
  return length == 0 && sign == EOF ? NULL : line;
}

static ht_status read_text(const char *path, FILE *file, ht_stl *surface) {
  char line[LINE_MAX_BYTES];
  long number = 0, corners = 0;
  int room = 0, ended = 0;
  while (next_line(line, file)) {
    float at[3];
    number++;
    if (number == 1) surface->space = ht_stl_space_of(line, strlen(line));
    if (line_begins(line, "endsolid")) ended = 1;
    if (line_begins(line, "endloop") && corners % 3)
      return bad_line(path, number, "a facet that is no triangle");
    int found = parse_vertex(line, at);
    if (found < 0) return bad_line(path, number, "a vertex needs three numbers");
    if (!found) continue;
    HT_TRY(add_corner(surface, &room, corners++, at));
  }
  surface->triangles = (int)(corners / 3);
  if (ended && corners % 3 == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: truncated: its text ends without \"endsolid\"; copy or export it again",
                 path);
}

/* ---- Both ---- */

/* Text begins with "solid", also after UTF-8's byte order mark; so do some binary files, which are
 * known by their length, with up to SPARE bytes more, and by signs that no text has. */
static int is_text(FILE *file, long long bytes) {
  enum { SPARE = 16, BEGIN = 512 };
  unsigned char head[BEGIN] = {0};
  size_t got = fread(head, 1, sizeof head, file);
  int mark = memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  rewind(file);
  if (strncasecmp((const char *)head + mark, "solid", 5) != 0) return 0;
  double over = (double)bytes - HEADER_BYTES - (double)TRIANGLE_BYTES * get32(head + 80);
  if (got < HEADER_BYTES || over < 0 || over > SPARE) return 1;
  return over != 0 && !memchr(head, 0, got);
}

ht_status ht_stl_check_corners(const char *path, ht_stl *surface) {
  float *value = (float *)surface->corner;
  if (surface->triangles == 0)
    return ht_fail(HT_ERR_FORMAT, "%s: it holds no triangles: not a surface, or an empty one",
                   path);
  for (long i = 0; i < 9l * surface->triangles; i++) {
    if (!(fabsf(value[i]) < 1e6f))
      return ht_fail(HT_ERR_FORMAT, "%s: triangle %ld has a corner at %g: damaged; export it again",
                     path, i / 9 + 1, (double)value[i]);
    if (surface->space == HT_STL_RAS && i % 3 < 2) value[i] = -value[i];
    value[i] += 0.f; /* -0 is 0: corners are compared by their bits */
  }
  return HT_OK;
}

ht_status ht_stl_read(const char *path, ht_stl *surface) {
  struct stat info;
  memset(surface, 0, sizeof *surface);
  FILE *file = ht_file_open(path);
  if (!file || fstat(fileno(file), &info) != 0) {
    if (file) fclose(file);
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot read: %s", path, ht_file_reason());
  }
  ht_status status = is_text(file, info.st_size) ? read_text(path, file, surface)
                                                 : read_binary(path, file, info.st_size, surface);
  fclose(file);
  if (status != HT_OK) ht_stl_free(surface);
  return status;
}
