#include "segment/path/contact.h"
#include "segment/shape/neighbour.h"
#include "core/numbers/vector3.h"
#include <string.h>

static int is_beside(const ht_mask *vessel, int64_t voxel) {
  const ht_grid *grid = &vessel->grid;
  int at[3], to[3];
  ht_voxel_place(grid->dim, voxel, at);
  for (int n = 0; n < HT_NEIGHBOURS; n++)
    if (ht_neighbour(grid->dim, at, n, to) && vessel->inside[ht_voxel_index(grid->dim, to)])
      return 1;
  return 0;
}

static void add(const double at_mm[3], double apart_mm, ht_segment_report *report) {
  for (int i = 0; i < report->contacts; i++)
    if (ht_distance(report->contact_mm[i], at_mm) < apart_mm) return;
  if (report->contacts < HT_SEGMENT_CONTACTS_MAX)
    memcpy(report->contact_mm[report->contacts++], at_mm, sizeof report->contact_mm[0]);
}

void ht_contacts_find(const ht_mask *whole, const ht_mask *vessel, double apart_mm,
                      ht_segment_report *report) {
  double at_mm[3];
  report->contacts = 0;
  for (int64_t v = 0; v < ht_grid_voxels(&whole->grid); v++) {
    if (!whole->inside[v] || vessel->inside[v] || !is_beside(vessel, v)) continue;
    ht_grid_voxel_position(&whole->grid, v, at_mm);
    add(at_mm, apart_mm, report);
  }
}
