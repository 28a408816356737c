#define _GNU_SOURCE
#include "app/pacs/pacs_settings.h"
#include "run/folder/yaml_file.h"
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum { TEXT, PATH, AE, NUMBER, YES_NO } key_type;

typedef struct {
  const char *name;
  key_type type;
  size_t offset, size;
  int least, most; /* range of a number */
} key;

/* A mapping that is being read: its keys, and where their values go. */
typedef struct {
  const char *file;
  const char *section; /* for messages */
  const key *keys;     /* ends with a NULL name */
  const char *inner;   /* names of keys with mappings and lists of their own, "tls watch" */
  void *target;
} mapping;

#define AT(type_, field) offsetof(type_, field), sizeof(((type_ *)0)->field)

static const key peer_keys[] = {{"host", TEXT, AT(ht_pacs_settings, host), 0, 0},
                                {"port", NUMBER, AT(ht_pacs_settings, port), 1, 65535},
                                {"called_ae", AE, AT(ht_pacs_settings, called_ae), 0, 0},
                                {"calling_ae", AE, AT(ht_pacs_settings, calling_ae), 0, 0},
                                {"timeout_s", NUMBER, AT(ht_pacs_settings, timeout_s), 1, 3600},
                                {0}};
static const key tls_keys[] = {{"ca", PATH, AT(ht_pacs_settings, tls_ca), 0, 0},
                               {"certificate", PATH, AT(ht_pacs_settings, tls_certificate), 0, 0},
                               {"key", PATH, AT(ht_pacs_settings, tls_key), 0, 0},
                               {0}};
static const key watch_keys[] = {{"address", TEXT, AT(ht_pacs_watch, address), 0, 0},
                                 {"port", NUMBER, AT(ht_pacs_watch, port), 1, 65535},
                                 {"folder", PATH, AT(ht_pacs_watch, folder), 0, 0},
                                 {"quiet_s", NUMBER, AT(ht_pacs_watch, quiet_s), 1, 86400},
                                 {"count", YES_NO, AT(ht_pacs_watch, count), 0, 0},
                                 {"send", YES_NO, AT(ht_pacs_watch, send), 0, 0},
                                 {"tls", YES_NO, AT(ht_pacs_watch, tls), 0, 0},
                                 {0}};
static const key rule_keys[] = {{"modality", TEXT, AT(ht_pacs_rule, modality), 0, 0},
                                {"description", TEXT, AT(ht_pacs_rule, description), 0, 0},
                                {"case", PATH, AT(ht_pacs_rule, case_file), 0, 0},
                                {"preset", TEXT, AT(ht_pacs_rule, preset), 0, 0},
                                {0}};

void ht_pacs_defaults(ht_pacs_settings *settings) {
  memset(settings, 0, sizeof *settings);
  settings->port = 104;
  settings->timeout_s = 60;
  strcpy(settings->called_ae, "ANY-SCP");
  strcpy(settings->calling_ae, "HEMOTILE");
  strcpy(settings->watch.address, "127.0.0.1");
  settings->watch.port = 11112;
  settings->watch.quiet_s = 60;
  settings->watch.count = 1;
  settings->watch.send = 1;
}

/* ---- values ---- */

/* Checks a title by PS3.5 6.2: up to 16 characters, no backslash, no control characters. */
ht_status ht_pacs_check_ae(const char *text, const char *name) {
  size_t length = strlen(text);
  int good = length > 0 && length < HT_AE_TEXT && strspn(text, " ") < length;
  for (const char *c = text; *c; c++) good = good && *c >= ' ' && *c < 127 && *c != '\\';
  return good ? HT_OK
              : ht_fail(HT_ERR_USAGE,
                        "%s is '%.40s': an AE title has 1 to 16 characters, without a backslash",
                        name, text);
}

/* Checks a UID by PS3.5 9.1. It becomes the name of a file or folder, so "." and ".." are
 * refused. */
ht_status ht_pacs_check_uid(const char *text, const char *name) {
  size_t length = strlen(text);
  int good = length > 0 && length < 65 && strspn(text, "0123456789.") == length && text[0] != '.' &&
             text[length - 1] != '.' && !strstr(text, "..");
  if (good) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "%s is '%.70s': a UID has up to 64 digits, with dots between", name,
                 text);
}

int ht_pacs_fits(const char *pattern, const char *text) {
  return !pattern[0] || fnmatch(pattern, text, FNM_CASEFOLD | FNM_NOESCAPE) == 0;
}

