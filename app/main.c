#define _GNU_SOURCE
/* hemotile: finds the subcommand and runs it. One file a subcommand: command_NAME.c. */
#include "command.h"
#include "interrupt.h"
#include "solver.h"
#include "suggest.h"
#include "thread_limit.h"
#include "version.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "schema.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  const char *name, *summary;
  int (*function)(int argc, char **argv); /* NULL: not in this build */
  int computes;                           /* on all cores */
} command;

#ifdef HEMOTILE_HAVE_IMAGING
#define IMAGING(function) function
#define HELP_CASE         "  hemotile help case        the keys of a case file\n"
#define EXAMPLE           "  hemotile phantom aneurysm -o sample\n  hemotile run sample/case.yaml -o result\n"
#else
#define IMAGING(function) NULL
#define HELP_CASE         ""
#define EXAMPLE           "  hemotile bench\n"
#endif

static const command commands[] = {
    {"run", "from a scan or case file to the flow and the load on the wall",
     IMAGING(ht_command_run), 1},
    {"import", "read a scan into a case folder", IMAGING(ht_command_import), 0},
    {"segment", "find the vessel and its openings", IMAGING(ht_command_segment), 1},
    {"tile", "cover the vessel with tiles", IMAGING(ht_command_tile), 1},
    {"solve", "compute the flow", IMAGING(ht_command_solve), 1},
    {"export", "write velocity images, wall data and pictures", IMAGING(ht_command_export), 1},
    {"report", "rebuild the page report.html of a finished case", IMAGING(ht_command_report), 1},
    {"batch", "run many cases unattended, into one table", IMAGING(ht_command_batch), 0},
    {"info", "list the contents of a scan or a case folder", IMAGING(ht_command_info), 0},
    {"phantom", "make a synthetic scan of a known vessel", IMAGING(ht_command_phantom), 0},
    {"converge", "measure how the results depend on the lattice", IMAGING(ht_command_converge), 1},
    {"compare", "put finished cases beside each other", IMAGING(ht_command_compare), 1},
    {"bench", "measure the speed of the solver", ht_command_bench, 1},
    {"validate", "compare known flows with theory and published figures", ht_command_validate, 1},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
  puts("hemotile: from a patient's scan to the blood flow in the vessel and the load on its wall\n"
       "\n"
       "usage: hemotile COMMAND ...\n");
  for (int i = 0; i < COMMANDS; i++)
    if (commands[i].function) printf("  %-9s %s\n", commands[i].name, commands[i].summary);
  puts("\n"
       "  hemotile COMMAND --help   options and an example\n" HELP_CASE
       "  hemotile --version        version, GPU support and devices\n"
       "\n"
       "example:\n" EXAMPLE "\n"
       "Not for clinical decisions.");
}

static int print_version(void) {
  char name[128], reason[256];
  printf("hemotile %s (%s)\n", ht_version(), ht_commit());
#ifdef HEMOTILE_HAVE_CUDA
  puts("CUDA: yes");
#else
  puts("CUDA: no (built without it)");
#endif
  ht_status status = ht_device_describe(HT_DEVICE_AUTO, name, reason);
  if (status != HT_OK) return (int)status;
  printf("device: %s\n", name);
  if (*reason) printf("no GPU: %s\n", reason);
  return 0;
}

static int help(int argc, char **argv) {
  if (argc < 2) {
    print_help();
    return 0;
  }
#ifdef HEMOTILE_HAVE_IMAGING
  if (strcmp(argv[1], "case") == 0) {
    ht_schema_help(stdout);
    return 0;
  }
#endif
  for (int i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i].name, argv[1]) == 0 && commands[i].function) {
      char *asked[] = {argv[1], "--help", NULL};
      return commands[i].function(2, asked);
    }
  fprintf(stderr,
          "hemotile: error: there is no help on '%s'; `hemotile --help` lists the commands\n",
          argv[1]);
  return HT_ERR_USAGE;
}

static int unknown(const char *typed) {
  const char *best = NULL;
  int distance = 0;
  for (int i = 0; i < COMMANDS; i++) ht_suggest(typed, commands[i].name, &best, &distance);
  fprintf(stderr, "hemotile: error: unknown command '%s'%s%s%s; `hemotile --help` lists all\n",
          typed, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
  return HT_ERR_USAGE;
}

static int run_command(int argc, char **argv) {
  for (int i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, argv[0]) != 0) continue;
    if (commands[i].function) return commands[i].function(argc, argv);
    fprintf(stderr, "hemotile: error: '%s' is not in this build (HEMOTILE_IMAGING=OFF)\n", argv[0]);
    return HT_ERR_USAGE;
  }
  return unknown(argv[0]);
}

/* By default, OpenMP threads that wait for each other spin for milliseconds. On a machine that
 * others use too this makes the solver 5 to 10 times slower (docs/performance.md). OpenMP reads the
 * limit before main(), so a command that computes sets the limit and starts the program again. If
 * it cannot, it continues without the limit. */
static void wait_politely(char **argv) {
  char self[4096];
  if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY")) return;
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0 || setenv("GOMP_SPINCOUNT", "500", 1) != 0) return;
  self[length] = 0;
  execv(self, argv);
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_help();
    return HT_ERR_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help(1, argv + 1);
  if (strcmp(argv[1], "help") == 0) return help(argc - 1, argv + 1);
  if (strcmp(argv[1], "--version") == 0) return print_version();
  return run_command(argc - 1, argv + 1);
}

/* 1: the printed text was not written (a full disk). A closed pipe is no error: its reader may have
 * read enough. */
static int output_lost(void) {
  struct stat info;
  int failed = fflush(stdout) != 0 || ferror(stdout);
  return failed && !(fstat(STDOUT_FILENO, &info) == 0 && S_ISFIFO(info.st_mode));
}

int main(int argc, char **argv) {
  ht_thread_stacks();
  for (int i = 0; i < COMMANDS && argc > 1; i++)
    if (commands[i].computes && strcmp(commands[i].name, argv[1]) == 0) wait_politely(argv);
  ht_interrupt_begin();
  int code = run(argc, argv);
  if (!output_lost() || code != 0) return code;
  fputs("hemotile: error: the output cannot be written: is the disk full?\n", stderr);
  return HT_ERR_WRITE;
}
