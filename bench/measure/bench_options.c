#include "bench/measure/bench_options.h"
#include "bench/measure/bench_geometry.h"
#include "bench/measure/bench_layout.h"
#include "run/process/options.h"
#include "bench/papers/tables/paper_tables.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const origin_words[] = {"best", "corner", NULL};

/* ---- values with rules of their own ---- */

static ht_status set_table(void *target, const ht_option *option, char *const *values) {
  ht_bench_options *o = target;
  o->table = values[0];
  if (ht_paper_table_find(o->table)) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s is '%s'; allowed is 3, 4, 5, 6, 7, 8, 9 or fig19", option->name,
                 o->table);
}

/* Each name once. */
static ht_status add_name(ht_bench_names *names, const char *name) {
  for (int i = 0; i < names->count; i++)
    if (strcmp(names->name[i], name) == 0) return HT_OK;
  if (names->count == HT_BENCH_NAMES)
    return ht_fail(HT_ERR_USAGE, "'%s' is one name too many; at most %d are taken", name,
                   HT_BENCH_NAMES);
  snprintf(names->name[names->count++], HT_BENCH_NAME, "%s", name);
  return HT_OK;
}

static ht_status add_all_layouts(ht_bench_options *o) {
  ht_bench_layout layout;
  for (int i = 0; ht_bench_layout_number(i, &layout); i++)
    HT_TRY(add_name(&o->layouts, layout.name));
  return HT_OK;
}

static ht_status add_layout(ht_bench_options *o, const char *text, size_t length) {
  char name[HT_BENCH_NAME];
  const char *found;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  if (strcmp(name, "all") == 0) return add_all_layouts(o);
  HT_TRY(ht_bench_layout_find(name, &found));
  return add_name(&o->layouts, name);
}

static ht_status set_layout(void *target, const ht_option *option, char *const *values) {
  const char *text = values[0];
  (void)option;
  while (1) {
    size_t length = strcspn(text, ",");
    HT_TRY(add_layout(target, text, length));
    if (!text[length]) return HT_OK;
    text += length + 1;
  }
}

static ht_status set_compare(void *target, const ht_option *option, char *const *values) {
  ht_bench_options *o = target;
  if (o->layouts.count)
    return ht_fail(HT_ERR_USAGE, "%s names the layouts itself: leave --layout out", option->name);
  o->comparing = 1;
  for (int i = 0; i < 2; i++) {
    if (strcmp(values[i], "all") == 0 || strchr(values[i], ','))
      return ht_fail(HT_ERR_USAGE, "%s takes two single layouts, not '%s'", option->name,
                     values[i]);
    HT_TRY(add_layout(o, values[i], strlen(values[i])));
  }
  if (strcmp(values[0], values[1]) == 0)
    return ht_fail(HT_ERR_USAGE, "%s takes two different layouts, not '%s' twice", option->name,
                   values[0]);
  return HT_OK;
}

static ht_status add_geometry(void *target, const char *name) {
  ht_bench_options *o = target;
  ht_bench_geometry geometry;
  HT_TRY(ht_bench_geometry_choose(name, 0, 0, 1, &geometry));
  return add_name(&o->geometries, name);
}

/* ---- the table ---- */

#define AT(type_, field)         .type = type_, .offset = offsetof(ht_bench_options, field)
#define FLAG(field)              AT(HT_OPTION_FLAG, field)
#define TEXT(field)              AT(HT_OPTION_TEXT, field)
#define INTEGER(field, from, to) AT(HT_OPTION_INTEGER, field), .range = HT_RANGE(from, to)
#define REAL(field, from, to)    AT(HT_OPTION_REAL, field), .range = HT_RANGE(from, to)
#define WORDS(field, list)       AT(HT_OPTION_WORDS, field), .words = list
#define SET(function)            .type = HT_OPTION_SET, .set = function

