#include "app/common/arguments.h"
#include "run/case/case.h"
#include "app/common/command.h"
#include "app/tools/series_list.h"
#include "run/process/console.h"
#include "run/folder/folder.h"
#include "run/folder/hash.h"
#include "run/measured/measured_file.h"
#include "run/record/identity.h"
#include "export/pictures/picture_measured.h"
#include "import/flow_correction/flow_correction.h"
#include "import/import.h"
#include "import/phase_contrast/pc_plan.h"
#include "run/process/interrupt.h"
#include "run/record/journal.h"
#include "core/text/shell_word.h"
#include "run/numbers/summary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_corner(const char *what, const double at[3], const char *axes) {
  double x[3];
  for (int r = 0; r < 3; r++) x[r] = fabs(at[r]) < 0.005 ? 0 : at[r]; /* no minus zero */
  printf("   %-8s [%.2f, %.2f, %.2f] mm%s\n", what, x[0], x[1], x[2], axes);
}

static void print_series(int number, const ht_series_list *list) {
  const ht_series *series = &list->series[number - 1];
  const ht_grid *grid = &series->grid;
  printf("%d  %s%s%s", number, series->format, *series->modality ? " " : "", series->modality);
  if (*series->description) printf("  \"%s\"", series->description);
  if (*series->stack) printf("  stack %s", series->stack);
  printf("  %d file%s", series->files, series->files == 1 ? "" : "s");
  if (series->images > series->files) printf(", %d images", series->images);
  printf("\n");
  if (list->patients > 1 && series->patient)
    printf("   patient  %d of %d\n", series->patient, list->patients);
  if (*series->uid) printf("   UID      %s\n", series->uid);
  if (grid->dim[0] > 0) {
    printf("   voxels   %d x %d x %d of %.4g x %.4g x %.4g mm\n", grid->dim[0], grid->dim[1],
           grid->dim[2], grid->spacing_mm[0], grid->spacing_mm[1], grid->spacing_mm[2]);
    print_corner("origin", grid->origin_mm, " (LPS)");
    double last[3] = {grid->dim[0] - 1, grid->dim[1] - 1, grid->dim[2] - 1}, corner[3];
    ht_grid_position(grid, last, corner);
    print_corner("to", corner, "");
  }
  if (*series->aside && !*series->problem) printf("   left out unless chosen: %s\n", series->aside);
  if (*series->note) printf("   note     %s\n", series->note);
  if (*series->problem) printf("   cannot be imported: %s\n", series->problem);
}

/* Prints the description of a measured flow, a part to a line. */
static void print_flow(const char *part) {
  if (*part) puts("\nmeasured flow");
  while (*part) {
    const char *end = strstr(part, "; ");
    const int length = (int)(end ? end - part : (long)strlen(part));
    printf("   %.*s\n", length, part);
    part += length + (end ? 2 : 0);
  }
}

/* A path as a word of a shell. */
typedef struct {
  char text[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
} word;

static word typed(const char *path) {
  word of;
  ht_shell_word(path, of.text, sizeof of.text);
  return of;
}

/* Advises on the choice. `usable`: number of a series that can be imported, for the example. */
static void advise_choice(const char *path, const ht_series_list *list, int usable) {
  if (list->taken && !*list->series[list->taken - 1].problem)
    printf("\n%d series: `hemotile run %s -o DIR` takes number %d; --series N takes another\n",
           list->count, typed(path).text, list->taken);
  else
    printf("\n%d series: choose one with --series N, as in `hemotile run %s --series %d -o DIR`\n",
           list->count, typed(path).text, usable);
}

/* Returns the exit code of `hemotile import` if nothing can be imported. */
static ht_status code_of(const ht_series_list *list) {
  for (int i = 0; i < list->count; i++)
    if (list->strays && !*list->series[i].uid) return list->series[i].status;
  ht_status status = list->taken ? list->series[list->taken - 1].status : HT_ERR_SERIES;
  return status == HT_OK ? HT_ERR_FORMAT : status;
}

static ht_status advise(const char *path, const ht_series_list *list) {
  int usable = 0;
  for (int i = list->count; i > 0; i--) {
    const ht_series *series = &list->series[i - 1];
    int better = !usable || !*series->aside || *list->series[usable - 1].aside;
    if (!*series->problem && better) usable = i;
  }
  if (list->patients > 1)
    printf("\nfiles of %d patients: hemotile takes none by default; check that the folder is the "
           "right one\n",
           list->patients);
  if (usable == 0 && list->has_flow) return HT_OK; /* a measured flow without a scan */
  if (usable == 0)
    return ht_fail(code_of(list), "%s: nothing here can be imported; the reasons are above", path);
  if (list->strays)
    return ht_fail(code_of(list),
                   "%s: nothing here can be imported, because some files name no series and may "
                   "belong to any of them: the reason is above",
                   path);
  if (list->count > 1) advise_choice(path, list, usable);
  return HT_OK;
}

/* `folder`: for the list as a file; NULL: none. */
static ht_status scan_info(const char *path, const char *folder) {
  ht_series_list list;
  ht_middle_slice *middle = NULL;
  if (folder) {
    HT_TRY(ht_import_list_shown(path, ht_console_progress(), &list, &middle));
    ht_status written = ht_series_list_write(folder, &list, middle);
    ht_middle_slice_free(middle, list.count);
    if (written != HT_OK) ht_series_list_free(&list);
    HT_TRY(written);
  } else {
    HT_TRY(ht_import_list(path, ht_console_progress(), &list));
  }
  for (int i = 0; i < list.count; i++) print_series(i + 1, &list);
  print_flow(list.flow);
  if (list.special) printf("\nleft out: %d pipes, sockets or devices\n", list.special);
  char label[HT_LABEL_MAX];
  /* Without a salt the scan has no case yet, and this command makes no salt: it writes nothing. */
  if (ht_identity_has_salt() && ht_identity_label(path, label) == HT_OK)
    printf("   label in the record of its cases: %s\n", label);
  ht_status status = advise(path, &list);
  ht_series_list_free(&list);
  return status;
}

static int is_case_file(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0) && !ht_folder_exists(path);
}

