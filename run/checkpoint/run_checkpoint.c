#define _POSIX_C_SOURCE 200809L /* unlink */
#include "run/checkpoint/run_checkpoint.h"
#include "core/machine/clock.h"
#include "run/process/console.h"
#include "run/process/interrupt.h"
#include "core/version.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- whose state it is ---- */

static void hash_domain(const ht_domain *domain, const ht_case *settings, const ht_flow_stats *plan,
                        ht_hash *hash) {
  const ht_grid *grid = &domain->mask.grid;
  size_t voxels = (size_t)ht_grid_voxels(grid);
  const double numbers[] = {plan->dx_m,     plan->dt_s,          plan->tau,
                            plan->reynolds, settings->fields_at, settings->beat_files};
  ht_hash_add(hash, numbers, sizeof numbers);
  ht_hash_add(hash, grid->dim, sizeof grid->dim);
  ht_hash_add(hash, domain->mask.inside, voxels * sizeof *domain->mask.inside);
  if (domain->wall_distance) ht_hash_add(hash, domain->wall_distance, voxels * sizeof(float));
  for (int p = 0; p < domain->ports; p++) {
    const ht_port *port = &domain->port[p];
    const ht_opening *opening = &port->opening;
    const double values[] = {opening->role,          opening->pressure_pa,
                             opening->windkessel[0], opening->windkessel[1],
                             opening->windkessel[2], opening->windkessel_start_pa};
    ht_hash_add(hash, values, sizeof values);
    ht_hash_add(hash, port->direction, sizeof port->direction);
    ht_hash_add(hash, port->node, (size_t)port->nodes * sizeof *port->node);
  }
}

static ht_status describe(const ht_run *run, const ht_flow_stats *plan, ht_checkpoint_head *head) {
  *head = (ht_checkpoint_head){.step = 0};
  snprintf(head->hemotile, sizeof head->hemotile, "%s", ht_version());
  snprintf(head->commit, sizeof head->commit, "%s", ht_commit());
  memcpy(head->mask_sha256, run->vessel.mask_sha256, sizeof head->mask_sha256);
  HT_TRY(ht_case_hash(run->given.settings, HT_HASH_FLOW, head->settings_sha256));
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  hash_domain(&run->domain, run->given.settings, plan, hash);
  ht_hash_end(hash, head->domain_sha256);
  return HT_OK;
}

/* Returns what a run of the case has that differs; NULL: it is the same case. */
static const char *other_case(const ht_checkpoint_head *a, const ht_checkpoint_head *b) {
  if (strcmp(a->mask_sha256, b->mask_sha256) != 0) return "another mask";
  if (strcmp(a->settings_sha256, b->settings_sha256) != 0) return "other settings";
  return strcmp(a->domain_sha256, b->domain_sha256) != 0 ? "other openings or walls" : NULL;
}

static int other_program(const ht_checkpoint_head *a, const ht_checkpoint_head *b) {
  return strcmp(a->hemotile, b->hemotile) != 0 || strcmp(a->commit, b->commit) != 0;
}

/* ---- the one to go on from ---- */

ht_status ht_run_checkpoint_paths(const char *folder, char path[HT_CHECKPOINTS][HT_PATH_MAX]) {
  char name[sizeof HT_FILE_CHECKPOINT + 8];
  for (int k = 0; k < HT_CHECKPOINTS; k++) {
    snprintf(name, sizeof name, HT_FILE_CHECKPOINT, k + 1);
    HT_TRY(ht_path_join(path[k], folder, name));
  }
  return HT_OK;
}

int ht_run_checkpoint_is_there(const char *folder) {
  char path[HT_CHECKPOINTS][HT_PATH_MAX];
  if (ht_run_checkpoint_paths(folder, path) != HT_OK) return 0;
  for (int k = 0; k < HT_CHECKPOINTS; k++)
    if (ht_file_exists(path[k])) return 1;
  return 0;
}

/* Checkpoints in the folder, and what became of them. */
typedef struct {
  int is_there[HT_CHECKPOINTS]; /* complete as far as known, and of this case */
  ht_checkpoint_head head[HT_CHECKPOINTS];
  int damaged;
} found;

static void pass_over(const char *path, found *in) {
  ht_console_warn("the checkpoint %s is damaged, and is not used (%s)", path, ht_error_message());
  in->damaged++;
}

static void look(const ht_run_checkpoints *of, found *in) {
  *in = (found){.damaged = 0};
  for (int k = 0; k < HT_CHECKPOINTS; k++) {
    if (!ht_file_exists(of->path[k])) continue;
    if (ht_checkpoint_peek(of->path[k], &in->head[k]) != HT_OK) {
      pass_over(of->path[k], in);
      continue;
    }
    const char *other = other_case(&of->head, &in->head[k]);
    in->is_there[k] = !other;
    if (other)
      ht_console_note("the checkpoint %s of step %lld is set aside: it is of %s; it stays until "
                      "this run writes its own",
                      of->path[k], (long long)in->head[k].step, other);
  }
}

/* Returns the latest; -1: none. */
static int latest(const found *in) {
  int best = -1;
  for (int k = 0; k < HT_CHECKPOINTS; k++)
    if (in->is_there[k] && (best < 0 || in->head[k].step > in->head[best].step)) best = k;
  return best;
}

static ht_status refuse_program(const ht_run_checkpoints *of, const ht_checkpoint_head *held,
                                const char *path) {
  return ht_fail(HT_ERR_CASE,
                 "%s: this checkpoint of step %lld was written by hemotile %s (%s), and this is %s "
                 "(%s): go on with that program, or begin from rest with `hemotile solve %s "
                 "--restart`",
                 path, (long long)held->step, held->hemotile, held->commit, of->head.hemotile,
                 of->head.commit, of->given->typed);
}

