/* The file of the steps that correct a case's mask (edits.jsonl): a line of JSON each, that is only
 * ever appended to.
 *
 *   {"hemotile_edits": 1, "base_sha256": "...", "vessel": "..."}     the first line
 *   {"step": "erase", ...}     a step (step_text.h); drops those that were undone
 *   {"undo": 1}, {"redo": 2}   moves the position in the list of steps
 *   {"mask_sha256": "..."}     a mask.nii.gz that was made of the steps up to here
 *
 * A line is on the disk before the call that appends it returns. What a kill or a full disk leaves
 * of a line has no end of line: it is left out, and removed by the next append. Several processes
 * may append; each reads the lines of the others first. */
#ifndef HT_EDIT_FILE_H
#define HT_EDIT_FILE_H

#include "core/disk/file.h"
#include "run/folder/hash.h"
#include "segment/edit/edit_step.h"
#include <stdint.h>

typedef struct {
  ht_edit_step step;
  char *text; /* its line, without the end; owned */
} ht_edit_entry;

typedef struct {
  char path[HT_PATH_MAX];
  int descriptor;                 /* -1: closed */
  int64_t size;                   /* bytes of the lines that were read */
  int lines;                      /* their number: the revision of the list */
  char base_sha256[HT_HASH_TEXT]; /* of the file of the first mask */
  char vessel[HT_HASH_TEXT];      /* stands for the vessel that it is a mask of; "": none */
  ht_edit_entry *entry;           /* the steps; owned */
  int entries, room;
  int position;                      /* steps that count: entry[0 .. position - 1] */
  int is_pending;                    /* the list has changed since a mask was made of it */
  char (*mask_sha256)[HT_HASH_TEXT]; /* the masks that were made; owned */
  int masks;
  int was_torn; /* an incomplete line at the end was left out */
} ht_edit_file;

/* Creates the file with its first line. HT_ERR_WRITE. */
ht_status ht_edit_file_create(const char *path, const char *base_sha256, const char *vessel);

/* Opens the file and reads it. HT_ERR_NOT_FOUND; HT_ERR_FORMAT: a whole line cannot be read, the
 * message has its number; HT_ERR_MEMORY. The caller closes it, also after a failure. */
ht_status ht_edit_file_open(const char *path, ht_edit_file *file);
void ht_edit_file_close(ht_edit_file *file);

/* Locks the file against the appends of other processes, and reads their lines. HT_ERR_NOT_FOUND:
 * it was moved away since. Errors as above. */
ht_status ht_edit_file_lock(ht_edit_file *file);
void ht_edit_file_unlock(ht_edit_file *file);

/* Append a line and take it over, with the lock held. HT_ERR_WRITE: the file is as before. */
ht_status ht_edit_file_add_step(ht_edit_file *file, const ht_edit_step *step);
ht_status ht_edit_file_add_mask(ht_edit_file *file, const char *sha256);

/* Moves the position to 0 .. entries by an undo or redo. HT_ERR_USAGE: there are fewer steps. */
ht_status ht_edit_file_move(ht_edit_file *file, int position);

/* Returns 1 where this mask was made of the steps. */
int ht_edit_file_made(const ht_edit_file *file, const char *sha256);

#endif
