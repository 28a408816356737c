#include "result_files.h"
#include "file.h"
#include <string.h>

enum { HEADER_BYTES = 80, TRIANGLE_BYTES = 50 };

static void put32(uint32_t value, unsigned char *to) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> 8 * i);
}

/* Little-endian: a normal of 0 (the corners tell it), the corners, two bytes of 0. */
static void put_triangle(const float corner[3][3], unsigned char to[TRIANGLE_BYTES]) {
  memset(to, 0, TRIANGLE_BYTES);
  for (int i = 0; i < 9; i++) {
    uint32_t bits;
    memcpy(&bits, &corner[i / 3][i % 3], sizeof bits);
    put32(bits, to + 12 + 4 * i);
  }
}

ht_status ht_export_triangles(const char *path, const ht_triangles *triangles) {
  unsigned char head[HEADER_BYTES + 4] = "hemotile; SPACE=LPS; UNIT=mm", one[TRIANGLE_BYTES];
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  put32((uint32_t)triangles->count, head + HEADER_BYTES);
  fwrite(head, 1, sizeof head, output.stream);
  for (int t = 0; t < triangles->count; t++) {
    put_triangle((const float(*)[3])triangles->corner[t], one);
    fwrite(one, 1, sizeof one, output.stream);
  }
  return ht_output_commit(&output);
}
