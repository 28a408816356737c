/* One case on its way through the stages: its products in memory, and its case folder.
 * Each stage writes files into the folder. A stage takes its inputs from memory if an earlier stage
 * of the same run left them there, else from the folder (load_inputs.h).
 */
#ifndef HT_RUN_STATE_H
#define HT_RUN_STATE_H

#include "run/case/case.h"
#include "export/export.h"
#include "run/folder/folder.h"
#include "export/beat/gradient.h"
#include "import/import.h"
#include "run/folder/input_stamps.h"
#include "run/record/manifest.h"
#include "run/openings/place_outlets.h"
#include "run/openings/placed.h"
#include "run/record/plausible_summary.h"
#include "export/report/report.h"
#include "run/record/sac_summary.h"
#include "run/record/sensitivity.h"
#include "run/folder/series_file.h"
#include "core/text/shell_word.h"
#include "core/work/side_work.h"
#include "segment/openings/throat.h"
#include "run/record/time_summary.h"
#include "core/vessel/vessel_path.h"
#include "export/wall/wall_moments.h"

/* State of the folder as this run found it, and the right to replace what is in it
 * (run_guard.h). */
typedef struct {
  int force;        /* --force: replace a mask edited by hand, and the case of another scan */
  int claimed;      /* this run has its lock and has read `held` */
  int own_scan;     /* the folder's scan is the input: nothing to import */
  int keep_case;    /* its case.yaml was edited by hand: keep it under another name */
  int keep_mask;    /* so may be its mask.nii.gz, which `force` replaces: keep a copy */
  ht_manifest held; /* its record as this run found it */
} ht_run_claim_state;

/* The flow and its load on the wall. */
typedef struct {
  ht_flow flow;
  ht_flow phase; /* pulsatile: the flow at a moment of the beat; velocity_m_s NULL: none */
  ht_flow_stats stats;
  ht_wall_moments moments;  /* moments of the last beat; moments 0: none */
  ht_wall_cycle cycle;      /* samples 0: a steady flow */
  ht_series_record *record; /* samples of a beat, being written; NULL: none. Owned */
  ht_beat_series series;    /* the samples, being read; samples 0: none */
  ht_beat beat;             /* samples 0: a steady flow not yet exported */
  ht_beat batches;          /* of a steady inflow's averaged flow: beat is the series */
  ht_gradient gradient;
  ht_sac_numbers sac;
  ht_sac_mesh sac_mesh; /* points 0: no sac was found */
  ht_wall_stats wall;
  ht_cycle_stats cycle_stats;
  ht_plausible plausible;
  ht_status outcome; /* HT_OK or HT_ERR_NOT_STEADY */
  char outcome_message[1024];
} ht_run_result;

/* Throat as last found, and its mask: the lattice, the extensions and the solver need it. */
typedef struct {
  char mask_sha256[HT_HASH_TEXT]; /* "": none found */
  ht_openings openings;
  double outflow_ml_s[HT_OPENINGS_MAX];
  ht_throat throat;
} ht_run_throat_found;

typedef struct {
  ht_case *settings; /* owned */
  char folder[HT_PATH_MAX];
  int dry;           /* --dry-run: the flow is planned and not computed */
  int restart;       /* --restart: the flow begins from the start, whatever checkpoints there are */
  int only_page;     /* the report and its pictures: no paths through the vessel */
  int no_pictures;   /* --no-pictures: the export leaves out what `report` can draw */
  int parts;         /* --parts: number of ranks whose parts the tiling shows; 0: none */
  int64_t kept_step; /* step of the latest checkpoint of this run's flow; 0: none */
  char typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)]; /* the folder as a word of a shell */
  ht_stage first, last;
  double begun_s; /* start on ht_clock_s; for the first run of a program: when the program began */
  ht_time_summary time; /* known at the end */
  ht_run_claim_state claim;
  ht_manifest manifest;       /* the record of this run */
  const ht_manifest *repeats; /* record that the run repeats; NULL: none. Borrowed */
  ht_path_list files;         /* read by the import; owned */
  ht_input_stamps stamps; /* stamps of the input, before it is examined; {0}: not taken. Owned */
  ht_dicom_look look;     /* what was seen of the input before the import. Owned */

  ht_volume scan;       /* values NULL: not in memory */
  ht_mask drawn;        /* the ready mask as imported */
  ht_triangles surface; /* that `drawn` was made of; corner NULL: not in memory, or none */
  ht_vessel *vessel;    /* NULL except while the lattice is chosen */
  ht_mask mask;         /* on the isotropic lattice, cut at the openings */
  ht_triangles walls; /* surface between the voxels that the mask is a sampling of; corner NULL: not
                         in memory, or none */
  const ht_volume *given_wall;    /* distance from the wall of a mask that the program made; NULL:
                                     no. Borrowed */
  char mask_sha256[HT_HASH_TEXT]; /* hash of mask.nii.gz at present */
  int mask_edited;                /* mask.nii.gz differs from hemotile's own */
  int has_openings;
  ht_placed placed;
  ht_physiology physiology; /* the outlets' Windkessels */
  ht_vessel_path path;      /* path through mask and openings; stations 0: not in memory, or none */
  ht_run_throat_found *throat; /* owned; NULL: not kept */
  ht_domain domain;
  /* Products of the domain and the openings, where the export follows: the wall's surface, its load
   * none or that of any moment (points 0: not made), and the paths to the outlets (NULL: not made).
   * Owned */
  ht_surface wall;
  struct ht_sac_ways *ways;
  ht_side_work
      *side; /* makes these while a GPU computes (export_during_flow.h); NULL: nothing. Owned */
  ht_tiling tiling;
  ht_run_result result;
  ht_sensitivity sensitivity;
  ht_report_view view; /* view in the report; text NULL: none */
} ht_run;

/* Composes the path of a file in the folder. HT_ERR_USAGE: it is too long. */
ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]);

/* Returns the name of a case in the folder `results`: settings->name, else that folder's name (in
 * `folder`). */
const char *ht_name_in(const ht_case *settings, const char *results, char folder[HT_PATH_MAX]);

/* Returns the name of the case in the run's own folder. */
const char *ht_run_name(const ht_run *run, char folder[HT_PATH_MAX]);

/* Returns the source of the flow's mean numbers: its beats, or the parts of a time of averaging. */
const ht_beat *ht_run_beat(const ht_run *run);

/* Returns the load on the wall over the beat; NULL: the flow is steady. */
const ht_wall_cycle *ht_run_cycle(const ht_run *run);

/* Frees the domain, and what is made from it. */
void ht_run_drop_domain(ht_run *run);

/* Frees what was kept of the input's files: stamps and look. */
void ht_run_forget_input(ht_run *run);

/* Frees the run and all that it owns; NULL is allowed. */
void ht_run_free(ht_run *run);

#endif
