#define _GNU_SOURCE
#include "app/workbench/server/job.h"
#include "core/disk/folder_walk.h"
#include "core/text/shell_word.h"
#include "core/vessel/volume.h"
#include "run/process/child.h"
#include "run/process/interrupt.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "hemotile-open-"

enum { FOLDER_TEXT = 64, CODE_STOPPED = 128 + SIGTERM };

struct ht_job {
  ht_job_queue *queue;
  ht_job *next;
  char log[FOLDER_TEXT + 32];
  ht_child child;
  ht_job_command *waiting; /* owned; NULL: none */
  int turn;                /* place in the order of all commands */
  ht_job_state state;      /* without its output */
};

struct ht_job_queue {
  pthread_mutex_t lock;
  char folder[FOLDER_TEXT];
  ht_job *first;
  int jobs, turns;
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

/* ---- the queue; its lock is held in what is static here ---- */

/* Commands that compute for seconds at most, and use little memory, do not wait. */
static int is_heavy(const ht_job *job) {
  static const char *const light[] = {"info", "measure", "pacs", NULL};
  for (const char *const *l = light; *l; l++)
    if (strcmp(*l, job->state.name) == 0) return 0;
  return 1;
}

/* Composes the path of the file that names the running process, for end_commands(). */
static void pid_path(const ht_job *job, char path[HT_PATH_MAX]) {
  snprintf(path, HT_PATH_MAX, "%s.pid", job->log);
}

static void note_pid(const ht_job *job) {
  char path[HT_PATH_MAX];
  pid_path(job, path);
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%d\n", (int)job->child.pid);
  fclose(file);
}

static void end(ht_job *job, int code) {
  char path[HT_PATH_MAX];
  job->state.is_running = 0;
  job->state.exit_code = code;
  pid_path(job, path);
  remove(path);
}

static void begin(ht_job *job) {
  /* A command goes on if this program is killed: what it computes is in the case folder. */
  const ht_child_options options = {.log = job->log};
  ht_status status = ht_child_start(job->waiting->word, &options, &job->child);
  free(job->waiting);
  job->waiting = NULL;
  if (status == HT_OK)
    note_pid(job);
  else
    end(job, status);
}

/* Returns the job whose command is the next to start; NULL: none waits, or a heavy one runs. */
static ht_job *next_of(const ht_job_queue *queue) {
  ht_job *next = NULL;
  for (ht_job *j = queue->first; j; j = j->next) {
    if (j->child.pid != 0 && is_heavy(j)) return NULL;
    if (j->waiting && (!next || j->turn < next->turn)) next = j;
  }
  return next;
}

static void step(ht_job_queue *queue) {
  int code;
  ht_job *next;
  for (ht_job *j = queue->first; j; j = j->next)
    if (j->child.pid != 0 && ht_child_ended(&j->child, &code)) end(j, code);
  while ((next = next_of(queue))) begin(next);
}

static void stop(ht_job *job) {
  ht_child_stop(&job->child);
  if (!job->waiting) return;
  free(job->waiting);
  job->waiting = NULL;
  end(job, CODE_STOPPED);
}

static int place_of(const ht_job *job) {
  int place = 0;
  if (!job->waiting) return 0;
  for (const ht_job *j = job->queue->first; j; j = j->next)
    place += (j->child.pid != 0 && is_heavy(j)) || (j->waiting && j->turn < job->turn);
  return place;
}

/* Returns the process that a file of note_pid() names; 0: it is no such file. */
static int pid_in(const char *folder, const char *name) {
  char path[HT_PATH_MAX];
  int pid = 0;
  if (!ht_path_ends(name, ".pid") || ht_path_join(path, folder, name) != HT_OK) return 0;
  FILE *file = fopen(path, "r");
  if (file && fscanf(file, "%d", &pid) != 1) pid = 0;
  if (file) fclose(file);
  return pid;
}

/* Asks the command to end: this program is ended by force. */
static int end_command(void *folder, const char *name) {
  const int pid = pid_in(folder, name);
  if (pid > 1) kill(pid, SIGTERM);
  return 0;
}

static void end_commands(const char *folder, pid_t own) {
  (void)own;
  ht_folder_walk(folder, end_command, (void *)(uintptr_t)folder);
}

const char *ht_job_queue_folder(const ht_job_queue *queue) {
  return queue->folder;
}

/* ---- the queue's folder: /tmp/hemotile-open-PID-XXXXXX ---- */

static int remove_entry(void *folder, const char *name) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, folder, name) != HT_OK || remove(path) == 0) return 0;
  ht_folder_walk(path, remove_entry, path); /* a folder with files */
  rmdir(path);
  return 0;
}

/* Ends the walk at the file of a process that runs. */
static int find_running(void *folder, const char *name) {
  const int pid = pid_in(folder, name);
  return pid > 1 && kill(pid, 0) == 0;
}

/* Removes the folder of a workbench that was killed, once its commands have ended: their output may
 * name a patient. */
static int sweep_one(void *unused, const char *name) {
  char path[HT_PATH_MAX];
  struct stat at;
  (void)unused;
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || ht_path_join(path, "/tmp", name) != HT_OK ||
      lstat(path, &at) != 0 || !S_ISDIR(at.st_mode) || at.st_uid != getuid())
    return 0;
  const int pid = atoi(name + strlen(PREFIX));
  if (pid < 2 || kill(pid, 0) == 0 || ht_folder_walk(path, find_running, path) != 0) return 0;
  ht_folder_walk(path, remove_entry, path);
  rmdir(path);
  return 0;
}

