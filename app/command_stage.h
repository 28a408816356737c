/* What the subcommands run, import, segment, tile, solve and export have in common. */
#ifndef HT_COMMAND_STAGE_H
#define HT_COMMAND_STAGE_H

#include "arguments.h"
#include "command.h"
#include "run.h"

/* From a scan or case file: the stages import to `last`. */
int ht_command_from_input(const ht_usage *usage, int argc, char **argv, ht_stage last);

/* A case file, a case folder or a scan; the caller frees with free(). */
ht_status ht_command_settings(const char *input, ht_case **settings);

/* On a case folder: one stage. */
int ht_command_on_folder(const ht_usage *usage, int argc, char **argv, ht_stage stage);

#endif