static ht_status refuse(const mapping *in, struct fy_node *node, const char *text) {
  int line, column;
  ht_yaml_position(node, &line, &column);
  return ht_fail(HT_ERR_CASE, "%s:%d:%d: %s", in->file, line, column, text);
}

static ht_status set_number(const mapping *in, struct fy_node *node, const key *to,
                            const char *text) {
  char *end, message[128];
  long value = strtol(text, &end, 10);
  if (*text && !*end && value >= to->least && value <= to->most) {
    *(int *)((char *)in->target + to->offset) = (int)value;
    return HT_OK;
  }
  snprintf(message, sizeof message, "%s is '%.40s': allowed is a whole number from %d to %d",
           to->name, text, to->least, to->most);
  return refuse(in, node, message);
}

static ht_status set_yes_no(const mapping *in, struct fy_node *node, const key *to,
                            const char *text) {
  char message[128];
  int is_yes = strcmp(text, "yes") == 0;
  *(int *)((char *)in->target + to->offset) = is_yes;
  if (is_yes || strcmp(text, "no") == 0) return HT_OK;
  snprintf(message, sizeof message, "%s is '%.40s': allowed is yes or no", to->name, text);
  return refuse(in, node, message);
}

static ht_status set(const mapping *in, struct fy_node *node, const key *to) {
  const char *text = node && fy_node_is_scalar(node) ? fy_node_get_scalar0(node) : NULL;
  char *at = (char *)in->target + to->offset, message[128];
  snprintf(message, sizeof message, "%s needs a value of 1 to %d characters", to->name,
           (int)to->size - 1);
  if (!text || !*text) return refuse(in, node, message);
  if (to->type == NUMBER) return set_number(in, node, to, text);
  if (to->type == YES_NO) return set_yes_no(in, node, to, text);
  if (strlen(text) >= to->size) return refuse(in, node, message);
  if (to->type == PATH) return ht_path_beside(at, in->file, text);
  if (to->type == AE && ht_pacs_check_ae(text, to->name) != HT_OK) {
    snprintf(message, sizeof message, "%.120s", ht_error_message());
    return refuse(in, node, message);
  }
  snprintf(at, to->size, "%s", text);
  return HT_OK;
}

/* ---- mappings ---- */

static int is_inner(const char *names, const char *name) {
  const char *at = strstr(names, name);
  return at && (at[strlen(name)] == 0 || at[strlen(name)] == ' ');
}

static ht_status read_mapping(const mapping *in, struct fy_node *node) {
  struct fy_node_pair *pair;
  void *next = NULL;
  char message[160];
  snprintf(message, sizeof message, "%s needs keys with values", in->section);
  if (!fy_node_is_mapping(node)) return refuse(in, node, message);
  while ((pair = fy_node_mapping_iterate(node, &next))) {
    struct fy_node *name = fy_node_pair_key(pair);
    const char *text = fy_node_is_scalar(name) ? fy_node_get_scalar0(name) : "";
    const key *to = in->keys;
    while (to->name && strcmp(to->name, text) != 0) to++;
    if (!to->name && is_inner(in->inner, text)) continue;
    snprintf(message, sizeof message, "unknown key '%.60s' of %s; docs/pacs.md lists all", text,
             in->section);
    if (!to->name) return refuse(in, name, message);
    HT_TRY(set(in, fy_node_pair_value(pair), to));
  }
  return HT_OK;
}

static ht_status read_callers(const char *file, struct fy_node *list, ht_pacs_watch *watch) {
  const mapping in = {file, "calling", NULL, "", NULL};
  struct fy_node *item;
  void *next = NULL;
  if (!fy_node_is_sequence(list))
    return refuse(&in, list, "calling is a list of AE titles, as in [CT1, ARCHIVE]");
  while ((item = fy_node_sequence_iterate(list, &next))) {
    const key one = {"calling", AE, 0, HT_AE_TEXT, 0, 0};
    const mapping to = {file, "calling", NULL, "", watch->caller[watch->callers]};
    if (watch->callers == HT_PACS_CALLERS_MAX) return refuse(&in, item, "too many AE titles");
    HT_TRY(set(&to, item, &one));
    watch->callers++;
  }
  return HT_OK;
}

