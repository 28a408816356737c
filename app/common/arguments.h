/* Command line of a subcommand: its options and the typed values. */
#ifndef HT_ARGUMENTS_H
#define HT_ARGUMENTS_H

#include "run/case/case.h"
#include "run/process/command_page.h"

/* Options that a subcommand takes, in addition to --help and --quiet. */
enum {
  HT_TAKES_OUTPUT = 1 << 0,      /* -o DIR */
  HT_TAKES_READING = 1 << 1,     /* --series --phase --allow-gaps --surface-spacing ... */
  HT_TAKES_VESSEL = 1 << 2,      /* --preset --method --points --from --spacing ... */
  HT_TAKES_INFLOW = 1 << 3,      /* --flow --openings */
  HT_TAKES_SOLVER = 1 << 4,      /* --device --threads --precision --collision --fluid, and steps */
  HT_TAKES_FORCE = 1 << 5,       /* --force */
  HT_TAKES_PHANTOM = 1 << 6,     /* --format --seed --spacing --severity ... */
  HT_TAKES_STUDY = 1 << 7,       /* --study --mask */
  HT_TAKES_RATIO = 1 << 8,       /* --ratio */
  HT_TAKES_SENSITIVITY = 1 << 9, /* --sensitivity */
  HT_TAKES_UMASK = 1 << 10,      /* --follow-umask: commands that write into a case folder */
  HT_TAKES_DICOM = 1 << 12,      /* --dicom */
  HT_TAKES_BEAT = 1 << 13,       /* --beat-files */
  HT_TAKES_SET = 1 << 14,        /* --set */
  HT_TAKES_BATCH = 1 << 15,      /* --base, --jobs, --retry, --executor, ... */
  HT_TAKES_RECORD = 1 << 16,     /* --from-manifest: it may stand in place of the operand */
  HT_TAKES_RESTART = 1 << 17,    /* --restart */
  HT_TAKES_RANKS = 1 << 18,      /* --ranks, --gpus */
  HT_TAKES_SHARES = 1 << 19,     /* --parts */
  HT_TAKES_DRY = 1 << 20,        /* --dry-run */
  HT_TAKES_COLOURS = 1 << 21,    /* --speed-colours, --wss-colours */
  HT_TAKES_PICTURES = 1 << 22,   /* --no-pictures */
  HT_TAKES_LIST = 1 << 23,       /* --list */
  HT_TAKES_LOOK = 1 << 24,       /* --first-look */
  HT_TAKES_PARTS = 1 << 11,      /* no option: further operands, the files of a surface */
};

/* Help of a subcommand. */
typedef struct {
  const char *name;    /* "solve" */
  const char *operand; /* "DIR"; NULL: none */
  const char *summary; /* one line */
  const char *text;    /* what it does and writes */
  const char *example;
  unsigned takes;
} ht_usage;

enum { HT_GIVEN_MAX = 32, HT_SETS_MAX = 96 };

typedef struct {
  const ht_usage *usage;
  const char *operand; /* NULL where none was typed */
  int more;            /* further operands, where the command takes them */
  const char *more_operand[HT_GIVEN_MAX];
  const char *output; /* -o; NULL */
  int help, quiet, force, restart, study;
  int format;             /* format of a phantom's scan: 0 DICOM, 1 NIfTI; -1: not given */
  const char *mask;       /* mask of a study; NULL */
  const char *record;     /* a manifest.json to repeat; NULL */
  const char *openings;   /* a .mrk.json; NULL */
  const char *points;     /* a file; NULL */
  const char *from;       /* a place; NULL */
  const char *list;       /* folder for a list of series; NULL */
  int ranks, gpus, parts; /* 0: not given */
  int vessel;             /* number of a candidate; 0: not given */
  int to_count;
  const char *to[HT_SEGMENT_POINTS_MAX];
  int set_count;
  const char *set[HT_SETS_MAX]; /* "flow.cycles=5" */
  const char *base;             /* case file of a batch; NULL */
  int jobs, retry;              /* of a batch; jobs 0: not given; retry: ht_batch_retry */
  int dry_run;
  int own_colours; /* of a batch */
  int no_pictures;
  int first_look; /* 0: none; 1: before a flow that takes long; 2: before any; 3: in its place */
  int executor;   /* of a batch: 0: this machine; 1: Slurm */
  const char *sbatch; /* of a batch: options of sbatch; NULL */
  double ratio;       /* ratio of the spacings of three lattices; 0: not given */
  /* Values of a phantom. NAN: not given: */
  double severity, eccentricity; /* per cent */
  double flow, reynolds;         /* mL/s; 0: not given */
  int child;
  int phase_contrast, times, orientation; /* convention (HT_PC_...); -1, 0, 0: not given */
  double plane, noise, offset;            /* per cent; NAN, 0, 0: not given */
  double venc, across;                    /* m/s, voxels; 0: not given */
  int count, edge;                        /* of volumes to train with; 0: not given */
  /* Settings of the case, in the order typed. */
  int given;
  const ht_option *given_option[HT_GIVEN_MAX];
  const char *given_text[HT_GIVEN_MAX];
} ht_arguments;

/* Makes the command's page; it points into `usage`. */
ht_command_page ht_arguments_page(const ht_usage *usage);

/* Parses argv. HT_ERR_USAGE: unknown option (the message suggests the nearest one), missing value,
 * missing operand, another value of a setting that was given before (also by its key, --set). With
 * --help it prints the help and sets `help`. The texts point into argv. */
ht_status ht_arguments_parse(const ht_usage *usage, int argc, char **argv, ht_arguments *arguments);

/* Overrides the case's settings with the options, in the order typed. HT_ERR_USAGE. */
ht_status ht_arguments_apply(const ht_arguments *arguments, ht_case *settings);

/* Starts the console with the command line in its log. */
void ht_arguments_console(const ht_arguments *arguments, int argc, char **argv);

#endif
