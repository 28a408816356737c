/* Runs a part of this program in a process of its own: its waiting and its crashes do not affect
 * the program. */
#ifndef HT_HELPER_H
#define HT_HELPER_H

#include "core/status.h"
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  pid_t pid;  /* 0: none */
  int socket; /* connection to it, for whole messages (SOCK_SEQPACKET); when it ends, recv() gives 0
               */
} ht_helper;

/* Begins work(user, socket) in a copy of this process. Of the open files the copy keeps the
 * standard streams, the other end of the socket and `file` (-1: none). It ends when the work
 * returns, and with this process, however this one ends. HT_ERR_MEMORY: no process can be
 * started. */
ht_status ht_helper_start(void (*work)(void *user, int socket), void *user, int file,
                          ht_helper *helper);

/* Ends the process, where it has not ended, and closes the socket. Safe on a zeroed struct. */
void ht_helper_end(ht_helper *helper);

#ifdef __cplusplus
}
#endif
#endif
