#include "import/slices/slice_stack.h"
#include "core/disk/file.h"
#include "import/slices/slice_patient.h"
#include "import/slices/slice_phase.h"
#include "core/numbers/vector3.h"
#include "core/numbers/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "'IM0004'", or "'IM0004', frame 3"; two at a time. */
static const char *name_of(const ht_slice *slice) {
  static _Thread_local char text[2][300];
  static _Thread_local int turn;
  char frame[32] = "";
  if (slice->frames > 1) snprintf(frame, sizeof frame, ", frame %d", slice->frame + 1);
  turn = !turn;
  snprintf(text[turn], sizeof text[turn], "'%.255s'%s", ht_path_name(slice->path), frame);
  return text[turn];
}

static void normal_of(const ht_slice *slice, double n[3]) {
  ht_cross(slice->axes[0], slice->axes[1], n);
  double length = ht_length(n);
  for (int r = 0; r < 3; r++) n[r] /= length;
}

static void swap(ht_slice *a, ht_slice *b) {
  ht_slice kept = *a;
  *a = *b;
  *b = kept;
}

/* ---- What each image has to be ---- */

/* A file that was cut before its rows reads like a report: among images it is a lost slice. */
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
         a->frame == b->frame && memcmp(a->position_mm, b->position_mm, sizeof a->position_mm) == 0;
}

