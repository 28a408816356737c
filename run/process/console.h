/* Progress, notes, warnings and errors, on the terminal and in the case's log file. */
#ifndef HT_CONSOLE_H
#define HT_CONSOLE_H

#include "core/disk/file.h"
#include "core/work/progress.h"

enum { HT_WARNINGS_MAX = 32, HT_WARNING_LENGTH = 512 };

/* Begins the console. quiet: only warnings and errors on stderr; the log has all. `command` is the
 * log's first line. */
void ht_console_begin(int quiet, const char *command);
int ht_console_is_quiet(void);

/* Sets whether it is quiet from now on. Returns whether it was before. */
int ht_console_set_quiet(int quiet);

/* Appends all lines to this file from now on, beginning with the earlier ones. Locks the file:
 * HT_ERR_USAGE where another hemotile works in the folder, or where the file is a link;
 * HT_ERR_WRITE, also where no lock is available (log_lock.h). */
ht_status ht_console_log(const char *path);
void ht_console_end(void);

/* Begins another run of the same command: closes the log, leaves the warnings of the run before,
 * and drops the hint. */
void ht_console_next(void);

/* Warnings of a run, or of a command without one. */
typedef struct {
  int count;
  char text[HT_WARNINGS_MAX][HT_WARNING_LENGTH];
} ht_warnings;

/* Adds the warnings from now on to those in `all`, the run's own, and before them those that were
 * given while there was no run; prints nothing. NULL: the run has ended. Borrowed until then. */
void ht_console_warnings_to(ht_warnings *all);

/* Drops the warnings from number `from` on, up to but without `to`: marks that
 * ht_console_warnings() gave. Prints nothing. */
void ht_console_drop_warnings(int from, int to);

/* Holds warnings back. Those that are dropped meanwhile (ht_console_drop_warnings) are never
 * shown: for a stage that may repeat its work on another lattice. */
void ht_console_hold_warnings(void);
void ht_console_show_warnings(void); /* prints those held back */

/* Prints one line, printf style. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void ht_console_note(const char *format, ...);

/* Prints a line that begins with "warning:", kept for summary.json. The same warning appears only
 * once. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void ht_console_warn(const char *format, ...);
int ht_console_warnings(void);
const char *ht_console_warning(int number);

/* Keeps advice for a failure that may follow; ht_console_error prints it as a second line. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void ht_console_hint(const char *format, ...);

/* Prints "hemotile: error: MESSAGE" of the last failure, and the hint. */
void ht_console_error(void);

/* Returns the progress of the stages: a bar on a terminal, else a line every 10 s. Asks a stage to
 * stop after a signal. Borrowed. */
const ht_progress *ht_console_progress(void);

/* Writes the progress to this stream, too, from now on, as the tags of 3D Slicer's execution model
 * (filter-start, filter-progress, filter-stage-progress, filter-end); other output stays on
 * standard output. NULL: the module ends, and no tag is written any more. Borrowed. */
void ht_console_tags(FILE *stream);

/* Returns the rows of the terminal that shows the progress; 0: there is none, or it is quiet. */
int ht_console_rows(void);

/* Shows lines below the progress on a terminal, from its next update to the stage's end. */
void ht_console_below(const char *lines);

/* Begins a step of the pipeline, for the progress line: "segment" (3rd of 6). */
void ht_console_stage(const char *name, int number, int of);

/* Ends the progress line of the stage. */
void ht_console_stage_end(void);

#endif
