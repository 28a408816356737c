/* What the loop of a batch, its tasks on a cluster and its second round share. */
#ifndef HT_BATCH_WORK_H
#define HT_BATCH_WORK_H

#include "batch_options.h"
#include "batch_state.h"
#include "child.h"
#include "file.h"

enum { HT_BATCH_JOBS_MAX = 64, HT_BATCH_WORDS_BEFORE = 12 };

typedef struct {
  const ht_cohort *cohort;
  const ht_batch_options *options;
  ht_batch_share share;
  ht_case_record *record;
  char *alone;                       /* [cases] 1: runs once more, without others beside it */
  char *told;                        /* [cases] 1: the user knows that its folder is in use */
  int stopped;                       /* the running cases are asked to end */
  ht_child child[HT_BATCH_JOBS_MAX]; /* [share.jobs] */
  int at[HT_BATCH_JOBS_MAX];         /* case of each */
  char state_path[HT_PATH_MAX], base[HT_PATH_MAX];
} ht_batch_work;

/* A case's command line. Its words point into the struct and into the cohort. */
typedef struct {
  char folder[HT_PATH_MAX], threads[16], memory[32];
  char *word[HT_BATCH_WORDS_BEFORE + 2 * HT_CASE_SETS_MAX]; /* ends with NULL */
} ht_batch_command;

/* `limits`: with its share of the threads and of the memory. HT_ERR_USAGE: too long a path. */
ht_status ht_batch_make_command(const ht_batch_work *of, int number, int limits,
                                ht_batch_command *to);

/* Path of a case's folder, and of the text that it prints. HT_ERR_USAGE: too long. */
ht_status ht_batch_case_folder(const ht_batch_work *of, int number, char path[HT_PATH_MAX]);
ht_status ht_batch_case_log(const ht_batch_work *of, int number, char path[HT_PATH_MAX]);

/* Marks a case as running, in memory. */
void ht_batch_begin_case(ht_batch_work *of, int number);

/* Takes the end of a case into its record, tells it, and writes batch.csv. `reason`: in place of
 * that in its log; NULL. HT_ERR_WRITE. */
ht_status ht_batch_end_case(ht_batch_work *of, int number, int exit_code, double seconds,
                            const char *reason);

ht_status ht_batch_write_state(const ht_batch_work *of);

/* Shows the progress; HT_ERR_INTERRUPTED after a signal. */
ht_status ht_batch_report(const ht_batch_work *of);

/* Runs all cases that wait as tasks of a Slurm job array, and returns when none is left.
 * HT_ERR_INTERRUPTED after a signal: the tasks go on. HT_ERR_USAGE: sbatch refused the job. */
ht_status ht_slurm_run_all(ht_batch_work *of);

/* Exports all cases that have results again, with the same ends of the colour bars: the 98th
 * percentile over the cases of their highest velocity, and of the wall shear stress that 99 % of
 * their wall are below, rounded up. HT_ERR_INTERRUPTED after a signal; HT_ERR_MEMORY. A case that
 * cannot be exported gets a warning. */
ht_status ht_same_colours(ht_batch_work *of);

#endif
