#include "import/surface/surface_parts.h"
#include "core/disk/file.h"
#include "import/surface/formats/surface_read.h"
#include "import/surface/formats/surface_unit.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include "core/text/words.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* SimVascular's mesh-complete.exterior.vtp is the wall with its caps. */
static int says_wall(const char *path) {
  const char *name = ht_path_name(path);
  for (; *name; name++)
    if (strncasecmp(name, "wall", 4) == 0 || strncasecmp(name, "exterior", 8) == 0) return 1;
  return 0;
}

static int is_wall(const ht_path_list *files, int n) {
  int walls = 0;
  for (int i = 0; i < files->count; i++) walls += says_wall(files->path[i]);
  return walls ? says_wall(files->path[n]) : n == 0;
}

static ht_status join(ht_stl *wall, ht_stl *more, const char *path) {
  if (wall->corner && wall->space != more->space)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: its header gives other axes than that of the other part of the wall: "
                   "export both in the same way",
                   path);
  if (more->triangles > INT_MAX / 2 - wall->triangles)
    return ht_fail(HT_ERR_FORMAT, "%s: more triangles than can be counted", path);
  size_t count = (size_t)wall->triangles + (size_t)more->triangles;
  void *larger = realloc(wall->corner, count * sizeof *wall->corner);
  if (!larger) return ht_fail(HT_ERR_MEMORY, "not enough memory for the triangles");
  wall->corner = larger;
  memcpy(wall->corner[wall->triangles], more->corner,
         (size_t)more->triangles * sizeof *wall->corner);
  wall->triangles = (int)count;
  wall->space = more->space;
  return HT_OK;
}

/* Three corners in an order of their own, and the number of their triangle. */
typedef struct {
  float corner[3][3];
  int number;
} ordered_triangle;

static int by_corner(const void *left, const void *right) {
  return memcmp(left, right, sizeof(float[3]));
}

static int by_corners(const void *left, const void *right) {
  const ordered_triangle *a = left, *b = right;
  int order = memcmp(a->corner, b->corner, sizeof a->corner);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* A part may stand in another, too, as in SimVascular's walls_combined.vtp: keeps one of triangles
 * with the same corners. */
static ht_status drop_twins(ht_stl *wall) {
  ordered_triangle *all;
  int kept = 0;
  HT_TRY(ht_alloc((void **)&all, (size_t)wall->triangles, sizeof *all, "the surface's triangles"));
  for (int t = 0; t < wall->triangles; t++) {
    memcpy(all[t].corner, wall->corner[t], sizeof all[t].corner);
    qsort(all[t].corner, 3, sizeof *all[t].corner, by_corner);
    all[t].number = t;
  }
  qsort(all, (size_t)wall->triangles, sizeof *all, by_corners);
  char *is_twin = (char *)calloc((size_t)wall->triangles + 1, 1);
  for (int t = 1; is_twin && t < wall->triangles; t++)
    is_twin[all[t].number] = memcmp(all[t].corner, all[t - 1].corner, sizeof all->corner) == 0;
  free(all);
  if (!is_twin) return ht_fail(HT_ERR_MEMORY, "not enough memory for the triangles");
  for (int t = 0; t < wall->triangles; t++)
    if (!is_twin[t]) memmove(wall->corner[kept++], wall->corner[t], sizeof *wall->corner);
  wall->triangles = kept;
  free(is_twin);
  return HT_OK;
}

ht_status ht_surface_read_wall(const ht_path_list *files, ht_stl *wall) {
  memset(wall, 0, sizeof *wall);
  ht_status status = HT_OK;
  for (int i = 0; i < files->count && status == HT_OK; i++) {
    ht_stl part = {0};
    if (!is_wall(files, i)) continue;
    int joined = wall->triangles > 0;
    status = ht_surface_read(files->path[i], &part);
    if (status == HT_OK) status = join(wall, &part, files->path[i]);
    if (status == HT_OK && joined) status = drop_twins(wall);
    ht_stl_free(&part);
  }
  if (status != HT_OK) ht_stl_free(wall);
  return status;
}

static int count_walls(const ht_path_list *files, int *said) {
  int walls = 0;
  *said = 0;
  for (int i = 0; i < files->count; i++) {
    walls += is_wall(files, i);
    *said |= says_wall(files->path[i]);
  }
  return walls;
}

ht_status ht_surface_fail_wall(ht_status status, const ht_path_list *files) {
  int said, walls = count_walls(files, &said), first = 0;
  while (!is_wall(files, first)) first++;
  const char *path = files->path[first];
  if (walls > 1)
    return ht_fail(status,
                   "%s and %d more make the wall: %s. Where these files do not meet, join them in "
                   "that program",
                   path, walls - 1, ht_error_message());
  if (files->count > 1 && !said)
    return ht_fail(status,
                   "%s, which is taken for the wall, as the first of %d files of which none has "
                   "the word wall in its name: %s",
                   path, files->count, ht_error_message());
  return ht_fail_in(status, path);
}

/* ---- caps ---- */

/* The file's name without its ending. */
static void name_of(const char *path, char name[HT_NAME_MAX]) {
  char stem[HT_PATH_MAX];
  snprintf(stem, sizeof stem, "%s", ht_path_name(path));
  char *dot = strrchr(stem, '.');
  if (dot) *dot = 0;
  ht_text_copy(stem, name, HT_NAME_MAX);
}

static ht_role role_of(const char *name) {
  static const struct {
    const char *word;
    ht_role role;
  } words[] = {{"inlet", HT_ROLE_INLET},    {"inflow", HT_ROLE_INLET}, {"outlet", HT_ROLE_OUTLET},
               {"outflow", HT_ROLE_OUTLET}, {"in", HT_ROLE_INLET},     {"out", HT_ROLE_OUTLET}};
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    size_t length = strlen(words[w].word);
    if (strncasecmp(name, words[w].word, length) == 0 && !isalpha((unsigned char)name[length]))
      return words[w].role;
  }
  return HT_ROLE_NONE;
}

