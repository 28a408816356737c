/* The constant tables on the device, made from those of the lattice with places in the blocks. */
#include "solver/cuda/cuda_functions.cuh"
#include "solver/cuda/host_array.cuh"
#include <algorithm>
#include <cmath>

/* ---- addresses ---- */

/* The node (tile * 64 + local) and the direction of a value in [tiles][directions][64]. */
static int64_t node_of_value(const ht_cuda_state *state, int64_t value, int *direction) {
  const int a_tile = HT_TILE_VALUES(state->tables->directions);
  *direction = (int)(value % a_tile / HT_TILE_NODES);
  return value / a_tile * HT_TILE_NODES + value % HT_TILE_NODES;
}

uint32_t ht_cuda_address(const ht_cuda_state *state, int64_t value) {
  int q;
  int64_t node = node_of_value(state, value, &q);
  return ht_blocks_address(&state->blocks, state->blocks.place[node], q);
}

uint32_t ht_cuda_read_address(const ht_cuda_state *state, int64_t value) {
  int q;
  int64_t node = node_of_value(state, value, &q);
  return ht_blocks_read_address(state->tables, &state->blocks, node, q);
}

/* ---- blocks and ports ---- */

static ht_status place_blocks(ht_cuda_state *state) {
  const ht_blocks *blocks = &state->blocks;
  ht_device_blocks *to = &state->d_blocks;
  HT_TRY(ht_cuda_take(state, &to->row, blocks->row,
                      (size_t)blocks->blocks * HT_BLOCK_ROW * sizeof(int32_t)));
  HT_TRY(ht_cuda_take(state, &to->exception, blocks->exception,
                      (size_t)blocks->exceptions * sizeof(uint32_t)));
  HT_TRY(ht_cuda_take(state, &to->list, blocks->list,
                      (size_t)(blocks->lists * HT_LIST_VALUES(blocks->directions)) *
                          sizeof(uint32_t)));
  to->blocks = (uint32_t)blocks->blocks;
  return HT_OK;
}

/* The table of relaxation rates of a local model. */
static ht_status take_rate(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const void *rows = tables->rate_single;
  size_t size = sizeof(float);
  if (tables->precision == HT_FP64) rows = tables->rate, size = sizeof(double);
  if (rows) HT_TRY(ht_cuda_take(state, &state->rate.table, rows, 4 * size * HT_RELAX_ROWS));
  state->rate = {tables->omega, state->rate.table, {}, {}};
  for (int i = 0; i < HT_CUMULANT_RATES; i++) {
    state->rate.full[i] = tables->cumulant[i];
    state->rate.single[i] = (float)tables->cumulant[i];
  }
  return HT_OK;
}

static void find_addresses(const ht_cuda_state *state, int64_t node, uint32_t *address) {
  for (int q = 0; q < state->tables->directions; q++) {
    int64_t from = node;
    int direction = q;
    ht_blocks_source(state->tables, &state->blocks, node, q, &from, &direction);
    address[q] = ht_blocks_read_address(state->tables, &state->blocks, from, direction);
  }
}

static ht_status place_ports(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const int directions = tables->directions;
  const int64_t count = tables->port_nodes;
  ht_host_array<uint32_t> all;
  HT_TRY(all.make(HT_PORT_ADDRESSES * directions * count, "the ports"));
#pragma omp parallel for schedule(static)
  for (int64_t p = 0; p < count; p++) {
    const ht_port_node *port = &tables->port_node[p];
    uint32_t *at = all.data + HT_PORT_ADDRESSES * directions * p;
    find_addresses(state, port->node, at + HT_PORT_FROM * directions);
    find_addresses(state, port->inner, at + HT_PORT_INSIDE * directions);
    for (int q = 0; q < directions; q++)
      at[HT_PORT_OWN * directions + q] =
          ht_blocks_address(&state->blocks, state->blocks.place[port->node], q);
  }
  state->ports.count = count;
  state->ports.a_warp = state->blocks.blocks >= PORTS_FROM_BLOCKS ? PORTS_A_WARP : 1;
  state->ports.first_beside = (uint32_t)state->blocks.first_beside;
  HT_TRY(ht_cuda_take(state, &state->ports.addresses, all.data, all.bytes()));
  HT_TRY(ht_cuda_take(state, &state->measure.d_port_flow, NULL, (size_t)count * sizeof(double)));
  return ht_cuda_take(state, &state->ports.node, tables->port_node,
                      (size_t)count * sizeof(ht_port_node));
}

/* ---- interpolated walls ---- */

/* The value that a link blends in. */
static int64_t other_value(const ht_wall_link *link) {
  return link->weight < 0 ? link->leaving : link->near_coming;
}

static uint32_t two_halves(float low, float high) {
  return __half_as_ushort(__float2half_rn(low)) | (uint32_t)__half_as_ushort(__float2half_rn(high))
                                                      << 16;
}

