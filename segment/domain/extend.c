#include "segment/domain/extend.h"
#include "segment/shape/flood.h"
#include "segment/domain/sweep.h"
#include "segment/domain/sweep_surface.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of the map while extensions grow: the owner of each voxel. */
enum { EXTENSION_OF = 2, STUMP = 127, VESSEL_OF = 128 };

enum { FEWEST_LAYERS = HT_SWEEP_FEWEST_LAYERS };

/* Largest volume of a stump, parts of the opening's section times its radius. */
static const double stump = 0.1;

typedef struct {
  ht_mask *mask; /* padded; 0, HT_VESSEL, EXTENSION_OF + id, VESSEL_OF + id */
  int sweeps;
  ht_sweep sweep[HT_OPENINGS_MAX];
  ht_openings openings;  /* a copy: the normal may replace a direction */
  const ht_sweep *stuck; /* the extension that has no room; NULL: none */
} builder;

void ht_extend_defaults(ht_extend_options *options) {
  *options = (ht_extend_options){.inlet_diameters = 1, .outlet_diameters = 1};
}

/* ---- growing ---- */

static int layer_pixels(const ht_sweep *s) {
  return s->section.size[0] * s->section.size[1];
}

static int is_beyond(const ht_sweep *s, const int at[3]) {
  const double index[3] = {at[0], at[1], at[2]};
  return ht_sweep_beyond(s, index) > HT_PLANE_SLACK / 2;
}

