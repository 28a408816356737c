#define _GNU_SOURCE
#include "run/folder/folder.h"
#include "core/disk/folder_walk.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PICTURE(name)                                                                              \
  { HT_STAGE_EXPORT, HT_DICOM_PICTURE name ".dcm", 0 }

enum { OF_BEAT = 1, OF_MASK }; /* of a flow over time, or drawn from it; a picture of the mask */

static const struct {
  ht_stage stage;
  const char *name;
  int of; /* 0: of neither; a steady flow has none OF_BEAT */
} files[] = {
    {HT_STAGE_IMPORT, HT_FILE_SCAN, 0},
    {HT_STAGE_IMPORT, HT_FILE_DRAWN, 0},
    {HT_STAGE_IMPORT, HT_FILE_SURFACE, 0},
    {HT_STAGE_SEGMENT, HT_FILE_MASK, 0},
    {HT_STAGE_SEGMENT, HT_FILE_VESSEL, 0},
    {HT_STAGE_SEGMENT, HT_FILE_VESSEL_FOUND, 0},
    {HT_STAGE_SEGMENT, HT_FILE_OPENINGS, 0},
    {HT_STAGE_SEGMENT, HT_FILE_MARKUPS, 0},
    {HT_STAGE_SEGMENT, HT_FILE_CANDIDATES, 0},
    {HT_STAGE_SEGMENT, HT_FILE_CHOICE, 0},
    {HT_STAGE_SEGMENT, HT_FOLDER_PICTURES "/mask_on_scan.png", OF_MASK},
    {HT_STAGE_SEGMENT, HT_FOLDER_PICTURES "/projection.png", OF_MASK},
    {HT_STAGE_SEGMENT, HT_FILE_STRAIGHTENED, OF_MASK},
    {HT_STAGE_SEGMENT, HT_FILE_SECTIONS, OF_MASK},
    {HT_STAGE_SEGMENT, HT_FILE_FLOW_DRAWN, 0},
    {HT_STAGE_TILE, HT_FILE_TILING, 0},
    {HT_STAGE_TILE, HT_FILE_TILES, 0},
    {HT_STAGE_SOLVE, HT_FILE_PARTS, 0}, /* these two: of the tiles before them */
    {HT_STAGE_SOLVE, HT_FILE_PARTS_DRAWN, 0},
    {HT_STAGE_SOLVE, HT_FILE_LEVELS, 0},
    {HT_STAGE_SOLVE, HT_FILE_FIRST, 0}, /* before its fields, which nobody reads without it */
    {HT_STAGE_SOLVE, HT_FILE_FIRST_FLOW, 0},
    {HT_STAGE_SOLVE, HT_FILE_FIRST_WALL, 0},
    {HT_STAGE_SOLVE, HT_FILE_FLOW, 0},
    {HT_STAGE_SOLVE, HT_FILE_CYCLE, OF_BEAT},
    {HT_STAGE_SOLVE, HT_FILE_MOMENTS, OF_BEAT},
    {HT_STAGE_SOLVE, HT_FILE_BEAT, OF_BEAT},
    {HT_STAGE_SOLVE, HT_FILE_PHASE, OF_BEAT},
    {HT_STAGE_SOLVE, HT_FILE_SERIES, OF_BEAT},
    {HT_STAGE_SOLVE, HT_FOLDER_DIVERGED "/flow.vti", 0},
    {HT_STAGE_EXPORT, HT_FILE_VELOCITY, 0},
    {HT_STAGE_EXPORT, HT_FILE_PRESSURE, 0},
    {HT_STAGE_EXPORT, HT_FILE_FLOW_VTI, 0},
    {HT_STAGE_EXPORT, HT_FILE_WALL, 0},
    {HT_STAGE_EXPORT, HT_FILE_WALL_CSV, 0},
    {HT_STAGE_EXPORT, HT_FILE_WALL_STL, 0},
    {HT_STAGE_EXPORT, HT_FILE_WALL_WSS, 0},
    {HT_STAGE_EXPORT, HT_FILE_WALL_TAWSS, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_WALL_OSI, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_SAC_STL, 0},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/velocity.png", 0},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/streamlines.png", 0},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/wall.png", 0},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/tawss.png", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/osi.png", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_PHASE_VTI, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/velocity_phase.png", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/flow_beat.png", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/pressure_beat.png", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_PICTURES "/centreline.png", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_WAVEFORMS, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_INFLOW, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_CENTRELINE, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_LINE_BEAT, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_SUMMARY_CSV, 0},
    {HT_STAGE_EXPORT, HT_FILE_COLOURS, 0},
    {HT_STAGE_EXPORT, HT_FILE_ANIMATION, OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_SERIES "/velocity.nii.gz", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_SERIES "/pressure.nii.gz", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_SERIES "/flow.pvd", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FOLDER_SERIES "/wall.pvd", OF_BEAT},
    {HT_STAGE_EXPORT, HT_FILE_SUMMARY, 0},
    {HT_STAGE_EXPORT, HT_FILE_REPORT, 0},
    {HT_STAGE_EXPORT, HT_DICOM_SEGMENTATION, 0},
    {HT_STAGE_EXPORT, HT_DICOM_SPEED, 0},
    {HT_STAGE_EXPORT, HT_DICOM_WALL, 0},
    {HT_STAGE_EXPORT, HT_DICOM_WALL_CYCLE, 0},
    {HT_STAGE_EXPORT, HT_DICOM_REPORT, 0},
    PICTURE("mask_on_scan"),
    PICTURE("projection"),
    PICTURE("straightened"),
    PICTURE("sections"),
    PICTURE("measured_flow"),
    PICTURE("tiles"),
    PICTURE("velocity"),
    PICTURE("velocity_phase"),
    PICTURE("streamlines"),
    PICTURE("wall"),
    PICTURE("tawss"),
    PICTURE("osi"),
    PICTURE("flow_beat"),
    PICTURE("pressure_beat"),
    PICTURE("centreline"),
};
enum { FILES = sizeof files / sizeof *files };