/* Link i, in the order of the blocks. */
static ht_slip_link slip_link(const ht_cuda_state *state, int64_t i) {
  const ht_wall_link *link = &state->tables->wall_link[state->blocks.link[i]];
  uint32_t is_after = link->leaving > link->slot;
  return {ht_cuda_address(state, link->slot), ht_cuda_read_address(state, link->near_coming),
          two_halves(link->here, link->near), two_halves(link->across, 0) | is_after << 16};
}

/* Returns a link of the node inside. `number`: in the order of the blocks. */
static ht_inner_link inner_link(const ht_cuda_state *state, int64_t number) {
  const ht_wall_link *link = &state->tables->wall_link[state->blocks.link[number]];
  return {(uint32_t)number, ht_cuda_read_address(state, other_value(link)), fabsf(link->weight),
          slip_link(state, number)};
}

/* The links of the node inside port node p, in the order of the directions; returns their word. */
static uint32_t list_inner(const ht_cuda_state *state, int64_t p, ht_inner_link to[HT_Q_MOST]) {
  const ht_lattice_tables *tables = state->tables;
  uint32_t word = 0;
  for (int q = 1, count = 0; q < tables->directions; q++) {
    int64_t link = ht_blocks_link(&state->blocks, tables->port_node[p].inner, q);
    if (link < 0) continue;
    to[count++] = inner_link(state, link);
    word |= 1u << q;
  }
  return word;
}

/* Returns the tile whose share the node inside takes; -1: none. */
static int32_t inner_tile(const ht_cuda_state *state, int64_t p) {
  int64_t inner = state->tables->port_node[p].inner;
  if (ht_find_port_node(state->tables, inner) >= 0) return -1;
  return ht_blocks_wall_tile(&state->blocks, inner);
}

static ht_status place_inner(ht_cuda_state *state) {
  const int64_t ports = state->tables->port_nodes;
  ht_inner_links *to = &state->ports.inner;
  ht_host_array<uint32_t> word, first;
  ht_host_array<int32_t> tile;
  ht_host_array<ht_inner_link> link;
  HT_TRY(word.make(ports, "the ports"));
  HT_TRY(first.make(ports, "the ports"));
  HT_TRY(tile.make(ports, "the ports"));
  HT_TRY(link.make((ports + 1) * state->tables->directions, "the ports"));
  for (int64_t p = 0; p < ports; p++) {
    first[p] = (uint32_t)to->count;
    word[p] = list_inner(state, p, link.data + to->count);
    tile[p] = inner_tile(state, p);
    to->count += __builtin_popcount(word[p]);
  }
  const size_t links = (size_t)to->count;
  HT_TRY(ht_cuda_take(state, &to->word, word.data, word.bytes()));
  HT_TRY(ht_cuda_take(state, &to->first, first.data, first.bytes()));
  HT_TRY(ht_cuda_take(state, &to->tile, tile.data, tile.bytes()));
  HT_TRY(ht_cuda_take(state, &to->slip, NULL, links * arithmetic_size(state)));
  return ht_cuda_take(state, &to->link, link.data, links * sizeof *link.data);
}

static ht_status place_shares(ht_cuda_state *state) {
  const int64_t tiles = state->tables->wall_tiles;
  ht_host_array<int32_t> beside;
  ht_host_array<double> part;
  HT_TRY(beside.make(HT_TILE_NEIGHBOURS * tiles, "the interpolated walls"));
  HT_TRY(part.make(tiles + 1, "the interpolated walls"));
  ht_share_fill(state->tables->wall_tile, tiles, beside.data, part.data);
  HT_TRY(ht_cuda_take(state, &state->walls.d_beside, beside.data, beside.bytes()));
  HT_TRY(ht_cuda_take(state, &state->walls.d_part, part.data, part.bytes()));
  for (int k = 0; k < GIVEN_STEPS; k++)
    HT_TRY(ht_cuda_take(state, &state->walls.d_given[k], NULL,
                        (size_t)(tiles + 1) * sizeof *state->walls.d_given[k]));
  for (int k = 0; k < 2; k++)
    HT_TRY(ht_cuda_take(state, &state->walls.d_taken[k], NULL,
                        (size_t)tiles * sizeof *state->walls.d_taken[k]));
  return HT_OK;
}

/* Link i, in the order of the blocks. */
static uint2 slip_rule(const ht_cuda_state *state, int64_t i) {
  const ht_wall_link *link = &state->tables->wall_link[state->blocks.link[i]];
  return {two_halves(link->here, link->near), two_halves(link->across, 0)};
}

static ht_status place_rules(ht_cuda_state *state) {
  ht_host_array<uint2> rule;
  HT_TRY(rule.make(state->tables->wall_links, "the interpolated walls"));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < state->tables->wall_links; i++) rule[i] = slip_rule(state, i);
  return ht_cuda_take(state, &state->walls.d_rule, rule.data, rule.bytes());
}

