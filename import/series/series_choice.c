#include "import/series/series_choice.h"
#include "import/common/import_note.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list as text ---- */

typedef struct {
  char text[3500]; /* fits into a message */
  size_t used;
} note;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
append(note *to, const char *format, ...) {
  va_list arguments;
  size_t left = sizeof to->text - to->used;
  va_start(arguments, format);
  int added = vsnprintf(to->text + to->used, left, format, arguments);
  va_end(arguments);
  if (added > 0) to->used += (size_t)added < left ? (size_t)added : left - 1;
}

static void append_series(note *to, int number, const ht_series *series, int patients) {
  const ht_grid *grid = &series->grid;
  append(to, "\n  %d  %s \"%s\"", number, series->modality, series->description);
  if (series->stack[0]) append(to, " stack '%s'", series->stack);
  append(to, ", %d file%s", series->files, series->files == 1 ? "" : "s");
  if (patients > 1 && series->patient) append(to, ", patient %d", series->patient);
  if (grid->dim[0] > 0)
    append(to, ", %d x %d x %d voxels of %.3g x %.3g x %.3g mm", grid->dim[0], grid->dim[1],
           grid->dim[2], grid->spacing_mm[0], grid->spacing_mm[1], grid->spacing_mm[2]);
  if (series->aside[0]) append(to, "; %s", series->aside);
  if (series->problem[0]) append(to, "; cannot be imported: %s", series->problem);
}

static int same_grid(const ht_grid *one, const ht_grid *other) {
  const double slack = 1e-3; /* mm */
  for (int a = 0; a < 3; a++)
    if (one->dim[a] != other->dim[a] || fabs(one->origin_mm[a] - other->origin_mm[a]) > slack ||
        fabs(one->spacing_mm[a] - other->spacing_mm[a]) > slack)
      return 0;
  return one->dim[0] > 0;
}

/* Tells whether all scans have one size, place and name. The phases of a heartbeat do, where each
 * is a series of its own. */
static int look_like_phases(const ht_dicom_folder *folder) {
  const ht_series *first = NULL;
  int count = 0;
  if (folder->list.patients > 1) return 0;
  for (int i = 0; i < folder->list.count; i++) {
    const ht_series *series = &folder->list.series[i];
    if (folder->aside[i]) continue;
    if (first && (strcmp(first->description, series->description) != 0 ||
                  !same_grid(&first->grid, &series->grid)))
      return 0;
    if (!first) first = series;
    count++;
  }
  return count > 1;
}

/* "PATH: WHAT\n  1 ...\n  2 ...\nchoose one with --series". */
static ht_status ask(const char *path, const char *what, const ht_dicom_folder *folder) {
  const ht_series_list *list = &folder->list;
  note text = {{0}, 0};
  for (int i = 0; i < list->count; i++) {
    if (text.used > sizeof text.text - 1100) {
      append(&text, "\n  and %d more: `hemotile info` lists all", list->count - i);
      break;
    }
    append_series(&text, i + 1, &list->series[i], list->patients);
  }
  if (folder->other)
    append(&text, "\n(not DICOM: %d file%s there)", folder->other, folder->other == 1 ? "" : "s");
  const char *phases =
      "\n(of one name, size and place: as a rule the phases of a heartbeat, or the "
      "same exported twice; take the phase in which the vessel shows best)";
  return ht_fail(HT_ERR_SERIES,
                 "%s: %s:%s%s\nchoose one with --series N, its UID or a part of its description",
                 path, what, text.text, look_like_phases(folder) ? phases : "");
}

/* ---- By wish ---- */

int ht_series_contains(const char *text, const char *part) {
  size_t length = strlen(part);
  for (; *text; text++) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
    if (i == length) return 1;
  }
  return 0;
}

int ht_series_is_number(const char *wish) {
  return *wish && wish[strspn(wish, "0123456789")] == 0;
}

static int is_uid(const ht_series *series, int number, const char *wish) {
  (void)number;
  return strcmp(series->uid, wish) == 0;
}

static int matches(const ht_series *series, int number, const char *wish) {
  if (ht_series_is_number(wish)) return strtol(wish, NULL, 10) == number;
  return ht_series_contains(series->description, wish);
}

static int other_patient(const ht_series *one, const ht_series *other) {
  return one->patient && other->patient && one->patient != other->patient;
}

/* Picks the only series that fits, or the only fitting one that is a scan where all are of one
 * patient. *fit: number of those that fit. */
