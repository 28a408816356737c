/* comparison.html: one page that shows the comparison, from the disk and without a network. */
#ifndef HT_COMPARE_PAGE_H
#define HT_COMPARE_PAGE_H

#include "app/compare/compare_settings.h"
#include "app/compare/compare_table.h"

/* All borrowed. */
typedef struct {
  const char *folder; /* with the pictures */
  const ht_compared_case *one;
  int cases;
  const ht_setting_table *settings;
  const ht_compare_table *table;
  const ht_wall_map *map; /* [cases], of the first: empty; NULL: no walls were compared */
} ht_compare_page;

/* The name of a picture in the folder: of the number, of a case. */
void ht_compare_picture_name(const ht_compared_case *other, ht_wall_number number, char name[96]);

/* Writes the page, with the warnings of the console. HT_ERR_NOT_FOUND, HT_ERR_FORMAT: a picture
 * cannot be read. HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_compare_page_write(const char *path, const ht_compare_page *page);

#endif