ht_status ht_job_queue_open(ht_job_queue **queue) {
  *queue = NULL;
  HT_TRY(ht_alloc((void **)queue, 1, sizeof **queue, "the workbench"));
  pthread_mutex_init(&(*queue)->lock, NULL);
  ht_folder_walk("/tmp", sweep_one, NULL);
  snprintf((*queue)->folder, FOLDER_TEXT, "/tmp/" PREFIX "%d-XXXXXX", (int)getpid());
  if (mkdtemp((*queue)->folder)) {
    ht_interrupt_folder((*queue)->folder, end_commands);
    return HT_OK;
  }
  ht_status status = ht_fail(
      HT_ERR_WRITE, "/tmp: cannot make a folder for the output of the stages: %s", strerror(errno));
  free(*queue);
  *queue = NULL;
  return status;
}

void ht_job_queue_step(ht_job_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  step(queue);
  pthread_mutex_unlock(&queue->lock);
}

void ht_job_queue_stop(ht_job_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  for (ht_job *j = queue->first; j; j = j->next) stop(j);
  pthread_mutex_unlock(&queue->lock);
}

static int is_idle(ht_job_queue *queue) {
  int is = 1;
  ht_job_queue_step(queue);
  pthread_mutex_lock(&queue->lock);
  for (ht_job *j = queue->first; j; j = j->next) is &= j->child.pid == 0;
  pthread_mutex_unlock(&queue->lock);
  return is;
}

void ht_job_queue_close(ht_job_queue *queue) {
  if (!queue) return;
  ht_job_queue_stop(queue);
  while (!is_idle(queue)) usleep(20000);
  for (ht_job *j = queue->first, *next; j; j = next) {
    next = j->next;
    free(j);
  }
  ht_folder_walk(queue->folder, remove_entry, queue->folder);
  rmdir(queue->folder);
  pthread_mutex_destroy(&queue->lock);
  free(queue);
}

/* ---- the job ---- */

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

ht_status ht_job_open(ht_job_queue *queue, ht_job **job) {
  *job = NULL;
  HT_TRY(ht_alloc((void **)job, 1, sizeof **job, "a case of the workbench"));
  (*job)->queue = queue;
  pthread_mutex_lock(&queue->lock);
  snprintf((*job)->log, sizeof(*job)->log, "%s/output-%d", queue->folder, ++queue->jobs);
  (*job)->next = queue->first;
  queue->first = *job;
  pthread_mutex_unlock(&queue->lock);
  return HT_OK;
}

static void accept_command(ht_job *job, const char *name, const ht_job_command *command) {
  job->state.number++;
  job->state.is_running = 1;
  job->state.exit_code = 0;
  job->turn = ++job->queue->turns;
  snprintf(job->state.name, sizeof job->state.name, "%s", name);
  put_typed(command, job->state.typed, sizeof job->state.typed);
  remove(job->log);
}

static ht_job_command *copy_of(const ht_job_command *command) {
  ht_job_command *copy = malloc(sizeof *copy);
  if (!copy) return NULL;
  *copy = *command;
  for (int i = 0; i < copy->words; i++)
    copy->word[i] = copy->text + (copy->word[i] - command->text);
  return copy;
}

ht_status ht_job_start(ht_job *job, const char *name, const ht_job_command *command) {
  ht_status status = HT_OK;
  pthread_mutex_lock(&job->queue->lock);
  step(job->queue);
  if (job->state.is_running)
    status = ht_fail(HT_ERR_USAGE, "`hemotile %s` %s: stop it first, or wait", job->state.name,
                     job->waiting ? "waits for others" : "is still running");
  else if (!(job->waiting = copy_of(command)))
    status = ht_fail(HT_ERR_MEMORY, "no memory to start a command");
  if (status == HT_OK) {
    accept_command(job, name, command);
    if (is_heavy(job))
      step(job->queue);
    else
      begin(job);
    if (!job->state.is_running) status = (ht_status)job->state.exit_code; /* it could not begin */
  }
  pthread_mutex_unlock(&job->queue->lock);
  return status;
}

void ht_job_stop(ht_job *job) {
  pthread_mutex_lock(&job->queue->lock);
  stop(job);
  pthread_mutex_unlock(&job->queue->lock);
}

void ht_job_look(ht_job *job, ht_job_state *state) {
  pthread_mutex_lock(&job->queue->lock);
  step(job->queue);
  *state = job->state;
  state->place = place_of(job);
  pthread_mutex_unlock(&job->queue->lock);
  read_output(job->log, state->output);
}

int ht_job_is_busy(ht_job *job) {
  pthread_mutex_lock(&job->queue->lock);
  step(job->queue);
  const int is = job->state.is_running;
  pthread_mutex_unlock(&job->queue->lock);
  return is;
}

int ht_job_place(ht_job *job) {
  pthread_mutex_lock(&job->queue->lock);
  const int place = place_of(job);
  pthread_mutex_unlock(&job->queue->lock);
  return place;
}
