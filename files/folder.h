/* The case folder: the names of its files, and what may be written where. */
#ifndef HT_FOLDER_H
#define HT_FOLDER_H

#include "file.h"
#include "folder_names.h"
#include "path_list.h"
#include <sys/types.h>

const char *ht_stage_name(ht_stage stage);

/* Is it a file or a folder? A pipe or a device as input would be waited for without an end.
 * HT_ERR_FORMAT. */
ht_status ht_input_check(const char *input);

/* The folder that the file is in, by its path alone: "." where that names none. */
void ht_folder_of(const char *path, char folder[HT_PATH_MAX]);

/* May results go here? A folder that is not there yet, is empty or is a case folder, and neither
 * holds the input nor lies in it; its own folders are no links. HT_ERR_USAGE; of a folder as input
 * the message names one where results can go. `input` may be "". */
ht_status ht_folder_check(const char *folder, const char *input);

/* The same question once more, when the files that were read are known: the folders of a DICOM
 * series, also of slices that are links, do not hold the results. HT_ERR_USAGE. */
ht_status ht_folder_check_read(const char *folder, const ht_path_list *files);

/* A case folder made by hemotile? */
int ht_folder_is_case(const char *folder);

/* What is written from now on is of a patient: for its owner alone, or, with `follow_umask`, for
 * whom the user's umask says. */
void ht_folder_privacy(int follow_umask);

/* Removes the files of the stages after `stage`: they belong to what is replaced. */
void ht_folder_drop_after(const char *folder, ht_stage stage);

/* Removes the runs with the wall moved: those of an export before this one. */
void ht_folder_drop_sensitivity(const char *folder);

/* Removes half-written files (".NAME.PID.part.EXT") of a process; pid 0: of all. */
void ht_folder_sweep(const char *folder, pid_t pid);

/* Number of entries; -1 where it cannot be read. */
int ht_folder_entries(const char *folder);

/* Do both paths name the same file or folder? 0 where one is absent. */
int ht_same_file(const char *a, const char *b);

#endif
