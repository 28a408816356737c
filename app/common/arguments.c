#include "app/common/arguments.h"
#include "core/vessel/candidates.h"
#include "run/process/console.h"
#include "run/case/markups.h"
#include "run/case/override.h"
#include "run/case/points_file.h"
#include "run/case/schema.h"
#include "core/text/words.h"
#include "phantom/phase_contrast/flow_images.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SET_NAME_MAX = 128 }; /* letters of "section.key" */

/* Refuses a second name for one setting: of two values the later would win silently. */
static ht_status refuse_second(const ht_arguments *arguments, const ht_option *option,
                               const char *text) {
  for (int g = 0; g < arguments->given; g++) {
    const ht_option *one = arguments->given_option[g];
    int same = strcmp(one->section, option->section) == 0 && strcmp(one->key, option->key) == 0;
    if (same && !ht_option_same_value(arguments->given_text[g], text))
      return ht_fail(HT_ERR_USAGE, "%s %s and %s %s: give one of them", one->name,
                     arguments->given_text[g], option->name, text);
  }
  return HT_OK;
}

static ht_status take_setting(void *target, const ht_option *option, char *const *values) {
  ht_arguments *arguments = target;
  const char *text = option->value ? values[0] : "yes";
  if (arguments->given == HT_GIVEN_MAX) return ht_fail(HT_ERR_USAGE, "too many options");
  HT_TRY(refuse_second(arguments, option, text));
  arguments->given_option[arguments->given] = option;
  arguments->given_text[arguments->given++] = text;
  return HT_OK;
}

static ht_status take_set(void *target, const ht_option *option, char *const *values) {
  ht_arguments *arguments = target;
  if (arguments->set_count == HT_SETS_MAX)
    return ht_fail(HT_ERR_USAGE, "%s: at most %d times; put the settings into a case file",
                   option->name, HT_SETS_MAX);
  arguments->set[arguments->set_count++] = values[0];
  return HT_OK;
}

static ht_status take_to(void *target, const ht_option *option, char *const *values) {
  ht_arguments *arguments = target;
  if (arguments->to_count + 1 == HT_SEGMENT_POINTS_MAX)
    return ht_fail(HT_ERR_USAGE, "%s: at most %d places", option->name, HT_SEGMENT_POINTS_MAX - 1);
  arguments->to[arguments->to_count++] = values[0];
  return HT_OK;
}

static ht_status take_from(void *target, const ht_option *option, char *const *values) {
  ht_arguments *arguments = target;
  if (arguments->from)
    return ht_fail(HT_ERR_USAGE,
                   "%s was given twice: it is the inlet; a further inlet goes to --to, and its "
                   "role into case.yaml",
                   option->name);
  arguments->from = values[0];
  return HT_OK;
}

static ht_status take_operand(void *target, const char *typed) {
  ht_arguments *arguments = target;
  const ht_usage *usage = arguments->usage;
  if (!usage->operand)
    return ht_fail(HT_ERR_USAGE, "`hemotile %s` takes no '%s'", usage->name, typed);
  if (arguments->operand && (usage->takes & HT_TAKES_PARTS) && arguments->more < HT_GIVEN_MAX) {
    arguments->more_operand[arguments->more++] = typed;
    return HT_OK;
  }
  if (arguments->operand)
    return ht_fail(HT_ERR_USAGE, "`hemotile %s` takes one %s, but '%s' and '%s' were given",
                   usage->name, usage->operand, arguments->operand, typed);
  arguments->operand = typed;
  return HT_OK;
}

/* An option of one command, or a setting of the case (schema.c), which has the rules and the help
 * of its key. */
#define AT(type_, field) .type = type_, .offset = offsetof(ht_arguments, field)
#define FLAG(field)      AT(HT_OPTION_FLAG, field)
#define TEXT(field)      AT(HT_OPTION_TEXT, field)
#define SETTING(section_, key_)                                                                    \
  .type = HT_OPTION_SET, .set = take_setting, .section = section_, .key = key_

