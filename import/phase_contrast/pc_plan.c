#include "import/phase_contrast/pc_plan.h"
#include "core/numbers/vector3.h"
#include "import/slices/slice_stack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENCODINGS_MOST = 3 };
/* Cosine of the largest angle between directions that count as one. */
static const double SAME_DIRECTION = 0.99;
/* Difference in time of a magnitude and its velocities, in steps of time. */
static const double TIME_TOLERANCE = 0.75;

/* An image at its place. */
typedef struct {
  int image, encoding;
  double along_mm, time;
} place;

typedef struct {
  ht_pc_plan *plan;
  const ht_pc_given *given;
  place *at; /* [count] the velocities, sorted */
  int count;
  double normal[3];
  int must_be_unique; /* two magnitudes at a place count as none */
  int has_trigger;    /* times are trigger times in ms; else numbers of time points */
} work;

static const ht_pc_image *image_of(const work *w, int place) {
  return &w->plan->image[w->at[place].image];
}

/* ---- The images that may belong to it ---- */

static int is_listed(const char *list, int number) {
  while (list && *list) {
    char *end;
    const long one = strtol(list, &end, 10);
    if (end == list) return 0;
    if (one == number) return 1;
    list = end + strspn(end, ", ");
  }
  return 0;
}

static int by_file(const void *left, const void *right) {
  const ht_slice *a = *(const ht_slice *const *)left, *b = *(const ht_slice *const *)right;
  const int order = strcmp(a->path, b->path);
  return order ? order : a->frame - b->frame;
}

static ht_status read_images(const ht_slice *slice, int slices, ht_pc_plan *plan) {
  const ht_slice **wanted;
  HT_TRY(ht_alloc((void **)&wanted, (size_t)slices, sizeof(void *), "the images"));
  for (int i = 0; i < slices; i++) {
    if (strcmp(slice[i].modality, "MR") != 0 || !slice[i].has_image || slice[i].status != HT_OK)
      continue;
    wanted[plan->count++] = &slice[i];
  }
  qsort(wanted, (size_t)plan->count, sizeof(void *), by_file);
  ht_status status =
      ht_alloc((void **)&plan->image, (size_t)plan->count + 1, sizeof *plan->image, "the images");
  if (status == HT_OK) status = ht_pc_images_read(wanted, plan->count, plan->image);
  free(wanted);
  return status;
}

/* Puts aside the images of other series than those listed. Magnitudes only where one is listed:
 * else those of the acquisition are looked for among all. Returns 1 where one is listed. */
static int choose(ht_pc_plan *plan, const char *series) {
  int has_magnitude = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < plan->count; i++) {
      ht_pc_image *image = &plan->image[i];
      const int listed = is_listed(series, image->slice->series_number);
      if (pass == 0) has_magnitude |= listed && image->kind == HT_PC_MAGNITUDE;
      if (pass == 1 && !listed && (has_magnitude || image->kind != HT_PC_MAGNITUDE))
        image->kind = HT_PC_OTHER;
    }
  return has_magnitude;
}

static int count_kind(const ht_pc_plan *plan, ht_pc_kind kind) {
  int count = 0;
  for (int i = 0; i < plan->count; i++) count += plan->image[i].kind == kind;
  return count;
}

static ht_status refuse_no_velocity(const ht_pc_plan *plan, const char *series) {
  const int magnitudes = count_kind(plan, HT_PC_MAGNITUDE);
  if (series)
    return ht_fail(HT_ERR_SERIES,
                   "%d magnitude images and no velocities in series %s: `series` needs the numbers "
                   "of the series of velocities too",
                   magnitudes, series);
  if (magnitudes)
    return ht_fail(HT_ERR_SERIES,
                   "%d magnitude images and no velocities: also export the series of phases or "
                   "velocities (P) of this acquisition, into the same folder",
                   magnitudes);
  return ht_fail(HT_ERR_SERIES,
                 "no phase-contrast images of MR: give the folder with the series of "
                 "velocities and, where there is one, of magnitudes");
}

/* ---- One acquisition ---- */

