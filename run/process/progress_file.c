#define _GNU_SOURCE
#include "run/process/progress_file.h"
#include "core/disk/folder_names.h"
#include "core/formats/json.h"
#include "core/machine/clock.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const double period_s = 0.5;

void ht_progress_file_begin(const char *log_path, ht_progress_file *file) {
  const char *slash = strrchr(log_path, '/');
  const int folder = slash ? (int)(slash - log_path) + 1 : 0;
  memset(file, 0, sizeof *file);
  const int length = snprintf(file->path, HT_PATH_MAX, "%.*s" HT_FILE_PROGRESS, folder, log_path);
  /* As other half-written files: the next run removes those of a killed one. */
  const int more = snprintf(file->hidden, HT_PATH_MAX, "%.*s.progress.%d.part.json", folder,
                            log_path, (int)getpid());
  if (length >= HT_PATH_MAX || more >= HT_PATH_MAX)
    file->path[0] = 0;
  else
    remove(file->path);
}

void ht_progress_file_restart(ht_progress_file *file) {
  file->points = file->seen = 0;
  file->every = 1;
  file->change = file->limit = file->mflups = 0;
}

static void add_point(double done, double change, ht_progress_file *file) {
  if (file->every == 0) file->every = 1;
  if (file->seen++ % file->every != 0) return;
  if (file->points == HT_PROGRESS_POINTS) {
    for (int i = 0; i < HT_PROGRESS_POINTS / 2; i++)
      memcpy(file->point[i], file->point[2 * i], sizeof *file->point);
    file->points = HT_PROGRESS_POINTS / 2;
    file->every *= 2;
  }
  file->point[file->points][0] = done;
  file->point[file->points++][1] = change;
}

void ht_progress_file_number(const char *name, double done, double value, ht_progress_file *file) {
  if (strcmp(name, "mflups") == 0) file->mflups = value;
  if (strcmp(name, "limit") == 0) file->limit = value;
  if (strcmp(name, "change") != 0 || value == file->change) return;
  file->change = value;
  add_point(done, value, file);
}

static void put(const ht_progress_state *state, const ht_progress_file *file, FILE *stream) {
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_string(&json, "stage", state->stage);
  ht_json_integer(&json, "number", state->number);
  ht_json_integer(&json, "of", state->of);
  ht_json_measured(&json, "done", state->done);
  ht_json_measured(&json, "total", state->total);
  ht_json_measured(&json, "spent_s", state->spent_s);
  if (state->left_s >= 0) ht_json_measured(&json, "left_s", state->left_s);
  if (file->mflups > 0) ht_json_measured(&json, "mflups", file->mflups);
  if (file->limit > 0) ht_json_measured(&json, "limit", file->limit);
  ht_json_array(&json, "changes");
  for (int i = 0; i < file->points; i++) ht_json_all_measured(&json, NULL, file->point[i], 2);
  ht_json_array_end(&json);
  ht_json_object_end(&json);
}

void ht_progress_file_write(const ht_progress_state *state, ht_progress_file *file) {
  const double now = ht_clock_s();
  if (!file->path[0] || now - file->written_s < period_s) return;
  file->written_s = now;
  const int descriptor =
      open(file->hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (!stream) {
    if (descriptor >= 0) close(descriptor);
    return;
  }
  put(state, file, stream);
  const int is_whole = !ferror(stream) && fflush(stream) == 0;
  if (fclose(stream) != 0 || !is_whole || rename(file->hidden, file->path) != 0)
    remove(file->hidden);
}

void ht_progress_file_end(ht_progress_file *file) {
  if (file->path[0]) remove(file->path);
  file->path[0] = 0;
}