static const char *const executor_words[] = {"local", "slurm", NULL};
static const char *const look_words[] = {"no", "auto", "always", "only", NULL};
static const char *const retry_words[] = {"no", "failed", "all", NULL};
static const ht_range jobs_allowed = {1, 64, 0}, ranks_allowed = {1, 4096, 0},
                      parts_allowed = {2, 4096, 0};
static const char *const format_words[] = {"dicom", "nifti", NULL};
static const ht_range ratio_allowed = {1.1, 3, 0}, vessel_allowed = {1, HT_CANDIDATES_MAX, 0};
/* Ranges for phantoms; each kind has narrower ones. */
static const ht_range severity_allowed = {0, 90, 0}, eccentricity_allowed = {0, 50, 0},
                      flow_allowed = {0.01, 1000, 0}, reynolds_allowed = {1, 20000, 0},
                      percent_allowed = {0, 100, 0}, venc_allowed = {0.01, 20, 0},
                      part_allowed = {0, 50, 0}, across_allowed = {2, 64, 0},
                      times_allowed = {1, 100, 0}, count_allowed = {1, 100000, 0},
                      edge_allowed = {32, 256, 0},
                      orientations_allowed = {0, HT_PC_ORIENTATIONS - 1, 0};

static const ht_option options[] = {
    {"--output", "-o", .value = "DIR", TEXT(output), .group = HT_TAKES_OUTPUT,
     .help = "folder for the results"},
    {"--from-manifest", .value = "FILE", TEXT(record), .group = HT_TAKES_RECORD,
     .help = "repeat the run that this manifest.json records; also give its scan"},
    {"--series", .value = "N", SETTING("", "series"), .group = HT_TAKES_READING},
    {"--phase", .value = "N", SETTING("", "phase"), .group = HT_TAKES_READING},
    {"--allow-gaps", .value = "MM", SETTING("", "allow_gaps_mm"), .group = HT_TAKES_READING},
    {"--surface-spacing", .value = "MM", SETTING("", "surface_spacing_mm"),
     .group = HT_TAKES_READING},
    {"--surface-unit", .value = "auto|mm|cm|m", SETTING("", "surface_unit"),
     .group = HT_TAKES_READING},
    {"--keep-identity", SETTING("", "keep_identity"), .group = HT_TAKES_READING},
    {"--follow-umask", SETTING("", "follow_umask"), .group = HT_TAKES_UMASK},
    {"--from", .value = "X,Y,Z", .type = HT_OPTION_SET, .set = take_from, .several = 1,
     .group = HT_TAKES_VESSEL,
     .help = "find the vessel from this point, its inlet (LPS mm, or ras:X,Y,Z), to those of --to"},
    {"--to", .value = "X,Y,Z", .type = HT_OPTION_SET, .set = take_to, .several = 1,
     .group = HT_TAKES_VESSEL, .help = "a point where the blood leaves; may be repeated"},
    {"--points", .value = "FILE", TEXT(points), .group = HT_TAKES_VESSEL,
     .help =
         "these points from a point list of 3D Slicer (.mrk.json, .fcsv) or a CSV, inlet first"},
    {"--vessel", .value = "N", AT(HT_OPTION_INTEGER, vessel), .range = &vessel_allowed,
     .group = HT_TAKES_VESSEL,
     .help = "take the vessel with this number in pictures/candidates.png"},
    {"--branches", .value = "N", SETTING("vessel", "branches"), .group = HT_TAKES_VESSEL},
    {"--preset", .value = "auto|none|tof-mra|cta-head|cta-aorta|3dra", SETTING("segment", "preset"),
     .group = HT_TAKES_VESSEL},
    {"--method", .value = "auto|threshold|vesselness|levelset|file", SETTING("segment", "method"),
     .group = HT_TAKES_VESSEL},
    {"--lower", .value = "VALUE", SETTING("segment", "lower"), .group = HT_TAKES_VESSEL},
    {"--upper", .value = "VALUE", SETTING("segment", "upper"), .group = HT_TAKES_VESSEL},
    {"--nodes-across", .value = "N", SETTING("lattice", "nodes_across"), .group = HT_TAKES_VESSEL},
    {"--resolution", .value = "N", SETTING("lattice", "nodes_across"), .group = HT_TAKES_VESSEL,
     .help = "the same as --nodes-across"},
    {"--spacing", .value = "MM", SETTING("lattice", "spacing_mm"), .group = HT_TAKES_VESSEL},
    {"--within", .value = "TIME", SETTING("lattice", "within"),
     .group = HT_TAKES_VESSEL | HT_TAKES_SOLVER},
    {"--flow", .value = "ML_S", SETTING("flow", "inlet_flow_ml_s"), .group = HT_TAKES_INFLOW},
    {"--measured", .value = "SERIES", SETTING("flow", "measured"), .group = HT_TAKES_VESSEL},
    {"--cardiac-output", .value = "L_MIN", SETTING("patient", "cardiac_output_l_min"),
     .group = HT_TAKES_INFLOW},
    {"--heart-rate", .value = "PER_MIN", SETTING("patient", "heart_rate_per_min"),
     .group = HT_TAKES_INFLOW},
    {"--blood-pressure", .value = "SYS/DIA", SETTING("patient", "blood_pressure_mmhg"),
     .group = HT_TAKES_INFLOW},
    {"--openings", .value = "FILE", TEXT(openings), .group = HT_TAKES_INFLOW,
     .help = "openings from planes or points of 3D Slicer (.mrk.json)"},
    {"--device", .value = "auto|cpu|cuda", SETTING("flow", "device"), .group = HT_TAKES_SOLVER},
    {"--threads", .value = "N", SETTING("flow", "threads"), .group = HT_TAKES_SOLVER},
    {"--precision", .value = "fp32|fp64|fp16", SETTING("flow", "precision"),
     .group = HT_TAKES_SOLVER},
    {"--collision", .value = "auto|lbgk|mrt|cumulant", SETTING("flow", "collision"),
     .group = HT_TAKES_SOLVER},
    {"--fluid", .value = "incompressible|quasi-compressible", SETTING("flow", "fluid"),
     .group = HT_TAKES_SOLVER},
    {"--max-steps", .value = "N", SETTING("flow", "max_steps"), .group = HT_TAKES_SOLVER},
    {"--steps", .value = "N", SETTING("flow", "steps"), .group = HT_TAKES_SOLVER},
    {"--sensitivity", SETTING("", "sensitivity"), .group = HT_TAKES_SENSITIVITY},
    {"--dicom", SETTING("export", "dicom"), .group = HT_TAKES_DICOM},
    {"--beat-files", .value = "no|animation|vtk|nifti|all", SETTING("export", "beat_files"),
     .group = HT_TAKES_BEAT},
    {"--max-memory", .value = "GB", SETTING("", "max_memory_gb"),
     .group = HT_TAKES_READING | HT_TAKES_VESSEL | HT_TAKES_SOLVER},
    {"--ratio", .value = "R", AT(HT_OPTION_REAL, ratio), .range = &ratio_allowed,
     .group = HT_TAKES_RATIO, .help = "ratio of one lattice's spacing to the next (default 1.4)"},
    {"--format", .value = "dicom|nifti", AT(HT_OPTION_WORD, format), .words = format_words,
     .group = HT_TAKES_PHANTOM, .help = "format of the scan (default dicom; scene: nifti)"},
    {"--seed", .value = "N", SETTING("", "phantom_seed"), .group = HT_TAKES_PHANTOM},
    {"--spacing", .value = "MM", SETTING("", "phantom_spacing_mm"), .group = HT_TAKES_PHANTOM},
    {"--severity", .value = "PERCENT", AT(HT_OPTION_REAL, severity), .range = &severity_allowed,
     .group = HT_TAKES_PHANTOM,
     .help = "coarctation, stenosis: loss of area (75: half of the diameter)"},
    {"--eccentricity", .value = "PERCENT", AT(HT_OPTION_REAL, eccentricity),
     .range = &eccentricity_allowed, .group = HT_TAKES_PHANTOM,
     .help = "stenosis: offset of the throat from the axis, per cent of the diameter (default 0)"},
    {"--child", FLAG(child), .group = HT_TAKES_PHANTOM,
     .help = "coarctation: a child's aorta, 10.9 mm and 55 mL/s (default: an adult's)"},
    {"--flow", .value = "ML_S", AT(HT_OPTION_REAL, flow), .range = &flow_allowed,
     .group = HT_TAKES_PHANTOM, .help = "mean flow into the inlet, mL/s"},
    {"--reynolds", .value = "N", AT(HT_OPTION_REAL, reynolds), .range = &reynolds_allowed,
     .group = HT_TAKES_PHANTOM,
     .help =
         "Reynolds number (fda-nozzle: of the throat, stenosis: of the pipe), instead of --flow"},
    {"--phase-contrast", .value = "MAKE", AT(HT_OPTION_WORD, phase_contrast),
     .words = ht_pc_convention_words, .group = HT_TAKES_PHANTOM,
     .help = "also its flow over a beat as phase-contrast MR in three directions, in the way of "
             "siemens, siemens-xa, ge, ge-weighted, philips, philips-enhanced or standard: "
             "phase_contrast/"},
    {"--plane", .value = "PERCENT", AT(HT_OPTION_REAL, plane), .range = &percent_allowed,
     .group = HT_TAKES_PHANTOM,
     .help = "with --phase-contrast: one plane instead, across the vessel at this part of its way"},
    {"--venc", .value = "M_S", AT(HT_OPTION_REAL, venc), .range = &venc_allowed,
     .group = HT_TAKES_PHANTOM,
     .help = "its velocity encoding; lower than the peak, it wraps (default 1.1 times the peak)"},
    {"--noise", .value = "PERCENT", AT(HT_OPTION_REAL, noise), .range = &part_allowed,
     .group = HT_TAKES_PHANTOM, .help = "its noise in blood, of venc (default 0)"},
    {"--offset", .value = "PERCENT", AT(HT_OPTION_REAL, offset), .range = &part_allowed,
     .group = HT_TAKES_PHANTOM, .help = "its phase offset at a corner, of venc (default 0)"},
    {"--orientation", .value = "N", AT(HT_OPTION_INTEGER, orientation),
     .range = &orientations_allowed, .group = HT_TAKES_PHANTOM,
     .help = "order and direction of its axes, 0 to 47 (default 0)"},
    {"--across", .value = "N", AT(HT_OPTION_REAL, across), .range = &across_allowed,
     .group = HT_TAKES_PHANTOM, .help = "its voxels across the vessel (default 8)"},
    {"--times", .value = "N", AT(HT_OPTION_INTEGER, times), .range = &times_allowed,
     .group = HT_TAKES_PHANTOM, .help = "its time points (default 20)"},
    {"--count", .value = "N", AT(HT_OPTION_INTEGER, count), .range = &count_allowed,
     .group = HT_TAKES_PHANTOM, .help = "volumes: how many (default 1)"},
    {"--edge", .value = "N", AT(HT_OPTION_INTEGER, edge), .range = &edge_allowed,
     .group = HT_TAKES_PHANTOM, .help = "volumes: their voxels along each axis (default 96)"},
    {"--study", FLAG(study), .group = HT_TAKES_STUDY,
     .help = "tile channels, spheres and vessels instead; DIR is then the folder for the results"},
    {"--mask", .value = "FILE", TEXT(mask), .group = HT_TAKES_STUDY,
     .help = "with --study: also tile a mask of your own"},
    {"--set", .value = "KEY=VALUE", .type = HT_OPTION_SET, .set = take_set, .several = 1,
     .group = HT_TAKES_SET,
     .help = "any setting of a case file, as flow.cycles=5 or openings.NAME.role=wall; may be "
             "repeated"},
    {"--base", .value = "CASE.yaml", TEXT(base), .group = HT_TAKES_BATCH,
     .help = "settings of all cases that the table does not give"},
    {"--jobs", "-j", .value = "N", AT(HT_OPTION_INTEGER, jobs), .range = &jobs_allowed,
     .group = HT_TAKES_BATCH, .help = "cases at a time (default: by cores and GPUs)"},
    {"--retry", .value = "failed|all", AT(HT_OPTION_WORD, retry), .words = retry_words,
     .group = HT_TAKES_BATCH, .help = "also run the failed cases again, or all that are not done"},
    {"--executor", .value = "local|slurm", AT(HT_OPTION_WORD, executor), .words = executor_words,
     .group = HT_TAKES_BATCH,
     .help = "run the cases on this machine, or as a job array of a Slurm cluster"},
    {"--sbatch", .value = "OPTIONS", TEXT(sbatch), .group = HT_TAKES_BATCH,
     .help = "with slurm: options of sbatch for each case, as \"--gres=gpu:1 --time=2:00:00\""},
    {"--own-colours", FLAG(own_colours), .group = HT_TAKES_BATCH,
     .help =
         "scale each case's pictures to its own values (default: the same colours for all cases)"},
    {"--speed-colours", .value = "M_S", SETTING("export", "speed_colours_to_m_s"),
     .group = HT_TAKES_COLOURS},
    {"--wss-colours", .value = "PA", SETTING("export", "wss_colours_to_pa"),
     .group = HT_TAKES_COLOURS},
    {"--no-pictures", FLAG(no_pictures), .group = HT_TAKES_PICTURES,
     .help = "no report.html and no pictures of the flow: `hemotile report DIR` makes them"},
    {"--list", .value = "DIR", TEXT(list), .group = HT_TAKES_LIST,
     .help = "also write the list as DIR/series.json, with a small picture of each series"},
    {"--dry-run", FLAG(dry_run), .group = HT_TAKES_DRY,
     .help = "print what would be done, with its time and memory; compute no flow"},
    {"--first-look", .value = "WHEN", AT(HT_OPTION_WORD, first_look), .words = look_words,
     .group = HT_TAKES_LOOK,
     .help = "the mean flow within seconds on a coarse lattice, to look at: auto: before a flow of "
             "more than a minute; always: before any; only: in place of it [no]"},
    {"--force", FLAG(force), .group = HT_TAKES_FORCE,
     .help =
         "replace an edited mask, the case of another scan, or a flow that will not be recomputed"},
    {"--ranks", .value = "N", AT(HT_OPTION_INTEGER, ranks), .range = &ranks_allowed,
     .group = HT_TAKES_RANKS,
     .help = "share the flow among N processes (MPI); --threads counts for each"},
    {"--gpus", .value = "N", AT(HT_OPTION_INTEGER, gpus), .range = &ranks_allowed,
     .group = HT_TAKES_RANKS,
     .help = "share the flow among N GPUs of this machine, one process each (MPI)"},
    {"--parts", .value = "N", AT(HT_OPTION_INTEGER, parts), .range = &parts_allowed,
     .group = HT_TAKES_SHARES,
     .help = "show how N ranks would share the flow: parts.json, pictures/parts.png"},
    {"--restart", FLAG(restart), .group = HT_TAKES_RESTART,
     .help = "start the flow from the beginning: the checkpoints of an earlier run are removed"},
    {"--quiet", "-q", FLAG(quiet), .help = "no progress; only warnings, errors and the result"},
    {"--help", "-h", FLAG(help), .help = "this text"},
    {0}};

