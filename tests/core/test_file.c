/* core/file: a file is there whole or not at all. */
#define _DEFAULT_SOURCE /* mknod of a socket */
#include "tests/check.h"
#include "core/disk/file.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name) {
  static char path[HT_PATH_MAX];
  assert_int_equal(ht_path_join(path, folder, name), HT_OK);
  return path;
}

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/hemotile-file-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static int entries(void) {
  int count = 0;
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  while (readdir(dir)) count++;
  closedir(dir);
  return count - 2; /* . and .. */
}

static void assert_holds(const char *name, const char *expected) {
  char text[256] = "";
  FILE *stream = fopen(in_folder(name), "rb");
  assert_non_null(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = 0;
  fclose(stream);
  assert_string_equal(text, expected);
}

static void assert_says(const char *part) {
  if (!strstr(ht_error_message(), part))
    fail_msg("the message \"%s\" does not say \"%s\"", ht_error_message(), part);
}

static void write_text(const char *name, const char *text) {
  ht_output output;
  assert_int_equal(ht_output_open(in_folder(name), &output), HT_OK);
  fputs(text, output.stream);
  assert_int_equal(ht_output_commit(&output), HT_OK);
}

HT_TEST(a_file_appears_at_commit) {
  ht_output output;
  assert_int_equal(ht_output_open(in_folder("summary.json"), &output), HT_OK);
  fputs("{}", output.stream);
  fflush(output.stream);
  assert_false(ht_file_exists(in_folder("summary.json")));
  assert_int_equal(ht_output_commit(&output), HT_OK);
  assert_null(output.stream);
  assert_holds("summary.json", "{}");
  assert_int_equal(entries(), 1);
}

HT_TEST(an_older_file_stays_until_commit) {
  write_text("mask.nii.gz", "old");
  ht_output output;
  assert_int_equal(ht_output_open(in_folder("mask.nii.gz"), &output), HT_OK);
  fputs("new", output.stream);
  fflush(output.stream);
  assert_holds("mask.nii.gz", "old");
  assert_int_equal(ht_output_commit(&output), HT_OK);
  assert_holds("mask.nii.gz", "new");
}

HT_TEST(abandoning_leaves_nothing) {
  write_text("kept", "old");
  ht_output output;
  assert_int_equal(ht_output_open(in_folder("kept"), &output), HT_OK);
  fputs("half", output.stream);
  ht_output_abandon(&output);
  ht_output_abandon(&output);
  assert_holds("kept", "old");
  assert_int_equal(entries(), 1);
}

HT_TEST(abandoning_after_commit_or_nothing_is_harmless) {
  ht_output output;
  memset(&output, 0, sizeof output);
  ht_output_abandon(&output);
  assert_int_equal(ht_output_open(in_folder("a"), &output), HT_OK);
  assert_int_equal(ht_output_commit(&output), HT_OK);
  ht_output_abandon(&output);
  assert_holds("a", "");
}

/* Writes to a file that may grow to 10 000 bytes and no further, as on a disk that is nearly full.
 * `piece` decides where the failure shows: in the middle of writing, or when the last buffer
 * leaves. */
static void write_too_much(size_t total, size_t piece) {
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 10000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  char *bytes = calloc(1, piece);
  assert_non_null(bytes);
  write_text("result", "old");
  ht_output output;
  assert_int_equal(ht_output_open(in_folder("result"), &output), HT_OK);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (size_t done = 0; done < total; done += piece) fwrite(bytes, 1, piece, output.stream);
  ht_status status = ht_output_commit(&output);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  free(bytes);
  assert_int_equal(status, HT_ERR_WRITE);
  assert_says("result");
  assert_says(strerror(EFBIG)); /* the reason, not just "an error" */
  assert_holds("result", "old");
  assert_int_equal(entries(), 1);
}

HT_TEST(a_full_disk_at_the_last_buffer) {
  write_too_much(10001, 1);
}

HT_TEST(a_full_disk_in_the_middle) {
  write_too_much(400000, 1000);
}

HT_TEST(a_full_disk_in_one_large_write) {
  write_too_much(1 << 20, 1 << 20);
}

HT_TEST(a_folder_that_is_not_there_is_named) {
  ht_output output;
  assert_int_equal(ht_output_open(in_folder("absent/result.vti"), &output), HT_ERR_WRITE);
  assert_says("absent/result.vti");
  assert_says("No such file");
  assert_null(output.stream);
  ht_output_abandon(&output);
  assert_int_equal(entries(), 0);
}

/* Renaming cannot replace a folder. */
HT_TEST(a_name_taken_by_a_folder_fails_clean) {
  assert_int_equal(mkdir(in_folder("result"), 0700), 0);
  ht_output output;
  assert_int_equal(ht_output_open(in_folder("result"), &output), HT_OK);
  fputs("x", output.stream);
  assert_int_equal(ht_output_commit(&output), HT_ERR_WRITE);
  assert_says("directory");
  assert_int_equal(entries(), 1);
}

HT_TEST(a_writer_by_name_keeps_the_ending) {
  const char *names[] = {"velocity.nii.gz", "wall.vtp", "plain", ".dotted.png", "a b.c d"};
  const char *endings[] = {".part.nii.gz", ".part.vtp", ".part", ".part.png", ".part.c d"};
  for (int i = 0; i < 5; i++) {
    ht_output output;
    assert_int_equal(ht_output_name(in_folder(names[i]), &output), HT_OK);
    assert_null(output.stream);
    assert_string_equal(output.path, in_folder(names[i]));
    size_t length = strlen(output.hidden), end = strlen(endings[i]);
    assert_true(length > end);
    assert_string_equal(output.hidden + length - end, endings[i]);
    assert_memory_equal(output.hidden, folder, strlen(folder));
    assert_int_equal(output.hidden[strlen(folder) + 1], '.');
    assert_int_equal(entries(), i + 1); /* it is there, so that nobody can put a link there */
    FILE *stream = fopen(output.hidden, "wb");
    assert_non_null(stream);
    fputs("by name", stream);
    fclose(stream);
    assert_int_equal(ht_output_rename(&output), HT_OK);
    assert_holds(names[i], "by name");
  }
}

HT_TEST(a_writer_that_wrote_nothing_is_an_error) {
  ht_output output;
  assert_int_equal(ht_output_name(in_folder("wall.vtp"), &output), HT_OK);
  assert_int_equal(ht_output_rename(&output), HT_ERR_WRITE);
  assert_int_equal(entries(), 0);
}

/* The temporary name can be foretold: a link that somebody put there is not followed. */
HT_TEST(a_planted_link_is_not_written_through) {
  ht_output output;
  write_text("precious", "kept");
  for (int by_name = 0; by_name < 2; by_name++) {
    assert_int_equal(ht_output_name(in_folder("result.txt"), &output), HT_OK);
    char planted[HT_PATH_MAX];
    strcpy(planted, output.hidden);
    ht_output_abandon(&output);
    assert_int_equal(symlink("precious", planted), 0);
    if (by_name) {
      assert_int_equal(ht_output_name(in_folder("result.txt"), &output), HT_OK);
      FILE *stream = fopen(output.hidden, "wb");
      assert_non_null(stream);
      fputs("by name", stream);
      fclose(stream);
      assert_int_equal(ht_output_rename(&output), HT_OK);
    } else {
      write_text("result.txt", "by stream");
    }
    assert_holds("precious", "kept");
    assert_holds("result.txt", by_name ? "by name" : "by stream");
    assert_int_equal(entries(), 2);
  }
}

HT_TEST(a_file_of_a_file_fails_under_its_name) {
  ht_output output;
  assert_int_equal(ht_output_name(in_folder("mask"), &output), HT_OK);
  ht_fail(HT_ERR_WRITE, "%s: no room", output.hidden);
  assert_int_equal(ht_output_failed(&output, HT_ERR_WRITE), HT_ERR_WRITE);
  assert_says("/mask: no room");
  assert_null(strstr(ht_error_message(), ".part"));
  assert_int_equal(entries(), 0);
}

HT_TEST(a_bare_name_is_in_the_working_folder) {
  char kept[HT_PATH_MAX];
  assert_non_null(getcwd(kept, sizeof kept));
  assert_int_equal(chdir(folder), 0);
  ht_output output;
  ht_status opened = ht_output_open("bare.txt", &output);
  ht_status committed = opened == HT_OK ? ht_output_commit(&output) : opened;
  assert_int_equal(chdir(kept), 0);
  assert_int_equal(committed, HT_OK);
  assert_holds("bare.txt", "");
}

HT_TEST(folders_are_made_with_their_parents) {
  const char *paths[] = {"a/b/c", "a/b/c", "a//b/d/", "with space/\xc3\xbc"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(ht_folder_make(in_folder(paths[i])), HT_OK);
    assert_true(ht_folder_exists(in_folder(paths[i])));
  }
  assert_int_equal(ht_folder_make("/"), HT_OK);
  assert_int_equal(ht_folder_make("."), HT_OK);
}

HT_TEST(a_folder_below_a_file_is_refused) {
  write_text("file", "x");
  assert_int_equal(ht_folder_make(in_folder("file/below")), HT_ERR_WRITE);
  assert_says("file");
  assert_int_equal(ht_folder_make(in_folder("file")), HT_ERR_WRITE);
  assert_holds("file", "x");
}

HT_TEST(a_folder_without_a_name_is_refused) {
  assert_int_equal(ht_folder_make(""), HT_ERR_USAGE);
}

HT_TEST(what_exists) {
  write_text("file", "x");
  assert_true(ht_file_exists(in_folder("file")));
  assert_false(ht_folder_exists(in_folder("file")));
  assert_true(ht_file_exists(folder));
  assert_true(ht_folder_exists(folder));
  assert_false(ht_file_exists(in_folder("absent")));
  assert_false(ht_folder_exists(in_folder("absent")));
}

HT_TEST(paths_are_joined) {
  char out[HT_PATH_MAX];
  assert_int_equal(ht_path_join(out, "dir", "name"), HT_OK);
  assert_string_equal(out, "dir/name");
  assert_int_equal(ht_path_join(out, "dir/", "name"), HT_OK);
  assert_string_equal(out, "dir/name");
  assert_int_equal(ht_path_join(out, "/", "name"), HT_OK);
  assert_string_equal(out, "/name");
  assert_int_equal(ht_path_beside(out, "dir/file", "name"), HT_OK);
  assert_string_equal(out, "dir/name");
  assert_int_equal(ht_path_beside(out, "/file", "name"), HT_OK);
  assert_string_equal(out, "/name");
  assert_int_equal(ht_path_beside(out, "file", "name"), HT_OK);
  assert_string_equal(out, "name");
  assert_int_equal(ht_path_beside(out, "dir/file", "/name"), HT_OK);
  assert_string_equal(out, "/name");
  assert_int_equal(ht_path_join(out, "", "name"), HT_OK);
  assert_string_equal(out, "name"); /* never the root of the disk by accident */
}

HT_TEST(a_path_too_long_is_refused_everywhere) {
  char name[HT_PATH_MAX + 10], out[HT_PATH_MAX];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  ht_output output;
  assert_int_equal(ht_path_join(out, folder, name), HT_ERR_USAGE);
  assert_int_equal(ht_folder_make(name), HT_ERR_USAGE);
  assert_int_equal(ht_output_open(name, &output), HT_ERR_USAGE);
  ht_output_abandon(&output);
  /* The longest path that fits, without room for the temporary name. */
  name[HT_PATH_MAX - 1] = 0;
  assert_int_equal(ht_output_open(name, &output), HT_ERR_USAGE);
  ht_output_abandon(&output);
  assert_int_equal(entries(), 0);
}

HT_TEST(endings_are_told) {
  assert_true(ht_path_ends("a/scan.nii.gz", ".nii.gz"));
  assert_true(ht_path_ends("SCAN.NII", ".nii"));
  assert_false(ht_path_ends("scan.nii.gz", ".nii"));
  assert_false(ht_path_ends(".nii", ".nii")); /* a hidden file without an ending */
  assert_false(ht_path_ends("ii", ".nii"));
}

HT_TEST(a_copy_is_whole_and_a_file_of_its_own) {
  char from[HT_PATH_MAX], to[HT_PATH_MAX], byte;
  ht_path_join(from, folder, "from.bin");
  ht_path_join(to, folder, "to.bin");
  assert_int_equal(ht_file_copy(from, to), HT_ERR_NOT_FOUND);
  assert_int_equal(entries(), 0);
  FILE *file = fopen(from, "wb");
  for (int i = 0; i < 20000; i++) fputc(i % 251, file); /* more than a buffer */
  fclose(file);
  assert_int_equal(ht_file_copy(from, to), HT_OK);
  assert_int_equal(truncate(from, 0), 0);
  file = fopen(to, "rb");
  for (int i = 0; i < 20000; i++) assert_int_equal(fgetc(file), i % 251);
  assert_int_equal(fread(&byte, 1, 1, file), 0);
  fclose(file);
  assert_int_equal(ht_file_copy(folder, to), HT_ERR_FORMAT); /* opens, but is not to be read */
  assert_int_equal(entries(), 2);
}

/* Opening a pipe waits for somebody who writes into it. */
HT_TEST(what_is_no_file_is_not_opened) {
  assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
  assert_int_equal(mknod(in_folder("socket"), S_IFSOCK | 0600, 0), 0);
  const char *const names[] = {"pipe", "socket", "zero"};
  for (int i = 0; i < 3; i++) {
    assert_null(ht_file_open(i < 2 ? in_folder(names[i]) : "/dev/zero"));
    assert_non_null(strstr(ht_file_reason(), "a pipe, a socket or a device"));
  }
  char from[HT_PATH_MAX];
  strcpy(from, in_folder("pipe"));
  assert_int_equal(ht_file_copy(from, in_folder("copy")), HT_ERR_NOT_FOUND);
  assert_null(ht_file_open(in_folder("absent")));
  assert_string_equal(ht_file_reason(), "No such file or directory");
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      FILE_TEST(a_file_appears_at_commit),
      FILE_TEST(an_older_file_stays_until_commit),
      FILE_TEST(abandoning_leaves_nothing),
      FILE_TEST(abandoning_after_commit_or_nothing_is_harmless),
      FILE_TEST(a_full_disk_at_the_last_buffer),
      FILE_TEST(a_full_disk_in_the_middle),
      FILE_TEST(a_full_disk_in_one_large_write),
      FILE_TEST(a_folder_that_is_not_there_is_named),
      FILE_TEST(a_name_taken_by_a_folder_fails_clean),
      FILE_TEST(a_writer_by_name_keeps_the_ending),
      FILE_TEST(a_writer_that_wrote_nothing_is_an_error),
      FILE_TEST(a_planted_link_is_not_written_through),
      FILE_TEST(a_file_of_a_file_fails_under_its_name),
      FILE_TEST(a_bare_name_is_in_the_working_folder),
      FILE_TEST(folders_are_made_with_their_parents),
      FILE_TEST(a_folder_below_a_file_is_refused),
      FILE_TEST(a_folder_without_a_name_is_refused),
      FILE_TEST(what_exists),
      FILE_TEST(paths_are_joined),
      FILE_TEST(endings_are_told),
      FILE_TEST(a_copy_is_whole_and_a_file_of_its_own),
      FILE_TEST(what_is_no_file_is_not_opened),
      FILE_TEST(a_path_too_long_is_refused_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
