#define _GNU_SOURCE
#include "run/folder/flow_file.h"
#include "run/folder/hashed_file.h"
#include "core/formats/json.h"
#include "core/version.h"
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'H', 'T', 'F', 'L', 'O', 'W', '0', '1'};
enum { HEADER_MAX = 1 << 20 };

static void port_json(ht_json *json, const ht_port_result *port) {
  ht_json_object(json, NULL);
  ht_json_string(json, "name", port->name);
  ht_json_string(json, "role", ht_role_name(port->role));
  ht_json_number(json, "flow_ml_s", port->flow_ml_s);
  ht_json_number(json, "pressure_pa", port->pressure_pa);
  ht_json_number(json, "highest_pressure_pa", port->highest_pressure_pa);
  ht_json_number(json, "lowest_pressure_pa", port->lowest_pressure_pa);
  ht_json_number(json, "port_pressure_pa", port->port_pressure_pa);
  ht_json_number(json, "area_mm2", port->area_mm2);
  ht_json_number(json, "mean_velocity_m_s", port->mean_velocity_m_s);
  ht_json_object_end(json);
}

static void stats_json(ht_json *json, const ht_flow *flow, const ht_flow_stats *stats) {
  /* The field at one moment has none, though the flow's statistics list some. */
  const int tke_phases = flow->tke_j_m3 ? stats->tke_phases : 0;
  ht_json_array(json, "ports");
  for (int p = 0; p < stats->ports; p++) port_json(json, &stats->port[p]);
  ht_json_array_end(json);
  ht_json_integer(json, "steps", stats->steps);
  ht_json_integer(json, "coarse_steps", stats->coarse_steps);
  ht_json_number(json, "coarse_seconds", stats->coarse_seconds);
  ht_json_integer(json, "changes", stats->changes);
  ht_json_numbers(json, "change", stats->change, stats->changes);
  ht_json_numbers(json, "change_step", stats->change_step, stats->changes);
  ht_json_number(json, "steady_change", stats->steady_change);
  ht_json_number(json, "slow_left", stats->slow_left);
  ht_json_bool(json, "steady", stats->steady);
  ht_json_number(json, "mass_imbalance", stats->mass_imbalance);
  ht_json_number(json, "moment_imbalance", stats->moment_imbalance);
  ht_json_number(json, "moment_in_ml_s", stats->moment_in_ml_s);
  ht_json_number(json, "moment_out_ml_s", stats->moment_out_ml_s);
  ht_json_number(json, "moment_time_s", stats->moment_time_s);
  ht_json_number(json, "period_s", stats->period_s);
  ht_json_integer(json, "cycles", stats->cycles);
  ht_json_integer(json, "samples", stats->samples);
  ht_json_integer(json, "beats", stats->beats);
  ht_json_integer(json, "averaged", stats->averaged);
  ht_json_number(json, "averaged_s", stats->averaged_s);
  ht_json_number(json, "averaged_drift", stats->averaged_drift);
  ht_json_integer(json, "tke_phases", tke_phases);
  ht_json_numbers(json, "tke_mj", stats->tke_mj, tke_phases);
  ht_json_numbers(json, "tke_time_s", stats->tke_time_s, tke_phases);
  ht_json_number(json, "tke_highest_j_m3", stats->tke_highest_j_m3);
  ht_json_number(json, "cycle_change", stats->cycle_change);
  ht_json_number(json, "peak_time_s", stats->peak_time_s);
  ht_json_number(json, "phase_time_s", stats->phase_time_s);
  ht_json_number(json, "max_velocity_m_s", stats->max_velocity_m_s);
  ht_json_number(json, "max_velocity_lu", stats->max_velocity_lu);
  ht_json_number(json, "reynolds", stats->reynolds);
  ht_json_number(json, "tau", stats->tau);
  ht_json_number(json, "dx_m", stats->dx_m);
  ht_json_number(json, "dt_s", stats->dt_s);
  ht_json_bool(json, "diagonals_corrected", stats->diagonals_corrected);
  ht_json_integer(json, "fluid_nodes", stats->fluid_nodes);
  ht_json_integer(json, "tiles", stats->tiles);
  ht_json_number(json, "seconds", stats->seconds);
  ht_json_number(json, "mflups", stats->mflups);
  ht_json_string(json, "device", stats->device);
  ht_json_string(json, "precision", stats->precision);
  ht_json_string(json, "collision", stats->collision);
  ht_json_string(json, "fluid", stats->fluid);
}

