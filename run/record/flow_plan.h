/* Record of a flow's plan: throat, collision, the patient's heart and outlets. */
#ifndef HT_FLOW_PLAN_H
#define HT_FLOW_PLAN_H

#include "solver/solver.h"
#include "run/folder/members.h"

typedef struct {
  char collision[16]; /* "" : no flow was planned */
  char collision_why[200];
  char start[200]; /* state that the flow starts from, and why; "": an earlier version, from rest */
  double throat_flow_ml_s, throat_speed_m_s; /* at the mean flow */
  double throat_centre_mm[3];                /* LPS */
  double throat_mm;                          /* diameter of the circle with its area; 0: unknown */
  double throat_peak_m_s;                    /* mean velocity in it at the beat's peak */
  double throat_nodes_across, throat_velocity_lu;
  double inlet_cell_reynolds, throat_cell_reynolds;
  /* The lattice's levels, from the finest: their number, 0: one spacing; nodes of each; node
   * updates over those of one spacing; where the lattice is fine, or why it has one spacing. */
  int levels;
  double level_nodes[HT_COARSER_MOST + 1], levels_updates;
  char levels_why[240];
  /* Windkessels fitted to a blood pressure (place_outlets.h); heart_rate_per_min 0: none were. */
  double heart_rate_per_min, cardiac_output_l_min, stroke_volume_ml;
  int tunes;            /* 1: the solver tunes them until the inlet has the requested pressures */
  double asked_mmhg[2]; /* requested: systolic, diastolic */
  int tuned_beats; /* number of beats after which the Windkessels were tuned to the inlet's pressure
                    */
  int refused_beats;     /* number of beats after which no Windkessel could give it */
  double lumped_mmhg[2]; /* of the lumped model: systolic, diastolic */
  /* Cost of a flow that was planned and not computed; 0: none. Its time, the memory in addition to
   * what the program holds, the GPU's memory. */
  double expected_s, expected_mb, expected_gpu_mb;
  double proximal_mmhg_s_ml, distal_mmhg_s_ml, compliance_ml_mmhg; /* sum of all outlets */
} ht_flow_plan;

/* Largest difference from the blood pressure that the tuning accepts. */
#define HT_CUFF_MMHG 3

/* Members of the record: the objects "plan" and "physiology". */
extern const ht_member ht_flow_plan_members[];

#endif
