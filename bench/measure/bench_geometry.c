#include "bench/measure/bench_geometry.h"
#include "solver/lattice/device_memory.h"
#include "core/disk/file.h"
#include "phantom/geometry.h"
#include "core/text/words.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "import/import.h"
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Approximate number of fluid nodes of a channel, which gives its length. */
static const double channel_nodes = 1e6;

static const ht_bench_geometry geometries[] = {
    {.name = "cavity",
     .what = "a full cube",
     .kind = HT_BENCH_CAVITY,
     .standard = 1,
     .dim = {256, 256, 256},
     .porosity = 1},
    {.name = "vessels",
     .what = "bent tubes, radius 25 to 45, like a cerebral aneurysm's vessels",
     .kind = HT_BENCH_TUBES,
     .standard = 1,
     .dim = {730, 342, 334},
     .porosity = 0.175,
     .radius = {25, 45}},
    {.name = "vessels-small",
     .what = "bent tubes, radius 9 to 13, as small as an aorta with coarctation",
     .kind = HT_BENCH_TUBES,
     .standard = 1,
     .dim = {93, 161, 442},
     .porosity = 0.094,
     .radius = {9, 13}},
    {.name = "spheres",
     .what = "the space between solid spheres of radius 20",
     .kind = HT_BENCH_SPHERES,
     .standard = 1,
     .dim = {192, 192, 192},
     .porosity = 0.2,
     .radius = {20, 20}},
    {.name = "square-channel",
     .what = "a channel of 1e6 nodes, --size nodes wide (4 to 128)",
     .kind = HT_BENCH_SQUARE,
     .dim = {16, 16, 0},
     .porosity = 1},
    {.name = "round-channel",
     .what = "the same with a circle for a section",
     .kind = HT_BENCH_CIRCLE,
     .dim = {16, 16, 0},
     .porosity = 1},
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

const ht_bench_geometry *ht_bench_geometry_number(int number) {
  return number < GEOMETRIES ? &geometries[number] : NULL;
}

/* ---- which one ---- */

static ht_status unknown(const char *name) {
  char list[256] = "";
  for (int i = 0; i < GEOMETRIES; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
             geometries[i].name);
  return ht_fail(HT_ERR_USAGE, "there is no geometry '%s'; allowed is %s, or --mask FILE", name,
                 list);
}

static int is_channel(const ht_bench_geometry *geometry) {
  return geometry->kind == HT_BENCH_SQUARE || geometry->kind == HT_BENCH_CIRCLE;
}

static int longest(const int dim[3]) {
  int most = dim[0] > dim[1] ? dim[0] : dim[1];
  return most > dim[2] ? most : dim[2];
}

/* Vessels are scaled with the box. So are spheres in a box that is too small for their radius; a
 * larger box holds more spheres. */
static void resize(ht_bench_geometry *geometry, int size) {
  double factor = (double)size / longest(geometry->dim);
  for (int a = 0; a < 3; a++) {
    double side = round(geometry->dim[a] * factor);
    geometry->dim[a] = side < 1 ? 1 : (int)side;
  }
  if (geometry->kind == HT_BENCH_SPHERES && factor > 0.5) factor = 1;
  for (int i = 0; i < 2; i++) geometry->radius[i] *= factor;
  for (int i = 0; i < 2; i++)
    if (geometry->radius[i] < 1.5) geometry->radius[i] = 1.5;
}

static ht_status resize_channel(ht_bench_geometry *geometry, int size) {
  if (size < 4 || size > 128)
    return ht_fail(HT_ERR_USAGE, "--size of a channel is %d; allowed is 4 to 128", size);
  double area = (double)ht_geometry_channel_section(size, geometry->kind == HT_BENCH_CIRCLE);
  geometry->dim[0] = geometry->dim[1] = size;
  geometry->dim[2] = (int)round(channel_nodes / area);
  return HT_OK;
}

static void name_it(ht_bench_geometry *geometry) {
  if (geometry->kind == HT_BENCH_SPHERES)
    snprintf(geometry->label, sizeof geometry->label, "%s-%g", geometry->name, geometry->porosity);
  else if (geometry->kind == HT_BENCH_TUBES)
    snprintf(geometry->label, sizeof geometry->label, "%s", geometry->name);
  else
    snprintf(geometry->label, sizeof geometry->label, "%s-%d", geometry->name, geometry->dim[0]);
}

static ht_status adapt(ht_bench_geometry *geometry, int size, double porosity) {
  if (is_channel(geometry))
    HT_TRY(resize_channel(geometry, size ? size : geometry->dim[0]));
  else if (size)
    resize(geometry, size);
  if (porosity > 0 && geometry->porosity < 1) geometry->porosity = porosity;
  name_it(geometry);
  return HT_OK;
}

ht_status ht_bench_geometry_choose(const char *name, int size, double porosity, uint64_t seed,
                                   ht_bench_geometry *geometry) {
  memset(geometry, 0, sizeof *geometry);
  for (int i = 0; i < GEOMETRIES; i++) {
    if (strcmp(geometries[i].name, name) != 0) continue;
    *geometry = geometries[i];
    geometry->seed = seed;
    return adapt(geometry, size, porosity);
  }
  return unknown(name);
}

#ifdef HEMOTILE_HAVE_IMAGING
static ht_status check_mask_file(const char *path) {
  if (ht_file_exists(path)) return HT_OK;
  return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file", path);
}
#else
static ht_status check_mask_file(const char *path) {
  return ht_fail(HT_ERR_USAGE,
                 "--mask %s: this hemotile reads no mask files (it was built with "
                 "HEMOTILE_IMAGING=OFF); take one that was built with imaging, or a geometry of "
                 "`hemotile bench --list`",
                 path);
}
#endif

ht_status ht_bench_geometry_of_file(const char *path, ht_bench_geometry *geometry) {
  const char *slash = strrchr(path, '/');
  memset(geometry, 0, sizeof *geometry);
  HT_TRY(check_mask_file(path));
  geometry->name = "mask";
  geometry->what = "a mask file";
  geometry->kind = HT_BENCH_FILE;
  geometry->file = path;
  snprintf(geometry->label, sizeof geometry->label, "%.31s", slash ? slash + 1 : path);
  geometry->label[strcspn(geometry->label, ".")] = 0;
  return HT_OK;
}

void ht_bench_geometry_tile(ht_bench_geometry *geometry, ht_tile_order order, int corner) {
  size_t used = strlen(geometry->label);
  geometry->order = order;
  geometry->corner = corner;
  snprintf(geometry->label + used, sizeof geometry->label - used, "%s%s%s", corner ? " corner" : "",
           order ? " " : "", order ? ht_tile_order_words[order] : "");
}

/* Shrinks to odd sizes, so that walls cut tiles. For a mask file, vessels are checked instead. */
void ht_bench_geometry_shrink(const ht_bench_geometry *large, ht_bench_geometry *small) {
  static const int small_dim[] = {41, 37, 34};
  *small = *large;
  if (large->kind == HT_BENCH_FILE) *small = geometries[2];
  if (small->porosity < 1) small->porosity = 0.4;
  memcpy(small->dim, small_dim, sizeof small_dim);
  small->order = large->order;
  small->corner = large->corner;
  if (is_channel(large)) small->dim[0] = small->dim[1] = 13;
  small->radius[0] = 4;
  small->radius[1] = 7;
  name_it(small);
}

/* ---- making it ---- */

static ht_status read_mask(const char *path, ht_mask *mask) {
#ifdef HEMOTILE_HAVE_IMAGING
  return ht_import_mask(path, mask);
#else
  (void)mask;
  return check_mask_file(path);
#endif
}

/* One byte per voxel and the tiles' tables: refused before the machine swaps if this is too much.
 */
static ht_status check_memory(const ht_bench_geometry *geometry) {
  ht_device_memory host;
  double voxels = 1.0 * geometry->dim[0] * geometry->dim[1] * geometry->dim[2];
  /* A byte of the mask, the map of tiles, and a tile's tables: 208 bytes for 64 nodes. */
  double needed = voxels * (1 + 4.0 / 64 + 208.0 / 64 * geometry->porosity);
  HT_TRY(ht_device_memory_describe(HT_DEVICE_CPU, &host));
  if (host.available_bytes == 0 || needed < (double)host.available_bytes) return HT_OK;
  return ht_fail(HT_ERR_MEMORY,
                 "%s of %d x %d x %d voxels needs about %s for its mask and tiles, of which "
                 "%s are free; choose a smaller --size",
                 geometry->name, geometry->dim[0], geometry->dim[1], geometry->dim[2],
                 ht_memory_words(needed).text, ht_memory_words((double)host.available_bytes).text);
}

ht_status ht_bench_geometry_mask(const ht_bench_geometry *g, ht_mask *mask) {
  if (g->kind == HT_BENCH_FILE) return read_mask(g->file, mask);
  HT_TRY(check_memory(g));
  switch (g->kind) {
  case HT_BENCH_TUBES:
    return ht_geometry_tubes(g->dim, g->radius, g->porosity, g->seed, mask);
  case HT_BENCH_SPHERES:
    return ht_geometry_spheres(g->dim, g->radius[0], g->porosity, g->seed, mask);
  case HT_BENCH_SQUARE:
  case HT_BENCH_CIRCLE:
    return ht_geometry_channel(g->dim[0], g->dim[2], g->kind == HT_BENCH_CIRCLE, mask);
  default:
    return ht_geometry_box(g->dim, mask);
  }
}

ht_status ht_bench_domain_make(const ht_bench_geometry *geometry, ht_bench_domain *domain) {
  memset(domain, 0, sizeof *domain);
  HT_TRY(ht_bench_geometry_mask(geometry, &domain->mask));
  ht_tiling_options options = {.fixed_origin = geometry->corner, .order = geometry->order};
  ht_status status = ht_tiling_build(&domain->mask, &options, &domain->tiling);
  if (status != HT_OK) {
    ht_bench_domain_free(domain);
    return status;
  }
  domain->geometry = *geometry;
  domain->porosity = (double)domain->tiling.nodes / (double)ht_grid_voxels(&domain->mask.grid);
  return HT_OK;
}

void ht_bench_domain_free(ht_bench_domain *domain) {
  if (!domain) return;
  ht_tiling_free(&domain->tiling);
  ht_mask_free(&domain->mask);
  memset(domain, 0, sizeof *domain);
}
