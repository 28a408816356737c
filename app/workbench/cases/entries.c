#define _GNU_SOURCE
#include "app/workbench/cases/entries.h"
#include "core/disk/beneath.h"
#include "core/disk/folder_walk.h"
#include "core/vessel/volume.h"
#include "run/folder/folder.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  ENTRIES_MOST = 50000, /* of all lists */
  LISTED_MOST = 2000,   /* of a folder */
  DICOM_LOOKS = 3,
  DICOM_MARK = 128, /* place of "DICM" */
  DEPTH_MOST = 32,
  FILES_MOST = 200000 /* of a scan */
};

const char *const ht_scan_endings[] = {".nii.gz", ".nii", ".nrrd", ".mha",  ".zip", ".stl", ".obj",
                                       ".ply",    ".vtp", ".dcm",  ".nhdr", ".mhd", NULL};
const int ht_scan_endings_whole = 10;

/* One that has a number. */
typedef struct {
  char *path;  /* whole; owned */
  int parent;  /* number of its folder; -1: none */
  size_t name; /* where its name begins below the start folder */
} known;

struct ht_entries {
  pthread_mutex_t lock;
  known *item; /* [count] */
  int count, room;
};

/* An entry that is being listed. */
typedef struct {
  ht_entry entry;
  char *name; /* owned */
} listed;

typedef struct {
  const char *path;
  listed *item; /* [count], room for LISTED_MOST */
  int count, looks;
  ht_entry_folder *about;
} listing;

/* ---- numbers ---- */

/* Adds an entry; the lock is held. */
static ht_status add(ht_entries *entries, const char *path, int parent, int *number) {
  if (entries->count == entries->room) {
    const int room = entries->room ? 2 * entries->room : 256;
    known *grown = realloc(entries->item, (size_t)room * sizeof *grown);
    if (!grown) return ht_fail(HT_ERR_MEMORY, "no memory for the list of a folder");
    entries->item = grown;
    entries->room = room;
  }
  if (entries->count >= ENTRIES_MOST)
    return ht_fail(HT_ERR_USAGE, "too many folders were listed: start the workbench again");
  known *of = &entries->item[entries->count];
  *of =
      (known){strdup(path), parent, parent < 0 ? strlen(path) : strlen(entries->item[0].path) + 1};
  if (!of->path) return ht_fail(HT_ERR_MEMORY, "no memory for the list of a folder");
  *number = entries->count++;
  return HT_OK;
}

ht_status ht_entries_add(ht_entries *entries, const char *path, int *number) {
  pthread_mutex_lock(&entries->lock);
  ht_status status = add(entries, path, -1, number);
  pthread_mutex_unlock(&entries->lock);
  return status;
}

ht_status ht_entries_open(const char *start, ht_entries **entries) {
  int number;
  *entries = NULL;
  HT_TRY(ht_alloc((void **)entries, 1, sizeof **entries, "the list of a folder"));
  pthread_mutex_init(&(*entries)->lock, NULL);
  ht_status status = ht_entries_add(*entries, start, &number);
  if (status == HT_OK) return HT_OK;
  ht_entries_free(*entries);
  *entries = NULL;
  return status;
}

void ht_entries_free(ht_entries *entries) {
  if (!entries) return;
  for (int i = 0; i < entries->count; i++) free(entries->item[i].path);
  free(entries->item);
  pthread_mutex_destroy(&entries->lock);
  free(entries);
}

/* Returns the number of a listed path: the one that it had at the last list, or another. */
static ht_status number_of(ht_entries *entries, const char *path, int parent, int *number) {
  for (int i = entries->count - 1; i > parent; i--) {
    if (entries->item[i].parent != parent || strcmp(entries->item[i].path, path) != 0) continue;
    *number = i;
    return HT_OK;
  }
  return add(entries, path, parent, number);
}

/* ---- a folder ---- */

static int may_be_scan(const char *name) {
  for (const char *const *e = ht_scan_endings; *e; e++)
    if (ht_path_ends(name, *e)) return strcmp(*e, ".dcm") != 0;
  return 0;
}

static int is_dicom(const char *path) {
  char mark[4];
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int is = file >= 0 && pread(file, mark, sizeof mark, DICOM_MARK) == sizeof mark &&
                 memcmp(mark, "DICM", sizeof mark) == 0;
  if (file >= 0) close(file);
  return is;
}

static void keep(listing *of, const char *name, ht_entry_kind kind, const struct stat *at) {
  if (of->count == LISTED_MOST) {
    of->about->is_cut = 1;
    return;
  }
  listed *item = &of->item[of->count];
  item->name = strdup(name);
  if (!item->name) return;
  item->entry = (ht_entry){.kind = kind,
                           .name = item->name,
                           .size = kind == HT_ENTRY_SCAN ? (int64_t)at->st_size : 0,
                           .changed = (int64_t)at->st_mtime};
  of->count++;
}

static int look(void *user, const char *name) {
  listing *of = user;
  char path[HT_PATH_MAX];
  struct stat at;
  if (*name == '.' || ht_path_join(path, of->path, name) != HT_OK || lstat(path, &at) != 0)
    return 0;
  if (S_ISLNK(at.st_mode)) {
    of->about->links++;
  } else if (S_ISDIR(at.st_mode)) {
    keep(of, name, ht_folder_is_case(path) ? HT_ENTRY_CASE : HT_ENTRY_FOLDER, &at);
  } else if (S_ISREG(at.st_mode) && may_be_scan(name)) {
    keep(of, name, HT_ENTRY_SCAN, &at);
  } else if (S_ISREG(at.st_mode)) {
    of->about->others++;
    if (!of->about->has_dicom && of->looks++ < DICOM_LOOKS) of->about->has_dicom = is_dicom(path);
  }
  return 0;
}

