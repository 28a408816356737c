/* Parts of the page, embedded by CMake (ht_embed_parts). */
#ifndef HT_COHORT_PARTS_H
#define HT_COHORT_PARTS_H

extern const char ht_cohort_cohort_html[];

#endif
