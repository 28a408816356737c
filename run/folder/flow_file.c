#define _GNU_SOURCE
#include "run/folder/flow_file.h"
#include "run/folder/hashed_file.h"
#include "core/version.h"
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'H', 'T', 'F', 'L', 'O', 'W', '0', '1'};
enum { HEADER_MAX = 1 << 20 };

#define PORT(key, field)                                                                           \
  { HT_MEMBER(ht_port_result, key, field) }
#define STATS(key, field)                                                                          \
  { HT_MEMBER(ht_flow_stats, key, field) }
#define NEEDS(key, field)                                                                          \
  { HT_MEMBER(ht_flow, key, field), .options = HT_REQUIRED }

static const ht_member port_members[] = {
    PORT("name", name),
    {HT_MEMBER(ht_port_result, "role", role), .words = ht_role_words},
    PORT("flow_ml_s", flow_ml_s),
    PORT("pressure_pa", pressure_pa),
    PORT("highest_pressure_pa", highest_pressure_pa),
    PORT("lowest_pressure_pa", lowest_pressure_pa),
    PORT("port_pressure_pa", port_pressure_pa),
    PORT("area_mm2", area_mm2),
    PORT("mean_velocity_m_s", mean_velocity_m_s),
    {0},
};

/* The lists give the number of their values; files of an earlier version have no `change`. */
const ht_member ht_flow_stats_members[] = {
    {HT_ITEMS(ht_flow_stats, "ports", port, ports, port_members)},
    STATS("steps", steps),
    STATS("coarse_steps", coarse_steps),
    STATS("coarse_seconds", coarse_seconds),
    {HT_MEMBER(ht_flow_stats, "changes", changes), .options = HT_NOT_READ},
    {HT_MEMBER(ht_flow_stats, "change", change), HT_NUMBER_AT(ht_flow_stats, changes)},
    {HT_MEMBER(ht_flow_stats, "change_step", change_step), HT_NUMBER_AT(ht_flow_stats, changes)},
    STATS("steady_change", steady_change),
    STATS("slow_left", slow_left),
    {HT_MEMBER(ht_flow_stats, "steady", steady), .options = HT_BOOL},
    STATS("mass_imbalance", mass_imbalance),
    STATS("moment_imbalance", moment_imbalance),
    STATS("moment_in_ml_s", moment_in_ml_s),
    STATS("moment_out_ml_s", moment_out_ml_s),
    STATS("moment_time_s", moment_time_s),
    STATS("period_s", period_s),
    STATS("cycles", cycles),
    STATS("samples", samples),
    STATS("beats", beats),
    STATS("averaged", averaged),
    STATS("averaged_s", averaged_s),
    STATS("averaged_drift", averaged_drift),
    {HT_MEMBER(ht_flow_stats, "tke_phases", tke_phases), .options = HT_NOT_READ},
    {HT_MEMBER(ht_flow_stats, "tke_mj", tke_mj), HT_NUMBER_AT(ht_flow_stats, tke_phases)},
    {HT_MEMBER(ht_flow_stats, "tke_time_s", tke_time_s), HT_NUMBER_AT(ht_flow_stats, tke_phases)},
    STATS("tke_highest_j_m3", tke_highest_j_m3),
    STATS("cycle_change", cycle_change),
    STATS("peak_time_s", peak_time_s),
    STATS("phase_time_s", phase_time_s),
    STATS("max_velocity_m_s", max_velocity_m_s),
    STATS("max_velocity_lu", max_velocity_lu),
    STATS("reynolds", reynolds),
    STATS("tau", tau),
    STATS("dx_m", dx_m),
    STATS("dt_s", dt_s),
    {HT_MEMBER(ht_flow_stats, "diagonals_corrected", diagonals_corrected), .options = HT_BOOL},
    STATS("fluid_nodes", fluid_nodes),
    STATS("tiles", tiles),
    STATS("seconds", seconds),
    STATS("mflups", mflups),
    STATS("device", device),
    STATS("precision", precision),
    STATS("collision", collision),
    STATS("fluid", fluid),
    {0},
};

static const ht_member flow_members[] = {
    {HT_GROUP(ht_grid_members), HT_AT(ht_flow, grid)},
    NEEDS("nodes", nodes),
    NEEDS("viscosity_pa_s", viscosity_pa_s),
    NEEDS("density_kg_m3", density_kg_m3),
    {HT_MEMBER(ht_flow, "shear_thinning", shear_thinning), .options = HT_BOOL},
    {0},
};

