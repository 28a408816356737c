#define _GNU_SOURCE
#include "identity.h"
#include "file.h"
#include "phantom.h"
#include "redact.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Words ---- */

/* "DOE^JANE^ANN" as it stands, its parts, and first and last name run together. */
enum { PART_BYTES = 100 };

static void add_name(const char *name) {
  static const char between[] = "^= ,._-";
  char part[2][PART_BYTES] = {"", ""}, joined[2 * PART_BYTES];
  int parts = 0;
  ht_redact_word(name, strlen(name));
  for (const char *at = name + strspn(name, between); *at; at += strspn(at, between)) {
    size_t length = strcspn(at, between);
    ht_redact_word(at, length);
    if (parts < 2 && length < PART_BYTES)
      snprintf(part[parts++], PART_BYTES, "%.*s", (int)length, at);
    at += length;
  }
  if (parts < 2) return;
  static const char *const joints[] = {"", "_", "-", ".", " ", ", "};
  for (size_t j = 0; j < sizeof joints / sizeof *joints; j++)
    for (int first = 0; first < 2; first++) { /* also of names too short to go alone */
      snprintf(joined, sizeof joined, "%s%s%s", part[first], joints[j], part[!first]);
      ht_redact_word(joined, strlen(joined));
    }
}

/* YYYYMMDD, and as people write it. */
static void add_date(const char *date) {
  char text[16];
  ht_redact_word(date, strlen(date));
  if (strlen(date) != 8 || strspn(date, "0123456789") != 8) return;
  for (const char *sign = "-_."; *sign; sign++) {
    snprintf(text, sizeof text, "%.4s%c%.2s%c%.2s", date, *sign, date + 4, *sign, date + 6);
    ht_redact_word(text, strlen(text));
  }
  snprintf(text, sizeof text, "%.2s.%.2s.%.4s", date + 6, date + 4, date);
  ht_redact_word(text, strlen(text));
}

void ht_identity_hide(const ht_identity *identity) {
  if (strcmp(identity->id, HT_PHANTOM_PATIENT_ID) == 0) return;
  add_name(identity->name);
  ht_redact_word(identity->id, strlen(identity->id));
  add_date(identity->birth_date);
  add_date(identity->study_date);
  ht_redact_word(identity->accession, strlen(identity->accession));
}

/* ---- The hash ---- */

enum { SALT_BYTES = 32 };

static ht_status config_folder(char folder[HT_PATH_MAX]) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  int named = config && config[0] == '/';
  if (!named && !(home && home[0] == '/'))
    return ht_fail(HT_ERR_WRITE,
                   "there is no home folder (HOME) for the salt of the patient's hash");
  return named ? ht_path_join(folder, config, "hemotile")
               : ht_path_join(folder, home, ".config/hemotile");
}

static int read_salt(const char *path, unsigned char salt[SALT_BYTES]) {
  FILE *file = fopen(path, "rb");
  size_t got = file ? fread(salt, 1, SALT_BYTES, file) : 0;
  if (file) fclose(file);
  return got == SALT_BYTES;
}

/* Linked into place, so that of two that make one at a time both use the first. */
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

ht_status ht_identity_hash(const ht_identity *identity, char hex[HT_HASH_TEXT]) {
  char folder[HT_PATH_MAX], path[HT_PATH_MAX];
  unsigned char salt[SALT_BYTES];
  hex[0] = 0;
  if (!identity->id[0] || strcmp(identity->id, HT_PHANTOM_PATIENT_ID) == 0) return HT_OK;
  HT_TRY(config_folder(folder));
  HT_TRY(ht_path_join(path, folder, "salt"));
  if (!read_salt(path, salt)) {
    HT_TRY(ht_folder_make(folder));
    (void)chmod(folder, 0700);
    HT_TRY(make_salt(path, salt));
  }
  ht_hash *hash = ht_hash_begin();
  if (!hash) return ht_fail(HT_ERR_MEMORY, "not enough memory");
  ht_hash_add(hash, salt, sizeof salt);
  ht_hash_add(hash, identity->id, strlen(identity->id));
  ht_hash_end(hash, hex);
  return HT_OK;
}
