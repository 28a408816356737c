#define _GNU_SOURCE
/* hemotile: finds the subcommand and runs it. One file per subcommand: command_NAME.c. */
#include "app/common/command.h"
#include "core/machine/host_memory.h"
#include "run/process/interrupt.h"
#include "app/manual/manual.h"
#include "run/process/own_stack.h"
#include "solver/ranks/rank_serve.h"
#include "core/mpi/ranks.h"
#include "solver/solver.h"
#include "app/common/start_ranks.h"
#include "core/text/suggest.h"
#include "run/process/thread_limit.h"
#include "core/disk/file.h"
#include "core/formats/dicom_dictionary.h"
#include "core/version.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "app/slicer/command_slicer.h"
#include "run/case/schema.h"
#endif
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  const char *name;
  int (*function)(int argc, char **argv); /* NULL: not in this build */
  void (*page)(ht_command_page *page);
  int computes; /* on all cores, itself or by programs that it starts */
  int ranked;   /* several ranks compute its flow */
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
    {"run", IMAGING(ht_command_run), IMAGING(ht_page_run), 1, 1},
    {"import", IMAGING(ht_command_import), IMAGING(ht_page_import), 0, 0},
    {"segment", IMAGING(ht_command_segment), IMAGING(ht_page_segment), 1, 0},
    {"edit", IMAGING(ht_command_edit), IMAGING(ht_page_edit), 1, 0},
    {"tile", IMAGING(ht_command_tile), IMAGING(ht_page_tile), 1, 0},
    {"solve", IMAGING(ht_command_solve), IMAGING(ht_page_solve), 1, 1},
    {"export", IMAGING(ht_command_export), IMAGING(ht_page_export), 1, 0},
    {"report", IMAGING(ht_command_report), IMAGING(ht_page_report), 1, 0},
    {"batch", IMAGING(ht_command_batch), IMAGING(ht_page_batch), 1, 0},
    {"open", IMAGING(ht_command_open), IMAGING(ht_page_open), 0, 0},
    {"info", IMAGING(ht_command_info), IMAGING(ht_page_info), 0, 0},
    {"phantom", IMAGING(ht_command_phantom), IMAGING(ht_page_phantom), 0, 0},
    {"converge", IMAGING(ht_command_converge), IMAGING(ht_page_converge), 1, 0},
    {"compare", IMAGING(ht_command_compare), IMAGING(ht_page_compare), 1, 0},
    {"measure", IMAGING(ht_command_measure), IMAGING(ht_page_measure), 1, 0},
    {"pacs", IMAGING(ht_command_pacs), IMAGING(ht_page_pacs_find), 0, 0},
    {"pacs", IMAGING(ht_command_pacs), IMAGING(ht_page_pacs_get), 0, 0},
    {"pacs", IMAGING(ht_command_pacs), IMAGING(ht_page_pacs_send), 0, 0},
    {"pacs", IMAGING(ht_command_pacs), IMAGING(ht_page_pacs_watch), 0, 0},
    {"bench", ht_command_bench, ht_page_bench, 1, 1},
    {"validate", ht_command_validate, ht_page_validate, 1, 0},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char program_summary[] =
    "from a patient's scan to the blood flow in the vessel and the load on its wall";

static void print_help(void) {
  printf("hemotile: %s\n\nusage: hemotile COMMAND ...\n\n", program_summary);
  for (int i = 0; i < COMMANDS; i++) {
    ht_command_page page;
    if (!commands[i].page) continue;
    commands[i].page(&page);
    printf("  %-10s %s\n", page.name, page.summary);
  }
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
  puts(ht_ranks_built() ? "MPI: yes" : "MPI: no (built without it)");
  ht_status status = ht_device_describe(HT_DEVICE_AUTO, name, reason);
  if (status != HT_OK) {
    fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
    return (int)status;
  }
  printf("device: %s\n", name);
  if (*reason) printf("no GPU: %s\n", reason);
  return 0;
}

/* Prints the manual page and the completions, for the build: `hemotile help man`, `help completion
 * bash`. Returns 1 where one of these was requested. */
