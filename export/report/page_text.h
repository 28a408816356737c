/* Texts and bytes as parts of an HTML page. Private to export/report. Errors of the stream show
 * where its file is committed. */
#ifndef HT_PAGE_TEXT_H
#define HT_PAGE_TEXT_H

#include "core/status.h"
#include <stdint.h>
#include <stdio.h>

/* Writes the text of an element or of an attribute in quotes: & < > " become entities. */
void ht_page_put_text(FILE *stream, const char *text);

/* Writes JSON or CSV inside <script>: '<' becomes \u003c in JSON, where only strings can hold it,
 * and a space in a table, where only a name could. So no text ends the element. */
void ht_page_put_json(FILE *stream, const char *text, size_t size);
void ht_page_put_table(FILE *stream, const char *text, size_t size);

/* Writes base64 (RFC 4648), without line ends. */
void ht_page_put_base64(FILE *stream, const uint8_t *bytes, size_t size);

/* Writes an element <script id="NAME"> with the bytes as base64 of a zlib stream (RFC 1950), which
 * the page's script unpacks. HT_ERR_MEMORY. */
ht_status ht_page_put_block(FILE *stream, const char *name, const void *bytes, size_t size);

/* The start of a page without scripts, in the style of the report, down to its heading and the note
 * that it is not for clinical decisions; then its end. */
void ht_page_begin(FILE *stream, const char *title, const char *heading);
void ht_page_end(FILE *stream, const char *made);

/* Reads a whole file. HT_ERR_NOT_FOUND, HT_ERR_FORMAT (it cannot be read to its end),
 * HT_ERR_MEMORY. The caller frees `bytes`, which has a 0 after its end. */
ht_status ht_page_read(const char *path, char **bytes, size_t *size);

#endif
