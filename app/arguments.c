#include "arguments.h"
#include "console.h"
#include "markups.h"
#include "schema.h"
#include "suggest.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name, *brief;  /* "--output", "-o" */
  const char *value;         /* its name in the help; NULL: a flag */
  unsigned needs;            /* HT_TAKES_...; 0: every subcommand has it */
  const char *section, *key; /* the case's setting; NULL: none */
  const char *help;
} option;

static const option options[] = {
    {"--output", "-o", "DIR", HT_TAKES_OUTPUT, 0, 0, "folder for the results"},
    {"--series", 0, "N", HT_TAKES_READING, "", "series",
     "DICOM series (SEG: segment) by number, UID or part of its description"},
    {"--phase", 0, "N", HT_TAKES_READING, "", "phase",
     "which image of several in time (or echoes) at each place, from 1"},
    {"--allow-gaps", 0, "MM", HT_TAKES_READING, "", "allow_gaps_mm",
     "interpolate missing DICOM slices across gaps of at most MM"},
    {"--surface-spacing", 0, "MM", HT_TAKES_READING, "", "surface_spacing_mm",
     "voxels that an STL surface becomes (default: 40 across its thinnest vessel)"},
    {"--surface-unit", 0, "auto|mm|cm|m", HT_TAKES_READING, "", "surface_unit",
     "of an STL surface's numbers (default auto: by its size, where that is sure)"},
    {"--keep-identity", 0, 0, HT_TAKES_READING, "", "keep_identity",
     "keep the patient's name, number and dates in the record"},
    {"--follow-umask", 0, 0, HT_TAKES_UMASK, "", "follow_umask",
     "who may read the results is what the umask says (default: you alone)"},
    {"--preset", 0, "tof-mra|cta-head|cta-aorta|3dra", HT_TAKES_VESSEL, "segment", "preset",
     "the kind of scan: sets method, bias, bone and gaps"},
    {"--method", 0, "auto|threshold|vesselness|levelset|file", HT_TAKES_VESSEL, "segment", "method",
     "how the vessel is separated from the tissue (default auto)"},
    {"--lower", 0, "VALUE", HT_TAKES_VESSEL, "segment", "lower",
     "lowest value of the vessel, the scan's unit (CT: HU)"},
    {"--upper", 0, "VALUE", HT_TAKES_VESSEL, "segment", "upper", "highest value of the vessel"},
    {"--nodes-across", 0, "N", HT_TAKES_VESSEL, "lattice", "nodes_across",
     "lattice nodes across the widest opening (default 20, more for the flow, a narrow place)"},
    {"--resolution", 0, "N", HT_TAKES_VESSEL, "lattice", "nodes_across",
     "the same as --nodes-across"},
    {"--spacing", 0, "MM", HT_TAKES_VESSEL, "lattice", "spacing_mm", "lattice spacing instead"},
    {"--flow", 0, "ML_S", HT_TAKES_INFLOW, "flow", "inlet_flow_ml_s",
     "mean flow into the inlet, mL/s"},
    {"--openings", 0, "FILE", HT_TAKES_INFLOW, 0, 0,
     "planes or points of 3D Slicer (.mrk.json) as the openings"},
    {"--device", 0, "auto|cpu|cuda", HT_TAKES_SOLVER, "flow", "device",
     "where the flow is computed"},
    {"--threads", 0, "N", HT_TAKES_SOLVER, "flow", "threads", "CPU threads (default: all)"},
    {"--precision", 0, "fp32|fp64|fp16", HT_TAKES_SOLVER, "flow", "precision",
     "of the flow's numbers (default fp32)"},
    {"--collision", 0, "lbgk|mrt", HT_TAKES_SOLVER, "flow", "collision",
     "one relaxation time or several (default lbgk)"},
    {"--fluid", 0, "incompressible|quasi-compressible", HT_TAKES_SOLVER, "flow", "fluid",
     "(default incompressible)"},
    {"--max-steps", 0, "N", HT_TAKES_SOLVER, "flow", "max_steps",
     "give up the search for a steady flow after N steps"},
    {"--steps", 0, "N", HT_TAKES_SOLVER, "flow", "steps", "run exactly N steps instead"},
    {"--sensitivity", 0, 0, HT_TAKES_SENSITIVITY, "", "sensitivity",
     "also run the mask half a voxel of the scan thinner and thicker"},
    {"--max-memory", 0, "GB", HT_TAKES_READING | HT_TAKES_VESSEL | HT_TAKES_SOLVER, "",
     "max_memory_gb", "refuse what needs more memory than this (default: than is free)"},
    {"--ratio", 0, "R", HT_TAKES_RATIO, 0, 0, "of one lattice's spacing to the next (default 1.4)"},
    {"--format", 0, "dicom|nifti", HT_TAKES_PHANTOM, 0, 0, "of the scan (default dicom)"},
    {"--seed", 0, "N", HT_TAKES_PHANTOM, 0, 0, "of the noise (default 1)"},
    {"--spacing", 0, "MM", HT_TAKES_PHANTOM, 0, 0, "voxel size of the scan"},
    {"--study", 0, 0, HT_TAKES_STUDY, 0, 0,
     "tile channels, spheres and vessels instead, into the folder DIR"},
    {"--mask", 0, "FILE", HT_TAKES_STUDY, 0, 0, "with --study: a mask of your own beside them"},
    {"--force", 0, 0, HT_TAKES_FORCE, 0, 0, "replace an edited mask, or the case of another scan"},
    {"--quiet", "-q", 0, 0, 0, 0, "no progress; warnings, errors and the result only"},
    {"--help", "-h", 0, 0, 0, 0, "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

static int has(const ht_usage *usage, const option *one) {
  return !one->needs || (usage->takes & one->needs);
}

static void print_help(const ht_usage *usage) {
  printf("hemotile %s: %s\n\nusage: hemotile %s%s%s [options]\n\n%s\n\noptions:\n", usage->name,
         usage->summary, usage->name, usage->operand ? " " : "",
         usage->operand ? usage->operand : "", usage->text);
  for (int i = 0; i < OPTIONS; i++) {
    const option *one = &options[i];
    char left[64];
    if (!has(usage, one)) continue;
    snprintf(left, sizeof left, "%s%s%s%s%s", one->brief ? one->brief : "",
             one->brief ? ", " : "    ", one->name, one->value ? " " : "",
             one->value ? one->value : "");
    int over = strlen(left) > 30;
    printf("  %-30s%s%*s%s\n", left, over ? "\n" : " ", over ? 33 : 0, "", one->help);
  }
  printf("\nexample:\n%s\n", usage->example);
}

/* "--name", "--name=value" or "-n". */
static const option *find(const ht_usage *usage, const char *typed, const char **value) {
  size_t length = strcspn(typed, "=");
  *value = typed[length] ? typed + length + 1 : NULL;
  for (int i = 0; i < OPTIONS; i++) {
    const option *one = &options[i];
    if (!has(usage, one)) continue;
    if (strlen(one->name) == length && strncmp(one->name, typed, length) == 0) return one;
    if (one->brief && strcmp(one->brief, typed) == 0) return one;
  }
  return NULL;
}

static ht_status unknown(const ht_usage *usage, const char *typed) {
  const char *best = NULL;
  int distance = 0;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
  for (int i = 0; i < OPTIONS; i++)
    if (has(usage, &options[i])) ht_suggest(name, options[i].name, &best, &distance);
  return ht_fail(HT_ERR_USAGE, "unknown option '%s'%s%s%s; `hemotile %s --help` lists all", name,
                 best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "", usage->name);
}

static ht_status take(const option *one, const char *value, ht_arguments *arguments) {
  if (strcmp(one->name, "--quiet") == 0) arguments->quiet = 1;
  if (strcmp(one->name, "--help") == 0) arguments->help = 1;
  if (strcmp(one->name, "--force") == 0) arguments->force = 1;
  if (strcmp(one->name, "--study") == 0) arguments->study = 1;
  if (strcmp(one->name, "--mask") == 0) arguments->mask = value;
  if (strcmp(one->name, "--openings") == 0) arguments->openings = value;
  if (strcmp(one->name, "--ratio") == 0) arguments->ratio = value;
  if (strcmp(one->name, "--output") == 0) arguments->output = value;
  if (strcmp(one->name, "--format") == 0) arguments->format = value;
  if (strcmp(one->name, "--seed") == 0) arguments->seed = value;
  if (strcmp(one->name, "--spacing") == 0) arguments->spacing = value;
  if (!one->key) return HT_OK;
  if (arguments->given == HT_GIVEN_MAX) return ht_fail(HT_ERR_USAGE, "too many options");
  arguments->given_option[arguments->given] = one->name;
  arguments->given_text[arguments->given++] = value ? value : "yes"; /* of a flag */
  return HT_OK;
}

static ht_status take_operand(const ht_usage *usage, const char *typed, ht_arguments *arguments) {
  if (!usage->operand)
    return ht_fail(HT_ERR_USAGE, "`hemotile %s` takes no '%s'", usage->name, typed);
  if (arguments->operand)
    return ht_fail(HT_ERR_USAGE, "`hemotile %s` takes one %s, but '%s' and '%s' were given",
                   usage->name, usage->operand, arguments->operand, typed);
  arguments->operand = typed;
  return HT_OK;
}

static ht_status parse(const ht_usage *usage, int argc, char **argv, ht_arguments *arguments) {
  int only_operands = 0;
  for (int i = 1; i < argc; i++) {
    const char *value;
    if (only_operands || argv[i][0] != '-' || argv[i][1] == 0) {
      HT_TRY(take_operand(usage, argv[i], arguments));
      continue;
    }
    if (strcmp(argv[i], "--") == 0) {
      only_operands = 1;
      continue;
    }
    const option *one = find(usage, argv[i], &value);
    if (!one) return unknown(usage, argv[i]);
    if (!one->value && value) return ht_fail(HT_ERR_USAGE, "%s takes no value", one->name);
    if (one->value && !value) value = ++i < argc ? argv[i] : NULL;
    if (one->value && (!value || !*value))
      return ht_fail(HT_ERR_USAGE, "%s wants a value: %s %s (%s)", one->name, one->name, one->value,
                     one->help);
    HT_TRY(take(one, value, arguments));
  }
  return HT_OK;
}

ht_status ht_arguments_parse(const ht_usage *usage, int argc, char **argv,
                             ht_arguments *arguments) {
  memset(arguments, 0, sizeof *arguments);
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) arguments->help = 1;
  if (arguments->help) {
    print_help(usage);
    return HT_OK;
  }
  HT_TRY(parse(usage, argc, argv, arguments));
  if (usage->operand && !arguments->operand)
    return ht_fail(HT_ERR_USAGE,
                   "`hemotile %s` wants %s; as in:\n%s\n`hemotile %s --help` tells more",
                   usage->name, usage->operand, usage->example, usage->name);
  return HT_OK;
}

/* The flow on the command line goes over that of the one inlet in the file. */
static ht_status apply_flow(ht_case *settings) {
  int inlets = 0;
  for (int i = 0; i < settings->openings; i++)
    inlets += settings->opening[i].role == HT_ROLE_INLET || settings->opening[i].flow_ml_s > 0;
  if (inlets > 1)
    return ht_fail(HT_ERR_USAGE,
                   "--flow: the case has %d inlets: give 'flow_ml_s' for each in %s instead",
                   inlets, settings->file);
  for (int i = 0; i < settings->openings; i++)
    if (settings->opening[i].flow_ml_s > 0) {
      settings->opening[i].flow_ml_s = 0;
      settings->opening[i].role = HT_ROLE_INLET;
    }
  return HT_OK;
}

ht_status ht_arguments_apply(const ht_arguments *arguments, ht_case *settings) {
  if (arguments->openings) HT_TRY(ht_markups_read(arguments->openings, settings));
  for (int g = 0; g < arguments->given; g++) {
    const char *name = arguments->given_option[g], *text = arguments->given_text[g];
    const option *one = options;
    while (!one->key || strcmp(one->name, name) != 0) one++;
    const ht_key *key = ht_key_find(ht_case_keys, one->section, one->key);
    HT_TRY(ht_key_set(key, settings, &text, 1, name, HT_ERR_USAGE));
    /* Of two ways to say one thing the command line's holds. */
    if (strcmp(one->key, "nodes_across") == 0) settings->segment.spacing_mm = 0;
    if (strcmp(name, "--max-steps") == 0) settings->steps = 0;
    if (strcmp(name, "--steps") == 0) settings->solver.max_steps = 0;
    if (strcmp(name, "--flow") == 0) {
      settings->inlet_reynolds = 0;
      HT_TRY(apply_flow(settings));
    }
  }
  return HT_OK;
}

void ht_arguments_console(const ht_arguments *arguments, int argc, char **argv) {
  char line[4096] = "hemotile";
  size_t length = strlen(line);
  for (int i = 0; i < argc && length < sizeof line; i++)
    length += (size_t)snprintf(line + length, sizeof line - length, " %s", argv[i]);
  ht_console_begin(arguments->quiet, line);
}
