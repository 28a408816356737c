/* One walk over the entries of a folder, for everything that lists, counts, checks or clears
 * one. */
#ifndef HT_FOLDER_WALK_H
#define HT_FOLDER_WALK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Looks at one entry: its name without the folder. A result other than 0 ends the walk. */
typedef int (*ht_folder_entry)(void *user, const char *name);

/* Calls `each` for every entry of the folder by name, without "." and "..", and returns the first
 * result that is not 0, else 0. -1 where the folder cannot be read: errno then says why. `each` may
 * remove its entry. Does not go into inner folders. */
int ht_folder_walk(const char *folder, ht_folder_entry each, void *user);

#ifdef __cplusplus
}
#endif
#endif
