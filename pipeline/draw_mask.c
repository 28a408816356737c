#include "draw_mask.h"
#include "run_need.h"

ht_status ht_run_draw_mask(ht_run *run) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_picture_text text = {ht_run_name(run, folder), NULL};
  HT_TRY(ht_need_scan(run));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES, path));
  HT_TRY(ht_folder_make(path));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/mask_on_scan.png", path));
  HT_TRY(ht_picture_mask_on_scan(path, &run->scan, &run->mask, &run->placed.openings, &text));
  HT_TRY(ht_run_path(run, HT_FOLDER_PICTURES "/projection.png", path));
  return ht_picture_projection(path, &run->scan, &run->mask, &run->placed.openings, &text);
}
