#include "run/stages/flow_pictures.h"
#include "run/numbers/run_outcome.h"
#include "core/text/utf8.h"
#include <stdio.h>

void ht_flow_results_begin(ht_run *run, ht_flow_results *of) {
  of->run = run;
  of->text = (ht_picture_text){.name = ht_run_name(&run->given, of->folder),
                               .mark = ht_flow_fault_words(ht_flow_fault_of(&run->solved.stats)),
                               .speed_high_m_s = run->given.settings->speed_high_m_s,
                               .wss_high_pa = run->given.settings->wss_high_pa,
                               .lattice_mm = run->domain.mask.grid.spacing_mm[0]};
}

ht_status ht_flow_load_wall(const ht_run *run, ht_surface *surface) {
  HT_TRY(ht_surface_load(surface, &run->domain, &run->solved.flow));
  return ht_surface_resolve(surface, &run->solved.flow, ht_sampled_cycle(&run->sampled),
                            run->refined.coarser);
}

void ht_flow_name(const ht_flow_results *of, int at_phase, char name[HT_FLOW_NAME_SIZE],
                  ht_picture_text *text) {
  const ht_flow_stats *stats = &of->run->solved.stats;
  *text = of->text;
  if (stats->period_s == 0) return;
  int shown = ht_utf8_fit(of->text.name, HT_NAME_MAX);
  if (at_phase)
    snprintf(name, HT_FLOW_NAME_SIZE, "%.*s, %.3g s after the beat's start", shown, of->text.name,
             stats->phase_time_s);
  else
    snprintf(name, HT_FLOW_NAME_SIZE, "%.*s, mean flow of the beat", shown, of->text.name);
  text->name = name;
}

static ht_status draw_velocity(void *user) {
  const ht_flow_results *of = user;
  char path[HT_PATH_MAX], name[HT_FLOW_NAME_SIZE];
  ht_picture_text text;
  ht_flow_name(of, 0, name, &text);
  HT_TRY(ht_run_path(of->run, HT_FOLDER_PICTURES "/velocity.png", path));
  return ht_picture_velocity(path, &of->run->domain, &of->run->solved.flow, &text);
}

static ht_status draw_phase(void *user) {
  const ht_flow_results *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX], name[HT_FLOW_NAME_SIZE];
  ht_picture_text text;
  if (!run->solved.phase.velocity_m_s) return HT_OK;
  ht_flow_name(of, 1, name, &text);
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/velocity_phase.png", path));
  return ht_picture_velocity(path, &run->domain, &run->solved.phase, &text);
}

static ht_status draw_streamlines(void *user) {
  const ht_flow_results *of = user;
  const ht_run *run = of->run;
  const int at_phase = run->solved.phase.velocity_m_s != NULL;
  char path[HT_PATH_MAX], name[HT_FLOW_NAME_SIZE];
  ht_picture_text text;
  ht_flow_name(of, at_phase, name, &text);
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/streamlines.png", path));
  return ht_picture_streamlines(path, &run->domain,
                                at_phase ? &run->solved.phase : &run->solved.flow, &text);
}

static ht_status draw_wall(void *user) {
  const ht_flow_results *of = user;
  char path[HT_PATH_MAX], name[HT_FLOW_NAME_SIZE];
  ht_picture_text text;
  ht_flow_name(of, 0, name, &text);
  HT_TRY(ht_run_path(of->run, HT_FOLDER_PICTURES "/wall.png", path));
  return ht_picture_wall(path, &of->surface, &of->run->vessel.placed.openings, &text);
}

static ht_status draw_tawss(void *user) {
  const ht_flow_results *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  if (!ht_sampled_cycle(&run->sampled)) return HT_OK;
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/tawss.png", path));
  return ht_picture_tawss(path, &of->surface, &run->sampled.cycle, &run->vessel.placed.openings,
                          &of->text);
}

void ht_flow_pictures(ht_flow_results *of, ht_job jobs[HT_FLOW_PICTURES]) {
  jobs[0] = (ht_job){draw_velocity, of};
  jobs[1] = (ht_job){draw_phase, of};
  jobs[2] = (ht_job){draw_streamlines, of};
  jobs[3] = (ht_job){draw_wall, of};
  jobs[4] = (ht_job){draw_tawss, of};
}
