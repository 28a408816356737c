#include "app/batch/batch_reason.h"
#include "core/disk/file.h"
#include "core/disk/folder_names.h"
#include "run/privacy/redact.h"
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

void ht_batch_find_reason(const char *log, int exit_code, char reason[512]) {
  char line[1024];
  FILE *file = ht_file_open(log);
  snprintf(reason, 512, exit_code > 128 ? "ended by signal %d" : "exit code %d",
           exit_code > 128 ? exit_code - 128 : exit_code);
  while (file && fgets(line, sizeof line, file)) {
    const char *found = strstr(line, "error: ");
    if (!found) continue;
    snprintf(reason, 512, "%.500s", found + strlen("error: "));
    reason[strcspn(reason, "\n")] = 0;
  }
  if (file) fclose(file);
}

static int is_of_word(char c) {
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Replaces whole words only, so that a folder named "a" does not match every "a" of a message. */
static void hide(char text[512], const char *name, const char *word) {
  const size_t length = strlen(name);
  char rest[512], *at = text;
  while (length > 0 && (at = strstr(at, name))) {
    if ((at > text && is_of_word(at[-1])) || is_of_word(at[length])) {
      at += length;
      continue;
    }
    snprintf(rest, sizeof rest, "%s", at + length);
    snprintf(at, 512 - (size_t)(at - text), "%s%s", word, rest);
    at += strnlen(at, strlen(word)); /* the word itself is not searched */
  }
}

static void hide_name(char text[512], const char *path, const char *word) {
  const char *name = ht_path_name(path);
  const size_t shortest = 3; /* a shorter name may be a word of the message or of a label */
  if (strlen(name) >= shortest && !strstr(word, name)) hide(text, name, word);
}

/* Returns the word for a path in the settings of a case; NULL: no path. */
static const char *word_for(const char *set, const char **path) {
  *path = strchr(set, '=') + 1;
  if (**path != '/') return NULL;
  return strncmp(set, "scan=", 5) == 0   ? "(the scan)"
         : strncmp(set, "mask=", 5) == 0 ? "(the mask)"
                                         : "(a file)";
}

void ht_batch_hide_paths(const ht_cohort_case *one, char reason[512]) {
  const char *path, *word;
  if (one->input) ht_redact_path(one->input, "(the scan)", 1);
  if (one->base) ht_redact_path(one->base, "(the case file)", 1);
  for (int s = 0; s < one->sets; s++)
    if ((word = word_for(one->set[s], &path))) ht_redact_path(path, word, 1);
  ht_redact(reason, 512);
  if (one->input) hide_name(reason, one->input, "(the scan)");
  for (int s = 0; s < one->sets; s++)
    if ((word = word_for(one->set[s], &path))) hide_name(reason, path, word);
}

int ht_batch_wants_memory(int exit_code) {
  return exit_code == HT_ERR_MEMORY || exit_code == 128 + SIGKILL;
}
