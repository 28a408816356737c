/* Takes the DICOM objects that come through one connection (C-STORE), with DCMTK's SCP. */
#ifndef HT_LISTEN_H
#define HT_LISTEN_H

#include "app/pacs/pacs_object.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whom to tell. */
typedef struct {
  void *user;
  /* An association with this AE title is asked for. */
  void (*asked)(void *user, const char *caller);
  /* Takes over the file at `path`, which is on the disk; on a failure the sender is told that the
   * object is not stored. */
  ht_status (*keep)(void *user, const ht_pacs_object *object, const char *path);
  /* An object was refused, before `keep` or by it; ht_error_message() says why. */
  void (*refused)(void *user);
} ht_pacs_taker;

/* How a connection ended. */
typedef struct {
  int released;      /* 1: by the sender's release, so that it has sent all that it wanted to */
  char refused[128]; /* why no association came about; "" */
} ht_pacs_end;

/* Speaks with one sender until it ends, and closes `connection` (a TCP socket). Only senders of
 * settings->watch.caller are let in, and only for our own AE title. Objects are first written into
 * the folder `incoming`. HT_ERR_NETWORK. */
ht_status ht_pacs_receive(const ht_pacs_settings *settings, int connection, const char *incoming,
                          const ht_pacs_taker *taker, ht_pacs_end *end);

#ifdef __cplusplus
}
#endif
#endif
