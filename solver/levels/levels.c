#include "solver/levels/levels.h"
#include "solver/levels/level_lists.h"
#include "tiling/tiling.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  ht_tiling tiling;
  uint64_t *own, *outer, *balanced; /* [tiles] see ht_lattice_setup */
  ht_lattice *lattice;
  ht_interface lists;    /* with the next level */
  ht_coupling *coupling; /* with it; NULL: the last */
} level;

struct ht_levels {
  int levels;
  level *level; /* [levels] */
};

/* ---- set-up ---- */

static ht_status check(const ht_levels_setup *setup) {
  if (setup->levels < 1 || setup->levels > HT_LEVELS_MOST)
    return ht_fail(HT_ERR_USAGE, "%d levels; there may be 1 to %d", setup->levels, HT_LEVELS_MOST);
  for (int l = 0; l < setup->levels; l++) {
    const int *dim = setup->level[l].mask->grid.dim, *first = setup->level[0].mask->grid.dim;
    for (int a = 0; a < 3; a++)
      if (dim[a] != first[a] << l)
        return ht_fail(HT_ERR_USAGE, "level %d is %d voxels long along axis %d; it has to be %d", l,
                       dim[a], a, first[a] << l);
    if ((setup->level[l].refined != NULL) != (l < setup->levels - 1))
      return ht_fail(HT_ERR_USAGE, "each level but the last one needs the voxels of the next");
  }
  if (setup->lattice.noise_lu > 0)
    return ht_fail(HT_ERR_USAGE, "levels of several spacings do not start from noise");
  return HT_OK;
}

/* The place of a port's or a sponge's voxel has to be away from interfaces: their conditions read
 * up to three nodes. */
