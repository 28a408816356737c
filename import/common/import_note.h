/* Notes for the user on how a scan was read. */
#ifndef HT_IMPORT_NOTE_H
#define HT_IMPORT_NOTE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Notes for the user on how a scan was read: parts left out, resampled, interpolated. One sentence
 * per line. */
typedef struct {
  char text[2048];
  char warning[512]; /* a possible cause of wrong results (a sentence of its own); "" where there is
                        none */
} ht_import_notes;

/* Adds a line (printf style) to the notes; leaves it out where there is no room. `notes` may be
 * NULL: does nothing. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ht_import_note(ht_import_notes *notes, const char *format, ...);

/* Appends to the warning; else as above. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ht_import_warn(ht_import_notes *notes, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
