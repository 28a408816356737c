/* report.html: one file that shows a finished case in a browser, from the disk and without a
 * network. It holds the numbers of summary.json, the tables, the pictures, and the data of an
 * interactive view of the vessel.
 *
 * The data of the view is made while the flow is in memory (ht_report_view_make); the page itself
 * from that and from the files of the folder (ht_report_write), so that it can be written again
 * when summary.json changes. */
#ifndef HT_REPORT_H
#define HT_REPORT_H

#include "core/vessel/flow.h"
#include "core/vessel/openings.h"
#include "core/vessel/volume.h"
#include "export/wall/wall_moments.h"

/* The content of the view. All borrowed. */
typedef struct {
  const ht_surface *surface;      /* with its load */
  const ht_wall_cycle *cycle;     /* NULL: a steady flow */
  const ht_wall_moments *moments; /* of the same surface; moments 0: none */
  const ht_openings *openings;    /* their names become labels */
  const ht_domain *domain;
  const ht_flow *flow; /* the flow whose streamlines are shown */
  double flow_time_s;  /* its time from the start of the beat; below 0: it is steady */
  double speed_high_m_s, wss_high_pa; /* ends of the colour bars; 0: by the values */
  const ht_volume *scan;              /* NULL, or values NULL: the case began without one */
} ht_report_scene;

/* The elements of the page that hold the view's data. Zeroed: no view. */
typedef struct {
  char *text; /* owned */
  size_t size;
} ht_report_view;

/* Makes the view's data: at most some 7 MB. A fine surface is thinned (thin_mesh.h), positions are
 * rounded to 1/65535 of the vessel's size, values to 1/65535 of their range. The caller frees.
 * HT_ERR_MEMORY. */
ht_status ht_report_view_make(const ht_report_scene *scene, ht_report_view *view);
void ht_report_view_free(ht_report_view *view);

/* Writes report.html into the case folder, from its summary.json (needed), waveforms.csv,
 * centreline.csv and pictures/ (where present). `name`: of the case, shown as the title. `view` may
 * be NULL. HT_ERR_NOT_FOUND: there is no summary.json. HT_ERR_FORMAT: a file cannot be read.
 * HT_ERR_MEMORY, HT_ERR_WRITE. */
ht_status ht_report_write(const char *folder, const char *name, const ht_report_view *view);

#endif
