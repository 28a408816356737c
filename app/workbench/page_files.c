#include "app/workbench/bench_own.h"
#include "app/workbench/parts.h"
#include <string.h>

/* The embedded files (CMakeLists.txt). */
extern const char ht_bench_page_index_html[], ht_bench_page_workbench_css[],
    ht_bench_page_workbench_js[], ht_bench_page_page_js[], ht_bench_page_find_js[],
    ht_bench_page_edit_js[], ht_bench_page_openings_js[], ht_bench_page_work_js[],
    ht_bench_page_results_js[], ht_bench_page_measure_js[], ht_bench_page_look_js[],
    ht_bench_page_vector_js[], ht_bench_page_viewer_js[], ht_bench_page_api_js[],
    ht_bench_page_cases_html[], ht_bench_page_cases_js[], ht_bench_page_open_js[],
    ht_bench_page_settings_js[], ht_bench_page_flow_js[], ht_bench_page_flow_view_js[],
    ht_bench_page_plan_js[], ht_bench_page_curve_js[], ht_bench_page_handles_js[],
    ht_bench_page_region_js[], ht_bench_page_plane_js[], ht_page_niivue_umd_js[];

#define PAGE(function, text, type)                                                                 \
  static void function(ht_http_call *call, void *user) {                                           \
    (void)user;                                                                                    \
    ht_http_send(call, 200, type "; charset=utf-8", text, strlen(text));                           \
  }
#define SCRIPT(name) PAGE(send_##name, ht_bench_page_##name##_js, "text/javascript")
PAGE(send_case, ht_bench_page_index_html, "text/html")
PAGE(send_cases, ht_bench_page_cases_html, "text/html")
PAGE(send_style, ht_bench_page_workbench_css, "text/css")
PAGE(send_niivue, ht_page_niivue_umd_js, "text/javascript")
SCRIPT(workbench)
SCRIPT(page)
SCRIPT(find)
SCRIPT(edit)
SCRIPT(openings)
SCRIPT(work)
SCRIPT(results)
SCRIPT(look)
SCRIPT(vector)
SCRIPT(measure)
SCRIPT(viewer)
SCRIPT(api)
SCRIPT(settings)
SCRIPT(flow)
SCRIPT(flow_view)
SCRIPT(plan)
SCRIPT(curve)
SCRIPT(handles)
SCRIPT(region)
SCRIPT(plane)
PAGE(send_cases_script, ht_bench_page_cases_js, "text/javascript")
SCRIPT(open)

/* The table of cases, or the case that the address names. */
static void send_index(ht_http_call *call, void *user) {
  if (ht_bench_number(call, user) < 0)
    send_cases(call, user);
  else
    send_case(call, user);
}

const ht_http_route ht_bench_page_routes[] = {
    {"GET", "/", send_index},
    {"GET", "/workbench.css", send_style},
    {"GET", "/niivue.js", send_niivue},
    {"GET", "/workbench.js", send_workbench},
    {"GET", "/page.js", send_page},
    {"GET", "/find.js", send_find},
    {"GET", "/edit.js", send_edit},
    {"GET", "/openings.js", send_openings},
    {"GET", "/work.js", send_work},
    {"GET", "/results.js", send_results},
    {"GET", "/look.js", send_look},
    {"GET", "/vector.js", send_vector},
    {"GET", "/measure.js", send_measure},
    {"GET", "/viewer.js", send_viewer},
    {"GET", "/api.js", send_api},
    {"GET", "/cases.js", send_cases_script},
    {"GET", "/open.js", send_open},
    {"GET", "/settings.js", send_settings},
    {"GET", "/flow.js", send_flow},
    {"GET", "/flow_view.js", send_flow_view},
    {"GET", "/plan.js", send_plan},
    {"GET", "/curve.js", send_curve},
    {"GET", "/handles.js", send_handles},
    {"GET", "/region.js", send_region},
    {"GET", "/plane.js", send_plane},
    {0},
};
