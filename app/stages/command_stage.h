/* Shared by the subcommands run, import, segment, tile, solve and export. */
#ifndef HT_COMMAND_STAGE_H
#define HT_COMMAND_STAGE_H

#include "app/common/arguments.h"
#include "app/common/command.h"
#include "run/run.h"

/* Runs the stages import to `last` on a scan, case file or case folder. Returns the exit code. */
int ht_command_from_input(const ht_usage *usage, int argc, char **argv, ht_stage last);

/* Reads the settings of a case file or case folder; a scan gets the defaults. The caller frees them
 * with free(). HT_ERR_NOT_FOUND; errors of ht_case_read. */
ht_status ht_command_settings(const char *input, ht_case **settings);

/* Ends a command that ran stages: prints the result or the error, frees the run. `run` NULL: it
 * failed before there was one. Returns the exit code. */
int ht_command_finish(ht_run *run, ht_status status);

/* Returns HT_ERR_USAGE for several files that are not the parts of one surface. */
ht_status ht_command_check_parts(const ht_arguments *arguments);

/* Runs one stage on a case folder. Returns the exit code. */
int ht_command_on_folder(const ht_usage *usage, int argc, char **argv, ht_stage stage);

#endif
