#include "app/compare/compare_folder.h"
#include "core/disk/folder_walk.h"
#include "run/folder/folder.h"
#include "run/process/interrupt.h"
#include <string.h>
#include <unistd.h>

ht_status ht_compare_folder_check(const char *folder) {
  char path[HT_PATH_MAX];
  if (!folder) return ht_fail(HT_ERR_USAGE, "no folder for the comparison: give -o DIR");
  HT_TRY(ht_path_join(path, folder, HT_COMPARE_CSV));
  if (!ht_file_exists(folder)) return HT_OK;
  if (!ht_folder_exists(folder))
    return ht_fail(HT_ERR_USAGE, "%s: this is a file: give -o a folder", folder);
  if (ht_folder_is_case(folder))
    return ht_fail(HT_ERR_USAGE,
                   "%s: this is a case folder, which a comparison does not change: choose an empty "
                   "or new one with -o",
                   folder);
  if (ht_file_exists(path) || ht_folder_entries(folder) == 0) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: this folder holds other files and no comparison: choose an empty or new one "
                 "with -o",
                 folder);
}

/* Removes the files of an earlier comparison of other cases. */
static int drop_entry(void *user, const char *name) {
  char path[HT_PATH_MAX];
  int is_wall =
      strncmp(name, HT_COMPARE_WALL, strlen(HT_COMPARE_WALL)) == 0 && ht_path_ends(name, ".vtp");
  int is_picture = (strncmp(name, "difference_", 11) == 0 || strncmp(name, "measured_", 9) == 0) &&
                   ht_path_ends(name, ".png");
  int is_page = strcmp(name, HT_COMPARE_PAGE) == 0 || strcmp(name, HT_COMPARE_SECTIONS) == 0 ||
                strcmp(name, HT_COMPARE_JSON) == 0;
  if ((is_wall || is_picture || is_page) && ht_path_join(path, user, name) == HT_OK) unlink(path);
  return 0;
}

ht_status ht_compare_folder_begin(const char *folder) {
  HT_TRY(ht_folder_make(folder));
  ht_interrupt_folder(folder, ht_folder_sweep);
  (void)ht_folder_walk(folder, drop_entry, (void *)folder);
  return HT_OK;
}
