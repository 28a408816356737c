#define _GNU_SOURCE
#include "app/batch/batch_share.h"
#include "app/batch/batch_slots.h"
#include "core/disk/folder_walk.h"
#include "core/machine/host_memory.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count_entry(void *user, const char *name) {
  (void)name;
  ++*(int *)user;
  return 0;
}

/* Finds the GPUs that CUDA_VISIBLE_DEVICES names, as a queue of a cluster sets it, else those that
 * the driver lists. */
static void find_gpus(ht_batch_share *share) {
  const char *at = getenv("CUDA_VISIBLE_DEVICES");
  if (at) {
    for (; *at && share->gpus < HT_BATCH_GPUS_MAX; at += strspn(at, ", ")) {
      const int length = (int)strcspn(at, ", ");
      if (length > 0 && length < HT_BATCH_GPU_NAME && at[0] != '-')
        snprintf(share->gpu[share->gpus++], HT_BATCH_GPU_NAME, "%.*s", length, at);
      at += length;
    }
    return;
  }
  ht_folder_walk("/proc/driver/nvidia/gpus", count_entry, &share->gpus);
  if (share->gpus > HT_BATCH_GPUS_MAX) share->gpus = HT_BATCH_GPUS_MAX;
  for (int g = 0; g < share->gpus; g++) snprintf(share->gpu[g], HT_BATCH_GPU_NAME, "%d", g);
}

/* Counts the cores that this process may use: a container or a queue may give it a part of the
 * machine. */
static int count_cores(void) {
  cpu_set_t mine;
  int cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
  if (cores < 1) cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores;
}

ht_batch_share ht_batch_share_of(const ht_cohort *cohort, const ht_batch_options *options) {
  enum { THREADS_A_CASE = 4, THREADS_BESIDE_GPU = 2, JOBS_A_GPU = 8 };
  ht_batch_share share = {.jobs = options->jobs};
  const int cores = count_cores();
  find_gpus(&share);
  if (share.jobs == 0 && share.gpus > 0) {
    share.jobs = cores / THREADS_BESIDE_GPU;
    if (share.jobs > JOBS_A_GPU * share.gpus) share.jobs = JOBS_A_GPU * share.gpus;
  } else if (share.jobs == 0) {
    share.jobs = cores / THREADS_A_CASE;
  }
  if (share.jobs > cohort->cases) share.jobs = cohort->cases;
  if (share.jobs > HT_BATCH_JOBS_MAX) share.jobs = HT_BATCH_JOBS_MAX;
  if (share.jobs < 1) share.jobs = 1;
  share.threads = cores / share.jobs > 1 ? cores / share.jobs : 1;
  if (share.jobs > 1) share.memory_gb = 0.9e-9 * ht_host_memory_free() / share.jobs;
  return share;
}
