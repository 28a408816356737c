#include "command_stage.h"
#include "console.h"
#include "json.h"

static ht_status write_tiling(const char *path, const ht_run *run) {
  const ht_tiling *tiling = &run->tiling;
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  ht_json json = {output.stream, 0, 1};
  double dim[3] = {tiling->dim[0], tiling->dim[1], tiling->dim[2]};
  double origin[3] = {tiling->origin[0], tiling->origin[1], tiling->origin[2]};
  ht_json_object(&json, NULL);
  ht_json_numbers(&json, "lattice", dim, 3);
  ht_json_number(&json, "spacing_mm", run->domain.mask.grid.spacing_mm[0]);
  ht_json_integer(&json, "fluid_nodes", tiling->nodes);
  ht_json_integer(&json, "tiles", tiling->tiles);
  ht_json_numbers(&json, "origin", origin, 3);
  ht_json_number(&json, "utilisation", tiling->utilisation);
  ht_json_number(&json, "utilisation_at_origin_000", tiling->utilisation_at_origin_000);
  ht_json_numbers(&json, "utilisation_of_every_origin", tiling->utilisation_of, 64);
  ht_json_object_end(&json);
  return ht_output_commit(&output);
}

ht_status ht_run_write_tiling(const ht_run *run) {
  char path[HT_PATH_MAX];
  const ht_tiling *tiling = &run->tiling;
  ht_console_note("tiles: %lld for %lld fluid nodes, utilisation %.1f %% (origin 0 0 0: %.1f %%)",
                  (long long)tiling->tiles, (long long)tiling->nodes, 100 * tiling->utilisation,
                  100 * tiling->utilisation_at_origin_000);
  HT_TRY(ht_run_path(run, HT_FILE_TILING, path));
  return write_tiling(path, run);
}

ht_status ht_stage_tile(ht_run *run) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_need_tiling(run));
  if (run->first == HT_STAGE_TILE) ht_place_tell(&run->placed.openings);
  HT_TRY(ht_run_path(run, HT_FILE_OPENINGS, path));
  HT_TRY(ht_placed_write(path, &run->placed));
  HT_TRY(ht_run_write_tiling(run));
  ht_folder_drop_after(run->folder, HT_STAGE_TILE);
  return HT_OK;
}

static const ht_usage usage = {
    "tile",
    "DIR",
    "cover the vessel with tiles",
    "Builds the flow domain (the mask with straight extensions at its openings), covers it with\n"
    "4x4x4 tiles, tries all 64 places of the tile grid, and writes tiling.json into the case\n"
    "folder DIR: the tile utilisation of each. `hemotile solve` does this by itself.",
    "  hemotile tile patient1",
    HT_TAKES_INFLOW,
};

int ht_command_tile(int argc, char **argv) {
  return ht_command_on_folder(&usage, argc, argv, HT_STAGE_TILE);
}
