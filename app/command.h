/* The subcommands of `hemotile`. */
#ifndef HT_COMMAND_H
#define HT_COMMAND_H

#include "status.h"

/* Each gets the arguments from its own name on, and returns the exit code (status.h). */
int ht_command_run(int argc, char **argv);
int ht_command_import(int argc, char **argv);
int ht_command_segment(int argc, char **argv);
int ht_command_tile(int argc, char **argv);
int ht_command_solve(int argc, char **argv);
int ht_command_export(int argc, char **argv);
int ht_command_batch(int argc, char **argv);
int ht_command_report(int argc, char **argv);
int ht_command_info(int argc, char **argv);
int ht_command_phantom(int argc, char **argv);
int ht_command_converge(int argc, char **argv);
int ht_command_compare(int argc, char **argv);
int ht_command_bench(int argc, char **argv);
int ht_command_validate(int argc, char **argv);

#endif