/* The first foreign voxel among a voxel and its 26 neighbours; -1: none. */
static int64_t foreign_near(const builder *b, const ht_sweep *s, const int at[3]) {
  const int *dim = b->mask->grid.dim;
  for (int k = 0; k < 27; k++) {
    const int near[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
    if (!ht_voxel_in_grid(dim, near)) continue;
    int64_t voxel = ht_voxel_index(dim, near);
    uint8_t value = b->mask->inside[voxel];
    if (value && value != EXTENSION_OF + s->id && value != VESSEL_OF + s->id) return voxel;
  }
  return -1;
}

/* Puts the shape of layer `like` into layer w where there is nothing. Where it would touch foreign
 * voxels, *foreign is one of them, and nothing is done; else it is -1. */
static ht_status put_shape(builder *b, const ht_sweep *s, int w, int like, int64_t *foreign) {
  int low[2], at[3], pixels = layer_pixels(s);
  const int *dim = b->mask->grid.dim;
  *foreign = -1;
  HT_TRY(ht_sweep_shape(s, like));
  ht_sweep_window(s, like, low);
  for (int pass = 0; pass < 2 && *foreign < 0; pass++) {
    for (int n = 0; n < pixels && *foreign < 0; n++) {
      ht_sweep_voxel(s, w, low, n, at);
      if (!s->shape[n] || !is_beyond(s, at)) continue;
      int64_t voxel = ht_voxel_index(dim, at);
      if (b->mask->inside[voxel] == VESSEL_OF + s->id) continue;
      if (pass)
        b->mask->inside[voxel] = (uint8_t)(EXTENSION_OF + s->id);
      else
        *foreign = foreign_near(b, s, at);
    }
  }
  return HT_OK;
}

/* Marks the piece of the vessel beyond the plane that holds the first voxel of the stack, which
 * then lists it; *is_stump: it is small, and no other opening's vessel is in it. */
static ht_status mark_stump(builder *b, const ht_sweep *s, ht_stack *piece, int *is_stump) {
  const double radius = s->opening->radius_mm / b->mask->grid.spacing_mm[0];
  const double most = stump * radius * (double)s->section.count;
  const int *dim = b->mask->grid.dim;
  *is_stump = 0;
  for (int64_t n = 0; n < (int64_t)piece->count; n++) {
    int from[3], at[3];
    if ((double)piece->count > most) return HT_OK;
    ht_voxel_place(dim, piece->item[n], from);
    for (int k = 0; k < 27; k++) {
      for (int a = 0, rest = k; a < 3; a++, rest /= 3) at[a] = from[a] + rest % 3 - 1;
      if (!ht_voxel_in_grid(dim, at) || !is_beyond(s, at)) continue;
      int64_t voxel = ht_voxel_index(dim, at);
      uint8_t *value = &b->mask->inside[voxel];
      if (*value >= VESSEL_OF && *value != VESSEL_OF + s->id) return HT_OK;
      if (*value != HT_VESSEL) continue;
      *value = STUMP;
      HT_TRY(ht_stack_push(piece, voxel));
    }
  }
  *is_stump = 1;
  return HT_OK;
}

/* Removes a stump in the way of an extension: the cut at the plane takes the vessel beyond it, but
 * not a bulge of its wall that crosses the plane beside the section. *removed is 0 where the
 * foreign voxel is part of more. */
static ht_status remove_stump(builder *b, const ht_sweep *s, int64_t foreign, int *removed) {
  int at[3];
  ht_stack piece = {0};
  *removed = 0;
  ht_voxel_place(b->mask->grid.dim, foreign, at);
  if (b->mask->inside[foreign] != HT_VESSEL || !is_beyond(s, at)) return HT_OK;
  HT_TRY(ht_stack_push(&piece, foreign));
  b->mask->inside[foreign] = STUMP;
  ht_status status = mark_stump(b, s, &piece, removed);
  for (int64_t n = 0; n < (int64_t)piece.count; n++)
    b->mask->inside[piece.item[n]] = *removed ? HT_SOLID : HT_VESSEL;
  free(piece.item);
  return status;
}

/* Puts the shape as put_shape does, past stumps. */
static ht_status put_layer(builder *b, const ht_sweep *s, int w, int like, int64_t *foreign) {
  int removed = 1;
  while (removed) {
    HT_TRY(put_shape(b, s, w, like, foreign));
    removed = 0;
    if (*foreign >= 0) HT_TRY(remove_stump(b, s, *foreign, &removed));
  }
  return HT_OK;
}

static void erase_layer(builder *b, const ht_sweep *s, int w) {
  int low[2], at[3], pixels = layer_pixels(s);
  const int *dim = b->mask->grid.dim;
  ht_sweep_window(s, w, low);
  for (int n = 0; n < pixels; n++) {
    ht_sweep_voxel(s, w, low, n, at);
    if (!ht_voxel_in_grid(dim, at)) continue;
    uint8_t *value = &b->mask->inside[ht_voxel_index(dim, at)];
    if (*value == EXTENSION_OF + s->id) *value = 0;
  }
}

static ht_status blocked(builder *b, const ht_sweep *s, int64_t voxel) {
  const ht_opening *opening = s->opening;
  const uint8_t foreign = b->mask->inside[voxel];
  char what[2 * HT_NAME_MAX + 64] = "another part of the vessel";
  int is_extension = foreign >= EXTENSION_OF && foreign < VESSEL_OF;
  if (foreign >= EXTENSION_OF)
    snprintf(what, sizeof what, "%s '%s'",
             is_extension ? "the extension of the opening" : "the vessel at the opening",
             b->sweep[foreign - (is_extension ? EXTENSION_OF : VESSEL_OF)].opening->name);
  b->stuck = s;
  return ht_fail(
      HT_ERR_OPENINGS,
      "the straight extension of the opening '%s' (%.1f, %.1f, %.1f) runs into %s before "
      "it is %d voxels long: move the region's border or the opening's plane to where "
      "the vessels are apart, or give %s the role wall",
      opening->name, opening->centre_mm[0], opening->centre_mm[1], opening->centre_mm[2], what,
      FEWEST_LAYERS, is_extension ? "one of the two" : "this opening");
}

/* All extensions grow a layer at a time, so that of two that meet neither is preferred. */
static ht_status grow(builder *b) {
  int growing = b->sweeps, stopped[HT_OPENINGS_MAX] = {0};
  for (int step = 0; growing > 0; step++) {
    for (int i = 0; i < b->sweeps; i++) {
      ht_sweep *s = &b->sweep[i];
      int64_t foreign = -1;
      int w = s->first + step;
      if (stopped[i]) continue;
      if (w <= s->last) HT_TRY(put_layer(b, s, w, w, &foreign));
      if (foreign >= 0 && w < s->full + FEWEST_LAYERS) return blocked(b, s, foreign);
      stopped[i] = foreign >= 0 || w >= s->last;
      growing -= stopped[i];
      if (foreign >= 0) s->last = w - 1;
    }
  }
  return HT_OK;
}

/* The port's layer is that before it, moved straight along the axis: so each of its nodes has one
 * inside of it. */
static ht_status straighten_end(builder *b, ht_sweep *s) {
  int64_t foreign = -1;
  for (; s->last >= s->full + FEWEST_LAYERS - 1; s->last--) {
    erase_layer(b, s, s->last);
    HT_TRY(put_layer(b, s, s->last, s->last - 1, &foreign));
    if (foreign < 0) return HT_OK;
  }
  return blocked(b, s, foreign);
}

static int fluid_sides(const ht_mask *mask, const int at[3]) {
  int fluid = 0;
  for (int k = 0; k < 6; k++) {
    int near[3] = {at[0], at[1], at[2]};
    near[k / 2] += k % 2 ? 1 : -1;
    fluid += ht_voxel_in_grid(mask->grid.dim, near) &&
             mask->inside[ht_voxel_index(mask->grid.dim, near)] != 0;
  }
  return fluid;
}

/* The layers that the cut plane crosses may end in single voxels: they are removed. */
static void trim_start(builder *b, const ht_sweep *s) {
  int low[2], at[3], trimmed = 1;
  while (trimmed) {
    trimmed = 0;
    for (int w = s->first; w < s->full; w++) {
      ht_sweep_window(s, w, low);
      for (int n = 0; n < layer_pixels(s); n++) {
        ht_sweep_voxel(s, w, low, n, at);
        if (!ht_voxel_in_grid(b->mask->grid.dim, at)) continue;
        uint8_t *value = &b->mask->inside[ht_voxel_index(b->mask->grid.dim, at)];
        if (*value != EXTENSION_OF + s->id || fluid_sides(b->mask, at) >= 2) continue;
        *value = 0;
        trimmed = 1;
      }
    }
  }
}

/* ---- the padded grid ---- */

/* Widens [low, high] by the reach of a sweep's layers: the section moved there, and two pixels of
 * tolerance at its rim. */
static void cover(const ht_sweep *s, int low[3], int high[3]) {
  const int slack = HT_SECTION_REACH - 2;
  for (int end = 0; end < 2; end++) {
    int corner[2], w = end ? s->last : s->first, at = s->sign * w;
    ht_sweep_window(s, w, corner);
    if (at < low[s->axis]) low[s->axis] = at;
    if (at > high[s->axis]) high[s->axis] = at;
    for (int k = 0; k < 2; k++) {
      int a = s->across[k], from = corner[k] + slack;
      int to = corner[k] + s->section.size[k] - slack;
      if (from < low[a]) low[a] = from;
      if (to > high[a]) high[a] = to;
    }
  }
}

static void copy_rows(const ht_mask *mask, const int pad[3], ht_mask *padded) {
  const int *dim = mask->grid.dim;
  for (int z = 0; z < dim[2]; z++) {
    for (int y = 0; y < dim[1]; y++) {
      const int to[3] = {pad[0], y + pad[1], z + pad[2]};
      const uint8_t *from = mask->inside + (int64_t)dim[0] * (y + (int64_t)dim[1] * z);
      uint8_t *row = padded->inside + ht_voxel_index(padded->grid.dim, to);
      for (int x = 0; x < dim[0]; x++) row[x] = from[x] ? HT_VESSEL : HT_SOLID;
    }
  }
}

/* The mask on a grid with room for all extensions and a layer of solid on every side. */
static ht_status pad_mask(const ht_mask *mask, builder *b) {
  int low[3] = {0, 0, 0}, high[3], pad[3];
  double origin[3];
  ht_grid grid = mask->grid;
  for (int a = 0; a < 3; a++) high[a] = grid.dim[a] - 1;
  for (int i = 0; i < b->sweeps; i++) cover(&b->sweep[i], low, high);
  for (int a = 0; a < 3; a++) {
    origin[a] = low[a] - 1;
    pad[a] = 1 - low[a];
    grid.dim[a] = high[a] - low[a] + 3;
  }
  ht_grid_position(&mask->grid, origin, grid.origin_mm);
  HT_TRY(ht_grid_check(&grid));
  HT_TRY(ht_mask_alloc(&grid, b->mask));
  copy_rows(mask, pad, b->mask);
  for (int i = 0; i < b->sweeps; i++) ht_sweep_move(&b->sweep[i], pad);
  return HT_OK;
}

/* ---- the vessel at each opening ---- */

/* Tells whether a voxel is on the inner side of the plane and near the section, where the first
 * layers may touch it. For a plane through a layer of voxels this is the layer, else all within a
 * voxel's diagonal. */
static int is_behind(const ht_sweep *s, const int at[3], double rim) {
  const double index[3] = {at[0], at[1], at[2]};
  double beyond = ht_sweep_beyond(s, index), layers = s->sign * at[s->axis] - s->home;
  if (beyond < (s->depth > 0 ? -1.8 : -0.5) || beyond > 0.5) return 0;
  return ht_section_at(&s->section, at[s->across[0]] - s->slope[0] * layers,
                       at[s->across[1]] - s->slope[1] * layers) > rim;
}

static ht_status claim(builder *b, const ht_sweep *s, const int at[3], double rim, ht_stack *todo) {
  const int *dim = b->mask->grid.dim;
  if (!ht_voxel_in_grid(dim, at)) return HT_OK;
  int64_t voxel = ht_voxel_index(dim, at);
  if (b->mask->inside[voxel] != HT_VESSEL || !is_behind(s, at, rim)) return HT_OK;
  b->mask->inside[voxel] = (uint8_t)(VESSEL_OF + s->id);
  return ht_stack_push(todo, voxel);
}

/* The vessel's voxels within the section. */
static ht_status claim_section(builder *b, const ht_sweep *s, ht_stack *todo) {
  const ht_section *section = &s->section;
  for (int n = 0; n < layer_pixels(s); n++) {
    double middle[3];
    int at[3];
    if (!section->inside[n]) continue;
    ht_sweep_meet(s, section->low[0] + n % section->size[0], section->low[1] + n / section->size[0],
                  middle);
    for (int k = 0; k < 125; k++) {
      for (int a = 0, rest = k; a < 3; a++, rest /= 5)
        at[a] = (int)lround(middle[a]) + rest % 5 - 2;
      HT_TRY(claim(b, s, at, 0, todo));
    }
  }
  return HT_OK;
}

/* Marks the voxels connected with it close to the plane. */
static ht_status claim_around(builder *b, const ht_sweep *s, ht_stack *todo) {
  while (todo->count > 0) {
    int from[3], at[3];
    ht_voxel_place(b->mask->grid.dim, todo->item[--todo->count], from);
    for (int k = 0; k < 27; k++) {
      for (int a = 0, rest = k; a < 3; a++, rest /= 3) at[a] = from[a] + rest % 3 - 1;
      HT_TRY(claim(b, s, at, 1 - HT_SECTION_REACH, todo));
    }
  }
  return HT_OK;
}

/* Marks the vessel that each extension grows from: first all sections, so that none is taken by the
 * surroundings of another. */
static ht_status claim_vessel(builder *b) {
  ht_stack todo[HT_OPENINGS_MAX] = {{0}};
  ht_status status = HT_OK;
  for (int i = 0; i < b->sweeps && status == HT_OK; i++)
    status = claim_section(b, &b->sweep[i], &todo[i]);
  for (int i = 0; i < b->sweeps && status == HT_OK; i++)
    status = claim_around(b, &b->sweep[i], &todo[i]);
  for (int i = 0; i < b->sweeps; i++) free(todo[i].item);
  return status;
}

/* Removes the pieces of the vessel that no opening is part of: no blood gets there, and an
 * extension must not stop before them. */
static ht_status drop_loose(builder *b) {
  uint8_t *mark;
  int64_t voxels = ht_grid_voxels(&b->mask->grid);
  HT_TRY(ht_alloc((void **)&mark, (size_t)voxels, 1, "the vessel of the openings"));
  ht_status status = HT_OK;
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    if (b->mask->inside[v] >= VESSEL_OF && !mark[v])
      status = ht_flood(b->mask->inside, b->mask->grid.dim, v, 1, mark);
  for (int64_t v = 0; v < voxels && status == HT_OK; v++)
    if (!mark[v]) b->mask->inside[v] = HT_SOLID;
  free(mark);
  return status;
}

/* ---- ports ---- */

/* The port's node at pixel n of its layer; -1: none. */
static int64_t port_node(const builder *b, const ht_sweep *s, int n) {
  int low[2], at[3];
  ht_sweep_window(s, s->last - 1, low);
  ht_sweep_voxel(s, s->last, low, n, at);
  if (!ht_voxel_in_grid(b->mask->grid.dim, at)) return -1;
  int64_t voxel = ht_voxel_index(b->mask->grid.dim, at);
  return b->mask->inside[voxel] == EXTENSION_OF + s->id ? voxel : -1;
}

static int64_t first_port_node(const builder *b, const ht_sweep *s) {
  int64_t node = -1;
  for (int n = 0; n < layer_pixels(s) && node < 0; n++) node = port_node(b, s, n);
  return node;
}

static ht_status make_port(const builder *b, const ht_sweep *s, const uint8_t *mark,
                           ht_port *port) {
  port->opening = *s->opening;
  port->axis = s->axis;
  port->inward = -s->sign;
  port->follows_surface = s->follows;
  for (int a = 0; a < 3; a++) port->direction[a] = -s->direction[a];
  HT_TRY(ht_alloc((void **)&port->node, (size_t)layer_pixels(s), sizeof(int64_t), "a port"));
  for (int n = 0; n < layer_pixels(s); n++) {
    int64_t node = port_node(b, s, n);
    if (node >= 0 && mark[node]) port->node[port->nodes++] = node;
  }
  if (port->nodes >= HT_OPENING_FEWEST_NODES) return HT_OK;
  return ht_sweep_too_coarse(s, b->mask->grid.spacing_mm[0]);
}

static ht_status not_connected(const ht_opening *opening) {
  int inlet = opening->role == HT_ROLE_INLET;
  return ht_fail(HT_ERR_OPENINGS,
                 "%s '%s' (%.1f, %.1f, %.1f) is connected to no %s: the vessel between them is "
                 "interrupted; lower the threshold or edit the mask so that they are one, or give "
                 "this opening the role wall",
                 inlet ? "the inlet" : "the outlet", opening->name, opening->centre_mm[0],
                 opening->centre_mm[1], opening->centre_mm[2], inlet ? "outlet" : "inlet");
}

/* Marks the voxels connected to a port; every such piece needs an inlet and an outlet. */
static ht_status mark_connected(builder *b, uint8_t *mark) {
  const ht_mask *mask = b->mask;
  uint8_t piece[HT_OPENINGS_MAX], pieces = 0, roles[HT_OPENINGS_MAX + 1] = {0};
  for (int i = 0; i < b->sweeps; i++) {
    const ht_sweep *s = &b->sweep[i];
    int64_t seed = first_port_node(b, s);
    if (seed < 0) return ht_sweep_too_coarse(s, mask->grid.spacing_mm[0]);
    if (!mark[seed]) HT_TRY(ht_flood(mask->inside, mask->grid.dim, seed, ++pieces, mark));
    piece[i] = mark[seed];
    roles[piece[i]] |= s->opening->role == HT_ROLE_INLET ? 1 : 2;
  }
  for (int i = 0; i < b->sweeps; i++)
    if (roles[piece[i]] != 3) return not_connected(b->sweep[i].opening);
  return HT_OK;
}

static void settle_values(ht_mask *mask, const uint8_t *mark) {
  int64_t voxels = ht_grid_voxels(&mask->grid);
  for (int64_t v = 0; v < voxels; v++) {
    uint8_t *value = &mask->inside[v];
    int vessel = *value == HT_VESSEL || *value >= VESSEL_OF;
    *value = !mark[v] ? HT_SOLID : vessel ? HT_VESSEL : HT_EXTENSION;
  }
}

static ht_status finish(builder *b, ht_domain *domain) {
  uint8_t *mark;
  HT_TRY(ht_alloc((void **)&mark, (size_t)ht_grid_voxels(&b->mask->grid), 1, "the flow domain"));
  ht_status status = mark_connected(b, mark);
  for (int i = 0; i < b->sweeps && status == HT_OK; i++)
    status = make_port(b, &b->sweep[i], mark, &domain->port[domain->ports++]);
  if (status == HT_OK) settle_values(b->mask, mark);
  free(mark);
  return status;
}

/* ---- all ---- */

static ht_status check_isotropic(const ht_grid *grid) {
  const double *mm = grid->spacing_mm;
  for (int a = 1; a < 3; a++)
    if (fabs(mm[a] / mm[0] - 1) > 1e-3)
      return ht_fail(HT_ERR_FORMAT,
                     "the mask's voxels are %g x %g x %g mm, the flow needs cubes: segment it "
                     "again, which resamples it",
                     mm[0], mm[1], mm[2]);
  return HT_OK;
}

static ht_status make_sweeps(const ht_mask *mask, const ht_extend_options *options, builder *b) {
  int roles = 0;
  for (int i = 0; i < b->openings.count; i++) {
    const ht_opening *opening = &b->openings.item[i];
    int inlet = opening->role == HT_ROLE_INLET;
    if (!inlet && opening->role != HT_ROLE_OUTLET) continue;
    roles |= inlet ? 1 : 2;
    ht_sweep *s = &b->sweep[b->sweeps];
    s->id = (uint8_t)b->sweeps++;
    double diameters = inlet ? options->inlet_diameters : options->outlet_diameters;
    HT_TRY(ht_sweep_make(mask, opening, options->diameters ? options->diameters[i] : diameters, s));
    if (options->surface) HT_TRY(ht_sweep_follow(mask, options->surface, s));
  }
  if (roles == 3) return HT_OK;
  return ht_fail(HT_ERR_OPENINGS, "the vessel has no %s: give one of its openings that role",
                 roles & 1 ? "outlet" : "inlet");
}

static ht_status build(const ht_mask *mask, const ht_extend_options *options, builder *b,
                       ht_domain *domain) {
  HT_TRY(check_isotropic(&mask->grid));
  HT_TRY(make_sweeps(mask, options, b));
  HT_TRY(pad_mask(mask, b));
  HT_TRY(claim_vessel(b));
  HT_TRY(drop_loose(b));
  ht_status status = grow(b);
  for (int i = 0; i < b->sweeps && status == HT_OK; i++) status = straighten_end(b, &b->sweep[i]);
  for (int i = 0; i < b->sweeps && status == HT_OK; i++) trim_start(b, &b->sweep[i]);
  return status == HT_OK ? finish(b, domain) : status;
}

/* An extension at the border has room straight out of its face: patches are at least a voxel apart.
 * Its section is then that on the plane. */
static int take_normal(builder *b) {
  ht_opening *opening = b->stuck ? &b->openings.item[b->stuck->opening - b->openings.item] : NULL;
  if (!opening || memcmp(opening->direction, opening->normal, sizeof opening->normal) == 0)
    return 0;
  double plane_mm2 = ht_opening_plane_mm2(opening);
  memcpy(opening->direction, opening->normal, sizeof opening->normal);
  ht_opening_set_plane_mm2(opening, plane_mm2);
  return 1;
}

static void start_again(builder *b, ht_domain *domain) {
  for (int i = 0; i < b->sweeps; i++) ht_sweep_free(&b->sweep[i]);
  memset(b->sweep, 0, sizeof b->sweep);
  b->sweeps = 0;
  b->stuck = NULL;
  ht_domain_free(domain);
}

ht_status ht_domain_build(const ht_mask *mask, const ht_openings *openings,
                          const ht_extend_options *options, ht_domain *domain) {
  builder *b;
  memset(domain, 0, sizeof *domain);
  HT_TRY(ht_alloc((void **)&b, 1, sizeof *b, "the flow domain"));
  b->mask = &domain->mask;
  b->openings = *openings;
  ht_status status = build(mask, options, b, domain);
  while (status != HT_OK && take_normal(b)) {
    start_again(b, domain);
    status = build(mask, options, b, domain);
  }
  for (int i = 0; i < b->sweeps; i++) ht_sweep_free(&b->sweep[i]);
  free(b);
  if (status != HT_OK) ht_domain_free(domain);
  return status;
}