static ht_status check_voxels(const ht_level_region *region, int64_t count, const int64_t *voxel,
                              const char *of_what) {
  enum { AWAY = 3 };
  int at[3], d[3];
  for (int64_t i = 0; i < count; i++) {
    ht_voxel_place(region->dim, voxel[i], at);
    for (d[2] = -AWAY; d[2] <= AWAY; d[2]++)
      for (d[1] = -AWAY; d[1] <= AWAY; d[1]++)
        for (d[0] = -AWAY; d[0] <= AWAY; d[0]++) {
          const int there[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
          const ht_voxel_part part = ht_region_part(region, there);
          if (part != HT_VOXEL_OWN && part != HT_VOXEL_SOLID)
            return ht_fail(HT_ERR_USAGE,
                           "%s is within %d nodes of another level; begin that farther away",
                           of_what, AWAY);
        }
  }
  return HT_OK;
}

static ht_status check_ports(const ht_levels_setup *setup, int number,
                             const ht_level_region *region) {
  const ht_level_setup *of = &setup->level[number];
  for (int p = 0; p < setup->lattice.ports; p++) {
    const ht_lattice_port *port = &setup->lattice.port[p];
    if (port->level == number) HT_TRY(check_voxels(region, port->nodes, port->voxel, "a port"));
  }
  return check_voxels(region, of->sponge_nodes, of->sponge_voxel, "a sponge");
}

static ht_status make_tiling(const ht_level_region *region, int number, ht_tiling *tiling) {
  const ht_tiling_options options = {.fixed_origin = 1}; /* 0 0 0: see ht_level_setup.refined */
  const int *dim = region->dim;
  ht_mask mask;
  const ht_grid grid = ht_grid_make(dim[0], dim[1], dim[2]);
  int64_t nodes = 0;
  HT_TRY(ht_mask_alloc(&grid, &mask));
  for (int64_t v = 0; v < ht_region_voxels(region); v++)
    nodes += mask.inside[v] = ht_part_is_node((ht_voxel_part)region->part[v]);
  ht_status status = nodes > 0 ? ht_tiling_build(&mask, &options, tiling)
                               : ht_fail(HT_ERR_USAGE, "level %d has no nodes", number);
  ht_mask_free(&mask);
  return status;
}

/* Takes the nodes of a level's ports out of bits of its tiles. */
static ht_status leave_ports_out(const ht_levels_setup *setup, int number, const ht_tiling *tiling,
                                 uint64_t *bits) {
  int dim[3], voxel[3], local;
  int32_t *tile_of;
  int64_t tile;
  HT_TRY(ht_tiling_map(tiling, dim, &tile_of));
  for (int p = 0; p < setup->lattice.ports; p++) {
    const ht_lattice_port *port = &setup->lattice.port[p];
    for (int64_t i = 0; i < port->nodes && port->level == number; i++) {
      ht_voxel_place(tiling->dim, port->voxel[i], voxel);
      ht_tiling_find(tiling, tile_of, voxel, &tile, &local);
      if (tile >= 0) bits[tile] &= ~((uint64_t)1 << local);
    }
  }
  free(tile_of);
  return HT_OK;
}

/* The parts of the nodes as bits of the tiles. */
static ht_status mark_nodes(const ht_levels_setup *setup, int number, const ht_level_region *region,
                            level *made) {
  const ht_tiling *tiling = &made->tiling;
  HT_TRY(ht_alloc((void **)&made->balanced, (size_t)tiling->tiles, sizeof(uint64_t), "the levels"));
  HT_TRY(ht_alloc((void **)&made->own, (size_t)tiling->tiles, sizeof(uint64_t), "the levels"));
  HT_TRY(ht_alloc((void **)&made->outer, (size_t)tiling->tiles, sizeof(uint64_t), "the levels"));
  for (int64_t t = 0; t < tiling->tiles; t++)
    for (uint64_t left = tiling->inside[t]; left; left &= left - 1) {
      const int n = __builtin_ctzll(left);
      int at[3];
      ht_tile_voxel(tiling, t, n, at);
      const ht_voxel_part part = ht_region_part(region, at);
      if (part == HT_VOXEL_OWN) made->own[t] |= (uint64_t)1 << n;
      if (part >= HT_VOXEL_FROM_FINE) made->outer[t] |= (uint64_t)1 << n;
    }
  memcpy(made->balanced, made->own, (size_t)tiling->tiles * sizeof *made->own);
  return leave_ports_out(setup, number, tiling, made->balanced);
}

/* Copies the ports, which keep their numbers: those of other levels have no nodes. Returns how many
 * are on this level. */
static int copy_ports(const ht_levels_setup *setup, int number, ht_lattice_port *port) {
  int count = 0;
  for (int p = 0; p < setup->lattice.ports; p++) {
    port[p] = setup->lattice.port[p];
    count += port[p].level == number;
    if (port[p].level != number) port[p].nodes = port[p].modes = 0;
  }
  return count;
}

/* The setup of a level in its own units: the coarsest's with half of the step and the spacing at
 * each. port: room for all ports. */
static ht_lattice_setup lattice_setup(const ht_levels_setup *setup, int number, const level *made,
                                      ht_lattice_port *port) {
  const ht_level_setup *of = &setup->level[number];
  ht_lattice_setup own = setup->lattice;
  own.tiling = &made->tiling;
  own.outer = setup->levels > 1 ? made->outer : NULL;
  own.own = setup->levels > 1 ? made->own : NULL;
  own.balanced = setup->levels > 1 ? made->balanced : NULL;
  own.wall_distance = of->wall_distance;
  own.tau = 0.5 + (setup->lattice.tau - 0.5) * (1 << number);
  for (int a = 0; a < 3; a++) own.acceleration_lu[a] /= 1 << number;
  own.port = port;
  own.drive_user = of->drive_user;
  own.ramp_steps <<= number;
  if (copy_ports(setup, number, port) == 0) own.ports = 0, own.drive = NULL, own.ramp_steps = 0;
  own.sponge_nodes = of->sponge_nodes;
  own.sponge_voxel = of->sponge_voxel;
  own.sponge_lu = of->sponge_lu;
  return own;
}

static ht_status make_level(const ht_levels_setup *setup, int number, const ht_level_region *region,
                            level *made) {
  ht_lattice_port *port;
  HT_TRY(check_ports(setup, number, region));
  HT_TRY(make_tiling(region, number, &made->tiling));
  HT_TRY(mark_nodes(setup, number, region, made));
  HT_TRY(ht_alloc((void **)&port, (size_t)setup->lattice.ports, sizeof *port, "the ports"));
  const ht_lattice_setup own = lattice_setup(setup, number, made, port);
  ht_status status = ht_lattice_create(&own, &made->lattice);
  free(port);
  return status;
}

static ht_status couple(const ht_level_region *coarse_region, const ht_level_region *fine_region,
                        level *coarse, const level *fine) {
  HT_TRY(ht_level_lists_make(coarse_region, &coarse->tiling, fine_region, &fine->tiling,
                             &coarse->lists));
  return ht_lattice_couple(coarse->lattice, fine->lattice, &coarse->lists, &coarse->coupling);
}

static ht_status build(const ht_levels_setup *setup, ht_levels *levels) {
  ht_level_region region[HT_LEVELS_MOST] = {{.part = NULL}};
  ht_status status = HT_OK;
  HT_TRY_DONE(ht_alloc((void **)&levels->level, (size_t)setup->levels, sizeof *levels->level,
                       "the levels"));
  levels->levels = setup->levels;
  for (int l = 0; l < setup->levels; l++) {
    HT_TRY_DONE(ht_level_region_find(setup, l, &region[l]));
    HT_TRY_DONE(make_level(setup, l, &region[l], &levels->level[l]));
    if (l > 0)
      HT_TRY_DONE(couple(&region[l - 1], &region[l], &levels->level[l - 1], &levels->level[l]));
  }
done:
  for (int l = 0; l < HT_LEVELS_MOST; l++) ht_level_region_free(&region[l]);
  return status;
}

ht_status ht_levels_create(const ht_levels_setup *setup, ht_levels **levels) {
  ht_levels *made;
  *levels = NULL;
  HT_TRY(check(setup));
  HT_TRY(ht_alloc((void **)&made, 1, sizeof *made, "the levels"));
  ht_status status = build(setup, made);
  if (status == HT_OK)
    *levels = made;
  else
    ht_levels_free(made);
  return status;
}

void ht_levels_free(ht_levels *levels) {
  if (!levels) return;
  for (int l = 0; l < levels->levels; l++) ht_lattice_decouple(levels->level[l].coupling);
  for (int l = 0; l < levels->levels; l++) {
    level *of = &levels->level[l];
    ht_lattice_free(of->lattice);
    ht_level_lists_free(&of->lists);
    ht_tiling_free(&of->tiling);
    free(of->own);
    free(of->balanced);
    free(of->outer);
  }
  free(levels->level);
  free(levels);
}

/* ---- steps ---- */

ht_status ht_levels_step(ht_levels *levels, int64_t steps) {
  return ht_lattice_step(levels->level[0].lattice, steps);
}

ht_status ht_levels_transfer(ht_levels *levels, ht_state *stream) {
  for (int l = 0; l < levels->levels; l++) {
    level *of = &levels->level[l];
    HT_TRY(ht_lattice_transfer(of->lattice, stream));
    if (of->coupling) HT_TRY(ht_lattice_transfer_coupling(of->coupling, stream));
  }
  return HT_OK;
}

ht_status ht_levels_owed(const ht_levels *levels, double *mass) {
  double owed, volume = 1;
  *mass = 0;
  for (int l = 0; l < levels->levels - 1; l++) {
    HT_TRY(ht_lattice_owed(levels->level[l].coupling, &owed));
    volume /= 8;
    *mass += owed * volume;
  }
  return HT_OK;
}

ht_lattice *ht_levels_lattice(const ht_levels *levels, int number) {
  return levels->level[number].lattice;
}

const ht_tiling *ht_levels_tiling(const ht_levels *levels, int number) {
  return &levels->level[number].tiling;
}

const uint64_t *ht_levels_own(const ht_levels *levels, int number) {
  return levels->level[number].own;
}

const uint64_t *ht_levels_outer(const ht_levels *levels, int number) {
  return levels->level[number].outer;
}