/* Names the setting: "--waveform" is a key of a case file. */
static void name_setting(const char *unknown, char *text, size_t size) {
  char key[64];
  snprintf(key, sizeof key, "%s", unknown + strspn(unknown, "-"));
  for (char *sign = key; *sign; sign++)
    if (*sign == '-') *sign = '_';
  for (const ht_key *one = ht_case_keys; one->key; one++)
    if (strcmp(one->key, key) == 0) {
      snprintf(text, size, "; it is a setting of a case file: --set %s%s%s=VALUE", one->section,
               *one->section ? "." : "", one->key);
      return;
    }
}

/* Names the stage: a warning of `solve` asks for more --nodes-across, which belongs to the mask. */
static void name_stage(const char *unknown, char *text, size_t size) {
  for (const ht_option *one = options; one->name; one++)
    if ((one->group & HT_TAKES_VESSEL) && strcmp(one->name, unknown) == 0)
      snprintf(text, size, "; it belongs to the mask: `hemotile segment DIR %s ...` first",
               unknown);
}

/* Writes the help of a setting: that of its key, with [the default] where it does not say what
 * `auto` means. An option without a value means "yes". */
static void help_setting(const ht_option *option, char *text, size_t size) {
  static const char yes[] = "yes: ";
  const ht_key *key = ht_key_find(ht_case_keys, option->section, option->key);
  const int is_flag = !option->value && strncmp(key->help, yes, strlen(yes)) == 0;
  char value[64] = "";
  if (option->value && !strstr(key->help, "(auto:")) ht_key_default(key, value, sizeof value);
  snprintf(text, size, "%s%s%s%s", key->help + (is_flag ? strlen(yes) : 0), *value ? " [" : "",
           value, *value ? "]" : "");
}

