#include "import/slices/slice_phase.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Magnitude and velocity ---- */

static int no_magnitude(const ht_slice *slice) {
  return slice->component == HT_COMPONENT_PHASE || slice->component == HT_COMPONENT_REAL ||
         slice->component == HT_COMPONENT_IMAGINARY;
}

ht_status ht_phase_drop_velocity(ht_slice *slice, int *count, ht_stack *stack) {
  int kept = 0, all = *count;
  for (int i = 0; i < all; i++) {
    if (no_magnitude(&slice[i])) continue;
    ht_slice moved = slice[i];
    slice[i] = slice[kept];
    slice[kept++] = moved;
  }
  if (kept == all) return HT_OK;
  if (kept == 0) {
    for (int i = 0; i < all; i++)
      slice[i].aside = 1, slice[i].why_aside = "velocities or phases of MR";
    return ht_fail(HT_ERR_SERIES,
                   "its images are phases or velocities of MR, or parts of complex numbers: no "
                   "vessel shows in them; choose the series of magnitudes");
  }
  *count = kept;
  ht_stack_remark(stack,
                  "%d velocity or phase images were left out, the %d magnitudes are the scan",
                  all - kept, kept);
  stack->has_velocity = 1;
  return HT_OK;
}

/* ---- What tells phases apart ---- */

typedef struct {
  const char *name; /* "%s %g UNIT" */
  const char *unit;
  double (*value)(const ht_slice *slice); /* NAN: not given */
  int by_type; /* Image Type comes first: magnitude and phase of a sequence are not mixed */
} phase_key;

static double told(int number) {
  return number ? number : NAN;
}

static double temporal_of(const ht_slice *slice) {
  return told(slice->temporal);
}
static double trigger_of(const ht_slice *slice) {
  return slice->trigger_ms;
}
static double percent_of(const ht_slice *slice) {
  return slice->phase_percent;
}
static double echo_time_of(const ht_slice *slice) {
  return slice->echo_time_ms;
}
static double acquisition_of(const ht_slice *slice) {
  return told(slice->acquisition);
}
static double acquired_of(const ht_slice *slice) {
  return slice->acquired_s;
}
static double content_of(const ht_slice *slice) {
  return slice->content_s;
}
static double instance_of(const ht_slice *slice) {
  return slice->instance;
}
static double nothing_of(const ht_slice *slice) {
  (void)slice;
  return 0;
}
static double frame_of(const ht_slice *slice) {
  return slice->frame;
}

/* Times of day are part of a patient's date: they order, and are not shown. */
static const phase_key keys[] = {
    {"trigger time", " ms", trigger_of, 0},
    {"cardiac phase", " %", percent_of, 0},
    {"echo time", " ms", echo_time_of, 0},
    {"temporal position", "", temporal_of, 0},
    {"acquisition", "", acquisition_of, 0},
    {"image type", NULL, nothing_of, 1},
    {"image type and echo time", NULL, echo_time_of, 1},
    {"image type and temporal position", NULL, temporal_of, 1},
    {"image type and time of acquisition", NULL, acquired_of, 1},
    {"image type and instance number", NULL, instance_of, 1},
    {"time of acquisition", NULL, acquired_of, 0},
    {"time of content", NULL, content_of, 0},
    {"instance number", NULL, instance_of, 0},
    {"frame", NULL, frame_of, 0},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* < 0 where a comes first. */
static int compare(const ht_slice *a, const ht_slice *b, const phase_key *key) {
  int order = key->by_type ? strcmp(a->type, b->type) : 0;
  double difference = key->value(a) - key->value(b);
  return order ? order : (difference > 0) - (difference < 0);
}

static void sort_group(ht_slice *slice, int count, const phase_key *key) {
  for (int i = 1; i < count; i++) { /* few: an insertion */
    ht_slice moved = slice[i];
    int at = i;
    for (; at > 0 && compare(&slice[at - 1], &moved, key) > 0; at--) slice[at] = slice[at - 1];
    slice[at] = moved;
  }
}

/* Sorts by types; tells whether there are several, the same at every position. */
static int same_types(const ht_slice *slice, int count, int phases) {
  for (int i = phases; i < count; i++)
    if (strcmp(slice[i].type, slice[i % phases].type) != 0) return 0;
  return strcmp(slice[0].type, slice[phases - 1].type) != 0;
}

/* 1 where all have the key and it differs within each position; the images are then in its
 * order. */
static int sort_phases(ht_slice *slice, int count, int phases, const phase_key *key) {
  for (int i = 0; i < count; i++)
    if (isnan(key->value(&slice[i]))) return 0;
  for (int first = 0; first < count; first += phases) {
    sort_group(slice + first, phases, key);
    for (int i = first + 1; i < first + phases; i++)
      if (compare(&slice[i], &slice[i - 1], key) <= 0) return 0;
  }
  return !key->by_type || same_types(slice, count, phases);
}

/* ---- equal numbers at all positions ---- */

static int group_end(const ht_slice *slice, int count, int first) {
  int end = first + 1;
  while (end < count && slice[end].along_mm - slice[end - 1].along_mm < HT_SAME_POSITION_MM) end++;
  return end;
}

/* The number of images that most positions have; ties: the smaller. */
static int usual_number(const ht_slice *slice, int count) {
  int best = 1, most = 0;
  for (int first = 0; first < count; first = group_end(slice, count, first)) {
    int size = group_end(slice, count, first) - first, times = 0;
    if (size == best && most) continue;
    for (int at = 0; at < count; at = group_end(slice, count, at))
      times += group_end(slice, count, at) - at == size;
    if (times > most || (times == most && size < best)) best = size, most = times;
  }
  return best;
}

/* "8.50, 10.00 and 2 more" of the positions that have another number of images than usual. */
static ht_status check_numbers(const ht_slice *slice, int count, int usual, int positions) {
  enum { SHOWN = 4 };
  char list[160] = "";
  size_t used = 0;
  int odd = 0, more = 0;
  for (int first = 0, end; first < count; first = end) {
    end = group_end(slice, count, first);
    if (end - first == usual) continue;
    more += end - first > usual;
    if (odd++ < SHOWN)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%.2f mm (%d)",
                               odd > 1 ? ", " : "", slice[first].along_mm, end - first);
  }
  if (odd == 0) return HT_OK;
  if (odd > SHOWN) snprintf(list + used, sizeof list - used, " and %d more", odd - SHOWN);
  if (usual == 1)
    return ht_fail(HT_ERR_SERIES,
                   "its %d images lie at only %d positions: duplicated slices at %s; remove the "
                   "second ones or export the series again",
                   count, positions, list);
  return ht_fail(HT_ERR_SERIES,
                 "its %d images lie at only %d positions, %d at most of them, but other numbers at "
                 "%s: images are %s; export the series again",
                 count, positions, usual, list, more == odd ? "duplicated" : "missing");
}

