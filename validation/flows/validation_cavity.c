#include "validation/flows/validation_cavity.h"
#include <stdio.h>

void ht_validation_plot_cavity(ht_validation_result *result, const char *name,
                               ht_validation_figure *figure[2]) {
  char title[HT_VALIDATION_TEXT];
  snprintf(title, sizeof title, "%s: velocity across the lid", name);
  figure[0] = ht_validation_plot(result, "v", title,
                                 "place on the middle line along the lid, over the side",
                                 "velocity across the lid, over its speed");
  snprintf(title, sizeof title, "%s: velocity along the lid", name);
  figure[1] = ht_validation_plot(result, "u", title,
                                 "place on the middle line up to the lid, over the side",
                                 "velocity along the lid, over its speed");
}

ht_status ht_validation_draw_cavity(ht_validation_figure *figure[2], const ht_cavity_plane *plane,
                                    ht_cavity_kind kind, int reynolds) {
  enum { PLACES = 201 };
  for (int along_lid = 0; along_lid < 2; along_lid++) {
    double at[PLACES], value[PLACES];
    ht_cavity_points points;
    for (int i = 0; i < PLACES; i++) {
      at[i] = (double)i / (PLACES - 1);
      value[i] = ht_cavity_at(plane, along_lid, at[i]);
    }
    HT_TRY(ht_validation_draw(figure[along_lid], 1, PLACES, at, value, "Re %d, %d nodes", reynolds,
                              plane->n));
    HT_TRY(ht_cavity_published(kind, reynolds, along_lid, &points));
    if (points.count == 0) continue;
    HT_TRY(ht_validation_draw(figure[along_lid], 0, points.count, points.at, points.value,
                              "Re %d, published", reynolds));
  }
  return HT_OK;
}
