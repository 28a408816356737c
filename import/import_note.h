/* What a person has to know of how a scan was read. */
#ifndef HT_IMPORT_NOTE_H
#define HT_IMPORT_NOTE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a person has to know of how a scan was read: what was left out, resampled, interpolated.
 * Sentences, a line each. */
typedef struct {
  char text[2048];
  char warning[512]; /* what may make the results wrong (a sentence of its own); "" where nothing */
} ht_import_notes;

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
