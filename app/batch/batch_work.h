/* Data shared by the loop of a batch, its tasks on a cluster and its second round. */
#ifndef HT_BATCH_WORK_H
#define HT_BATCH_WORK_H

#include "app/batch/batch_options.h"
#include "app/batch/cohort_table.h"
#include "app/batch/batch_state.h"
#include "run/process/child.h"
#include "core/disk/file.h"

enum { HT_BATCH_JOBS_MAX = 64, HT_BATCH_WORDS_BEFORE = 14 };

/* Progress of the running cases on the terminal. */
typedef struct {
  double read_s; /* time when their logs were last read; 0: not yet */
  char line[HT_BATCH_JOBS_MAX][96];
} ht_batch_live;

typedef struct {
  const ht_cohort *cohort;
  const ht_batch_options *options;
  ht_batch_share share;
  ht_case_record *record;
  char *alone; /* [cases] 1: runs once more, without others at the same time */
  char *told;  /* [cases] 1: the user knows that its folder is in use */
  int stopped; /* the running cases are asked to end */
  ht_child child[HT_BATCH_JOBS_MAX]; /* [share.jobs] */
  int at[HT_BATCH_JOBS_MAX];         /* case of each child */
  char state_path[HT_PATH_MAX], base[HT_PATH_MAX];
  int dry;        /* 1: the cases' runs end before the flow */
  int redraws;    /* for --dry-run: cases whose pictures are drawn at the end */
  int undrawn;    /* cases whose pictures could not be drawn */
  double begun_s; /* start on ht_clock_s */
  ht_batch_live live;
} ht_batch_work;

/* Divides the processors and devices among the cases that run at the same time. */
ht_batch_share ht_batch_share_of(const ht_cohort *cohort, const ht_batch_options *options);

/* Reads the state of the folder, and chooses what runs again. The caller closes, also after a
 * failure. */
ht_status ht_batch_open(ht_batch_work *of);
void ht_batch_close(ht_batch_work *of);

/* Sets `base`, the case file of all cases: without --base an empty one is written into the folder.
 */
ht_status ht_batch_make_base(ht_batch_work *of);

/* Makes the folders of the cases and of their logs. */
ht_status ht_batch_make_folders(const ht_batch_work *of);

/* Counts the cases by state. */
enum { HT_CASE_STATES = HT_CASE_REFUSED + 1 };
void ht_batch_count(const ht_batch_work *of, int count[HT_CASE_STATES]);

/* Prints what is to be done, and what each case may use of the machine. */
void ht_batch_tell_begin(const ht_batch_work *of);

/* Pauses between two checks of the running processes: 50 ms. */
void ht_batch_pause(void);

/* Returns the number of running processes. */
int ht_batch_running(const ht_batch_work *of);

/* Asks the running processes to end, and begins no other. */
void ht_batch_stop_all(ht_batch_work *of);

/* Finds why a case failed: the last line with "error: " that it printed. */
void ht_batch_find_reason(const char *log, int exit_code, char reason[512]);

/* Removes from a reason what may hold a patient's name, because the tables are passed on: paths and
 * names of files of the case, and what the message quotes (run/privacy/redact.h). */
void ht_batch_hide_paths(const ht_cohort_case *one, char reason[512]);

/* Returns the seconds until all cases have ended, estimated by those that have; -1: none has. */
double ht_batch_left_s(const ht_batch_work *of);

/* Command line of a case. Its words point into the struct and into the cohort. */
typedef struct {
  char folder[HT_PATH_MAX], threads[16], memory[32];
  char *word[HT_BATCH_WORDS_BEFORE + 2 * HT_CASE_SETS_MAX]; /* ends with NULL */
} ht_batch_command;

/* Makes the command. `limits`: with its share of the threads and of the memory. HT_ERR_USAGE: too
 * long a path. */
ht_status ht_batch_make_command(const ht_batch_work *of, int number, int limits,
                                ht_batch_command *to);

/* Composes the path of a case's folder, and of the text that it prints. HT_ERR_USAGE: too long. */
ht_status ht_batch_case_folder(const ht_batch_work *of, int number, char path[HT_PATH_MAX]);
ht_status ht_batch_case_log(const ht_batch_work *of, int number, char path[HT_PATH_MAX]);

/* Returns 1 while a case of a killed batch may still be ending: its folder is locked until then.
 * The user is told once. */
int ht_batch_is_busy(ht_batch_work *of, int number);

/* Returns 1 where a process ended for lack of memory; the system kills one where the machine's is
 * full. */
int ht_batch_wants_memory(int exit_code);

/* Marks a case as running, in memory. */
void ht_batch_begin_case(ht_batch_work *of, int number);

/* Prints how a case has ended. */
void ht_batch_tell_end(const ht_batch_work *of, int number);

/* Takes the end of a case into its record, prints it, and writes batch.csv. `reason` replaces that
 * in its log; NULL: does not. HT_ERR_WRITE. */
ht_status ht_batch_end_case(ht_batch_work *of, int number, int exit_code, double seconds,
                            const char *reason);

/* Writes batch.csv. HT_ERR_WRITE. */
ht_status ht_batch_write_state(const ht_batch_work *of);

/* Shows the progress, on a terminal with a line for each running case; HT_ERR_INTERRUPTED after a
 * signal. */
ht_status ht_batch_report(ht_batch_work *of);

/* Runs all cases that wait as tasks of a Slurm job array, and returns when none is left.
 * HT_ERR_INTERRUPTED after a signal: the tasks continue. HT_ERR_USAGE: sbatch refused the job. */
ht_status ht_slurm_run_all(ht_batch_work *of);

/* Returns 1 where a case runs without its pictures, because ht_same_colours() draws them: there is
 * more than one case, and its own settings do not give the ends of both colour bars. */
int ht_draws_later(const ht_batch_work *of, int number);

/* Draws the pictures of the cases that have results where there are none, or where their colour
 * bars have other ends: these are at the 98th percentile over the cases of their highest velocity,
 * and of the wall shear stress below which 99 % of their wall lies, rounded up; where a case's own
 * settings give an end, at that; with own_colours at the case's own values. A single case keeps its
 * own ends. `table`: of all cases, which it writes first where there is something to draw.
 * HT_ERR_INTERRUPTED after a signal; HT_ERR_MEMORY. A case whose pictures cannot be drawn gets a
 * warning, and counts in `undrawn`. */
ht_status ht_same_colours(ht_batch_work *of, const ht_cohort_table *table);

/* Counts the cases that ht_same_colours() draws; where some have to run first, at most this many.
 * HT_ERR_MEMORY. */
ht_status ht_count_redraws(const ht_batch_work *of, int *cases);

#endif