/* Reads and checks the file as `hemotile run` does, and so reports its mistakes. `measured`: the
 * path of its measured flow, "" where it has none. */
static ht_status case_file_info(const char *path, char measured[HT_PATH_MAX]) {
  ht_case *settings;
  HT_TRY(ht_alloc((void **)&settings, 1, sizeof *settings, "the case"));
  ht_status status = ht_case_read(path, settings);
  if (status == HT_OK) status = ht_case_check(settings);
  if (status == HT_OK) status = ht_case_read_waveform(settings);
  if (status == HT_OK)
    printf("case file of %s%s: run it with `hemotile run %s -o DIR`\n",
           *settings->phantom ? "the phantom " : "",
           *settings->phantom ? settings->phantom
           : *settings->mask  ? settings->mask
                              : settings->scan,
           typed(path).text);
  memcpy(measured, settings->measured, HT_PATH_MAX);
  free(settings);
  return status;
}

/* Warns that mask.nii.gz is no longer the mask that the flow was computed in. */
static ht_status tell_edited(const char *folder, const ht_manifest *manifest) {
  char path[HT_PATH_MAX], now[HT_HASH_TEXT];
  const char *used = manifest->mask_edited ? manifest->edited_sha256 : manifest->mask_sha256;
  HT_TRY(ht_path_join(path, folder, HT_FILE_MASK));
  if (!manifest->has_mask || !ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_hash_file(path, now));
  if (strcmp(now, used) == 0) return HT_OK;
  printf("  " HT_FILE_MASK " was edited since: `hemotile solve %s` uses the edited mask%s\n",
         typed(folder).text,
         manifest->stage[HT_STAGE_SOLVE].ended[0]
             ? "; the results are those of the mask before the edit"
             : "");
  return HT_OK;
}

static ht_status case_info(const char *folder) {
  char path[HT_PATH_MAX];
  ht_manifest manifest = {0};
  HT_TRY(ht_path_join(path, folder, HT_FILE_MANIFEST));
  HT_TRY(ht_manifest_read(path, &manifest));
  HT_TRY(ht_journal_settle(folder, &manifest));
  printf("case folder of %s", manifest.input);
  if (manifest.patient_hash[0]) printf(", patient %.12s", manifest.patient_hash);
  putchar('\n');
  for (int s = 0; s < HT_STAGES; s++) {
    const ht_stage_record *stage = &manifest.stage[s];
    if (stage->ended[0])
      printf("  %-8s done %s, %.1f s\n", ht_stage_name((ht_stage)s), stage->ended, stage->seconds);
    else
      printf("  %-8s not done: `hemotile %s %s`\n", ht_stage_name((ht_stage)s),
             ht_stage_name((ht_stage)s), typed(folder).text);
  }
  HT_TRY(tell_edited(folder, &manifest));
  HT_TRY(ht_path_join(path, folder, HT_FILE_SUMMARY));
  return ht_file_exists(path) ? ht_summary_print_file(stdout, folder) : HT_OK;
}

