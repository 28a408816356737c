#define _POSIX_C_SOURCE 200809L
#include "app/common/command.h"
#include "core/text/number_text.h"
#include "run/edit/edits_mask.h"
#include "run/edit/step_text.h"
#include "run/folder/yaml_file.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "run/process/options.h"
#include "run/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is typed, in its order. */
typedef enum { DO_STEP, DO_REPEAT, DO_MOVE } action_kind;
typedef struct {
  action_kind kind;
  ht_edit_step step;
  int by; /* steps forward; < 0: back */
} action;

typedef struct {
  int help, quiet, follow_umask, force, list;
  int done; /* number of steps that changed something, and of moves */
  const char *folder;
  action *of; /* owned */
  int count, room;
  char base_sha256[HT_HASH_TEXT]; /* first mask of the steps of a file; "": not given */
} request;

/* ---- what is typed ---- */

static ht_status add(request *r, const action *one) {
  if (r->count == r->room) {
    action *more = realloc(r->of, ((size_t)r->room + 256) * sizeof *more);
    if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for the steps");
    r->of = more;
    r->room += 256;
  }
  r->of[r->count++] = *one;
  return HT_OK;
}

static ht_status take_folder(void *target, const char *typed) {
  request *r = target;
  if (r->folder) return ht_fail(HT_ERR_USAGE, "give one case folder");
  r->folder = typed;
  return HT_OK;
}

/* Reads "1,2,3" as `count` numbers, which `more` may follow; those that are absent are 0. */
static ht_status read_numbers(const char *option, const char *typed, int count, int more,
                              double *value) {
  const char *at = typed;
  for (int n = 0; n < more; n++) value[count + n] = 0;
  for (int n = 0; n < count + more; n++) {
    char *end;
    value[n] = ht_number_read(at, &end);
    if (end > at && !*end && n + 1 >= count) return HT_OK;
    if (end == at || *end != ',' || n + 1 == count + more)
      return ht_fail(HT_ERR_USAGE, "%s %s: expected %d numbers with commas between them", option,
                     typed, count);
    at = end + 1;
  }
  return HT_OK;
}

/* Takes a step over, with its numbers as they are kept. */
static ht_status add_step(request *r, const ht_edit_step *step) {
  action one = {.kind = DO_STEP};
  char *text = NULL;
  size_t length;
  HT_TRY(ht_edit_step_check(step));
  FILE *stream = open_memstream(&text, &length);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory for the steps");
  ht_edit_step_write(step, stream);
  fclose(stream);
  ht_status status = ht_edit_step_parse(text, length, &one.step);
  free(text);
  if (status == HT_OK) status = add(r, &one);
  if (status != HT_OK) ht_edit_step_free(&one.step);
  return status;
}

/* An option that is one step: its numbers are a place (3), then a radius, or a direction, ... */
static const struct {
  const char *option;
  ht_edit_kind kind;
  int numbers, more, place;
} short_steps[] = {
    {"--paint", HT_EDIT_PAINT, 4, 0, 1},   {"--erase", HT_EDIT_ERASE, 4, 0, 1},
    {"--cut-plane", HT_EDIT_CUT, 6, 1, 1}, {"--region", HT_EDIT_REGION, 6, 0, 1},
    {"--smooth", HT_EDIT_SMOOTH, 1, 0, 0}, {"--close", HT_EDIT_CLOSE, 1, 0, 0},
    {"--grow", HT_EDIT_GROW, 1, 0, 0},     {"--shrink", HT_EDIT_SHRINK, 1, 0, 0},
};

static ht_status take_step(void *target, const ht_option *option, char *const *values) {
  double number[7], place[1][3];
  size_t s = 0;
  while (strcmp(short_steps[s].option, option->name) != 0) s++;
  HT_TRY(
      read_numbers(option->name, values[0], short_steps[s].numbers, short_steps[s].more, number));
  const double *rest = number + 3 * short_steps[s].place;
  ht_edit_step step = {.kind = short_steps[s].kind};
  if (short_steps[s].place) {
    memcpy(place[0], number, sizeof place[0]);
    step.place_mm = place;
    step.places = 1;
  }
  if (step.kind == HT_EDIT_CUT) {
    memcpy(step.direction, rest, sizeof step.direction);
    step.has_direction = 1;
    step.radius_mm = rest[3];
  } else {
    step.radius_mm = rest[0];
  }
  if (step.kind == HT_EDIT_REGION) step.lower = rest[1], step.upper = rest[2];
  return add_step(target, &step);
}

