#define _GNU_SOURCE
#include "app/workbench/job.h"
#include "core/text/shell_word.h"
#include "core/vessel/volume.h"
#include "run/process/child.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ht_job {
  pthread_mutex_t lock;
  char folder[64], log[80];
  ht_child child;
  ht_job_state state;
};

/* ---- commands ---- */

ht_status ht_job_command_add(ht_job_command *command, const char *format, ...) {
  va_list values;
  const size_t room = sizeof command->text - command->length;
  va_start(values, format);
  const int length = vsnprintf(command->text + command->length, room, format, values);
  va_end(values);
  if (length < 0 || (size_t)length >= room || command->words + 1 >= HT_JOB_WORDS)
    return ht_fail(HT_ERR_USAGE, "too many settings for one command");
  command->word[command->words++] = command->text + command->length;
  command->word[command->words] = NULL;
  command->length += (size_t)length + 1;
  return HT_OK;
}

ht_status ht_job_command_begin(const char *name, ht_job_command *command) {
  char program[HT_PATH_MAX];
  command->words = 0;
  command->length = 0;
  HT_TRY(ht_program_path(program));
  HT_TRY(ht_job_command_add(command, "%s", program));
  return ht_job_command_add(command, "%s", name);
}

static void put_typed(const ht_job_command *command, char *text, size_t size) {
  FILE *stream = fmemopen(text, size, "w");
  text[0] = 0;
  if (!stream) return;
  fputs("hemotile", stream);
  for (int i = 1; i < command->words; i++) {
    fputc(' ', stream);
    ht_shell_put(stream, command->word[i]);
  }
  fclose(stream);
  text[size - 1] = 0;
}

/* ---- the job ---- */

ht_status ht_job_open(ht_job **job) {
  *job = NULL;
  HT_TRY(ht_alloc((void **)job, 1, sizeof **job, "the workbench"));
  pthread_mutex_init(&(*job)->lock, NULL);
  strcpy((*job)->folder, "/tmp/hemotile-open-XXXXXX");
  if (!mkdtemp((*job)->folder)) {
    ht_status status = ht_fail(HT_ERR_WRITE,
                               "/tmp: cannot make a folder for the output of the "
                               "stages: %s",
                               strerror(errno));
    free(*job);
    *job = NULL;
    return status;
  }
  snprintf((*job)->log, sizeof(*job)->log, "%s/output", (*job)->folder);
  return HT_OK;
}

/* Looks whether the command has ended. The lock is held. */
static void look(ht_job *job) {
  int code;
  if (job->child.pid == 0 || !ht_child_ended(&job->child, &code)) return;
  job->state.is_running = 0;
  job->state.exit_code = code;
}

/* Reads the end of the output. A line that was drawn over (progress, after '\r') counts as its last
 * state. */
static void read_output(const char *log, char text[HT_JOB_TEXT]) {
  FILE *file = fopen(log, "rb");
  text[0] = 0;
  if (!file) return;
  if (fseek(file, -(long)(HT_JOB_TEXT - 1), SEEK_END) != 0) rewind(file);
  const int cut = ftell(file) > 0;
  size_t got = fread(text, 1, HT_JOB_TEXT - 1, file), kept = 0, line = 0;
  fclose(file);
  for (size_t i = 0; i < got; i++) {
    if (text[i] == '\r' && i + 1 < got && text[i + 1] != '\n') {
      kept = line;
      continue;
    }
    if (text[i] == '\r' || text[i] == 0) continue;
    text[kept++] = text[i];
    if (text[i] == '\n') line = kept;
  }
  text[kept] = 0;
  char *whole = cut ? strchr(text, '\n') : NULL;
  if (whole) memmove(text, whole + 1, strlen(whole + 1) + 1);
}

ht_status ht_job_start(ht_job *job, const char *name, const ht_job_command *command) {
  /* A command goes on if this program is killed: what it computes is in the case folder. */
  const ht_child_options options = {.log = job->log};
  ht_status status = HT_OK;
  pthread_mutex_lock(&job->lock);
  look(job);
  if (job->child.pid != 0) {
    status = ht_fail(HT_ERR_USAGE, "`hemotile %s` is still running: stop it first, or wait",
                     job->state.name);
  } else {
    remove(job->log);
    status = ht_child_start(command->word, &options, &job->child);
  }
  if (status == HT_OK) {
    job->state.number++;
    job->state.is_running = 1;
    job->state.exit_code = 0;
    snprintf(job->state.name, sizeof job->state.name, "%s", name);
    put_typed(command, job->state.typed, sizeof job->state.typed);
  }
  pthread_mutex_unlock(&job->lock);
  return status;
}

void ht_job_stop(ht_job *job) {
  pthread_mutex_lock(&job->lock);
  ht_child_stop(&job->child);
  pthread_mutex_unlock(&job->lock);
}

void ht_job_look(ht_job *job, ht_job_state *state) {
  pthread_mutex_lock(&job->lock);
  look(job);
  *state = job->state;
  pthread_mutex_unlock(&job->lock);
  read_output(job->log, state->output);
}

void ht_job_close(ht_job *job) {
  if (!job) return;
  ht_job_stop(job);
  for (;;) {
    pthread_mutex_lock(&job->lock);
    look(job);
    const int is_running = job->child.pid != 0;
    pthread_mutex_unlock(&job->lock);
    if (!is_running) break;
    usleep(20000);
  }
  remove(job->log);
  rmdir(job->folder);
  pthread_mutex_destroy(&job->lock);
  free(job);
}
