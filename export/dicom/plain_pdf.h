/* A plain PDF document, A4: text in a fixed width, then pictures, one per page. */
#ifndef HT_PLAIN_PDF_H
#define HT_PLAIN_PDF_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HT_PDF_PICTURES_MAX = 32 };

typedef struct {
  const char *title;
  const char *text; /* UTF-8, lines; characters beyond Latin-1 become '?', long lines are broken */
  int pictures;
  const char *picture[HT_PDF_PICTURES_MAX]; /* PNG files */
  const char *caption[HT_PDF_PICTURES_MAX];
} ht_pdf_page;

/* Writes the document, whole or not at all. HT_ERR_FORMAT: a picture cannot be read. HT_ERR_WRITE,
 * HT_ERR_MEMORY. */
ht_status ht_plain_pdf(const char *path, const ht_pdf_page *page);

#ifdef __cplusplus
}
#endif
#endif
