/* The work that the page starts: hemotile's own commands on case folders, as processes of their
 * own. So the page has no second way through the stages, and a stage that crashes ends nothing
 * else. Each case has a job: one command at a time. The jobs of all cases share a queue: one of
 * their heavy commands runs, the others wait in the order in which they came. Each function may be
 * called by several threads. */
#ifndef HT_JOB_H
#define HT_JOB_H

#include "core/disk/file.h"

/* Maximum number of a command's words, with the NULL at its end, and of characters of all of them.
 */
enum { HT_JOB_WORDS = 256, HT_JOB_TEXT = 16384 };

/* A command that is being put together. */
typedef struct {
  char *word[HT_JOB_WORDS];
  int words;
  char text[HT_JOB_TEXT];
  size_t length;
} ht_job_command;

/* Begins the command with the running program and `name` ("segment"). HT_ERR_INTERNAL. */
ht_status ht_job_command_begin(const char *name, ht_job_command *command);

/* Adds a word, as by printf. HT_ERR_USAGE: the command is too long. */
__attribute__((format(printf, 2, 3))) ht_status ht_job_command_add(ht_job_command *command,
                                                                   const char *format, ...);

/* State of the last command. */
typedef struct {
  int number;                /* counts the commands, from 1; 0: none yet */
  int is_running, exit_code; /* 1: it has not ended; the code once it has */
  int place;                 /* number of commands before it in the queue; 0: it waits for none */
  char name[16];             /* "segment" */
  char typed[HT_JOB_TEXT];   /* the command as one types it in a shell */
  char output[HT_JOB_TEXT];  /* the end of what it printed, whole lines */
} ht_job_state;

typedef struct ht_job ht_job;
typedef struct ht_job_queue ht_job_queue;

/* Creates the queue, with a folder of its own for the output of the commands. If this program is
 * ended by force, the running commands are asked to end. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_job_queue_open(ht_job_queue **queue);

/* Returns the queue's folder, for files that go with it: at most two levels. */
const char *ht_job_queue_folder(const ht_job_queue *queue);

/* Takes note of commands that have ended, and starts the next one. To be called at short intervals.
 */
void ht_job_queue_step(ht_job_queue *queue);

/* Asks the running commands to end, and removes those that wait. */
void ht_job_queue_stop(ht_job_queue *queue);

/* Stops, waits for the running commands, and frees the queue with its jobs. */
void ht_job_queue_close(ht_job_queue *queue);

/* Creates a job, which the queue owns. HT_ERR_MEMORY. */
ht_status ht_job_open(ht_job_queue *queue, ht_job **job);

/* Starts a command, or puts it into the queue. HT_ERR_USAGE: another one of this job is running or
 * waits. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_job_start(ht_job *job, const char *name, const ht_job_command *command);

/* Asks the running command to end; it saves what it can. One that waits is removed: it has the exit
 * code of a stopped one, 143. */
void ht_job_stop(ht_job *job);

/* Finds the present state. ht_job_is_busy(): 1 while a command runs or waits. */
void ht_job_look(ht_job *job, ht_job_state *state);
int ht_job_is_busy(ht_job *job);

/* Returns the number of commands before it in the queue; 0: it waits for none. */
int ht_job_place(ht_job *job);

#endif
