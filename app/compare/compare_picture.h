/* Two walls and their difference in one picture, in the same colours. */
#ifndef HT_COMPARE_PICTURE_H
#define HT_COMPARE_PICTURE_H

#include "app/compare/compared_case.h"
#include "app/compare/wall_map.h"

/* Draws a PNG of three rows, each in three views: the number on the reference's wall, on the
 * other's own wall (one range of colours for both), and their difference on the reference's wall,
 * where a place without a value is magenta. Both walls have the number (map->other[number]).
 * HT_ERR_WRITE, HT_ERR_MEMORY. */
ht_status ht_compare_picture(const char *path, const ht_compared_case *reference,
                             const ht_compared_case *other, const ht_wall_map *map,
                             ht_wall_number number);

#endif
