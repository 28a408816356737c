/* The ends of the colour bars that the pictures of a case have, where they were drawn after the
 * export, as for a cohort: pictures/colours.json. Without it they are those of the case file. */
#ifndef HT_PICTURE_COLOURS_H
#define HT_PICTURE_COLOURS_H

#include "core/status.h"

typedef struct {
  double speed_m_s, wss_pa; /* 0: by the values */
  int complete;             /* 0: some pictures may still have other ends */
} ht_picture_colours;

/* 1 where the folder has the file; what cannot be read is not complete. */
int ht_picture_colours_read(const char *folder, ht_picture_colours *colours);

/* The ends that the pictures have: of that file, else of the folder's case.yaml; without either by
 * the values. */
void ht_picture_colours_of(const char *folder, ht_picture_colours *colours);

/* HT_ERR_WRITE. */
ht_status ht_picture_colours_write(const char *folder, const ht_picture_colours *colours);

/* Before the pictures are drawn as the case file says: where the folder has the file, it is marked
 * as not complete. HT_ERR_WRITE. And after that: removes it. */
ht_status ht_picture_colours_leave(const char *folder);
void ht_picture_colours_drop(const char *folder);

#endif
