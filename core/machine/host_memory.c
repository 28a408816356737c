#define _POSIX_C_SOURCE 200809L
#include "core/machine/host_memory.h"
#include "core/disk/file.h"
#include "core/text/words.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double limit_bytes; /* of the whole program; 0: none */

typedef struct {
  double bytes; /* infinity: not known */
  const char *where;
} room;

/* Returns the number after `key` at the beginning of a line ("" for the first line's own); infinity
 * where there is none, as for "max". */
static double read_number(const char *path, const char *key) {
  char line[256];
  double value = INFINITY;
  size_t length = strlen(key);
  FILE *file = fopen(path, "r");
  if (!file) return value;
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, key, length) != 0) continue;
    char *begin = line + length + strspn(line + length, ": \t"), *end;
    double number = strtod(begin, &end);
    if (end != begin) value = number;
    break;
  }
  fclose(file);
  return value;
}

static double read_group(const char *folder, const char *name, const char *key) {
  char path[HT_PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= HT_PATH_MAX) return INFINITY;
  return read_number(path, key);
}

static void lower(room *least, double bytes, const char *where) {
  if (!(bytes < least->bytes)) return;
  least->bytes = fmax(0, bytes);
  least->where = where;
}

static const char in_group[] = "left to this container (control group)";

typedef double (*group_bytes)(const char *folder, int version);

static double group_total(const char *folder, int version) {
  return read_group(folder, version == 2 ? "memory.max" : "memory.limit_in_bytes", "");
}

/* Returns the bytes of cached files. They count as used, and are dropped when room is needed,
 * except those that a program has mapped, itself among them. */
static double group_cached(const char *folder, int version) {
  static const char *const keys[2][3] = {
      {"total_inactive_file ", "total_active_file ", "total_mapped_file "},
      {"inactive_file ", "active_file ", "file_mapped "}};
  double bytes = 0;
  for (int i = 0; i < 3; i++) {
    double part = read_group(folder, "memory.stat", keys[version == 2][i]);
    if (isfinite(part)) bytes += i < 2 ? part : -part;
  }
  return fmax(0, bytes);
}

/* Returns the bytes that a control group leaves. */
static double group_room(const char *folder, int version) {
  int two = version == 2;
  double most = group_total(folder, version);
  double used = read_group(folder, two ? "memory.current" : "memory.usage_in_bytes", "");
  if (!isfinite(most) || !isfinite(used)) return INFINITY;
  return most - used + group_cached(folder, version);
}

/* Lowers the room to that of the group and of those around it, up to the root of the mount. A
 * container may see its own group there under a path that does not exist there: such groups are
 * passed over. */
static void lower_to_groups(const char *mount, const char *group, int version, group_bytes bytes,
                            room *least) {
  char folder[HT_PATH_MAX];
  size_t root = strlen(mount);
  if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= HT_PATH_MAX) return;
  for (;;) {
    lower(least, bytes(folder, version), in_group);
    char *slash = strrchr(folder, '/');
    if (strlen(folder) <= root || !slash) return;
    *(slash < folder + root ? folder + root : slash) = 0;
  }
}

/* Reads the lines "4:memory:/PATH" (version 1) and "0::/PATH" (version 2). */
static void lower_to_container(const char *root, group_bytes bytes, room *least) {
  char path[HT_PATH_MAX], mount[HT_PATH_MAX], line[HT_PATH_MAX];
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "r");
  if (!file) return;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    int version = kind[1] == 0 ? 2 : strstr(kind, "memory") ? 1 : 0;
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, version == 1 ? "/memory" : "");
    if (version) lower_to_groups(mount, group, version, bytes, least);
  }
  fclose(file);
}

static double resident_bytes(const char *root) {
  char path[HT_PATH_MAX];
  snprintf(path, sizeof path, "%s/proc/self/status", root);
  double kilobytes = read_number(path, "VmRSS");
  return isfinite(kilobytes) ? 1024 * kilobytes : 0;
}

static double machine_bytes(const char *root, const char *key) {
  char path[HT_PATH_MAX];
  snprintf(path, sizeof path, "%s/proc/meminfo", root);
  return 1024 * read_number(path, key);
}

static room measure(const char *root) {
  room least = {INFINITY, ""};
  lower(&least, machine_bytes(root, "MemAvailable"), "free on this machine");
  lower_to_container(root, group_room, &least);
  if (limit_bytes > 0)
    lower(&least, limit_bytes - resident_bytes(root),
          "left of --max-memory (max_memory_gb: give more)");
  return least;
}

void ht_host_memory_give_back(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

void ht_host_memory_limit(double bytes) {
  limit_bytes = bytes;
}

double ht_host_memory_free_at(const char *root) {
  room least = measure(root);
  return isfinite(least.bytes) ? fmax(1, least.bytes) : 0;
}

double ht_host_memory_used(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return resident_bytes("");
}

double ht_host_memory_free(void) {
  return ht_host_memory_free_at("");
}

double ht_host_memory_total_at(const char *root) {
  room least = {INFINITY, ""};
  lower(&least, machine_bytes(root, "MemTotal"), "");
  lower_to_container(root, group_total, &least);
  if (limit_bytes > 0) lower(&least, limit_bytes, "");
  return isfinite(least.bytes) ? least.bytes : 0;
}

double ht_host_memory_total(void) {
  return ht_host_memory_total_at("");
}

ht_status ht_host_memory_check(double bytes, const char *what, const char *advice) {
  /* The system ends a program at its group's limit, without a message. This leaves room for small
   * pieces, which are not checked, and for pieces that are allocated and not yet used. */
  const double spare = 16e6;
  room least = measure("");
  if (least.where == in_group) least.bytes = fmax(0, least.bytes - spare);
  if (!(bytes > least.bytes)) return HT_OK;
  return ht_fail(HT_ERR_MEMORY, "not enough memory: %s needs %s, and there are %s %s; %s", what,
                 ht_memory_words(bytes).text, ht_memory_words(least.bytes).text, least.where,
                 advice);
}
