#define _GNU_SOURCE
/* Part "Open": the folders and scans below the start folder, files that are dropped into the page,
 * the series of a scan, and its import into a new case. */
#include "app/workbench/bench_own.h"
#include "app/workbench/cases/drops.h"
#include "app/workbench/cases/entries.h"
#include "app/workbench/parts.h"
#include "core/disk/folder_names.h"
#include "core/disk/folder_walk.h"
#include "core/formats/json.h"
#include "core/vessel/volume.h"
#include "run/folder/folder.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOKS = 16, PENDING = 64, SERIES_MOST = 9999, NAME_TEXT = 65, NUMBER_MOST = 999999999 };

/* A look at the series of a scan: `hemotile info --list`. */
typedef struct {
  int number; /* counts the looks, from 1; 0: none */
  ht_job *job;
  char folder[128]; /* of its list */
} look;

/* An import of dropped files, which are removed after it. */
typedef struct {
  ht_bench_case *one; /* NULL: none */
  char path[HT_PATH_MAX];
} pending;

struct ht_scans {
  ht_entries *entries;
  ht_drops *drops;      /* NULL in a workbench of one case */
  pthread_mutex_t lock; /* of what follows */
  look item[LOOKS];
  int looks;
  pending import[PENDING];
};

/* ---- begin and end ---- */

ht_status ht_scans_begin(ht_bench *of, const char *scan) {
  HT_TRY(ht_alloc((void **)&of->scans, 1, sizeof *of->scans, "the workbench"));
  pthread_mutex_init(&of->scans->lock, NULL);
  const char *first = of->start ? of->start : scan;
  if (first) HT_TRY(ht_entries_open(first, &of->scans->entries));
  return of->start ? ht_drops_open(of->start, &of->scans->drops) : HT_OK;
}

void ht_scans_end(ht_bench *of) {
  if (!of->scans) return;
  ht_drops_close(of->scans->drops);
  ht_entries_free(of->scans->entries);
  pthread_mutex_destroy(&of->scans->lock);
  free(of->scans);
}

/* Ends the walk at a case in which a command works. */
static int find_work(void *start, const char *name) {
  char path[HT_PATH_MAX];
  const ht_job_state none = {0};
  return ht_path_join(path, start, name) == HT_OK && ht_bench_others_work(path, &none);
}

void ht_scans_sweep(ht_bench *of) {
  if (ht_folder_walk(of->start, find_work, (void *)(uintptr_t)of->start) == 0)
    ht_drops_sweep(of->start);
}

/* Returns 1 where a scan was imported into the case. */
static int has_scan(const ht_bench_case *one) {
  char path[HT_PATH_MAX];
  return ht_path_join(path, one->folder, HT_FILE_MANIFEST) == HT_OK && ht_file_exists(path);
}

/* Returns 1 while the import runs or waits. */
static int is_importing(ht_bench_case *one, ht_job_state *job) {
  ht_job_look(one->job, job);
  return job->is_running && strcmp(job->name, "import") == 0;
}

void ht_scans_step(ht_bench *of) {
  ht_job_state *job = NULL;
  pthread_mutex_lock(&of->scans->lock);
  for (int i = 0; i < PENDING; i++) {
    pending *p = &of->scans->import[i];
    if (!p->one || (!job && !(job = malloc(sizeof *job))) || is_importing(p->one, job)) continue;
    if (has_scan(p->one)) ht_drops_remove(of->scans->drops, p->path);
    p->one = NULL;
  }
  pthread_mutex_unlock(&of->scans->lock);
  free(job);
}

/* ---- folders ---- */

static const char *const kinds[] = {"folder", "scan", "case"};

static void put_entry(void *user, const ht_entry *entry) {
  ht_json *json = user;
  ht_json_object(json, NULL);
  ht_json_integer(json, "number", entry->number);
  ht_json_string(json, "kind", kinds[entry->kind]);
  ht_json_string(json, "name", entry->name);
  ht_json_integer(json, "bytes", entry->size);
  ht_json_integer(json, "changed", entry->changed);
  ht_json_object_end(json);
}

