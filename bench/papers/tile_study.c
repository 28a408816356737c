#include "bench/papers/tile_study.h"
#include "bench/measure/bench_geometry.h"
#include "solver/cuda/blocks/blocks.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "phantom/geometry.h"
#include "core/formats/json.h"
#include "bench/papers/tables/paper_tables.h"
#include "phantom/phantom.h"
#include "export/drawing/plot.h"
#include "tiling/tiling.h"
#include "core/version.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_STUDY "study.json" /* marks the folder: written first */

enum { SIZES = HT_CHANNEL_MOST - HT_CHANNEL_LEAST + 1, TILINGS = HT_CHANNEL_TILINGS };
enum { POROSITIES = 9, VESSELS = 2, PHANTOMS = 2, MASKS = POROSITIES + VESSELS + PHANTOMS + 1 };

static const uint64_t seed = 1; /* of the geometries */
static const ht_rgb teal = {64, 200, 176}, amber = {240, 196, 92}, blue = {106, 182, 255};
static const ht_rgb coral = {255, 122, 92}, grey = {112, 122, 134};

/* ---- utilisations ---- */

static int compare(const void *a, const void *b) {
  double one = *(const double *)a, other = *(const double *)b;
  return (one > other) - (one < other);
}

ht_tile_spread ht_tile_spread_of(const double *utilisation, int count) {
  double sorted[HT_TILE_ORIGINS];
  ht_tile_spread spread = {.origin_000 = utilisation[0], .distinct = 1};
  memcpy(sorted, utilisation, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  for (int i = 0; i < count; i++) {
    spread.mean += sorted[i] / count;
    spread.distinct += i > 0 && sorted[i] != sorted[i - 1];
  }
  spread.min = sorted[0];
  spread.max = sorted[count - 1];
  return spread;
}

/* The utilisations of the first `count` origins. */
static ht_status measure(const ht_mask *mask, int count, double *utilisation) {
  int64_t nodes, tiles[HT_TILE_ORIGINS];
  HT_TRY(ht_tiling_count_origins(mask, &nodes, tiles));
  if (nodes == 0) return ht_fail(HT_ERR_VESSEL, "the mask is empty: there is nothing to tile");
  for (int o = 0; o < count; o++)
    utilisation[o] = (double)nodes / ((double)HT_TILE_NODES * (double)tiles[o]);
  return HT_OK;
}

/* A piece one tile long represents the whole channel, because the first 16 origins do not shift the
 * grid along it. */
ht_status ht_tile_channel(int across, int round, double utilisation[TILINGS]) {
  ht_mask mask;
  HT_TRY(ht_geometry_channel(across, HT_TILE_SIDE, round, &mask));
  ht_status status = measure(&mask, TILINGS, utilisation);
  ht_mask_free(&mask);
  return status;
}

int ht_tile_stays_above(const double *value, int sizes, double bar) {
  int from = sizes;
  while (from > 0 && value[from - 1] > bar) from--;
  return from == sizes ? 0 : HT_CHANNEL_LEAST + from;
}

/* ---- channels: figures 8 and 10 ---- */

typedef struct {
  double across[SIZES], min[SIZES], mean[SIZES], max[SIZES];
  int distinct[SIZES];
  double every_across[SIZES * TILINGS], every[SIZES * TILINGS];
} channels;

static ht_status measure_channels(int round, channels *c) {
  for (int i = 0; i < SIZES; i++) {
    HT_TRY(ht_tile_channel(HT_CHANNEL_LEAST + i, round, c->every + TILINGS * i));
    ht_tile_spread spread = ht_tile_spread_of(c->every + TILINGS * i, TILINGS);
    c->across[i] = HT_CHANNEL_LEAST + i;
    for (int o = 0; o < TILINGS; o++) c->every_across[TILINGS * i + o] = c->across[i];
    c->min[i] = spread.min;
    c->mean[i] = spread.mean;
    c->max[i] = spread.max;
    c->distinct[i] = spread.distinct;
  }
  return HT_OK;
}

static ht_status write_channels(const char *path, const channels *c) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("nodes_across,utilisation_min,utilisation_mean,utilisation_max,distinct_of_16\n",
        output.stream);
  for (int i = 0; i < SIZES; i++)
    fprintf(output.stream, "%g,%.6f,%.6f,%.6f,%d\n", c->across[i], c->min[i], c->mean[i], c->max[i],
            c->distinct[i]);
  return ht_output_commit(&output);
}

