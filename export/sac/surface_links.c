#include "export/sac/sac.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t key; /* the edge's smaller point, then its larger one */
  int32_t edge;
} half_edge;

static int by_key(const void *a, const void *b) {
  uint64_t x = ((const half_edge *)a)->key, y = ((const half_edge *)b)->key;
  return (x > y) - (x < y);
}

static half_edge half_edge_of(const ht_surface *surface, int64_t edge) {
  const int32_t *corner = surface->triangle + edge / 3 * 3;
  uint32_t a = (uint32_t)corner[edge % 3], b = (uint32_t)corner[(edge + 1) % 3];
  uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
  return (half_edge){key, (int32_t)edge};
}

ht_status ht_surface_links_make(const ht_surface *surface, ht_surface_links *links) {
  half_edge *list = NULL;
  memset(links, 0, sizeof *links);
  if (surface->triangles > INT32_MAX / 3)
    return ht_fail(HT_ERR_INTERNAL, "the wall's surface has too many triangles for a sac");
  links->edges = 3 * surface->triangles;
  size_t edges = (size_t)links->edges;
  HT_TRY(ht_alloc((void **)&links->mate, edges, sizeof(int32_t), "the surface's edges"));
  HT_TRY(ht_alloc((void **)&list, edges, sizeof *list, "the surface's edges"));
  for (int64_t e = 0; e < links->edges; e++) {
    list[e] = half_edge_of(surface, e);
    links->mate[e] = -1;
  }
  qsort(list, edges, sizeof *list, by_key);
  for (size_t n = 0; n + 1 < edges; n++) {
    if (list[n].key != list[n + 1].key) continue;
    links->mate[list[n].edge] = list[n + 1].edge;
    links->mate[list[n + 1].edge] = list[n].edge;
  }
  free(list);
  return HT_OK;
}

void ht_surface_links_free(ht_surface_links *links) {
  if (!links) return;
  free(links->mate);
  memset(links, 0, sizeof *links);
}