static ht_option_table table_of(const ht_usage *usage) {
  return (ht_option_table){usage->name,
                           options,
                           usage->takes,
                           take_operand,
                           usage->takes & HT_TAKES_SET ? name_setting : name_stage,
                           help_setting};
}

ht_command_page ht_arguments_page(const ht_usage *usage) {
  return (ht_command_page){.name = usage->name,
                           .operand = usage->operand,
                           .summary = usage->summary,
                           .text = usage->text,
                           .example = usage->example,
                           .table = table_of(usage)};
}

static ht_status give_one(const char *option, const char *text, const char *set) {
  return ht_fail(HT_ERR_USAGE, "%s%s%s and --set %s: give one of them", option, *text ? " " : "",
                 text, set);
}

/* Refuses a --set of a file that an option gives, too: these options are no settings of one value.
 * `set`: "name=value". */
static ht_status refuse_files(const ht_arguments *arguments, const char *set) {
  const char *value = strchr(set, '=') + 1;
  if (strncmp(set, "openings=", strlen("openings=")) == 0) {
    const char *file = arguments->openings;
    return file && strcmp(file, value) != 0 ? give_one("--openings", file, set) : HT_OK;
  }
  if (strncmp(set, "vessel.points=", strlen("vessel.points=")) != 0) return HT_OK;
  if (arguments->points && strcmp(arguments->points, value) != 0)
    return give_one("--points", arguments->points, set);
  if (arguments->from) return give_one("--from", arguments->from, set);
  return arguments->vessel > 0 ? give_one("--vessel N", "", set) : HT_OK;
}