static ht_status plot_channels(const char *path, int round, const channels *c) {
  const ht_plot_series series[] = {
      {"one of the 16 placements", grey, 0, 9, SIZES * TILINGS, c->every_across, c->every, NULL, 0},
      {"highest", teal, 1, 2.4, SIZES, c->across, c->max, NULL, 0},
      {"lowest", coral, 1, 2.4, SIZES, c->across, c->min, NULL, 0},
      {"mean of the 16", amber, 1, 2.4, SIZES, c->across, c->mean, NULL, 0},
  };
  const ht_plot plot = {
      .title =
          round ? "Tile utilisation of a round channel" : "Tile utilisation of a square channel",
      .x = {round ? "diameter, nodes" : "side, nodes", 0, 128, 16},
      .y = {"tile utilisation: fluid nodes / (64 x tiles), no unit", 0, 1, 0.1},
      .series = 4,
      .one = series,
      .note = {round ? "An endless channel along an axis, as figure 10 of Tomczak & Szafran (2019)."
                     : "An endless channel along an axis, as figure 8 of Tomczak & Szafran (2019).",
               "Tiles of 4 x 4 x 4 nodes; their grid can lie in 16 ways across the channel."}};
  return ht_plot_write(path, &plot);
}

/* ---- sparse geometries: figure 20 ---- */

typedef struct {
  char name[48];
  int sphere; /* one of the row of spheres */
  double porosity;
  int64_t nodes;
  ht_tile_spread spread;
  double storage;               /* utilisation of the GPU's blocks */
  double paper, paper_porosity; /* its figures; NAN */
  const char *paper_name;       /* of its vessel, in the plot; may be NULL */
} sparse;

/* The tile utilisation that the paper gives for a geometry; NAN. */
static double paper_utilisation(const char *geometry, double porosity) {
  static ht_paper_entry entry[HT_PAPER_ENTRIES];
  int count = ht_paper_table_entries(ht_paper_table_find("fig19"), entry);
  for (int i = 0; i < count; i++)
    if (strcmp(entry[i].geometry, geometry) == 0 &&
        (entry[i].porosity == 0 || fabs(entry[i].porosity - porosity) < 1e-6))
      return entry[i].utilisation;
  return NAN;
}

ht_status ht_tile_spread_mask(const ht_mask *mask, ht_tile_spread *spread, double *storage) {
  ht_tiling tiling;
  int64_t packed;
  memset(spread, 0, sizeof *spread);
  *storage = 0;
  HT_TRY(ht_tiling_build(mask, NULL, &tiling));
  int64_t blocks = ht_blocks_count(&tiling, HT_BLOCK_FILL, &packed);
  *storage = (double)tiling.nodes / ((double)HT_TILE_NODES * (double)blocks);
  *spread = ht_tile_spread_of(tiling.utilisation_of, HT_TILE_ORIGINS);
  ht_tiling_free(&tiling);
  return HT_OK;
}

static ht_status measure_row(const ht_mask *mask, const char *name, sparse *row) {
  snprintf(row->name, sizeof row->name, "%s", name);
  row->nodes = ht_mask_count(mask);
  row->porosity = (double)row->nodes / (double)ht_grid_voxels(&mask->grid);
  ht_status status = ht_tile_spread_mask(mask, &row->spread, &row->storage);
  return status == HT_OK ? HT_OK : ht_fail_in(status, name);
}

static void add_paper(const char *geometry, double porosity, sparse *row) {
  row->paper = paper_utilisation(geometry, porosity);
  row->paper_porosity = isfinite(row->paper) ? porosity : NAN;
}

static ht_status measure_sparse(const ht_bench_geometry *geometry, sparse *row) {
  ht_mask mask;
  HT_TRY(ht_bench_geometry_mask(geometry, &mask));
  ht_status status = measure_row(&mask, geometry->label, row);
  ht_mask_free(&mask);
  row->sphere = geometry->kind == HT_BENCH_SPHERES;
  add_paper(geometry->name, geometry->porosity, row);
  return status;
}

/* Shapes like the paper's two vessels, with as many nodes. */
typedef struct {
  const char *name;
  ht_phantom_kind kind;
  double nodes;
  const char *paper; /* the benchmark's geometry for the same vessel */
  const char *paper_name;
} phantom_row;

