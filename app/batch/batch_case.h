/* One case of a batch: its command, its folder, its end. */
#ifndef HT_BATCH_CASE_H
#define HT_BATCH_CASE_H

#include "app/batch/batch_work.h"

/* Command line of a case. Its words point into the struct and into the cohort. */
enum { HT_BATCH_WORDS_BEFORE = 14 };
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

/* Takes the end of a case into its record, prints it, and writes batch.csv. `reason` replaces that
 * in its log; NULL: does not. HT_ERR_WRITE. */
ht_status ht_batch_end_case(ht_batch_work *of, int number, int exit_code, double seconds,
                            const char *reason);

/* Returns 1 where a case runs without its pictures, because ht_same_colours() draws them: there is
 * more than one case, and its own settings do not give the ends of both colour bars. */
int ht_draws_later(const ht_batch_work *of, int number);

#endif
