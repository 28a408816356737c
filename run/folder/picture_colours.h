/* Ends of the colour bars of a case's pictures that were drawn after the export, as for a cohort:
 * pictures/colours.json. Without this file the ends are those of the case file. */
#ifndef HT_PICTURE_COLOURS_H
#define HT_PICTURE_COLOURS_H

#include "core/status.h"

typedef struct {
  double speed_m_s, wss_pa; /* 0: by the values */
  int complete;             /* 0: some pictures may still have other ends */
} ht_picture_colours;

/* Returns 1 where the folder has the file; a file that cannot be read is not complete. */
int ht_picture_colours_read(const char *folder, ht_picture_colours *colours);

/* Finds the ends that the pictures have: from that file, else from the folder's case.yaml; without
 * either by the values. */
void ht_picture_colours_of(const char *folder, ht_picture_colours *colours);

/* Writes the file. HT_ERR_WRITE. */
ht_status ht_picture_colours_write(const char *folder, const ht_picture_colours *colours);

/* Marks the file, where the folder has one, as not complete, before the pictures are drawn with the
 * ends of the case file. HT_ERR_WRITE. The second function removes it afterwards. */
ht_status ht_picture_colours_leave(const char *folder);
void ht_picture_colours_drop(const char *folder);

#endif