static const ht_option options[] = {
    {"--mask", .value = "FILE", TEXT(mask),
     .help = "a mask file as a geometry (NIfTI, NRRD, MetaImage)"},
    {"--size", .value = "N", INTEGER(size, 4, 4096),
     .help = "edge of the box, or width of a channel, in nodes"},
    {"--porosity", .value = "P", REAL(porosity, 0.01, 0.9),
     .help = "fluid fraction of vessels and spheres, 0.01 to 0.9"},
    {"--seed", .value = "N", INTEGER(seed, 0, INT_MAX),
     .help = "seed of vessels and spheres (default 1)"},
    {"--device", .value = "auto|cpu|cuda", AT(HT_OPTION_WORD, device), .words = ht_device_words,
     .help = "where to run (default auto)"},
    {"--threads", .value = "N", INTEGER(threads, 1, HT_THREADS_MAX),
     .help = "CPU threads (default: all)"},
    {"--precision", .value = "fp64|fp32|fp16|all", WORDS(precisions, ht_precision_words),
     .help = "number format of the stored flow (default all)"},
    {"--collision", .value = "lbgk|mrt|cumulant|all", WORDS(collisions, ht_collision_words),
     .help = "one relaxation time, several, or cumulants (default lbgk)"},
    {"--fluid", .value = "incompressible|quasi-compressible|all",
     WORDS(fluids, ht_compressibility_words), .help = "fluid model (default incompressible)"},
    {"--blood", .value = "newtonian|carreau-yasuda|casson|all", WORDS(bloods, ht_blood_words),
     .help = "viscosity model (default newtonian)"},
    {"--step", .value = "flow|read-write|propagate|all", WORDS(steps, ht_bench_step_words),
     .help = "compute the flow, or only move its data (default flow)"},
    {"--order", .value = "raster|sweep|morton|hilbert|breadth|all",
     WORDS(orders, ht_tile_order_words), .help = "order of the tiles in memory (default raster)"},
    {"--origin", .value = "best|corner|all", WORDS(origins, origin_words),
     .help = "origin of the tile grid: the best, or the corner 0 0 0 (default best)"},
    {"--layout", .value = "NAME[,NAME...]|all", SET(set_layout), .several = 1,
     .help = "data layouts, see --list (default 'hemotile', the product's)"},
    {"--repeats", .value = "N", INTEGER(repeats, 5, HT_BENCH_REPEATS),
     .help = "timings per row, 5 or more (default 5)"},
    {"--seconds", .value = "S", REAL(seconds, 0.001, 60),
     .help = "approximate time of one timing (default 0.2)"},
    {"--copy-mib", .value = "N", INTEGER(copy_mib, 1, 1 << 20),
     .help = "memory moved by one pass of the copy (default 2048)"},
    {"--csv", .value = "FILE", TEXT(csv), .help = "write all columns of all rows"},
    {"--json", .value = "FILE", TEXT(json),
     .help = "write the same, with a description of the machine"},
    {"--table", .value = "3|4|5|6|7|8|9|fig19", SET(set_table),
     .help = "repeat that table of the tiling paper, with its figures and ours"},
    {"--compare", .value = "A B", SET(set_compare), .values = 2,
     .help = "time two layouts in turns; prints the ratio of their speeds"},
    {"--gpus", .value = "N", INTEGER(gpus, 2, 4096),
     .help = "measure N GPUs of this machine, a process each (MPI), against one"},
    {"--ranks", .value = "N", INTEGER(ranks, 2, 4096),
     .help = "measure N processes (MPI) against one"},
    {"--levels", FLAG(levels), .help = "measure a lattice of two levels against a uniform one"},
    {"--wide", FLAG(wide), .help = "print more columns"},
    {"--list", FLAG(list), .help = "list geometries, layouts and tables"},
    {"--help", "-h", FLAG(help), .help = "this text"},
    {0}};

static const ht_option_table table = {
    .command = "bench", .options = options, .operand = add_geometry};

static const char *geometry_name(int number) {
  return ht_bench_geometry_number(number) ? ht_bench_geometry_number(number)->name : NULL;
}

static void list_geometries(FILE *stream) {
  fputs("geometries (default: all marked *):\n", stream);
  for (int i = 0; ht_bench_geometry_number(i); i++)
    fprintf(stream, "  %-15s%s %s\n", ht_bench_geometry_number(i)->name,
            ht_bench_geometry_number(i)->standard ? "*" : " ", ht_bench_geometry_number(i)->what);
}

