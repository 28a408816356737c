#include "bench_options.h"
#include "bench_geometry.h"
#include "bench_layout.h"
#include "paper_tables.h"
#include "suggest.h"
#include "words.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static const char *const origin_words[] = {"best", "corner", NULL};

static ht_status bad_word(const char *option, const char *text, size_t length,
                          const char *const *words, const char *more) {
  char list[128];
  ht_word_list(words, ", ", list, sizeof list);
  return ht_fail(HT_ERR_USAGE, "%s is '%.*s'; allowed is %s%s", option, (int)length, text, list,
                 more);
}

/* "fp32", "fp32,fp16" or "all". */
static ht_status read_words(const char *option, const char *text, const char *const *words,
                            unsigned *bits) {
  *bits = 0;
  while (1) {
    size_t length = strcspn(text, ",");
    int k = ht_word_find(words, text, length);
    if (k < 0 && !(length == 3 && strncmp(text, "all", 3) == 0))
      return bad_word(option, text, length, words, " or all");
    *bits |= k < 0 ? ~0u : 1u << k;
    if (!text[length]) return HT_OK;
    text += length + 1;
  }
}

static ht_status read_integer(const char *option, const char *text, int least, int most,
                              int *value) {
  char *end;
  long number = strtol(text, &end, 10);
  *value = (int)number;
  if (*text && *end == 0 && number >= least && number <= most) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s is '%s'; allowed is a whole number from %d to %d", option, text,
                 least, most);
}

static ht_status read_real(const char *option, const char *text, double least, double most,
                           double *value) {
  char *end;
  *value = strtod(text, &end);
  if (*text && *end == 0 && *value >= least && *value <= most) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s is '%s'; allowed is a number from %g to %g", option, text, least,
                 most);
}

/* ---- options ---- */

typedef ht_status (*setter)(ht_bench_options *o, const char *option, const char *value);

