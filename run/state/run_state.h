/* One case on its way through the stages: its products in memory, and its case folder.
 * Each stage writes files into the folder. A stage takes its inputs from memory if an earlier stage
 * of the same run left them there, else from the folder (load_inputs.h). A function that needs a
 * part of the run takes that part.
 */
#ifndef HT_RUN_STATE_H
#define HT_RUN_STATE_H

#include "core/vessel/domain.h"
#include "export/report/report.h"
#include "run/process/console.h"
#include "run/record/manifest.h"
#include "run/record/time_summary.h"
#include "run/refine/refine.h"
#include "run/state/ahead.h"
#include "run/state/claim.h"
#include "run/state/given.h"
#include "run/state/imported.h"
#include "run/state/measured.h"
#include "run/state/run_vessel.h"
#include "run/state/sampled.h"
#include "run/state/solved.h"
#include "tiling/tiles.h"

/* The parts, in the order in which they come to be. */
typedef struct {
  ht_given given;
  ht_claim claim;
  ht_imported imported;
  ht_run_vessel vessel;
  ht_domain domain;
  ht_tiling tiling;
  ht_refined refined; /* levels of the flow's lattice */
  ht_ahead ahead;
  ht_solved solved;
  ht_sampled sampled;
  ht_measured measured;
  ht_report_view view;  /* view in the report; text NULL: none */
  ht_manifest manifest; /* the record of this run */
  ht_time_summary time; /* known at the end */
  ht_warnings warnings; /* for the summary and the report */
} ht_run;

/* Composes the path of a file in the folder. HT_ERR_USAGE: it is too long. */
ht_status ht_run_path(const ht_run *run, const char *name, char path[HT_PATH_MAX]);

/* Returns the triangles in memory, where the flow's walls follow them; NULL: they follow the mask's
 * voxels. */
const ht_triangles *ht_run_walls(const ht_run *run);

/* Frees the domain, and what is made from it. */
void ht_run_drop_domain(ht_run *run);

/* Frees the run and all that it owns; NULL is allowed. */
void ht_run_free(ht_run *run);

#endif
