#define _GNU_SOURCE
#include "app/pacs/senders.h"
#include "core/machine/clock.h"
#include "run/process/helper.h"
#include "app/pacs/listen.h"
#include "core/vessel/volume.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REFUSALS_TOLD = 3, QUEUE = 16 };

typedef struct {
  ht_helper helper; /* without a process: the place is free */
  char caller[HT_AE_TEXT];
  int has_asked;   /* has requested an association */
  int has_brought; /* has brought an object */
  int refusals;    /* number of refused objects */
  double since_s;
} sender;

struct ht_senders {
  const ht_pacs_settings *settings;
  const char *incoming;
  const ht_senders_user *user;
  int port; /* a TCP socket that listens; -1: none */
  sender sender[HT_SENDERS_MAX];
};

/* ---- between the processes ---- */

typedef enum { ASKED, OBJECT, REFUSED, ENDED } news_kind;

/* Message from the process of a connection. */
typedef struct {
  news_kind kind;
  int released; /* for ENDED */
  ht_pacs_object object;
  char path[HT_PATH_MAX];
  char text[512]; /* the caller; a reason */
} news;

/* Message to that process about an object. */
typedef struct {
  ht_status status;
  char message[512];
} reply;

static void say(int socket, const news *what) {
  (void)send(socket, what, sizeof *what, MSG_NOSIGNAL);
}

static void say_asked(void *user, const char *caller) {
  news what = {.kind = ASKED};
  snprintf(what.text, sizeof what.text, "%s", caller);
  say(*(int *)user, &what);
}

static ht_status say_object(void *user, const ht_pacs_object *object, const char *path) {
  news what = {.kind = OBJECT, .object = *object};
  reply answer;
  snprintf(what.path, sizeof what.path, "%s", path);
  say(*(int *)user, &what);
  if (recv(*(int *)user, &answer, sizeof answer, 0) != sizeof answer)
    return ht_fail(HT_ERR_INTERRUPTED, "the watch has ended");
  return answer.status == HT_OK ? HT_OK : ht_fail(answer.status, "%s", answer.message);
}

static void say_refused(void *user) {
  news what = {.kind = REFUSED};
  snprintf(what.text, sizeof what.text, "%s", ht_error_message());
  say(*(int *)user, &what);
}

typedef struct {
  const ht_senders *senders;
  int connection;
} task;

/* Runs in a process of its own. */
static void speak(void *user, int socket) {
  const task *of = user;
  const ht_pacs_taker taker = {&socket, say_asked, say_object, say_refused};
  news what = {.kind = ENDED};
  ht_pacs_end end;
  ht_status status =
      ht_pacs_receive(of->senders->settings, of->connection, of->senders->incoming, &taker, &end);
  what.released = end.released;
  if (*end.refused)
    snprintf(what.text, sizeof what.text, "refused a sender: %s", end.refused);
  else if (status != HT_OK)
    snprintf(what.text, sizeof what.text, "%s", ht_error_message());
  say(socket, &what);
}

/* ---- what comes ---- */

__attribute__((format(printf, 2, 3))) static void tell(const ht_senders *senders,
                                                       const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  for (char *c = line; *c; c++) /* an AE title may have anything in it */
    if ((unsigned char)*c < ' ') *c = ' ';
  senders->user->tell(senders->user->user, line);
}

static unsigned open_senders(const ht_senders *senders) {
  unsigned open = 0;
  for (int n = 0; n < HT_SENDERS_MAX; n++)
    if (senders->sender[n].helper.pid > 0) open |= 1u << n;
  return open;
}

static void end_sender(ht_senders *senders, int n, int released, const char *why) {
  sender *of = &senders->sender[n];
  if (of->refusals > REFUSALS_TOLD)
    tell(senders, "refused %d objects of %s in all", of->refusals, of->caller);
  if (*why)
    tell(senders, "%s", why);
  else if (of->has_asked && !released)
    tell(senders, "the association of %s ended without a release", of->caller);
  ht_helper_end(&of->helper);
  senders->user->ended(senders->user->user, n, released, open_senders(senders));
}

static void take_object(ht_senders *senders, int n, const news *what) {
  reply answer = {.message = ""};
  answer.status = senders->user->keep(senders->user->user, n, &what->object, what->path);
  if (answer.status != HT_OK)
    snprintf(answer.message, sizeof answer.message, "%s", ht_error_message());
  (void)send(senders->sender[n].helper.socket, &answer, sizeof answer, MSG_NOSIGNAL);
}

static void take_refusal(ht_senders *senders, sender *of, const news *what) {
  if (of->refusals++ < REFUSALS_TOLD)
    tell(senders, "refused an object of %s: %s", of->caller, what->text);
}

