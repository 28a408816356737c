#define _GNU_SOURCE
#include "app/workbench/server/http_server.h"
#include "app/workbench/server/http_peers.h"
#include "core/disk/beneath.h"
#include "core/formats/json.h"
#include "core/vessel/volume.h"
#include <civetweb.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Threads that answer: each open page holds one for its events, and browsers load several files at
 * a time. */
#define THREADS "64"

enum {
  HEADERS = 2048,
  DRAIN_MOST = 1 << 20,
  STACK_BYTES = 1 << 20,
  LABEL_DIGITS = 16,
  FEW_CONNECTIONS = 32, /* half of the threads: nobody waits */
  PART = 1 << 18
};

struct ht_http_server {
  struct mg_context *context;
  const ht_http_route *const *tables;
  int (*admit)(ht_http_call *call, void *user, const ht_http_route *table);
  void *user;
  int port;
  char key[HT_HTTP_KEY_TEXT], label[HT_HTTP_KEY_TEXT];
  char host[48]; /* name of this server: "LABEL.localhost:PORT" */
  atomic_int stopping, connections;
};

struct ht_http_call {
  ht_http_server *server;
  struct mg_connection *connection;
  const struct mg_request_info *request;
  int code; /* of the answer */
};

/* ---- answers ---- */

/* What the page may load: its own files alone. NiiVue makes images of its fonts (data:, blob:) and
 * sets styles of elements. */
static const char own_page[] =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: "
    "blob:; font-src data:; connect-src 'self' data: blob:; frame-src 'self'; frame-ancestors "
    "'none'; base-uri 'none'; form-action 'none'";

/* What a page of results may do, whose scripts are within it: it has no access to the server. */
static const char results_page[] =
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:; "
    "frame-ancestors 'self'";

/* Writes the head of an answer. `more`: further lines, each with its end. */
static void send_head(ht_http_call *call, int code, const char *type, const char *policy,
                      const char *more) {
  char head[HEADERS];
  snprintf(head, HEADERS,
           "HTTP/1.1 %d %s\r\n"
           "Content-Type: %s\r\n"
           "Cache-Control: no-store\r\n"
           "X-Content-Type-Options: nosniff\r\n"
           "Referrer-Policy: no-referrer\r\n"
           "Cross-Origin-Opener-Policy: same-origin\r\n"
           "Cross-Origin-Resource-Policy: same-origin\r\n"
           "Content-Security-Policy: %s\r\n"
           "Connection: close\r\n%s\r\n",
           code, mg_get_response_code_text(NULL, code), type, policy, more);
  mg_write(call->connection, head, strlen(head));
}

void ht_http_send(ht_http_call *call, int code, const char *type, const void *bytes, size_t size) {
  char length[64];
  snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
  send_head(call, code, type, own_page, length);
  if (size > 0) mg_write(call->connection, bytes, size);
}

static void refuse(ht_http_call *call, int code, const char *text) {
  ht_http_send(call, code, "text/plain; charset=utf-8", text, strlen(text));
}

void ht_http_send_error(ht_http_call *call, ht_status status) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) {
    refuse(call, 500, ht_error_message());
    return;
  }
  ht_json json = {stream, 0, 1};
  ht_json_object(&json, NULL);
  ht_json_object(&json, "error");
  ht_json_integer(&json, "code", status);
  ht_json_string(&json, "message", ht_error_message());
  ht_json_object_end(&json);
  ht_json_object_end(&json);
  fclose(stream);
  ht_http_send(call, 400, "application/json", text, size);
  free(text);
}

void ht_http_send_beneath(ht_http_call *call, const char *folder, const char *name,
                          const char *type) {
  char part[65536], length[64];
  struct stat at;
  const int descriptor = ht_beneath_open(folder, name, 0), reason = errno;
  const int is_file = descriptor >= 0 && fstat(descriptor, &at) == 0 && S_ISREG(at.st_mode);
  FILE *file = is_file ? fdopen(descriptor, "rb") : NULL;
  if (!file) {
    if (descriptor >= 0) close(descriptor);
    refuse(call, 404,
           descriptor < 0 && reason == ELOOP
               ? "this file is a link, which the workbench does not follow: put the file "
                 "itself into the case folder"
               : "this file is not there yet");
    return;
  }
  const off_t size = at.st_size;
  snprintf(length, sizeof length, "Content-Length: %lld\r\n", (long long)size);
  send_head(call, 200, type, strncmp(type, "text/html", 9) == 0 ? results_page : own_page, length);
  size_t got;
  while ((got = fread(part, 1, sizeof part, file)) > 0)
    if (mg_write(call->connection, part, got) <= 0) break;
  fclose(file);
}

