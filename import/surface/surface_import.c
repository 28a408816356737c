#include "import/surface/surface_import.h"
#include "import/common/hollow.h"
#include "import/surface/surface_ends.h"
#include "import/surface/surface_holes.h"
#include "import/surface/surface_mask.h"
#include "import/surface/surface_parts.h"
#include "import/surface/formats/surface_read.h"
#include "import/surface/formats/surface_unit.h"
#include "core/numbers/vector3.h"
#include "core/disk/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- In words ---- */

/* "a surface of 12 triangles, 4 x 5 x 6 mm from [..] to [..] (LPS), closed: a vessel". */
static void describe(const ht_stl *surface, int holes, char note[512]) {
  char state[48] = "not closed";
  if (holes == 0) snprintf(state, sizeof state, "closed: a vessel");
  if (holes > 0)
    snprintf(state, sizeof state, "%d open end%s: a vessel", holes, holes == 1 ? "" : "s");
  double low[3], high[3];
  for (int a = 0; a < 3; a++) low[a] = high[a] = surface->corner[0][0][a];
  for (int t = 0; t < surface->triangles; t++)
    for (int c = 0; c < 3; c++)
      for (int a = 0; a < 3; a++) {
        low[a] = fmin(low[a], surface->corner[t][c][a]);
        high[a] = fmax(high[a], surface->corner[t][c][a]);
      }
  snprintf(note, 512,
           "a surface of %d triangles%s, %.4g x %.4g x %.4g mm from [%.2f, %.2f, %.2f] to [%.2f, "
           "%.2f, %.2f] (LPS), %s",
           surface->triangles,
           surface->unit == HT_UNIT_M    ? ", taken to be in metres"
           : surface->unit == HT_UNIT_CM ? ", taken to be in centimetres"
                                         : "",
           high[0] - low[0], high[1] - low[1], high[2] - low[2], low[0], low[1], low[2], high[0],
           high[1], high[2], state);
}

ht_status ht_surface_describe(const char *path, char note[512], ht_status *usable) {
  ht_stl surface;
  ht_openings holes = {0};
  int same_way;
  note[0] = 0;
  HT_TRY(ht_surface_read(path, &surface));
  int triangles = surface.triangles;
  *usable = ht_stl_to_mm(&surface, HT_UNIT_AUTO, NULL);
  int sized = *usable == HT_OK;
  if (*usable == HT_OK) *usable = ht_stl_close_holes(&surface, &holes);
  if (*usable == HT_OK) *usable = ht_stl_check_closed(&surface, &same_way);
  surface.triangles = triangles; /* those of the file */
  if (sized) describe(&surface, *usable == HT_OK ? holes.count : -1, note);
  ht_stl_free(&surface);
  return HT_OK;
}

/* ---- As a mask ---- */

static void note_surface(const ht_stl *surface, const ht_import_surface *how, int holes,
                         ht_import_notes *notes) {
  ht_import_note(notes, "a surface of %d triangles in %s, %s, became a mask of voxels of %.3g mm",
                 surface->triangles, ht_surface_unit_name(surface->unit),
                 surface->space == HT_STL_RAS   ? "in RAS by its header"
                 : surface->space == HT_STL_LPS ? "in LPS by its header"
                                                : "in LPS (3D Slicer's default: its header does "
                                                  "not give the axes)",
                 how->voxel_mm);
  int flat = how->ends.count - holes;
  if (flat > 0)
    ht_import_note(
        notes, "%d flat end%s of the surface: openings, unless the case lists planes of its own",
        flat, flat == 1 ? "" : "s");
}

/* The voxels of the mask resolve the thinnest vessel and the lattice. */
static ht_surface_voxels voxels_for(const ht_stl *surface, int same_way,
                                    const ht_import_surface *how) {
  ht_surface_voxels wanted = {.spacing_mm = how->spacing_mm, .lattice_mm = how->lattice_mm};
  if (wanted.spacing_mm > 0) return wanted;
  wanted.thin_mm = ht_stl_thin_mm(surface, same_way);
  double widest = 0;
  for (int i = 0; i < how->ends.count; i++) {
    wanted.thin_mm = fmin(wanted.thin_mm, 2 * how->ends.item[i].radius_mm);
    widest = fmax(widest, 2 * how->ends.item[i].radius_mm);
  }
  if (!(wanted.lattice_mm > 0) && how->nodes_across > 0)
    wanted.lattice_mm = widest / how->nodes_across;
  return wanted;
}

static int is_at_one(const ht_openings *holes, const ht_opening *end) {
  for (int h = 0; h < holes->count; h++)
    if (ht_distance(holes->item[h].centre_mm, end->centre_mm) <
        holes->item[h].radius_mm + end->radius_mm)
      return 1;
  return 0;
}