static int by_image(const void *left, const void *right) {
  const ht_slice *a = left, *b = right;
  int order = strcmp(a->image_uid, b->image_uid);
  if (order == 0) order = (a->instance > b->instance) - (a->instance < b->instance);
  if (order == 0) order = (a->frame > b->frame) - (a->frame < b->frame);
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

int ht_slices_same_direction(const ht_slice *a, const ht_slice *b) {
  for (int axis = 0; axis < 2; axis++)
    for (int r = 0; r < 3; r++)
      if (!(fabs(a->axes[axis][r] - b->axes[axis][r]) <= HT_SAME_DIRECTION)) return 0;
  return 1;
}

int ht_slices_same_spacing(const ht_slice *a, const ht_slice *b) {
  for (int axis = 0; axis < 2; axis++)
    if (!(fabs(a->spacing_mm[axis] - b->spacing_mm[axis]) <= HT_SAME_SPACING * a->spacing_mm[axis]))
      return 0;
  return 1;
}

static ht_status check_same(const ht_slice *a, const ht_slice *b) {
  if (a->rows != b->rows || a->columns != b->columns)
    return ht_fail(HT_ERR_SERIES, "its images differ in size: %s has %d x %d pixels, %s %d x %d",
                   name_of(a), a->columns, a->rows, name_of(b), b->columns, b->rows);
  if (!ht_slices_same_direction(a, b))
    return ht_fail(HT_ERR_SERIES,
                   "its images do not face the same way: %s and %s have different orientations (a "
                   "localizer, or several stacks in a series)",
                   name_of(a), name_of(b));
  if (!ht_slices_same_spacing(a, b))
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

/* A CT's stored numbers mean nothing without their conversion to Hounsfield units. */
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
  for (int i = 0; i < count; i++) slice[i].along_mm = ht_dot(normal, slice[i].position_mm);
  qsort(slice, (size_t)count, sizeof *slice, by_position);
}

/* ---- The distances between them ---- */

static int by_value(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double gap_after(const ht_slice *slice, int i) {
  return slice[i + 1].along_mm - slice[i].along_mm;
}

static double allowed_gap(double gap) {
  return fmax(HT_GAP_TOLERANCE * gap, HT_SAME_POSITION_MM);
}

/* The smallest and the median distance of neighbours. */
static ht_status measure_gaps(const ht_slice *slice, int count, double *least, double *median) {
  double *gap;
  HT_TRY(ht_alloc((void **)&gap, (size_t)count, sizeof *gap, "the slices' positions"));
  for (int i = 0; i + 1 < count; i++) gap[i] = gap_after(slice, i);
  qsort(gap, (size_t)(count - 1), sizeof *gap, by_value);
  *least = gap[0];
  *median = gap[(count - 2) / 2]; /* the lower one: an existing gap, never a mean of two */
  free(gap);
  return HT_OK;
}

typedef struct {
  int first, last; /* distances: after slice `first` up to after slice `last` */
} gap_run;

/* The equal distances in a row that this one belongs to. */
static gap_run run_of(const ht_slice *slice, int count, int i) {
  double gap = gap_after(slice, i);
  gap_run run = {i, i};
  while (run.first > 0 && fabs(gap_after(slice, run.first - 1) - gap) <= allowed_gap(gap))
    run.first--;
  while (run.last + 2 < count && fabs(gap_after(slice, run.last + 1) - gap) <= allowed_gap(gap))
    run.last++;
  return run;
}

static double number_step(const ht_slice *slice, int i) {
  return fabs((double)slice[i + 1].instance - slice[i].instance);
}

/* Tells whether the images' numbers, which differ by one elsewhere, jump across each of these
 * distances as if slices of the usual distance were lost there. */
static int numbers_jump(const ht_slice *slice, int count, gap_run run, int times) {
  int beside = run.first > 0 ? run.first - 1 : run.last + 1;
  if (beside + 1 >= count || number_step(slice, beside) != 1) return 0;
  for (int i = run.first; i <= run.last; i++)
    if (number_step(slice, i) != times) return 0;
  return 1;
}

/* Tells whether a distance was planned. Three and more equal distances in a row were; at fewer,
 * slices are missing. Slices are also missing at more distances of a whole multiple of the usual
 * one (every other slice lost) that have the usual one on both sides, or whose images' numbers
 * jump. */
static int is_planned(const ht_slice *slice, int count, int i, double usual) {
  enum { RUN = 3 };
  gap_run run = run_of(slice, count, i);
  double gap = gap_after(slice, i), times = nearbyint(gap / usual);
  if (run.last - run.first + 1 < RUN) return 0;
  if (fabs(gap - times * usual) > allowed_gap(gap)) return 1;
  int inside = run.first > 0 && run.last + 2 < count;
  return !inside && !numbers_jump(slice, count, run, (int)fmin(times, 1e6));
}

static int is_missing(const ht_slice *slice, int count, int i, double median) {
  return gap_after(slice, i) >= HT_GAP_MISSING * median && !is_planned(slice, count, i, median);
}

typedef struct {
  double least, median, widest; /* mm; widest: where slices are missing */
  int places, slices;           /* places where slices are missing, and about how many slices */
  int first;                    /* the first such place: after this slice */
} gap_survey;

static ht_status survey_gaps(const ht_slice *slice, int count, gap_survey *gaps) {
  memset(gaps, 0, sizeof *gaps);
  HT_TRY(measure_gaps(slice, count, &gaps->least, &gaps->median));
  for (int i = count - 2; i >= 0; i--) {
    if (!is_missing(slice, count, i, gaps->median)) continue;
    double gap = gap_after(slice, i);
    gaps->places++;
    gaps->slices += (int)fmax(1, nearbyint(fmin(gap / gaps->median, 1e6)) - 1);
    gaps->widest = fmax(gaps->widest, gap);
    gaps->first = i;
  }
  return HT_OK;
}

/* The first or last slice, where the only gap lies next to it, wider than any that is interpolated;
 * else NULL. */
static const ht_slice *stray_of(const ht_slice *slice, int count, const gap_survey *gaps) {
  const double most_mm = 100; /* of --allow-gaps */
  if (gaps->places != 1 || gaps->widest <= most_mm) return NULL;
  if (gaps->first == 0) return &slice[0];
  return gaps->first == count - 2 ? &slice[count - 1] : NULL;
}

static ht_status refuse_stray(const ht_slice *stray, const gap_survey *gaps) {
  return ht_fail(HT_ERR_SERIES,
                 "%s lies %.1f mm from the next slice, and the others are %.4g mm apart: it is no "
                 "slice of this scan (or most of the scan is missing); remove it from the folder, "
                 "or export the series again",
                 name_of(stray), gaps->widest, gaps->median);
}

/* "1 slice is missing between A (28.11 mm) and B (38.11 mm), and at 2 more places: ..." */
static ht_status refuse_gaps(const ht_slice *slice, const gap_survey *gaps, double allowed) {
  const ht_slice *before = &slice[gaps->first];
  int missing = (int)fmax(1, nearbyint(gap_after(slice, gaps->first) / gaps->median) - 1);
  char more[64] = "", limit[96] = "", remedy[64] = "";
  if (gaps->places > 1)
    snprintf(more, sizeof more, " (%d slices at %d places in all)", gaps->slices, gaps->places);
  if (gaps->widest <= 100)
    snprintf(remedy, sizeof remedy, ", or interpolate with --allow-gaps %.4g",
             ceil(gaps->widest * 100 - 1e-6) / 100);
  if (allowed > 0) snprintf(limit, sizeof limit, ", more than the %g mm allowed", allowed);
  return ht_fail(HT_ERR_SERIES,
                 "%d slice%s missing between %s (%.2f mm) and %s (%.2f mm): the others are %.4g mm "
                 "apart%s%s; export the series again%s",
                 missing, missing > 1 ? "s are" : " is", name_of(before), before->along_mm,
                 name_of(before + 1), before[1].along_mm, gaps->median, more, limit, remedy);
}

static ht_status check_gaps(const ht_slice *slice, int count, const gap_survey *gaps,
                            double allowed) {
  const ht_slice *stray = stray_of(slice, count, gaps);
  if (stray) return refuse_stray(stray, gaps);
  if (gaps->places && gaps->widest > allowed + HT_SAME_POSITION_MM)
    return refuse_gaps(slice, gaps, allowed);
  if (gaps->least >= HT_GAP_LEAST * gaps->median) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "its slices are unequally spaced: two lie only %.3g mm apart, most %.4g mm (two "
                 "stacks or two phases in a series?); export one stack as a series",
                 gaps->least, gaps->median);
}

/* ---- Their way off the normal ---- */

void ht_stack_shift(const ht_slice *slice, int k, double shift_mm[2]) {
  for (int a = 0; a < 2; a++) {
    shift_mm[a] = 0;
    for (int r = 0; r < 3; r++)
      shift_mm[a] += (slice[k].position_mm[r] - slice[0].position_mm[r]) * slice[0].axes[a][r];
  }
}

static double tilt_of(const ht_slice *slice, int count) {
  double shift[2];
  ht_stack_shift(slice, count - 1, shift);
  return atan2(hypot(shift[0], shift[1]), slice[count - 1].along_mm - slice[0].along_mm);
}

static ht_status check_tilt(double tilt) {
  if (tilt * 180 / HT_PI <= HT_TILT_MOST) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "its slices are sheared: their origins lie on a line %.2f degrees off the slices' "
                 "normal; a gantry tilt of at most %g is sheared back",
                 tilt * 180 / HT_PI, HT_TILT_MOST);
}

