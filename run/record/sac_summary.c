#include "run/record/sac_summary.h"
#include <math.h>

/* A measured number, which may be unknown: of the record, of its shape, of its flow. */
#define KNOWN .options = HT_SIX_DIGITS | HT_ABSENT_NAN
#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_sac_numbers, key, field), KNOWN }
#define SHAPE(key, field)                                                                          \
  { HT_MEMBER(ht_sac_shape, key, field), KNOWN }
#define FLOW(key, field)                                                                           \
  { HT_MEMBER(ht_sac_flow, key, field), KNOWN }
#define FLAG(field) HT_FLAG(ht_sac_numbers, field)
#define OF_BEAT(key, field)                                                                        \
  { HT_MEMBER(ht_sac_numbers, key, field), KNOWN, FLAG(is_pulsatile) }

static const ht_member shape_members[] = {
    SHAPE("volume_mm3", volume_mm3),
    SHAPE("wall_area_mm2", area_mm2),
    SHAPE("neck_area_mm2", neck_area_mm2),
    SHAPE("neck_width_mm", neck_width_mm),
    SHAPE("neck_widest_mm", neck_widest_mm),
    SHAPE("neck_narrowest_mm", neck_narrowest_mm),
    SHAPE("height_mm", height_mm),
    SHAPE("length_mm", length_mm),
    SHAPE("width_mm", width_mm),
    SHAPE("aspect_ratio", aspect_ratio),
    SHAPE("bottleneck_factor", bottleneck_factor),
    SHAPE("undulation_index", undulation),
    SHAPE("ellipticity_index", ellipticity),
    SHAPE("non_sphericity_index", non_sphericity),
    {0},
};

static const ht_member parent_members[] = {
    {HT_MEMBER(ht_sac_numbers, "parent_diameter_mm", parent.diameter_mm),
     .options = HT_SIX_DIGITS | HT_DECIDES},
    NUMBER("size_ratio", parent.size_ratio),
    NUMBER("vessel_angle_deg", parent.vessel_angle_deg),
    NUMBER("inclination_angle_deg", parent.inclination_angle_deg),
    NUMBER("flow_angle_deg", parent.flow_angle_deg),
    {0},
};

static const ht_member moved_members[] = {
    {HT_MEMBER(ht_sac_moved, "by_mm", by_mm), .options = HT_DECIDES},
    {HT_GROUP(shape_members), HT_AT(ht_sac_moved, shape)},
    {0},
};

static const ht_member flow_members[] = {
    FLOW("inflow_ml_s", inflow_ml_s),
    FLOW("neck_imbalance", neck_imbalance),
    FLOW("parent_flow_ml_s", parent_flow_ml_s),
    FLOW("inflow_share", inflow_share),
    FLOW("inflow_area_mm2", inflow_area_mm2),
    FLOW("inflow_concentration_index", inflow_concentration),
    FLOW("turnover_time_s", turnover_s),
    FLOW("mean_speed_m_s", mean_speed_m_s),
    FLOW("highest_speed_m_s", highest_speed_m_s),
    FLOW("viscous_dissipation_uw", dissipation_uw),
    FLOW("viscous_dissipation_w_m3", dissipation_w_m3),
    FLOW("parent_viscous_dissipation_w_m3", parent_dissipation_w_m3),
    FLOW("viscous_dissipation_ratio", dissipation_ratio),
    FLOW("vortex_core_length_mm", core_length_mm),
    FLOW("energy_loss_uw", energy_loss_uw),
    FLOW("pressure_loss_coefficient", pressure_loss_coefficient),
    {0},
};

static const char *const neck_words[] = {"centrelines", "case", NULL};

static const ht_member found_members[] = {
    {HT_MEMBER(ht_sac_numbers, "neck_from", by_plane), .words = neck_words},
    {HT_MEMBER(ht_sac_numbers, "other_bulges", others)},
    NUMBER("neck_mm", neck.origin_mm),
    NUMBER("neck_normal", neck.normal),
    {HT_GROUP(shape_members), HT_AT(ht_sac_numbers, shape)},
    {HT_GROUP(parent_members)},
    {HT_OBJECT(ht_sac_numbers, "neck_into_sac", moved[HT_NECK_INTO_SAC], moved_members)},
    {HT_OBJECT(ht_sac_numbers, "neck_to_vessel", moved[HT_NECK_TO_VESSEL], moved_members)},
    {HT_GROUP(flow_members), HT_AT(ht_sac_numbers, flow)},
    NUMBER("wss_mean_pa", load.mean_pa),
    NUMBER("wss_max_pa", load.max_pa),
    NUMBER("parent_wss_mean_pa", load.parent_mean_pa),
    NUMBER("parent_wss_deviation_pa", load.parent_deviation_pa),
    NUMBER("wss_mean_over_parent", load.normalised_mean),
    NUMBER("wss_max_over_parent", load.normalised_max),
    NUMBER("wss_below_tenth_of_parent_area_percent", load.low_area_percent),
    NUMBER("low_shear_area_percent", load.low_shear_percent),
    NUMBER("low_shear_index", load.low_shear_index),
    NUMBER("shear_concentration_index", load.shear_concentration),
    OF_BEAT("osi_mean", load.osi_mean),
    OF_BEAT("osi_max", load.osi_max),
    OF_BEAT("rrt_mean_per_pa", load.rrt_mean_per_pa),
    {HT_OBJECT(ht_sac_numbers, "at_phase", phase_flow, flow_members), FLAG(has_phase)},
    {0},
};

const ht_member ht_sac_members[] = {
    {HT_MEMBER(ht_sac_numbers, "found", found), .options = HT_BOOL},
    {HT_MEMBER(ht_sac_numbers, "why_not", why), .options = HT_UNLESS, FLAG(found)},
    {HT_GROUP(found_members), FLAG(found)},
    {0},
};

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
