#include "export/sac/hull.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <string.h>

/* Tells whether a facet faces away from the sac and lies on the neck's plane. */
static int is_neck(const facetT *facet, const ht_neck_plane *plane, double slack_mm) {
  double away = facet->offset + ht_dot(facet->normal, plane->origin_mm);
  return ht_dot(facet->normal, plane->normal) < -0.999 && fabs(away) < slack_mm;
}

static void add_up(qhT *qh, const ht_neck_plane *plane, double *volume_mm3, double *area_mm2) {
  facetT *facet;
  qh_getarea(qh, qh->facet_list);
  double slack_mm = 1e-3 * cbrt(qh->totvol);
  *volume_mm3 = qh->totvol;
  *area_mm2 = qh->totarea;
  FORALLfacets {
    if (facet->isarea && is_neck(facet, plane, slack_mm)) *area_mm2 -= facet->f.area;
  }
}

/* Runs Qhull, which needs a file for its messages. */
static int run(double *points, int64_t count, const ht_neck_plane *plane, FILE *mute,
               double *volume_mm3, double *area_mm2) {
  char command[] = "qhull Pp";
  int current, total;
  qhT state, *qh = &state;
  QHULL_LIB_CHECK
  qh_zero(qh, mute);
  int fault = qh_new_qhull(qh, 3, (int)count, points, False, command, mute, mute);
  if (!fault) add_up(qh, plane, volume_mm3, area_mm2);
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &current, &total);
  return fault;
}

ht_status ht_hull_measure(double *points, int64_t count, const ht_neck_plane *plane,
                          double *volume_mm3, double *area_mm2) {
  FILE *mute = fopen("/dev/null", "w");
  *volume_mm3 = *area_mm2 = 0;
  if (!mute) return ht_fail(HT_ERR_WRITE, "/dev/null cannot be opened");
  int fault = count < 4 || count > INT32_MAX
                  ? qh_ERRinput
                  : run(points, count, plane, mute, volume_mm3, area_mm2);
  fclose(mute);
  if (fault == qh_ERRmem) return ht_fail(HT_ERR_MEMORY, "not enough memory for the sac's hull");
  if (fault) return ht_fail(HT_ERR_CASE, "the sac is flat: it has no convex hull");
  return HT_OK;
}
