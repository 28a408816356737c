#include "run/mask/draw_mask.h"
#include "core/work/jobs.h"
#include "export/pictures/pictures.h"
#include "run/inputs/load_inputs.h"

typedef struct {
  const ht_run *run;
  ht_picture_text text;
} drawing;

static ht_status draw_slices(void *user) {
  const drawing *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/mask_on_scan.png", path));
  return ht_picture_mask_on_scan(path, &run->imported.scan, &run->vessel.mask,
                                 &run->vessel.placed.openings, &of->text);
}

static ht_status draw_projection(void *user) {
  const drawing *of = user;
  const ht_run *run = of->run;
  char path[HT_PATH_MAX];
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/projection.png", path));
  return ht_picture_projection(path, &run->imported.scan, &run->vessel.mask,
                               &run->vessel.placed.openings, &of->text);
}

ht_status ht_run_draw_mask(ht_run *run) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  drawing of = {run, {.name = ht_run_name(&run->given, folder)}};
  const ht_job jobs[] = {{draw_slices, &of}, {draw_projection, &of}};
  HT_TRY(ht_need_scan(run));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  return ht_jobs_run(jobs, 2);
}