/* Finds the middle of a cap, weighted by area. */
static void find_middle(const ht_stl *cap, double middle[3]) {
  double total = 0;
  memset(middle, 0, 3 * sizeof *middle);
  for (int t = 0; t < cap->triangles; t++) {
    double u[3], v[3], n[3];
    for (int r = 0; r < 3; r++) {
      u[r] = (double)cap->corner[t][1][r] - cap->corner[t][0][r];
      v[r] = (double)cap->corner[t][2][r] - cap->corner[t][0][r];
    }
    ht_cross(u, v, n);
    double area = ht_length(n);
    total += area;
    for (int r = 0; r < 3; r++)
      middle[r] +=
          area * ((double)cap->corner[t][0][r] + cap->corner[t][1][r] + cap->corner[t][2][r]) / 3;
  }
  for (int r = 0; r < 3 && total > 0; r++) middle[r] /= total;
}

static ht_status name_end(const char *path, const double middle[3], ht_openings *ends) {
  const double slack_mm = 1;
  char name[HT_NAME_MAX];
  double nearest_mm = INFINITY;
  int nearest = -1;
  for (int e = 0; e < ends->count; e++) {
    double mm = ht_distance(ends->item[e].centre_mm, middle);
    if (mm < nearest_mm) nearest_mm = mm, nearest = e;
  }
  if (nearest < 0 || nearest_mm > ends->item[nearest].radius_mm + slack_mm)
    return ht_fail(
        HT_ERR_FORMAT,
        "%s: the cap lies at no end of the wall: its middle is [%.2f, %.2f, %.2f] mm, and "
        "the wall has %d end%s%s: give the caps of this wall, in its unit; a file is part "
        "of the wall where its name has the word wall",
        path, middle[0], middle[1], middle[2], ends->count, ends->count == 1 ? "" : "s",
        nearest < 0 ? "" : ", none nearer than its radius");
  name_of(path, name);
  if (ends->item[nearest].name[0])
    return ht_fail(HT_ERR_FORMAT, "%s: this cap and %s lie at the same end of the wall", path,
                   ends->item[nearest].name);
  for (int e = 0; e < ends->count; e++)
    if (strcmp(ends->item[e].name, name) == 0)
      return ht_fail(HT_ERR_FORMAT, "%s: two caps are called '%s': give them different names", path,
                     name);
  memcpy(ends->item[nearest].name, name, sizeof name);
  ends->item[nearest].role = role_of(name);
  return HT_OK;
}

/* Notes each end without a cap where there are caps. */
static void note_without_cap(const ht_path_list *files, const ht_openings *ends,
                             ht_import_notes *notes) {
  int said;
  if (count_walls(files, &said) == files->count) return;
  for (int e = 0; e < ends->count; e++) {
    const ht_opening *end = &ends->item[e];
    if (end->name[0]) continue;
    ht_import_note(notes,
                   "no file is the cap of the end at [%.2f, %.2f, %.2f] mm, %.3g mm wide: it is an "
                   "opening without a name",
                   end->centre_mm[0], end->centre_mm[1], end->centre_mm[2], 2 * end->radius_mm);
  }
}

ht_status ht_surface_name_ends(const ht_path_list *files, ht_surface_unit unit,
                               ht_import_notes *notes, ht_openings *ends) {
  for (int i = 0; i < files->count; i++) {
    ht_stl cap;
    double middle[3];
    if (is_wall(files, i)) continue;
    HT_TRY(ht_surface_read(files->path[i], &cap));
    find_middle(&cap, middle);
    ht_stl_free(&cap);
    for (int r = 0; r < 3; r++) middle[r] *= ht_surface_unit_mm(unit);
    HT_TRY(name_end(files->path[i], middle, ends));
  }
  note_without_cap(files, ends, notes);
  return HT_OK;
}
