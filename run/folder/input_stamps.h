/* Stamps of an input's files, which show whether these changed while they were read. */
#ifndef HT_INPUT_STAMPS_H
#define HT_INPUT_STAMPS_H

#include "core/disk/path_list.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_input_stamp ht_input_stamp;

/* Number, size and times of files, by name; {0}: of no files. */
typedef struct {
  ht_path_list files; /* sorted */
  int has_folder;     /* 1: `files` are all files of a folder, and `more` */
  ht_input_stamp *of; /* [files.count] owned */
} ht_input_stamps;

/* Takes the stamps of a file, or of all files of a folder. `beside` 1: also of the files next to a
 * file, among which its series lies; `more`: further files, one per line, "" for none. A file that
 * cannot be examined is left out: the import reports its fault. HT_ERR_MEMORY. Free with
 * ht_input_stamps_free(). */
ht_status ht_input_stamps_take(const char *input, int beside, const char *more,
                               ht_input_stamps *stamps);

/* Returns HT_ERR_FORMAT, with the file's name, where one of `read` has changed. Files are compared
 * with themselves and not with this machine's clock, which may differ from that of a file server.
 * Files without a stamp are not compared. */
ht_status ht_input_stamps_check(const ht_input_stamps *stamps, const ht_path_list *read);

void ht_input_stamps_free(ht_input_stamps *stamps);

#ifdef __cplusplus
}
#endif
#endif
