#include "run/folder/picture_colours.h"
#include "run/folder/folder.h"
#include "core/formats/json.h"
#include "run/folder/yaml_file.h"

/* Keys of `export` in a case file. */
static const char speed_key[] = "speed_colours_to_m_s", wss_key[] = "wss_colours_to_pa",
                  complete_key[] = "complete";

/* Reads the ends; `section` NULL for the top level. Does nothing where the file cannot be read. */
static void read_ends(const char *folder, const char *name, const char *section,
                      ht_picture_colours *colours) {
  char path[HT_PATH_MAX];
  ht_yaml yaml;
  if (ht_path_join(path, folder, name) != HT_OK || !ht_file_exists(path) ||
      ht_yaml_read(path, HT_ERR_FORMAT, &yaml) != HT_OK)
    return;
  struct fy_node *at = section ? ht_yaml_get(yaml.root, section) : yaml.root;
  if (at) {
    ht_yaml_number(at, speed_key, &colours->speed_m_s);
    ht_yaml_number(at, wss_key, &colours->wss_pa);
    ht_yaml_bool(at, complete_key, &colours->complete);
  }
  ht_yaml_free(&yaml);
}

int ht_picture_colours_read(const char *folder, ht_picture_colours *colours) {
  char path[HT_PATH_MAX];
  *colours = (ht_picture_colours){0};
  if (ht_path_join(path, folder, HT_FILE_COLOURS) != HT_OK || !ht_file_exists(path)) return 0;
  read_ends(folder, HT_FILE_COLOURS, NULL, colours);
  return 1;
}

void ht_picture_colours_of(const char *folder, ht_picture_colours *colours) {
  if (ht_picture_colours_read(folder, colours)) return;
  read_ends(folder, HT_FILE_CASE, "export", colours);
  colours->complete = 1;
}

static void put(ht_json *json, const char *key, double end) {
  if (end > 0)
    ht_json_number(json, key, end);
  else
    ht_json_string(json, key, "auto");
}

ht_status ht_picture_colours_write(const char *folder, const ht_picture_colours *colours) {
  char path[HT_PATH_MAX];
  ht_output output;
  ht_json json;
  HT_TRY(ht_path_join(path, folder, HT_FILE_COLOURS));
  HT_TRY(ht_json_open(path, &output, &json));
  put(&json, speed_key, colours->speed_m_s);
  put(&json, wss_key, colours->wss_pa);
  ht_json_bool(&json, complete_key, colours->complete);
  return ht_json_commit(&json, &output);
}

ht_status ht_picture_colours_leave(const char *folder) {
  ht_picture_colours colours;
  if (!ht_picture_colours_read(folder, &colours)) return HT_OK;
  colours.complete = 0;
  return ht_picture_colours_write(folder, &colours);
}

void ht_picture_colours_drop(const char *folder) {
  char path[HT_PATH_MAX];
  if (ht_path_join(path, folder, HT_FILE_COLOURS) == HT_OK) remove(path);
}