static ht_status open_latest(ht_run_checkpoints *of) {
  found in;
  look(of, &in);
  for (int k; (k = latest(&in)) >= 0;) {
    if (other_program(&of->head, &in.head[k])) return refuse_program(of, &in.head[k], of->path[k]);
    if (ht_checkpoint_open(of->path[k], &of->from) == HT_OK) {
      of->resumes = 1;
      of->next = (k + 1) % HT_CHECKPOINTS;
      return HT_OK;
    }
    pass_over(of->path[k], &in);
    in.is_there[k] = 0;
    of->next = k; /* it is replaced first */
  }
  if (in.damaged == 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT,
                 "no checkpoint in %s is whole: begin from rest with `hemotile solve %s --restart`",
                 of->given->folder, of->given->typed);
}

static void tell_resumed(const ht_run_checkpoints *of) {
  const ht_checkpoint_head *head = &of->from.head;
  ht_console_note("the flow goes on from the checkpoint of step %lld (%.4g s of flow), written %s",
                  (long long)head->step, head->time_s, head->written);
}

/* ---- writing ---- */

static void keep(void *user, int64_t step, double time_s,
                 ht_status (*save)(void *run, ht_state *stream), void *from) {
  ht_run_checkpoints *of = user;
  int64_t bytes;
  double begun_s = ht_clock_s();
  ht_checkpoint_close(&of->from); /* loaded by now; it may be replaced */
  of->head.step = step;
  of->head.time_s = time_s;
  ht_time_utc(of->head.written);
  ht_interrupt_hold(1);
  ht_status status = ht_checkpoint_write(of->path[of->next], &of->head, save, from, &bytes);
  ht_interrupt_hold(0);
  double seconds = ht_clock_s() - begun_s;
  of->seconds += seconds;
  if (status != HT_OK) {
    of->failed++;
    ht_console_warn("a checkpoint could not be written, and the run continues without it: %s",
                    ht_error_message());
    return;
  }
  of->written++;
  *of->kept_step = step;
  of->next = (of->next + 1) % HT_CHECKPOINTS;
  ht_console_note("checkpoint of step %lld: %.3g MB, written in %.2g s", (long long)step,
                  (double)bytes / 1e6, seconds);
}

/* Ends with the failure of HEMOTILE_STOP_AS, in tests, as if the device were lost. */
static ht_status end_as_asked(const ht_run_checkpoints *of, ht_status status) {
  const char *code = getenv("HEMOTILE_STOP_AS");
  if (!code || of->keeping.at_step == 0 || status != HT_ERR_INTERRUPTED) return status;
  return ht_fail((ht_status)atoi(code), "a test asked for this failure of the device");
}

/* ---- all of it ---- */

static ht_status begin(const ht_run *run, const ht_flow_stats *plan, ht_run_checkpoints *of) {
  HT_TRY(ht_run_checkpoint_paths(run->given.folder, of->path));
  HT_TRY(describe(run, plan, &of->head));
  if (run->given.restart) {
    ht_run_checkpoints_drop(run->given.folder);
    return HT_OK;
  }
  HT_TRY(open_latest(of));
  if (of->resumes) tell_resumed(of);
  return HT_OK;
}

ht_status ht_run_checkpoints_begin(
    ht_run *run, const ht_flow_stats *plan, ht_solver_options *options,
    ht_status (*move_observer)(void *observe_user, const ht_flow *flow, ht_state *stream),
    ht_run_checkpoints *of) {
  memset(of, 0, sizeof *of);
  of->given = &run->given;
  of->kept_step = &run->solved.kept_step;
  *of->kept_step = 0;
  if (run->given.settings->checkpoint_minutes <= 0) return HT_OK;
  HT_TRY(begin(run, plan, of));
  of->keeping = (ht_solve_keeping){.every_s = 60 * run->given.settings->checkpoint_minutes,
                                   .at_step = ht_interrupt_step(),
                                   .keep = keep,
                                   .move_observer = move_observer,
                                   .resume = of->resumes ? &of->from.state : NULL,
                                   .user = of};
  if (of->resumes) *of->kept_step = of->from.head.step;
  options->keeping = &of->keeping;
  return HT_OK;
}

/* Refuses a state; the solver's message says what does not fit. */
static ht_status refuse_state(const ht_run_checkpoints *of, ht_status status) {
  char message[1024];
  snprintf(message, sizeof message, "%s", ht_error_message());
  return ht_fail(status,
                 "the checkpoint of step %lld cannot be used: %s. Give the options of the run that "
                 "wrote it, or begin from rest with `hemotile solve %s --restart`",
                 (long long)of->from.head.step, message, of->given->typed);
}

ht_status ht_run_checkpoints_end(ht_run_checkpoints *of, ht_status status) {
  int is_unread = of->from.file.stream && of->from.left > 0;
  if (of->resumes && is_unread && (status == HT_ERR_FORMAT || status == HT_ERR_DEVICE))
    status = refuse_state(of, status);
  status = end_as_asked(of, status);
  ht_checkpoint_close(&of->from);
  if (of->written > 1)
    ht_console_note("%d checkpoints were written in %.3g s", of->written, of->seconds);
  return status;
}

void ht_run_checkpoints_drop(const char *folder) {
  char path[HT_CHECKPOINTS][HT_PATH_MAX];
  if (ht_run_checkpoint_paths(folder, path) != HT_OK) return;
  for (int k = 0; k < HT_CHECKPOINTS; k++) (void)unlink(path[k]);
}