const char *ht_stage_name(ht_stage stage) {
  static const char *const names[] = {"import", "segment", "tile", "solve", "export"};
  return stage < HT_STAGES ? names[stage] : "";
}

mode_t ht_folder_privacy(int follow_umask) {
  mode_t before = umask(S_IRWXG | S_IRWXO);
  if (follow_umask) umask(before);
  return before;
}

static const char *const inner_folders[] = {
    HT_FOLDER_PICTURES, HT_FOLDER_DIVERGED,    HT_FOLDER_DICOM,   HT_FOLDER_SERIES,
    HT_FOLDER_FIRST,    HT_FOLDER_SENSITIVITY, HT_FOLDER_THINNER, HT_FOLDER_THICKER};
enum { INNER_FOLDERS = sizeof inner_folders / sizeof *inner_folders };

static int is_link(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/* Composes the path of a file in the folder; 0 where a folder in between is a link: files in it are
 * not hemotile's. */
static int path_inside(char path[HT_PATH_MAX], const char *folder, const char *name) {
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
    char part[64];
    snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
    if (ht_path_join(path, folder, part) != HT_OK || is_link(path)) return 0;
  }
  return ht_path_join(path, folder, name) == HT_OK;
}

/* Removes a folder only where it is empty; never a link. */
static void drop_folder(const char *folder, const char *name) {
  char path[HT_PATH_MAX];
  if (path_inside(path, folder, name)) rmdir(path);
}

static int drop_sample(void *user, const char *name) {
  int number, end = 0;
  char path[HT_PATH_MAX];
  int is_ours = (sscanf(name, "flow_%3d.vti%n", &number, &end) == 1 ||
                 sscanf(name, "wall_%3d.vtp%n", &number, &end) == 1) &&
                end > 0 && name[end] == 0;
  if (is_ours && ht_path_join(path, user, name) == HT_OK) unlink(path);
  return 0;
}