static ht_status take_flag(void *target, const ht_option *option, char *const *values) {
  (void)values;
  const ht_edit_step step = {.kind = strcmp(option->name, "--fill") == 0 ? HT_EDIT_FILL
                                                                         : HT_EDIT_ISLANDS};
  return add_step(target, &step);
}

/* Belongs to the cut or the islands before it. */
static ht_status take_keep(void *target, const ht_option *option, char *const *values) {
  request *r = target;
  ht_edit_step *last = r->count > 0 ? &r->of[r->count - 1].step : NULL;
  if (!last || r->of[r->count - 1].kind != DO_STEP ||
      (last->kind != HT_EDIT_CUT && last->kind != HT_EDIT_ISLANDS))
    return ht_fail(HT_ERR_USAGE, "--keep follows a --cut-plane or --drop-islands");
  HT_TRY(read_numbers(option->name, values[0], 3, 0, last->keep_mm));
  for (int a = 0; a < 3; a++) last->keep_mm[a] = round(last->keep_mm[a] * 1000) / 1000;
  last->has_keep = 1;
  return ht_edit_step_check(last);
}

static ht_status take_move(void *target, const ht_option *option, char *const *values) {
  double by;
  HT_TRY(read_numbers(option->name, values[0], 1, 0, &by));
  if (!(by >= 1 && by <= 1e6 && by == floor(by)))
    return ht_fail(HT_ERR_USAGE, "%s %s: expected a number of steps", option->name, values[0]);
  const action one = {.kind = DO_MOVE,
                      .by = strcmp(option->name, "--undo") == 0 ? -(int)by : (int)by};
  return add(target, &one);
}

/* ---- a file of steps ---- */

static ht_status take_line(request *r, struct fy_node *root) {
  action one = {.kind = DO_MOVE};
  if (ht_yaml_get(root, "hemotile_edits")) {
    ht_yaml_text(root, "base_sha256", r->base_sha256, sizeof r->base_sha256);
    return HT_OK;
  }
  if (ht_yaml_get(root, "mask_sha256")) return HT_OK;
  if (ht_yaml_int(root, "redo", &one.by)) return add(r, &one);
  if (ht_yaml_int(root, "undo", &one.by)) {
    one.by = -one.by;
    return add(r, &one);
  }
  one.kind = DO_REPEAT;
  HT_TRY(ht_edit_step_take(root, &one.step));
  ht_status status = add(r, &one);
  if (status != HT_OK) ht_edit_step_free(&one.step);
  return status;
}

static ht_status read_lines(request *r, const char *name, FILE *stream) {
  char *line = NULL, why[1024];
  size_t room = 0;
  ssize_t length;
  ht_status status = HT_OK;
  for (int number = 1; status == HT_OK && (length = getline(&line, &room, stream)) >= 0; number++) {
    ht_yaml yaml;
    if (line[strspn(line, " \t\r\n")] == 0) continue;
    status = ht_yaml_parse("a step", line, (size_t)length, HT_ERR_USAGE, &yaml);
    if (status == HT_OK) status = take_line(r, yaml.root);
    ht_yaml_free(&yaml);
    snprintf(why, sizeof why, "%s", ht_error_message());
    if (status != HT_OK) status = ht_fail(status, "%s, line %d: %s", name, number, why);
  }
  free(line);
  return status;
}

static ht_status take_file(void *target, const ht_option *option, char *const *values) {
  (void)option;
  if (strcmp(values[0], "-") == 0) return read_lines(target, "standard input", stdin);
  FILE *stream = ht_file_open(values[0]);
  if (!stream)
    return ht_fail(HT_ERR_NOT_FOUND, "%s cannot be read: %s", values[0], ht_file_reason());
  ht_status status = read_lines(target, values[0], stream);
  fclose(stream);
  return status;
}

#define AT(type_, field) .type = type_, .offset = offsetof(request, field)
#define STEP(name_, value_, help_)                                                                 \
  { name_, .value = value_, .type = HT_OPTION_SET, .set = take_step, .several = 1, .help = help_ }
#define FLAG(name_, help_)                                                                         \
  { name_, .type = HT_OPTION_SET, .set = take_flag, .several = 1, .help = help_ }

