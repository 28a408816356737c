/* Errors: one enum in families, and one message a person can act on.
 *
 * The contract, stated once for the whole project:
 *   - every function that can fail returns ht_status; HT_OK is 0;
 *   - on a failure a message has been written with ht_fail(): the value, the allowed range, the
 * remedy; it is per thread and stays until the next ht_fail() on that thread;
 *   - on a failure output arguments are left zeroed (safe to pass to their free function), inputs
 * are untouched, and no partial output file exists;
 *   - every free function takes NULL and half-built objects;
 *   - libraries never print and never exit. assert() is for our own bugs.
 *
 * The value is also the exit code of the program `hemotile` (table in docs/troubleshooting.md).
 */
#ifndef HT_STATUS_H
#define HT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HT_OK = 0,
  /* usage: the command line and the case file */
  HT_ERR_USAGE = 2, /* the command line */
  HT_ERR_CASE = 3,  /* the case file: unknown key, wrong type, value out of range */
  HT_ERR_TIME = 4,  /* the flow would take longer than was allowed (`within`): it is not begun */
  /* input: the files to read */
  HT_ERR_NOT_FOUND = 10, /* no such file or folder, or it cannot be read */
  HT_ERR_FORMAT = 11,    /* a format that is not read, truncated or damaged */
  HT_ERR_SERIES = 12,    /* DICOM: several series, or not one regular series */
  HT_ERR_VESSEL = 13,    /* no vessel found, the mask is empty, or which of several? */
  HT_ERR_OPENINGS = 14,  /* no opening, no inlet or outlet, or they are not connected */
  /* environment: the machine */
  HT_ERR_MEMORY = 20,  /* not enough memory */
  HT_ERR_WRITE = 21,   /* a file could not be written: disk full, permissions */
  HT_ERR_DEVICE = 22,  /* the requested device is not there, or it failed */
  HT_ERR_NETWORK = 23, /* an archive cannot be reached, refuses or fails */
  /* numerics */
  HT_ERR_UNSTABLE = 30,   /* settings refused beforehand: they cannot be run stably */
  HT_ERR_DIVERGED = 31,   /* the flow became unstable while running */
  HT_ERR_NOT_STEADY = 32, /* the step limit came before the steady state, or the last beat before a
                             periodic flow */
  HT_ERR_VALIDATION = 33, /* a validation flow missed its bar, or a repeated run its record */
  /* a batch */
  HT_ERR_BATCH = 40, /* some of its cases are not done */
  /* ours */
  HT_ERR_INTERNAL = 70,     /* a bug in hemotile */
  HT_ERR_INTERRUPTED = 130, /* Ctrl-C or a termination signal */
} ht_status;

/* Returns a short name of the code, for logs: "input: damaged file". Never NULL. */
const char *ht_status_name(ht_status code);

/* Returns the message of the last failure on this thread; "" where there was none. Owned by the
 * library. */
const char *ht_error_message(void);

/* Writes the message (printf style) and returns `code`, so that a failure is one line:
 *   return ht_fail(HT_ERR_FORMAT, "%s: truncated: ...", path); */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
ht_status
ht_fail(ht_status code, const char *format, ...);

/* Puts context before the last message: ht_fail_in(code, "case.yaml") gives "case.yaml: <message>".
 */
ht_status ht_fail_in(ht_status code, const char *context);

/* Checks the `reason` that a library gives for its failure: returns HT_ERR_MEMORY, for `what` (a
 * file), where it tells of a lack of memory, else HT_OK, and the caller writes its own message.
 * Otherwise a lack of memory would pass for a damaged file or a full disk. */
ht_status ht_check_reason(const char *what, const char *reason);

/* The values that a setting may have, both ends included. */
typedef struct {
  double least, most;
  int above_least; /* 1: least itself is not allowed */
} ht_range;

/* Makes the address of such a range, both ends allowed, for a table. */
#define HT_RANGE(from, to) (&(const ht_range){.least = (from), .most = (to)})

/* Returns 1 where the value lies in the range; 0 for NaN. */
int ht_range_holds(const ht_range *range, double value);

/* Returns HT_ERR_CASE, with the name of the setting and its range, where the value lies outside. */
ht_status ht_check_range(const char *name, double value, const ht_range *range);

/* Forwards a failure: where `call` fails, the calling function RETURNS its code; the message is
 * written already. This macro and the next are the only ones that leave the calling function. */
#define HT_TRY(call)                                                                               \
  do {                                                                                             \
    ht_status ht_try_status_ = (call);                                                             \
    if (ht_try_status_ != HT_OK) return ht_try_status_;                                            \
  } while (0)

/* Forwards a failure in a function with a variable `status` and one `done:` label for its cleanup:
 * JUMPS to the label. */
#define HT_TRY_DONE(call)                                                                          \
  do {                                                                                             \
    status = (call);                                                                               \
    if (status != HT_OK) goto done;                                                                \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
