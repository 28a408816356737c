#include "tests/fuzz/fuzz_reader.h"
#include "app/workbench/server/fields.h"
#include "app/workbench/request.h"
#include "run/folder/beat_file.h"
#include "run/folder/checkpoint_file.h"
#include "run/case/case.h"
#include "run/folder/cycle_file.h"
#include "run/folder/moments_file.h"
#include "import/dicom/dicom.h"
#include "run/folder/flow_file.h"
#include "import/import.h"
#include "import/phase_contrast/phase_contrast.h"
#include "run/record/manifest.h"
#include "run/case/markups.h"
#include "run/edit/edit_file.h"
#include "segment/edit/edit.h"
#include "run/openings/placed.h"
#include "run/case/points_file.h"
#include "run/folder/series_file.h"
#include "import/surface/formats/vtp_mesh.h"
#include "run/case/waveform_file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The readers ---- */

static void read_image(const char *path) {
  ht_volume volume;
  ht_series_list list;
  ht_import_notes notes;
  ht_import_options options = {.phase = 1, .allow_gaps_mm = 5, .notes = &notes};
  if (ht_import_list(path, NULL, &list) == HT_OK) ht_series_list_free(&list);
  if (ht_import_volume(path, &options, NULL, &volume) == HT_OK) ht_volume_free(&volume);
}

static void read_measured(const char *path) {
  const ht_pc_given given = {.venc_m_s = 1};
  ht_measured_flow flow;
  ht_import_notes notes = {"", ""};
  if (ht_phase_contrast_read(path, &given, NULL, &notes, &flow) == HT_OK)
    ht_measured_flow_free(&flow);
}

static void read_vessel(const char *path) {
  ht_mask mask;
  ht_series_list list;
  /* A surface of 2 m each way is 17 MB of mask at this spacing, 1 GB at 2 mm: what the user asks
   * for, at most HT_SURFACE_VOXELS_MAX, whatever the file's length. */
  ht_import_surface surface = {.spacing_mm = 8};
  ht_import_options options = {.surface = &surface};
  if (ht_import_list(path, NULL, &list) == HT_OK) ht_series_list_free(&list);
  if (ht_import_vessel(path, &options, &mask) == HT_OK) ht_mask_free(&mask);
}

static int every_array(void *user, const char *name) {
  (void)user, (void)name;
  return 1;
}

static void read_wall(const char *path) {
  ht_vtp_mesh mesh;
  read_vessel(path);
  if (ht_vtp_mesh_read(path, HT_UNIT_AUTO, every_array, NULL, NULL, &mesh) == HT_OK)
    ht_vtp_mesh_free(&mesh);
}

/* One file is no series: its header and each of its frames are read by themselves. */
static void read_dicom(const char *path) {
  enum { FRAMES_MAX = 8 };
  ht_slice *slice = NULL;
  ht_file_kind kind;
  ht_dicom_file *file = NULL;
  int count = 0;
  if (!ht_dicom_begins(path) || ht_dicom_header(path, &kind, &slice, &count, NULL) != HT_OK) return;
  for (int i = 0; i < count; i++) {
    size_t pixels = (size_t)slice[i].rows * (size_t)slice[i].columns;
    float *values = NULL;
    int can = i < FRAMES_MAX && slice[i].status == HT_OK && slice[i].has_image;
    if (can && pixels < 1u << 24 && ht_alloc((void **)&values, pixels, sizeof *values, "") == HT_OK)
      (void)ht_dicom_pixels(&file, &slice[i], values);
    free(values);
    if (i + 1 == count) ht_dicom_close(file);
  }
  for (int i = 0; i < count; i++) ht_slice_free(&slice[i]);
  free(slice);
  read_image(path);
  read_measured(path);
}

static void check_case(ht_case *settings) {
  if (ht_case_check(settings) == HT_OK) (void)ht_case_read_waveform(settings);
}

static void read_case(const char *path) {
  static ht_case settings;
  if (ht_case_read(path, &settings) == HT_OK) check_case(&settings);
}

static void read_markups(const char *path) {
  static ht_case settings;
  ht_case_defaults(&settings);
  if (ht_markups_read(path, &settings) == HT_OK) check_case(&settings);
}

static void read_waveform(const char *path) {
  ht_waveform waveform;
  ht_waveform_facts facts;
  (void)ht_waveform_file_read(path, 0, 0.8, &waveform, &facts);
}

static void read_points(const char *path) {
  static ht_case settings;
  ht_points points;
  ht_case_defaults(&settings);
  if (ht_points_read(path, &points) != HT_OK) return;
  if (ht_case_set_points(&settings, &points) == HT_OK) check_case(&settings);
}

static void read_flow(const char *path) {
  ht_flow flow;
  ht_flow_stats stats;
  char mask[HT_HASH_TEXT] = "";
  if (ht_flow_file_read(path, &flow, &stats, mask) == HT_OK) ht_flow_free(&flow);
}

static void read_cycle(const char *path) {
  ht_wall_cycle cycle;
  char mask[HT_HASH_TEXT] = "";
  if (ht_cycle_file_read(path, &cycle, mask) == HT_OK) ht_wall_cycle_free(&cycle);
}

static void read_moments(const char *path) {
  ht_wall_moments moments;
  char mask[HT_HASH_TEXT] = "";
  if (ht_moments_file_read(path, &moments, mask) == HT_OK) ht_wall_moments_free(&moments);
}

static void read_beat(const char *path) {
  ht_beat beat;
  char mask[HT_HASH_TEXT] = "";
  if (ht_beat_file_read(path, &beat, mask) == HT_OK) ht_beat_free(&beat);
}

