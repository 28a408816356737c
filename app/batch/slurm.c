#define _GNU_SOURCE
#include "app/batch/slurm.h"
#include "app/batch/batch_case.h"
#include "app/batch/batch_live.h"
#include "run/process/console.h"
#include "core/disk/file.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include "core/text/shell_word.h"
#include "core/vessel/volume.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Files in OUT/slurm/: `task.sh`, the script; `tasks`, a line per task with its case; `job`, the
 * job's number, there as long as tasks may run, and from before Slurm is asked ("?"); `ended/ID`,
 * the exit code and the seconds of a task that ended. A batch that is started again finds its job
 * by them. */
enum { TASKS_MAX = 1000, POLL_S = 2, LOOKS = 3 };

typedef struct {
  ht_batch_work *work;
  char folder[HT_PATH_MAX], job_path[HT_PATH_MAX], list_path[HT_PATH_MAX], script[HT_PATH_MAX];
  char job[64]; /* "": none */
  int unknown;  /* 1: the batch was killed before it knew the number */
  int tasks;
  int number[TASKS_MAX]; /* case of each task; -1: it has ended */
  int missed[TASKS_MAX]; /* number of looks at the queue that did not find it */
} array;

static ht_status quoted(const char *word, char **text) {
  size_t size;
  FILE *stream = open_memstream(text, &size);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory for a command");
  ht_shell_put(stream, word);
  return fclose(stream) == 0 ? HT_OK : ht_fail(HT_ERR_MEMORY, "not enough memory for a command");
}

static ht_status ended_path(const array *of, int number, char path[HT_PATH_MAX]) {
  char name[HT_CASE_ID_MAX + 8];
  snprintf(name, sizeof name, "ended/%s", of->work->cases.cohort->item[number].id);
  return ht_path_join(path, of->folder, name);
}

/* Takes the end of a task, where it has left one: its case then no longer belongs to the task. */
static ht_status take_end(array *of, int task) {
  char path[HT_PATH_MAX];
  int code, seconds;
  HT_TRY(ended_path(of, of->number[task], path));
  FILE *file = ht_file_open(path);
  if (!file) return HT_OK;
  const int is_whole = fscanf(file, "%d %d", &code, &seconds) == 2;
  fclose(file);
  if (!is_whole) return HT_OK;
  HT_TRY(ht_batch_end_case(of->work, of->number[task], code, seconds, NULL));
  of->number[task] = -1;
  return HT_OK;
}

/* ---- submit ---- */

/* Writes a task. It appends to the log; it writes its end under a temporary name and renames it. */
static ht_status put_task(FILE *stream, const array *of, int task) {
  ht_batch_command words;
  char path[HT_PATH_MAX];
  const int number = of->number[task];
  HT_TRY(ht_batch_make_command(of->work, number, 0, &words));
  fprintf(stream, "%d)\n  set --", task);
  for (int w = 0; words.word[w]; w++) {
    fputc(' ', stream);
    ht_shell_put(stream, words.word[w]);
  }
  HT_TRY(ht_batch_case_log(of->work, number, path));
  fputs("\n  log=", stream);
  ht_shell_put(stream, path);
  HT_TRY(ended_path(of, number, path));
  fputs("\n  ended=", stream);
  ht_shell_put(stream, path);
  fputs("\n  ;;\n", stream);
  return HT_OK;
}

static ht_status write_script(const array *of) {
  ht_output output;
  HT_TRY(ht_output_open(of->script, &output));
  fputs("#!/bin/bash\n# The tasks of a batch of hemotile: one case each.\n"
        "case $SLURM_ARRAY_TASK_ID in\n",
        output.stream);
  ht_status status = HT_OK;
  for (int t = 0; t < of->tasks && status == HT_OK; t++) status = put_task(output.stream, of, t);
  if (status != HT_OK) {
    ht_output_abandon(&output);
    return status;
  }
  fputs("*) exit 2 ;;\nesac\n"
        "\"$@\" --threads \"${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\" >\"$log\" 2>&1\n"
        "code=$?\n"
        "printf '%s %s\\n' \"$code\" \"$SECONDS\" >\"$ended.part\" && mv \"$ended.part\" "
        "\"$ended\"\n",
        output.stream);
  return ht_output_commit(&output);
}

