#define _POSIX_C_SOURCE 200809L
#include "core/disk/file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static ht_status write_failed(const char *path, int error) {
  if (error == ENOSPC || error == EDQUOT)
    return ht_fail(HT_ERR_WRITE,
                   "%s: the disk is full: nothing was written under this name; free "
                   "some space or choose another folder with -o",
                   path);
  return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", path,
                 error ? strerror(error) : "the writer gave no reason (is the disk full?)");
}

int ht_path_ends(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

ht_status ht_path_join(char out[HT_PATH_MAX], const char *dir, const char *name) {
  const char *slash = !dir[0] || dir[strlen(dir) - 1] == '/' ? "" : "/";
  int length = snprintf(out, HT_PATH_MAX, "%s%s%s", dir, slash, name);
  if (length >= HT_PATH_MAX)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is longer than %d characters", dir,
                   HT_PATH_MAX);
  return HT_OK;
}

ht_status ht_path_beside(char out[HT_PATH_MAX], const char *file, const char *name) {
  char folder[HT_PATH_MAX];
  const int length = name[0] == '/' ? 0 : (int)(ht_path_name(file) - file);
  snprintf(folder, sizeof folder, "%.*s", length, file);
  return ht_path_join(out, folder, name);
}

int ht_file_exists(const char *path) {
  return access(path, F_OK) == 0;
}

int ht_folder_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

ht_status ht_folder_make(const char *path) {
  char part[HT_PATH_MAX];
  if (!path[0]) return ht_fail(HT_ERR_USAGE, "the name of the folder to create is empty");
  if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", path);
  for (char *end = part + 1;; end++) {
    if (*end && *end != '/') continue;
    char kept = *end;
    *end = 0;
    if (mkdir(part, 0777) != 0 && !(errno == EEXIST && ht_folder_exists(part)))
      return ht_fail(HT_ERR_WRITE, "%s: cannot create the folder: %s", part, strerror(errno));
    *end = kept;
    if (!kept) return HT_OK;
  }
}

/* Composes both names. */
static ht_status compose(const char *path, ht_output *output) {
  memset(output, 0, sizeof *output);
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strchr(name[0] == '.' ? name + 1 : name, '.');
  int stem = (int)(dot ? dot - name : (long)strlen(name));
  int folder = (int)(name - path);
  if (snprintf(output->path, sizeof output->path, "%s", path) >= (int)sizeof output->path ||
      snprintf(output->hidden, sizeof output->hidden, "%.*s.%.*s.%ld.part%s", folder, path, stem,
               name, (long)getpid(), dot ? dot : "") >= (int)sizeof output->hidden)
    return ht_fail(HT_ERR_USAGE, "the path %.60s... is too long", path);
  return HT_OK;
}

/* Creates the file, never through a link and never over an existing file: what a process of the
 * same number left, or somebody planted, is removed first. */
static int create(const char *path) {
  const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = open(path, how, 0666);
  if (descriptor < 0 && errno == EEXIST && unlink(path) == 0) descriptor = open(path, how, 0666);
  return descriptor;
}

static ht_status begin(const char *path, ht_output *output, int *descriptor) {
  HT_TRY(compose(path, output));
  *descriptor = create(output->hidden);
  if (*descriptor >= 0) return HT_OK;
  memset(output->hidden, 0, sizeof output->hidden);
  return write_failed(path, errno);
}

ht_status ht_output_name(const char *path, ht_output *output) {
  int descriptor;
  HT_TRY(begin(path, output, &descriptor));
  close(descriptor);
  return HT_OK;
}

ht_status ht_output_open(const char *path, ht_output *output) {
  int descriptor;
  HT_TRY(begin(path, output, &descriptor));
  output->stream = fdopen(descriptor, "wb");
  if (output->stream) return HT_OK;
  close(descriptor);
  ht_output_abandon(output);
  return write_failed(path, ENOMEM);
}