static int pick(const ht_dicom_folder *folder, const char *wish,
                int (*fits)(const ht_series *, int, const char *), int *fit) {
  int chosen = -1, scan = -1, scans = 0, mixed = 0;
  *fit = 0;
  for (int i = 0; i < folder->list.count; i++) {
    if (!fits(&folder->list.series[i], i + 1, wish)) continue;
    mixed |= *fit > 0 && other_patient(&folder->list.series[i], &folder->list.series[chosen]);
    chosen = i;
    (*fit)++;
    if (folder->aside[i]) continue;
    scan = i;
    scans++;
  }
  if (*fit == 1) return chosen;
  return scans == 1 && !mixed ? scan : -1;
}

static void tell_patient(const ht_series_list *list, int chosen, ht_import_notes *notes) {
  if (list->patients > 1)
    ht_import_note(notes, "the files are of %d patients; series %d was taken as requested",
                   list->patients, chosen + 1);
}

static ht_status choose_wish(const char *path, const char *wish, const ht_dicom_folder *folder,
                             ht_import_notes *notes, int *chosen) {
  char what[200];
  int fit;
  *chosen = pick(folder, wish, is_uid, &fit); /* an exact UID goes before a description */
  if (fit == 0) *chosen = pick(folder, wish, matches, &fit);
  if (*chosen >= 0) {
    tell_patient(&folder->list, *chosen, notes);
    return HT_OK;
  }
  snprintf(what, sizeof what,
           fit ? "--series \"%.80s\" fits %d series" : "--series \"%.80s\" fits no series", wish,
           fit);
  return ask(path, what, folder);
}

/* ---- Without a wish ---- */

static int count_of(const ht_dicom_folder *folder, int regular, int *last) {
  int count = 0;
  for (int i = 0; i < folder->list.count; i++) {
    if (regular ? folder->list.series[i].grid.dim[0] == 0 : folder->aside[i]) continue;
    *last = i;
    count++;
  }
  return count;
}

/* Finds the only series, or the only scan, of one patient without a wish (localizers, reports and
 * single images next to it are no choice). A scan that cannot be read counts: no other replaces it.
 * -1: none. *scans: the number of scans. */
static int only_one(const ht_dicom_folder *folder, int *scans) {
  int chosen = 0;
  *scans = count_of(folder, 0, &chosen);
  if (folder->list.count == 1) return 0;
  if (folder->list.patients > 1) return -1;
  if (*scans == 1 || (*scans == 0 && count_of(folder, 1, &chosen) == 1)) return chosen;
  return -1;
}

static ht_status choose_only(const char *path, const ht_dicom_folder *folder, int *chosen) {
  int scans;
  char what[64];
  *chosen = only_one(folder, &scans);
  if (*chosen >= 0) return HT_OK;
  snprintf(what, sizeof what, "it holds the files of %d patients", folder->list.patients);
  if (folder->list.patients > 1) return ask(path, what, folder);
  return ask(path, scans ? "several series" : "several series, none of them a scan", folder);
}

void ht_series_mark(ht_dicom_folder *folder) {
  ht_series_list *list = &folder->list;
  int scans;
  list->strays = 0;
  for (int i = 0; i < list->count; i++) list->strays += !list->series[i].uid[0];
  list->taken = list->strays ? 0 : only_one(folder, &scans) + 1;
}

/* Names the series that were passed over: one of them may be the wanted one. */
static void tell_left_out(const ht_dicom_folder *folder, int chosen, ht_import_notes *notes) {
  note text = {{0}, 0};
  int count = 0;
  for (int i = 0; i < folder->list.count; i++) {
    const ht_series *series = &folder->list.series[i];
    if (i == chosen) continue;
    if (++count <= 6)
      append(&text, "%s%d \"%s\" (%s)", count > 1 ? ", " : "", i + 1, series->description,
             series->aside[0] ? series->aside : "not a volume");
  }
  if (count > 6) append(&text, " and %d more", count - 6);
  if (count)
    ht_import_note(notes, "series %d was taken; left out, --series N takes another: %s", chosen + 1,
                   text.text);
}

/* A damaged file of an unknown series may be a missing slice of the chosen one. */
static ht_status check_strays(const char *path, const ht_dicom_folder *folder) {
  for (int i = 0; i < folder->list.count; i++)
    if (!folder->list.series[i].uid[0])
      return ht_fail(folder->status[i], "%s: %s (it may belong to the series: %s, or remove it)",
                     path, folder->list.series[i].problem,
                     folder->status[i] == HT_ERR_NOT_FOUND ? "make it readable" : "copy it again");
  return HT_OK;
}

ht_status ht_series_choose(const char *path, const ht_dicom_folder *folder, const char *wish,
                           ht_import_notes *notes, int *chosen) {
  HT_TRY(check_strays(path, folder));
  if (wish) return choose_wish(path, wish, folder, notes, chosen);
  HT_TRY(choose_only(path, folder, chosen));
  tell_left_out(folder, *chosen, notes);
  return HT_OK;
}
