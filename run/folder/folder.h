/* The case folder: the names of its files, and the rules for writing into it. */
#ifndef HT_FOLDER_H
#define HT_FOLDER_H

#include "core/disk/file.h"
#include "core/disk/folder_names.h"
#include "core/disk/path_list.h"
#include <sys/types.h>

const char *ht_stage_name(ht_stage stage);

/* Returns HT_ERR_FORMAT unless the input is a file or a folder: reading a pipe or a device might
 * never end. */
ht_status ht_input_check(const char *input);

/* Finds the folder of the file, from its path alone; "." where the path has no folder. */
void ht_folder_of(const char *path, char folder[HT_PATH_MAX]);

/* Returns HT_ERR_USAGE unless results may go into the folder: it is new, empty or a case folder,
 * neither contains the input nor lies in it, and its subfolders are no links. Where the input is a
 * folder, the message suggests another for the results. `input` may be "". */
ht_status ht_folder_check(const char *folder, const char *input);

/* Repeats the check once the files of the input are known: HT_ERR_USAGE where the folder lies in
 * one that a DICOM series was read from, also where a slice is a link. */
ht_status ht_folder_check_read(const char *folder, const ht_path_list *files);

/* Returns 1 for a case folder that hemotile made. */
int ht_folder_is_case(const char *folder);

/* Makes new files and folders readable by their owner alone from now on, or with `follow_umask` as
 * the present umask sets. Returns that umask: umask() goes back to it. */
mode_t ht_folder_privacy(int follow_umask);

/* Removes the files of the stages after `stage`: they belong to an older result of `stage`. Kept
 * measurements become measurements_before.csv. */
void ht_folder_drop_after(const char *folder, ht_stage stage);

/* Removes the pictures of the mask: they are of an earlier one. */
void ht_folder_drop_mask_drawn(const char *folder);

/* Removes the kept measurements, also those of the flow before: they are of another scan. */
void ht_folder_drop_measurements(const char *folder);

/* Removes the DICOM files: they are written again, or no longer requested. */
void ht_folder_drop_dicom(const char *folder);

/* Removes the files of a beat that an earlier solve left, and those exported from them. */
void ht_folder_drop_beat(const char *folder);

/* Removes the sensitivity runs of an earlier export. */
void ht_folder_drop_sensitivity(const char *folder);

/* Removes the first look at the flow (first_look.h): it is of other settings. */
void ht_folder_drop_first_look(const char *folder);

/* Removes half-written files (".NAME.PID.part.EXT") of a process; pid 0: of all processes. */
void ht_folder_sweep(const char *folder, pid_t pid);

/* Returns the number of entries; -1 where it cannot be read. */
int ht_folder_entries(const char *folder);

/* Returns 1 where both paths name the same file or folder; 0 where one is absent. */
int ht_same_file(const char *a, const char *b);

#endif
