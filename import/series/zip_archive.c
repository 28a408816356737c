#define _GNU_SOURCE
#include "import/series/zip_archive.h"
#include "import/dicom/dicom.h"
#include "core/disk/file.h"
#include "core/disk/folder_walk.h"
#include "core/text/words.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zip.h>

typedef struct {
  const char *path; /* of the archive */
  zip_t *zip;
  zip_int64_t entries;
  char folder[HT_PATH_MAX];
} archive;

int ht_zip_begins(const char *path) {
  unsigned char byte[4];
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0; /* opening a pipe may never end */
  FILE *file = ht_file_open(path);
  if (!file) return 0;
  size_t count = fread(byte, 1, sizeof byte, file);
  fclose(file);
  return count == 4 && byte[0] == 'P' && byte[1] == 'K' &&
         ((byte[2] == 3 && byte[3] == 4) || (byte[2] == 5 && byte[3] == 6));
}

/* ---- Opening and checking ---- */

static ht_status open_zip(const char *path, archive *in) {
  int code = 0;
  zip_error_t error;
  in->path = path;
  in->zip = zip_open(path, ZIP_RDONLY, &code);
  if (in->zip) {
    in->entries = zip_get_num_entries(in->zip, 0);
    return HT_OK;
  }
  zip_error_init_with_code(&error, code);
  ht_status status = ht_check_reason(path, zip_error_strerror(&error));
  if (status == HT_OK)
    status = ht_fail(HT_ERR_FORMAT, "%s: a damaged zip archive (%s): copy it again", path,
                     zip_error_strerror(&error));
  zip_error_fini(&error);
  return status;
}

/* No part of the name leads up, none to the root. A backslash is an ordinary letter here. */
static int name_is_safe(const char *name) {
  if (!*name || name[0] == '/' || strlen(name) > 1024) return 0;
  for (const char *part = name; *part;) {
    size_t length = strcspn(part, "/");
    if (length > 255 || (length == 2 && part[0] == '.' && part[1] == '.')) return 0;
    part += length;
    if (*part) part++;
  }
  return 1;
}

static ht_status check_entry(const archive *in, zip_uint64_t number, zip_stat_t *info) {
  if (zip_stat_index(in->zip, number, 0, info) != 0 || !(info->valid & ZIP_STAT_NAME) ||
      !(info->valid & ZIP_STAT_SIZE))
    return ht_fail(HT_ERR_FORMAT, "%s: a damaged zip archive: copy it again", in->path);
  if (!name_is_safe(info->name))
    return ht_fail(
        HT_ERR_FORMAT,
        "%s/%.200s: this file of the zip archive has a name that leads out of the folder "
        "it is unpacked to: unpack it yourself, with care",
        in->path, info->name);
  if ((info->valid & ZIP_STAT_ENCRYPTION_METHOD) && info->encryption_method != ZIP_EM_NONE)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: this zip archive is encrypted: unpack it with its password, and give the "
                   "folder",
                   in->path);
  return HT_OK;
}

static ht_status check_total(const archive *in, double total) {
  struct stat file;
  struct statvfs disk;
  if (stat(in->path, &file) != 0)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: %s", in->path, strerror(errno));
  if (total > HT_ZIP_SMALL && total > HT_ZIP_RATIO * (double)file.st_size)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: this zip archive would become %.0f times as large as it is (%s), at "
                   "most %d are unpacked: unpack it yourself, where that is right",
                   in->path, total / (double)file.st_size, ht_memory_words(total).text,
                   HT_ZIP_RATIO);
  if (statvfs(in->folder, &disk) != 0) return HT_OK;
  double room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (total < room) return HT_OK;
  return ht_fail(HT_ERR_WRITE,
                 "%s: unpacked it needs %s, %s has %s left: set TMPDIR to a folder "
                 "with more space",
                 in->path, ht_memory_words(total).text, in->folder, ht_memory_words(room).text);
}

static ht_status check_all(const archive *in) {
  double total = 0;
  if (in->entries > HT_ZIP_FILES)
    return ht_fail(HT_ERR_FORMAT, "%s: %lld files in a zip archive, at most %d are unpacked",
                   in->path, (long long)in->entries, HT_ZIP_FILES);
  for (zip_int64_t i = 0; i < in->entries; i++) {
    zip_stat_t info;
    HT_TRY(check_entry(in, (zip_uint64_t)i, &info));
    total += (double)info.size;
  }
  return check_total(in, total);
}

/* ---- Unpacking ---- */

static ht_status cannot_write(const char *path) {
  return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", path, strerror(errno));
}

