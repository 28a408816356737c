#define _GNU_SOURCE
#include "run/record/identity.h"
#include "core/disk/config_folder.h"
#include "run/folder/folder.h"
#include "phantom/phantom.h"
#include "run/privacy/redact.h"
#include "run/case/schema.h"
#include "core/text/shell_word.h"
#include "core/formats/uid.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Words ---- */

enum { NAME_BYTES = 256, PARTS_MAX = 6 };
static const char between[] = "^= ,._-";

/* Adds the parts in this order and in others. As one word they are also found joined. */
static void add_joined(const char *const part[], const int length[], const int order[], int parts) {
  char joined[NAME_BYTES] = "";
  size_t end = 0;
  for (int i = 0; i < parts && end < sizeof joined; i++)
    end += (size_t)snprintf(joined + end, sizeof joined - end, "%s%.*s", i ? "^" : "",
                            length[order[i]], part[order[i]]);
  ht_redact_word(joined, strlen(joined));
}

/* Adds one form of a name, as "DOE^JANE^ANN": its parts, any two of them (one alone may be too
 * short), and the family name after the others. */
static void add_way(const char *name, size_t bytes) {
  const char *part[PARTS_MAX], *end = name + bytes;
  int length[PARTS_MAX], order[PARTS_MAX], parts = 0;
  ht_redact_word(name, bytes);
  for (const char *at = name + strspn(name, between); at < end && parts < PARTS_MAX;
       at += strspn(at, between)) {
    part[parts] = at;
    length[parts] = (int)strcspn(at, between);
    ht_redact_word(at, (size_t)length[parts]);
    at += length[parts++];
  }
  for (int i = 0; i < parts; i++) order[i] = (i + 1) % parts;
  if (parts > 2) add_joined(part, length, order, parts);
  for (int a = 0; a < parts; a++)
    for (int b = 0; b < parts; b++)
      if (a != b) add_joined(part, length, (const int[]){a, b}, 2);
}

/* Adds the alphabetic, ideographic and phonetic forms, "YAMADA^TARO=...=..." (PS3.5 6.2.1.2). */
static void add_name(const char *name) {
  for (const char *at = name + strspn(name, "="); *at; at += strspn(at, "=")) {
    size_t length = strcspn(at, "=");
    add_way(at, length);
    at += length;
  }
}

/* Adds a number, and the digits after letters: 99887 in "PAT0099887". */
static void add_number(const char *number) {
  enum { DIGITS_LEAST = 5 };
  ht_redact_word(number, strlen(number));
  for (const char *at = number; *at; at++) {
    size_t digits = strspn(at, "0123456789");
    while (digits > 1 && *at == '0') at++, digits--;
    if (digits >= DIGITS_LEAST) ht_redact_word(at, digits);
    if (digits > 0) at += digits - 1;
  }
}

/* Calls `hide` with each line. */
static void for_lines(const char *lines, void (*hide)(const char *line)) {
  char line[NAME_BYTES];
  for (const char *at = lines; *at; at += strspn(at, "\n")) {
    const int length = (int)strcspn(at, "\n");
    snprintf(line, sizeof line, "%.*s", length, at);
    hide(line);
    at += length;
  }
}

void ht_identity_hide(const ht_identity *identity) {
  if (strcmp(identity->id, HT_PHANTOM_PATIENT_ID) == 0) return;
  add_name(identity->name);
  add_number(identity->id);
  add_number(identity->accession);
  ht_redact_date(identity->birth_date);
  ht_redact_date(identity->study_date);
  for_lines(identity->other_names, add_name);
  for_lines(identity->other_numbers, add_number);
  for_lines(identity->other_dates, ht_redact_date);
}

/* ---- What stays ---- */

/* Words in messages' quotes that are no key or choice of a case file. */
static const char *const own_words[] = {
    "inlet", "outlet", "wall", "true",    "false",    "key",   "value", "steady",  "hemotile",
    "run",   "report", "info", "phantom", "converge", "batch", "bench", "compare", "pacs"};

void ht_identity_guard_texts(int keep_identity) {
  ht_redact_keep(keep_identity);
  ht_case_each_word(ht_redact_allow);
  for (int s = 0; s < HT_STAGES; s++) ht_redact_allow(ht_stage_name((ht_stage)s));
  for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++) ht_redact_allow(own_words[i]);
}

/* ---- The hash ---- */

enum { SALT_BYTES = 32 };

static ht_status config_folder(char folder[HT_PATH_MAX]) {
  if (ht_config_folder(folder) == HT_OK) return HT_OK;
  return ht_fail(
      HT_ERR_WRITE,
      "there is no home folder for the salt of the patient's hash: set HOME or XDG_CONFIG_HOME");
}

static int read_salt(const char *path, unsigned char salt[SALT_BYTES]) {
  FILE *file = ht_file_open(path);
  size_t got = file ? fread(salt, 1, SALT_BYTES, file) : 0;
  if (file) fclose(file);
  return got == SALT_BYTES;
}