static int same_geometry(const ht_slice *a, const ht_slice *b) {
  return a->rows == b->rows && a->columns == b->columns && ht_slices_same_direction(a, b) &&
         ht_slices_same_spacing(a, b) && strcmp(a->frame_uid, b->frame_uid) == 0 &&
         a->patient == b->patient;
}

static ht_status refuse_several(const ht_slice *a, const ht_slice *b) {
  return ht_fail(
      HT_ERR_SERIES,
      "velocities of several acquisitions, as in the series %d and %d: choose one with "
      "`series`, as in series: \"%d\", in a file that describes them (docs/measured-flow.md)",
      a->series_number, b->series_number, a->series_number);
}

static ht_status collect(work *w) {
  const ht_slice *first = NULL;
  for (int i = 0; i < w->plan->count; i++) {
    const ht_pc_image *image = &w->plan->image[i];
    if (image->kind != HT_PC_VELOCITY) continue;
    if (!first) first = image->slice;
    if (!same_geometry(first, image->slice)) return refuse_several(first, image->slice);
    w->at[w->count++] = (place){.image = i};
  }
  if (!first) return refuse_no_velocity(w->plan, w->given->series);
  ht_cross(first->axes[0], first->axes[1], w->normal);
  return HT_OK;
}

/* ---- Directions ---- */

ht_status ht_pc_direction_parse(const char *text, const double axes[2][3], double direction[3]) {
  const size_t blanks = strspn(text, " ["), length = strcspn(text + blanks, ",;]");
  char one[64];
  snprintf(one, sizeof one, "%.*s", (int)length, text + blanks);
  for (size_t end = strlen(one); end > 0 && one[end - 1] == ' ';) one[--end] = 0;
  if (strlen(one) == 2 && ht_pc_patient_direction(one, direction)) return HT_OK;
  if (strcmp(one, "row") == 0) return memcpy(direction, axes[0], sizeof axes[0]), HT_OK;
  if (strcmp(one, "column") == 0) return memcpy(direction, axes[1], sizeof axes[1]), HT_OK;
  if (strcmp(one, "through") == 0) return ht_cross(axes[0], axes[1], direction), HT_OK;
  if (sscanf(one, "%lf %lf %lf", &direction[0], &direction[1], &direction[2]) == 3 &&
      ht_normalise(direction))
    return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "direction '%.40s': write through, row, column, rl, lr, ap, pa, fh, hf or three "
                 "numbers (LPS)",
                 one);
}

/* Applies the user's directions: one for each series, in the order of their numbers. */
static ht_status give_directions(work *w) {
  const char *text = w->given->direction;
  for (int before = -1; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL) {
    int number = INT32_MAX;
    for (int p = 0; p < w->count; p++) {
      const int series = image_of(w, p)->slice->series_number;
      if (series > before && series < number) number = series;
    }
    if (number == INT32_MAX)
      return ht_fail(HT_ERR_SERIES, "direction: more directions than series with velocities");
    for (int p = 0; p < w->count; p++) {
      ht_pc_image *image = &w->plan->image[w->at[p].image];
      if (image->slice->series_number != number) continue;
      HT_TRY(ht_pc_direction_parse(text, image->slice->axes, image->direction));
      image->sign = HT_SIGN_GIVEN;
    }
    before = number;
  }
  return HT_OK;
}

static ht_status refuse_encoding(const ht_pc_image *image) {
  const int number = image->slice->series_number;
  if (ht_length(image->direction) < 0.5)
    return ht_fail(HT_ERR_SERIES,
                   "the direction of the velocities of series %d is in none of the fields that are "
                   "read: give it with `direction`, as in direction: through, in a file that "
                   "describes the images (docs/measured-flow.md)",
                   number);
  if (!(image->venc_m_s > 0))
    return ht_fail(HT_ERR_SERIES,
                   "the velocity encoding (venc) of series %d is in none of the fields that are "
                   "read: give it with `venc_m_s`, as in venc_m_s: 1.5, in a file that describes "
                   "the images (docs/measured-flow.md)",
                   number);
  return ht_fail(HT_ERR_SERIES,
                 "the unit of the velocities of series %d is in none of the fields that are read: "
                 "export it again with the scanner's private elements, or convert it to NIfTI in "
                 "m/s",
                 number);
}

