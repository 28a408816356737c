#include "app/slicer/command_slicer.h"
#include "app/common/command.h"
#include "app/slicer/slicer_page.h"
#include "core/disk/file.h"
#include "run/process/console.h"
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 80, RESULTS_MAX = 4 };

/* Arguments of `hemotile run`, and the place of its results. */
typedef struct {
  int words, points, places, results;
  char *word[WORDS_MAX];
  char *made[WORDS_MAX]; /* those of the words that are freed */
  const char *place[2];  /* scan, folder */
  const ht_slicer_parameter *result[RESULTS_MAX];
  const char *copy[RESULTS_MAX];
} call;

static const ht_slicer_parameter *find(const char *argument) {
  if (strncmp(argument, "--", 2) != 0) return NULL;
  const size_t length = strcspn(argument + 2, "=");
  for (const ht_slicer_parameter *one = ht_slicer_parameters; one->element; one++)
    if (one->flag && strlen(one->flag) == length && strncmp(one->flag, argument + 2, length) == 0)
      return one;
  return NULL;
}

int ht_slicer_is_call(int argc, char **argv) {
  if (argc == 1 && strcmp(argv[0], "--xml") == 0) return 1;
  return argc > 0 && find(argv[0]) != NULL;
}

static ht_status add(call *to, const char *option, const char *value) {
  const size_t size = strlen(option) + strlen(value) + 4;
  if (to->words + 1 >= WORDS_MAX)
    return ht_fail(HT_ERR_USAGE, "too many arguments; at most %d are allowed", WORDS_MAX - 4);
  char *text = malloc(size);
  if (!text) return ht_fail(HT_ERR_MEMORY, "not enough memory for the arguments");
  snprintf(text, size, *option ? "--%s=%s" : "%s%s", option, value);
  for (char *c = text; *option && *c && *c != '='; c++)
    if (*c == '_') *c = '-';
  to->made[to->words] = text;
  to->word[to->words++] = text;
  return HT_OK;
}

static ht_status take(call *to, const ht_slicer_parameter *one, const char *value) {
  switch (one->use) {
  case HT_SLICER_POINTS:
    return add(to, to->points++ == 0 ? "from" : "to", value);
  case HT_SLICER_FLOW:
    return strtod(value, NULL) == 0 ? HT_OK : add(to, one->flag, value);
  case HT_SLICER_PART:
    return strcmp(value, "head") == 0 ? add(to, "set", "patient.kind=head") : HT_OK;
  case HT_SLICER_RESULT:
    if (to->results >= RESULTS_MAX)
      return ht_fail(HT_ERR_USAGE, "--%s is given more than once", one->flag);
    to->result[to->results] = one;
    to->copy[to->results++] = value;
    return HT_OK;
  default:
    return add(to, one->flag, value);
  }
}

static ht_status read_call(int argc, char **argv, call *to) {
  HT_TRY(add(to, "", "run"));
  for (int i = 0; i < argc; i++) {
    const ht_slicer_parameter *one = find(argv[i]);
    const char *value = one ? strchr(argv[i], '=') : NULL;
    if (!one && strncmp(argv[i], "--", 2) == 0)
      return ht_fail(HT_ERR_USAGE,
                     "%s is not an argument of the module; `hemotile --xml` lists them", argv[i]);
    if (!one && to->places == 2)
      return ht_fail(HT_ERR_USAGE, "'%s' is one argument too many: give a scan and a folder",
                     argv[i]);
    if (!one) {
      to->place[to->places++] = argv[i];
      continue;
    }
    if (!value && i + 1 == argc) return ht_fail(HT_ERR_USAGE, "%s needs a value", argv[i]);
    HT_TRY(take(to, one, value ? value + 1 : argv[++i]));
  }
  if (to->places < 2)
    return ht_fail(HT_ERR_USAGE, "no %s is given: choose one in the module",
                   to->places == 0 ? "scan" : "case folder");
  HT_TRY(add(to, "output", to->place[1]));
  return add(to, "", to->place[0]);
}

static ht_status copy_results(const call *from) {
  char path[HT_PATH_MAX];
  for (int i = 0; i < from->results; i++) {
    HT_TRY(ht_path_join(path, from->place[1], from->result[i]->file));
    HT_TRY(ht_file_copy(path, from->copy[i]));
  }
  return HT_OK;
}

static int refuse(ht_status status) {
  fprintf(stderr, "hemotile: error: %s\n", ht_error_message());
  return (int)status;
}

int ht_command_slicer(int argc, char **argv) {
  if (strcmp(argv[0], "--xml") == 0) {
    ht_slicer_describe(stdout);
    return HT_OK;
  }
  call one = {0};
  ht_status status = read_call(argc, argv, &one);
  int code = (int)status;
  if (status != HT_OK) {
    refuse(status);
  } else {
    ht_console_tags(stdout);
    code = ht_command_run(one.words, one.word);
    ht_console_tags(NULL);
    status = code == HT_OK || code == HT_ERR_NOT_STEADY ? copy_results(&one) : HT_OK;
    if (status != HT_OK) code = refuse(status);
  }
  for (int i = 0; i < one.words; i++) free(one.made[i]);
  return code;
}