static const phantom_row phantoms[PHANTOMS] = {
    {"phantom-aneurysm", HT_PHANTOM_ANEURYSM, 14.8e6, "vessels", "the paper's aneurysm"},
    {"phantom-coarctation", HT_PHANTOM_COARCTATION, 0.66e6, "vessels-small",
     "the paper's coarctation"},
};

static ht_status measure_phantom(const phantom_row *phantom, sparse *row) {
  ht_mask mask;
  ht_bench_geometry like;
  HT_TRY(ht_bench_geometry_choose(phantom->paper, 0, 0, seed, &like));
  HT_TRY(ht_phantom_vessel(phantom->kind, phantom->nodes, &mask));
  ht_status status = measure_row(&mask, phantom->name, row);
  ht_mask_free(&mask);
  add_paper(phantom->paper, like.porosity, row);
  row->paper_name = phantom->paper_name;
  return status;
}

static ht_status measure_file(const char *mask_file, sparse *row) {
  ht_bench_geometry geometry;
  HT_TRY(ht_bench_geometry_of_file(mask_file, &geometry));
  return measure_sparse(&geometry, row);
}

/* Geometry `number` of MASKS: spheres, tubes, phantoms, the file. */
static ht_status measure_number(int number, const char *mask_file, sparse *row) {
  static const char *const vessels[VESSELS] = {"vessels", "vessels-small"};
  ht_bench_geometry geometry;
  int vessel = number - POROSITIES, phantom = vessel - VESSELS;
  memset(row, 0, sizeof *row);
  if (phantom == PHANTOMS) return measure_file(mask_file, row);
  if (phantom >= 0) return measure_phantom(&phantoms[phantom], row);
  if (vessel >= 0)
    HT_TRY(ht_bench_geometry_choose(vessels[vessel], 0, 0, seed, &geometry));
  else
    HT_TRY(ht_bench_geometry_choose("spheres", 0, 0.1 * (number + 1), seed, &geometry));
  return measure_sparse(&geometry, row);
}

static void print_known(FILE *stream, double value, const char *after) {
  if (isfinite(value)) fprintf(stream, "%.3f", value);
  fputs(after, stream);
}

static ht_status write_sparse(const char *path, const sparse *row, int count) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("geometry,porosity,fluid_nodes,utilisation_origin_000,utilisation_min,utilisation_mean,"
        "utilisation_max,gpu_storage_utilisation,paper_porosity,paper_utilisation\n",
        output.stream);
  for (int i = 0; i < count; i++) {
    const ht_tile_spread *s = &row[i].spread;
    fprintf(output.stream, "%s,%.6f,%lld,%.6f,%.6f,%.6f,%.6f,%.6f,", row[i].name, row[i].porosity,
            (long long)row[i].nodes, s->origin_000, s->min, s->mean, s->max, row[i].storage);
    print_known(output.stream, row[i].paper_porosity, ",");
    print_known(output.stream, row[i].paper, "\n");
  }
  return ht_output_commit(&output);
}