static void header_json(FILE *stream, const ht_flow *flow, const ht_flow_stats *stats,
                        const char *mask_sha256) {
  ht_json json = {stream, 0, 1};
  ht_flow_stats known = *stats;
  /* The field at one moment has no turbulence, though the flow's statistics list some. */
  if (!flow->tke_j_m3) known.tke_phases = 0;
  ht_json_object(&json, NULL);
  ht_json_string(&json, "hemotile", ht_version());
  ht_json_string(&json, "commit", ht_commit());
  ht_json_string(&json, "mask_sha256", mask_sha256);
  ht_members_json(&json, flow_members, flow);
  ht_members_json(&json, ht_flow_stats_members, &known);
  ht_json_object_end(&json);
}

static ht_status write_voxels(ht_hashed_output *file, const ht_flow *flow) {
  int64_t *voxel, voxels = ht_grid_voxels(&flow->grid);
  HT_TRY(ht_alloc((void **)&voxel, (size_t)flow->nodes, sizeof *voxel, "the list of nodes"));
  for (int64_t v = 0; v < voxels; v++) {
    int64_t node = ht_flow_node(flow, v);
    if (node >= 0) voxel[node] = v;
  }
  ht_hashed_put(file, voxel, (size_t)flow->nodes * sizeof *voxel);
  free(voxel);
  return HT_OK;
}

static ht_status write_parts(ht_hashed_output *file, const ht_flow *flow, const char *header,
                             uint64_t length) {
  size_t nodes = (size_t)flow->nodes;
  ht_hashed_put(file, magic, sizeof magic);
  ht_hashed_put(file, &length, sizeof length);
  ht_hashed_put(file, header, length);
  HT_TRY(write_voxels(file, flow));
  ht_hashed_put(file, flow->velocity_m_s, nodes * 3 * sizeof(float));
  ht_hashed_put(file, flow->pressure_pa, nodes * sizeof(float));
  ht_hashed_put(file, flow->stress_pa, nodes * 6 * sizeof(float));
  if (!flow->tke_j_m3) return HT_OK;
  ht_hashed_put(file, flow->tke_j_m3, nodes * sizeof(float));
  ht_hashed_put(file, flow->tke_peak_j_m3, nodes * sizeof(float));
  return HT_OK;
}

ht_status ht_flow_file_write(const char *path, const ht_flow *flow, const ht_flow_stats *stats,
                             const char *mask_sha256) {
  char *header = NULL;
  size_t length = 0;
  ht_hashed_output file;
  HT_TRY(ht_hashed_create(path, &file));
  FILE *text = open_memstream(&header, &length);
  ht_status status = text ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory");
  if (text) {
    header_json(text, flow, stats, mask_sha256);
    if (fclose(text) != 0) status = ht_fail(HT_ERR_MEMORY, "not enough memory");
  }
  if (status == HT_OK) status = write_parts(&file, flow, header, length);
  free(header);
  return ht_hashed_commit(&file, status);
}

ht_status ht_flow_hash(const ht_flow *flow, char hex[HT_HASH_TEXT]) {
  size_t nodes = (size_t)flow->nodes;
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_add(hash, flow->velocity_m_s, nodes * 3 * sizeof(float));
  ht_hash_add(hash, flow->pressure_pa, nodes * sizeof(float));
  ht_hash_add(hash, flow->stress_pa, nodes * 6 * sizeof(float));
  if (flow->tke_j_m3) {
    ht_hash_add(hash, flow->tke_j_m3, nodes * sizeof(float));
    ht_hash_add(hash, flow->tke_peak_j_m3, nodes * sizeof(float));
  }
  ht_hash_end(hash, hex);
  return HT_OK;
}

