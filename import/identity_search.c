/* Finds the patients of the scans at a path, before a scan is read or a message written. */
#include "import/dicom/dicom.h"
#include "import/dicom/dicom_directory.h"
#include "import/series/dicom_folder.h"
#include "import/dicom/dicom_identity.h"
#include "import/dicom/dicom_looked.h"
#include "core/disk/file.h"
#include "import/image/image.h"
#include "import/import.h"
#include "core/disk/path_list.h"
#include "import/series/zip_archive.h"
#include <string.h>

/* Largest number of files to look at. A header takes half a millisecond; this number of files,
 * spread over all, has some of each patient of a folder. */
enum { LOOKED_MAX = 200, UNPACKED_MAX = 64 };

static void add_dicom(ht_path_list *list, const char *path) {
  if (!ht_image_named(path) && ht_dicom_begins(path)) (void)ht_path_list_add(list, path);
}

/* A DICOMDIR has its patients itself; its files have them where it does not. */
static void add_file(ht_path_list *list, const char *path) {
  ht_directory_entry *entry = NULL;
  int is_directory = 0, count = 0;
  add_dicom(list, path);
  if (list->count == 0 || ht_directory_read(path, &is_directory, &entry, &count) != HT_OK) return;
  for (int i = 0; i < count; i++)
    if (entry[i].is_there) add_dicom(list, entry[i].path);
  ht_directory_free(entry, count);
}

/* Lists the DICOM files at `path`; `look`: names them already. */
static void list_files(const char *path, const ht_dicom_look *look, ht_path_list *list) {
  ht_path_list all = {0};
  if (!ht_folder_exists(path)) {
    add_file(list, path);
    return;
  }
  if (!look) (void)ht_path_list_folder(path, HT_DICOM_DEPTH, &all);
  const ht_path_list *files = look ? look->files : &all;
  for (int i = 0; i < files->count; i++) add_dicom(list, files->path[i]);
  ht_path_list_free(&all);
}

/* Reads the identity of a file. An unreadable file counts as nobody's: the import says why. */
static void read_identity(const char *path, ht_dicom_look *look, ht_identity *identity) {
  if (!look)
    ht_dicom_identity(path, identity);
  else if (ht_dicom_look_add(look, path, identity) != HT_OK)
    memset(identity, 0, sizeof *identity);
}

/* Returns the new number of identities: one more where the file's differs from all before. */
static int ask_file(const char *path, ht_dicom_look *look, ht_identity *found, int count) {
  static const ht_identity nobody;
  ht_identity *next = &found[count];
  read_identity(path, look, next);
  if (memcmp(next, &nobody, sizeof nobody) == 0) return count;
  for (int i = 0; i < count; i++)
    if (memcmp(next, &found[i], sizeof *next) == 0) return count;
  return count + 1;
}

static int ask_files(const char *path, ht_dicom_look *look, ht_identity *found, int most) {
  ht_path_list files = {0};
  int count = 0;
  list_files(path, look, &files);
  int looked = files.count < LOOKED_MAX ? files.count : LOOKED_MAX;
  for (int i = 0; i < looked && count < most; i++)
    count = ask_file(files.path[(int64_t)i * files.count / looked], look, found, count);
  ht_path_list_free(&files);
  return count;
}

int ht_import_identities(const char *path, ht_dicom_look *look, ht_identity *found, int most) {
  char unpacked[HT_PATH_MAX];
  if (ht_folder_exists(path))
    return ask_files(path, look && look->files ? look : NULL, found, most);
  if (!ht_zip_begins(path)) return ask_files(path, NULL, found, most);
  if (ht_zip_unpack(path, UNPACKED_MAX, NULL, unpacked) != HT_OK)
    return 0; /* reading it reports why */
  int count = ask_files(unpacked, NULL, found, most);
  ht_zip_remove(unpacked);
  return count;
}