static void read_series(const char *path) {
  ht_beat_series series;
  char mask[HT_HASH_TEXT] = "";
  if (ht_beat_series_open(path, &series, mask) == HT_OK) ht_beat_series_free(&series);
}

/* The head, then pieces as a run asks for them. */
static void read_checkpoint(const char *path) {
  ht_checkpoint from;
  double numbers[4];
  int64_t count;
  char text[8];
  if (ht_checkpoint_open(path, &from) != HT_OK) return;
  (void)(ht_state_part(&from.state, "start") || ht_state_count(&from.state, &count, 0, 9) ||
         HT_STATE_OF(&from.state, numbers) || ht_state_text(&from.state, text, sizeof text));
  ht_checkpoint_close(&from);
}

static void read_json(const char *path) {
  static ht_manifest manifest;
  static ht_placed placed;
  (void)ht_manifest_read(path, &manifest);
  (void)ht_placed_read(path, &placed);
}

/* The requests of the workbench's page. */
static void read_request(const char *path) {
  static const ht_field fields[] = {{"entry", HT_FIELD_NUMBER, 0, 999999999},
                                    {"name", HT_FIELD_NAME, sizeof(int), 65},
                                    {"text", HT_FIELD_TEXT, sizeof(int) + 65, 65},
                                    {0}};
  static ht_job_command command;
  struct {
    int entry;
    char name[65], text[65];
  } target;
  char *text = NULL;
  size_t length = 0;
  FILE *file = fopen(path, "rb"), *copy = open_memstream(&text, &length);
  for (int c; file && copy && (c = getc(file)) != EOF;) putc(c, copy);
  if (file) fclose(file);
  if (copy) fclose(copy);
  if (text) {
    (void)ht_request_segment(text, length, "case", &command);
    (void)ht_request_run(text, length, "case", &command);
    (void)ht_fields_read(fields, text, length, &target);
  }
  free(text);
}

/* The list, and its steps on a small mask. */
static void read_edits(const char *path) {
  enum { STEPS_MOST = 50 };
  ht_edit_file file;
  ht_edited edited = {.voxels = 0};
  ht_mask mask = {0};
  const ht_grid grid = ht_grid_make(16, 16, 16);
  ht_status status = ht_edit_file_open(path, &file);
  if (status == HT_OK) status = ht_mask_alloc(&grid, &mask);
  if (status == HT_OK) {
    memset(mask.inside + 1000, 1, 2000);
    status = ht_edited_begin(&mask, NULL, &edited);
  }
  for (int e = 0; status == HT_OK && e < file.entries && e < STEPS_MOST; e++) {
    ht_edit_delta delta;
    (void)ht_edit_apply(&file.entry[e].step, NULL, &edited, &delta);
    ht_edit_delta_free(&delta);
  }
  ht_edited_free(&edited);
  ht_mask_free(&mask);
  ht_edit_file_close(&file);
}

const fuzz_reader fuzz_readers[] = {{"dicom", ".dcm", read_dicom},
                                    {"segment", ".dcm", read_vessel},
                                    {"nifti", ".nii", read_image},
                                    {"nifti_gz", ".nii.gz", read_image},
                                    {"nrrd", ".nrrd", read_image},
                                    {"mha", ".mha", read_image},
                                    {"stl", ".stl", read_vessel},
                                    {"obj", ".obj", read_vessel},
                                    {"ply", ".ply", read_vessel},
                                    {"vtp", ".vtp", read_wall},
                                    {"zip", ".zip", read_image},
                                    {"case", ".yaml", read_case},
                                    {"waveform", ".csv", read_waveform},
                                    {"points", ".csv", read_points},
                                    {"points_old", ".fcsv", read_points},
                                    {"flow", ".bin", read_flow},
                                    {"cycle", ".bin", read_cycle},
                                    {"moments", ".bin", read_moments},
                                    {"beat", ".bin", read_beat},
                                    {"series", ".bin", read_series},
                                    {"checkpoint", ".bin", read_checkpoint},
                                    {"json", ".json", read_json},
                                    {"markups", ".mrk.json", read_markups},
                                    {"request", ".json", read_request},
                                    {"edits", ".jsonl", read_edits},
                                    {NULL, NULL, NULL}};

const fuzz_reader *fuzz_reader_find(const char *name) {
  for (const fuzz_reader *reader = fuzz_readers; reader->name; reader++)
    if (strcmp(reader->name, name) == 0) return reader;
  return NULL;
}

/* Leaks that are not ours. ITK 5.2's NRRD reader forgets its list of pieces of memory (698 bytes)
 * where a line of the header is wrong, such as `kinds` ahead of `dimension`; libfyaml 0.7.12 the
 * pieces of a text with twenty and more doubled quotes (8192 bytes, of a static function: only the
 * library has a name). So a document that we forget where a file is damaged is found only by the
 * tests that read such files themselves. AddressSanitizer asks here. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:itk_airArrayNew\nleak:libfyaml\n";
}

/* ---- Their files ---- */

static char folder[512];

static void remove_folder(void) {
  struct dirent *entry;
  DIR *dir = opendir(folder);
  while (dir && (entry = readdir(dir))) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
    unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(folder);
}

static void make_folder(void) {
  const char *home = getenv("TMPDIR");
  if (folder[0]) return;
  snprintf(folder, sizeof folder, "%.400s/hemotile-fuzz-XXXXXX", home && *home ? home : "/tmp");
  if (!mkdtemp(folder)) abort();
  atexit(remove_folder);
}

void fuzz_reader_run(const fuzz_reader *reader, const void *bytes, size_t size) {
  char path[640];
  make_folder();
  snprintf(path, sizeof path, "%s/input%s", folder, reader->ending);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
  reader->read(path);
}
