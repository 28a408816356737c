/* Takes the DICOM objects that come through one connection (C-STORE), with DCMTK's SCP. */
#ifndef HT_LISTEN_H
#define HT_LISTEN_H

#include "app/pacs/pacs_object.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that are told of a connection's events. */
typedef struct {
  void *user;
  /* A sender requests an association with this AE title. */
  void (*asked)(void *user, const char *caller);
  /* Takes over the file at `path`, which is on the disk; on a failure the sender is told that the
   * object is not stored. */
  ht_status (*keep)(void *user, const ht_pacs_object *object, const char *path);
  /* An object was refused, before `keep` or by it; ht_error_message() says why. */
  void (*refused)(void *user);
} ht_pacs_taker;

/* End of a connection. */
typedef struct {
  int released;      /* 1: by the sender's release, so it has sent everything */
  char refused[128]; /* reason why no association was made; "" */
} ht_pacs_end;

/* Speaks with one sender until it ends, and closes `connection` (a TCP socket). Admits only senders
 * of settings->watch.caller, and only for our own AE title. Objects are first written into the
 * folder `incoming`. HT_ERR_NETWORK. */
ht_status ht_pacs_receive(const ht_pacs_settings *settings, int connection, const char *incoming,
                          const ht_pacs_taker *taker, ht_pacs_end *end);

#ifdef __cplusplus
}
#endif
#endif