/* Refuses a --set and an option, or two of --set, for one setting: the later would win silently.
 * `set`: "section.key=value". */
static ht_status refuse_rivals(const ht_arguments *arguments, int at) {
  const char *set = arguments->set[at], *value = strchr(set, '=') + 1;
  char name[SET_NAME_MAX], other[SET_NAME_MAX];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(set, "="), set);
  HT_TRY(refuse_files(arguments, set));
  for (int g = 0; g < arguments->given; g++) {
    const ht_option *one = arguments->given_option[g];
    const char *text = arguments->given_text[g];
    snprintf(other, sizeof other, "%s%s%s", one->section, *one->section ? "." : "", one->key);
    if (strcmp(other, name) == 0 && !ht_option_same_value(text, value))
      return give_one(one->name, one->value ? text : "", set);
    HT_TRY(ht_case_refuse_rivals(other, name, one->name, HT_ERR_USAGE));
  }
  for (int i = 0; i < at; i++) {
    const char *before = arguments->set[i];
    snprintf(other, sizeof other, "%.*s", (int)strcspn(before, "="), before);
    if (strcmp(other, name) == 0 && !ht_option_same_value(strchr(before, '=') + 1, value))
      return give_one("--set", before, set);
    HT_TRY(ht_case_refuse_rivals(other, name, "--set", HT_ERR_USAGE));
  }
  return HT_OK;
}