static ht_status add_encoding(work *w, const ht_pc_image *image) {
  ht_measured_flow *flow = &w->plan->flow;
  if (flow->encodings == ENCODINGS_MOST)
    return ht_fail(
        HT_ERR_SERIES,
        "velocities along more than three directions: choose the series "
        "of one acquisition with `series` in a file that describes them (docs/measured-flow.md)");
  ht_velocity_encoding *e = &flow->encoding[flow->encodings++];
  *e = (ht_velocity_encoding){.venc_m_s = image->venc_m_s, .sign = image->sign};
  memcpy(e->direction, image->direction, sizeof e->direction);
  if (image->unit == HT_PC_UNIT_VELOCITY) e->level_m_s = fabs(image->scale * image->slice->slope);
  if (image->unit == HT_PC_UNIT_PHASE)
    e->level_m_s = fabs(image->scale * image->slice->slope) * image->venc_m_s;
  return HT_OK;
}

/* Finds the encoding of each image. Images along one direction, either way round, are of one
 * series and have one venc. */
static ht_status find_encodings(work *w) {
  const ht_measured_flow *flow = &w->plan->flow;
  const ht_slice *of[ENCODINGS_MOST];
  for (int p = 0; p < w->count; p++) {
    ht_pc_image *image = &w->plan->image[w->at[p].image];
    if (w->given->venc_m_s > 0) image->venc_m_s = w->given->venc_m_s;
    if (ht_length(image->direction) < 0.5 || !(image->venc_m_s > 0) ||
        image->unit == HT_PC_UNIT_UNKNOWN)
      return refuse_encoding(image);
    int e = 0;
    while (e < flow->encodings &&
           fabs(ht_dot(flow->encoding[e].direction, image->direction)) < SAME_DIRECTION)
      e++;
    if (e == flow->encodings) {
      HT_TRY(add_encoding(w, image));
      of[e] = image->slice;
    }
    if (strcmp(of[e]->series_uid, image->slice->series_uid) != 0)
      return refuse_several(of[e], image->slice);
    if (fabs(flow->encoding[e].venc_m_s - image->venc_m_s) > 1e-6)
      return ht_fail(
          HT_ERR_SERIES,
          "two velocity encodings along one direction, venc %g and %g m/s: choose the "
          "series of one with `series` in a file that describes them (docs/measured-flow.md)",
          flow->encoding[e].venc_m_s, image->venc_m_s);
    if (ht_dot(flow->encoding[e].direction, image->direction) < 0)
      image->scale = -image->scale, image->shift = -image->shift;
    w->at[p].encoding = e;
  }
  return HT_OK;
}

static ht_status check_encodings(const work *w) {
  const ht_measured_flow *flow = &w->plan->flow;
  double m[3][3];
  if (flow->encodings == 1 && !w->given->needs_vector) return HT_OK;
  if (flow->encodings != 3)
    return ht_fail(HT_ERR_SERIES,
                   "velocities along %s: %s; also give the series of the other directions",
                   flow->encodings == 1 ? "one direction" : "two directions",
                   flow->encodings == 1 ? "three are needed here"
                                        : "one (across a plane) or three are needed");
  for (int r = 0; r < 3; r++)
    for (int e = 0; e < 3; e++) m[r][e] = flow->encoding[e].direction[r];
  if (fabs(ht_determinant((const double(*)[3])m)) > 0.1) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "the three directions of its velocities lie in one plane: give them "
                 "with `direction`");
}

/* ---- Planes and times ---- */

static int by_place(const void *left, const void *right) {
  const place *a = left, *b = right;
  if (a->encoding != b->encoding) return a->encoding - b->encoding;
  if (fabs(a->along_mm - b->along_mm) >= HT_SAME_POSITION_MM)
    return a->along_mm < b->along_mm ? -1 : 1;
  return (a->time > b->time) - (a->time < b->time);
}

static void find_places(work *w) {
  w->has_trigger = 1;
  for (int p = 0; p < w->count; p++) w->has_trigger &= !isnan(image_of(w, p)->slice->trigger_ms);
  for (int p = 0; p < w->count; p++) {
    const ht_slice *slice = image_of(w, p)->slice;
    w->at[p].along_mm = ht_dot(w->normal, slice->position_mm);
    w->at[p].time = w->has_trigger ? slice->trigger_ms : slice->temporal;
  }
  qsort(w->at, (size_t)w->count, sizeof *w->at, by_place);
}

