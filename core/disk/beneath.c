#define _GNU_SOURCE
#include "core/disk/beneath.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

static int refuse(int file, int reason) {
  if (file >= 0) close(file);
  errno = reason;
  return -1;
}

/* Opens one part of a name in the folder, which is closed. */
static int open_part(int folder, const char *part, int is_folder) {
  struct stat at;
  if (fstatat(folder, part, &at, AT_SYMLINK_NOFOLLOW) != 0) return refuse(folder, errno);
  if (S_ISLNK(at.st_mode)) return refuse(folder, ELOOP);
  if (is_folder ? !S_ISDIR(at.st_mode) : !S_ISREG(at.st_mode)) return refuse(folder, EINVAL);
  const int file = openat(folder, part, is_folder ? FLAGS | O_DIRECTORY : FLAGS);
  const int reason = errno;
  close(folder);
  if (file < 0) return refuse(-1, reason);
  if (fstat(file, &at) != 0 || (is_folder ? !S_ISDIR(at.st_mode) : !S_ISREG(at.st_mode)))
    return refuse(file, EINVAL); /* it was replaced meanwhile */
  return file;
}

int ht_beneath_open(const char *folder, const char *name, int is_folder) {
  char part[NAME_MAX + 1];
  int file = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  while (file >= 0 && *name) {
    const size_t length = strcspn(name, "/");
    if (length == 0 || length > NAME_MAX) return refuse(file, EINVAL);
    memcpy(part, name, length);
    part[length] = 0;
    if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0) return refuse(file, EINVAL);
    name += length + (name[length] == '/');
    file = open_part(file, part, *name ? 1 : is_folder);
  }
  return file;
}
