#define _GNU_SOURCE
#include "run/edit/edit_file.h"
#include "run/edit/step_text.h"
#include "run/folder/yaml_file.h"
#include "core/vessel/volume.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

static ht_status grow(void **list, size_t count, size_t size) {
  void *more = realloc(*list, count * size);
  if (!more) return ht_fail(HT_ERR_MEMORY, "not enough memory for the steps of the mask");
  *list = more;
  return HT_OK;
}

static void drop_undone(ht_edit_file *file) {
  while (file->entries > file->position) {
    ht_edit_entry *last = &file->entry[--file->entries];
    ht_edit_step_free(&last->step);
    free(last->text);
  }
}

static ht_status take_step(ht_edit_file *file, struct fy_node *root, const char *text,
                           size_t length) {
  ht_edit_entry entry = {.text = NULL};
  HT_TRY(ht_edit_step_take(root, &entry.step));
  drop_undone(file);
  ht_status status = HT_OK;
  if (file->entries == file->room) {
    status = grow((void **)&file->entry, (size_t)file->room + 256, sizeof entry);
    if (status == HT_OK) file->room += 256;
  }
  entry.text = status == HT_OK ? strndup(text, length) : NULL;
  if (!entry.text) {
    ht_edit_step_free(&entry.step);
    return ht_fail(HT_ERR_MEMORY, "not enough memory for the steps of the mask");
  }
  file->entry[file->entries++] = entry;
  file->position = file->entries;
  file->is_pending = 1;
  return HT_OK;
}

static ht_status take_move(ht_edit_file *file, int64_t by) {
  const int64_t to = file->position + by;
  if (to < 0 || to > file->entries)
    return ht_fail(HT_ERR_FORMAT, "there are not as many steps to undo or redo");
  file->position = (int)to;
  file->is_pending = 1;
  return HT_OK;
}

static ht_status take_mask(ht_edit_file *file, const char *sha256) {
  HT_TRY(grow((void **)&file->mask_sha256, (size_t)file->masks + 1, sizeof *file->mask_sha256));
  memcpy(file->mask_sha256[file->masks++], sha256, HT_HASH_TEXT);
  file->is_pending = 0;
  return HT_OK;
}

static ht_status take_first(ht_edit_file *file, struct fy_node *root) {
  int64_t version = 0;
  ht_yaml_integer(root, "hemotile_edits", &version);
  if (version != 1 ||
      !ht_yaml_text(root, "base_sha256", file->base_sha256, sizeof file->base_sha256))
    return ht_fail(HT_ERR_FORMAT, "this is no list of steps of this version of hemotile");
  ht_yaml_text(root, "vessel", file->vessel, sizeof file->vessel);
  return HT_OK;
}

static ht_status take_root(ht_edit_file *file, struct fy_node *root, const char *text,
                           size_t length) {
  char sha256[HT_HASH_TEXT];
  int64_t by;
  if (file->lines == 0) return take_first(file, root);
  if (ht_yaml_get(root, "step")) return take_step(file, root, text, length);
  if (ht_yaml_integer(root, "undo", &by)) return take_move(file, -by);
  if (ht_yaml_integer(root, "redo", &by)) return take_move(file, by);
  if (ht_yaml_text(root, "mask_sha256", sha256, sizeof sha256)) return take_mask(file, sha256);
  return ht_fail(HT_ERR_FORMAT, "it is no step, undo or redo");
}

static ht_status take_line(ht_edit_file *file, const char *text, size_t length) {
  char why[1024];
  ht_yaml yaml;
  ht_status status = ht_yaml_parse("a line", text, length, HT_ERR_FORMAT, &yaml);
  if (status == HT_OK) status = take_root(file, yaml.root, text, length);
  ht_yaml_free(&yaml);
  if (status != HT_OK && status != HT_ERR_MEMORY) {
    snprintf(why, sizeof why, "%s", ht_error_message());
    return ht_fail(HT_ERR_FORMAT, "%s, line %d: %s", file->path, file->lines + 1, why);
  }
  HT_TRY(status);
  file->lines++;
  file->size += (int64_t)length + 1;
  return HT_OK;
}

/* Takes the whole lines of the text. */
static ht_status take_lines(ht_edit_file *file, const char *text, size_t length) {
  const char *end;
  while ((end = memchr(text, '\n', length))) {
    const size_t line = (size_t)(end - text);
    HT_TRY(take_line(file, text, line));
    text += line + 1;
    length -= line + 1;
  }
  file->was_torn |= length > 0;
  return HT_OK;
}

static ht_status unreadable(const ht_edit_file *file) {
  return ht_fail(HT_ERR_FORMAT, "%s cannot be read: %s", file->path, strerror(errno));
}

/* Reads what other processes have appended, or all of it. */
static ht_status read_on(ht_edit_file *file) {
  struct stat is;
  char *text;
  ssize_t got = 0;
  size_t length = 0;
  if (fstat(file->descriptor, &is) != 0) return unreadable(file);
  if (is.st_size < file->size)
    return ht_fail(HT_ERR_FORMAT, "%s was shortened by another program", file->path);
  const size_t room = (size_t)(is.st_size - file->size);
  if (room == 0) return HT_OK;
  HT_TRY(ht_alloc((void **)&text, room, 1, "the steps of the mask"));
  while (length < room && (got = pread(file->descriptor, text + length, room - length,
                                       (off_t)(file->size + (int64_t)length))) > 0)
    length += (size_t)got;
  ht_status status = got < 0 ? unreadable(file) : take_lines(file, text, length);
  free(text);
  return status;
}