void ht_bench_page(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "bench",
      .operand = "[GEOMETRY...]",
      .summary = "measure the speed of the solver",
      .text =
          "Times the flow solver on geometries made from a seed, and a copy of the same memory\n"
          "(docs/benchmark.md). Each layout is first checked against the plain solver on\n"
          "the CPU.",
      .example = "  hemotile bench vessels-small --precision fp32 --csv speed.csv",
      .after = "Whole cases, stage by stage: hemotile bench --case CASE.yaml -o DIR (`hemotile\n"
               "bench --case --help`)",
      .table = table,
      .word = geometry_name,
      .list = list_geometries};
}

/* ---- the command line ---- */

/* A pipe of its own. */
static ht_status check_levels(const ht_bench_options *o) {
  if (!o->levels) return HT_OK;
  if (o->geometries.count || o->mask || o->table || o->layouts.count || o->comparing || o->gpus ||
      o->ranks || o->csv || o->json || o->wide || o->bloods || o->fluids || o->steps)
    return ht_fail(HT_ERR_USAGE,
                   "--levels has a pipe and a table of its own: give --size, --device, "
                   "--threads, --precision, --collision, --repeats, --seconds alone");
  if (o->size && o->size < 16)
    return ht_fail(HT_ERR_USAGE, "--levels takes a --size of 16 or more, not %d", o->size);
  if (o->precisions == 1u << HT_FP16) return ht_fail(HT_ERR_USAGE, "--levels takes fp32 and fp64");
  return HT_OK;
}

/* Several ranks step the product's lattice. */
static ht_status check_ranks(const ht_bench_options *o) {
  const char *layout = o->layouts.count ? o->layouts.name[0] : HT_BENCH_PRODUCT;
  if (!o->gpus && !o->ranks) return HT_OK;
  if (o->table || o->comparing || o->csv || o->json || o->wide)
    return ht_fail(HT_ERR_USAGE, "--gpus and --ranks have a table of their own: leave --table, "
                                 "--compare, --csv, --json and --wide out");
  if (o->steps)
    return ht_fail(HT_ERR_USAGE, "--gpus and --ranks time the whole step: leave --step out");
  if (o->layouts.count > 1 ||
      (strcmp(layout, HT_BENCH_PRODUCT) != 0 && strcmp(layout, HT_BENCH_WALLS) != 0))
    return ht_fail(HT_ERR_USAGE, "--gpus and --ranks take one --layout, %s or %s", HT_BENCH_PRODUCT,
                   HT_BENCH_WALLS);
  if (o->gpus && o->device == HT_DEVICE_CPU)
    return ht_fail(HT_ERR_USAGE, "--gpus and --device cpu: give one of them");
  return HT_OK;
}

static ht_status check_together(const ht_bench_options *o) {
  if (o->table && (o->geometries.count || o->mask || o->comparing || o->orders || o->origins))
    return ht_fail(HT_ERR_USAGE, "--table has its own geometries and layouts: leave GEOMETRY, "
                                 "--mask, --compare, --order and --origin out");
  if (o->csv && o->json && strcmp(o->csv, o->json) == 0)
    return ht_fail(HT_ERR_USAGE, "--csv and --json both name %s: one would replace the other",
                   o->csv);
  if (o->comparing && o->layouts.count != 2)
    return ht_fail(HT_ERR_USAGE, "--compare names the layouts itself: leave --layout out");
  HT_TRY(check_levels(o));
  return check_ranks(o);
}

ht_status ht_bench_parse(int argc, char **argv, ht_bench_options *o) {
  *o = (ht_bench_options){.seed = 1, .repeats = 5, .seconds = 0.2, .copy_mib = 2048};
  HT_TRY(ht_options_parse(&table, argc, argv, o));
  return check_together(o);
}

int ht_bench_wants(unsigned typed, unsigned standard, int k) {
  return (int)((typed ? typed : standard) >> k & 1);
}
