/* What the person at the terminal and the log file of the case see: progress, notes, warnings. */
#ifndef HT_CONSOLE_H
#define HT_CONSOLE_H

#include "file.h"
#include "progress.h"

enum { HT_WARNINGS_MAX = 32, HT_WARNING_LENGTH = 512 };

/* quiet: nothing but warnings and errors on stderr; the log has all. `command` heads the log. */
void ht_console_begin(int quiet, const char *command);
int ht_console_is_quiet(void);

/* From now on all goes to this file too, with what was said before; appended. Also locks it:
 * HT_ERR_USAGE where another hemotile works in the folder, or where it is a link. HT_ERR_WRITE,
 * also where no lock can be had (log_lock.h). */
ht_status ht_console_log(const char *path);
void ht_console_end(void);

/* Another run of the same command begins: the log is closed, and warnings and hint are forgotten.
 */
void ht_console_next(void);

/* The warnings so far, for a run that others come in between of. */
typedef struct {
  int count;
  char text[HT_WARNINGS_MAX][HT_WARNING_LENGTH];
} ht_warnings;
void ht_console_keep_warnings(ht_warnings *kept);
void ht_console_restore_warnings(const ht_warnings *kept); /* says nothing; instead of others */

/* One line, printf style. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void ht_console_note(const char *format, ...);

/* A line that begins with "warning:", and is kept for summary.json. The same one only once. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void ht_console_warn(const char *format, ...);
int ht_console_warnings(void);
const char *ht_console_warning(int number);

/* What to do about a failure that may come now; printed as a second line by the next. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void ht_console_hint(const char *format, ...);

/* "hemotile: error: MESSAGE" of the last failure, and the hint. */
void ht_console_error(void);

/* For the stages: shows a bar on a terminal, a line every 10 s elsewhere; asks to stop after a
 * signal. Borrowed. */
const ht_progress *ht_console_progress(void);

/* A step of the pipeline begins: "segment" (3rd of 6), for the progress line. */
void ht_console_stage(const char *name, int number, int of);

/* Ends the progress line of the stage. */
void ht_console_stage_end(void);

#endif
