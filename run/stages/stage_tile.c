#include "run/numbers/parts_report.h"
#include "run/openings/place_warn.h"
#include "run/checkpoint/run_guard.h"
#include "run/inputs/load_inputs.h"
#include "run/checkpoint/run_record.h"
#include "run/stages/stages.h"
#include "run/numbers/tile_report.h"

/* Keeps the flow of this very mask and these settings: a user who only wants to look at the tiles
 * does not lose it. */
static ht_status keep_flow(ht_run *run) {
  return ht_need_flow(run) == HT_OK ? ht_run_refuse_flow(&run->given) : HT_OK;
}

ht_status ht_stage_tile(ht_run *run) {
  HT_TRY(ht_need_tiling(run));
  if (run->given.first == HT_STAGE_TILE) {
    HT_TRY(keep_flow(run));
    ht_place_tell(&run->vessel.placed.openings);
  }
  ht_folder_drop_after(run->given.folder, HT_STAGE_TILE); /* results of the previous openings */
  HT_TRY(ht_run_write_openings(run->given.folder, &run->vessel.placed));
  HT_TRY(ht_run_write_tiling(&run->given, &run->domain, &run->tiling));
  return ht_run_write_parts(&run->given, &run->vessel, &run->domain, &run->tiling);
}
