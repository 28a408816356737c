/* A validation flow and its result: rows of a table with their bars, and curves to plot. */
#ifndef HT_VALIDATION_TYPES_H
#define HT_VALIDATION_TYPES_H

#include "core/work/progress.h"
#include "solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HT_VALIDATION_TEXT = 96,
  HT_VALIDATION_ROWS = 128,
  HT_VALIDATION_FIGURES = 8,
  HT_VALIDATION_CURVES = 12
};

/* ---- the result of a flow ---- */

/* A row of the table. */
typedef struct {
  char quantity[HT_VALIDATION_TEXT];
  double measured;  /* NAN: the error alone */
  double low, high; /* reference: a value (low == high) or a band; NAN: none */
  double error;     /* relative, or as the quantity says; 0 inside a band */
  double bar;       /* the largest error that passes; NAN: for information */
} ht_validation_row;

typedef struct {
  char label[HT_VALIDATION_TEXT];
  int joined; /* 1: a line, computed; 0: dots, the reference */
  int count;
  double *x, *y; /* [count] owned by the result */
} ht_validation_curve;

typedef struct {
  char name[32]; /* part of the file's name: "u" */
  char title[HT_VALIDATION_TEXT], x[HT_VALIDATION_TEXT], y[HT_VALIDATION_TEXT];
  int curves;
  ht_validation_curve curve[HT_VALIDATION_CURVES];
} ht_validation_figure;

typedef struct {
  char device[128];               /* of the last run */
  char notes[HT_VALIDATION_TEXT]; /* what was run: sizes, precision */
  int rows, figures;
  ht_validation_row row[HT_VALIDATION_ROWS];
  ht_validation_figure figure[HT_VALIDATION_FIGURES];
} ht_validation_result;

void ht_validation_free(ht_validation_result *result);

/* Tells whether the row has a bar and its error is above it or not a number. */
int ht_validation_missed(const ht_validation_row *row);
int ht_validation_misses(const ht_validation_result *result);

/* ---- the flows ---- */

typedef struct ht_validation_keep ht_validation_keep; /* validation_keep.h */

typedef struct {
  int full;           /* 1: the size for a GPU; 0: minutes on two cores */
  int nodes_across;   /* in place of the flow's own resolution; 0: the flow's own. Of several
                         resolutions it is the finest */
  double reynolds;    /* of the flows that can have another one: fda-turbulent; 0: the flow's own */
  int levels;         /* spacings of the lattice, of the flows that can have several: fda-turbulent;
                         0, 1: one */
  double inlet_noise; /* of fda-turbulent: ht_solver_options.inlet_noise */
  double velocity_lu; /* of fda-turbulent: ht_solver_options.max_velocity_lu; 0: the flow's own */
  int collision;      /* 1 + ht_collision, of the flows that can have another one; 0: their own */
  const char *folder; /* for flows that make files of their own */
  ht_device device;
  int threads;                 /* CPU; 0: all */
  const ht_progress *progress; /* may be NULL */
  ht_validation_keep *keep;    /* what has been computed so far; NULL: nothing is kept */
} ht_validation_options;

typedef struct {
  const char *name;         /* "plane-cavity" */
  const char *summary;      /* one line */
  const char *reference;    /* theory, table or measurement to compare with */
  const char *quick, *full; /* approximate time: "2 min", on two CPU cores and on a GPU */
  /* Errors are those of the solver; a missed bar is not an error: see the rows. The caller frees
   * the result, also after a failure. */
  ht_status (*run)(const ht_validation_options *options, ht_validation_result *result);
  int takes_collision; /* 1: options->collision counts */
} ht_validation_flow;

#ifdef __cplusplus
}
#endif
#endif
