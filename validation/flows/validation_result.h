/* Functions by which a validation flow fills its result. A quantity is given printf style. For the
 * flows of validation/, and that of app/ that runs the whole pipeline. */
#ifndef HT_VALIDATION_RESULT_H
#define HT_VALIDATION_RESULT_H

#include "validation/flows/validation_types.h"

#if defined(__GNUC__)
#define HT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define HT_PRINTF(text, first)
#endif

/* Compares a value with a reference: error |measured / reference - 1|. bar NAN: for information. */
void ht_validation_compare(ht_validation_result *result, double measured, double reference,
                           double bar, const char *quantity, ...) HT_PRINTF(5, 6);

/* Compares a value with a published band: error is the distance outside it, relative to the nearer
 * end; `slack` is the largest that passes, 0 if the band itself is the bar, NAN: for information.
 * high may be INFINITY. */
void ht_validation_band(ht_validation_result *result, double measured, double low, double high,
                        double slack, const char *quantity, ...) HT_PRINTF(6, 7);

/* An error that is computed already, such as an RMS. */
void ht_validation_error(ht_validation_result *result, double error, double bar,
                         const char *quantity, ...) HT_PRINTF(4, 5);

/* A number without a reference. */
void ht_validation_show(ht_validation_result *result, double measured, const char *quantity, ...)
    HT_PRINTF(3, 4);

/* Nodes across: those of the options, else the flow's own for this size. HT_ERR_USAGE outside least
 * to most. */
ht_status ht_validation_nodes(const ht_validation_options *options, int quick, int full, int least,
                              int most, int *nodes);

/* The collision of the turbulent flows: the one that holds at cell Reynolds numbers of hundreds. */
ht_collision ht_validation_turbulent(void);

/* The figure of this name, a new one where there is none yet (a result that goes on has those that
 * it had); NULL where there is no room (then curves are dropped, too). Borrowed. */
ht_validation_figure *ht_validation_plot(ht_validation_result *result, const char *name,
                                         const char *title, const char *x, const char *y);

/* Copies the points. HT_ERR_MEMORY. */
ht_status ht_validation_draw(ht_validation_figure *figure, int joined, int count, const double *x,
                             const double *y, const char *label, ...) HT_PRINTF(6, 7);

/* Reports progress: `done` of `total` of the part `note` of the flow. */
ht_status ht_validation_report(const ht_validation_options *options, double done, double total,
                               const char *note, ...) HT_PRINTF(4, 5);

#endif