static ht_status plot_sparse(const char *path, const sparse *row, int count) {
  enum { BEST_LINE, WORST_LINE, BEST_DOTS, AT_000, PAPER, SERIES };
  double x[SERIES][MASKS], y[SERIES][MASKS];
  const char *ours[MASKS], *theirs[MASKS];
  int n[SERIES] = {0};
  for (int i = 0; i < count; i++) {
    const ht_tile_spread *s = &row[i].spread;
    int best = row[i].sphere ? BEST_LINE : BEST_DOTS;
    ours[n[BEST_DOTS]] = row[i].name;
    theirs[n[PAPER]] = row[i].paper_name;
    x[best][n[best]] = x[AT_000][n[AT_000]] = row[i].porosity;
    y[best][n[best]++] = s->max, y[AT_000][n[AT_000]++] = s->origin_000;
    if (row[i].sphere)
      x[WORST_LINE][n[WORST_LINE]] = row[i].porosity, y[WORST_LINE][n[WORST_LINE]++] = s->min;
    if (!isfinite(row[i].paper)) continue;
    x[PAPER][n[PAPER]] = row[i].paper_porosity, y[PAPER][n[PAPER]++] = row[i].paper;
  }
  const ht_plot_series series[SERIES] = {
      {"spheres, best of the 64", teal, 1, 2.4, n[BEST_LINE], x[BEST_LINE], y[BEST_LINE], NULL, 0},
      {"spheres, worst of the 64", coral, 1, 2.4, n[WORST_LINE], x[WORST_LINE], y[WORST_LINE], NULL,
       0},
      {"vessels, best of the 64", teal, 0, 16, n[BEST_DOTS], x[BEST_DOTS], y[BEST_DOTS], ours, 0},
      {"origin (0,0,0)", blue, 0, 9, n[AT_000], x[AT_000], y[AT_000], NULL, 0},
      {"the paper, origin (0,0,0)", amber, 0, 9, n[PAPER], x[PAPER], y[PAPER], theirs, 1},
  };
  const ht_plot plot = {
      .title = "Tile utilisation of sparse geometries",
      .x = {"porosity: fluid nodes / all nodes of the box, no unit", 0, 1, 0.1},
      .y = {"tile utilisation: fluid nodes / (64 x tiles), no unit", 0.4, 1, 0.1},
      .series = SERIES,
      .one = series,
      .note = {
          "As figure 20 of Tomczak & Szafran (2019). Curves: between random spheres of "
          "diameter 40 in a box of 192^3.",
          "Single points: vessels. The phantoms have the nodes, the tubes (vessels) the box and "
          "porosity of the paper's two, which are not public.",
          "Best, worst: of the 64 places of the tile grid, shifted by 0 to 3 nodes along each "
          "axis."}};
  return ht_plot_write(path, &plot);
}

/* The mask first: the file may not be one. */
static ht_status measure_all_sparse(const char *mask_file, const ht_progress *progress,
                                    sparse row[MASKS], int *count) {
  *count = mask_file ? MASKS : MASKS - 1;
  for (int i = *count - 1, done = 0; i >= 0; i--, done++) {
    HT_TRY(ht_progress_report(progress, "study", done, *count, ""));
    HT_TRY(measure_number(i, mask_file, &row[i]));
  }
  return HT_OK;
}

/* ---- statements of the paper's text ---- */

typedef struct {
  const char *figure, *statement;
  double paper, here, first; /* first: the smallest size above the bar; NAN: no bar */
} claim;

static double tilings_at(const channels *c, int across, double utilisation) {
  double count = 0;
  for (int o = 0; o < TILINGS; o++)
    count += fabs(c->every[TILINGS * (across - HT_CHANNEL_LEAST) + o] - utilisation) < 1e-9;
  return count;
}

static claim bar_claim(const char *figure, const char *statement, double paper, const double *value,
                       double bar) {
  int first = 0;
  while (first < SIZES && !(value[first] > bar)) first++;
  return (claim){figure, statement, paper, ht_tile_stays_above(value, SIZES, bar),
                 first < SIZES ? HT_CHANNEL_LEAST + first : NAN};
}

static ht_status write_claims(const char *path, const channels *square, const channels *round) {
  const int at_8 = 8 - HT_CHANNEL_LEAST;
  const claim claims[] = {
      {"8", "side 8: placements of the 16 with utilisation 4/9", 9, tilings_at(square, 8, 4.0 / 9),
       NAN},
      {"8", "side 8: placements with 2/3", 6, tilings_at(square, 8, 2.0 / 3), NAN},
      {"8", "side 8: placements with 1", 1, tilings_at(square, 8, 1), NAN},
      {"8", "side 8: mean of the 16", 0.56, square->mean[at_8], NAN},
      bar_claim("8", "side from which the mean is above 0.8", 25, square->mean, 0.8),
      bar_claim("8", "side from which the mean is above 0.9 (about)", 55, square->mean, 0.9),
      bar_claim("8", "side from which every placement is above 0.8 (about)", 40, square->min, 0.8),
      bar_claim("8", "side from which every placement is above 0.9 (about)", 100, square->min, 0.9),
      {"10", "diameter 8: different values among the 16", 4, round->distinct[at_8], NAN},
      bar_claim("10", "diameter from which the mean is above 0.8", 30, round->mean, 0.8),
      bar_claim("10", "diameter from which the mean is above 0.9 (about)", 65, round->mean, 0.9),
      bar_claim("10", "diameter from which every placement is above 0.8 (about)", 40, round->min,
                0.8),
      bar_claim("10", "diameter from which every placement is above 0.9 (about)", 100, round->min,
                0.9),
  };
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fputs("figure,statement,paper,here,here_first_above\n", output.stream);
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    fprintf(output.stream, "%s,\"%s\",%g,%.4g,", claims[i].figure, claims[i].statement,
            claims[i].paper, claims[i].here);
    if (isfinite(claims[i].first)) fprintf(output.stream, "%g", claims[i].first);
    fputc('\n', output.stream);
  }
  return ht_output_commit(&output);
}

