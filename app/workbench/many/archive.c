#define _GNU_SOURCE
/* Part "Archive": studies of a hospital's archive, which are found and fetched into the start
 * folder. */
#include "app/workbench/bench_own.h"
#include "app/workbench/parts.h"
#include "app/pacs/pacs.h"
#include "core/formats/json.h"
#include "core/vessel/volume.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 9999 };

/* An answer of the archive. */
typedef struct {
  ht_pacs_match *match; /* [count]; owned */
  int count, more;
} answer;

struct ht_archive {
  ht_pacs_settings settings;
  pthread_mutex_t asking; /* held while the archive is asked */
  pthread_mutex_t lock;   /* of what follows */
  answer studies, series; /* the latest */
  ht_job *job;            /* the latest fetch; NULL: none yet */
  char name[32];          /* of its folder */
};

ht_status ht_archive_begin(ht_bench *of) {
  if (!of->pacs) return HT_OK;
  HT_TRY(ht_alloc((void **)&of->archive, 1, sizeof *of->archive, "the archive"));
  pthread_mutex_init(&of->archive->asking, NULL);
  pthread_mutex_init(&of->archive->lock, NULL);
  ht_pacs_defaults(&of->archive->settings);
  HT_TRY(ht_pacs_read(of->pacs, &of->archive->settings));
  HT_TRY(ht_pacs_check(&of->archive->settings));
  return ht_job_open(of->queue, &of->archive->job);
}

void ht_archive_end(ht_bench *of) {
  if (!of->archive) return;
  free(of->archive->studies.match);
  free(of->archive->series.match);
  pthread_mutex_destroy(&of->archive->asking);
  pthread_mutex_destroy(&of->archive->lock);
  free(of->archive);
}

static ht_status check(const ht_bench *of) {
  return of->archive ? HT_OK
                     : ht_fail(HT_ERR_USAGE, "this workbench has no archive: start it with --pacs");
}

/* ---- find ---- */

typedef struct {
  int study; /* number of a study of the latest answer, whose series are wanted; 0: studies */
  ht_pacs_query query;
} find_request;

#define QUERY(name, field)                                                                         \
  {                                                                                                \
    name, HT_FIELD_TEXT, offsetof(find_request, query.field),                                      \
        sizeof(((find_request *)0)->query.field)                                                   \
  }

static const ht_field find_fields[] = {
    {"study", HT_FIELD_NUMBER, offsetof(find_request, study), NUMBER_MOST},
    QUERY("patient_id", patient_id),
    QUERY("date", study_date),
    QUERY("modality", modality),
    QUERY("description", description),
    {0}};

/* Finds the UID of a study of the latest answer. */
static ht_status study_uid(struct ht_archive *archive, int number, char uid[65]) {
  pthread_mutex_lock(&archive->lock);
  const int is_there = number > 0 && number <= archive->studies.count;
  if (is_there) memcpy(uid, archive->studies.match[number - 1].study_uid, 65);
  pthread_mutex_unlock(&archive->lock);
  return is_there ? HT_OK : ht_fail(HT_ERR_NOT_FOUND, "search for this study again");
}

static void put_match(const ht_pacs_match *match, int number, ht_json *json) {
  ht_json_object(json, NULL);
  ht_json_integer(json, "number", number);
  ht_json_string(json, "patient_id", match->patient_id);
  ht_json_string(json, "patient_name", match->patient_name);
  ht_json_string(json, "date", match->date);
  ht_json_string(json, "modality", match->modality);
  ht_json_string(json, "description", match->description);
  ht_json_integer(json, "series", match->series);
  ht_json_integer(json, "images", match->images);
  ht_json_object_end(json);
}

static char *answer_text(const answer *of) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_bool(&json, "more", of->more);
  ht_json_array(&json, "matches");
  for (int i = 0; i < of->count; i++) put_match(&of->match[i], i + 1, &json);
  ht_json_array_end(&json);
  ht_json_object_end(&json);
  fclose(stream);
  return text;
}

/* Asks the archive, and keeps the answer for the calls that name its numbers. */
static ht_status ask(struct ht_archive *archive, const find_request *asked, char **text) {
  answer found = {0};
  pthread_mutex_lock(&archive->asking);
  ht_status status =
      ht_pacs_find(&archive->settings, &asked->query, &found.match, &found.count, &found.more);
  pthread_mutex_unlock(&archive->asking);
  if (status != HT_OK) {
    free(found.match);
    return status;
  }
  *text = answer_text(&found);
  pthread_mutex_lock(&archive->lock);
  answer *kept = asked->study ? &archive->series : &archive->studies;
  free(kept->match);
  *kept = found;
  pthread_mutex_unlock(&archive->lock);
  return HT_OK;
}

