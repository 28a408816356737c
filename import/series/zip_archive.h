/* Zip archives of DICOM files (libzip). Private to import/.
 *
 * An archive is not trusted. No entry is written outside the temporary folder, none grows beyond
 * its size in the archive's list, and an archive that would grow out of proportion, or would fill
 * the disk, is refused before anything is unpacked.
 */
#ifndef HT_ZIP_ARCHIVE_H
#define HT_ZIP_ARCHIVE_H

#include "core/disk/file.h"
#include "core/work/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest growth of an archive, or HT_ZIP_SMALL bytes, where that is more: empty images shrink to
 * nothing. Deflate reaches 1032. */
#define HT_ZIP_RATIO 100
#define HT_ZIP_SMALL (1024.0 * 1024 * 1024)
/* Largest number of files in an archive. */
#define HT_ZIP_FILES 500000

/* Returns 1 where the file begins like a zip archive. */
int ht_zip_begins(const char *path);

/* Unpacks the archive, or only its first `most` DICOM files (0: all files), into a new folder below
 * TMPDIR (or /tmp), readable by its owner alone, whose name it puts into `folder`; the caller
 * removes it with ht_zip_remove before the next. Removes those that killed processes left there.
 * Archives in the archive stay as they are. HT_ERR_FORMAT (damaged, encrypted, a bomb, a name that
 * leads out of the folder), HT_ERR_WRITE (not enough space), HT_ERR_MEMORY, HT_ERR_INTERRUPTED;
 * then nothing is left on the disk. */
ht_status ht_zip_unpack(const char *path, int most, const ht_progress *progress,
                        char folder[HT_PATH_MAX]);

/* Removes the folder and all in it; "" is fine. */
void ht_zip_remove(const char *folder);

/* Finds the files of `path`: itself, or the folder that an archive was unpacked to. Errors of
 * ht_zip_unpack. After success the caller closes. */
ht_status ht_zip_files_open(const char *path, const ht_progress *progress, char where[HT_PATH_MAX]);

/* Removes the unpacked files. Returns `status`; where it is an error, the archive's name replaces
 * the temporary folder at the beginning of the message. */
ht_status ht_zip_files_close(const char *path, const char *where, ht_status status);

#ifdef __cplusplus
}
#endif
#endif
