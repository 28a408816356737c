#include "segment/edit/edit_step.h"
#include "core/numbers/vector3.h"
#include "core/vessel/volume.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_edit_words[] = {"paint",  "erase",       "cut",  "lasso",  "fill",
                                     "smooth", "close",       "grow", "shrink", "islands",
                                     "region", "interpolate", NULL};

const ht_edit_ranges ht_edit_allowed = {.position_mm = {-1e5, 1e5, 0},
                                        .radius_mm = {0, 100, 1},
                                        .thickness_mm = {0, 100, 0},
                                        .intensity = {-1e7, 1e7, 0}};

/* What a kind needs or may have. */
typedef struct {
  int places_least, places_most;
  int radius, direction; /* 2: needed, 1: allowed */
  int thickness, keep, range;
} needs;

static const needs of_kind[HT_EDIT_KINDS] = {
    [HT_EDIT_PAINT] = {1, HT_EDIT_PLACES_MAX, 2, 1, 1, 0, 0},
    [HT_EDIT_ERASE] = {1, HT_EDIT_PLACES_MAX, 2, 1, 1, 0, 0},
    [HT_EDIT_CUT] = {1, 1, 1, 2, 0, 1, 0},
    [HT_EDIT_LASSO] = {3, HT_EDIT_PLACES_MAX, 0, 2, 0, 0, 0},
    [HT_EDIT_FILL] = {0, 0, 0, 0, 0, 0, 0},
    [HT_EDIT_SMOOTH] = {0, 0, 2, 0, 0, 0, 0},
    [HT_EDIT_CLOSE] = {0, 0, 2, 0, 0, 0, 0},
    [HT_EDIT_GROW] = {0, 0, 2, 0, 0, 0, 0},
    [HT_EDIT_SHRINK] = {0, 0, 2, 0, 0, 0, 0},
    [HT_EDIT_ISLANDS] = {0, 0, 0, 0, 0, 1, 0},
    [HT_EDIT_REGION] = {1, 1, 2, 0, 0, 0, 1},
    [HT_EDIT_INTERPOLATE] = {2, HT_EDIT_PLACES_MAX, 0, 2, 0, 0, 0},
};

static ht_status lacks(const ht_edit_step *step, const char *what) {
  return ht_fail(HT_ERR_USAGE, "step '%s' needs %s", ht_edit_words[step->kind], what);
}

static ht_status unused(const ht_edit_step *step, const char *what) {
  return ht_fail(HT_ERR_USAGE, "step '%s' has no %s: leave it out", ht_edit_words[step->kind],
                 what);
}

/* Checks a number; out of its range it is the step's error, not the case file's. */
static ht_status check_number(const char *name, double value, const ht_range *allowed) {
  char why[256];
  if (ht_check_range(name, value, allowed) == HT_OK) return HT_OK;
  snprintf(why, sizeof why, "%s", ht_error_message());
  return ht_fail(HT_ERR_USAGE, "%s", why);
}

static ht_status check_place(const double place_mm[3]) {
  for (int a = 0; a < 3; a++)
    HT_TRY(check_number("a place of the step", place_mm[a], &ht_edit_allowed.position_mm));
  return HT_OK;
}

static ht_status check_direction(const ht_edit_step *step, int need) {
  if (!step->has_direction) return need < 2 ? HT_OK : lacks(step, "a direction");
  if (need == 0) return unused(step, "direction");
  HT_TRY(check_place(step->direction));
  return ht_length(step->direction) > 1e-6 ? HT_OK : lacks(step, "a direction that is not 0, 0, 0");
}

static ht_status check_intensities(const ht_edit_step *step) {
  HT_TRY(check_number("lower", step->lower, &ht_edit_allowed.intensity));
  HT_TRY(check_number("upper", step->upper, &ht_edit_allowed.intensity));
  if (step->lower <= step->upper) return HT_OK;
  return ht_fail(HT_ERR_USAGE, "lower is %g, above upper, %g: allowed is lower <= upper",
                 step->lower, step->upper);
}

static ht_status check_kind(const ht_edit_step *step) {
  if ((int)step->kind < 0 || step->kind >= HT_EDIT_KINDS)
    return ht_fail(HT_ERR_USAGE, "unknown kind of step: %d", (int)step->kind);
  const needs *of = &of_kind[step->kind];
  if (step->places < of->places_least || step->places > of->places_most)
    return ht_fail(HT_ERR_USAGE, "step '%s' has %d places: allowed are %d to %d",
                   ht_edit_words[step->kind], step->places, of->places_least, of->places_most);
  if (!of->radius && step->radius_mm != 0) return unused(step, "radius_mm");
  if (!of->thickness && step->thickness_mm != 0) return unused(step, "thickness_mm");
  if (!of->keep && step->has_keep) return unused(step, "keep_mm");
  return HT_OK;
}

ht_status ht_edit_step_check(const ht_edit_step *step) {
  HT_TRY(check_kind(step));
  const needs *of = &of_kind[step->kind];
  for (int p = 0; p < step->places; p++) HT_TRY(check_place(step->place_mm[p]));
  if (of->radius == 2 || step->radius_mm != 0)
    HT_TRY(check_number("radius_mm", step->radius_mm, &ht_edit_allowed.radius_mm));
  HT_TRY(check_direction(step, of->direction));
  if (step->thickness_mm != 0) {
    if (!step->has_direction) return lacks(step, "a direction where it has a thickness_mm");
    HT_TRY(check_number("thickness_mm", step->thickness_mm, &ht_edit_allowed.thickness_mm));
  }
  if (step->has_keep) HT_TRY(check_place(step->keep_mm));
  return of->range ? check_intensities(step) : HT_OK;
}

void ht_edit_step_free(ht_edit_step *step) {
  free(step->place_mm);
  memset(step, 0, sizeof *step);
}
