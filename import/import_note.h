/* Sentences that a person reads about how a scan was read. Private to import/. */
#ifndef HT_IMPORT_NOTE_H
#define HT_IMPORT_NOTE_H

#include "import.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a line (printf style) to the notes; what does not fit any more is left out. `notes` may be
 * NULL: then nothing is kept. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ht_import_note(ht_import_notes *notes, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
