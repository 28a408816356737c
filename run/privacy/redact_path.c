/* Replaces the paths of the input and of the results. */
#define _POSIX_C_SOURCE 200809L
#include "run/privacy/redact.h"
#include "run/privacy/redact_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_MAX = 64 };

typedef struct {
  char *path;
  char label[LABEL_MAX];
  int deep;
} hidden_path;

static struct {
  int count, room;
  hidden_path *path;
} hidden;

void ht_redact_no_paths(void) {
  for (int i = 0; i < hidden.count; i++) free(hidden.path[i].path);
  free(hidden.path);
  memset(&hidden, 0, sizeof hidden);
}

static int begins_with(const char *text, const char *path) {
  return strncmp(text, path, strlen(path)) == 0;
}

static int is_known(const char *path, size_t length) {
  for (int i = 0; i < hidden.count; i++) {
    const hidden_path *one = &hidden.path[i];
    size_t own = strlen(one->path);
    if (own > length || strncmp(one->path, path, own) != 0) continue;
    if (own == length || (!one->deep && path[own] == '/')) return 1;
  }
  return 0;
}

/* Orders the longest first, so that a path is replaced before the folder that it is in. */
static int by_length(const void *left, const void *right) {
  size_t a = strlen(((const hidden_path *)left)->path);
  size_t b = strlen(((const hidden_path *)right)->path);
  return (a < b) - (a > b);
}

void ht_redact_path(const char *path, const char *label, int deep) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  if (length == 0 || is_known(path, length)) return;
  if (!ht_redact_grow((void **)&hidden.path, hidden.count, &hidden.room, sizeof *hidden.path))
    return;
  hidden_path *one = &hidden.path[hidden.count];
  one->path = strndup(path, length);
  if (!one->path) return;
  one->deep = deep;
  snprintf(one->label, sizeof one->label, "%s", label);
  qsort(hidden.path, (size_t)++hidden.count, sizeof *hidden.path, by_length);
}

/* ---- Finding them ---- */

/* Returns 1 for "a", "." and "..", which occur in any message. */
static int is_short(const char *path) {
  return strlen(path) == 1 || strcmp(path, "..") == 0;
}

/* Returns 1 for "scan" and "guessed", which can be words of a message. */
static int is_word(const char *path) {
  return path[strspn(path, "abcdefghijklmnopqrstuvwxyz")] == 0;
}

static int follows(const char *text, const char *at, const char *before) {
  size_t length = strlen(before);
  return (size_t)(at - text) >= length && begins_with(at - length, before);
}

/* Returns 1 at the operand of a command: "`hemotile solve PATH". */
static int follows_command(const char *text, const char *at) {
  const char *word = at - 1;
  if (!follows(text, at, " ")) return 0;
  while (word > text && islower((unsigned char)word[-1])) word--;
  return follows(text, word, "hemotile ");
}

/* Returns 1 at the places of paths in a message: in a command, in brackets, at its beginning or
 * end. */
static int is_place_of_path(const char *text, const char *at, const char *end) {
  static const char *const before[] = {"-o ", "=", "(", "`", "'", "\"", "error: ", "warning: "};
  if (*end == '/' || begins_with(text, "hemotile ") || follows_command(text, at)) return 1;
  if (at == text && *end == ':') return 1;
  if (follows(text, at, " in ") && *end != ' ') return 1;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (follows(text, at, before[i])) return 1;
  return 0;
}

static const hidden_path *path_at(const char *text, const char *at) {
  int goes_on = at > text && (ht_redact_is_of_name(at[-1]) || at[-1] == '.' || at[-1] == '/');
  for (int i = 0; i < hidden.count; i++) {
    const hidden_path *one = &hidden.path[i];
    if (!begins_with(at, one->path) || (goes_on && one->path[0] != '/')) continue;
    const char *end = at + strlen(one->path);
    if (is_short(one->path) && *end != '/') continue;
    if (is_word(one->path) && !is_place_of_path(text, at, end)) continue;
    if (!ht_redact_is_of_name(*end) && !(*end == '.' && ht_redact_is_of_name(end[1]))) return one;
  }
  return NULL;
}

/* Returns the end of the longest path there that exists on this machine: names may hold any
 * letter. */
static size_t real_length(const char *at, size_t least) {
  char *path = strdup(at);
  size_t length = path ? strcspn(path, "\n") : 0;
  for (; length > least; length--) {
    path[length] = 0;
    if (path[length - 1] != '/' && access(path, F_OK) == 0) break;
  }
  free(path);
  return length > least ? length : least;
}

/* Returns the end of a path whose file does not exist (any more): up to the sign after which a
 * message goes on. */
static size_t deep_length(const char *at, size_t least) {
  if (at[least] != '/') return least;
  if (!at[least + 1] || strchr(" \n'\"`)", at[least + 1])) return least + 1;
  size_t length = real_length(at, least);
  if (at[length] != '/') return length;
  while (at[length] && !strchr("\n'\"`;()", at[length]) && !begins_with(at + length, ": ") &&
         !begins_with(at + length, ", "))
    length++;
  return length;
}

/* Returns 1 for a path from the root that nobody named to hide. Those of the system reveal
 * nothing. */
static int is_unknown_path(const char *text, const char *at) {
  if (*at != '/' || !ht_redact_is_of_name(at[1])) return 0;
  if (begins_with(at, "/dev/") || begins_with(at, "/proc/")) return 0;
  return at == text || strchr(" '\"(=`\002", at[-1]) != NULL;
}

int ht_redact_paths(char *text, size_t size) {
  char *copy = hidden.count > 0 ? strdup(text) : NULL;
  size_t end = 0;
  int found = 0;
  for (const char *at = copy; copy && *at;) {
    const hidden_path *one = path_at(copy, at);
    if (!one && is_unknown_path(copy, at)) {
      at += deep_length(at, 0);
      for (const char *c = "[path]"; *c && end + 1 < size; c++) text[end++] = *c;
      found = 1;
      continue;
    }
    if (!one) {
      if (end + 1 < size) text[end++] = *at;
      at++;
      continue;
    }
    size_t length = strlen(one->path);
    at += one->deep ? deep_length(at, length) : length;
    for (const char *c = one->label; *c && end + 1 < size; c++) text[end++] = *c;
    found = 1;
  }
  if (copy) text[end] = 0;
  if (!copy && hidden.count > 0) snprintf(text, size, "[no memory]"), found = 1;
  free(copy);
  return found;
}