static ht_status set_mask(ht_bench_options *o, const char *option, const char *value) {
  (void)option;
  o->mask = value;
  return HT_OK;
}
static ht_status set_size(ht_bench_options *o, const char *option, const char *value) {
  return read_integer(option, value, 4, 4096, &o->size);
}
static ht_status set_porosity(ht_bench_options *o, const char *option, const char *value) {
  return read_real(option, value, 0.01, 0.9, &o->porosity);
}
static ht_status set_seed(ht_bench_options *o, const char *option, const char *value) {
  int seed;
  HT_TRY(read_integer(option, value, 0, INT_MAX, &seed));
  o->seed = (uint64_t)seed;
  return HT_OK;
}
static ht_status set_device(ht_bench_options *o, const char *option, const char *value) {
  int k = ht_word_find(ht_device_words, value, strlen(value));
  if (k < 0) return bad_word(option, value, strlen(value), ht_device_words, "");
  o->device = (ht_device)k;
  return HT_OK;
}
static ht_status set_threads(ht_bench_options *o, const char *option, const char *value) {
  return read_integer(option, value, 1, 4096, &o->threads);
}
static ht_status set_precision(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, ht_precision_words, &o->precisions);
}
static ht_status set_collision(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, ht_collision_words, &o->collisions);
}
static ht_status set_fluid(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, ht_compressibility_words, &o->fluids);
}
static ht_status set_blood(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, ht_blood_words, &o->bloods);
}
static ht_status set_step(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, ht_bench_step_words, &o->steps);
}
static ht_status set_order(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, ht_tile_order_words, &o->orders);
}
static ht_status set_origin(ht_bench_options *o, const char *option, const char *value) {
  return read_words(option, value, origin_words, &o->origins);
}
static ht_status set_repeats(ht_bench_options *o, const char *option, const char *value) {
  return read_integer(option, value, 5, HT_BENCH_REPEATS, &o->repeats);
}
static ht_status set_seconds(ht_bench_options *o, const char *option, const char *value) {
  return read_real(option, value, 0.001, 60, &o->seconds);
}
static ht_status set_copy(ht_bench_options *o, const char *option, const char *value) {
  return read_integer(option, value, 1, 1 << 20, &o->copy_mib);
}
static ht_status set_csv(ht_bench_options *o, const char *option, const char *value) {
  (void)option;
  o->csv = value;
  return HT_OK;
}
static ht_status set_json(ht_bench_options *o, const char *option, const char *value) {
  (void)option;
  o->json = value;
  return HT_OK;
}
static ht_status set_table(ht_bench_options *o, const char *option, const char *value) {
  (void)option;
  o->table = value;
  return ht_paper_table_find(value) ? HT_OK
                                    : ht_fail(HT_ERR_USAGE,
                                              "--table is '%s'; allowed is 3, 4, 5, 6, 7, 8, 9 or "
                                              "fig19",
                                              value);
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

static ht_status set_layout(ht_bench_options *o, const char *option, const char *value) {
  (void)option;
  while (1) {
    size_t length = strcspn(value, ",");
    HT_TRY(add_layout(o, value, length));
    if (!value[length]) return HT_OK;
    value += length + 1;
  }
}

typedef struct {
  const char *name, *value, *help;
  setter set;
} option;

static const option options[] = {
    {"--mask", "FILE", "a mask file as a geometry (NIfTI, NRRD, MetaImage)", set_mask},
    {"--size", "N", "edge of the box in nodes; side or diameter of a channel", set_size},
    {"--porosity", "P", "fluid part of vessels and spheres, 0.01 to 0.9", set_porosity},
    {"--seed", "N", "of vessels and spheres (default 1)", set_seed},
    {"--device", "auto|cpu|cuda", "where to run (default auto)", set_device},
    {"--threads", "N", "CPU threads (default: all)", set_threads},
    {"--precision", "fp64|fp32|fp16|all", "storage (default all)", set_precision},
    {"--collision", "lbgk|mrt|all", "(default lbgk)", set_collision},
    {"--fluid", "incompressible|quasi-compressible|all", "(default incompressible)", set_fluid},
    {"--blood", "newtonian|carreau-yasuda|casson|all", "(default newtonian)", set_blood},
    {"--step", "flow|read-write|propagate|all", "the flow, or only its data moved (default flow)",
     set_step},
    {"--order", "raster|sweep|morton|hilbert|breadth|all", "of tiles in memory (default raster)",
     set_order},
    {"--origin", "best|corner|all", "of the tile grid: best, or 0 0 0 (default best)", set_origin},
    {"--layout", "NAME[,NAME...]|all", "the product's is 'hemotile' (default); see --list",
     set_layout},
    {"--repeats", "N", "timings of a row, 5 or more (default 5)", set_repeats},
    {"--seconds", "S", "of one timing, about (default 0.2)", set_seconds},
    {"--copy-mib", "N", "memory that one pass of the copy moves (default 2048)", set_copy},
    {"--csv", "FILE", "all columns of all rows", set_csv},
    {"--json", "FILE", "the same with the machine", set_json},
    {"--table", "3|4|5|6|7|8|9|fig19", "that table of the tiling paper, its figures beside ours",
     set_table},
};
enum { OPTIONS = sizeof options / sizeof *options };

void ht_bench_print_help(void) {
  printf("hemotile bench: measure the speed of the solver\n\n"
         "usage: hemotile bench [GEOMETRY...] [options]\n\n"
         "Times the flow solver on geometries made from a seed, beside a copy of the same memory\n"
         "(docs/benchmark.md). Each layout is first checked against the plain solver on the CPU.\n"
         "\ngeometries (default: all marked *):\n");
  for (int i = 0; ht_bench_geometry_number(i); i++)
    printf("  %-15s%s %s\n", ht_bench_geometry_number(i)->name,
           ht_bench_geometry_number(i)->standard ? "*" : " ", ht_bench_geometry_number(i)->what);
  puts("\noptions:");
  for (int i = 0; i < OPTIONS; i++) {
    char left[64];
    snprintf(left, sizeof left, "%s %s", options[i].name, options[i].value);
    printf("  %-33s %s%*s%s\n", left, strlen(left) > 33 ? "\n" : "", strlen(left) > 33 ? 36 : 0, "",
           options[i].help);
  }
  puts("  --compare A B                     two layouts in turns, and the ratio of their speeds\n"
       "  --wide                            more columns\n"
       "  --list                            geometries, layouts and tables\n"
       "  --help, -h                        this text\n"
       "\nexample:\n  hemotile bench vessels-small --precision fp32 --csv speed.csv");
}

/* ---- the command line ---- */

static ht_status unknown(const char *typed) {
  const char *best = NULL;
  int distance = 0;
  for (int i = 0; i < OPTIONS; i++) ht_suggest(typed, options[i].name, &best, &distance);
  return ht_fail(HT_ERR_USAGE, "unknown option '%s'%s%s%s; `hemotile bench --help` lists all",
                 typed, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static int set_flag(ht_bench_options *o, const char *typed) {
  if (strcmp(typed, "--help") == 0 || strcmp(typed, "-h") == 0) return o->help = 1;
  if (strcmp(typed, "--list") == 0) return o->list = 1;
  if (strcmp(typed, "--wide") == 0) return o->wide = 1;
  return 0;
}

static ht_status missing(const char *typed, const char *value) {
  return ht_fail(HT_ERR_USAGE, "%s wants a value: %s", typed, value);
}

static ht_status set_compare(ht_bench_options *o, int argc, char **argv, int at) {
  if (at + 2 >= argc) return missing("--compare", "two layouts, as in --compare A B");
  if (o->layouts.count)
    return ht_fail(HT_ERR_USAGE, "--compare names the layouts itself: leave --layout out");
  o->comparing = 1;
  for (int i = 1; i <= 2; i++)
    if (strcmp(argv[at + i], "all") == 0 || strchr(argv[at + i], ','))
      return ht_fail(HT_ERR_USAGE, "--compare takes two single layouts, not '%s'", argv[at + i]);
    else
      HT_TRY(add_layout(o, argv[at + i], strlen(argv[at + i])));
  if (strcmp(argv[at + 1], argv[at + 2]) == 0)
    return ht_fail(HT_ERR_USAGE, "--compare takes two different layouts, not '%s' twice",
                   argv[at + 1]);
  return HT_OK;
}

/* "--name value" or "--name=value". */
static ht_status set_option(ht_bench_options *o, int argc, char **argv, int *at) {
  const char *typed = argv[*at];
  size_t length = strcspn(typed, "=");
  for (int i = 0; i < OPTIONS; i++) {
    const option *one = &options[i];
    if (strlen(one->name) != length || strncmp(one->name, typed, length) != 0) continue;
    if (typed[length]) return one->set(o, one->name, typed + length + 1);
    if (*at + 1 >= argc) return missing(typed, one->value);
    return one->set(o, one->name, argv[++*at]);
  }
  return unknown(typed);
}

static ht_status add_geometry(ht_bench_options *o, const char *name) {
  ht_bench_geometry geometry;
  HT_TRY(ht_bench_geometry_choose(name, 0, 0, 1, &geometry));
  return add_name(&o->geometries, name);
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
  return HT_OK;
}

ht_status ht_bench_parse(int argc, char **argv, ht_bench_options *o) {
  *o = (ht_bench_options){.seed = 1, .repeats = 5, .seconds = 0.2, .copy_mib = 2048};
  for (int i = 1; i < argc; i++) {
    if (set_flag(o, argv[i])) continue;
    if (strcmp(argv[i], "--compare") == 0) {
      HT_TRY(set_compare(o, argc, argv, i));
      i += 2;
    } else if (argv[i][0] == '-')
      HT_TRY(set_option(o, argc, argv, &i));
    else
      HT_TRY(add_geometry(o, argv[i]));
  }
  return check_together(o);
}

int ht_bench_wants(unsigned typed, unsigned standard, int k) {
  return (int)((typed ? typed : standard) >> k & 1);
}