/* Removes the folder of each sample's files, once other files in it are gone. */
static void drop_samples(const char *folder) {
  char path[HT_PATH_MAX];
  if (!path_inside(path, folder, HT_FOLDER_SERIES) || is_link(path)) return;
  (void)ht_folder_walk(path, drop_sample, path);
  drop_folder(folder, HT_FOLDER_SERIES);
}

/* Removes the files of that stage and those after it. */
static void drop_from(const char *folder, int first) {
  char path[HT_PATH_MAX];
  for (int i = 0; i < FILES; i++)
    if ((int)files[i].stage >= first && path_inside(path, folder, files[i].name)) unlink(path);
  drop_samples(folder);
}

/* Removes a case folder inside the folder, except for files that a person put there. */
static void drop_case(const char *folder, const char *name) {
  static const char *const records[] = {HT_FILE_CASE,     HT_FILE_WAVEFORM, HT_FILE_PROFILE,
                                        HT_FILE_MANIFEST, HT_FILE_LOG,      HT_FILE_JOURNAL};
  char inner[HT_PATH_MAX], path[HT_PATH_MAX];
  if (!path_inside(inner, folder, name) || is_link(inner)) return;
  drop_from(inner, HT_STAGE_IMPORT);
  for (size_t i = 0; i < sizeof records / sizeof *records; i++)
    if (ht_path_join(path, inner, records[i]) == HT_OK) unlink(path);
  drop_folder(inner, HT_FOLDER_PICTURES);
  drop_folder(inner, HT_FOLDER_DIVERGED);
  drop_folder(inner, HT_FOLDER_DICOM);
  drop_folder(folder, name);
}

void ht_folder_drop_sensitivity(const char *folder) {
  static const char *const masks[] = {HT_FOLDER_SENSITIVITY "/mask_thinner.nii.gz",
                                      HT_FOLDER_SENSITIVITY "/mask_thicker.nii.gz"};
  char path[HT_PATH_MAX];
  for (int i = 0; i < 2; i++)
    if (path_inside(path, folder, masks[i])) unlink(path);
  drop_case(folder, HT_FOLDER_THINNER);
  drop_case(folder, HT_FOLDER_THICKER);
  drop_folder(folder, HT_FOLDER_SENSITIVITY);
}

void ht_folder_drop_first_look(const char *folder) {
  static const char *const names[] = {HT_FILE_FIRST, HT_FILE_FIRST_FLOW, HT_FILE_FIRST_WALL};
  char path[HT_PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (path_inside(path, folder, names[i])) unlink(path);
  drop_folder(folder, HT_FOLDER_FIRST);
}

void ht_folder_drop_dicom(const char *folder) {
  char path[HT_PATH_MAX];
  for (int i = 0; i < FILES; i++)
    if (strncmp(files[i].name, HT_FOLDER_DICOM "/", sizeof HT_FOLDER_DICOM) == 0 &&
        path_inside(path, folder, files[i].name))
      unlink(path);
  drop_folder(folder, HT_FOLDER_DICOM);
}

static void drop_of(const char *folder, int of) {
  char path[HT_PATH_MAX];
  for (int i = 0; i < FILES; i++)
    if (files[i].of == of && path_inside(path, folder, files[i].name)) unlink(path);
}

void ht_folder_drop_beat(const char *folder) {
  drop_of(folder, OF_BEAT);
  drop_samples(folder);
}

void ht_folder_drop_mask_drawn(const char *folder) {
  drop_of(folder, OF_MASK);
}

/* Finds the name of the measurements of the flow before (number 1), or of older ones. Returns
 * whether there are any. */
static int measured_before(const char *folder, int number, char path[HT_PATH_MAX]) {
  char name[64];
  snprintf(name, sizeof name, "measurements_before_%d.csv", number);
  return ht_path_join(path, folder, number == 1 ? HT_FILE_MEASURED : name) == HT_OK &&
         ht_file_exists(path);
}

void ht_folder_drop_measurements(const char *folder) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, folder, HT_FILE_MEASUREMENTS) == HT_OK) unlink(path);
  for (int n = 1; measured_before(folder, n, path) && unlink(path) == 0; n++) continue;
}

