/* Writes files whole or not at all: under a temporary name next to the target, renamed at the
 * end. */
#ifndef HT_FILE_H
#define HT_FILE_H

#include "core/status.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_PATH_MAX = 4096 };

/* An output file being written. */
typedef struct {
  FILE *stream;             /* write here */
  char path[HT_PATH_MAX];   /* the final name */
  char hidden[HT_PATH_MAX]; /* the name until then */
} ht_output;

/* Opens a temporary file in the folder of `path`. HT_ERR_WRITE with the system's reason. */
ht_status ht_output_open(const char *path, ht_output *output);

/* Flushes to the disk and renames to the final name; on a failure (a full disk shows here) removes
 * the temporary file and returns HT_ERR_WRITE. Always closes. */
ht_status ht_output_commit(ht_output *output);

/* Closes and removes what was written; safe on a zeroed or committed struct. */
void ht_output_abandon(ht_output *output);

/* Commits the file where `status` is HT_OK, else abandons it and returns `status`. */
ht_status ht_output_end(ht_output *output, ht_status status);

/* Makes an empty file "DIR/.NAME.part.EXT" for writers that need a name, not a stream (ITK, DCMTK).
 * EXT is everything after the first dot of the file's name ("nii.gz"), so that the writer picks the
 * format by it. Call ht_output_rename or ht_output_abandon afterwards. */
ht_status ht_output_name(const char *path, ht_output *output);
/* Renames the file to its final name. HT_ERR_WRITE also where nothing was written. */
ht_status ht_output_rename(ht_output *output);

/* Removes the temporary file after a function that writes whole files itself has failed with
 * `status`, and puts the final name into the message. Returns `status`. */
ht_status ht_output_failed(ht_output *output, ht_status status);

/* Opens a file or a folder (which then cannot be read) as fopen(path, "rb") does. NULL, with errno,
 * also for a pipe, which would wait for a writer, a socket, and a device, which may never end. */
FILE *ht_file_open(const char *path);

/* Opens it as a descriptor, which the caller closes; -1 in place of NULL. */
int ht_file_descriptor(const char *path);

/* Returns the reason why one of these failed, by errno, for messages. */
const char *ht_file_reason(void);

/* Finds the path of the running program, as argv[0] for a further copy. HT_ERR_INTERNAL. */
ht_status ht_program_path(char path[HT_PATH_MAX]);

/* Copies the file `from` to the name `to`, whole or not at all. HT_ERR_NOT_FOUND where `from`
 * cannot be opened, HT_ERR_FORMAT where it cannot be read to its end, HT_ERR_WRITE. */
ht_status ht_file_copy(const char *from, const char *to);

/* Creates the folder and its parents where absent. HT_ERR_WRITE. */
ht_status ht_folder_make(const char *path);

/* Returns 1 where the path exists (and is a folder). */
int ht_file_exists(const char *path);
int ht_folder_exists(const char *path);

/* Joins dir + "/" + name into `out`; HT_ERR_USAGE where longer than HT_PATH_MAX. */
ht_status ht_path_join(char out[HT_PATH_MAX], const char *dir, const char *name);

/* Composes the path of a name that the file has: relative to the folder of the file, unless it
 * begins with "/". `name` may not be `out`. HT_ERR_USAGE where longer than HT_PATH_MAX. */
ht_status ht_path_beside(char out[HT_PATH_MAX], const char *file, const char *name);

/* Returns the last part of a path: what follows its last "/", or all of it. */
const char *ht_path_name(const char *path);

/* Returns 1 where the path ends in `ending` (".nii"), in upper or lower case, and has more before
 * it. */
int ht_path_ends(const char *path, const char *ending);

#ifdef __cplusplus
}
#endif
#endif
