#include "slice_stack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const ht_slice *slice) {
  const char *slash = strrchr(slice->path, '/');
  return slash ? slash + 1 : slice->path;
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normal_of(const ht_slice *slice, double n[3]) {
  const double *a = slice->axes[0], *b = slice->axes[1];
  for (int r = 0; r < 3; r++)
    n[r] = a[(r + 1) % 3] * b[(r + 2) % 3] - a[(r + 2) % 3] * b[(r + 1) % 3];
  double length = sqrt(dot(n, n));
  for (int r = 0; r < 3; r++) n[r] /= length;
}

static void swap(ht_slice *a, ht_slice *b) {
  ht_slice kept = *a;
  *a = *b;
  *b = kept;
}

/* ---- What each image has to be ---- */

/* A file that was cut before its rows reads like a report: beside images it is a lost slice. */
static ht_status check_all_images(const ht_slice *slice, int count) {
  int images = 0;
  const ht_slice *other = NULL;
  for (int i = 0; i < count; i++) {
    if (slice[i].status != HT_OK)
      return ht_fail(slice[i].status, "%s: %s", name_of(&slice[i]), slice[i].problem);
    images += slice[i].has_image;
    if (!slice[i].has_image) other = &slice[i];
  }
  if (images == count) return HT_OK;
  if (images > 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: truncated: it has no image, as the others of its series have; copy or "
                   "export it again",
                   name_of(other));
  return ht_fail(HT_ERR_SERIES, "it holds no images%s%s", slice->modality[0] ? ": modality " : "",
                 slice->modality);
}

/* An export may hold a file twice. The position counts too: some anonymisers give all images of a
 * series one UID. */
static int is_copy(const ht_slice *a, const ht_slice *b) {
  return a->image_uid[0] && strcmp(a->image_uid, b->image_uid) == 0 && a->instance == b->instance &&
         memcmp(a->position_mm, b->position_mm, sizeof a->position_mm) == 0;
}

static int by_image(const void *left, const void *right) {
  const ht_slice *a = left, *b = right;
  int order = strcmp(a->image_uid, b->image_uid);
  if (order == 0) order = (a->instance > b->instance) - (a->instance < b->instance);
  if (order == 0) order = memcmp(a->position_mm, b->position_mm, sizeof a->position_mm);
  if (order == 0) order = (a->compression[0] != 0) - (b->compression[0] != 0); /* readable first */
  return order ? order : strcmp(a->path, b->path);
}

static void drop_copies(ht_slice *slice, int *count) {
  int kept = 1;
  qsort(slice, (size_t)*count, sizeof *slice, by_image);
  for (int i = 1; i < *count; i++)
    if (!is_copy(&slice[kept - 1], &slice[i])) swap(&slice[kept++], &slice[i]);
  *count = kept;
}

/* ---- What all have to share ---- */

static int same_direction(const ht_slice *a, const ht_slice *b) {
  for (int axis = 0; axis < 2; axis++)
    for (int r = 0; r < 3; r++)
      if (!(fabs(a->axes[axis][r] - b->axes[axis][r]) <= HT_SAME_DIRECTION)) return 0;
  return 1;
}

static int same_spacing(const ht_slice *a, const ht_slice *b) {
  for (int axis = 0; axis < 2; axis++)
    if (!(fabs(a->spacing_mm[axis] - b->spacing_mm[axis]) <= HT_SAME_SPACING * a->spacing_mm[axis]))
      return 0;
  return 1;
}

static ht_status check_same(const ht_slice *a, const ht_slice *b) {
  if (a->rows != b->rows || a->columns != b->columns)
    return ht_fail(HT_ERR_SERIES, "its images differ in size: %s has %d x %d pixels, %s %d x %d",
                   name_of(a), a->columns, a->rows, name_of(b), b->columns, b->rows);
  if (!same_direction(a, b))
    return ht_fail(HT_ERR_SERIES,
                   "its images do not face the same way: %s and %s have different orientations (a "
                   "localizer, or several stacks in a series)",
                   name_of(a), name_of(b));
  if (!same_spacing(a, b))
    return ht_fail(HT_ERR_SERIES,
                   "its images differ in pixel spacing: %s has %g x %g mm, %s %g x %g mm",
                   name_of(a), a->spacing_mm[0], a->spacing_mm[1], name_of(b), b->spacing_mm[0],
                   b->spacing_mm[1]);
  if (a->rescaled != b->rescaled)
    return ht_fail(
        HT_ERR_SERIES,
        "%s gives a rescale slope and intercept and %s does not: their values are not on "
        "one scale",
        name_of(a->rescaled ? a : b), name_of(a->rescaled ? b : a));
  return HT_OK;
}