static ht_status write_list(const array *of) {
  ht_output output;
  HT_TRY(ht_output_open(of->list_path, &output));
  for (int t = 0; t < of->tasks; t++) {
    const ht_cohort_case *one = &of->work->cases.cohort->item[of->number[t]];
    fprintf(output.stream, "%s %s\n", one->id, one->hash);
  }
  return ht_output_commit(&output);
}

/* Returns the first line that a command prints; its exit status in *code. HT_ERR_MEMORY: no
 * process. */
static ht_status first_line(const char *command, char line[256], int *code) {
  line[0] = 0;
  FILE *pipe = popen(command, "r");
  if (!pipe) return ht_fail(HT_ERR_MEMORY, "no process can be started for: %s", command);
  if (!fgets(line, 256, pipe)) line[0] = 0;
  char rest[256];
  while (fgets(rest, sizeof rest, pipe)) {
  }
  *code = pclose(pipe);
  line[strcspn(line, "\n")] = 0;
  return HT_OK;
}

static void take_number(array *of, const char *line) {
  snprintf(of->job, sizeof of->job, "%.*s", (int)strspn(line, "0123456789"), line);
}

/* Writes the job's number, or that one is being requested. */
static ht_status write_job(const array *of) {
  ht_output output;
  HT_TRY(ht_output_open(of->job_path, &output));
  fprintf(output.stream, "%s\n", of->job[0] ? of->job : "?");
  return ht_output_commit(&output);
}

static ht_status sbatch(array *of) {
  char *script, *command, *out = NULL, line[256], log[HT_PATH_MAX];
  int code = -1;
  HT_TRY(ht_path_join(log, of->folder, "task_%a.txt"));
  HT_TRY(quoted(of->script, &script));
  ht_status status = quoted(log, &out);
  if (status == HT_OK && asprintf(&command,
                                  "sbatch --parsable --job-name=hemotile --array=0-%d "
                                  "--output=%s %s %s",
                                  of->tasks - 1, out, of->work->options->slurm, script) < 0)
    status = ht_fail(HT_ERR_MEMORY, "not enough memory for a command");
  free(script);
  free(out);
  if (status != HT_OK) return status;
  status = write_job(of);
  if (status == HT_OK) status = first_line(command, line, &code);
  if (status == HT_OK && (code != 0 || strspn(line, "0123456789") == 0))
    status = ht_fail(HT_ERR_USAGE,
                     "Slurm did not take the job; its message is above. The command: %s", command);
  free(command);
  if (status != HT_OK) {
    remove(of->job_path);
    return status;
  }
  take_number(of, line);
  HT_TRY(write_job(of));
  ht_console_note("slurm    job %s: %d tasks; `scancel %s` ends them", of->job, of->tasks, of->job);
  return HT_OK;
}

/* Submits all that wait, as many as a usual limit of an array (MaxArraySize) allows. */
static ht_status submit(array *of) {
  char path[HT_PATH_MAX];
  of->tasks = 0;
  for (int i = 0; i < of->work->cases.cohort->cases && of->tasks < TASKS_MAX; i++)
    if (of->work->cases.record[i].state == HT_CASE_WAITING) {
      of->missed[of->tasks] = 0;
      of->number[of->tasks++] = i;
      HT_TRY(ended_path(of, i, path));
      remove(path);
    }
  if (of->tasks == 0) return HT_OK;
  HT_TRY(write_list(of));
  HT_TRY(write_script(of));
  HT_TRY(ht_batch_write_state(&of->work->cases)); /* the folder is a batch, whatever sbatch says */
  HT_TRY(sbatch(of));
  for (int t = 0; t < of->tasks; t++) ht_batch_begin_case(&of->work->cases, of->number[t]);
  return ht_batch_write_state(&of->work->cases);
}

/* ---- go on with the job of a batch that ended ---- */

static int find_case(const ht_cohort *cohort, const char *id) {
  for (int i = 0; i < cohort->cases; i++)
    if (strcmp(cohort->item[i].id, id) == 0) return i;
  return -1;
}

