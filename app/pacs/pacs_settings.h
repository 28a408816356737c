/* Settings of an archive, and of `hemotile pacs watch`: from a YAML file. */
#ifndef HT_PACS_SETTINGS_H
#define HT_PACS_SETTINGS_H

#include "core/disk/file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_AE_TEXT = 17, HT_PACS_CALLERS_MAX = 32, HT_PACS_RULES_MAX = 32 };

/* Rule for a study; the first that fits applies. */
typedef struct {
  char modality[17];           /* "": any */
  char description[65];        /* pattern for study or series, with * and ?; "": any */
  char case_file[HT_PATH_MAX]; /* case file whose scan is ${HEMOTILE_STUDY}; "": defaults, and
                                  preset */
  char preset[17];             /* as --preset; "": none */
} ht_pacs_rule;

typedef struct {
  char address[64]; /* address to listen on: "127.0.0.1" */
  int port;
  char folder[HT_PATH_MAX]; /* folder of the studies and their results */
  int quiet_s;              /* seconds without a new object after which a study is complete */
  int count;                /* 1: asks the archive how many objects a study has */
  int send;                 /* 1: sends the results to the archive */
  int tls;                  /* 1: senders use TLS, with the certificates of the settings */
  int callers;
  char caller[HT_PACS_CALLERS_MAX][HT_AE_TEXT]; /* AE titles that may send */
  int rules;
  ht_pacs_rule rule[HT_PACS_RULES_MAX];
} ht_pacs_watch;

typedef struct {
  char host[256]; /* "": not given */
  int port;
  char called_ae[HT_AE_TEXT], calling_ae[HT_AE_TEXT];
  int timeout_s;
  int tls;                                                 /* 1: TLS, with the files below (PEM) */
  char tls_ca[HT_PATH_MAX];                                /* certificates to trust */
  char tls_certificate[HT_PATH_MAX], tls_key[HT_PATH_MAX]; /* ours; "": none */
  ht_pacs_watch watch;
} ht_pacs_settings;

void ht_pacs_defaults(ht_pacs_settings *settings);

/* Reads a file over the present settings; paths in it are relative to it. HT_ERR_NOT_FOUND;
 * HT_ERR_CASE with file:line:column. */
ht_status ht_pacs_read(const char *path, ht_pacs_settings *settings);

/* Checks the settings of an archive. HT_ERR_USAGE: no host, or TLS without its files.
 * HT_ERR_NOT_FOUND: one of them is missing. */
ht_status ht_pacs_check(const ht_pacs_settings *settings);

/* Checks the settings of a watch that listens with TLS, with the same errors. */
ht_status ht_pacs_check_watch_tls(const ht_pacs_settings *settings);

/* Returns HT_ERR_USAGE unless the text may be an AE title, or a UID. `name` starts the message. */
ht_status ht_pacs_check_ae(const char *text, const char *name);
ht_status ht_pacs_check_uid(const char *text, const char *name);

/* Returns 1 where the text fits the pattern (* and ?), in upper or lower case; "" fits all. */
int ht_pacs_fits(const char *pattern, const char *text);

#ifdef __cplusplus
}
#endif
#endif
