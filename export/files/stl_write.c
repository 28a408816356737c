#include "export/files/result_files.h"
#include "core/disk/file.h"
#include <string.h>

enum { HEADER_BYTES = 80, TRIANGLE_BYTES = 50 };

static void put32(uint32_t value, unsigned char *to) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> 8 * i);
}

/* Writes a triangle, little-endian: a zero normal (readers derive it from the corners), the
 * corners, two zero bytes. */
static void put_triangle(const float corner[3][3], unsigned char to[TRIANGLE_BYTES]) {
  memset(to, 0, TRIANGLE_BYTES);
  for (int i = 0; i < 9; i++) {
    uint32_t bits;
    memcpy(&bits, &corner[i / 3][i % 3], sizeof bits);
    put32(bits, to + 12 + 4 * i);
  }
}

static void put_head(uint32_t triangles, FILE *stream) {
  unsigned char head[HEADER_BYTES + 4] = "hemotile; SPACE=LPS; UNIT=mm";
  put32(triangles, head + HEADER_BYTES);
  fwrite(head, 1, sizeof head, stream);
}

ht_status ht_export_triangles(const char *path, const ht_triangles *triangles) {
  unsigned char one[TRIANGLE_BYTES];
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  put_head((uint32_t)triangles->count, output.stream);
  for (int t = 0; t < triangles->count; t++) {
    put_triangle((const float(*)[3])triangles->corner[t], one);
    fwrite(one, 1, sizeof one, output.stream);
  }
  return ht_output_commit(&output);
}

ht_status ht_export_wall_stl(const char *path, const ht_surface *surface) {
  unsigned char one[TRIANGLE_BYTES];
  float corner[3][3];
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  put_head((uint32_t)surface->triangles, output.stream);
  for (int64_t t = 0; t < surface->triangles; t++) {
    for (int i = 0; i < 3; i++)
      memcpy(corner[i], surface->point_mm + 3 * (int64_t)surface->triangle[3 * t + i],
             sizeof corner[i]);
    put_triangle((const float(*)[3])corner, one);
    fwrite(one, 1, sizeof one, output.stream);
  }
  return ht_output_commit(&output);
}
