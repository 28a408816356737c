/* Text files that are built into the program; the table is made by cmake/HemotileEmbed.cmake. */
#ifndef HT_EMBEDDED_TEXT_H
#define HT_EMBEDDED_TEXT_H

typedef struct {
  const char *name; /* of the file, without ending; NULL after the last */
  const char *text;
} ht_embedded_text;

extern const ht_embedded_text ht_embedded_texts[];

#endif
