#include "core/disk/config_folder.h"
#include <stdlib.h>

ht_status ht_config_folder(char folder[HT_PATH_MAX]) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  const int is_named = config && config[0] == '/';
  if (!is_named && !(home && home[0] == '/'))
    return ht_fail(HT_ERR_WRITE, "there is no home folder: set HOME or XDG_CONFIG_HOME");
  return is_named ? ht_path_join(folder, config, "hemotile")
                  : ht_path_join(folder, home, ".config/hemotile");
}
