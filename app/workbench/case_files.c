#define _GNU_SOURCE
#include "app/workbench/case_files.h"
#include "core/disk/beneath.h"
#include "core/disk/file.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES "application/octet-stream"
#define JSON  "application/json"
#define CSV   "text/csv; charset=utf-8"
#define PNG   "image/png"

const ht_case_file_entry ht_case_files[] = {
    {"scan.nii.gz", BYTES},
    {"mask.nii.gz", BYTES},
    {"edits.jsonl", "text/plain; charset=utf-8"},
    {"vessel.stl", BYTES},
    {"vessel_found.stl", BYTES},
    {"openings.json", JSON},
    {"manifest.json", JSON},
    {"candidates.json", JSON},
    {"case.yaml", "text/plain; charset=utf-8"},
    {"summary.json", JSON},
    {"progress.json", JSON},
    {"centreline.csv", CSV},
    {"report.html", "text/html; charset=utf-8"},
    {"pictures/candidates.png", PNG},
    {"pictures/projection.png", PNG},
    {"pictures/mask_on_scan.png", PNG},
    {"pictures/sections.png", PNG},
    {"pictures/straightened.png", PNG},
    {"pictures/wall.png", PNG},
    {"pictures/streamlines.png", PNG},
    {"measurements.csv", CSV},
    {"measurements_before.csv", CSV},
    {"first_look/first_look.json", JSON},
    {"first_look/first_look_velocity.nii.gz", BYTES},
    {"first_look/first_look_wall.vtp", BYTES},
    {"velocity.nii.gz", BYTES},
    {"wall.vtp", BYTES},
};
const int ht_case_files_count = sizeof ht_case_files / sizeof *ht_case_files;

int64_t ht_case_file_stamp(const char *folder, int number) {
  char path[HT_PATH_MAX];
  struct stat at;
  if (ht_path_join(path, folder, ht_case_files[number].name) != HT_OK || stat(path, &at) != 0)
    return 0;
  /* Below 2^53, so that JavaScript reads it whole: microseconds of some 285 years. */
  return (int64_t)at.st_mtim.tv_sec * 1000000 + at.st_mtim.tv_nsec / 1000;
}

int ht_case_file_is_link(const char *folder, int number) {
  const int file = ht_beneath_open(folder, ht_case_files[number].name, 0);
  if (file >= 0) close(file);
  return file < 0 && errno == ELOOP;
}
