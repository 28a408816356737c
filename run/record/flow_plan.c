#include "run/record/flow_plan.h"

/* A measured number; what a flow that was planned and not computed would take, which is of that run
 * alone. */
#define NUMBER(key, field)                                                                         \
  { HT_MEMBER(ht_flow_plan, key, field), .options = HT_SIX_DIGITS }
#define EXPECTED(key, field)                                                                       \
  { HT_MEMBER(ht_flow_plan, key, field), .options = HT_SIX_DIGITS | HT_OPTIONAL | HT_NOT_READ }
#define DECIDES .options = HT_SIX_DIGITS | HT_DECIDES

static const ht_member throat_members[] = {
    {HT_MEMBER(ht_flow_plan, "diameter_mm", throat_mm), DECIDES},
    NUMBER("flow_ml_s", throat_flow_ml_s),
    NUMBER("mean_velocity_m_s", throat_speed_m_s),
    NUMBER("peak_mean_velocity_m_s", throat_peak_m_s),
    NUMBER("centre_mm", throat_centre_mm),
    NUMBER("nodes_across", throat_nodes_across),
    NUMBER("velocity_lu", throat_velocity_lu),
    NUMBER("cell_reynolds", throat_cell_reynolds),
    {0},
};

static const ht_member physiology_members[] = {
    {HT_MEMBER(ht_flow_plan, "heart_rate_per_min", heart_rate_per_min), DECIDES},
    NUMBER("cardiac_output_l_min", cardiac_output_l_min),
    NUMBER("stroke_volume_ml", stroke_volume_ml),
    NUMBER("asked_blood_pressure_mmhg", asked_mmhg),
    NUMBER("lumped_blood_pressure_mmhg", lumped_mmhg),
    {HT_MEMBER(ht_flow_plan, "is_tuned", tunes), .options = HT_BOOL},
    {HT_MEMBER(ht_flow_plan, "tuned_beats", tuned_beats)},
    {HT_MEMBER(ht_flow_plan, "refused_beats", refused_beats)},
    NUMBER("proximal_resistance_mmhg_s_ml", proximal_mmhg_s_ml),
    NUMBER("distal_resistance_mmhg_s_ml", distal_mmhg_s_ml),
    NUMBER("compliance_ml_mmhg", compliance_ml_mmhg),
    {0},
};

static const ht_member levels_members[] = {
    {HT_MEMBER(ht_flow_plan, "why", levels_why), .options = HT_DECIDES},
    {HT_MEMBER(ht_flow_plan, "nodes", level_nodes), .options = HT_SIX_DIGITS,
     HT_NUMBER_AT(ht_flow_plan, levels)},
    {HT_MEMBER(ht_flow_plan, "share_of_updates", levels_updates),
     .options = HT_SIX_DIGITS | HT_OPTIONAL},
    {0},
};

static const ht_member plan_members[] = {
    {HT_MEMBER(ht_flow_plan, "collision", collision)},
    {HT_MEMBER(ht_flow_plan, "collision_why", collision_why)},
    {HT_MEMBER(ht_flow_plan, "start", start), .options = HT_OPTIONAL},
    NUMBER("inlet_cell_reynolds", inlet_cell_reynolds),
    EXPECTED("expected_seconds", expected_s),
    EXPECTED("expected_memory_mb", expected_mb),
    EXPECTED("expected_gpu_memory_mb", expected_gpu_mb),
    {HT_PART("throat", throat_members)},
    {HT_PART("levels", levels_members)},
    {0},
};

const ht_member ht_flow_plan_members[] = {
    {HT_PART("plan", plan_members)},
    {HT_PART("physiology", physiology_members)},
    {0},
};