/* Finds the job of the batch's script, where the batch was killed before it knew the number. It
 * stays "" where the queue has none, because none was accepted or all tasks have ended. */
static ht_status find_job(array *of) {
  char line[HT_PATH_MAX + 64];
  FILE *pipe = popen("squeue --noheader --format='%F %o'", "r");
  if (!pipe) return ht_fail(HT_ERR_MEMORY, "no process can be started for squeue");
  while (fgets(line, sizeof line, pipe)) {
    const char *path = line + strspn(line, "0123456789");
    line[strcspn(line, "\n")] = 0;
    if (*path == ' ' && ht_same_file(path + 1, of->script)) take_number(of, line);
  }
  if (pclose(pipe) == 0) return of->job[0] ? write_job(of) : HT_OK;
  return ht_fail(
      HT_ERR_USAGE,
      "an earlier batch was killed while it submitted its job, and Slurm does not answer "
      "whether it has the job (`squeue`; its message is above): try again when it "
      "answers, or, where it has none, remove %s",
      of->job_path);
}

/* Adopts a task. One whose end the batch took already, whose case is done, has no case any more. */
static ht_status adopt_task(array *of, const char *id, const char *hash) {
  const int number = find_case(of->work->cases.cohort, id);
  const int task = of->tasks++;
  of->missed[task] = 0;
  of->number[task] = -1;
  if (number < 0 || of->work->cases.record[number].state != HT_CASE_WAITING) return HT_OK;
  if (strcmp(hash, of->work->cases.cohort->item[number].hash) != 0)
    return ht_fail(HT_ERR_USAGE,
                   "case '%s' has other settings now, and job %s still has it with the old ones: "
                   "wait until that has ended, or `scancel %s` and remove %s",
                   id, of->job, of->job, of->job_path);
  of->number[task] = number;
  if (!of->unknown) of->work->cases.record[number].tries--; /* the same attempt continues */
  ht_batch_begin_case(&of->work->cases, number);
  return HT_OK;
}

/* Adopts the ends of a job that is not in the queue: a task that left no end waits for another
 * job. */
static ht_status adopt_ended(array *of, const char *id, const char *hash) {
  char path[HT_PATH_MAX];
  const int number = find_case(of->work->cases.cohort, id);
  if (number < 0 || of->work->cases.record[number].state != HT_CASE_WAITING) return HT_OK;
  HT_TRY(ended_path(of, number, path));
  if (strcmp(hash, of->work->cases.cohort->item[number].hash) != 0 || !ht_file_exists(path))
    return HT_OK;
  of->number[0] = number;
  ht_batch_begin_case(&of->work->cases, number);
  return take_end(of, 0);
}

/* Returns 1 where there was a job, whose number may not be known. */
static int read_job(array *of) {
  char line[256];
  FILE *file = ht_file_open(of->job_path);
  if (!file) return 0;
  if (fgets(line, sizeof line, file)) take_number(of, line);
  fclose(file);
  of->unknown = !of->job[0];
  return 1;
}

static ht_status adopt_tasks(array *of) {
  char id[HT_CASE_ID_MAX], hash[HT_HASH_TEXT];
  FILE *file = ht_file_open(of->list_path);
  ht_status status = HT_OK;
  while (file && status == HT_OK && of->tasks < TASKS_MAX &&
         fscanf(file, "%63s %64s", id, hash) == 2)
    status = of->job[0] ? adopt_task(of, id, hash) : adopt_ended(of, id, hash);
  if (file) fclose(file);
  return status;
}

static ht_status adopt(array *of) {
  if (!read_job(of)) return HT_OK;
  if (of->unknown) HT_TRY(find_job(of));
  HT_TRY(adopt_tasks(of));
  of->unknown = 0;
  if (!of->job[0]) return HT_OK;
  ht_console_note("slurm    continues with job %s; `scancel %s` ends it", of->job, of->job);
  return ht_batch_write_state(&of->work->cases);
}

/* ---- wait ---- */