/* The open ends, and the flat ones that are not in the triangles that close these. */
static ht_status find_ends(const ht_stl *surface, int same_way, const ht_openings *holes,
                           ht_openings *ends) {
  ht_openings flat = {0};
  HT_TRY(ht_stl_flat_ends(surface, same_way, &flat));
  *ends = *holes;
  for (int e = 0; e < flat.count; e++)
    if (!is_at_one(holes, &flat.item[e]) && !ht_openings_insert(ends, &flat.item[e]))
      return ht_fail(HT_ERR_OPENINGS,
                     "the surface has more than %d ends: close those that are no openings",
                     HT_OPENINGS_MAX);
  return HT_OK;
}

/* A shell within a shell of the same direction: the inner one would be lost in the outer. Where
 * each passage changes sides, what lies between them is a hollow wall. */
static ht_status check_shells(const ht_stl *surface, const ht_surface_voxels *wanted) {
  ht_mask between;
  ht_status status = ht_stl_mask(surface, 0, wanted, &between);
  if (status != HT_OK) return status == HT_ERR_VESSEL ? HT_OK : status; /* nothing lies between */
  status = ht_hollow_check("two closed surfaces, one in the other", &between);
  ht_mask_free(&between);
  return status;
}

static ht_status surface_to_mask(ht_stl *surface, ht_import_surface *how, ht_import_notes *notes,
                                 ht_mask *mask) {
  ht_openings holes = {0};
  int same_way;
  HT_TRY(ht_stl_to_mm(surface, how->unit, notes));
  HT_TRY(ht_stl_close_holes(surface, &holes));
  HT_TRY(ht_stl_check_closed(surface, &same_way));
  HT_TRY(find_ends(surface, same_way, &holes, &how->ends));
  if (holes.count > 0)
    ht_import_note(notes,
                   "%d open end%s of the surface: closed, and openings, unless the case lists "
                   "planes of its own",
                   holes.count, holes.count == 1 ? "" : "s");
  const ht_surface_voxels wanted = voxels_for(surface, same_way, how);
  HT_TRY(ht_stl_mask(surface, same_way, &wanted, mask));
  if (same_way) HT_TRY(check_shells(surface, &wanted));
  how->voxel_mm = mask->grid.spacing_mm[0];
  note_surface(surface, how, holes.count, notes);
  return HT_OK;
}

/* The file, and those of `more`. */
static ht_status list_parts(const char *path, const char *more, ht_path_list *parts) {
  char one[HT_PATH_MAX];
  HT_TRY(ht_path_list_add(parts, path));
  for (const char *at = more ? more : ""; *at; at += strspn(at, "\n")) {
    int length = (int)strcspn(at, "\n");
    snprintf(one, sizeof one, "%.*s", length, at);
    if (!ht_surface_named(one) || !ht_surface_named(path))
      return ht_fail(HT_ERR_FORMAT,
                     "%s: several files make one vessel only where all are surfaces (%s)",
                     ht_surface_named(one) ? path : one, HT_SURFACE_ENDINGS);
    for (int i = 0; i < parts->count; i++)
      if (strcmp(parts->path[i], one) == 0)
        return ht_fail(HT_ERR_FORMAT, "%s is given twice: name each file of the surface once", one);
    HT_TRY(ht_path_list_add(parts, one));
    at += length;
  }
  return HT_OK;
}

static ht_status read_parts(const ht_path_list *parts, ht_import_surface *how,
                            ht_import_notes *notes, ht_path_list *files, ht_mask *mask) {
  ht_stl surface;
  HT_TRY(ht_surface_read_wall(parts, &surface));
  ht_status status = surface_to_mask(&surface, how, notes, mask);
  if (status != HT_OK) status = ht_surface_fail_wall(status, parts);
  if (status == HT_OK) status = ht_surface_name_ends(parts, surface.unit, notes, &how->ends);
  for (int i = 0; i < parts->count && status == HT_OK && files; i++)
    status = ht_path_list_add(files, parts->path[i]);
  if (status == HT_OK && how->triangles) {
    *how->triangles = (ht_triangles){.count = surface.triangles, .corner = surface.corner};
    surface.corner = NULL;
  }
  ht_stl_free(&surface);
  if (status != HT_OK) ht_mask_free(mask);
  return status;
}

ht_status ht_surface_vessel(const char *path, ht_import_surface *how, ht_import_notes *notes,
                            ht_path_list *files, ht_mask *mask) {
  ht_import_surface own = {.unit = HT_UNIT_AUTO};
  ht_path_list parts = {0};
  if (!how) how = &own;
  ht_status status = list_parts(path, how->more, &parts);
  if (status == HT_OK) status = read_parts(&parts, how, notes, files, mask);
  ht_path_list_free(&parts);
  return status;
}

ht_status ht_import_triangles(const char *path, ht_triangles *triangles) {
  ht_stl surface;
  memset(triangles, 0, sizeof *triangles);
  HT_TRY(ht_surface_read(path, &surface));
  *triangles = (ht_triangles){.count = surface.triangles, .corner = surface.corner};
  return HT_OK;
}

ht_status ht_triangles_fill(const ht_triangles *triangles, ht_mask *mask) {
  const ht_stl surface = {.triangles = triangles->count, .corner = triangles->corner};
  int same_way;
  HT_TRY(ht_stl_check_closed(&surface, &same_way));
  return ht_stl_fill_mask(&surface, same_way, mask);
}