static void find(ht_http_call *call, void *user) {
  ht_bench *of = user;
  find_request asked = {0};
  char *text = NULL;
  ht_status status = check(of);
  if (status == HT_OK) status = ht_bench_fields(call, find_fields, &asked);
  if (status == HT_OK && asked.study)
    status = study_uid(of->archive, asked.study, asked.query.study_uid);
  if (status == HT_OK) status = ask(of->archive, &asked, &text);
  if (status == HT_OK)
    ht_bench_send_text(call, text);
  else
    ht_http_send_error(call, status);
}

/* ---- get ---- */

typedef struct {
  int study, series; /* numbers of the latest answers; series 0: all */
} get_request;

static ht_status put_get(const ht_bench *of, const char *study, const char *series,
                         const char *folder, ht_job_command *command) {
  const char *const words[] = {"get",  "--pacs", of->pacs, "--study",
                               study,  "-o",     folder,   *series ? "--series" : NULL,
                               series, NULL};
  HT_TRY(ht_job_command_begin("pacs", command));
  for (const char *const *w = words; *w; w++) HT_TRY(ht_job_command_add(command, "%s", *w));
  return HT_OK;
}

/* Starts to fetch into a new folder of the start folder. */
static ht_status start_get(ht_bench *of, const char *study, const char *series) {
  char folder[HT_PATH_MAX], name[32];
  int number = 1;
  do {
    snprintf(name, sizeof name, "fetched-%d", number++);
    HT_TRY(ht_path_join(folder, of->start, name));
  } while (ht_file_exists(folder));
  ht_job_command *command = malloc(sizeof *command);
  if (!command) return ht_fail(HT_ERR_MEMORY, "no memory to fetch a study");
  ht_status status = put_get(of, study, series, folder, command);
  if (status == HT_OK) status = ht_job_start(of->archive->job, "pacs", command);
  free(command);
  if (status != HT_OK) return status;
  pthread_mutex_lock(&of->archive->lock);
  memcpy(of->archive->name, name, sizeof name);
  pthread_mutex_unlock(&of->archive->lock);
  return HT_OK;
}

static ht_status get(ht_http_call *call, ht_bench *of) {
  static const ht_field fields[] = {
      {"study", HT_FIELD_NUMBER, offsetof(get_request, study), NUMBER_MOST},
      {"series", HT_FIELD_NUMBER, offsetof(get_request, series), NUMBER_MOST},
      {0}};
  get_request asked = {0};
  char study[65], series[65] = "", of_study[65] = "";
  HT_TRY(check(of));
  HT_TRY(ht_bench_fields(call, fields, &asked));
  HT_TRY(study_uid(of->archive, asked.study, study));
  pthread_mutex_lock(&of->archive->lock);
  if (asked.series > 0 && asked.series <= of->archive->series.count) {
    const ht_pacs_match *match = &of->archive->series.match[asked.series - 1];
    memcpy(series, match->series_uid, sizeof series);
    memcpy(of_study, match->study_uid, sizeof of_study);
  }
  pthread_mutex_unlock(&of->archive->lock);
  if (asked.series && (!*series || strcmp(of_study, study) != 0))
    return ht_fail(HT_ERR_NOT_FOUND, "search for the series of this study again");
  return start_get(of, study, series);
}

static void begin_get(ht_http_call *call, void *user) {
  ht_bench_answer(call, get(call, user), "{}");
}

/* ---- state ---- */

static void send_archive(ht_http_call *call, void *user) {
  ht_bench *of = user;
  char *text = NULL;
  size_t size = 0;
  ht_status status = check(of);
  ht_job_state *job = status == HT_OK ? malloc(sizeof *job) : NULL;
  FILE *stream = job ? open_memstream(&text, &size) : NULL;
  if (status != HT_OK) {
    ht_http_send_error(call, status);
    return;
  }
  if (stream) {
    ht_json json = {stream, 0, 1};
    ht_job_look(of->archive->job, job);
    ht_json_object(&json, NULL);
    ht_bench_put_job(job, &json);
    ht_json_string(&json, "output", job->output);
    pthread_mutex_lock(&of->archive->lock);
    ht_json_string(&json, "folder", of->archive->name);
    pthread_mutex_unlock(&of->archive->lock);
    ht_json_object_end(&json);
    fclose(stream);
  }
  free(job);
  ht_bench_send_text(call, text);
}

static void stop_get(ht_http_call *call, void *user) {
  ht_bench *of = user;
  if (of->archive) ht_job_stop(of->archive->job);
  ht_bench_answer(call, HT_OK, "{}");
}

const ht_http_route ht_bench_archive_routes[] = {
    {"GET", "/api/archive", send_archive},
    {"POST", "/api/archive-find", find},
    {"POST", "/api/archive-get", begin_get},
    {"POST", "/api/archive-stop", stop_get},
    {0},
};