void ht_http_begin_events(ht_http_call *call) {
  send_head(call, 200, "text/event-stream", own_page, "");
}

int ht_http_event(ht_http_call *call, const char *json) {
  return json ? mg_printf(call->connection, "data: %s\n\n", json) > 0
              : mg_write(call->connection, ":\n\n", 3) > 0;
}

int ht_http_stopping(const ht_http_call *call) {
  return atomic_load(&call->server->stopping);
}

/* ---- requests ---- */

static ht_status read_body(ht_http_call *call, char *text, size_t length) {
  for (size_t at = 0; at < length;) {
    const int got = mg_read(call->connection, text + at, length - at);
    if (got <= 0) return ht_fail(HT_ERR_FORMAT, "the request was cut off");
    at += (size_t)got;
  }
  text[length] = 0;
  return HT_OK;
}

ht_status ht_http_body(ht_http_call *call, char **text, size_t *length) {
  const long long said = call->request->content_length;
  *text = NULL;
  *length = 0;
  if (said < 0 || said > HT_HTTP_BODY_MOST)
    return ht_fail(HT_ERR_FORMAT, "the request has %lld bytes; allowed are %d", said,
                   HT_HTTP_BODY_MOST);
  *text = malloc((size_t)said + 1);
  if (!*text) return ht_fail(HT_ERR_MEMORY, "no memory for a request");
  *length = (size_t)said;
  const ht_status status = read_body(call, *text, *length);
  if (status != HT_OK) free(*text), *text = NULL;
  return status;
}

int64_t ht_http_length(const ht_http_call *call) {
  return call->request->content_length;
}

static ht_status write_part(int descriptor, const char *part, size_t size) {
  while (size > 0) {
    const ssize_t wrote = write(descriptor, part, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return ht_fail(HT_ERR_WRITE, "the file cannot be kept: %s", strerror(errno));
    part += wrote;
    size -= (size_t)wrote;
  }
  return HT_OK;
}

ht_status ht_http_body_to(ht_http_call *call, int descriptor, int64_t most) {
  const int64_t said = call->request->content_length;
  if (said < 0 || said > most)
    return ht_fail(HT_ERR_FORMAT, "the file has %lld bytes; allowed are %lld", (long long)said,
                   (long long)most);
  char *part = malloc(PART);
  ht_status status = part ? HT_OK : ht_fail(HT_ERR_MEMORY, "no memory for a file");
  for (int64_t left = said; left > 0 && status == HT_OK;) {
    const int got = mg_read(call->connection, part, left < PART ? (size_t)left : PART);
    status = got <= 0 ? ht_fail(HT_ERR_FORMAT, "the file was cut off")
                      : write_part(descriptor, part, (size_t)got);
    left -= got;
  }
  free(part);
  return status;
}

int ht_http_number(const ht_http_call *call, const char *key, int most) {
  char value[16];
  const char *query = call->request->query_string;
  if (!query || mg_get_var(query, strlen(query), key, value, sizeof value) <= 0) return -1;
  if (strspn(value, "0123456789") != strlen(value) || strlen(value) > 9) return -1;
  const int number = atoi(value);
  return number <= most ? number : -1;
}

/* Compares in a time that does not tell how much of it is right. */
static int same_secret(const char *one, const char *other, size_t length) {
  unsigned char differs = strlen(other) != length;
  for (size_t i = 0; i < length && other[i]; i++) differs |= (unsigned char)(one[i] ^ other[i]);
  return !differs;
}

static int has_cookie(const ht_http_call *call) {
  char name[32], value[HT_HTTP_KEY_TEXT + 1];
  const char *cookies = mg_get_header(call->connection, "Cookie");
  snprintf(name, sizeof name, "hemotile_%d", call->server->port);
  return cookies && mg_get_cookie(cookies, name, value, sizeof value) > 0 &&
         same_secret(call->server->key, value, HT_HTTP_KEY_TEXT - 1);
}

/* Returns 1 where the request was sent to this server by its own name: a page of another site whose
 * name now leads to this machine (DNS rebinding) sends that name. */
static int has_own_host(const ht_http_call *call) {
  const char *host = mg_get_header(call->connection, "Host");
  return host && strcmp(host, call->server->host) == 0;
}

/* Returns 1 unless a page of another origin sends the request. */
static int has_own_origin(const ht_http_call *call) {
  const char *origin = mg_get_header(call->connection, "Origin");
  const char *site = mg_get_header(call->connection, "Sec-Fetch-Site");
  if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) return 0;
  if (!origin) return strcmp(call->request->request_method, "GET") == 0;
  const char *host = mg_get_header(call->connection, "Host");
  return strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0;
}

