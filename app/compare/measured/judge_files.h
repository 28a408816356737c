/* Numbers of a computed flow and a measured one: comparison.csv, sections.csv, comparison.json,
 * the page and the terminal. */
#ifndef HT_JUDGE_FILES_H
#define HT_JUDGE_FILES_H

#include "app/compare/compared_case.h"
#include "app/compare/measured/judge_pictures.h"
#include "app/compare/measured/judged.h"
#include <stdio.h>

/* Contents of the files. Borrowed. */
typedef struct {
  const ht_compared_case *one;
  const ht_judged *judged;
  const char *notes;    /* how the measured flow was read */
  const char *measured; /* its description */
  int pictures;
  ht_judge_picture picture[HT_JUDGE_PICTURES_MAX];
} ht_judge_content;

/* Writes the tables and comparison.json into a folder. HT_ERR_WRITE. */
ht_status ht_judge_tables_write(const char *folder, const ht_judge_content *content);

/* Writes comparison.html into the folder, with its pictures and the warnings of the console.
 * HT_ERR_NOT_FOUND, HT_ERR_FORMAT: a picture cannot be read. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_judge_page_write(const char *folder, const ht_judge_content *content);

/* Prints the main numbers. */
void ht_judge_print(FILE *stream, const ht_judge_content *content);

/* Says why no flow is compared where there are no sections. */
extern const char ht_judge_no_section[];

/* Says in a sentence what of the velocity is compared, and when. */
void ht_judge_scope(const ht_judged *judged, char text[512]);

#endif
