/* Pictures as parts of the page. Private to export/report. */
#ifndef HT_PAGE_PICTURE_H
#define HT_PAGE_PICTURE_H

#include "core/status.h"
#include <stdio.h>

/* Writes a PNG file's bytes as the address of an image (data:...). A large one becomes lossy WebP
 * (libwebp, quality 85), a quarter of its size: the page is to stay below 15 MB, and the file in
 * pictures/ is exact. Other bytes stay as they are. HT_ERR_MEMORY. */
ht_status ht_page_put_picture(FILE *stream, const char *bytes, size_t size);

/* Writes a PNG file as a picture of the page; `name` becomes its title, `caption` its text. Errors
 * as ht_page_read. */
ht_status ht_page_put_figure(FILE *stream, const char *path, const char *name, const char *caption);

#endif