/* Links the file into place: two processes that make a salt at the same time both use the first. */
static ht_status make_salt(const char *path, unsigned char salt[SALT_BYTES]) {
  char hidden_name[HT_PATH_MAX + 16];
  snprintf(hidden_name, sizeof hidden_name, "%s.XXXXXX", path);
  int file = mkstemp(hidden_name); /* readable by the user alone */
  if (file < 0 || getrandom(salt, SALT_BYTES, 0) != SALT_BYTES ||
      write(file, salt, SALT_BYTES) != SALT_BYTES || fsync(file) != 0 ||
      (link(hidden_name, path) != 0 && errno != EEXIST)) {
    int error = errno;
    if (file >= 0) close(file), unlink(hidden_name);
    return ht_fail(HT_ERR_WRITE, "%s: cannot write the salt of the patient's hash: %s", path,
                   strerror(error));
  }
  close(file);
  unlink(hidden_name);
  if (read_salt(path, salt)) return HT_OK;
  return ht_fail(HT_ERR_WRITE, "%s: cannot read the salt of the patient's hash: remove the file",
                 path);
}

int ht_identity_has_salt(void) {
  unsigned char salt[SALT_BYTES];
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  return config_folder(folder) == HT_OK && ht_path_join(path, folder, "salt") == HT_OK &&
         read_salt(path, salt);
}

static ht_status get_salt(unsigned char salt[SALT_BYTES]) {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  HT_TRY(config_folder(folder));
  HT_TRY(ht_path_join(path, folder, "salt"));
  if (read_salt(path, salt)) return HT_OK;
  if (ht_folder_make(folder) != HT_OK) {
    char why[512];
    snprintf(why, sizeof why, "%s", ht_error_message());
    return ht_fail(HT_ERR_WRITE,
                   "%s; the salt of the hashes goes there: set HOME or XDG_CONFIG_HOME to a folder "
                   "that you may write into",
                   why);
  }
  (void)chmod(folder, 0700);
  return make_salt(path, salt);
}

static ht_status salted_hash(const char *kind, const char *text, char hex[HT_HASH_TEXT]) {
  unsigned char salt[SALT_BYTES];
  HT_TRY(get_salt(salt));
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_add(hash, salt, sizeof salt);
  ht_hash_add(hash, kind, strlen(kind));
  ht_hash_add(hash, text, strlen(text));
  ht_hash_end(hash, hex);
  return HT_OK;
}

ht_status ht_identity_hash(const ht_identity *identity, char hex[HT_HASH_TEXT]) {
  hex[0] = 0;
  if (!identity->id[0] || strcmp(identity->id, HT_PHANTOM_PATIENT_ID) == 0) return HT_OK;
  return salted_hash("", identity->id, hex);
}

static ht_status hide_uid(const char *kind, char uid[], size_t size) {
  char hex[HT_HASH_TEXT], own[HT_UID_TEXT];
  if (!uid[0]) return HT_OK;
  HT_TRY(salted_hash(kind, uid, hex));
  ht_uid_of_hash(hex, own);
  snprintf(uid, size, "%s", own);
  return HT_OK;
}

ht_status ht_identity_hide_study(ht_study *study) {
  ht_study own = {0};
  memcpy(own.uid, study->uid, sizeof own.uid);
  memcpy(own.frame_uid, study->frame_uid, sizeof own.frame_uid);
  memset(study, 0, sizeof *study);
  HT_TRY(hide_uid("study:", own.uid, sizeof own.uid));
  HT_TRY(hide_uid("frame:", own.frame_uid, sizeof own.frame_uid));
  *study = own;
  return HT_OK;
}

/* ---- Paths ---- */

enum { HASH_DIGITS = 12 };

/* Returns the ending, which tells the kind of a file, and nothing of the patient. */
static const char *ending_of(const char *name) {
  static const char *const endings[] = {".nii.gz", ".nii",  ".nrrd",     ".nhdr", ".mha",
                                        ".mhd",    ".stl",  ".zip",      ".dcm",  ".ima",
                                        ".csv",    ".yaml", ".mrk.json", ".json", ".yml"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ht_path_ends(name, endings[i])) return endings[i];
  return "";
}

ht_status ht_identity_label(const char *path, char label[HT_LABEL_MAX]) {
  char whole[PATH_MAX], hex[HT_HASH_TEXT] = "";
  snprintf(whole, sizeof whole, "%s", path);
  if (!realpath(path, whole)) snprintf(whole, sizeof whole, "%s", path);
  int folder = ht_folder_exists(path);
  ht_status status = salted_hash("input:", whole, hex);
  snprintf(label, HT_LABEL_MAX, "%s%s%.*s%s", folder ? "folder" : "file", *hex ? "-" : "",
           HASH_DIGITS, hex, folder ? "" : ending_of(whole));
  return status;
}

/* Hides a path, also as a command in a message has it. */
static void hide_path(const char *path, const char *label, int deep) {
  char word[HT_SHELL_WORD_MAX(PATH_MAX)];
  ht_redact_path(path, label, deep);
  ht_shell_word(path, word, sizeof word);
  if (!strstr(word, path)) ht_redact_path(word, label, deep);
}

/* Hides the folder of a file, too: messages name the other files that a DICOMDIR lists there. */
void ht_identity_hide_input(const char *path) {
  char label[HT_LABEL_MAX], whole[PATH_MAX], *slash;
  if (!*path) return;
  (void)ht_identity_label(path, label);
  hide_path(path, label, 1);
  if (realpath(path, whole)) hide_path(whole, label, 1);
  snprintf(whole, sizeof whole, "%s", path);
  if (ht_folder_exists(path) || !(slash = strrchr(whole, '/'))) return;
  *slash = 0;
  (void)ht_identity_label(whole, label);
  hide_path(whole, label, 1);
}

void ht_identity_hide_output(const char *folder) {
  hide_path(folder, "DIR", 0);
}