static int print_manual(int argc, char **argv) {
  ht_command_page pages[COMMANDS];
  ht_manual manual = {.page = pages, .summary = program_summary, .example = EXAMPLE};
  const char *asked = argv[1], *shell = argc > 2 ? argv[2] : "";
#ifdef HEMOTILE_HAVE_IMAGING
  manual.case_file = ht_schema_help;
#endif
  for (int i = 0; i < COMMANDS; i++)
    if (commands[i].page) commands[i].page(&pages[manual.pages++]);
  if (strcmp(asked, "man") == 0)
    ht_manual_man(stdout, &manual);
  else if (strcmp(asked, "completion") == 0 && strcmp(shell, "bash") == 0)
    ht_manual_bash(stdout, &manual);
  else if (strcmp(asked, "completion") == 0 && strcmp(shell, "zsh") == 0)
    ht_manual_zsh(stdout, &manual);
  else
    return 0;
  return 1;
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
  if (print_manual(argc, argv)) return 0;
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

static int refuse_ranks(const char *name) {
  fprintf(stderr,
          "hemotile: error: `hemotile %s` is one process, and mpirun has started %d: start it "
          "alone; `hemotile run` and `hemotile solve` work with several\n",
          name, ht_ranks());
  return HT_ERR_USAGE;
}

static int run_command(int argc, char **argv) {
  for (int i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, argv[0]) != 0) continue;
    if (ht_ranks() > 1 && !commands[i].ranked) return refuse_ranks(argv[0]);
    if (commands[i].function) return commands[i].function(argc, argv);
    fprintf(stderr, "hemotile: error: '%s' is not in this build (HEMOTILE_IMAGING=OFF)\n", argv[0]);
    return HT_ERR_USAGE;
  }
  return unknown(argv[0]);
}

/* Starts the program again where OpenMP's settings, which it reads before main(), do not suit. By
 * default, OpenMP threads that wait for each other spin for milliseconds; on a machine that others
 * use too this makes the solver 5 to 10 times slower (docs/performance.md), so a command that
 * computes limits that. Threads bound to processors (OMP_PROC_BIND) would keep every other thread
 * and program of this one on a single processor. If it cannot, it continues as it is. */
static void start_again(int computes, char **argv) {
  char self[HT_PATH_MAX];
  const int spins = computes && !getenv("GOMP_SPINCOUNT") && !getenv("OMP_WAIT_POLICY");
  const int bound = ht_thread_unbind();
  if ((!spins && !bound) || ht_program_path(self) != HT_OK) return;
  if (spins && setenv("GOMP_SPINCOUNT", "500", 1) != 0) return;
  execv(self, argv);
}

static int is_computing(int argc, char **argv) {
  for (int i = 0; i < COMMANDS && argc > 1; i++)
    if (strcmp(commands[i].name, argv[1]) == 0) return commands[i].computes;
#ifdef HEMOTILE_HAVE_IMAGING
  return ht_slicer_is_call(argc - 1, argv + 1);
#else
  return 0;
#endif
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_help();
    return HT_ERR_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return help(1, argv + 1);
  if (strcmp(argv[1], "help") == 0) return help(argc - 1, argv + 1);
  if (strcmp(argv[1], "--version") == 0) return print_version();
#ifdef HEMOTILE_HAVE_IMAGING
  if (ht_slicer_is_call(argc - 1, argv + 1)) return ht_command_slicer(argc - 1, argv + 1);
#endif
  return run_command(argc - 1, argv + 1);
}

/* Returns 1 where the printed text was not written (a full disk). A closed pipe is no error: its
 * reader may have read enough. */
static int output_lost(void) {
  struct stat info;
  int failed = fflush(stdout) != 0 || ferror(stdout);
  return failed && !(fstat(STDOUT_FILENO, &info) == 0 && S_ISFIFO(info.st_mode));
}

/* Runs the command on rank 0. */
static int lead(int argc, char **argv) {
  int code = run(argc, argv);
  ht_rank_dismiss();
  return code;
}

/* Serves rank 0, as the other ranks, which only compute. A signal to one of them is passed on to
 * rank 0, which keeps a checkpoint and then dismisses them; where it does not, they end by
 * themselves (interrupt.h). */
static int serve(void) {
  ht_rank_serve(ht_interrupt_asked);
  ht_interrupt_done();
  return 0;
}

/* Opens closed streams (`>&-`): else the next opened file would get the number of one, and what is
 * printed would go into that file. */
static void fill_streams(void) {
  int descriptor;
  do descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}

static int work(int argc, char **argv) {
  fill_streams();
  ht_dictionary_find();
  ht_thread_stacks();
  ht_thread_failures();
  ht_host_memory_give_back();
  start_again(is_computing(argc, argv), argv);
  ht_interrupt_begin(); /* before the threads of MPI, which would take the signals */
  if (ht_ranks_begin() != HT_OK) {
    fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
    return HT_ERR_USAGE;
  }
  if (ht_ranks() > 1) ht_interrupt_patient(ht_rank() == 0);
  int code = ht_ranks() > 1 ? (int)ht_compare_ranks(argc, argv) : 0;
  if (code != 0 && ht_rank() == 0) fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
  if (code == 0) code = ht_rank() == 0 ? lead(argc, argv) : serve();
  ht_ranks_end();
  if (!output_lost() || code != 0) return code;
  fputs("hemotile: error: the output cannot be written: is the disk full?\n", stderr);
  return HT_ERR_WRITE;
}

int main(int argc, char **argv) {
  return ht_on_own_stack(work, argc, argv);
}