static int is_given(const ht_arguments *arguments, const char *name) {
  for (int g = 0; g < arguments->given; g++)
    if (strcmp(arguments->given_option[g]->name, name) == 0) return 1;
  return 0;
}

/* Refuses two options for one setting: the later would win silently. */
static ht_status refuse_both(const ht_arguments *arguments) {
  static const char *const pairs[][2] = {
      {"--nodes-across", "--spacing"},    {"--resolution", "--spacing"},
      {"--flow", "--cardiac-output"},     {"--flow", "--measured"},
      {"--cardiac-output", "--measured"}, {"--heart-rate", "--measured"},
      {"--steps", "--max-steps"}};
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    if (is_given(arguments, pairs[p][0]) && is_given(arguments, pairs[p][1]))
      return ht_fail(HT_ERR_USAGE, "%s and %s: give one of them", pairs[p][0], pairs[p][1]);
  return HT_OK;
}

/* Refuses the CPU with --gpus, which means --device cuda. */
static ht_status refuse_cpu(const ht_arguments *arguments) {
  static const char cpu[] = "flow.device=cpu";
  for (int g = 0; g < arguments->given; g++)
    if (strcmp(arguments->given_option[g]->name, "--device") == 0 &&
        strcmp(arguments->given_text[g], ht_device_words[HT_DEVICE_CPU]) == 0)
      return ht_fail(HT_ERR_USAGE, "--gpus and --device cpu: give one of them");
  for (int i = 0; i < arguments->set_count; i++)
    if (strcmp(arguments->set[i], cpu) == 0) return give_one("--gpus N", "", cpu);
  return HT_OK;
}

