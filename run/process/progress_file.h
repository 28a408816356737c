/* The progress of a command as a file of the case folder, for whoever follows it: a page, a script.
 * It is there while the command works, and appears whole with each state. */
#ifndef HT_PROGRESS_FILE_H
#define HT_PROGRESS_FILE_H

#include "core/disk/file.h"

enum { HT_PROGRESS_POINTS = 128 };

/* Zeroed: no file. */
typedef struct {
  char path[HT_PATH_MAX], hidden[HT_PATH_MAX]; /* "": none */
  double written_s;                            /* on ht_clock_s(); 0: not yet */
  double mflups, limit;                        /* the latest; 0: not known */
  double change;                               /* of the flow, relative; 0: not known */
  int points, every, seen;                     /* of the curve of `change` */
  double point[HT_PROGRESS_POINTS][2];         /* work done, change */
} ht_progress_file;

/* One state, as it is shown on a terminal. */
typedef struct {
  const char *stage;
  int number, of;         /* of the stages */
  double done, total;     /* of the stage's work; total 0: not known */
  double left_s, spent_s; /* of the stage; left_s < 0: not known */
} ht_progress_state;

/* Begins the file progress.json in the folder of the log at `log_path`, and removes one that a
 * killed command left. */
void ht_progress_file_begin(const char *log_path, ht_progress_file *file);

/* Forgets the curve: another work begins. */
void ht_progress_file_restart(ht_progress_file *file);

/* Takes a number of the work (progress.h). A full curve loses every second point and takes every
 * second (fourth, ...) from then on. */
void ht_progress_file_number(const char *name, double done, double value, ht_progress_file *file);

/* Writes the state, at most twice a second. A folder that cannot be written to is not reported: the
 * command will. */
void ht_progress_file_write(const ht_progress_state *state, ht_progress_file *file);

/* Removes the file. */
void ht_progress_file_end(ht_progress_file *file);

#endif