/* The nodes of tiles with links that do not share their mass: those of another level, in a tile
 * that is cut by an interface. */
static uint64_t spared_nodes(const ht_lattice_tables *tables, int64_t tile) {
  const int is_cut = tables->own && tables->own[tile];
  return is_cut ? tables->tiling->inside[tile] & ~tables->own[tile] : 0;
}

static ht_status place_spared(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_host_array<uint2> spared;
  for (int64_t w = 0; w < tables->wall_tiles; w++)
    state->walls.spared += __builtin_popcountll(spared_nodes(tables, tables->wall_tile[w].tile));
  HT_TRY(spared.make(state->walls.spared, "the interpolated walls"));
  int64_t next = 0;
  for (int64_t w = 0; w < tables->wall_tiles; w++) {
    const int64_t tile = tables->wall_tile[w].tile;
    for (uint64_t left = spared_nodes(tables, tile); left; left &= left - 1) {
      const uint32_t place = state->blocks.place[HT_TILE_NODES * tile + __builtin_ctzll(left)];
      spared[next++] = {ht_blocks_address(&state->blocks, place, 0), (uint32_t)w};
    }
  }
  return ht_cuda_take(state, &state->walls.d_spared, spared.data, spared.bytes());
}

static ht_status place_walls(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  if (!state->blocks.link) return HT_OK;
  HT_TRY(place_shares(state));
  HT_TRY(place_spared(state));
  HT_TRY(place_rules(state));
  HT_TRY(ht_cuda_take(state, &state->walls.d_list_tile, state->blocks.list_tile,
                      (size_t)state->blocks.lists * HT_TILE_NODES * sizeof(int32_t)));
  HT_TRY(place_inner(state));
  return ht_cuda_take(state, &state->walls.d_slip, NULL,
                      (size_t)tables->wall_links * arithmetic_size(state));
}

/* ---- forces ---- */

static ht_status place_force(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  ht_host_array<uint64_t> fluid;
  if (!tables->forced) return HT_OK;
  HT_TRY(fluid.make(state->blocks.blocks, "the force"));
  for (int64_t i = 0; i < tables->tiling->tiles * HT_TILE_NODES; i++) {
    uint32_t place = state->blocks.place[i];
    if (place != HT_NO_PLACE) fluid[place >> 6] |= (uint64_t)1 << (place & 63);
  }
  HT_TRY(ht_cuda_take(state, &state->forces.d_fluid, fluid.data, fluid.bytes()));
  return ht_cuda_take(state, &state->forces.d_acceleration, tables->acceleration,
                      sizeof tables->acceleration);
}

static ht_status place_diagonal(ht_cuda_state *state) {
  ht_device_diagonal *diagonal = &state->d_blocks.diagonal;
  ht_diagonal_places places;
  if (!state->tables->corrected) return HT_OK;
  diagonal->factor = state->tables->diagonal_factor;
  HT_TRY(ht_diagonal_places_build(state->tables, &state->blocks, &places));
  ht_status status = ht_cuda_take(state, &diagonal->kind, places.kind,
                                  (size_t)state->blocks.blocks * sizeof *places.kind);
  if (status == HT_OK)
    status = ht_cuda_take(state, &diagonal->list, places.list,
                          (size_t)places.lists * HT_TILE_NODES * sizeof *places.list);
  ht_diagonal_places_free(&places);
  HT_TRY(status);
  for (void **values : {state->forces.d_carried, state->forces.d_square})
    for (int k = 0; k < 2; k++)
      HT_TRY(ht_cuda_take(state, &values[k], NULL, diagonal_bytes(state)));
  return HT_OK;
}

static ht_status place_sponge(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  const uint32_t *place = state->blocks.place;
  ht_host_array<float> keep;
  if (!tables->sponge_node) return HT_OK;
  HT_TRY(keep.make(state->blocks.blocks * HT_TILE_NODES, "the sponge"));
  std::fill(keep.data, keep.data + keep.count, 1.0f);
  for (int64_t i = 0; i < tables->sponge_nodes; i++)
    keep[place[tables->sponge_node[i].node]] = tables->sponge_node[i].keep;
  for (int64_t p = 0; p < tables->port_nodes; p++)
    keep[place[tables->port_node[p].node]] = tables->port_node[p].keep;
  return ht_cuda_take(state, &state->d_blocks.keep, keep.data, keep.bytes());
}

/* ---- all of them ---- */

ht_status ht_cuda_place_tables(ht_cuda_state *state) {
  const ht_lattice_tables *tables = state->tables;
  HT_TRY(place_blocks(state));
  HT_TRY(take_rate(state));
  HT_TRY(place_ports(state));
  HT_TRY(place_walls(state));
  HT_TRY(place_force(state));
  HT_TRY(place_diagonal(state));
  HT_TRY(place_sponge(state));
  return ht_cuda_take(state, &state->ports.shape, tables->shape,
                      (size_t)tables->shapes * sizeof(double));
}