static ht_status take_ends(array *of) {
  for (int t = 0; t < of->tasks; t++)
    if (of->number[t] >= 0) HT_TRY(take_end(of, t));
  return HT_OK;
}

/* Looks at the queue. in_queue[TASKS_MAX]: 1 for a task that waits or runs. Returns 0 where the
 * queue does not answer, and nothing is known. A job that it no longer knows ("Invalid job id") has
 * no tasks. */
static int look(const array *of, char *in_queue) {
  char command[160], line[256];
  int unknown = 0;
  memset(in_queue, 0, TASKS_MAX);
  snprintf(command, sizeof command, "squeue --noheader --array --format=%%K --jobs=%s 2>&1",
           of->job);
  FILE *pipe = popen(command, "r");
  if (!pipe) return 0;
  while (fgets(line, sizeof line, pipe)) {
    char *end;
    const long task = strtol(line, &end, 10);
    if (end > line && task >= 0 && task < TASKS_MAX) in_queue[task] = 1;
    unknown |= strstr(line, "Invalid job id") != NULL;
  }
  return pclose(pipe) == 0 || unknown;
}

/* Finds tasks that are no longer in the queue, and left no exit code: Slurm ended them. The folder
 * may show a file late, so one look is not enough. */
static ht_status find_lost(array *of) {
  char in_queue[TASKS_MAX], reason[256];
  if (!look(of, in_queue)) return HT_OK;
  for (int t = 0; t < of->tasks; t++) {
    if (of->number[t] < 0) continue;
    of->missed[t] = in_queue[t] ? 0 : of->missed[t] + 1;
    if (of->missed[t] < LOOKS) continue;
    HT_TRY(take_end(of, t));
    if (of->number[t] < 0) continue;
    snprintf(reason, sizeof reason,
             "Slurm ended the task: cancelled, out of time or of memory (`sacct -j %s_%d` and "
             "slurm/task_%d.txt say more); --retry failed runs it again",
             of->job, t, t);
    HT_TRY(ht_batch_end_case(of->work, of->number[t], HT_ERR_INTERRUPTED, 0, reason));
    of->number[t] = -1;
  }
  return HT_OK;
}

static int left(const array *of) {
  int count = 0;
  for (int t = 0; t < of->tasks; t++) count += of->number[t] >= 0;
  return count;
}

static ht_status wait_for(array *of) {
  const struct timespec moment = {0, 100000000L};
  while (left(of) > 0) {
    HT_TRY(take_ends(of));
    HT_TRY(find_lost(of));
    for (int i = 0; i < 10 * POLL_S && left(of) > 0; i++) {
      HT_TRY(ht_batch_report(of->work));
      nanosleep(&moment, NULL);
    }
  }
  if (of->job[0]) remove(of->job_path);
  of->job[0] = 0;
  of->tasks = 0;
  return HT_OK;
}

static ht_status open_array(array *of) {
  char ended[HT_PATH_MAX];
  HT_TRY(ht_path_join(of->folder, of->work->options->folder, "slurm"));
  HT_TRY(ht_path_join(ended, of->folder, "ended"));
  HT_TRY(ht_folder_make(ended));
  ht_folder_sweep(of->folder, 0);
  HT_TRY(ht_path_join(of->job_path, of->folder, "job"));
  HT_TRY(ht_path_join(of->list_path, of->folder, "tasks"));
  return ht_path_join(of->script, of->folder, "task.sh");
}

static ht_status run_array(array *of) {
  HT_TRY(open_array(of));
  HT_TRY(adopt(of));
  HT_TRY(wait_for(of));
  for (;;) {
    HT_TRY(submit(of));
    if (of->tasks == 0) return HT_OK;
    HT_TRY(wait_for(of));
  }
}

ht_status ht_slurm_run_all(ht_batch_work *work) {
  array *of;
  HT_TRY(ht_alloc((void **)&of, 1, sizeof *of, "the tasks"));
  of->work = work;
  const ht_status status = run_array(of);
  if (status == HT_ERR_INTERRUPTED && of->job[0])
    ht_console_note("slurm    job %s continues; `scancel %s` ends it", of->job, of->job);
  free(of);
  return status;
}
