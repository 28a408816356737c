/* Input of `hemotile pacs watch`. */
#ifndef HT_WATCHER_H
#define HT_WATCHER_H

#include "app/pacs/pacs_settings.h"

typedef struct {
  const ht_pacs_settings *settings;
  const char *settings_file; /* file of these settings, for `hemotile pacs send` */
  int (*stop)(void);
  void (*tell)(const char *line); /* a line for the user; no patient's name in it */
} ht_watcher;

#endif