static int by_name(const void *left, const void *right) {
  const listed *a = left, *b = right;
  const int order = (a->entry.kind == HT_ENTRY_SCAN) - (b->entry.kind == HT_ENTRY_SCAN);
  return order ? order : strcmp(a->name, b->name);
}

/* Gives each its number. */
static ht_status number_all(ht_entries *entries, listing *of) {
  char path[HT_PATH_MAX];
  pthread_mutex_lock(&entries->lock);
  ht_status status = HT_OK;
  for (int i = 0; i < of->count && status == HT_OK; i++) {
    status = ht_path_join(path, of->path, of->item[i].name);
    if (status == HT_OK)
      status = number_of(entries, path, of->about->folder, &of->item[i].entry.number);
  }
  pthread_mutex_unlock(&entries->lock);
  return status;
}

/* Finds the number's path, parent and name. */
static ht_status find(ht_entries *entries, int number, char path[HT_PATH_MAX],
                      ht_entry_folder *about) {
  pthread_mutex_lock(&entries->lock);
  const int is_known = number >= 0 && number < entries->count;
  if (is_known) {
    const known *of = &entries->item[number];
    snprintf(path, HT_PATH_MAX, "%s", of->path);
    about->folder = number;
    about->parent = of->parent;
    snprintf(about->name, sizeof about->name, "%s", of->path + of->name);
  }
  pthread_mutex_unlock(&entries->lock);
  return is_known ? HT_OK : ht_fail(HT_ERR_NOT_FOUND, "this workbench has no such entry");
}

ht_status ht_entries_list(ht_entries *entries, int folder,
                          void (*each)(void *user, const ht_entry *entry), void *user,
                          ht_entry_folder *about) {
  char path[HT_PATH_MAX];
  listing of = {.path = path, .about = about};
  *about = (ht_entry_folder){0};
  HT_TRY(find(entries, folder, path, about));
  HT_TRY(ht_entries_path(entries, folder, path));
  HT_TRY(ht_alloc((void **)&of.item, LISTED_MOST, sizeof *of.item, "the list of a folder"));
  ht_status status = HT_OK;
  if (ht_folder_walk(path, look, &of) < 0)
    status = ht_fail(HT_ERR_NOT_FOUND, "this folder cannot be listed: %s", strerror(errno));
  qsort(of.item, (size_t)of.count, sizeof *of.item, by_name);
  if (status == HT_OK) status = number_all(entries, &of);
  for (int i = 0; i < of.count; i++) {
    if (status == HT_OK) each(user, &of.item[i].entry);
    free(of.item[i].name);
  }
  free(of.item);
  return status;
}

/* ---- a path ---- */

typedef struct {
  const char *path;
  int depth, *left; /* the number of files that may still be looked at */
} link_search;

/* Ends the walk at a link. */
static int find_link(void *user, const char *name) {
  const link_search *of = user;
  char path[HT_PATH_MAX];
  struct stat at;
  if (--*of->left < 0) return 1;
  if (ht_path_join(path, of->path, name) != HT_OK || lstat(path, &at) != 0) return 0;
  if (S_ISLNK(at.st_mode)) return 1;
  if (!S_ISDIR(at.st_mode) || of->depth == DEPTH_MOST) return 0;
  const link_search inner = {path, of->depth + 1, of->left};
  return ht_folder_walk(path, find_link, (void *)(uintptr_t)&inner) > 0;
}

/* Checks that no part of the path below the start folder is a link. */
static ht_status check_way(const char *path, const char *name, int is_folder) {
  char start[HT_PATH_MAX];
  if (!*name) return HT_OK;
  snprintf(start, sizeof start, "%.*s", (int)(strlen(path) - strlen(name)), path);
  const int file = ht_beneath_open(start, name, is_folder);
  if (file < 0)
    return ht_fail(errno == ELOOP ? HT_ERR_USAGE : HT_ERR_NOT_FOUND,
                   errno == ELOOP ? "this entry is a link, which the workbench does not follow"
                                  : "this entry cannot be read: is it still there?");
  close(file);
  return HT_OK;
}

ht_status ht_entries_path(ht_entries *entries, int number, char path[HT_PATH_MAX]) {
  ht_entry_folder about;
  struct stat at;
  HT_TRY(find(entries, number, path, &about));
  if (stat(path, &at) != 0)
    return ht_fail(HT_ERR_NOT_FOUND, "this entry is no longer there: %s", strerror(errno));
  return check_way(path, about.name, S_ISDIR(at.st_mode));
}

ht_status ht_entries_scan(ht_entries *entries, int number, char path[HT_PATH_MAX]) {
  int left = FILES_MOST;
  HT_TRY(ht_entries_path(entries, number, path));
  if (!ht_folder_exists(path)) return HT_OK;
  const link_search search = {path, 0, &left};
  const int found = ht_folder_walk(path, find_link, (void *)(uintptr_t)&search);
  if (left < 0)
    return ht_fail(HT_ERR_USAGE, "there are more than %d files in this folder: choose an inner one",
                   FILES_MOST);
  if (found == 0) return HT_OK;
  return found < 0 ? ht_fail(HT_ERR_NOT_FOUND, "this folder cannot be listed")
                   : ht_fail(HT_ERR_USAGE,
                             "there is a link in this folder: the page follows none; in a terminal "
                             "`hemotile import` reads it");
}
