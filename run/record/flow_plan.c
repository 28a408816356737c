#include "run/record/flow_plan.h"
#include <string.h>

static void throat_json(ht_json *json, const ht_flow_plan *plan) {
  if (!(plan->throat_mm > 0)) return;
  ht_json_object(json, "throat");
  ht_json_measured(json, "diameter_mm", plan->throat_mm);
  ht_json_measured(json, "flow_ml_s", plan->throat_flow_ml_s);
  ht_json_measured(json, "mean_velocity_m_s", plan->throat_speed_m_s);
  ht_json_measured(json, "peak_mean_velocity_m_s", plan->throat_peak_m_s);
  ht_json_all_measured(json, "centre_mm", plan->throat_centre_mm, 3);
  ht_json_measured(json, "nodes_across", plan->throat_nodes_across);
  ht_json_measured(json, "velocity_lu", plan->throat_velocity_lu);
  ht_json_measured(json, "cell_reynolds", plan->throat_cell_reynolds);
  ht_json_object_end(json);
}

static void physiology_json(ht_json *json, const ht_flow_plan *plan) {
  if (!(plan->heart_rate_per_min > 0)) return;
  ht_json_object(json, "physiology");
  ht_json_measured(json, "heart_rate_per_min", plan->heart_rate_per_min);
  ht_json_measured(json, "cardiac_output_l_min", plan->cardiac_output_l_min);
  ht_json_measured(json, "stroke_volume_ml", plan->stroke_volume_ml);
  ht_json_all_measured(json, "asked_blood_pressure_mmhg", plan->asked_mmhg, 2);
  ht_json_all_measured(json, "lumped_blood_pressure_mmhg", plan->lumped_mmhg, 2);
  ht_json_bool(json, "is_tuned", plan->tunes);
  ht_json_integer(json, "tuned_beats", plan->tuned_beats);
  ht_json_integer(json, "refused_beats", plan->refused_beats);
  ht_json_measured(json, "proximal_resistance_mmhg_s_ml", plan->proximal_mmhg_s_ml);
  ht_json_measured(json, "distal_resistance_mmhg_s_ml", plan->distal_mmhg_s_ml);
  ht_json_measured(json, "compliance_ml_mmhg", plan->compliance_ml_mmhg);
  ht_json_object_end(json);
}

void ht_flow_plan_json(ht_json *json, const ht_flow_plan *plan) {
  if (!plan->collision[0]) return;
  ht_json_object(json, "plan");
  ht_json_string(json, "collision", plan->collision);
  ht_json_string(json, "collision_why", plan->collision_why);
  if (plan->start[0]) ht_json_string(json, "start", plan->start);
  ht_json_measured(json, "inlet_cell_reynolds", plan->inlet_cell_reynolds);
  if (plan->expected_s > 0) ht_json_measured(json, "expected_seconds", plan->expected_s);
  if (plan->expected_mb > 0) ht_json_measured(json, "expected_memory_mb", plan->expected_mb);
  if (plan->expected_gpu_mb > 0)
    ht_json_measured(json, "expected_gpu_memory_mb", plan->expected_gpu_mb);
  throat_json(json, plan);
  ht_json_object_end(json);
  physiology_json(json, plan);
}

static void read_throat(struct fy_node *throat, ht_flow_plan *plan) {
  if (!throat) return;
  ht_yaml_number(throat, "diameter_mm", &plan->throat_mm);
  ht_yaml_number(throat, "flow_ml_s", &plan->throat_flow_ml_s);
  ht_yaml_number(throat, "mean_velocity_m_s", &plan->throat_speed_m_s);
  ht_yaml_number(throat, "peak_mean_velocity_m_s", &plan->throat_peak_m_s);
  ht_yaml_numbers(throat, "centre_mm", plan->throat_centre_mm, 3);
  ht_yaml_number(throat, "nodes_across", &plan->throat_nodes_across);
  ht_yaml_number(throat, "velocity_lu", &plan->throat_velocity_lu);
  ht_yaml_number(throat, "cell_reynolds", &plan->throat_cell_reynolds);
}

static void read_physiology(struct fy_node *of, ht_flow_plan *plan) {
  if (!of) return;
  ht_yaml_number(of, "heart_rate_per_min", &plan->heart_rate_per_min);
  ht_yaml_number(of, "cardiac_output_l_min", &plan->cardiac_output_l_min);
  ht_yaml_number(of, "stroke_volume_ml", &plan->stroke_volume_ml);
  ht_yaml_numbers(of, "asked_blood_pressure_mmhg", plan->asked_mmhg, 2);
  ht_yaml_numbers(of, "lumped_blood_pressure_mmhg", plan->lumped_mmhg, 2);
  ht_yaml_bool(of, "is_tuned", &plan->tunes);
  ht_yaml_int(of, "tuned_beats", &plan->tuned_beats);
  ht_yaml_int(of, "refused_beats", &plan->refused_beats);
  ht_yaml_number(of, "proximal_resistance_mmhg_s_ml", &plan->proximal_mmhg_s_ml);
  ht_yaml_number(of, "distal_resistance_mmhg_s_ml", &plan->distal_mmhg_s_ml);
  ht_yaml_number(of, "compliance_ml_mmhg", &plan->compliance_ml_mmhg);
}

void ht_flow_plan_read(struct fy_node *root, ht_flow_plan *plan) {
  struct fy_node *at = ht_yaml_get(root, "plan");
  memset(plan, 0, sizeof *plan);
  if (!at) return;
  ht_yaml_text(at, "collision", plan->collision, sizeof plan->collision);
  ht_yaml_text(at, "collision_why", plan->collision_why, sizeof plan->collision_why);
  ht_yaml_text(at, "start", plan->start, sizeof plan->start);
  ht_yaml_number(at, "inlet_cell_reynolds", &plan->inlet_cell_reynolds);
  read_throat(ht_yaml_get(at, "throat"), plan);
  read_physiology(ht_yaml_get(root, "physiology"), plan);
}
