/* One case on its way through the stages: what is in memory, and what lies in the case folder.
 *
 * Each stage leaves files in the folder. A stage takes what it needs from memory where an earlier
 * stage of the same run left it, else from the folder.
 */
#ifndef HT_RUN_H
#define HT_RUN_H

#include "case.h"
#include "export.h"
#include "folder.h"
#include "manifest.h"
#include "place.h"
#include "sensitivity.h"

typedef struct {
  ht_case *settings; /* owned */
  char folder[HT_PATH_MAX];
  char typed[HT_PATH_MAX + 2]; /* the folder as typed in a command: in quotes where it needs them */
  int force;     /* replace a mask that was edited by hand, and the case of another scan */
  int own_scan;  /* the folder's scan is the input: nothing to import */
  int keep_case; /* the folder's case.yaml was edited by hand: keep it under another name */
  int claimed;   /* its lock is ours, and `held` is read */
  int keep_mask; /* so was its mask.nii.gz, and `force` has it replaced */
  ht_stage first, last;
  ht_manifest held; /* of the folder, as it was when its lock became ours */
  ht_manifest manifest;
  ht_path_list files; /* that the import read. Owned */

  ht_volume scan;                 /* values NULL: not in memory */
  ht_mask drawn;                  /* a ready mask as imported */
  ht_vessel *vessel;              /* while its lattice is chosen; else NULL */
  ht_mask mask;                   /* on the isotropic lattice, cut at the openings */
  char mask_sha256[HT_HASH_TEXT]; /* of mask.nii.gz as it is now */
  int mask_edited;                /* it is not as hemotile wrote it */
  int has_openings;
  ht_placed placed;
  ht_domain domain;
  ht_tiling tiling;
  ht_flow flow;
  ht_flow_stats stats;
  ht_wall_cycle cycle; /* samples 0: a steady flow */
  ht_wall_stats wall;
  ht_cycle_stats cycle_stats;
  ht_sensitivity sensitivity;
  ht_status outcome; /* of the flow: HT_OK or HT_ERR_NOT_STEADY */
  char outcome_message[1024];
} ht_run;

/* A run of the stages `first` to `last` in the folder. Takes `settings` (also on a failure).
 * Refuses folders as ht_folder_check; free with ht_run_free. */
ht_status ht_run_begin(ht_run *run, ht_case *settings, const char *folder, ht_stage first,
                       ht_stage last, int force);

/* The same on a case folder that has been begun, with the settings of its case.yaml.
 * HT_ERR_NOT_FOUND where it is none. */
ht_status ht_run_open(const char *folder, ht_case **settings);

/* Runs the stages; on a failure the hint of the console says what to look at. A flow that is not
 * steady, or that pulses and is not periodic, is exported all the same, and HT_ERR_NOT_STEADY
 * returned at the end. */
ht_status ht_run_stages(ht_run *run);
void ht_run_free(ht_run *run);

/* After these, where the case asks for it: runs it with the wall further in and out, in case
 * folders of their own (sensitivity/), and writes the summary once more, with what came out. What
 * cannot be run is part of that. Errors of the machine, HT_ERR_INTERRUPTED. */
ht_status ht_run_sensitivity(ht_run *run);

/* The stages, one in the file of each subcommand. */
ht_status ht_stage_import(ht_run *run);
ht_status ht_stage_segment(ht_run *run);
ht_status ht_stage_tile(ht_run *run);
ht_status ht_stage_solve(ht_run *run);
ht_status ht_stage_export(ht_run *run);

/* What a stage needs, from memory or the folder (run_need.c). */
ht_status ht_need_scan(ht_run *run);   /* scan; of a ready mask: the mask as an image */
ht_status ht_need_drawn(ht_run *run);  /* the ready mask as imported */
ht_status ht_need_domain(ht_run *run); /* also mask, mask_sha256, mask_edited, placed */
ht_status ht_need_tiling(ht_run *run);
ht_status ht_need_flow(ht_run *run);

/* Path of a file of the folder. */
ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]);