/* Each slice lies on the straight line from the first to the last. */
static ht_status check_line(const ht_slice *slice, int count, double spacing_mm) {
  double whole[2], shift[2];
  double allowed = fmax(HT_PLACE_TOLERANCE * spacing_mm, HT_SAME_POSITION_MM);
  double length = slice[count - 1].along_mm - slice[0].along_mm;
  ht_stack_shift(slice, count - 1, whole);
  for (int k = 0; k < count; k++) {
    double part = (slice[k].along_mm - slice[0].along_mm) / length;
    ht_stack_shift(slice, k, shift);
    double off = hypot(shift[0] - part * whole[0], shift[1] - part * whole[1]);
    if (off > allowed)
      return ht_fail(
          HT_ERR_SERIES,
          "%s lies %.3g mm off its place in a regular stack of %.4g mm spacing (allowed: "
          "%.2g mm)",
          name_of(&slice[k]), off, spacing_mm, allowed);
  }
  return HT_OK;
}

/* ---- The grid ---- */

/* Planes of the volume, whose distance is the slices' smallest. Where all distances are whole times
 * that, the first and the last plane are slices; else the last slice may lie beyond the last
 * plane. */
static void place_planes(const ht_slice *slice, int count, const gap_survey *gaps, int *planes,
                         double *spacing_mm) {
  double length = slice[count - 1].along_mm - slice[0].along_mm, steps = 0;
  int whole = 1;
  for (int i = 0; i + 1 < count; i++) {
    double gap = gap_after(slice, i), times = nearbyint(gap / gaps->least);
    whole = whole && fabs(gap - times * gaps->least) <= allowed_gap(gap);
    steps += times;
  }
  if (!whole) steps = floor(length / gaps->least + HT_GAP_TOLERANCE);
  *planes = (int)fmin(steps, 1e9) + 1; /* more are refused in the same way */
  *spacing_mm = whole ? length / steps : gaps->least;
}

