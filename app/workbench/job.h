/* The work that the page starts: hemotile's own commands on the case folder, as processes of their
 * own, one at a time. So the page has no second way through the stages, and a stage that crashes
 * ends nothing else. Each function may be called by several threads. */
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
  int is_running, exit_code; /* the code once it has ended */
  char name[16];             /* "segment" */
  char typed[HT_JOB_TEXT];   /* the command as one types it in a shell */
  char output[HT_JOB_TEXT];  /* the end of what it printed, whole lines */
} ht_job_state;

typedef struct ht_job ht_job;

/* Creates the job runner, with a folder of its own for their output. HT_ERR_WRITE,
 * HT_ERR_MEMORY. */
ht_status ht_job_open(ht_job **job);

/* Asks a running command to end, waits for it, and frees all. */
void ht_job_close(ht_job *job);

/* Starts a command. HT_ERR_USAGE: another one is running. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_job_start(ht_job *job, const char *name, const ht_job_command *command);

/* Asks the running command to end; it saves what it can. */
void ht_job_stop(ht_job *job);

/* Finds the present state. */
void ht_job_look(ht_job *job, ht_job_state *state);

#endif
