#define _GNU_SOURCE
#include "run/process/interrupt.h"
#include "core/disk/file.h"
#include "core/work/jobs.h"
#include "run/process/log_lock.h"
#include "core/text/shell_word.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Times that the work may take to end: until it sees the request, and from then on. */
enum { GRACE_MS = 2000, SEEN_GRACE_MS = 30000, STEP_MS = 20, STUCK_MS = 500 };

static atomic_int asked, seen, done, held, patient, leads_ranks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[HT_PATH_MAX];
static void (*sweep_folder)(const char *folder, pid_t pid);
static sigset_t watched;

static void end_by_force(void) {
  static const char message[] = "\nhemotile: interrupted\n";
  pthread_mutex_lock(&lock);
  if (folder[0]) sweep_folder(folder, getpid());
  pthread_mutex_unlock(&lock);
  ht_log_end("hemotile: error: interrupted, and ended by force");
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(HT_ERR_INTERRUPTED);
  _exit(HT_ERR_INTERRUPTED);
}

/* Prints what to do; mpirun's own message comes when all have ended. */
static void tell_stuck(void) {
  static char typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)] = "DIR", text[sizeof typed + 512];
  pthread_mutex_lock(&lock);
  if (folder[0]) ht_shell_word(folder, typed, sizeof typed);
  int length = snprintf(
      text, sizeof text,
      "\nhemotile: rank 0 is asked to stop, and waits for the other ranks. Where one of them has "
      "died, mpirun's message names it, its host and its signal (9: killed, often for lack of "
      "memory). `hemotile solve %s` with as many ranks then resumes from the last checkpoint\n",
      typed);
  pthread_mutex_unlock(&lock);
  if (write(STDERR_FILENO, text, (size_t)length) < 0) atomic_store(&leads_ranks, 0);
}

static int grace_ms(void) {
  return atomic_load(&seen) ? SEEN_GRACE_MS : GRACE_MS;
}

/* Waits for the signals in a thread, so that no code runs inside a signal handler; a second Ctrl-C
 * shortens the time of grace. */
static void *watch(void *unused) {
  (void)unused;
  int number;
  if (sigwait(&watched, &number) != 0) return NULL;
  atomic_store(&asked, 1);
  struct timespec step = {0, STEP_MS * 1000000L};
  for (int waited = 0; (waited < grace_ms() || atomic_load(&held)) && !atomic_load(&done);
       waited += STEP_MS) {
    if (waited == STUCK_MS && atomic_load(&leads_ranks) && !atomic_load(&seen)) tell_stuck();
    if (sigtimedwait(&watched, NULL, &step) > 0 && !atomic_load(&patient)) break;
  }
  if (!atomic_load(&done)) end_by_force();
  return NULL;
}

static void watch_signal(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
    sigaddset(&watched, number);
}

void ht_interrupt_begin(void) {
  pthread_t thread;
  ht_jobs_stop_when(ht_interrupt_asked);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes a failed write */
  signal(SIGCHLD, SIG_DFL); /* if ignored, as some starters leave it, no child is reported */
  sigemptyset(&watched);
  watch_signal(SIGINT);
  watch_signal(SIGTERM);
  watch_signal(SIGHUP);
  pthread_sigmask(SIG_BLOCK, &watched, NULL);
  if (pthread_create(&thread, NULL, watch, NULL) != 0) {
    pthread_sigmask(SIG_UNBLOCK, &watched, NULL); /* from here on a signal just ends the program */
    return;
  }
  pthread_detach(thread);
}

int ht_interrupt_asked(void) {
  if (!atomic_load(&asked)) return 0;
  atomic_store(&seen, 1);
  return 1;
}

int64_t ht_interrupt_step(void) {
  const char *text = getenv("HEMOTILE_STOP_AT_STEP");
  return text ? strtoll(text, NULL, 10) : 0;
}

void ht_interrupt_folder(const char *path, void (*sweep)(const char *folder, pid_t pid)) {
  pthread_mutex_lock(&lock);
  sweep_folder = sweep;
  snprintf(folder, sizeof folder, "%s", path);
  pthread_mutex_unlock(&lock);
}

void ht_interrupt_hold(int is_held) {
  atomic_store(&held, is_held);
}

void ht_interrupt_patient(int leads) {
  atomic_store(&leads_ranks, leads);
  atomic_store(&patient, 1);
}

void ht_interrupt_release(void) {
  pthread_sigmask(SIG_UNBLOCK, &watched, NULL);
}

void ht_interrupt_done(void) {
  atomic_store(&done, 1);
}