static int is_regular(const ht_slice *slice, int count, const gap_survey *gaps) {
  for (int i = 0; i + 1 < count; i++)
    if (fabs(gap_after(slice, i) - gaps->median) > allowed_gap(gaps->median)) return 0;
  /* Each within 1 %, but drifting away from its place: unequal too. */
  double length = slice[count - 1].along_mm - slice[0].along_mm, spacing = length / (count - 1);
  for (int k = 0; k < count; k++)
    if (fabs(slice[k].along_mm - slice[0].along_mm - k * spacing) >
        fmax(HT_PLACE_TOLERANCE * spacing, HT_SAME_POSITION_MM))
      return 0;
  return 1;
}

/* Third axis: the line of the origins, which is the normal to HT_TILT_TOLERANCE. */
static void fill_grid(const ht_slice *slice, int count, ht_grid *grid) {
  double line[3];
  *grid = ht_grid_make(slice[0].columns, slice[0].rows, count);
  for (int r = 0; r < 3; r++) line[r] = slice[count - 1].position_mm[r] - slice[0].position_mm[r];
  double length = ht_length(line);
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

/* Third axis: the normal. Wide enough along rows and columns for every slice, by whole pixels. */
static void fill_sheared(const ht_slice *slice, int count, int planes, double spacing_mm,
                         const double normal[3], ht_grid *grid) {
  fill_grid(slice, count, grid);
  grid->dim[2] = planes;
  grid->spacing_mm[2] = spacing_mm;
  for (int r = 0; r < 3; r++) grid->direction[r][2] = normal[r];
  for (int a = 0; a < 2; a++) {
    const double pixel = grid->spacing_mm[a], slack = 1e-3; /* of a pixel: rounded positions */
    double shift[2], low = 0, high = 0;
    for (int k = 0; k < count; k++) {
      ht_stack_shift(slice, k, shift);
      low = fmin(low, floor(shift[a] / pixel + slack));
      high = fmax(high, ceil(shift[a] / pixel - slack));
    }
    grid->dim[a] += (int)fmin(high - low, 1e9); /* pixels too small for a patient */
    for (int r = 0; r < 3; r++) grid->origin_mm[r] += low * pixel * slice[0].axes[a][r];
  }
}

/* ---- What was done, in words ---- */

/* Names the place of the widest distance, which may be slices that were lost. */
static void remark_resampled(ht_stack *stack, const ht_slice *slice, int count,
                             const gap_survey *gaps, double widest) {
  int at = 0;
  while (at + 2 < count && gap_after(slice, at) < widest) at++;
  gap_run run = run_of(slice, count, at);
  ht_stack_remark(stack,
                  "slices %.4g to %.4g mm apart were resampled to %.4g mm, the widest apart from "
                  "%.2f to %.2f mm",
                  gaps->least, widest, stack->grid.spacing_mm[2], slice[run.first].along_mm,
                  slice[run.last + 1].along_mm);
}

static void remark_on(ht_stack *stack, const ht_slice *slice, int count, const gap_survey *gaps,
                      double tilt, int regular) {
  double widest = 0;
  for (int i = 0; i + 1 < count; i++) widest = fmax(widest, gap_after(slice, i));
  if (tilt > HT_TILT_TOLERANCE)
    ht_stack_remark(stack, "a gantry tilt of %.2f degrees was sheared back (resampled)",
                    tilt * 180 / HT_PI);
  if (gaps->places)
    ht_stack_remark(stack,
                    "%d missing slice%s interpolated at %d place%s, across %.4g mm at most, the "
                    "first between %.2f and %.2f mm",
                    gaps->slices, gaps->slices == 1 ? " was" : "s were", gaps->places,
                    gaps->places == 1 ? "" : "s", gaps->widest, slice[gaps->first].along_mm,
                    slice[gaps->first + 1].along_mm);
  else if (!regular)
    remark_resampled(stack, slice, count, gaps, widest);
}

static ht_status place_stack(const ht_slice *slice, int count, const ht_stack_options *options,
                             const double normal[3], ht_stack *stack) {
  gap_survey gaps;
  int planes = count;
  double tilt = tilt_of(slice, count), spacing_mm;
  HT_TRY(check_tilt(tilt));
  HT_TRY(survey_gaps(slice, count, &gaps));
  HT_TRY(check_gaps(slice, count, &gaps, options->allow_gaps_mm));
  HT_TRY(check_line(slice, count, gaps.least));
  int regular = is_regular(slice, count, &gaps);
  stack->resampled = !regular || tilt > HT_TILT_TOLERANCE;
  if (stack->resampled) {
    spacing_mm = (slice[count - 1].along_mm - slice[0].along_mm) / (count - 1);
    if (!regular) place_planes(slice, count, &gaps, &planes, &spacing_mm);
    fill_sheared(slice, count, planes, spacing_mm, normal, &stack->grid);
  } else {
    fill_grid(slice, count, &stack->grid);
  }
  remark_on(stack, slice, count, &gaps, tilt, regular);
  return ht_grid_check(&stack->grid);
}

static ht_status check_decoders(const ht_slice *slice, int count) {
  for (int i = 0; i < count; i++)
    if (slice[i].compression[0])
      return ht_fail(HT_ERR_FORMAT,
                     "its images are compressed by %s, which is not read: export the series again, "
                     "uncompressed "
                     "(Explicit VR Little Endian)",
                     slice[i].compression);
  return HT_OK;
}

/* Places this regular are no chance: they replace the frame of reference. */
static ht_status check_frames(int count, ht_stack *stack) {
  if (count < HT_PATIENT_FEW || stack->resampled) return ht_patients_own_frames();
  ht_stack_remark(stack,
                  "each image has its own Frame of Reference UID (it was made anonymous file "
                  "by file); the images were taken to belong together as they lie at equal "
                  "distances");
  return HT_OK;
}

static ht_status check_images(ht_slice *slice, int *count, ht_stack *stack, int *own_frames) {
  HT_TRY(check_all_images(slice, *count));
  HT_TRY(ht_patients_check_series(slice, *count, own_frames));
  drop_copies(slice, count);
  HT_TRY(ht_phase_drop_velocity(slice, count, stack));
  if (*count < 2)
    return ht_fail(HT_ERR_SERIES, "it has one image only: a volume needs at least 2 slices");
  for (int i = 1; i < *count; i++) HT_TRY(check_same(&slice[0], &slice[i]));
  return check_units(&slice[0]);
}

ht_status ht_stack_check(ht_slice *slice, int *count, const ht_stack_options *options,
                         ht_stack *stack) {
  static const ht_stack_options undecided;
  double normal[3];
  int own_frames;
  ht_stack made = {0};
  if (!options) options = &undecided;
  memset(stack, 0, sizeof *stack);
  HT_TRY(check_images(slice, count, &made, &own_frames));
  sort_slices(slice, *count, normal);
  HT_TRY(ht_phase_choose(slice, count, options->phase, &made));
  HT_TRY(place_stack(slice, *count, options, normal, &made));
  if (own_frames) HT_TRY(check_frames(*count, &made));
  *stack = made;
  return check_decoders(slice, *count);
}

int ht_stack_aside(const ht_slice *slice, int count) {
  enum { FEW = 9 }; /* images of a localizer in three planes */
  int aside = 0, images = 0, turned = 0;
  for (int i = 0; i < count; i++) {
    aside += slice[i].aside;
    images += slice[i].has_image;
    turned += slice[i].has_image && !ht_slices_same_direction(&slice[0], &slice[i]);
  }
  if (aside == count) return 1;
  for (int i = 0; i < count; i++)
    if (slice[i].status != HT_OK) return 0;
  return images == 0 || count == 1 || (turned && count <= FEW);
}
