/* A call by 3D Slicer, whose arguments slicer_page.h describes. */
#ifndef HT_COMMAND_SLICER_H
#define HT_COMMAND_SLICER_H

/* Returns 1 where the arguments after the program's name are those of the module: `--xml` alone, or
 * options of the module in the place of a command. */
int ht_slicer_is_call(int argc, char **argv);

/* Prints the description (`--xml`), or runs `hemotile run` with the module's arguments, its
 * progress as tags on standard output, and copies what Slicer loads. `argv[0]` is the first
 * argument. Returns the exit code (status.h). */
int ht_command_slicer(int argc, char **argv);

#endif
