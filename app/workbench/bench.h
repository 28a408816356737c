/* What the parts of the workbench share: the case of a call, its state, and the commands that a
 * call starts. `of` is the `user` of each answer. Each function may be called by several threads.
 */
#ifndef HT_BENCH_H
#define HT_BENCH_H

#include "app/workbench/server/http_server.h"
#include "app/workbench/server/job.h"

typedef struct ht_bench ht_bench;

/* Returns the case folder that the call is about; it lives as long as the server. */
const char *ht_bench_folder(const ht_http_call *call, const ht_bench *of);

/* Makes a command of a request's body for a case folder. */
typedef ht_status (*ht_bench_maker)(const char *text, size_t length, const char *folder,
                                    ht_job_command *command);

/* Answers a call: starts the command `name` that `make` makes of its body, and sends the state, or
 * the error. */
void ht_bench_start(ht_http_call *call, ht_bench *of, const char *name, ht_bench_maker make);

/* Answers a call with the state of its case. */
void ht_bench_send_state(ht_http_call *call, ht_bench *of);

#endif