/* Takes the key of the link, and sends the browser on to the page without it: by a page of this
 * server, as a cookie of SameSite=Strict is not sent where another page's link leads on. */
static int take_key(ht_http_call *call) {
  char value[HT_HTTP_KEY_TEXT + 1], page[256], more[256], query_of_case[32] = "";
  const ht_http_server *server = call->server;
  const char *query = call->request->query_string;
  if (strcmp(call->request->local_uri, "/") != 0 || !query ||
      mg_get_var(query, strlen(query), "key", value, sizeof value) <= 0 ||
      !same_secret(server->key, value, HT_HTTP_KEY_TEXT - 1))
    return 0;
  const int number = ht_http_number(call, "case", INT_MAX);
  if (number >= 0) snprintf(query_of_case, sizeof query_of_case, "?case=%d", number);
  snprintf(page, sizeof page,
           "<!DOCTYPE html><title>hemotile workbench</title><link rel=\"icon\" href=\"data:,\">"
           "<meta http-equiv=\"refresh\" content=\"0;url=/%s\">",
           query_of_case);
  snprintf(more, sizeof more,
           "Content-Length: %zu\r\n"
           "Set-Cookie: hemotile_%d=%s; Path=/; HttpOnly; SameSite=Strict\r\n",
           strlen(page), server->port, server->key);
  send_head(call, 200, "text/html; charset=utf-8", own_page, more);
  mg_write(call->connection, page, strlen(page));
  return 1;
}

/* Reads what is left of a body: a connection that is closed before may lose the answer. */
static void drain(ht_http_call *call) {
  char part[4096];
  for (int left = DRAIN_MOST; left > 0;) {
    const int got = mg_read(call->connection, part, sizeof part);
    if (got <= 0) return;
    left -= got;
  }
}

/* Returns NULL where there is none; `is_known`: another method has one at this path. */
static const ht_http_route *find_route(const ht_http_route *const *tables, const char *method,
                                       const char *path, int *is_known,
                                       const ht_http_route **table) {
  for (; *tables; tables++) {
    for (const ht_http_route *r = *tables; r->method; r++) {
      if (strcmp(r->path, path) != 0) continue;
      *is_known = 1;
      *table = *tables;
      if (strcmp(r->method, method) == 0) return r;
    }
  }
  return NULL;
}

/* Answers the request; returns the code for CivetWeb's log. */
static int answer(ht_http_call *call) {
  ht_http_server *server = call->server;
  const char *method = call->request->request_method, *path = call->request->local_uri;
  int is_known = 0;
  if (!has_own_host(call)) {
    refuse(call, 403, "this server answers only this machine");
  } else if (take_key(call)) {
    return 200;
  } else if (!has_own_origin(call)) {
    refuse(call, 403, "this server answers only its own page");
  } else if (!has_cookie(call)) {
    refuse(call, 403, "open the link that `hemotile open` has printed");
  } else {
    const ht_http_route *table, *route;
    route = find_route(server->tables, method, path, &is_known, &table);
    if (route) {
      if (server->admit(call, server->user, table)) route->answer(call, server->user);
      return 200;
    }
    refuse(call, is_known ? 405 : 404, is_known ? "not in this way" : "nothing here");
  }
  return 403;
}