static ht_status refuse_pairs(const ht_arguments *arguments) {
  HT_TRY(refuse_both(arguments));
  if (arguments->gpus > 0) HT_TRY(refuse_cpu(arguments));
  for (int i = 0; i < arguments->set_count; i++) {
    const char *set = arguments->set[i];
    const size_t length = strcspn(set, "=");
    if (!set[length] || length == 0 || length >= SET_NAME_MAX)
      return ht_fail(HT_ERR_USAGE, "--set needs SECTION.KEY=VALUE, not '%.60s'", set);
    HT_TRY(refuse_rivals(arguments, i));
  }
  return HT_OK;
}

ht_status ht_arguments_parse(const ht_usage *usage, int argc, char **argv,
                             ht_arguments *arguments) {
  const ht_option_table table = table_of(usage);
  *arguments = (ht_arguments){.usage = usage,
                              .severity = NAN,
                              .eccentricity = NAN,
                              .plane = NAN,
                              .format = -1,
                              .phase_contrast = -1};
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) arguments->help = 1;
  if (arguments->help) {
    const ht_command_page page = ht_arguments_page(usage);
    ht_command_page_help(stdout, &page);
    return HT_OK;
  }
  HT_TRY(ht_options_parse(&table, argc, argv, arguments));
  if (usage->operand && !arguments->operand && !arguments->record)
    return ht_fail(
        HT_ERR_USAGE,
        "`hemotile %s` needs %s, for example:\n%s\n`hemotile %s --help` lists the options",
        usage->name, usage->operand, usage->example, usage->name);
  return refuse_pairs(arguments);
}

/* Applies a pair: "120/80" are two numbers. */
static ht_status apply_pair(const ht_key *key, ht_case *settings, const char *text,
                            const char *name) {
  char both[64];
  const char *each[2] = {both, both};
  if (!strchr(text, '/') || strlen(text) >= sizeof both)
    return ht_fail(HT_ERR_USAGE, "%s needs two numbers with a / between, as in 120/80, not '%.60s'",
                   name, text);
  snprintf(both, sizeof both, "%s", text);
  char *slash = strchr(both, '/');
  *slash = 0;
  each[1] = slash + 1;
  return ht_key_set(key, settings, each, 2, name, HT_ERR_USAGE);
}

