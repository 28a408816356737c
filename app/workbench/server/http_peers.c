#define _GNU_SOURCE
#include "app/workbench/server/http_peers.h"
#include "core/disk/folder_walk.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FOREIGN_MOST = 256, ESTABLISHED = 1 };

/* Other ends: address and port, in the order of the network. */
typedef struct {
  int port; /* of the server */
  int count;
  struct {
    uint32_t address;
    uint16_t port;
  } end[FOREIGN_MOST];
} ends;

/* Reads one line of the list; an IPv4 address in IPv6 is in its last 8 digits. */
static void read_line(const char *line, ends *of) {
  char local[40], remote[40];
  unsigned local_port, remote_port, state, user;
  if (of->count == FOREIGN_MOST ||
      sscanf(line, " %*d: %32[0-9A-F]:%4x %32[0-9A-F]:%4x %2x %*x:%*x %*x:%*x %*x %u", local,
             &local_port, remote, &remote_port, &state, &user) != 6)
    return;
  const char *digits = strlen(local) > 8 ? local + strlen(local) - 8 : local;
  if (remote_port != (unsigned)of->port || state != ESTABLISHED || user == 0 || user == getuid())
    return;
  of->end[of->count].address = (uint32_t)strtoul(digits, NULL, 16);
  of->end[of->count++].port = htons((uint16_t)local_port);
}

static void read_list(const char *path, ends *of) {
  char line[512];
  FILE *list = fopen(path, "r");
  while (list && fgets(line, sizeof line, list)) read_line(line, of);
  if (list) fclose(list);
}

/* Ends the connection of a descriptor of this process, if its other end is one of these. */
static int end_one(void *user, const char *name) {
  const ends *of = user;
  struct sockaddr_in here, there;
  socklen_t here_size = sizeof here, there_size = sizeof there;
  const int file = atoi(name);
  if (getsockname(file, (struct sockaddr *)&here, &here_size) != 0 || here.sin_family != AF_INET ||
      here.sin_port != htons((uint16_t)of->port) ||
      getpeername(file, (struct sockaddr *)&there, &there_size) != 0)
    return 0;
  for (int i = 0; i < of->count; i++)
    if (there.sin_addr.s_addr == of->end[i].address && there.sin_port == of->end[i].port)
      shutdown(file, SHUT_RDWR);
  return 0;
}

void ht_http_end_foreign(int port) {
  ends of = {.port = port};
  read_list("/proc/net/tcp", &of);
  read_list("/proc/net/tcp6", &of);
  if (of.count > 0) ht_folder_walk("/proc/self/fd", end_one, &of);
}