static ht_status read_rules(const char *file, struct fy_node *list, ht_pacs_watch *watch) {
  const mapping in = {file, "rules", NULL, "", NULL};
  struct fy_node *item;
  void *next = NULL;
  if (!fy_node_is_sequence(list))
    return refuse(&in, list, "rules is a list (each entry begins with '- ')");
  while ((item = fy_node_sequence_iterate(list, &next))) {
    if (watch->rules == HT_PACS_RULES_MAX) return refuse(&in, item, "too many rules");
    ht_pacs_rule *rule = &watch->rule[watch->rules++];
    HT_TRY(read_mapping(&(mapping){file, "a rule", rule_keys, "", rule}, item));
    if (rule->case_file[0] && rule->preset[0])
      return refuse(&in, item, "give a rule either a case or a preset");
    if (rule->case_file[0] && !ht_file_exists(rule->case_file))
      return refuse(&in, item, "there is no such case file");
  }
  return HT_OK;
}

static ht_status read_root(const char *file, struct fy_node *root, ht_pacs_settings *settings) {
  struct fy_node *tls = ht_yaml_get(root, "tls"), *watch = ht_yaml_get(root, "watch");
  HT_TRY(read_mapping(&(mapping){file, "the file", peer_keys, "tls watch", settings}, root));
  if (tls) {
    settings->tls = 1;
    HT_TRY(read_mapping(&(mapping){file, "tls", tls_keys, "", settings}, tls));
  }
  if (!watch) return HT_OK;
  const mapping in = {file, "watch", watch_keys, "calling rules", &settings->watch};
  HT_TRY(read_mapping(&in, watch));
  struct fy_node *callers = ht_yaml_get(watch, "calling"), *rules = ht_yaml_get(watch, "rules");
  if (callers) HT_TRY(read_callers(file, callers, &settings->watch));
  return rules ? read_rules(file, rules, &settings->watch) : HT_OK;
}

ht_status ht_pacs_read(const char *path, ht_pacs_settings *settings) {
  ht_yaml yaml;
  HT_TRY(ht_yaml_read(path, HT_ERR_CASE, &yaml));
  ht_status status = read_root(path, yaml.root, settings);
  ht_yaml_free(&yaml);
  return status;
}

static ht_status check_file(const char *path, const char *name) {
  if (!path[0]) return HT_OK;
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file (%s)", path, name);
  FILE *file = ht_file_open(path); /* TLS would wait for the writer of a pipe */
  if (!file)
    return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot open: %s (%s)", path, ht_file_reason(), name);
  fclose(file);
  return HT_OK;
}

ht_status ht_pacs_check(const ht_pacs_settings *settings) {
  if (!settings->host[0])
    return ht_fail(HT_ERR_USAGE, "no archive: give --host and --port, or a file with them with "
                                 "--pacs FILE (docs/pacs.md)");
  HT_TRY(ht_pacs_check_ae(settings->called_ae, "--called-ae"));
  HT_TRY(ht_pacs_check_ae(settings->calling_ae, "--calling-ae"));
  if (!settings->tls) return HT_OK;
  if (!settings->tls_ca[0])
    return ht_fail(HT_ERR_USAGE, "TLS needs the certificate of the archive or of its authority "
                                 "(PEM): give --tls-ca FILE, or tls: {ca: FILE}");
  if (!settings->tls_certificate[0] != !settings->tls_key[0])
    return ht_fail(HT_ERR_USAGE, "TLS: a certificate and its key belong together: give both "
                                 "--tls-certificate and --tls-key, or neither");
  HT_TRY(check_file(settings->tls_ca, "of the archive or its authority"));
  HT_TRY(check_file(settings->tls_certificate, "our certificate"));
  return check_file(settings->tls_key, "the key of our certificate");
}

ht_status ht_pacs_check_watch_tls(const ht_pacs_settings *settings) {
  if (!settings->watch.tls) return HT_OK;
  if (!settings->tls_ca[0] || !settings->tls_certificate[0] || !settings->tls_key[0])
    return ht_fail(HT_ERR_USAGE, "watch: {tls: yes} needs our certificate and its key, and the "
                                 "certificate of the senders or of their authority: set tls: {ca: "
                                 "FILE, certificate: FILE, key: FILE}");
  HT_TRY(check_file(settings->tls_ca, "of the senders or their authority"));
  HT_TRY(check_file(settings->tls_certificate, "our certificate"));
  return check_file(settings->tls_key, "the key of our certificate");
}