/* Corrects the velocities; draws them before and after where `folder` is given. */
static ht_status correct_flow(const ht_flow_corrections *wanted, const char *folder,
                              ht_import_notes *notes, ht_measured_flow *flow) {
  const size_t count = (size_t)(ht_grid_voxels(&flow->grid) * flow->times * flow->encodings);
  ht_flow_corrected done = {0};
  char path[HT_PATH_MAX];
  float *as_read = NULL;
  ht_status status = ht_alloc((void **)&as_read, count, sizeof *as_read, "the velocities");
  if (status == HT_OK) memcpy(as_read, flow->velocity_m_s, count * sizeof *as_read);
  if (status == HT_OK) status = ht_flow_correct(flow, wanted, notes, &done);
  if (status == HT_OK && folder) status = ht_folder_make(folder);
  if (status == HT_OK && folder) status = ht_path_join(path, folder, "measured_flow.png");
  if (status == HT_OK && folder)
    status = ht_picture_measured(path, flow, as_read, done.noise, NULL, NULL);
  ht_flow_corrected_free(&done);
  free(as_read);
  return status;
}

/* Reads the velocities that the file describes, and corrects them: what is wrong shows only then.
 */
static ht_status measured_info(const char *path, const char *folder) {
  ht_measured_flow flow;
  ht_flow_corrections wanted;
  ht_import_notes notes = {"", ""};
  char text[HT_PC_TEXT];
  HT_TRY(ht_measured_file_read(path, 0, ht_console_progress(), &notes, &wanted, &flow));
  ht_status status = correct_flow(&wanted, folder, &notes, &flow);
  ht_pc_describe(&flow, flow.magnitude != NULL, text);
  if (status == HT_OK) print_flow(text);
  if (status == HT_OK && *notes.text) printf("\n%s\n", notes.text);
  if (*notes.warning) ht_console_warn("%s", notes.warning);
  ht_measured_flow_free(&flow);
  return status;
}

static ht_status any_info(const char *path, int has_manifest, const char *folder) {
  char measured[HT_PATH_MAX];
  if (ht_measured_file_is(path)) return measured_info(path, folder);
  if (folder && (has_manifest || is_case_file(path)))
    return ht_fail(HT_ERR_USAGE, "--list is for a scan; %s is a case", path);
  if (has_manifest) return case_info(path);
  if (ht_folder_exists(path) && ht_folder_is_case(path))
    return ht_fail(HT_ERR_NOT_FOUND,
                   "%s: this case folder has no record (" HT_FILE_MANIFEST
                   "): no stage was finished here, or the record was lost; then put it back from "
                   "a copy of the folder",
                   path);
  if (!is_case_file(path)) return scan_info(path, folder);
  HT_TRY(case_file_info(path, measured));
  return *measured ? measured_info(measured, NULL) : HT_OK;
}

static const ht_usage usage = {
    "info",
    "FILE|FOLDER",
    "list the contents of a scan, a case file or a case folder",
    "Scan: lists the series of a DICOM folder, or the image of a file, with size, spacing and\n"
    "position, and says why a series cannot be imported.\n"
    "Case folder: lists the finished stages and the results.\n"
    "Case file: checks that it can be read; describes its measured flow (flow.measured).\n"
    "Measured flow (a file with the key velocity): its directions, times and corrections; with\n"
    "--list DIR also DIR/measured_flow.png: the velocities before and after.",
    "  hemotile info dicom/",
    HT_TAKES_LIST,
};

void ht_page_info(ht_command_page *page) {
  *page = ht_arguments_page(&usage);
}

int ht_command_info(int argc, char **argv) {
  ht_arguments arguments;
  char manifest[HT_PATH_MAX];
  ht_status status = ht_arguments_parse(&usage, argc, argv, &arguments);
  if (status == HT_OK && arguments.help) return 0;
  ht_arguments_console(&arguments, argc, argv);
  ht_console_stage("info", 1, 1);
  if (status == HT_OK && !ht_file_exists(arguments.operand))
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", arguments.operand);
  if (status == HT_OK) status = ht_path_join(manifest, arguments.operand, HT_FILE_MANIFEST);
  if (status == HT_OK)
    status = any_info(arguments.operand, ht_file_exists(manifest), arguments.list);
  ht_interrupt_done();
  fflush(stdout);
  if (status != HT_OK) ht_console_error();
  ht_console_end();
  return (int)status;
}
