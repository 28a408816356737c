#define _GNU_SOURCE
#include "run/state/given.h"
#include "run/privacy/redact.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *ht_name_in(const ht_case *settings, const char *results, char folder[HT_PATH_MAX]) {
  char whole[PATH_MAX];
  if (settings->name[0] && !ht_redact_holds(settings->name)) return settings->name;
  const char *path = realpath(results, whole) ? whole : results; /* may be "." */
  snprintf(folder, HT_PATH_MAX, "%s", ht_path_name(path));
  if (ht_redact_holds(folder)) snprintf(folder, HT_PATH_MAX, "case");
  return folder;
}

const char *ht_run_name(const ht_given *given, char folder[HT_PATH_MAX]) {
  return ht_name_in(given->settings, given->folder, folder);
}
