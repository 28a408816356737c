/* The parts of the page that are files of page/ and third_party/, built into the program
 * (cmake/HemotileEmbed.cmake). Each ends in a 0. Private to export/report. */
#ifndef HT_PAGE_PARTS_H
#define HT_PAGE_PARTS_H

extern const char ht_page_template_html[], ht_page_report_css[], ht_page_numbers_js[],
    ht_page_plots_js[], ht_page_view_js[], ht_page_niivue_umd_js[], ht_page_LICENSE[];

#endif