static void *answer_call(void *user) {
  ht_http_call *call = user;
  call->code = answer(call);
  drain(call);
  return NULL;
}

/* Answers in a thread with a stack of its own: CivetWeb's have 100 kB. */
static int handle(struct mg_connection *connection, void *user) {
  ht_http_call call = {user, connection, mg_get_request_info(connection), 503};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  if (pthread_create(&thread, &attributes, answer_call, &call) == 0)
    pthread_join(thread, NULL);
  else
    refuse(&call, call.code, "no thread is left to answer");
  pthread_attr_destroy(&attributes);
  return call.code;
}

/* ---- the server ---- */

static ht_status make_key(char key[HT_HTTP_KEY_TEXT]) {
  unsigned char byte[(HT_HTTP_KEY_TEXT - 1) / 2];
  if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte)
    return ht_fail(HT_ERR_INTERNAL, "the system gives no random numbers for the link's key");
  for (size_t i = 0; i < sizeof byte; i++) sprintf(key + 2 * i, "%02x", byte[i]);
  return HT_OK;
}

static int count_one(const struct mg_connection *connection, void **data) {
  ht_http_server *server = mg_get_user_data(mg_get_context(connection));
  (void)data;
  atomic_fetch_add(&server->connections, 1);
  return 0;
}

static void count_down(const struct mg_connection *connection) {
  ht_http_server *server = mg_get_user_data(mg_get_context(connection));
  atomic_fetch_sub(&server->connections, 1);
}

void ht_http_look(ht_http_server *server) {
  if (atomic_load(&server->connections) > FEW_CONNECTIONS) ht_http_end_foreign(server->port);
}

static ht_status listen_on(int port, ht_http_server *server) {
  char address[32];
  snprintf(address, sizeof address, "127.0.0.1:%d", port);
  const char *options[] = {"listening_ports",
                           address,
                           "num_threads",
                           THREADS,
                           "request_timeout_ms",
                           "5000",
                           "enable_keep_alive",
                           "no",
                           "max_request_size",
                           "16384",
                           "access_control_allow_origin",
                           "",
                           NULL};
  const struct mg_callbacks callbacks = {.init_connection = count_one,
                                         .connection_close = count_down};
  struct mg_server_port bound = {0};
  server->context = mg_start(&callbacks, server, options);
  if (!server->context || mg_get_server_ports(server->context, 1, &bound) < 1)
    return ht_fail(HT_ERR_NETWORK,
                   "port %d of this machine cannot be opened; give another with "
                   "--port, or none, so that a free one is taken",
                   port);
  server->port = bound.port;
  snprintf(server->host, sizeof server->host, "%.*s.localhost:%d", LABEL_DIGITS, server->label,
           server->port);
  mg_set_request_handler(server->context, "**", handle, server);
  return HT_OK;
}

ht_status ht_http_start(int port, const ht_http_route *const *tables,
                        int (*admit)(ht_http_call *call, void *user, const ht_http_route *table),
                        void *user, ht_http_server **server) {
  *server = NULL;
  HT_TRY(ht_alloc((void **)server, 1, sizeof **server, "the server"));
  (*server)->tables = tables;
  (*server)->admit = admit;
  (*server)->user = user;
  mg_init_library(0);
  ht_status status = make_key((*server)->key);
  if (status == HT_OK) status = make_key((*server)->label);
  if (status == HT_OK) status = listen_on(port, *server);
  if (status == HT_OK) return HT_OK;
  ht_http_stop(*server);
  *server = NULL;
  return status;
}

void ht_http_stop(ht_http_server *server) {
  if (!server) return;
  atomic_store(&server->stopping, 1);
  if (server->context) mg_stop(server->context);
  mg_exit_library();
  free(server);
}

void ht_http_link(const ht_http_server *server, int number, char link[HT_HTTP_LINK_TEXT]) {
  char query[32] = "";
  if (number >= 0) snprintf(query, sizeof query, "case=%d&", number);
  snprintf(link, HT_HTTP_LINK_TEXT, "http://%s/?%skey=%s", server->host, query, server->key);
}