static ht_status apply_places(const ht_arguments *arguments, ht_points *points) {
  const char *missing = arguments->from ? "--to" : "--from";
  if (!arguments->from || arguments->to_count == 0)
    return ht_fail(HT_ERR_USAGE,
                   "%s is missing: give the inlet with --from X,Y,Z and each place where the blood "
                   "leaves with --to X,Y,Z",
                   missing);
  HT_TRY(ht_points_add_typed(arguments->from, "--from", points));
  for (int i = 0; i < arguments->to_count; i++)
    HT_TRY(ht_points_add_typed(arguments->to[i], "--to", points));
  return HT_OK;
}

static ht_status apply_points(const ht_arguments *arguments, ht_case *settings) {
  ht_points points = {.count = 0};
  int places = arguments->from || arguments->to_count > 0;
  if (arguments->vessel > 0 && (places || arguments->points))
    return ht_fail(HT_ERR_USAGE,
                   "give either --vessel N, or points (--points, --from and --to), not both");
  if (!places && !arguments->points) return HT_OK;
  if (places && arguments->points)
    return ht_fail(HT_ERR_USAGE, "give either --points FILE, or --from and --to, not both");
  if (places)
    HT_TRY(apply_places(arguments, &points));
  else
    HT_TRY(ht_points_read(arguments->points, &points));
  snprintf(settings->points_file, sizeof settings->points_file, "%s",
           arguments->points ? arguments->points : "");
  settings->points_are_ras = points.is_ras;
  return ht_case_set_points(settings, &points);
}

/* Applies "section.key=value". */
static ht_status apply_sets(const ht_arguments *arguments, ht_case *settings) {
  for (int i = 0; i < arguments->set_count; i++) {
    char name[SET_NAME_MAX], drops[256];
    const char *value = strchr(arguments->set[i], '=');
    snprintf(name, sizeof name, "%.*s", (int)(value - arguments->set[i]), arguments->set[i]);
    ht_case_role_drops(settings, name, value + 1, drops, sizeof drops);
    if (*drops) ht_console_warn("--set %s: this drops its %s", arguments->set[i], drops);
    HT_TRY(ht_case_override(settings, name, value + 1, name, HT_ERR_USAGE));
  }
  return HT_OK;
}

ht_status ht_arguments_apply(const ht_arguments *arguments, ht_case *settings) {
  if (arguments->openings) HT_TRY(ht_markups_read(arguments->openings, settings));
  HT_TRY(apply_points(arguments, settings));
  for (int g = 0; g < arguments->given; g++) {
    const ht_option *one = arguments->given_option[g];
    const char *name = one->name, *text = arguments->given_text[g];
    const ht_key *key = ht_key_find(ht_case_keys, one->section, one->key);
    HT_TRY(ht_case_make_way(settings, key, name, HT_ERR_USAGE));
    if (key->type == HT_KEY_PAIR)
      HT_TRY(apply_pair(key, settings, text, name));
    else
      HT_TRY(ht_key_set(key, settings, &text, 1, name, HT_ERR_USAGE));
  }
  HT_TRY(apply_sets(arguments, settings));
  if (arguments->gpus > 0) settings->solver.device = HT_DEVICE_CUDA;
  return HT_OK;
}

/* Returns 1 where the word is an option, or its number. */
static int is_plain(const char *word, const char *before) {
  const size_t number = strspn(word, "0123456789.,+-eE");
  if (word[0] == '-' && !strchr(word, '=')) return 1;
  return before && before[0] == '-' && strcmp(before, "--series") != 0 && word[number] == 0;
}

/* Marks what a person typed: the log keeps paths as labels, and hemotile's own words. */
void ht_arguments_console(const ht_arguments *arguments, int argc, char **argv) {
  char line[4096] = "hemotile";
  size_t length = strlen(line);
  for (int i = 0; i < argc && length < sizeof line; i++)
    length += (size_t)snprintf(
        line + length, sizeof line - length,
        is_plain(argv[i], i > 0 ? argv[i - 1] : NULL) ? " %s" : " " HT_MARK_BEGIN "%s" HT_MARK_END,
        argv[i]);
  ht_console_begin(arguments->quiet, line);
}
