#include "app/common/command.h"
#include "app/measure/measure.h"
#include "app/measure/measure_text.h"
#include "app/measure/measurements.h"
#include "run/folder/folder.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "run/process/options.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 256 };

/* A place, and the name under which its measurement is kept. */
typedef struct {
  ht_measure_place place;
  char name[HT_NAME_MAX]; /* "": it is not kept */
  int is_others;          /* 1: of another case's table; this case may lack it */
} wanted;

typedef struct {
  int help, quiet, follow_umask;
  const char *folder, *json, *as, *remove;
  wanted *item; /* [PLACES_MAX] */
  int count;
} request;

static ht_status take_folder(void *target, const char *typed) {
  request *r = target;
  if (r->folder)
    return ht_fail(HT_ERR_USAGE, "give one case folder, not '%s' and '%s'", r->folder, typed);
  r->folder = typed;
  return HT_OK;
}

static ht_status add_place(request *r, const char *option, const char *text) {
  if (r->count == PLACES_MAX)
    return ht_fail(HT_ERR_USAGE, "at most %d places can be measured at a time", PLACES_MAX);
  if (!r->item) HT_TRY(ht_alloc((void **)&r->item, PLACES_MAX, sizeof *r->item, "the places"));
  HT_TRY(ht_place_parse(option, text, &r->item[r->count].place));
  r->count++;
  return HT_OK;
}

static ht_status take_place(void *target, const ht_option *option, char *const *values) {
  return add_place(target, option->name + 2, values[0]);
}

static ht_status name_last(request *r, const char *name) {
  HT_TRY(ht_measurements_check_name(name));
  for (int i = 0; i < r->count; i++)
    if (strcmp(r->item[i].name, name) == 0)
      return ht_fail(HT_ERR_USAGE, "--name %s: two places of this command have this name", name);
  memcpy(r->item[r->count - 1].name, name, strlen(name) + 1);
  return HT_OK;
}

static ht_status take_name(void *target, const ht_option *option, char *const *values) {
  request *r = target;
  (void)option;
  if (r->count == 0 || r->item[r->count - 1].name[0])
    return ht_fail(HT_ERR_USAGE,
                   "--name %s: a name follows the place that it names: --plane 1,2,3 --name NAME",
                   values[0]);
  return name_last(r, values[0]);
}

#define AT(type_, field) .type = type_, .offset = offsetof(request, field)

static const ht_option options[] = {
    {"--plane", .value = "X,Y,Z[,NX,NY,NZ]", .type = HT_OPTION_SET, .set = take_place, .several = 1,
     .help = "section at this point (LPS, mm), across the vessel or with this normal"},
    {"--station", .value = "MM", .type = HT_OPTION_SET, .set = take_place, .several = 1,
     .help = "section at this position along the centreline (position_mm of centreline.csv)"},
    {"--region", .value = "REGION", .type = HT_OPTION_SET, .set = take_place, .several = 1,
     .help = "part of the wall: X,Y,Z,RADIUS[;...] (balls), branch:OPENING, sac, wall, or a table "
             "FILE.csv of balls or points"},
    {"--name", .value = "NAME", .type = HT_OPTION_SET, .set = take_name, .several = 1,
     .help = "keep the measurement before it in measurements.csv, in place of one of this name"},
    {"--as", .value = "FILE.csv", AT(HT_OPTION_TEXT, as),
     .help = "measure and keep at the places of another case's measurements.csv"},
    {"--remove", .value = "NAME", AT(HT_OPTION_TEXT, remove),
     .help = "remove a measurement from measurements.csv"},
    {"--json", .value = "FILE", AT(HT_OPTION_TEXT, json),
     .help = "write the measurements of this command as JSON, too"},
    {"--follow-umask", AT(HT_OPTION_FLAG, follow_umask),
     .help = "your umask sets who may read the results (default: only you)"},
    {"--quiet", "-q", AT(HT_OPTION_FLAG, quiet), .help = "only warnings, errors and the result"},
    {"--help", "-h", AT(HT_OPTION_FLAG, help), .help = "this text"},
    {0}};

static const ht_option_table table = {
    .command = "measure", .options = options, .operand = take_folder};

void ht_page_measure(ht_command_page *page) {
  *page = (ht_command_page){
      .name = "measure",
      .operand = "DIR",
      .summary = "measure sections of the vessel and regions of its wall",
      .text =
          "Measures in the results of the finished case DIR. A section gives area, flow, "
          "velocity,\n"
          "pressure and the wall shear stress around it: of a steady flow, or the mean over the\n"
          "beat and each moment of it that was kept (all: `hemotile solve DIR --beat-files vtk`).\n"
          "A region gives its area and, of each number of the wall, mean, percentiles, least and\n"
          "highest. Flow is positive in the direction in which the blood flows on average.\n"
          "Measurements with a --name are kept in DIR/measurements.csv. No other file is changed.",
      .example = "  hemotile measure patient1 --plane 27.1,-14.8,-38 --name inlet\n"
                 "  hemotile measure patient1 --station 12.5 --region sac --json numbers.json\n"
                 "  hemotile measure after --as before/measurements.csv",
      .table = table};
}