static const ht_option options[] = {
    {"--steps", .value = "FILE", .type = HT_OPTION_SET, .set = take_file, .several = 1,
     .help =
         "do the steps of this file, one of JSON a line (edits.jsonl of a case); -: of standard "
         "input"},
    STEP("--paint", "X,Y,Z,R", "add a ball of this radius (LPS, mm)"),
    STEP("--erase", "X,Y,Z,R", "remove a ball"),
    STEP("--cut-plane", "X,Y,Z,NX,NY,NZ[,R]",
         "remove what lies behind the plane through X,Y,Z, on the side that N points away from; "
         "with "
         "R only what hangs on the back of the disc of this radius"),
    {"--keep", .value = "X,Y,Z", .type = HT_OPTION_SET, .set = take_keep, .several = 1,
     .help = "of the --cut-plane or --drop-islands before it: keep only the piece at this place"},
    STEP(
        "--region", "X,Y,Z,REACH,LOWER,UPPER",
        "add what is connected to X,Y,Z, at most REACH mm away, with an intensity of the scan from "
        "LOWER to UPPER"),
    FLAG("--fill", "fill cavities"),
    FLAG("--drop-islands", "keep only the largest piece"),
    STEP("--smooth", "R", "smooth by the majority within a ball of R mm"),
    STEP("--close", "R", "close gaps narrower than twice R mm"),
    STEP("--grow", "MM", "move the wall outward"),
    STEP("--shrink", "MM", "move the wall inward"),
    {"--undo", .value = "N", .type = HT_OPTION_SET, .set = take_move, .several = 1,
     .help = "undo the last N steps"},
    {"--redo", .value = "N", .type = HT_OPTION_SET, .set = take_move, .several = 1,
     .help = "do N steps again that were undone"},
    {"--list", AT(HT_OPTION_FLAG, list), .help = "print the steps; change nothing"},
    {"--force", AT(HT_OPTION_FLAG, force),
     .help = "replace a mask.nii.gz that another program has changed since"},
    {"--follow-umask", AT(HT_OPTION_FLAG, follow_umask),
     .help = "your umask sets who may read the results (default: only you)"},
    {"--quiet", "-q", AT(HT_OPTION_FLAG, quiet), .help = "only warnings, errors and the result"},
    {"--help", "-h", AT(HT_OPTION_FLAG, help), .help = "this text"},
    {0}};

static const ht_option_table table = {"edit", options, 0, take_folder, NULL, NULL};

void ht_page_edit(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "edit",
      .operand = "DIR",
      .summary = "correct the mask, step by step, with undo",
      .text =
          "Corrects mask.nii.gz of the case folder DIR by steps, in the order in which they are\n"
          "typed, and keeps them in edits.jsonl: they can be undone at any time, and are made\n"
          "again when the vessel is segmented on another lattice. `hemotile solve` and\n"
          "`hemotile run` then use the corrected mask. The workbench (`hemotile open`) does the\n"
          "same steps with the mouse. Without a step it puts those of edits.jsonl into the\n"
          "mask.",
      .example = "  hemotile edit patient1 --erase 27.1,-14.8,-38,1.5 --drop-islands\n"
                 "  hemotile edit patient1 --undo 1\n"
                 "  hemotile edit patient2 --steps patient1/edits.jsonl",
      .table = table};
}

/* ---- the work ---- */

static ht_status do_action(ht_edits *edits, const action *one, int number, int *done) {
  char why[1024];
  ht_box changed = {{0}, {0}};
  const ht_status status = one->kind == DO_STEP ? ht_edits_do(edits, -1, &one->step, &changed)
                           : one->kind == DO_REPEAT
                               ? ht_edits_repeat(edits, &one->step, &changed)
                               : ht_edits_move(edits, -1, edits->file.position + one->by, NULL);
  if (status == HT_OK && one->kind != DO_MOVE && changed.last[0] < changed.first[0])
    ht_console_note("step %d of this command (%s): nothing was changed: %s", number,
                    ht_edit_words[one->step.kind], ht_edit_nothing(one->step.kind));
  else if (status == HT_OK)
    ++*done;
  if (status == HT_OK) return HT_OK;
  snprintf(why, sizeof why, "%s", ht_error_message());
  return ht_fail(status, "step %d of this command: %s", number, why);
}

