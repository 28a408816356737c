/* Pictures of a flow and of the load on its wall whose colours have a range: the export draws them,
 * and `hemotile report` draws them again with another range. */
#ifndef HT_FLOW_PICTURES_H
#define HT_FLOW_PICTURES_H

#include "core/work/jobs.h"
#include "export/pictures/pictures.h"
#include "run/state/run_state.h"

/* Inputs of the results. Files and pictures are made in parallel, as jobs. */
typedef struct {
  ht_run *run;
  ht_surface surface; /* owned; its load by ht_flow_load_wall */
  ht_picture_text text;
  char folder[HT_PATH_MAX]; /* folder for the text */
} ht_flow_results;

/* Sets run and text: the case's name, the fault of its flow, the ends of the colour bars. */
void ht_flow_results_begin(ht_run *run, ht_flow_results *of);

/* Computes the load on the surface of the domain's wall. */
ht_status ht_flow_load_wall(const ht_run *run, ht_surface *surface);

/* Makes the text of a picture: after the name the moment of the beat, or that it is a mean. `text`
 * borrows `name`. */
enum { HT_FLOW_NAME_SIZE = HT_NAME_MAX + 48 };
void ht_flow_name(const ht_flow_results *of, int at_phase, char name[HT_FLOW_NAME_SIZE],
                  ht_picture_text *text);

/* Puts a job for each of the pictures into `jobs`, the largest first: velocity, that at a moment of
 * the beat, streamlines (of a pulse at that moment), wall, TAWSS. Skips pictures of what the flow
 * does not have. */
enum { HT_FLOW_PICTURES = 5 };
void ht_flow_pictures(ht_flow_results *of, ht_job jobs[HT_FLOW_PICTURES]);

#endif