/* What the results call the case: its name, or the folder's where it has none. */
const char *ht_run_name(const ht_run *run, char folder[HT_PATH_MAX]);

/* What a run may not replace (run_guard.c): the case of another scan, and a mask that was edited by
 * hand, unless forced: HT_ERR_USAGE. The first locks the folder, reads its record into `held`, and
 * refuses what is known to be wrong by then; it sets keep_case and keep_mask. The second is asked
 * with the lock, when the scan has been read (and is in `manifest`), before anything is replaced.
 */
ht_status ht_run_claim(ht_run *run);
ht_status ht_run_guard_scan(const ht_run *run);
/* Give what was edited another name, where it is about to be replaced. */
ht_status ht_run_keep_case(ht_run *run);
ht_status ht_run_keep_mask(ht_run *run);

/* What the manifest calls the input: "phantom pipe, seed 1", its path where identities are kept, or
 * ht_identity_label, whose errors it has: then the name lacks the hash. */
ht_status ht_run_input_name(const ht_case *settings, char name[HT_PATH_MAX]);

/* What is wrong with a flow that was computed (run_outcome.c); and in words, for pictures: NULL
 * where nothing is. */
typedef enum {
  HT_FLOW_GOOD = 0,
  HT_FLOW_NOT_STEADY,
  HT_FLOW_NOT_PERIODIC, /* pulsatile: the last two beats differ */
  HT_FLOW_NOT_BALANCED  /* pulsatile: over the beat more flows in than out, or less */
} ht_flow_fault;
ht_flow_fault ht_flow_fault_of(const ht_flow_stats *stats);
const char *ht_flow_fault_words(ht_flow_fault fault);
/* Sets the outcome by it, where none is set yet and the steps were not asked for: whether computed
 * just now or read from the folder, such a flow ends the command with HT_ERR_NOT_STEADY. */
void ht_run_judge(ht_run *run);

/* The second line of a failure: what to do next (run_hint.c). */
void ht_run_hint_failed(const ht_run *run, ht_stage stage, ht_status status);
void ht_run_hint_not_steady(const ht_run *run);
void ht_run_quote_folder(ht_run *run); /* sets `typed` */

/* Writes case.yaml and manifest.json. */
ht_status ht_run_record(ht_run *run);

/* Writes openings.json and openings.mrk.json. */
ht_status ht_run_write_openings(const ht_run *run);

/* Writes tiling.json and the picture of the tiles, and tells of them (tile_report.c). */
ht_status ht_run_write_tiling(const ht_run *run);

/* The lattice (run_lattice.c). Where neither nodes_across nor spacing_mm is given, a vessel has at
 * least so many nodes across its widest opening, and more where its flow needs it. */
enum { HT_LEAST_NODES_ACROSS = 20 };
int ht_run_lattice_is_auto(const ht_run *run);
/* Of a vessel whose openings are placed: 0 where as many nodes lie across the widest as
 * nodes_across says (or the least, where that is automatic), to a node or 5 %, or where spacing_mm
 * is given; else the spacing that puts them there. */
double ht_run_mended_spacing(const ht_run *run);
double ht_run_nodes_across(const ht_run *run); /* the widest opening, as it is; 0: there is none */
/* Of a vessel that was found with the least: the spacing that its flow and its narrowest place need
 * (HT_FEWEST_NODES_ACROSS, as far as twice the nodes across the widest opening go and the memory
 * in all does), 0 where that does (or its flow is not known yet). Says what it chose.
 * HT_ERR_MEMORY: that is not free; *spacing_mm is still that of a narrow place. */
ht_status ht_run_choose_lattice(const ht_run *run, double *spacing_mm);
int64_t ht_run_most_voxels(void); /* of a mask's box, that fit what is free; 0: not known */

/* Says which lattice and step a run takes, and why. Errors as ht_solver_plan. */
ht_status ht_run_explain(const ht_run *run, const ht_solver_options *options);

/* Draws the mask and its openings on the scan. */
ht_status ht_run_draw_mask(ht_run *run);

#endif