/* Does all, or goes back to where it began. */
static ht_status do_all(request *r, ht_edits *edits) {
  char why[1024];
  const int begun = edits->file.position;
  int least = begun;
  for (int a = 0; a < r->count; a++) {
    const ht_status status = do_action(edits, &r->of[a], a + 1, &r->done);
    if (edits->file.position < least) least = edits->file.position;
    if (status == HT_OK) continue;
    snprintf(why, sizeof why, "%s", ht_error_message());
    /* Where it undid steps first, these may be dropped: what it did stays. */
    if (least < begun) return ht_fail(status, "%s; the steps before it are done", why);
    if (edits->file.position > begun) HT_TRY(ht_edits_move(edits, -1, begun, NULL));
    return ht_fail(status, "%s; nothing is changed", why);
  }
  return HT_OK;
}

static void list_steps(const ht_edits *edits) {
  const ht_edit_file *file = &edits->file;
  if (file->entries == 0) puts("edit: no steps");
  for (int e = 0; e < file->entries; e++)
    printf("%4d %s %s\n", e + 1, e < file->position ? "    " : "undone", file->entry[e].text);
}

static ht_status edit(request *r, ht_run *run) {
  ht_edits edits;
  HT_TRY(ht_edits_open(r->folder, &edits));
  if (edits.file.was_torn)
    ht_console_note(HT_FILE_EDITS
                    ": a step at its end is not complete (a kill, or a full disk): it "
                    "is left out");
  if (r->base_sha256[0] && strcmp(r->base_sha256, edits.base_sha256) != 0)
    ht_console_warn(
        "the steps were made on another mask than that of %s: look at what they do here",
        r->folder);
  ht_status status = HT_OK;
  const double before = (double)edits.edited.voxels;
  if (r->list)
    list_steps(&edits);
  else
    status = do_all(r, &edits);
  if (status == HT_OK && !r->list && edits.file.descriptor >= 0) {
    status = ht_edits_write_mask(&edits, &run->claim.held, r->force, NULL);
    char why[1024];
    snprintf(why, sizeof why, "%s", ht_error_message());
    if (status == HT_OK)
      ht_console_note("mask: %d steps, %.4g mL (before this command %.4g mL)", edits.position,
                      (double)edits.edited.voxels * pow(edits.edited.lattice.spacing_mm[0], 3) /
                          1e3,
                      before * pow(edits.edited.lattice.spacing_mm[0], 3) / 1e3);
    ht_edits_keep(&edits); /* without it opening takes longer */
    if (status != HT_OK)
      status = ht_fail(status,
                       "%s. The steps are kept in " HT_FILE_EDITS
                       ", do not repeat them; once this is mended, `hemotile edit %s` puts them "
                       "into the mask",
                       why, r->folder);
  }
  ht_edits_free(&edits);
  return status;
}

static ht_status with_lock(request *r) {
  ht_case *settings = NULL;
  ht_run *run = NULL;
  if (!r->folder) return ht_fail(HT_ERR_USAGE, "give a case folder: `hemotile edit DIR ...`");
  HT_TRY(ht_run_open(r->folder, &settings));
  ht_status status = ht_run_begin(settings, r->folder, HT_STAGE_EXPORT, HT_STAGE_EXPORT, 0, &run);
  if (status == HT_OK) status = edit(r, run);
  ht_run_free(run);
  return status;
}

static int finish(request *r, ht_status status) {
  ht_interrupt_done();
  if (status == HT_OK && !r->list && r->count > 0 && r->done == 0)
    printf("edit: nothing was changed\n");
  else if (status == HT_OK && !r->list)
    printf("edit: done; `hemotile solve %s` uses the corrected mask\n", r->folder);
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  for (int a = 0; a < r->count; a++) ht_edit_step_free(&r->of[a].step);
  free(r->of);
  return (int)status;
}

int ht_command_edit(int argc, char **argv) {
  request r = {0};
  ht_command_page page;
  ht_status status = ht_options_parse(&table, argc, argv, &r);
  if (status == HT_OK && r.help) {
    ht_page_edit(&page);
    ht_command_page_help(stdout, &page);
    return 0;
  }
  ht_console_begin(r.quiet, "hemotile edit");
  ht_folder_privacy(r.follow_umask);
  if (status == HT_OK) status = with_lock(&r);
  return finish(&r, status);
}
