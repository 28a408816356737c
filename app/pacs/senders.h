/* The port that `hemotile pacs watch` listens on, and the senders that have connected to it: each
 * is spoken with by a process of its own, so that none waits for another. */
#ifndef HT_SENDERS_H
#define HT_SENDERS_H

#include "app/pacs/pacs_object.h"

/* Maximum number of connected senders; more wait until one has gone. The oldest that has brought
 * nothing yet makes room for a new one. */
enum { HT_SENDERS_MAX = 32 };

typedef struct {
  void *user;
  /* Takes over the file at `path`; on a failure the sender is told that the object is not stored.
   * `sender` is below HT_SENDERS_MAX; its number is reused after its end. */
  ht_status (*keep)(void *user, int sender, const ht_pacs_object *object, const char *path);
  /* Ends a sender; `open`: the senders that are left, a bit each. */
  void (*ended)(void *user, int sender, int released, unsigned open);
  void (*tell)(void *user, const char *line); /* a line for the log; no patient's name in it */
} ht_senders_user;

typedef struct ht_senders ht_senders;

/* Opens the port. Objects are first written into the folder `incoming`. All three arguments are
 * borrowed. HT_ERR_USAGE: the address; HT_ERR_NETWORK: the port is taken; HT_ERR_MEMORY. */
ht_status ht_senders_open(const ht_pacs_settings *settings, const char *incoming,
                          const ht_senders_user *user, ht_senders **senders);

/* Serves for up to `milliseconds`; returns at once after something arrived, also on the socket
 * `another` (-1: none). */
void ht_senders_serve(ht_senders *senders, int another, int milliseconds);

/* Ends all connections, and closes the port. */
void ht_senders_close(ht_senders *senders);

#endif
