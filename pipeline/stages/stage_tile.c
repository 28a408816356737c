#include "parts_report.h"
#include "place_warn.h"
#include "run_need.h"
#include "run_record.h"
#include "stages.h"
#include "tile_report.h"

ht_status ht_stage_tile(ht_run *run) {
  HT_TRY(ht_need_tiling(run));
  if (run->first == HT_STAGE_TILE) ht_place_tell(&run->placed.openings);
  ht_folder_drop_after(run->folder, HT_STAGE_TILE); /* results of the previous openings */
  HT_TRY(ht_run_write_openings(run));
  HT_TRY(ht_run_write_tiling(run));
  return ht_run_write_parts(run);
}
