#include "run/numbers/parts_report.h"
#include "export/pictures/pictures.h"
#include "run/process/console.h"
#include "core/formats/json.h"
#include "run/lattice/run_plan.h"
#include "solver/solver.h"
#include "run/numbers/tile_report.h"
#include <stddef.h>
#include <stdlib.h>

/* Maximum number of parts that the console has a line for. */
enum { LINES = 16 };

typedef struct {
  int parts;
  const char *precision;
  ht_part_figures *of; /* [parts], owned */
  int32_t *part;       /* [tiles], owned */
  double most_load;
  int64_t border_tiles, bytes, most_bytes, least_tiles, most_tiles;
} report;

static void sum_up(report *r) {
  r->least_tiles = INT64_MAX;
  for (int p = 0; p < r->parts; p++) {
    const ht_part_figures *of = &r->of[p];
    r->border_tiles += of->border_tiles;
    r->bytes += of->sent_bytes;
    if (of->load > r->most_load) r->most_load = of->load;
    if (of->received_bytes > r->most_bytes) r->most_bytes = of->received_bytes;
    if (of->tiles > r->most_tiles) r->most_tiles = of->tiles;
    if (of->tiles < r->least_tiles) r->least_tiles = of->tiles;
  }
}

static void tell(int64_t tiles, const report *r) {
  ht_console_note("parts: %d ranks of %lld to %lld tiles; the costliest step is %.1f %% above the "
                  "mean; %lld of %lld tiles are at a border; %.3g kB cross in a step, at most %.3g "
                  "kB to one rank (%s)",
                  r->parts, (long long)r->least_tiles, (long long)r->most_tiles,
                  100 * (r->most_load - 1), (long long)r->border_tiles, (long long)tiles,
                  1e-3 * (double)r->bytes, 1e-3 * (double)r->most_bytes, r->precision);
  for (int p = 0; p < r->parts && p < LINES; p++) {
    const ht_part_figures *of = &r->of[p];
    ht_console_note("  rank %d: %lld tiles (%lld at a border), %lld fluid nodes, cost %.3f of the "
                    "mean; receives %.3g kB a step; neighbours: %d",
                    p, (long long)of->tiles, (long long)of->border_tiles, (long long)of->nodes,
                    of->load, 1e-3 * (double)of->received_bytes, of->neighbours);
  }
}

static void part_json(ht_json *json, int p, const ht_part_figures *of) {
  ht_json_object(json, NULL);
  ht_json_integer(json, "rank", p);
  ht_json_integer(json, "tiles", of->tiles);
  ht_json_integer(json, "border_tiles", of->border_tiles);
  ht_json_integer(json, "fluid_nodes", of->nodes);
  ht_json_number(json, "cost_over_mean", of->load);
  ht_json_integer(json, "sent_bytes", of->sent_bytes);
  ht_json_integer(json, "received_bytes", of->received_bytes);
  ht_json_integer(json, "neighbours", of->neighbours);
  ht_json_object_end(json);
}

static ht_status write_json(const char *folder, int64_t tiles, const report *r) {
  char path[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  HT_TRY(ht_path_join(path, folder, HT_FILE_PARTS));
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_integer(&json, "ranks", r->parts);
  ht_json_string(&json, "precision", r->precision);
  ht_json_integer(&json, "tiles", tiles);
  ht_json_integer(&json, "border_tiles", r->border_tiles);
  ht_json_number(&json, "imbalance", r->most_load - 1);
  ht_json_integer(&json, "bytes_a_step", r->bytes);
  ht_json_integer(&json, "most_bytes_to_a_rank", r->most_bytes);
  ht_json_array(&json, "parts");
  for (int p = 0; p < r->parts; p++) part_json(&json, p, &r->of[p]);
  ht_json_array_end(&json);
  return ht_json_commit(&json, &output);
}

static ht_status draw(const ht_given *given, const ht_domain *domain, const ht_tiling *tiling,
                      const report *r) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX];
  const ht_picture_text text = {.name = ht_run_name(given, folder)};
  ht_tile_places places;
  int32_t *first;
  HT_TRY(ht_path_join(path, given->folder, HT_FILE_PARTS_DRAWN));
  HT_TRY(ht_run_tile_places(tiling, &places, &first));
  ht_status status = ht_picture_parts(path, domain, &places, r->parts, r->part, &text);
  free(first);
  return status;
}

static ht_status find(const ht_case *settings, const ht_run_vessel *vessel, const ht_domain *domain,
                      const ht_tiling *tiling, report *r) {
  ht_solver_options options = ht_run_options(settings, &vessel->placed.openings);
  ht_flow_plan plan; /* this run computes no flow */
  HT_TRY(ht_alloc((void **)&r->of, (size_t)r->parts, sizeof *r->of, "the parts"));
  HT_TRY(ht_alloc((void **)&r->part, (size_t)tiling->tiles, sizeof *r->part, "the parts"));
  HT_TRY(ht_run_plan_flow(settings, vessel, domain, &options, &plan));
  r->precision = ht_precision_words[options.precision];
  return ht_solver_parts(domain, tiling, &options, r->parts, r->of, r->part);
}

ht_status ht_run_write_parts(const ht_given *given, const ht_run_vessel *vessel,
                             const ht_domain *domain, const ht_tiling *tiling) {
  report r = {.parts = given->parts};
  if (given->parts == 0) return HT_OK;
  ht_status status = find(given->settings, vessel, domain, tiling, &r);
  if (status == HT_OK) {
    sum_up(&r);
    tell(tiling->tiles, &r);
    status = write_json(given->folder, tiling->tiles, &r);
  }
  if (status == HT_OK) status = draw(given, domain, tiling, &r);
  free(r.of);
  free(r.part);
  return status;
}