/* Keeps the measurements of a flow that is dropped under another name, for their places. */
static void set_measurements_aside(const char *folder) {
  char now[HT_PATH_MAX], before[HT_PATH_MAX], older[HT_PATH_MAX];
  int free_number = 1;
  if (ht_path_join(now, folder, HT_FILE_MEASUREMENTS) != HT_OK || !ht_file_exists(now)) return;
  while (measured_before(folder, free_number, older)) free_number++;
  if (measured_before(folder, 1, before) && rename(before, older) != 0) return;
  if (rename(now, before) != 0) unlink(now);
}

void ht_folder_drop_after(const char *folder, ht_stage stage) {
  if (stage < HT_STAGE_EXPORT) set_measurements_aside(folder);
  drop_from(folder, (int)stage + 1);
  if (stage < HT_STAGE_SOLVE) drop_folder(folder, HT_FOLDER_DIVERGED);
  if (stage < HT_STAGE_SOLVE) drop_folder(folder, HT_FOLDER_FIRST);
  if (stage < HT_STAGE_EXPORT) drop_folder(folder, HT_FOLDER_DICOM);
  ht_folder_drop_sensitivity(folder);
}

typedef struct {
  const char *folder;
  char mark[48]; /* part of a half-written file's name */
} sweeper;

static int sweep_entry(void *user, const char *name) {
  const sweeper *of = user;
  char path[HT_PATH_MAX];
  if (name[0] != '.' || !strstr(name, of->mark)) return 0;
  if (ht_path_join(path, of->folder, name) == HT_OK) unlink(path);
  return 0;
}

static void sweep_one(const char *folder, pid_t pid) {
  sweeper of = {folder, ".part"};
  if (pid) snprintf(of.mark, sizeof of.mark, ".%ld.part", (long)pid);
  (void)ht_folder_walk(folder, sweep_entry, &of);
}

void ht_folder_sweep(const char *folder, pid_t pid) {
  static const char *const inside[] = {HT_FOLDER_PICTURES, HT_FOLDER_DIVERGED, HT_FOLDER_DICOM,
                                       HT_FOLDER_SERIES, HT_FOLDER_FIRST};
  char path[HT_PATH_MAX];
  sweep_one(folder, pid);
  for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
    if (path_inside(path, folder, inside[i]) && !is_link(path)) sweep_one(path, pid);
}

static int count_entry(void *user, const char *name) {
  (void)name;
  ++*(int *)user;
  return 0;
}

int ht_folder_entries(const char *folder) {
  int count = 0;
  return ht_folder_walk(folder, count_entry, &count) == 0 ? count : -1;
}

int ht_folder_is_case(const char *folder) {
  static const char *const marks[] = {HT_FILE_MANIFEST, HT_FILE_LOG};
  char path[HT_PATH_MAX];
  for (int i = 0; i < 2; i++)
    if (ht_path_join(path, folder, marks[i]) == HT_OK && ht_file_exists(path)) return 1;
  return 0;
}

