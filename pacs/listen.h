/* Takes the DICOM objects that come through one connection (C-STORE), with DCMTK's SCP. */
#ifndef HT_LISTEN_H
#define HT_LISTEN_H

#include "pacs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an object says of itself. UTF-8 where it can be had. */
typedef struct {
  char study_uid[65], series_uid[65], instance_uid[65];
  char modality[17];
  char study_description[200], series_description[200];
  int is_result; /* 1: hemotile made it from another study or this one */
} ht_pacs_object;

/* Reads a file's header. HT_ERR_FORMAT: it is no DICOM object, or its UIDs are not valid. */
ht_status ht_pacs_object_read(const char *path, ht_pacs_object *object);

/* Takes over the file at `path`, which is on the disk; on a failure the sender is told that the
 * object is not stored. */
typedef ht_status (*ht_pacs_keep)(void *user, const ht_pacs_object *object, const char *path);

/* Speaks with one sender until it ends, and closes `connection` (a TCP socket). Only senders of
 * settings->watch.caller are let in, and only for our own AE title. Objects are first written into
 * the folder `incoming`. `refused` [128]: why no association came about; "". HT_ERR_NETWORK. */
ht_status ht_pacs_receive(const ht_pacs_settings *settings, int connection, const char *incoming,
                          ht_pacs_keep keep, void *user, char refused[128]);

#ifdef __cplusplus
}
#endif
#endif