/* Flushes the file to the disk and gives it its name. */
static ht_status finish(ht_output *output) {
  int error = 0;
  int descriptor = -1;
  FILE *written = fopen(output->hidden, "rb");
  /* A full disk may show only when the data reach it. */
  if (!written)
    error = errno;
  else
    descriptor = fileno(written);
  if (!error && fsync(descriptor) != 0) error = errno;
  if (written) fclose(written);
  if (!error && rename(output->hidden, output->path) != 0) error = errno;
  if (!error) {
    memset(output->hidden, 0, sizeof output->hidden);
    return HT_OK;
  }
  ht_output_abandon(output);
  return write_failed(output->path, error);
}

ht_status ht_output_rename(ht_output *output) {
  struct stat info;
  if (lstat(output->hidden, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    return finish(output);
  ht_output_abandon(output);
  return write_failed(output->path, 0);
}

ht_status ht_output_commit(ht_output *output) {
  int error = 0;
  errno = 0;
  /* The reason of an earlier failure is lost by now; writing one more byte brings it back (the file
   * is thrown away). */
  if (ferror(output->stream)) {
    error = EIO;
    fputc(0, output->stream);
  }
  if (fflush(output->stream) != 0) error = errno ? errno : EIO;
  if (fclose(output->stream) != 0 && !error) error = errno ? errno : EIO;
  output->stream = NULL;
  if (!error) return finish(output);
  ht_output_abandon(output);
  return write_failed(output->path, error);
}

ht_status ht_output_failed(ht_output *output, ht_status status) {
  char message[4096];
  size_t length = strlen(output->hidden);
  int named = length && strncmp(ht_error_message(), output->hidden, length) == 0;
  snprintf(message, sizeof message, "%s", ht_error_message() + (named ? length : 0));
  ht_output_abandon(output);
  return named ? ht_fail(status, "%s%s", output->path, message) : status;
}

void ht_output_abandon(ht_output *output) {
  if (output->stream) fclose(output->stream);
  output->stream = NULL;
  if (output->hidden[0]) unlink(output->hidden);
  output->hidden[0] = 0;
}

ht_status ht_output_end(ht_output *output, ht_status status) {
  if (status == HT_OK) return ht_output_commit(output);
  ht_output_abandon(output);
  return status;
}

/* Error number for what is no file; strerror would call it "a named type file". */
enum { NO_FILE = EISNAM };

int ht_file_descriptor(const char *path) {
  struct stat info;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  int error = descriptor < 0 && errno == ENXIO ? NO_FILE : errno; /* a socket */
  if (descriptor >= 0 && fstat(descriptor, &info) == 0 &&
      (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
    return descriptor;
  if (descriptor >= 0) close(descriptor);
  errno = descriptor >= 0 ? NO_FILE : error;
  return -1;
}

FILE *ht_file_open(const char *path) {
  int descriptor = ht_file_descriptor(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
  if (!file && descriptor >= 0) {
    close(descriptor);
    errno = ENOMEM;
  }
  return file;
}

const char *ht_file_reason(void) {
  return errno == NO_FILE ? "it is a pipe, a socket or a device, not a file" : strerror(errno);
}

ht_status ht_program_path(char path[HT_PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", path, HT_PATH_MAX - 1);
  if (length <= 0) return ht_fail(HT_ERR_INTERNAL, "the program does not find itself");
  path[length] = 0;
  return HT_OK;
}

ht_status ht_file_copy(const char *from, const char *to) {
  char buffer[8192];
  ht_output output;
  FILE *in = ht_file_open(from);
  if (!in) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s", from, ht_file_reason());
  ht_status status = ht_output_open(to, &output);
  for (size_t got; status == HT_OK && (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
    if (fwrite(buffer, 1, got, output.stream) != got) break; /* the commit says why */
  if (status == HT_OK && ferror(in)) {
    ht_output_abandon(&output);
    status = ht_fail(HT_ERR_FORMAT, "%s: cannot be read to its end", from);
  }
  fclose(in);
  return status == HT_OK ? ht_output_commit(&output) : status;
}

const char *ht_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}