int ht_same_file(const char *a, const char *b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

/* Resolves the symbolic links of the path, whose last parts need not exist yet. */
static int resolve(const char *path, char out[PATH_MAX]) {
  char parent[HT_PATH_MAX];
  if (realpath(path, out)) return 1;
  snprintf(parent, sizeof parent, "%s", path);
  for (;;) {
    char *slash = strrchr(parent, '/');
    if (!slash) return realpath(".", out) != NULL;
    *slash = 0;
    if (realpath(slash == parent ? "/" : parent, out)) return 1;
  }
}

static int lies_in(const char *path, const char *folder) {
  char one[PATH_MAX], other[PATH_MAX];
  if (!resolve(path, one) || !realpath(folder, other)) return 0;
  size_t length = strlen(other);
  return strncmp(one, other, length) == 0 && (one[length] == '/' || one[length] == 0);
}

void ht_folder_of(const char *path, char folder[HT_PATH_MAX]) {
  snprintf(folder, HT_PATH_MAX, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash)
    snprintf(folder, HT_PATH_MAX, ".");
  else
    slash[slash == folder] = 0;
}

/* Suggests a folder for the results, next to the scan's or in the home folder, because a disc with
 * scans is often read-only. "": none found. */
static void suggest_output(const char *scan, char output[HT_PATH_MAX]) {
  char whole[PATH_MAX], parent[HT_PATH_MAX];
  output[0] = 0;
  if (!realpath(scan, whole) || strcmp(whole, "/") == 0) return;
  ht_folder_of(whole, parent);
  const char *home = getenv("HOME"), *places[] = {parent, home ? home : ""};
  for (int i = 0; i < 2; i++) {
    const char *place = places[i];
    int length = snprintf(output, HT_PATH_MAX, "%s/%s-hemotile", strcmp(place, "/") ? place : "",
                          strrchr(whole, '/') + 1);
    if (*place && length < HT_PATH_MAX && access(place, W_OK) == 0 && !lies_in(output, scan) &&
        !ht_file_exists(output))
      return;
  }
  output[0] = 0;
}

static ht_status refuse_in_scan(const char *folder, const char *scan, int files) {
  char output[HT_PATH_MAX], read[64] = "";
  suggest_output(scan, output);
  if (files > 0) snprintf(read, sizeof read, ", where %d files of it were read", files);
  return ht_fail(HT_ERR_USAGE,
                 "%s: the results cannot go into the folder of the scan (%s%s), which is never "
                 "changed: choose another with -o%s%s%s",
                 folder, scan, read, *output ? ", for example -o \"" : "", output,
                 *output ? "\"" : "");
}

ht_status ht_folder_check_read(const char *folder, const ht_path_list *files) {
  char file[PATH_MAX], holder[HT_PATH_MAX], before[HT_PATH_MAX] = "";
  for (int i = 0; i < files->count; i++) {
    if (!realpath(files->path[i], file)) continue;
    ht_folder_of(file, holder);
    if (strcmp(holder, before) == 0) continue;
    if (lies_in(folder, holder)) return refuse_in_scan(folder, holder, files->count);
    memcpy(before, holder, sizeof before);
  }
  return HT_OK;
}

static ht_status check_input(const char *folder, const char *input) {
  char holder[HT_PATH_MAX];
  if (ht_folder_exists(input)) {
    return lies_in(folder, input) ? refuse_in_scan(folder, input, 0) : HT_OK;
  }
  ht_folder_of(input, holder);
  if (!ht_same_file(folder, holder)) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds the input (%s), which is never changed: choose another "
                 "with -o",
                 folder, input);
}

ht_status ht_input_check(const char *input) {
  struct stat info;
  if (stat(input, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "%s: neither a file nor a folder (a pipe or a device): save it to a file first",
                 input);
}

/* Refuses a link as a subfolder, which would take writing and removing out of the case. */
static ht_status check_links(const char *folder) {
  char path[HT_PATH_MAX];
  for (int i = 0; i < INNER_FOLDERS; i++) {
    HT_TRY(ht_path_join(path, folder, inner_folders[i]));
    if (is_link(path))
      return ht_fail(HT_ERR_USAGE,
                     "%s: this is a link, and nothing is written or removed where it leads: remove "
                     "it, or choose another folder with -o",
                     path);
  }
  return HT_OK;
}

ht_status ht_folder_check(const char *folder, const char *input) {
  if (*input) HT_TRY(check_input(folder, input));
  HT_TRY(check_links(folder));
  if (!ht_file_exists(folder)) return HT_OK;
  if (!ht_folder_exists(folder))
    return ht_fail(HT_ERR_USAGE, "%s: this is a file: give -o a folder", folder);
  if (ht_folder_is_case(folder) || ht_folder_entries(folder) == 0) return HT_OK;
  if (ht_folder_entries(folder) < 0)
    return ht_fail(HT_ERR_WRITE, "%s: this folder cannot be read: check its permissions", folder);
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds other files and no hemotile case: choose an empty or new "
                 "one with -o",
                 folder);
}
