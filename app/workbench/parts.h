/* The addresses of each part of the workbench; each table ends with a NULL method. */
#ifndef HT_WORKBENCH_PARTS_H
#define HT_WORKBENCH_PARTS_H

#include "app/workbench/server/http_server.h"

extern const ht_http_route ht_bench_page_routes[];    /* the page's own files: page_files.c */
extern const ht_http_route ht_bench_state_routes[];   /* the state and files of the case: state.c */
extern const ht_http_route ht_bench_stage_routes[];   /* the stages that are started: stages.c */
extern const ht_http_route ht_bench_scan_routes[];    /* scans to import: many/scans.c */
extern const ht_http_route ht_bench_table_routes[];   /* the table of cases: many/table.c */
extern const ht_http_route ht_bench_archive_routes[]; /* a hospital's archive: many/archive.c */
extern const ht_http_route ht_bench_waiting_routes[]; /* what waited before: many/waiting.c */
extern const ht_http_route ht_bench_setting_routes[]; /* the case's settings: settings.c */
extern const ht_http_route ht_bench_edit_routes[];    /* the correction of the mask: mask_edits.c */
extern const ht_http_route ht_bench_measure_routes[]; /* measuring in the results: measuring.c */

#endif