/* ---- The choice ---- */

typedef struct {
  char text[640];
  size_t used;
} phase_list;

/* " (ORIGINAL\PRIMARY\M_SWI, magnitude)". */
static void type_text(const ht_slice *slice, char text[72]) {
  snprintf(text, 72, " (%.48s%s)", slice->type,
           slice->component == HT_COMPONENT_MAGNITUDE ? ", magnitude" : "");
}

/* "1 (trigger time 0 ms), 2 (40 ms), ..." of the images at the first position. */
static void list_phases(const ht_slice *slice, int phases, const phase_key *key, phase_list *list) {
  enum { SHOWN = 8 };
  int shown = phases <= SHOWN + 1 ? phases : SHOWN;
  for (int p = 0; p < shown; p++) {
    char value[72] = "";
    if (key->unit)
      snprintf(value, sizeof value, " (%s%s%.6g%s)", p ? "" : key->name, p ? "" : " ",
               key->value(&slice[p]), key->unit);
    if (key->by_type) type_text(&slice[p], value);
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                   "%s%d%s", p ? ", " : "", p + 1, value);
  }
  if (shown < phases)
    snprintf(list->text + list->used, sizeof list->text - list->used, " to %d", phases);
}

static ht_status ask(const ht_slice *slice, int count, int phases, const phase_key *key) {
  phase_list list = {{0}, 0};
  list_phases(slice, phases, key, &list);
  return ht_fail(HT_ERR_SERIES,
                 "its %d images lie at only %d positions, %d at each: %s by their %s. Choose one "
                 "with --phase: %s",
                 count, count / phases, phases,
                 key->by_type                 ? "images of several kinds"
                 : key->value == echo_time_of ? "echoes"
                                              : "phases or repeated images",
                 key->name, list.text);
}

static void keep_phase(ht_slice *slice, int *count, int phases, int phase) {
  int positions = *count / phases;
  for (int k = 0; k < positions; k++) {
    ht_slice moved = slice[k * phases + phase];
    /* Writes only places before k * phases + phase: those after still hold their own. */
    slice[k * phases + phase] = slice[k];
    slice[k] = moved;
  }
  *count = positions;
}

static void remark_phase(ht_stack *stack, const ht_slice *slice, int phases, int phase,
                         const phase_key *key, int asked) {
  char value[72] = "";
  if (key->unit)
    snprintf(value, sizeof value, " (%s %.6g%s)", key->name, key->value(slice), key->unit);
  if (key->by_type) type_text(slice, value);
  ht_stack_remark(stack, "phase %d of %d was taken%s%s", phase + 1, phases, value,
                  asked ? "" : "; another: --phase N");
}

static ht_status no_such_phase(int wanted, int phases) {
  if (phases == 1)
    return ht_fail(HT_ERR_SERIES, "--phase %d: it has one image at each position", wanted);
  return ht_fail(HT_ERR_SERIES, "--phase %d: it has %d phases, numbered 1 to %d", wanted, phases,
                 phases);
}

ht_status ht_phase_choose(ht_slice *slice, int *count, int wanted, ht_stack *stack) {
  int positions = 0, key = 0;
  for (int i = 0; i < *count; i = group_end(slice, *count, i)) positions++;
  if (positions == 1)
    return ht_fail(HT_ERR_SERIES,
                   "its %d images lie at only 1 position (%.2f mm): a volume needs at least 2",
                   *count, slice->along_mm);
  int phases = usual_number(slice, *count);
  HT_TRY(check_numbers(slice, *count, phases, positions));
  if (wanted > phases) return no_such_phase(wanted, phases);
  if (phases == 1) return HT_OK;
  while (key < KEYS && !sort_phases(slice, *count, phases, &keys[key])) key++;
  if (key == KEYS)
    return ht_fail(HT_ERR_SERIES,
                   "its %d images lie at only %d positions, and nothing distinguishes those at "
                   "one position; export the one to use as a series",
                   *count, positions);
  if (!wanted && !stack->has_velocity) return ask(slice, *count, phases, &keys[key]);
  int phase = wanted ? wanted - 1 : 0;
  keep_phase(slice, count, phases, phase);
  remark_phase(stack, slice, phases, phase, &keys[key], wanted > 0);
  return HT_OK;
}