static ht_status parse_header(const char *path, const char *text, size_t length, ht_flow *flow,
                              ht_flow_stats *stats, char mask_sha256[HT_HASH_TEXT]) {
  ht_yaml yaml;
  HT_TRY(ht_yaml_parse(path, text, length, HT_ERR_FORMAT, &yaml));
  int complete = ht_members_read(yaml.root, flow_members, flow) &&
                 ht_grid_check(&flow->grid) == HT_OK &&
                 ht_yaml_text(yaml.root, "mask_sha256", mask_sha256, HT_HASH_TEXT);
  ht_members_read(yaml.root, ht_flow_stats_members, stats);
  ht_yaml_free(&yaml);
  if (complete && flow->nodes > 0 && flow->nodes <= ht_grid_voxels(&flow->grid)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: its header is not complete: run `hemotile solve` again", path);
}

static ht_status read_header(ht_hashed_input *from, ht_flow *flow, ht_flow_stats *stats,
                             char mask_sha256[HT_HASH_TEXT]) {
  char start[8], *text;
  uint64_t length;
  HT_TRY(ht_hashed_get(from, start, sizeof start));
  if (memcmp(start, magic, sizeof magic) != 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: this was not written by this version of hemotile: run `hemotile solve` "
                   "again",
                   from->path);
  HT_TRY(ht_hashed_get(from, &length, sizeof length));
  if (length > HEADER_MAX) return ht_fail(HT_ERR_FORMAT, "%s: damaged", from->path);
  HT_TRY(ht_alloc((void **)&text, length + 1, 1, "the header of the flow"));
  ht_status status = ht_hashed_get(from, text, length);
  if (status == HT_OK) status = parse_header(from->path, text, length, flow, stats, mask_sha256);
  free(text);
  return status;
}

static ht_status read_voxels(ht_hashed_input *from, ht_flow *flow) {
  int64_t *voxel, voxels = ht_grid_voxels(&flow->grid);
  size_t nodes = (size_t)flow->nodes;
  HT_TRY(ht_alloc((void **)&voxel, nodes, sizeof *voxel, "the list of nodes"));
  ht_status status = ht_hashed_get(from, voxel, nodes * sizeof *voxel);
  if (status == HT_OK) {
    status = ht_node_map_of_voxels(voxels, flow->nodes, voxel, &flow->node_of);
    if (status == HT_ERR_FORMAT)
      status = ht_fail(status, "%s: damaged: run `hemotile solve` again", from->path);
  }
  free(voxel);
  return status;
}

/* Bytes of a node in the file; the maximum number of voxels of a box per node of the vessel, with
 * SMALL nodes to spare. */
enum { NODE_BYTES = 8 + 10 * 4, VOXELS_A_NODE = 4096, SMALL = 256 };

static ht_status read_turbulence(ht_hashed_input *from, ht_flow *flow) {
  size_t nodes = (size_t)flow->nodes;
  HT_TRY(ht_alloc((void **)&flow->tke_j_m3, nodes, sizeof(float), "the flow"));
  HT_TRY(ht_alloc((void **)&flow->tke_peak_j_m3, nodes, sizeof(float), "the flow"));
  HT_TRY(ht_hashed_get(from, flow->tke_j_m3, nodes * sizeof(float)));
  return ht_hashed_get(from, flow->tke_peak_j_m3, nodes * sizeof(float));
}

static ht_status read_arrays(ht_hashed_input *from, ht_flow *flow) {
  size_t nodes = (size_t)flow->nodes, voxels = (size_t)ht_grid_voxels(&flow->grid);
  HT_TRY(ht_hashed_expect(from, (double)nodes * NODE_BYTES));
  if (voxels / VOXELS_A_NODE > nodes + SMALL)
    return ht_fail(HT_ERR_FORMAT, "%s: damaged: its header claims %zu voxels for %zu nodes",
                   from->path, voxels, nodes);
  HT_TRY(ht_alloc((void **)&flow->velocity_m_s, nodes * 3, sizeof(float), "the flow"));
  HT_TRY(ht_alloc((void **)&flow->pressure_pa, nodes, sizeof(float), "the flow"));
  HT_TRY(ht_alloc((void **)&flow->stress_pa, nodes * 6, sizeof(float), "the flow"));
  HT_TRY(read_voxels(from, flow));
  HT_TRY(ht_hashed_get(from, flow->velocity_m_s, nodes * 3 * sizeof(float)));
  HT_TRY(ht_hashed_get(from, flow->pressure_pa, nodes * sizeof(float)));
  return ht_hashed_get(from, flow->stress_pa, nodes * 6 * sizeof(float));
}

ht_status ht_flow_file_read(const char *path, ht_flow *flow, ht_flow_stats *stats,
                            char mask_sha256[HT_HASH_TEXT]) {
  ht_hashed_input from;
  memset(flow, 0, sizeof *flow);
  memset(stats, 0, sizeof *stats);
  HT_TRY(ht_hashed_open(path, &from));
  ht_status status = read_header(&from, flow, stats, mask_sha256);
  if (status == HT_OK) status = read_arrays(&from, flow);
  if (status == HT_OK && stats->tke_phases > 0) status = read_turbulence(&from, flow);
  status = ht_hashed_close(&from, status);
  if (status == HT_OK) return HT_OK;
  ht_flow_free(flow);
  memset(stats, 0, sizeof *stats);
  return status;
}