static ht_status write_folder(ht_entries *entries, int folder, FILE *stream) {
  ht_entry_folder *about = malloc(sizeof *about);
  ht_json json = {stream, 0, 1};
  if (!about) return ht_fail(HT_ERR_MEMORY, "no memory for the list of a folder");
  ht_json_object(&json, NULL);
  ht_json_array(&json, "entries");
  ht_status status = ht_entries_list(entries, folder, put_entry, &json, about);
  ht_json_array_end(&json);
  ht_json_integer(&json, "number", about->folder);
  ht_json_integer(&json, "parent", about->parent);
  ht_json_string(&json, "name", about->name);
  ht_json_integer(&json, "others", about->others);
  ht_json_integer(&json, "links", about->links);
  ht_json_bool(&json, "has_dicom", about->has_dicom);
  ht_json_bool(&json, "is_cut", about->is_cut);
  ht_json_object_end(&json);
  free(about);
  return status;
}

static void send_folder(ht_http_call *call, void *user) {
  const ht_bench *of = user;
  char *text = NULL;
  size_t size = 0;
  const int number = ht_http_number(call, "entry", NUMBER_MOST);
  FILE *stream = of->start ? open_memstream(&text, &size) : NULL;
  ht_status status = stream ? write_folder(of->scans->entries, number < 0 ? 0 : number, stream)
                            : ht_fail(HT_ERR_USAGE, "this workbench is of one case");
  if (stream) fclose(stream);
  if (status == HT_OK) {
    ht_bench_send_text(call, text);
    return;
  }
  free(text);
  ht_http_send_error(call, status);
}

/* ---- the series of a scan ---- */

static ht_status put_info(const look *of, const char *path, ht_job_command *command) {
  HT_TRY(ht_job_command_begin("info", command));
  HT_TRY(ht_job_command_add(command, "%s", path));
  HT_TRY(ht_job_command_add(command, "--list"));
  return ht_job_command_add(command, "%s", of->folder);
}

/* Starts a look in the place of the oldest; the lock is held. */
static ht_status start_look(ht_bench *of, const char *path, int *number) {
  struct ht_scans *scans = of->scans;
  look *slot = &scans->item[scans->looks % LOOKS];
  if (!slot->job) HT_TRY(ht_job_open(of->queue, &slot->job));
  if (ht_job_is_busy(slot->job))
    return ht_fail(HT_ERR_USAGE, "%d scans are being looked at: wait until one is done", LOOKS);
  ht_job_command *command = malloc(sizeof *command);
  if (!command) return ht_fail(HT_ERR_MEMORY, "no memory to look at a scan");
  snprintf(slot->folder, sizeof slot->folder, "%s/look-%d", ht_job_queue_folder(of->queue),
           scans->looks + 1);
  ht_status status = put_info(slot, path, command);
  if (status == HT_OK) status = ht_job_start(slot->job, "info", command);
  if (status == HT_OK) *number = slot->number = ++scans->looks;
  free(command);
  return status;
}

/* Finds the path of the entry of a request. */
static ht_status find_scan(ht_bench *of, int entry, char path[HT_PATH_MAX]) {
  if (!of->scans->entries) return ht_fail(HT_ERR_USAGE, "this workbench is of one case");
  return ht_entries_scan(of->scans->entries, entry, path);
}

static void begin_look(ht_http_call *call, void *user) {
  struct {
    int entry;
  } asked = {0};
  static const ht_field fields[] = {{"entry", HT_FIELD_NUMBER, 0, NUMBER_MOST}, {0}};
  ht_bench *of = user;
  char path[HT_PATH_MAX];
  int number = 0;
  ht_status status = ht_bench_fields(call, fields, &asked);
  if (status == HT_OK) status = find_scan(of, asked.entry, path);
  if (status == HT_OK) {
    pthread_mutex_lock(&of->scans->lock);
    status = start_look(of, path, &number);
    pthread_mutex_unlock(&of->scans->lock);
  }
  ht_bench_answer(call, status, "{\"look\": %d}", number);
}

/* Finds the look of a call; HT_ERR_NOT_FOUND: it is none of the latest. */
static ht_status find_look(ht_http_call *call, ht_bench *of, look *found) {
  const int number = ht_http_number(call, "look", NUMBER_MOST);
  pthread_mutex_lock(&of->scans->lock);
  *found = number > 0 ? of->scans->item[(number - 1) % LOOKS] : (look){0};
  pthread_mutex_unlock(&of->scans->lock);
  return number > 0 && found->number == number
             ? HT_OK
             : ht_fail(HT_ERR_NOT_FOUND, "look at this scan again");
}