static void header_json(FILE *stream, const ht_flow *flow, const ht_flow_stats *stats,
                        const char *mask_sha256) {
  ht_json json = {stream, 0, 1};
  double dim[3] = {flow->grid.dim[0], flow->grid.dim[1], flow->grid.dim[2]};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "hemotile", ht_version());
  ht_json_string(&json, "commit", ht_commit());
  ht_json_string(&json, "mask_sha256", mask_sha256);
  ht_json_numbers(&json, "dim", dim, 3);
  ht_json_numbers(&json, "spacing_mm", flow->grid.spacing_mm, 3);
  ht_json_numbers(&json, "origin_mm", flow->grid.origin_mm, 3);
  ht_json_numbers(&json, "direction", &flow->grid.direction[0][0], 9);
  ht_json_integer(&json, "nodes", flow->nodes);
  ht_json_number(&json, "viscosity_pa_s", flow->viscosity_pa_s);
  ht_json_number(&json, "density_kg_m3", flow->density_kg_m3);
  ht_json_bool(&json, "shear_thinning", flow->shear_thinning);
  stats_json(&json, flow, stats);
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

void ht_port_result_read(struct fy_node *node, ht_port_result *port) {
  char role[16] = "";
  ht_yaml_text(node, "name", port->name, sizeof port->name);
  ht_yaml_text(node, "role", role, sizeof role);
  port->role = strcmp(role, "inlet") == 0 ? HT_ROLE_INLET : HT_ROLE_OUTLET;
  ht_yaml_number(node, "flow_ml_s", &port->flow_ml_s);
  ht_yaml_number(node, "pressure_pa", &port->pressure_pa);
  ht_yaml_number(node, "highest_pressure_pa", &port->highest_pressure_pa);
  ht_yaml_number(node, "lowest_pressure_pa", &port->lowest_pressure_pa);
  ht_yaml_number(node, "port_pressure_pa", &port->port_pressure_pa);
  ht_yaml_number(node, "area_mm2", &port->area_mm2);
  ht_yaml_number(node, "mean_velocity_m_s", &port->mean_velocity_m_s);
}

static void parse_periods(struct fy_node *root, ht_flow_stats *stats) {
  ht_yaml_number(root, "period_s", &stats->period_s);
  ht_yaml_int(root, "cycles", &stats->cycles);
  ht_yaml_int(root, "samples", &stats->samples);
  ht_yaml_int(root, "beats", &stats->beats);
  ht_yaml_int(root, "averaged", &stats->averaged);
  ht_yaml_number(root, "averaged_s", &stats->averaged_s);
  ht_yaml_number(root, "averaged_drift", &stats->averaged_drift);
  ht_yaml_int(root, "tke_phases", &stats->tke_phases);
  if (stats->tke_phases < 0 || stats->tke_phases > HT_TKE_PHASES) stats->tke_phases = 0;
  ht_yaml_numbers(root, "tke_mj", stats->tke_mj, stats->tke_phases);
  ht_yaml_numbers(root, "tke_time_s", stats->tke_time_s, stats->tke_phases);
  ht_yaml_number(root, "tke_highest_j_m3", &stats->tke_highest_j_m3);
  ht_yaml_number(root, "cycle_change", &stats->cycle_change);
  ht_yaml_number(root, "peak_time_s", &stats->peak_time_s);
  ht_yaml_number(root, "phase_time_s", &stats->phase_time_s);
}

