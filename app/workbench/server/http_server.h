/* A web server for this machine alone: it listens on 127.0.0.1, and answers only a browser that has
 * opened the link with the secret key. The requests are parsed by CivetWeb. */
#ifndef HT_HTTP_SERVER_H
#define HT_HTTP_SERVER_H

#include "core/status.h"
#include <stddef.h>
#include <stdint.h>

/* Characters of the key (32 random bytes in hex) and of the link, with the 0 at their ends. */
enum { HT_HTTP_KEY_TEXT = 65, HT_HTTP_LINK_TEXT = 160 };

/* Maximum size of a request's body, bytes. */
enum { HT_HTTP_BODY_MOST = 65536 };

/* One request that passed the checks, during its answer. */
typedef struct ht_http_call ht_http_call;

/* An address that the server answers. Everything else is "404 Not Found": no text of the browser
 * becomes the path of a file. */
typedef struct {
  const char *method; /* "GET" or "POST" */
  const char *path;   /* "/api/state" */
  void (*answer)(ht_http_call *call, void *user);
} ht_http_route;

typedef struct ht_http_server ht_http_server;

/* Starts the server. `port` 0: one that is free. `tables` (borrowed) ends with NULL, each table of
 * it with a NULL method; `user` goes to each answer, which several threads call at a time. `admit`
 * is called before it, with the table of the address; it returns 1, or answers itself and returns
 * 0. HT_ERR_NETWORK: the port is taken; HT_ERR_INTERNAL: the system gives no random numbers;
 * HT_ERR_MEMORY. */
ht_status ht_http_start(int port, const ht_http_route *const *tables,
                        int (*admit)(ht_http_call *call, void *user, const ht_http_route *table),
                        void *user, ht_http_server **server);

/* Ends connections of other users of this machine, which could keep all threads busy. To be called
 * at short intervals. */
void ht_http_look(ht_http_server *server);

/* Ends it, after its present answers. */
void ht_http_stop(ht_http_server *server);

/* Writes the link that opens the page, with the number of a case (-1: none). The name in it is
 * random, as browsers send the cookies of 127.0.0.1 to its other ports, too; browsers lead every
 * name that ends in .localhost to this machine. */
void ht_http_link(const ht_http_server *server, int number, char link[HT_HTTP_LINK_TEXT]);

/* Returns 1 once ht_http_stop() was called: a long answer then ends. */
int ht_http_stopping(const ht_http_call *call);

/* Reads the body of a POST, at most HT_HTTP_BODY_MOST bytes, with a 0 at its end. HT_ERR_FORMAT: it
 * is longer, or was cut off; HT_ERR_MEMORY: *text is NULL then, too. The caller frees. */
ht_status ht_http_body(ht_http_call *call, char **text, size_t *length);

/* Returns the length of the body of a POST, bytes; -1: not said. */
int64_t ht_http_length(const ht_http_call *call);

/* Reads the body of a POST into an open file, in parts as it comes. HT_ERR_FORMAT: its length is
 * not said, it is longer than `most` bytes, or was cut off. HT_ERR_WRITE. */
ht_status ht_http_body_to(ht_http_call *call, int descriptor, int64_t most);

/* Returns the value of a query's key as a whole number from 0 to `most`; -1: absent, or no such
 * number. */
int ht_http_number(const ht_http_call *call, const char *key, int most);

/* Sends a whole answer. `type`: "application/json". */
void ht_http_send(ht_http_call *call, int code, const char *type, const void *bytes, size_t size);

/* Sends a file below a folder; 404 with the reason where a part of its name is a link. */
void ht_http_send_beneath(ht_http_call *call, const char *folder, const char *name,
                          const char *type);

/* Sends {"error": {"code": ..., "message": ...}} with the present error's message. */
void ht_http_send_error(ht_http_call *call, ht_status status);

/* Begins a stream of events (server-sent events), and sends one: a line of JSON; NULL: an empty
 * one. Returns 0 once the browser is gone. */
void ht_http_begin_events(ht_http_call *call);
int ht_http_event(ht_http_call *call, const char *json);

#endif