ht_status ht_edit_file_open(const char *path, ht_edit_file *file) {
  memset(file, 0, sizeof *file);
  snprintf(file->path, sizeof file->path, "%s", path);
  file->descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file->descriptor < 0)
    return ht_fail(errno == ENOENT ? HT_ERR_NOT_FOUND : HT_ERR_FORMAT, "%s cannot be opened: %s",
                   path, strerror(errno));
  HT_TRY(read_on(file));
  if (file->lines > 0) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s has no whole line", path);
}

void ht_edit_file_close(ht_edit_file *file) {
  file->position = 0;
  drop_undone(file);
  free(file->entry);
  free(file->mask_sha256);
  if (file->path[0] && file->descriptor >= 0) close(file->descriptor);
  memset(file, 0, sizeof *file);
  file->descriptor = -1;
}

/* ---- writing ---- */

/* Gives a file its name unless there is one of that name. */
static ht_status link_new(ht_output *output) {
  char folder[HT_PATH_MAX];
  const int is_new = link(output->hidden, output->path) == 0, why = errno;
  ht_output_abandon(output);
  if (!is_new) return ht_fail(HT_ERR_WRITE, "%s cannot be made: %s", output->path, strerror(why));
  snprintf(folder, sizeof folder, "%s", output->path);
  char *last = strrchr(folder, '/');
  if (last) *last = 0;
  const int descriptor = open(last ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor); /* a file system without it has nothing better */
    close(descriptor);
  }
  return HT_OK;
}

ht_status ht_edit_file_create(const char *path, const char *base_sha256, const char *vessel) {
  ht_output output;
  HT_TRY(ht_output_open(path, &output));
  fprintf(output.stream, "{\"hemotile_edits\": 1, \"base_sha256\": \"%s\", \"vessel\": \"%s\"}\n",
          base_sha256, vessel);
  if (fflush(output.stream) == 0 && fsync(fileno(output.stream)) == 0) return link_new(&output);
  const int why = errno;
  ht_output_abandon(&output);
  return ht_fail(HT_ERR_WRITE, "%s cannot be written: %s", path, strerror(why));
}

ht_status ht_edit_file_lock(ht_edit_file *file) {
  struct stat here, there;
  while (flock(file->descriptor, LOCK_EX) != 0)
    if (errno != EINTR)
      return ht_fail(HT_ERR_WRITE, "%s cannot be locked: %s", file->path, strerror(errno));
  if (stat(file->path, &there) != 0 || fstat(file->descriptor, &here) != 0 ||
      here.st_ino != there.st_ino || here.st_dev != there.st_dev) {
    ht_edit_file_unlock(file);
    return ht_fail(HT_ERR_NOT_FOUND, "%s was moved away", file->path);
  }
  ht_status status = read_on(file);
  if (status != HT_OK) ht_edit_file_unlock(file);
  return status;
}

void ht_edit_file_unlock(ht_edit_file *file) {
  flock(file->descriptor, LOCK_UN);
}

/* Appends a line to the disk, in place of what a torn one left, and takes it. */
static ht_status append(ht_edit_file *file, const char *line, size_t length) {
  size_t done = 0;
  ssize_t wrote = 0;
  if (ftruncate(file->descriptor, (off_t)file->size) != 0)
    return ht_fail(HT_ERR_WRITE, "%s cannot be written: %s", file->path, strerror(errno));
  while (done < length && (wrote = pwrite(file->descriptor, line + done, length - done,
                                          (off_t)(file->size + (int64_t)done))) > 0)
    done += (size_t)wrote;
  if (done < length || fsync(file->descriptor) != 0) {
    const int why = errno;
    if (ftruncate(file->descriptor, (off_t)file->size) != 0) file->was_torn = 1;
    return ht_fail(HT_ERR_WRITE, "%s cannot be written: %s; the step is not done", file->path,
                   strerror(why));
  }
  return take_lines(file, line, length);
}

__attribute__((format(printf, 2, 3))) static ht_status append_text(ht_edit_file *file,
                                                                   const char *format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return append(file, line, (size_t)length);
}

ht_status ht_edit_file_add_step(ht_edit_file *file, const ht_edit_step *step) {
  char *line = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&line, &length);
  if (!stream) return ht_fail(HT_ERR_MEMORY, "not enough memory for a step of the mask");
  ht_edit_step_write(step, stream);
  fputc('\n', stream);
  ht_status status = fclose(stream) == 0
                         ? append(file, line, length)
                         : ht_fail(HT_ERR_MEMORY, "not enough memory for a step of the mask");
  free(line);
  return status;
}

ht_status ht_edit_file_add_mask(ht_edit_file *file, const char *sha256) {
  return append_text(file, "{\"mask_sha256\": \"%s\"}\n", sha256);
}

ht_status ht_edit_file_move(ht_edit_file *file, int position) {
  const int by = position - file->position;
  if (position < 0)
    return ht_fail(HT_ERR_USAGE, "%d steps can be undone, not %d", file->position, -by);
  if (position > file->entries)
    return ht_fail(HT_ERR_USAGE, "%d steps can be done again, not %d",
                   file->entries - file->position, by);
  if (by == 0) return HT_OK;
  return append_text(file, by < 0 ? "{\"undo\": %d}\n" : "{\"redo\": %d}\n", abs(by));
}

int ht_edit_file_made(const ht_edit_file *file, const char *sha256) {
  for (int m = 0; m < file->masks; m++)
    if (strcmp(file->mask_sha256[m], sha256) == 0) return 1;
  return 0;
}
