#define _GNU_SOURCE
#include "run/record/machine_record.h"
#include "core/version.h"
#include <gnu/libc-version.h>
#include <openssl/crypto.h>
#include <string.h>

static const ht_member machine_members[] = {
    {HT_MEMBER(ht_machine_record, "device", device), .options = HT_DECIDES},
    {HT_MEMBER(ht_machine_record, "device_name", device_name)},
    {HT_MEMBER(ht_machine_record, "cpu", cpu)},
    {HT_MEMBER(ht_machine_record, "threads", threads)},
    {HT_MEMBER(ht_machine_record, "compiler", compiler)},
    {HT_MEMBER(ht_machine_record, "libc", libc)},
    {0},
};

const ht_member ht_machine_members[] = {{HT_PART("machine", machine_members)}, {0}};

typedef struct {
  const char *name, *version;
} library;

/* Returns the library; NULL after the last. */
static library library_number(int number) {
  const library libraries[] = {
#ifdef HT_ITK_VERSION
      {"ITK", HT_ITK_VERSION},
#endif
#ifdef HT_DCMTK_VERSION
      {"DCMTK", HT_DCMTK_VERSION},
#endif
      {"libfyaml", fy_library_version()},
      {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {NULL, NULL}};
  return libraries[number];
}

/* Adds "NAME VERSION" to a list. */
static void add_library(char *list, size_t size, const char *name, const char *version) {
  size_t length = strlen(list);
  snprintf(list + length, size - length, "%s%s %s", length ? ", " : "", name, version);
}

/* Finds "model name : Intel(R) ..." of the first processor; "" where the system does not say. */
static void find_cpu(char cpu[96]) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  cpu[0] = 0;
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(cpu, 96, "%.95s", colon + 1 + strspn(colon + 1, " "));
    break;
  }
  if (file) fclose(file);
}

ht_status ht_machine_now(ht_device asked, int threads, ht_machine_record *record) {
  char name[128], why[256];
  int on_gpu;
  memset(record, 0, sizeof *record);
  HT_TRY(ht_choose_device(asked, &on_gpu));
  HT_TRY(ht_device_describe(asked, name, why));
  if (on_gpu) /* a CPU without the number of threads, on which no result depends */
    snprintf(record->device_name, sizeof record->device_name, "%s", name);
  else
    snprintf(record->device_name, sizeof record->device_name, "CPU, %s", ht_cpu_instruction_set());
  snprintf(record->version, sizeof record->version, "%s", ht_version());
  snprintf(record->commit, sizeof record->commit, "%s", ht_commit());
  snprintf(record->compiler, sizeof record->compiler, "%s", __VERSION__);
  snprintf(record->libc, sizeof record->libc, "%s", gnu_get_libc_version());
  snprintf(record->device, sizeof record->device, "%s", on_gpu ? "cuda" : "cpu");
  for (int i = 0; library_number(i).name; i++)
    add_library(record->libraries, sizeof record->libraries, library_number(i).name,
                library_number(i).version);
  find_cpu(record->cpu);
  record->threads = ht_cpu_threads(threads);
  return HT_OK;
}

void ht_program_json(ht_json *json) {
  ht_json_string(json, "hemotile", ht_version());
  ht_json_string(json, "commit", ht_commit());
  ht_json_object(json, "libraries");
  for (int i = 0; library_number(i).name; i++)
    ht_json_string(json, library_number(i).name, library_number(i).version);
  ht_json_object_end(json);
}

void ht_program_read(struct fy_node *root, ht_machine_record *record) {
  struct fy_node *names = ht_yaml_get(root, "libraries");
  ht_yaml_text(root, "hemotile", record->version, sizeof record->version);
  ht_yaml_text(root, "commit", record->commit, sizeof record->commit);
  for (int i = 0; names && library_number(i).name; i++) {
    char version[64];
    if (ht_yaml_text(names, library_number(i).name, version, sizeof version))
      add_library(record->libraries, sizeof record->libraries, library_number(i).name, version);
  }
}

int ht_machine_differs(const ht_machine_record *there, const ht_machine_record *here, char *text,
                       size_t size) {
  const struct {
    const char *name, *there, *here;
  } part[] = {{"hemotile", there->version, here->version},
              {"commit", there->commit, here->commit},
              {"libraries", there->libraries, here->libraries},
              {"device", there->device_name, here->device_name},
              {"CPU", there->cpu, here->cpu},
              {"compiler", there->compiler, here->compiler},
              {"C library", there->libc, here->libc}};
  size_t length = 0;
  text[0] = 0;
  for (size_t i = 0; i < sizeof part / sizeof *part && length < size; i++)
    if (part[i].there[0] && strcmp(part[i].there, part[i].here) != 0)
      length += (size_t)snprintf(text + length, size - length, "%s%s %s there, %s here",
                                 length ? "; " : "", part[i].name, part[i].there, part[i].here);
  return length > 0;
}