/* Number of images from `first` on at its direction and position. */
static int images_here(const work *w, int first) {
  int end = first + 1;
  while (end < w->count && w->at[end].encoding == w->at[first].encoding &&
         w->at[end].along_mm - w->at[end - 1].along_mm < HT_SAME_POSITION_MM)
    end++;
  return end - first;
}

static ht_status count_places(work *w, int *planes) {
  ht_measured_flow *flow = &w->plan->flow;
  int places = 0;
  flow->times = images_here(w, 0);
  for (int p = 0; p < w->count; p += flow->times, places++) {
    if (images_here(w, p) != flow->times)
      return ht_fail(HT_ERR_SERIES,
                     "%d images at one plane and direction and %d at another: images are missing "
                     "or of several acquisitions; export it again, or choose with `series`",
                     flow->times, images_here(w, p));
    for (int t = 1; t < flow->times; t++)
      if (!(w->at[p + t].time > w->at[p + t - 1].time))
        return ht_fail(HT_ERR_SERIES,
                       "several images at one plane, direction and %s: choose the series of one "
                       "acquisition with `series`",
                       w->has_trigger ? "trigger time" : "time point");
  }
  *planes = places / flow->encodings;
  for (int e = 0; e < flow->encodings; e++)
    if (places % flow->encodings || w->at[e * *planes * flow->times].encoding != e)
      return ht_fail(HT_ERR_SERIES, "its directions have different numbers of planes: images are "
                                    "missing; export it again");
  return HT_OK;
}

/* Times are the means over planes and directions: a scanner may time each a little differently. */
static ht_status set_times(work *w, int planes) {
  ht_measured_flow *flow = &w->plan->flow;
  const int places = planes * flow->encodings;
  HT_TRY(ht_alloc((void **)&flow->time_s, (size_t)flow->times, sizeof(double), "the times"));
  flow->period_s = w->given->period_s > 0 ? w->given->period_s : image_of(w, 0)->interval_s;
  if (!(flow->period_s > 0)) flow->period_s = 0;
  if (!w->has_trigger && flow->times > 1 && flow->period_s == 0)
    return ht_fail(HT_ERR_SERIES, "neither trigger times nor the duration of the beat are given: "
                                  "give it with `period_s`, as in period_s: 0.8, in a file that "
                                  "describes the images (docs/measured-flow.md)");
  for (int t = 0; t < flow->times; t++) {
    for (int p = 0; p < places; p++) flow->time_s[t] += w->at[p * flow->times + t].time / places;
    flow->time_s[t] = w->has_trigger ? flow->time_s[t] / 1000 : flow->period_s * t / flow->times;
  }
  return HT_OK;
}

static ht_status check_planes(const work *w, int planes, double spacing_mm) {
  const ht_measured_flow *flow = &w->plan->flow;
  const place *first = w->at;
  const double *origin = image_of(w, 0)->slice->position_mm;
  for (int p = 0; p < planes * flow->encodings; p++) {
    const place *one = &w->at[p * flow->times];
    const double wanted = first->along_mm + spacing_mm * (p % planes);
    const double *position = w->plan->image[one->image].slice->position_mm;
    double away[3];
    for (int r = 0; r < 3; r++)
      away[r] = position[r] - origin[r] - spacing_mm * (p % planes) * w->normal[r];
    if (fabs(one->along_mm - wanted) > HT_PLACE_TOLERANCE * spacing_mm ||
        ht_length(away) > HT_PLACE_TOLERANCE * fmax(spacing_mm, 1))
      return ht_fail(HT_ERR_SERIES,
                     "its planes are not one above the other at equal distances: plane %d lies "
                     "%.2f mm from its place; choose one acquisition with `series`",
                     p % planes + 1, ht_length(away));
  }
  return HT_OK;
}