/* A CT's stored numbers mean nothing without their way to Hounsfield units. */
static ht_status check_units(const ht_slice *slice) {
  if (slice->rescaled || strcmp(slice->modality, "CT") != 0) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "%s: a CT without rescale slope and intercept: its values are not in Hounsfield "
                 "units; export the original images",
                 name_of(slice));
}

/* ---- Where they lie ---- */

static int by_position(const void *left, const void *right) {
  const ht_slice *a = left, *b = right;
  if (a->along_mm != b->along_mm) return a->along_mm < b->along_mm ? -1 : 1;
  return a->instance != b->instance ? (a->instance < b->instance ? -1 : 1)
                                    : strcmp(a->path, b->path);
}

static void sort_slices(ht_slice *slice, int count, double normal[3]) {
  normal_of(&slice[0], normal);
  for (int i = 0; i < count; i++) slice[i].along_mm = dot(normal, slice[i].position_mm);
  qsort(slice, (size_t)count, sizeof *slice, by_position);
}

static ht_status check_single(const ht_slice *slice, int count) {
  int positions = 1, here = 1, most = 1;
  const ht_slice *where = slice;
  for (int i = 1; i < count; i++) {
    int same = slice[i].along_mm - slice[i - 1].along_mm < HT_SAME_POSITION_MM;
    positions += !same;
    here = same ? here + 1 : 1;
    if (here > most) most = here, where = &slice[i];
  }
  if (positions == count) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "its %d images lie at only %d position%s, up to %d at one (such as %.2f mm): "
                 "several phases, echoes or reconstructions; export the one to use as a series",
                 count, positions, positions == 1 ? "" : "s", most, where->along_mm);
}

static ht_status check_tilt(const ht_slice *slice, int count, const double normal[3]) {
  double line[3], across = 0;
  for (int r = 0; r < 3; r++) line[r] = slice[count - 1].position_mm[r] - slice[0].position_mm[r];
  double along = dot(line, normal);
  for (int r = 0; r < 3; r++) across += pow(line[r] - along * normal[r], 2);
  double angle = atan2(sqrt(across), along);
  if (angle <= HT_TILT_TOLERANCE) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "its slices are sheared: their origins lie on a line %.2f degrees off the slices' "
                 "normal (gantry tilt), at most %.2f is a regular volume; resample it first, for "
                 "example with dcm2niix",
                 angle * 180 / M_PI, HT_TILT_TOLERANCE * 180 / M_PI);
}