/* ---- the folder ---- */

static ht_status check_folder(const char *folder) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, FILE_STUDY));
  if (ht_file_exists(folder) && !ht_folder_exists(folder))
    return ht_fail(HT_ERR_USAGE, "%s: this is a file: give --study a folder", folder);
  if (!ht_file_exists(path) && ht_folder_exists(folder) && ht_folder_entries(folder) != 0)
    return ht_fail(HT_ERR_USAGE,
                   "%s: this folder holds other files and no study: choose an empty or new one",
                   folder);
  return HT_OK;
}

static ht_status write_mark(const char *path, const char *mask_file) {
  ht_output output;
  ht_json json;
  HT_TRY(ht_json_open(path, &output, &json));
  ht_json_string(&json, "hemotile", ht_version());
  ht_json_string(&json, "commit", ht_commit());
  ht_json_integer(&json, "seed", (int64_t)seed);
  ht_json_string(&json, "mask", mask_file ? mask_file : "");
  return ht_json_commit(&json, &output);
}

typedef struct {
  channels square, round;
  sparse row[MASKS];
  int rows;
} study;

static ht_status write_study(const char *folder, const char *mask_file, const study *s) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, folder, FILE_STUDY));
  HT_TRY(write_mark(path, mask_file));
  HT_TRY(ht_path_join(path, folder, "square_channel.csv"));
  HT_TRY(write_channels(path, &s->square));
  HT_TRY(ht_path_join(path, folder, "square_channel.png"));
  HT_TRY(plot_channels(path, 0, &s->square));
  HT_TRY(ht_path_join(path, folder, "round_channel.csv"));
  HT_TRY(write_channels(path, &s->round));
  HT_TRY(ht_path_join(path, folder, "round_channel.png"));
  HT_TRY(plot_channels(path, 1, &s->round));
  HT_TRY(ht_path_join(path, folder, "sparse.csv"));
  HT_TRY(write_sparse(path, s->row, s->rows));
  HT_TRY(ht_path_join(path, folder, "sparse.png"));
  HT_TRY(plot_sparse(path, s->row, s->rows));
  HT_TRY(ht_path_join(path, folder, "paper.csv"));
  return write_claims(path, &s->square, &s->round);
}

static void tell(const sparse *row, int count) {
  ht_console_note("%-20s %8s %9s  %s", "geometry", "porosity", "nodes",
                  "utilisation: origin 000, worst, mean, best; the paper's");
  for (int i = 0; i < count; i++) {
    char paper[16] = "";
    const ht_tile_spread *s = &row[i].spread;
    if (isfinite(row[i].paper)) snprintf(paper, sizeof paper, "%.3f", row[i].paper);
    ht_console_note("%-20s %8.3f %9lld  %.3f %.3f %.3f %.3f  %s", row[i].name, row[i].porosity,
                    (long long)row[i].nodes, s->origin_000, s->min, s->mean, s->max, paper);
  }
}

static ht_status measure_all(const char *mask_file, const ht_progress *progress, study *s) {
  HT_TRY(measure_all_sparse(mask_file, progress, s->row, &s->rows));
  HT_TRY(measure_channels(0, &s->square));
  return measure_channels(1, &s->round);
}

/* The folder is made first: a place that cannot be written to is known before the work. */
ht_status ht_tile_study(const char *folder, const char *mask_file, const ht_progress *progress) {
  static study s;
  int existed = ht_folder_exists(folder);
  HT_TRY(check_folder(folder));
  HT_TRY(ht_folder_make(folder));
  ht_status status = measure_all(mask_file, progress, &s);
  if (status == HT_OK) status = write_study(folder, mask_file, &s);
  if (status == HT_OK) tell(s.row, s.rows);
  if (status != HT_OK && !existed) (void)rmdir(folder); /* only where it is empty */
  return status;
}