static ht_status set_grid(work *w, int planes) {
  const ht_pc_image *first = image_of(w, 0);
  const ht_slice *slice = first->slice;
  const int last = (planes - 1) * w->plan->flow.times;
  ht_grid grid = ht_grid_make(slice->columns, slice->rows, planes);
  ht_normalise(w->normal);
  for (int r = 0; r < 3; r++) {
    grid.direction[r][0] = slice->axes[0][r];
    grid.direction[r][1] = slice->axes[1][r];
    grid.direction[r][2] = w->normal[r];
    grid.origin_mm[r] = slice->position_mm[r];
  }
  grid.spacing_mm[0] = slice->spacing_mm[0];
  grid.spacing_mm[1] = slice->spacing_mm[1];
  grid.spacing_mm[2] = planes > 1 ? (w->at[last].along_mm - w->at[0].along_mm) / (planes - 1)
                       : first->thickness_mm > 0 ? first->thickness_mm
                                                 : slice->spacing_mm[0];
  w->plan->flow.grid = grid;
  HT_TRY(ht_grid_check(&grid));
  return check_planes(w, planes, planes > 1 ? grid.spacing_mm[2] : 0.1);
}

static ht_status number_velocities(work *w, int planes) {
  ht_pc_plan *plan = w->plan;
  const int times = plan->flow.times, encodings = plan->flow.encodings;
  HT_TRY(ht_alloc((void **)&plan->velocity, (size_t)w->count, sizeof(int), "the images"));
  for (int p = 0; p < w->count; p++) {
    const int t = p % times, k = p / times % planes, e = p / times / planes;
    plan->velocity[(t * encodings + e) * planes + k] = w->at[p].image;
  }
  return HT_OK;
}

/* ---- Magnitudes ---- */

/* Finds plane and time of a magnitude; 0 where it lies elsewhere. */
static int find_slot(const work *w, const ht_slice *slice, int *slot) {
  const ht_measured_flow *flow = &w->plan->flow;
  double index[3], time = w->has_trigger ? slice->trigger_ms / 1000 : slice->temporal;
  int nearest = 0;
  ht_grid_index(&flow->grid, slice->position_mm, index);
  const int k = (int)nearbyint(index[2]);
  for (int a = 0; a < 3; a++)
    if (fabs(index[a] - (a == 2 ? k : 0)) > HT_PLACE_TOLERANCE) return 0;
  if (!w->has_trigger) time = flow->period_s * (time - 1) / flow->times;
  for (int t = 1; t < flow->times; t++)
    if (fabs(flow->time_s[t] - time) < fabs(flow->time_s[nearest] - time)) nearest = t;
  const double away_steps = fabs(flow->time_s[nearest] - time) * (flow->times - 1) /
                            (flow->time_s[flow->times - 1] - flow->time_s[0]);
  if (flow->times > 1 && !(away_steps < TIME_TOLERANCE)) return 0;
  *slot = nearest * flow->grid.dim[2] + k;
  return k >= 0 && k < flow->grid.dim[2];
}

/* Numbers the magnitudes: of several at a place the first is taken; of series that were not asked
 * for, none: they may be another acquisition's. Without one for each place there is none. */
static ht_status number_magnitudes(work *w) {
  ht_pc_plan *plan = w->plan;
  const ht_slice *first = image_of(w, 0)->slice;
  const int slots = plan->flow.times * plan->flow.grid.dim[2];
  int found = 0, twice = 0, slot;
  HT_TRY(ht_alloc((void **)&plan->magnitude, (size_t)slots, sizeof(int), "the images"));
  for (int s = 0; s < slots; s++) plan->magnitude[s] = -1;
  for (int i = 0; i < plan->count; i++) {
    const ht_pc_image *image = &plan->image[i];
    if (image->kind != HT_PC_MAGNITUDE || !same_geometry(first, image->slice) ||
        !find_slot(w, image->slice, &slot))
      continue;
    if (plan->magnitude[slot] >= 0) {
      twice = 1;
      continue;
    }
    plan->magnitude[slot] = i;
    found++;
  }
  if (found == slots && !(twice && w->must_be_unique)) return HT_OK;
  if (found < slots) plan->incomplete = found;
  free(plan->magnitude);
  plan->magnitude = NULL;
  if (image_of(w, 0)->unit != HT_PC_UNIT_WEIGHTED) return HT_OK;
  return ht_fail(HT_ERR_SERIES,
                 "its velocities are weighted by the magnitude (GE), whose images are "
                 "missing: export them too, into the same folder");
}

