/* The user's folder for what hemotile keeps between runs. */
#ifndef HT_CONFIG_FOLDER_H
#define HT_CONFIG_FOLDER_H

#include "core/disk/file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds $XDG_CONFIG_HOME/hemotile, else ~/.config/hemotile, which need not exist. HT_ERR_WRITE:
 * neither variable names a folder, or the path is too long. */
ht_status ht_config_folder(char folder[HT_PATH_MAX]);

#ifdef __cplusplus
}
#endif
#endif