static void write_look(const look *of, const ht_job_state *job, FILE *stream) {
  char path[HT_PATH_MAX];
  ht_json json = {stream, 0, 1};
  const int is_there =
      ht_path_join(path, of->folder, "series.json") == HT_OK && ht_file_exists(path);
  ht_json_object(&json, NULL);
  ht_json_bool(&json, "running", job->is_running);
  ht_json_integer(&json, "exit_code", job->exit_code);
  ht_json_bool(&json, "has_list", is_there);
  ht_json_string(&json, "output", job->output);
  ht_json_object_end(&json);
}

static void send_look(ht_http_call *call, void *user) {
  look found;
  char *text = NULL;
  size_t size = 0;
  ht_status status = find_look(call, user, &found);
  if (status != HT_OK) {
    ht_http_send_error(call, status);
    return;
  }
  ht_job_state *job = malloc(sizeof *job);
  FILE *stream = job ? open_memstream(&text, &size) : NULL;
  if (stream) {
    ht_job_look(found.job, job);
    write_look(&found, job, stream);
    fclose(stream);
  }
  free(job);
  ht_bench_send_text(call, text);
}

static void send_series(ht_http_call *call, void *user) {
  look found;
  if (find_look(call, user, &found) == HT_OK)
    ht_http_send_beneath(call, found.folder, "series.json", "application/json");
  else
    ht_http_send(call, 404, "text/plain", "", 0);
}

static void send_picture(ht_http_call *call, void *user) {
  look found;
  char name[32];
  const int series = ht_http_number(call, "series", SERIES_MOST);
  snprintf(name, sizeof name, "%d.png", series);
  if (series > 0 && find_look(call, user, &found) == HT_OK)
    ht_http_send_beneath(call, found.folder, name, "image/png");
  else
    ht_http_send(call, 404, "text/plain", "", 0);
}

/* ---- import ---- */

typedef struct {
  int entry, series, phase; /* 0: none */
  char name[NAME_TEXT];     /* "": one is made */
} import_request;

/* Finds the folder that a folder lies in, from its path alone where that tells. */
static ht_status find_parent(const char *folder, char parent[HT_PATH_MAX]) {
  const char *name = ht_path_name(folder);
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return ht_path_join(parent, folder, "..");
  ht_folder_of(folder, parent);
  return HT_OK;
}

/* Finds the folder of a new case: in the start folder, or next to it where that is the scan. */
static ht_status find_folder(const ht_bench *of, const import_request *asked,
                             char folder[HT_PATH_MAX]) {
  char where[HT_PATH_MAX], name[NAME_TEXT];
  snprintf(where, sizeof where, "%s", of->start);
  if (asked->entry == 0) HT_TRY(find_parent(of->start, where));
  snprintf(name, sizeof name, "%s", asked->name);
  for (int i = 1; !*asked->name; i++) {
    snprintf(name, sizeof name, "case-%d", i);
    HT_TRY(ht_path_join(folder, where, name));
    if (!ht_file_exists(folder)) return HT_OK;
  }
  HT_TRY(ht_path_join(folder, where, name));
  if (!ht_file_exists(folder)) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "there is a folder '%s' already: choose another name", name);
}

/* Keeps in mind that dropped files are to be removed after their import. */
static void note_import(struct ht_scans *scans, ht_bench_case *one, const char *path) {
  if (!scans->drops) return;
  pthread_mutex_lock(&scans->lock);
  for (int i = 0; i < PENDING; i++) {
    if (scans->import[i].one) continue;
    scans->import[i].one = one;
    snprintf(scans->import[i].path, HT_PATH_MAX, "%s", path);
    break;
  }
  pthread_mutex_unlock(&scans->lock);
}

