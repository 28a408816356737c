/* comparison.html: one page that shows the comparison, from the disk and without a network. */
#ifndef HT_COMPARE_PAGE_H
#define HT_COMPARE_PAGE_H

#include "app/compare/compare_settings.h"
#include "app/compare/compare_table.h"

/* Content of the page, all borrowed. */
typedef struct {
  const char *folder; /* folder with the pictures */
  const ht_compared_case *one;
  int cases;
  const ht_setting_table *settings;
  const ht_compare_table *table;
  const ht_wall_map *map; /* [cases]; that of the first is empty; NULL: no walls were compared */
} ht_compare_page;

/* Makes the name of the picture of a number of a case, in the folder. */
void ht_compare_picture_name(const ht_compared_case *other, ht_wall_number number, char name[96]);

/* Writes the page, with the warnings of the console. HT_ERR_NOT_FOUND, HT_ERR_FORMAT: a picture
 * cannot be read. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_compare_page_write(const char *path, const ht_compare_page *page);

#endif
