#include "run/record/sac_summary.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct {
  const char *key;
  size_t at;
} member;

#define MEMBER(key, field)                                                                         \
  { key, offsetof(ht_sac_numbers, field) }

static const member shape_members[] = {
    MEMBER("volume_mm3", shape.volume_mm3),
    MEMBER("wall_area_mm2", shape.area_mm2),
    MEMBER("neck_area_mm2", shape.neck_area_mm2),
    MEMBER("neck_width_mm", shape.neck_width_mm),
    MEMBER("neck_widest_mm", shape.neck_widest_mm),
    MEMBER("neck_narrowest_mm", shape.neck_narrowest_mm),
    MEMBER("height_mm", shape.height_mm),
    MEMBER("length_mm", shape.length_mm),
    MEMBER("width_mm", shape.width_mm),
    MEMBER("aspect_ratio", shape.aspect_ratio),
    MEMBER("bottleneck_factor", shape.bottleneck_factor),
    MEMBER("undulation_index", shape.undulation),
    MEMBER("ellipticity_index", shape.ellipticity),
    MEMBER("non_sphericity_index", shape.non_sphericity),
    {NULL, 0},
};

static const member parent_members[] = {
    MEMBER("parent_diameter_mm", parent.diameter_mm),
    MEMBER("size_ratio", parent.size_ratio),
    MEMBER("vessel_angle_deg", parent.vessel_angle_deg),
    MEMBER("inclination_angle_deg", parent.inclination_angle_deg),
    MEMBER("flow_angle_deg", parent.flow_angle_deg),
    {NULL, 0},
};

/* Member of ht_sac_flow, by its offset. */
#define OF_FLOW(key, field)                                                                        \
  { key, offsetof(ht_sac_flow, field) }
static const member flow_members[] = {
    OF_FLOW("inflow_ml_s", inflow_ml_s),
    OF_FLOW("neck_imbalance", neck_imbalance),
    OF_FLOW("parent_flow_ml_s", parent_flow_ml_s),
    OF_FLOW("inflow_share", inflow_share),
    OF_FLOW("inflow_area_mm2", inflow_area_mm2),
    OF_FLOW("inflow_concentration_index", inflow_concentration),
    OF_FLOW("turnover_time_s", turnover_s),
    OF_FLOW("mean_speed_m_s", mean_speed_m_s),
    OF_FLOW("highest_speed_m_s", highest_speed_m_s),
    OF_FLOW("viscous_dissipation_uw", dissipation_uw),
    OF_FLOW("viscous_dissipation_w_m3", dissipation_w_m3),
    OF_FLOW("parent_viscous_dissipation_w_m3", parent_dissipation_w_m3),
    OF_FLOW("viscous_dissipation_ratio", dissipation_ratio),
    OF_FLOW("vortex_core_length_mm", core_length_mm),
    OF_FLOW("energy_loss_uw", energy_loss_uw),
    OF_FLOW("pressure_loss_coefficient", pressure_loss_coefficient),
    {NULL, 0},
};

static const member load_members[] = {
    MEMBER("wss_mean_pa", load.mean_pa),
    MEMBER("wss_max_pa", load.max_pa),
    MEMBER("parent_wss_mean_pa", load.parent_mean_pa),
    MEMBER("parent_wss_deviation_pa", load.parent_deviation_pa),
    MEMBER("wss_mean_over_parent", load.normalised_mean),
    MEMBER("wss_max_over_parent", load.normalised_max),
    MEMBER("wss_below_tenth_of_parent_area_percent", load.low_area_percent),
    MEMBER("low_shear_area_percent", load.low_shear_percent),
    MEMBER("low_shear_index", load.low_shear_index),
    MEMBER("shear_concentration_index", load.shear_concentration),
    {NULL, 0},
};

static const member cycle_members[] = {
    MEMBER("osi_mean", load.osi_mean),
    MEMBER("osi_max", load.osi_max),
    MEMBER("rrt_mean_per_pa", load.rrt_mean_per_pa),
    {NULL, 0},
};

static void write_members(ht_json *json, const member *of, const void *from) {
  for (; of->key; of++) {
    double value;
    memcpy(&value, (const char *)from + of->at, sizeof value);
    ht_json_measured(json, of->key, value);
  }
}

static void read_members(struct fy_node *node, const member *of, void *to) {
  for (; of->key; of++) {
    double value = NAN; /* a number that is not known is null, or left out */
    ht_yaml_number(node, of->key, &value);
    memcpy((char *)to + of->at, &value, sizeof value);
  }
}

static const char *const neck_names[HT_NECKS] = {"neck_into_sac", "neck_to_vessel"};