/* The parents of the file, below the folder. */
static ht_status make_parents(const char *path) {
  char parent[HT_PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
  return ht_folder_make(parent);
}

/* Never more than `size` bytes, for any compressed data. libzip checks the CRC at the
 * end. */
static ht_status copy_bytes(const archive *in, zip_file_t *from, zip_uint64_t size, FILE *to,
                            const char *name) {
  char buffer[8192];
  zip_uint64_t done = 0;
  zip_int64_t count;
  while ((count = zip_fread(from, buffer, sizeof buffer)) > 0) {
    done += (zip_uint64_t)count;
    if (done > size) break;
    if (fwrite(buffer, 1, (size_t)count, to) != (size_t)count) return cannot_write(in->folder);
  }
  if (count == 0 && done == size) return HT_OK;
  if (count < 0) HT_TRY(ht_check_reason(in->path, zip_file_strerror(from)));
  return ht_fail(HT_ERR_FORMAT,
                 "%s/%.200s: this file of the zip archive is damaged%s: copy it again", in->path,
                 name, done > size ? " (longer than the archive says)" : "");
}

static ht_status unpack_file(const archive *in, zip_uint64_t number, const zip_stat_t *info,
                             const char *path) {
  zip_file_t *from = zip_fopen_index(in->zip, number, 0);
  if (!from) HT_TRY(ht_check_reason(in->path, zip_strerror(in->zip)));
  if (!from)
    return ht_fail(HT_ERR_FORMAT, "%s/%.200s: this file of the zip archive cannot be unpacked: %s",
                   in->path, info->name, zip_strerror(in->zip));
  FILE *to = fopen(path, "wbx"); /* never through a link, never over a file of the same name */
  ht_status status = to ? copy_bytes(in, from, info->size, to, info->name) : cannot_write(path);
  if (to && fclose(to) != 0 && status == HT_OK) status = cannot_write(path);
  zip_fclose(from);
  return status;
}

/* *images counts the DICOM files. */
static ht_status unpack_entry(const archive *in, zip_uint64_t number, int *images) {
  zip_stat_t info;
  char path[HT_PATH_MAX];
  HT_TRY(check_entry(in, number, &info));
  HT_TRY(ht_path_join(path, in->folder, info.name));
  if (path[strlen(path) - 1] == '/') return HT_OK; /* a folder */
  HT_TRY(make_parents(path));
  HT_TRY(unpack_file(in, number, &info, path));
  *images += ht_dicom_begins(path);
  return HT_OK;
}

static ht_status unpack_all(const archive *in, int most, const ht_progress *progress) {
  int images = 0;
  HT_TRY(check_all(in));
  for (zip_int64_t i = 0; i < in->entries && (most == 0 || images < most); i++) {
    if (i % 16 == 0)
      HT_TRY(ht_progress_report(progress, "import", (double)i, (double)in->entries,
                                "unpacking the zip archive"));
    HT_TRY(unpack_entry(in, (zip_uint64_t)i, &images));
  }
  return HT_OK;
}

/* ---- The temporary folder ---- */

#define FOLDER_BEGINS "hemotile-zip-"

/* The folder of this process is locked, so that another run can tell it from one whose process was
 * killed. One archive is unpacked at a time. */
static int folder_lock = -1;

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk) {
  (void)info;
  (void)kind;
  (void)walk;
  remove(path);
  return 0;
}

static void remove_tree(const char *folder) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Opens and locks a folder of ours; returns -1, with errno, where it is somebody else's, in use
 * (EWOULDBLOCK), or on a file system without locks. */
static int take_folder(const char *path) {
  struct stat info;
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -1;
  errno = EPERM;
  if (fstat(descriptor, &info) == 0 && info.st_uid == geteuid() &&
      flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

/* Removes a folder that a killed run left: it holds a patient's scan. */
static int sweep_entry(void *user, const char *name) {
  char path[HT_PATH_MAX];
  if (strncmp(name, FOLDER_BEGINS, strlen(FOLDER_BEGINS)) != 0) return 0;
  if (ht_path_join(path, user, name) != HT_OK) return 0;
  int descriptor = take_folder(path);
  if (descriptor < 0) return 0;
  remove_tree(path);
  close(descriptor);
  return 0;
}

/* Another run may clean up between the folder's creation and its lock, and remove it: it is then
 * made once more. */
static ht_status make_folder(char folder[HT_PATH_MAX]) {
  char *base = getenv("TMPDIR");
  if (!base || !*base) base = "/tmp";
  (void)ht_folder_walk(base, sweep_entry, base);
  for (int attempt = 0; attempt < 8; attempt++) {
    HT_TRY(ht_path_join(folder, base, FOLDER_BEGINS "XXXXXX"));
    if (!mkdtemp(folder)) break; /* for its owner alone */
    if (folder_lock >= 0) close(folder_lock);
    folder_lock = take_folder(folder);
    int is_others = folder_lock < 0 && errno == EWOULDBLOCK;
    if (!is_others && ht_folder_exists(folder)) return HT_OK;
  }
  ht_status status =
      ht_fail(HT_ERR_WRITE,
              "%s: cannot make a temporary folder there: %s; set TMPDIR to a folder with space "
              "for the unpacked archive, or unpack it yourself",
              base, strerror(errno));
  folder[0] = 0;
  return status;
}

ht_status ht_zip_unpack(const char *path, int most, const ht_progress *progress,
                        char folder[HT_PATH_MAX]) {
  archive in;
  memset(&in, 0, sizeof in);
  folder[0] = 0;
  HT_TRY(open_zip(path, &in));
  ht_status status = make_folder(in.folder);
  if (status == HT_OK) status = unpack_all(&in, most, progress);
  zip_discard(in.zip);
  if (status == HT_OK)
    memcpy(folder, in.folder, sizeof in.folder);
  else
    ht_zip_remove(in.folder);
  return status;
}

void ht_zip_remove(const char *folder) {
  if (!folder || !*folder) return;
  remove_tree(folder);
  if (folder_lock >= 0) close(folder_lock);
  folder_lock = -1;
}

ht_status ht_zip_files_open(const char *path, const ht_progress *progress,
                            char where[HT_PATH_MAX]) {
  if (!ht_folder_exists(path) && ht_zip_begins(path))
    return ht_zip_unpack(path, 0, progress, where);
  snprintf(where, HT_PATH_MAX, "%s", path);
  return HT_OK;
}

ht_status ht_zip_files_close(const char *path, const char *where, ht_status status) {
  char message[4096];
  size_t length = strlen(where);
  if (strcmp(path, where) == 0) return status;
  ht_zip_remove(where);
  if (status == HT_OK || strncmp(ht_error_message(), where, length) != 0) return status;
  snprintf(message, sizeof message, "%s", ht_error_message() + length);
  return ht_fail(status, "%s%s", path, message);
}