static ht_status import_scan(ht_bench *of, const import_request *asked, ht_bench_case **one) {
  char path[HT_PATH_MAX], folder[HT_PATH_MAX], series[16];
  HT_TRY(find_scan(of, asked->entry, path));
  if (!*one) {
    HT_TRY(find_folder(of, asked, folder));
    HT_TRY(ht_bench_add(of, folder, one));
  }
  if (has_scan(*one))
    return ht_fail(HT_ERR_USAGE, "this case has its scan already: import another as a new case");
  pthread_mutex_lock(&of->lock);
  (*one)->scan = asked->entry;
  pthread_mutex_unlock(&of->lock);
  snprintf(series, sizeof series, "%d", asked->series);
  HT_TRY(ht_bench_import(of, *one, path, asked->series ? series : NULL, asked->phase));
  note_import(of->scans, *one, path);
  return HT_OK;
}

static void begin_import(ht_http_call *call, void *user) {
  static const ht_field fields[] = {
      {"entry", HT_FIELD_NUMBER, offsetof(import_request, entry), NUMBER_MOST},
      {"series", HT_FIELD_NUMBER, offsetof(import_request, series), SERIES_MOST},
      {"phase", HT_FIELD_NUMBER, offsetof(import_request, phase), SERIES_MOST},
      {"name", HT_FIELD_NAME, offsetof(import_request, name), NAME_TEXT},
      {0}};
  import_request asked = {0};
  ht_bench *of = user;
  ht_bench_case *one = ht_bench_find(of, ht_bench_number(call, of));
  ht_status status = ht_bench_fields(call, fields, &asked);
  if (status == HT_OK) status = import_scan(of, &asked, &one);
  ht_bench_answer(call, status, "{\"case\": %d}", one ? one->number : 0);
}

/* ---- dropped files ---- */

static void begin_drop(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char path[HT_PATH_MAX];
  int number = 0, entry = 0;
  ht_status status = of->scans->drops ? ht_drops_begin(of->scans->drops, &number, path)
                                      : ht_fail(HT_ERR_USAGE, "this workbench is of one case");
  if (status == HT_OK) status = ht_entries_add(of->scans->entries, path, &entry);
  ht_bench_answer(call, status, "{\"drop\": %d, \"entry\": %d}", number, entry);
}

/* Keeps the body as a file: it has its name once it is on the disk. */
static ht_status take_file(ht_http_call *call, ht_bench *of, int *entry) {
  char hidden[HT_PATH_MAX], path[HT_PATH_MAX];
  int file;
  const int drop = ht_http_number(call, "drop", HT_DROPS_MOST);
  const int ending = ht_http_number(call, "ending", ht_scan_endings_whole - 1);
  if (!of->scans->drops) return ht_fail(HT_ERR_USAGE, "this workbench is of one case");
  if (ending < 0)
    return ht_fail(HT_ERR_USAGE, "this is no file of a scan (.nii, .nii.gz, .nrrd, .mha, .zip, "
                                 ".dcm) or of a surface (.stl, .obj, .ply, .vtp)");
  HT_TRY(ht_drops_file(of->scans->drops, drop, ht_scan_endings[ending], ht_http_length(call),
                       hidden, path, &file));
  ht_status status = ht_http_body_to(call, file, HT_DROP_FILE_MOST);
  if (status == HT_OK && fsync(file) != 0)
    status = ht_fail(HT_ERR_WRITE, "a dropped file cannot be kept: %s", strerror(errno));
  close(file);
  if (status == HT_OK && rename(hidden, path) != 0)
    status = ht_fail(HT_ERR_WRITE, "a dropped file cannot be kept: %s", strerror(errno));
  if (status != HT_OK) unlink(hidden);
  return status == HT_OK ? ht_entries_add(of->scans->entries, path, entry) : status;
}

static void keep_file(ht_http_call *call, void *user) {
  int entry = 0;
  ht_status status = take_file(call, user, &entry);
  ht_bench_answer(call, status, "{\"entry\": %d}", entry);
}

const ht_http_route ht_bench_scan_routes[] = {
    {"GET", "/api/folder", send_folder},
    {"POST", "/api/look", begin_look},
    {"GET", "/api/look", send_look},
    {"GET", "/api/series", send_series},
    {"GET", "/api/series-picture", send_picture},
    {"POST", "/api/import", begin_import},
    {"POST", "/api/drop", begin_drop},
    {"POST", "/api/drop-file", keep_file},
    {0},
};