static void write_moved(ht_json *json, const ht_sac_numbers *sac) {
  for (int n = 0; n < HT_NECKS; n++) {
    if (!(sac->moved[n].by_mm > 0)) continue;
    ht_json_object(json, neck_names[n]);
    ht_json_number(json, "by_mm", sac->moved[n].by_mm);
    const ht_sac_numbers moved = {.shape = sac->moved[n].shape};
    write_members(json, shape_members, &moved);
    ht_json_object_end(json);
  }
}

static void read_moved(struct fy_node *node, ht_sac_numbers *sac) {
  for (int n = 0; n < HT_NECKS; n++) {
    ht_sac_numbers moved = {.found = 0};
    struct fy_node *of = ht_yaml_get(node, neck_names[n]);
    if (!of) continue;
    ht_yaml_number(of, "by_mm", &sac->moved[n].by_mm);
    read_members(of, shape_members, &moved);
    sac->moved[n].shape = moved.shape;
  }
}

void ht_sac_json(ht_json *json, const ht_sac_numbers *sac) {
  if (!sac->is_sought) return;
  ht_json_object(json, "sac");
  ht_json_bool(json, "found", sac->found);
  if (!sac->found) {
    ht_json_string(json, "why_not", sac->why);
    ht_json_object_end(json);
    return;
  }
  ht_json_string(json, "neck_from", sac->by_plane ? "case" : "centrelines");
  ht_json_integer(json, "other_bulges", sac->others);
  ht_json_all_measured(json, "neck_mm", sac->neck.origin_mm, 3);
  ht_json_all_measured(json, "neck_normal", sac->neck.normal, 3);
  write_members(json, shape_members, sac);
  if (sac->parent.diameter_mm > 0) write_members(json, parent_members, sac);
  write_moved(json, sac);
  write_members(json, flow_members, &sac->flow);
  write_members(json, load_members, sac);
  if (sac->is_pulsatile) write_members(json, cycle_members, sac);
  if (sac->has_phase) {
    ht_json_object(json, "at_phase");
    write_members(json, flow_members, &sac->phase_flow);
    ht_json_object_end(json);
  }
  ht_json_object_end(json);
}

void ht_sac_read(struct fy_node *node, ht_sac_numbers *sac) {
  memset(sac, 0, sizeof *sac);
  if (!node) return;
  sac->is_sought = 1;
  ht_yaml_bool(node, "found", &sac->found);
  ht_yaml_text(node, "why_not", sac->why, sizeof sac->why);
  read_members(node, shape_members, sac);
  read_moved(node, sac);
  read_members(node, parent_members, sac);
  read_members(node, flow_members, &sac->flow);
  read_members(node, load_members, sac);
}

/* Adds the spread to the aspect ratio. */
static void print_spread(FILE *stream, const ht_sac_numbers *sac) {
  double least = sac->shape.aspect_ratio, most = least, by_mm = 0;
  for (int n = 0; n < HT_NECKS; n++) {
    const ht_sac_moved *moved = &sac->moved[n];
    if (!(moved->by_mm > 0)) continue;
    least = fmin(least, moved->shape.aspect_ratio);
    most = fmax(most, moved->shape.aspect_ratio);
    by_mm = fmax(by_mm, moved->by_mm);
  }
  if (by_mm > 0)
    fprintf(stream, " (%.3g to %.3g with the neck's plane %.2g mm off)", least, most, by_mm);
}

void ht_sac_print(FILE *stream, const ht_sac_numbers *sac) {
  if (!sac->is_sought) return;
  if (!sac->found) {
    fprintf(stream, "  no sac found          %s\n", sac->why);
    return;
  }
  fprintf(stream, "  sac                   %.3g mm3, %.3g mm high, neck %.3g mm; aspect ratio %.3g",
          sac->shape.volume_mm3, sac->shape.height_mm, sac->shape.neck_width_mm,
          sac->shape.aspect_ratio);
  print_spread(stream, sac);
  if (sac->parent.diameter_mm > 0) fprintf(stream, ", size ratio %.3g", sac->parent.size_ratio);
  fputc('\n', stream);
  if (!isfinite(sac->flow.inflow_share) || !isfinite(sac->load.normalised_mean)) return;
  fprintf(stream,
          "  flow into the sac     %.3g mL/s, %.3g %% of the parent's; wall shear stress %.3g Pa, "
          "%.2f of the parent's\n",
          sac->flow.inflow_ml_s, 100 * sac->flow.inflow_share, sac->load.mean_pa,
          sac->load.normalised_mean);
}
