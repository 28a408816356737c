/* Shared by the subcommands run, import, segment, tile, solve and export. */
#ifndef HT_COMMAND_STAGE_H
#define HT_COMMAND_STAGE_H

#include "arguments.h"
#include "command.h"
#include "run.h"

/* Runs the stages import to `last` on a scan, case file or case folder. Returns the exit code. */
int ht_command_from_input(const ht_usage *usage, int argc, char **argv, ht_stage last);

/* Reads the settings of a case file or case folder; a scan gets the defaults. The caller frees them
 * with free(). HT_ERR_NOT_FOUND; errors of ht_case_read. */
ht_status ht_command_settings(const char *input, ht_case **settings);

/* Runs one stage on a case folder. Returns the exit code. */
int ht_command_on_folder(const ht_usage *usage, int argc, char **argv, ht_stage stage);

#endif