static int by_value(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static ht_status median_gap(const ht_slice *slice, int count, double *median) {
  double *gap;
  HT_TRY(ht_alloc((void **)&gap, (size_t)count, sizeof *gap, "the slices' positions"));
  for (int i = 0; i + 1 < count; i++) gap[i] = slice[i + 1].along_mm - slice[i].along_mm;
  qsort(gap, (size_t)(count - 1), sizeof *gap, by_value);
  *median = gap[(count - 2) / 2]; /* the lower one: a gap that is there, never a mean of two */
  free(gap);
  return HT_OK;
}

static ht_status unequal_gap(const ht_slice *slice, double gap, double median) {
  double times = nearbyint(gap / median);
  if (times >= 2 && fabs(gap - times * median) <= 0.1 * median)
    return ht_fail(HT_ERR_SERIES,
                   "%.0f slice%s missing between %s (%.2f mm) and %s (%.2f mm): the others are "
                   "%.4g mm apart; export the series again",
                   times - 1, times > 2 ? "s are" : " is", name_of(&slice[0]), slice[0].along_mm,
                   name_of(&slice[1]), slice[1].along_mm, median);
  return ht_fail(HT_ERR_SERIES,
                 "its slices are unequally spaced: %.4g mm between %s and %s, %.4g mm between "
                 "others (allowed: 1 %% or %g mm); resample it first, for example with dcm2niix",
                 gap, name_of(&slice[0]), name_of(&slice[1]), median, HT_SAME_POSITION_MM);
}

static ht_status check_gaps(const ht_slice *slice, int count) {
  double median;
  HT_TRY(median_gap(slice, count, &median));
  double allowed = fmax(HT_GAP_TOLERANCE * median, HT_SAME_POSITION_MM);
  for (int i = 0; i + 1 < count; i++) {
    double gap = slice[i + 1].along_mm - slice[i].along_mm;
    if (fabs(gap - median) > allowed) return unequal_gap(&slice[i], gap, median);
  }
  return HT_OK;
}

/* ---- The grid ---- */

static void fill_grid(const ht_slice *slice, int count, ht_grid *grid) {
  double line[3];
  *grid = ht_grid_make(slice[0].columns, slice[0].rows, count);
  for (int r = 0; r < 3; r++) line[r] = slice[count - 1].position_mm[r] - slice[0].position_mm[r];
  double length = sqrt(dot(line, line));
  grid->spacing_mm[0] = slice[0].spacing_mm[0];
  grid->spacing_mm[1] = slice[0].spacing_mm[1];
  grid->spacing_mm[2] = length / (count - 1);
  for (int r = 0; r < 3; r++) {
    grid->origin_mm[r] = slice[0].position_mm[r];
    grid->direction[r][0] = slice[0].axes[0][r];
    grid->direction[r][1] = slice[0].axes[1][r];
    grid->direction[r][2] = line[r] / length;
  }
}

/* Each slice at its place: neither drifting along the normal nor pushed sideways. */
static ht_status check_places(const ht_slice *slice, int count, const ht_grid *grid) {
  double allowed = fmax(HT_PLACE_TOLERANCE * grid->spacing_mm[2], HT_SAME_POSITION_MM);
  for (int k = 0; k < count; k++) {
    double index[3] = {0, 0, k}, expected[3], off = 0;
    ht_grid_position(grid, index, expected);
    for (int r = 0; r < 3; r++) off += pow(slice[k].position_mm[r] - expected[r], 2);
    if (sqrt(off) > allowed)
      return ht_fail(
          HT_ERR_SERIES,
          "%s lies %.3g mm off its place in a regular stack of %.4g mm spacing (allowed: "
          "%.2g mm)",
          name_of(&slice[k]), sqrt(off), grid->spacing_mm[2], allowed);
  }
  return HT_OK;
}

static ht_status check_decoders(const ht_slice *slice, int count) {
  for (int i = 0; i < count; i++)
    if (slice[i].compression[0])
      return ht_fail(
          HT_ERR_FORMAT,
          "its images are compressed by %s, which is not read: decompress each file with "
          "`gdcmconv --raw IN.dcm OUT.dcm` (Debian package libgdcm-tools)",
          slice[i].compression);
  return HT_OK;
}

static ht_status check_images(ht_slice *slice, int *count) {
  HT_TRY(check_all_images(slice, *count));
  drop_copies(slice, count);
  if (*count < 2)
    return ht_fail(HT_ERR_SERIES, "it has one image only: a volume needs at least 2 slices");
  for (int i = 1; i < *count; i++) HT_TRY(check_same(&slice[0], &slice[i]));
  return check_units(&slice[0]);
}

ht_status ht_stack_check(ht_slice *slice, int *count, ht_grid *grid) {
  double normal[3];
  ht_grid regular;
  memset(grid, 0, sizeof *grid);
  HT_TRY(check_images(slice, count));
  sort_slices(slice, *count, normal);
  HT_TRY(check_single(slice, *count));
  HT_TRY(check_tilt(slice, *count, normal));
  HT_TRY(check_gaps(slice, *count));
  fill_grid(slice, *count, &regular);
  HT_TRY(check_places(slice, *count, &regular));
  HT_TRY(ht_grid_check(&regular));
  *grid = regular;
  return check_decoders(slice, *count);
}

int ht_stack_aside(const ht_slice *slice, int count) {
  enum { FEW = 9 }; /* images of a localizer in three planes */
  int aside = 0, images = 0, turned = 0;
  for (int i = 0; i < count; i++) {
    aside += slice[i].aside;
    images += slice[i].has_image;
    turned += slice[i].has_image && !same_direction(&slice[0], &slice[i]);
  }
  if (aside == count) return 1;
  for (int i = 0; i < count; i++)
    if (slice[i].status != HT_OK) return 0;
  return images == 0 || count == 1 || (turned && count <= FEW);
}