/* ---- All of it ---- */

static ht_status make(work *w) {
  int planes = 0;
  HT_TRY(collect(w));
  HT_TRY(give_directions(w));
  HT_TRY(find_encodings(w));
  HT_TRY(check_encodings(w));
  find_places(w);
  HT_TRY(count_places(w, &planes));
  HT_TRY(set_times(w, planes));
  HT_TRY(set_grid(w, planes));
  HT_TRY(number_velocities(w, planes));
  snprintf(w->plan->flow.source, sizeof w->plan->flow.source, "%s", image_of(w, 0)->make);
  snprintf(w->plan->flow.frame_uid, sizeof w->plan->flow.frame_uid, "%s",
           image_of(w, 0)->slice->frame_uid);
  return number_magnitudes(w);
}

ht_status ht_pc_plan_make(const ht_slice *slice, int slices, const ht_pc_given *given,
                          ht_pc_plan *plan) {
  work w = {.plan = plan, .given = given};
  memset(plan, 0, sizeof *plan);
  HT_TRY(read_images(slice, slices, plan));
  if (given->series) w.must_be_unique = !choose(plan, given->series);
  HT_TRY(ht_alloc((void **)&w.at, (size_t)plan->count + 1, sizeof *w.at, "the images"));
  ht_status status = make(&w);
  free(w.at);
  return status;
}

void ht_pc_plan_free(ht_pc_plan *plan) {
  if (!plan) return;
  ht_measured_flow_free(&plan->flow);
  free(plan->image);
  free(plan->velocity);
  free(plan->magnitude);
  memset(plan, 0, sizeof *plan);
}

/* ---- Text ---- */

static const char *sign_text(ht_sign_basis sign) {
  switch (sign) {
  case HT_SIGN_VENDOR:
    return "sign by the vendor's fields";
  case HT_SIGN_STANDARD:
    return "sign by DICOM's Velocity Encoding Direction";
  case HT_SIGN_PHYSICS:
    return "sign by conservation of the flow";
  case HT_SIGN_GIVEN:
    return "sign as given";
  default:
    return "sign open";
  }
}

void ht_pc_describe(const ht_measured_flow *flow, int has_magnitude, char text[HT_PC_TEXT]) {
  const ht_grid *grid = &flow->grid;
  size_t used = (size_t)snprintf(text, HT_PC_TEXT, "%s, %s of %d x %d x %d voxels", flow->source,
                                 grid->dim[2] == 1 ? "a plane" : "a volume", grid->dim[0],
                                 grid->dim[1], grid->dim[2]);
  for (int e = 0; e < flow->encodings; e++) {
    const ht_velocity_encoding *one = &flow->encoding[e];
    double v[3];
    for (int r = 0; r < 3; r++) v[r] = fabs(one->direction[r]) < 0.0005 ? 0 : one->direction[r];
    used += (size_t)snprintf(text + used, HT_PC_TEXT - used,
                             "; velocities along [%.3g, %.3g, %.3g] (LPS), ", v[0], v[1], v[2]);
    if (one->venc_m_s > 0)
      used += (size_t)snprintf(text + used, HT_PC_TEXT - used, "venc %.4g m/s, ", one->venc_m_s);
    used += (size_t)snprintf(text + used, HT_PC_TEXT - used, "%s", sign_text(one->sign));
  }
  used += (size_t)snprintf(text + used, HT_PC_TEXT - used, "; %d time point%s", flow->times,
                           flow->times == 1 ? "" : "s");
  if (flow->times > 1)
    used += (size_t)snprintf(text + used, HT_PC_TEXT - used, ", %.0f to %.0f ms",
                             1000 * flow->time_s[0], 1000 * flow->time_s[flow->times - 1]);
  if (flow->period_s > 0)
    used += (size_t)snprintf(text + used, HT_PC_TEXT - used, " of a beat of %.0f ms",
                             1000 * flow->period_s);
  snprintf(text + used, HT_PC_TEXT - used, "; %s",
           has_magnitude ? "with magnitudes" : "no magnitudes");
}