/* ---- what it does ---- */

static ht_status take_other(void *user, const char *name, const char *option, const char *place) {
  request *r = user;
  if (strcmp(place, HT_PLACE_OF_POINTS) == 0) {
    ht_console_warn("'%s' is left out: its region was a file of points of one wall", name);
    return HT_OK;
  }
  HT_TRY(add_place(r, option, place));
  r->item[r->count - 1].is_others = 1;
  return name_last(r, name);
}

static ht_status check(request *r) {
  if (!r->folder)
    return ht_fail(HT_ERR_USAGE, "give a case folder: `hemotile measure patient1 --plane X,Y,Z`");
  if (r->as) HT_TRY(ht_measurements_places(r->as, take_other, r));
  if (r->count == 0 && !r->remove)
    return ht_fail(HT_ERR_USAGE, "give a place to measure at: --plane, --station or --region");
  return HT_OK;
}

static void warn(const ht_results *results) {
  if (!results->stats.steady)
    ht_console_warn("the flow is not steady, or not periodic: do not use these numbers unless "
                    "summary.json has averages");
  if (results->mask_edited_since)
    ht_console_warn("mask.nii.gz was edited since: these are the results of the mask before");
}

static ht_status measure_one(const ht_results *results, const wanted *one, ht_json *json) {
  ht_measurement measurement;
  HT_TRY(ht_measure(results, &one->place, &measurement));
  const char *name = one->name[0] ? one->name : NULL;
  ht_measure_print(stdout, name, &one->place, &measurement);
  if (json) ht_measure_json(json, NULL, name, &one->place, &measurement);
  ht_status status =
      name ? ht_measurements_keep(results->folder, name, &one->place, &measurement) : HT_OK;
  ht_measurement_free(&measurement);
  return status;
}

static ht_status measure_all(const request *r, const ht_results *results, ht_json *json) {
  if (json) ht_json_object(json, NULL);
  if (json) ht_json_array(json, "measurements");
  int measured = 0;
  for (int i = 0; i < r->count; i++) {
    const wanted *one = &r->item[i];
    if (i > 0) putchar('\n');
    const ht_status status = measure_one(results, one, json);
    measured += status == HT_OK;
    const int may_lack = status == HT_ERR_USAGE || status == HT_ERR_NOT_FOUND;
    const int is_last_hope = measured == 0 && i == r->count - 1;
    if (status != HT_OK && !(one->is_others && may_lack && !is_last_hope)) return status;
    if (status != HT_OK) ht_console_warn("'%s' is left out: %s", one->name, ht_error_message());
  }
  if (json) ht_json_array_end(json);
  if (json) ht_json_object_end(json);
  return HT_OK;
}

static ht_status measure_to_json(const request *r, const ht_results *results) {
  ht_output output;
  HT_TRY(ht_output_open(r->json, &output));
  ht_json json = {output.stream, 0, 1};
  ht_status status = measure_all(r, results, &json);
  fputc('\n', output.stream);
  return ht_output_end(&output, status);
}

static ht_status work(request *r) {
  ht_results results;
  HT_TRY(check(r));
  if (r->remove) HT_TRY(ht_measurements_remove(r->folder, r->remove));
  if (r->count == 0) return HT_OK;
  HT_TRY(ht_results_read(r->folder, &results));
  warn(&results);
  ht_status status = r->json ? measure_to_json(r, &results) : measure_all(r, &results, NULL);
  ht_results_free(&results);
  return status;
}

static void request_free(request *r) {
  for (int i = 0; i < r->count; i++) ht_place_free(&r->item[i].place);
  free(r->item);
}

int ht_command_measure(int argc, char **argv) {
  request r = {0};
  ht_command_page page;
  ht_status status = ht_options_parse(&table, argc, argv, &r);
  if (status == HT_OK && r.help) {
    ht_page_measure(&page);
    ht_command_page_help(stdout, &page);
    request_free(&r);
    return 0;
  }
  ht_console_begin(r.quiet, "hemotile measure");
  ht_folder_privacy(r.follow_umask);
  if (status == HT_OK) status = work(&r);
  if (status == HT_OK && r.count > 0) puts("\n  Not for clinical decisions.");
  ht_interrupt_done();
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  request_free(&r);
  return (int)status;
}