static void hear(ht_senders *senders, int n) {
  news what;
  sender *of = &senders->sender[n];
  if (recv(of->helper.socket, &what, sizeof what, 0) != sizeof what) {
    end_sender(senders, n, 0, "");
  } else if (what.kind == ASKED) {
    of->has_asked = 1;
    snprintf(of->caller, sizeof of->caller, "%.16s", what.text);
  } else if (what.kind == OBJECT) {
    of->has_brought = 1;
    take_object(senders, n, &what);
  } else if (what.kind == REFUSED) {
    take_refusal(senders, of, &what);
  } else {
    end_sender(senders, n, what.released, what.text);
  }
}

/* ---- who comes ---- */

/* Returns a free place; -1: none. */
static int find_place(const ht_senders *senders) {
  for (int n = 0; n < HT_SENDERS_MAX; n++)
    if (senders->sender[n].helper.pid == 0) return n;
  return -1;
}

/* Returns the oldest that has brought nothing yet; -1: all have. */
static int find_oldest(const ht_senders *senders) {
  int oldest = -1;
  for (int n = 0; n < HT_SENDERS_MAX; n++) {
    const sender *one = &senders->sender[n];
    if (one->helper.pid == 0 || one->has_brought) continue;
    if (oldest < 0 || one->since_s < senders->sender[oldest].since_s) oldest = n;
  }
  return oldest;
}

static void let_in(ht_senders *senders) {
  int n = find_place(senders);
  task of = {senders, accept4(senders->port, NULL, NULL, SOCK_CLOEXEC)};
  if (of.connection < 0) return;
  if (n < 0) {
    n = find_oldest(senders);
    end_sender(senders, n, 0, "ended the oldest silent connection: there are too many at once");
  }
  sender *to = &senders->sender[n];
  *to = (sender){.since_s = ht_clock_s(), .caller = "a sender"};
  if (ht_helper_start(speak, &of, of.connection, &to->helper) != HT_OK)
    tell(senders, "refused a sender: %s", ht_error_message());
  close(of.connection);
}

void ht_senders_serve(ht_senders *senders, int another, int milliseconds) {
  struct pollfd from[HT_SENDERS_MAX + 2];
  for (int n = 0; n < HT_SENDERS_MAX; n++) /* poll() leaves out what is below 0 */
    from[n] =
        (struct pollfd){.fd = senders->sender[n].helper.pid ? senders->sender[n].helper.socket : -1,
                        .events = POLLIN};
  const int room = find_place(senders) >= 0 || find_oldest(senders) >= 0;
  from[HT_SENDERS_MAX] = (struct pollfd){.fd = room ? senders->port : -1, .events = POLLIN};
  from[HT_SENDERS_MAX + 1] = (struct pollfd){.fd = another, .events = POLLIN};
  if (poll(from, HT_SENDERS_MAX + 2, milliseconds) <= 0) return;
  for (int n = 0; n < HT_SENDERS_MAX; n++)
    if (from[n].revents) hear(senders, n);
  if (from[HT_SENDERS_MAX].revents && (find_place(senders) >= 0 || find_oldest(senders) >= 0))
    let_in(senders);
}

/* ---- begin and end ---- */

static ht_status open_port(ht_senders *senders) {
  const ht_pacs_watch *settings = &senders->settings->watch;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)settings->port)};
  int yes = 1;
  if (inet_pton(AF_INET, settings->address, &at.sin_addr) != 1)
    return ht_fail(HT_ERR_USAGE,
                   "watch.address is '%s': give the number of an address of this machine, as in "
                   "127.0.0.1 (only this machine) or 0.0.0.0 (all networks)",
                   settings->address);
  senders->port = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (senders->port >= 0 &&
      setsockopt(senders->port, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      bind(senders->port, (struct sockaddr *)&at, sizeof at) == 0 &&
      listen(senders->port, QUEUE) == 0)
    return HT_OK;
  return ht_fail(HT_ERR_NETWORK, "%s:%d: cannot listen there: %s%s", settings->address,
                 settings->port, strerror(errno),
                 errno == EADDRNOTAVAIL ? ": give an address of this machine, or 0.0.0.0 for all "
                                          "networks (watch.address)"
                 : errno == EADDRINUSE  ? ": another program listens there, give another watch.port"
                 : errno == EACCES      ? ": a port below 1024 needs root, give another watch.port"
                                        : "");
}

ht_status ht_senders_open(const ht_pacs_settings *settings, const char *incoming,
                          const ht_senders_user *user, ht_senders **senders) {
  HT_TRY(ht_alloc((void **)senders, 1, sizeof **senders, "the senders"));
  **senders = (ht_senders){settings, incoming, user, .port = -1};
  ht_status status = open_port(*senders);
  if (status == HT_OK) return HT_OK;
  ht_senders_close(*senders);
  *senders = NULL;
  return status;
}

void ht_senders_close(ht_senders *senders) {
  if (!senders) return;
  for (int n = 0; n < HT_SENDERS_MAX; n++) ht_helper_end(&senders->sender[n].helper);
  if (senders->port >= 0) close(senders->port);
  free(senders);
}