/* Reads the record of the convergence; a file of an earlier version has none. */
static void parse_changes(struct fy_node *root, ht_flow_stats *stats) {
  ht_yaml_int(root, "changes", &stats->changes);
  if (stats->changes < 0 || stats->changes > HT_CHANGES_MOST) stats->changes = 0;
  if (!ht_yaml_numbers(root, "change", stats->change, stats->changes) ||
      !ht_yaml_numbers(root, "change_step", stats->change_step, stats->changes))
    stats->changes = 0;
}

static void parse_stats(struct fy_node *root, ht_flow_stats *stats) {
  struct fy_node *ports = ht_yaml_get(root, "ports");
  void *next = NULL;
  for (struct fy_node *item; ports && (item = fy_node_sequence_iterate(ports, &next));)
    if (stats->ports < HT_OPENINGS_MAX) ht_port_result_read(item, &stats->port[stats->ports++]);
  ht_yaml_integer(root, "steps", &stats->steps);
  ht_yaml_integer(root, "coarse_steps", &stats->coarse_steps);
  ht_yaml_number(root, "coarse_seconds", &stats->coarse_seconds);
  parse_changes(root, stats);
  ht_yaml_number(root, "steady_change", &stats->steady_change);
  ht_yaml_number(root, "slow_left", &stats->slow_left);
  ht_yaml_bool(root, "steady", &stats->steady);
  ht_yaml_number(root, "mass_imbalance", &stats->mass_imbalance);
  ht_yaml_number(root, "moment_imbalance", &stats->moment_imbalance);
  ht_yaml_number(root, "moment_in_ml_s", &stats->moment_in_ml_s);
  ht_yaml_number(root, "moment_out_ml_s", &stats->moment_out_ml_s);
  ht_yaml_number(root, "moment_time_s", &stats->moment_time_s);
  parse_periods(root, stats);
  ht_yaml_number(root, "max_velocity_m_s", &stats->max_velocity_m_s);
  ht_yaml_number(root, "max_velocity_lu", &stats->max_velocity_lu);
  ht_yaml_number(root, "reynolds", &stats->reynolds);
  ht_yaml_number(root, "tau", &stats->tau);
  ht_yaml_number(root, "dx_m", &stats->dx_m);
  ht_yaml_number(root, "dt_s", &stats->dt_s);
  ht_yaml_bool(root, "diagonals_corrected", &stats->diagonals_corrected);
  ht_yaml_integer(root, "fluid_nodes", &stats->fluid_nodes);
  ht_yaml_integer(root, "tiles", &stats->tiles);
  ht_yaml_number(root, "seconds", &stats->seconds);
  ht_yaml_number(root, "mflups", &stats->mflups);
  ht_yaml_text(root, "device", stats->device, sizeof stats->device);
  ht_yaml_text(root, "precision", stats->precision, sizeof stats->precision);
  ht_yaml_text(root, "collision", stats->collision, sizeof stats->collision);
  ht_yaml_text(root, "fluid", stats->fluid, sizeof stats->fluid);
}

static ht_status parse_header(const char *path, const char *text, size_t length, ht_flow *flow,
                              ht_flow_stats *stats, char mask_sha256[HT_HASH_TEXT]) {
  ht_yaml yaml;
  HT_TRY(ht_yaml_parse(path, text, length, HT_ERR_FORMAT, &yaml));
  int complete = ht_yaml_grid(yaml.root, &flow->grid) &&
                 ht_yaml_integer(yaml.root, "nodes", &flow->nodes) &&
                 ht_yaml_number(yaml.root, "viscosity_pa_s", &flow->viscosity_pa_s) &&
                 ht_yaml_number(yaml.root, "density_kg_m3", &flow->density_kg_m3) &&
                 ht_yaml_text(yaml.root, "mask_sha256", mask_sha256, HT_HASH_TEXT);
  ht_yaml_bool(yaml.root, "shear_thinning", &flow->shear_thinning);
  parse_stats(yaml.root, stats);
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
