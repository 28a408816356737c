/* Choice of a series of a DICOM folder. Private to import/. */
#ifndef HT_SERIES_CHOICE_H
#define HT_SERIES_CHOICE_H

#include "import/series/dicom_folder.h"
#include "import/common/import_note.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses a series. *chosen, from 0: by the wish (a number from 1 in the list, a UID, a part of the
 * description), or, where that is NULL, the only scan: series that are aside are skipped, and named
 * in the notes. HT_ERR_SERIES with the list where none or several fit; the code of a damaged file
 * without a series, which may belong to the chosen one. */
ht_status ht_series_choose(const char *path, const ht_dicom_folder *folder, const char *wish,
                           ht_import_notes *notes, int *chosen);

/* Sets `taken` and `strays` of the folder's list: the choice without a wish. */
void ht_series_mark(ht_dicom_folder *folder);

/* Tells whether the wish is all digits: a number in a list and nothing else, so that "2" never
 * means "T2". */
int ht_series_is_number(const char *wish);
/* Tells whether the text contains that part, in large or small letters. */
int ht_series_contains(const char *text, const char *part);

#ifdef __cplusplus
}
#endif
#endif
