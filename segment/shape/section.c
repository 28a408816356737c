#include "segment/shape/section.h"
#include "core/numbers/vector3.h"
#include <stdlib.h>
#include <string.h>

/* Number of corners of a cell inside the vessel; -1 where some lie outside of the grid. */
static int corners_inside(const ht_mask *mask, const int first[3]) {
  const int *dim = mask->grid.dim;
  const int64_t row = dim[0], slice = row * dim[1];
  for (int a = 0; a < 3; a++)
    if (first[a] < 0 || first[a] + 1 >= dim[a]) return -1;
  const uint8_t *cell = mask->inside + first[0] + row * first[1] + slice * first[2];
  return !!cell[0] + !!cell[1] + !!cell[row] + !!cell[row + 1] + !!cell[slice] + !!cell[slice + 1] +
         !!cell[slice + row] + !!cell[slice + row + 1];
}

/* The mask at a fractional index, trilinear; 0 outside of the grid. */
static double sample(const ht_mask *mask, const double index[3]) {
  const int *dim = mask->grid.dim;
  int first[3];
  double share[3], sum = 0;
  for (int a = 0; a < 3; a++) {
    if (!(index[a] > -1 && index[a] < dim[a])) return 0;
    first[a] = (int)index[a];
    if (index[a] < first[a]) first[a]--;
    share[a] = index[a] - first[a];
  }
  int inside = corners_inside(mask, first);
  if (inside == 0 || inside == 8) return inside / 8; /* most cells */
  for (int corner = 0; corner < 8; corner++) {
    int at[3], within = 1;
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      int up = (corner >> a) & 1;
      at[a] = first[a] + up;
      within &= at[a] >= 0 && at[a] < dim[a];
      weight *= up ? share[a] : 1 - share[a];
    }
    if (within && weight > 0 && mask->inside[at[0] + dim[0] * (at[1] + (int64_t)dim[1] * at[2])])
      sum += weight;
  }
  return sum;
}

void ht_section_free(ht_section *section) {
  if (!section) return;
  free(section->inside);
  free(section->distance);
  memset(section, 0, sizeof *section);
}

/* ---- sheets ---- */

ht_sheet ht_sheet_across(const ht_grid *grid, const double centre_mm[3], const double across[2][3],
                         double pixel_mm) {
  ht_sheet sheet;
  ht_grid_index(grid, centre_mm, sheet.base);
  for (int k = 0; k < 2; k++) {
    ht_grid_from_lps(grid, across[k], sheet.step[k]);
    for (int a = 0; a < 3; a++) sheet.step[k][a] *= pixel_mm / grid->spacing_mm[a];
  }
  return sheet;
}

/* ---- pieces of a picture ---- */

/* Marks the 4-connected piece of `from` == 1 with `value`; counts it. `todo` holds size pixels. */
static int64_t mark_piece(uint8_t *from, const int size[2], int start, uint8_t value, int *todo) {
  int64_t count = 0;
  int waiting = 0;
  from[start] = value;
  todo[waiting++] = start;
  while (waiting > 0) {
    int p = todo[--waiting], i = p % size[0], j = p / size[0];
    const int next[4] = {p - 1, p + 1, p - size[0], p + size[0]};
    const int within[4] = {i > 0, i + 1 < size[0], j > 0, j + 1 < size[1]};
    count++;
    for (int k = 0; k < 4; k++) {
      if (!within[k] || from[next[k]] != 1) continue;
      from[next[k]] = value;
      todo[waiting++] = next[k];
    }
  }
  return count;
}

static void keep_value(uint8_t *inside, int pixels, uint8_t value) {
  for (int p = 0; p < pixels; p++) inside[p] = inside[p] == value;
}

/* Keeps the largest piece; of equally large ones the first. */
static ht_status keep_largest(uint8_t *inside, const int size[2], int64_t *count) {
  int *todo, pixels = size[0] * size[1], best = -1;
  *count = 0;
  HT_TRY(ht_alloc((void **)&todo, (size_t)pixels, sizeof(int), "a section"));
  for (int p = 0; p < pixels; p++) {
    if (inside[p] != 1) continue;
    int64_t piece = mark_piece(inside, size, p, 2, todo);
    if (piece > *count) *count = piece, best = p;
  }
  for (int p = 0; p < pixels; p++) inside[p] = inside[p] != 0;
  if (best >= 0) mark_piece(inside, size, best, 2, todo);
  keep_value(inside, pixels, 2);
  free(todo);
  return HT_OK;
}

ht_status ht_section_clean(uint8_t *inside, const int size[2], int64_t *count) {
  int pixels = size[0] * size[1];
  for (int j = 0; j + 1 < size[1]; j++) {
    for (int i = 0; i + 1 < size[0]; i++) {
      uint8_t *p = inside + i + j * size[0];
      if (!(p[0] && p[1] && p[size[0]] && p[size[0] + 1])) continue;
      p[0] |= 2, p[1] |= 2, p[size[0]] |= 2, p[size[0] + 1] |= 2;
    }
  }
  keep_value(inside, pixels, 3);
  return keep_largest(inside, size, count);
}

void ht_section_square(uint8_t *inside, const int size[2], int64_t *count) {
  int most = 2, best = -1;
  for (int j = 0; j + 1 < size[1]; j++) {
    for (int i = 0; i + 1 < size[0]; i++) {
      const uint8_t *p = inside + i + j * size[0];
      int covered = !!p[0] + !!p[1] + !!p[size[0]] + !!p[size[0] + 1];
      if (covered > most) most = covered, best = (int)(p - inside);
    }
  }
  memset(inside, 0, (size_t)size[0] * size[1]);
  *count = best < 0 ? 0 : 4;
  if (best < 0) return;
  inside[best] = inside[best + 1] = inside[best + size[0]] = inside[best + size[0] + 1] = 1;
}

/* ---- finding ---- */

/* Tells whether pixel (i, j) is inside the vessel. */
static uint8_t sample_pixel(const ht_mask *mask, const ht_sheet *sheet, int i, int j) {
  double at[3];
  for (int a = 0; a < 3; a++)
    at[a] = sheet->base[a] + i * sheet->step[0][a] + j * sheet->step[1][a];
  return sample(mask, at) >= 0.5 - 1e-9;
}

static void sample_sheet(const ht_mask *mask, const ht_sheet *sheet, ht_section *section) {
  uint8_t *to = section->inside;
  for (int j = 0; j < section->size[1]; j++)
    for (int i = 0; i < section->size[0]; i++)
      *to++ = sample_pixel(mask, sheet, section->low[0] + i, section->low[1] + j);
}

/* Marks the 4-connected piece of `start`, which lies inside, and no other pixel; counts it. Samples
 * the piece and its rim alone: the window has many times more pixels. `todo` as above. */
static int64_t sample_piece(const ht_mask *mask, const ht_sheet *sheet, int start, int *todo,
                            ht_section *section) {
  enum { OUT = 1, IN };
  static const int di[4] = {-1, 1, 0, 0}, dj[4] = {0, 0, -1, 1};
  const int *size = section->size, *low = section->low;
  uint8_t *found = section->inside;
  int64_t count = 0;
  int waiting = 0;
  found[start] = IN;
  todo[waiting++] = start;
  while (waiting > 0) {
    int p = todo[--waiting], i = p % size[0], j = p / size[0];
    const int next[4] = {p - 1, p + 1, p - size[0], p + size[0]};
    const int within[4] = {i > 0, i + 1 < size[0], j > 0, j + 1 < size[1]};
    count++;
    for (int k = 0; k < 4; k++) {
      if (!within[k] || found[next[k]]) continue;
      int inside = sample_pixel(mask, sheet, low[0] + i + di[k], low[1] + j + dj[k]);
      found[next[k]] = inside ? IN : OUT;
      if (found[next[k]] == IN) todo[waiting++] = next[k];
    }
  }
  keep_value(found, size[0] * size[1], IN);
  return count;
}

static int nearest_pixel(const ht_section *section, double *away) {
  int best = -1, pixels = section->size[0] * section->size[1];
  *away = INFINITY;
  for (int p = 0; p < pixels; p++) {
    double i = section->low[0] + p % section->size[0], j = section->low[1] + p / section->size[0];
    if (!section->inside[p] || i * i + j * j >= *away) continue;
    *away = i * i + j * j;
    best = p;
  }
  *away = sqrt(*away);
  return best;
}

static int touches_edge(const ht_section *section) {
  int w = section->size[0], h = section->size[1], touches = 0;
  for (int i = 0; i < w; i++) touches |= section->inside[i] | section->inside[i + (h - 1) * w];
  for (int j = 0; j < h; j++) touches |= section->inside[j * w] | section->inside[w - 1 + j * w];
  return touches;
}

/* The piece of the pixel nearest to the middle of the window, in a window sampled as a whole. */
static void find_nearest(const ht_mask *mask, const ht_sheet *sheet, double limit, int *todo,
                         ht_section *section, double *away) {
  sample_sheet(mask, sheet, section);
  int start = nearest_pixel(section, away);
  if (start < 0 || *away > limit) return;
  section->count = mark_piece(section->inside, section->size, start, 2, todo);
  keep_value(section->inside, section->size[0] * section->size[1], 2);
}

/* Looks in a window of +-half pixels. *decided = 0 where a larger window may hold a nearer one. */
static ht_status look(const ht_mask *mask, const ht_sheet *sheet, int half, double limit,
                      ht_section *section, double *away, int *decided) {
  int *todo, side = 2 * half + 1, middle = half * side + half;
  *section = (ht_section){.low = {-half, -half}, .size = {side, side}};
  size_t pixels = (size_t)side * side;
  HT_TRY(ht_alloc((void **)&section->inside, pixels, 1, "a section"));
  HT_TRY(ht_alloc((void **)&todo, pixels, sizeof(int), "a section"));
  *away = 0;
  if (limit >= 0 && sample_pixel(mask, sheet, 0, 0))
    section->count = sample_piece(mask, sheet, middle, todo, section);
  else
    find_nearest(mask, sheet, limit, todo, section, away);
  free(todo);
  /* The window's corners are farther than its sides: only within its circle is the nearest found
   * the nearest of all. */
  *decided = *away <= half;
  if (section->count == 0)
    *decided |= half >= limit;
  else
    *decided &= !touches_edge(section);
  return HT_OK;
}

/* Half-width of a window that shows all of the grid, for any slope of the sheet. */
static int widest_window(const ht_mask *mask, const ht_sheet *sheet) {
  double across = 0, pixel = INFINITY;
  for (int a = 0; a < 3; a++) across += (double)mask->grid.dim[a] * mask->grid.dim[a];
  for (int k = 0; k < 2; k++) {
    const double *s = sheet->step[k];
    pixel = fmin(pixel, ht_length(s));
  }
  return (int)fmin(8000, ceil(2 * sqrt(across) / pixel)) + 2;
}

/* Half-width of the first window. Where the middle is inside, only the piece is sampled: a wide
 * window costs little, and a second one as much as the first. The width does not change the
 * result. */
static int first_window(const ht_mask *mask, const ht_sheet *sheet, double limit) {
  enum { LEAST = 24, MOST = 192 };
  int half = LEAST;
  if (!(limit >= 0 && sample_pixel(mask, sheet, 0, 0))) return half;
  while (half < 1.25 * limit && half < MOST) half *= 2;
  return half;
}

ht_status ht_section_find(const ht_mask *mask, const ht_sheet *sheet, double limit,
                          ht_section *section, double *away) {
  int widest = widest_window(mask, sheet), decided = 0;
  for (int half = first_window(mask, sheet, limit);; half *= 2) {
    if (half > widest) half = widest;
    ht_status status = look(mask, sheet, half, limit, section, away, &decided);
    if (status == HT_OK && (decided || half == widest)) return HT_OK;
    ht_section_free(section);
    HT_TRY(status);
  }
}

void ht_section_centroid(const ht_section *section, double centroid[2]) {
  const uint8_t *inside = section->inside;
  centroid[0] = centroid[1] = 0;
  for (int j = 0; j < section->size[1]; j++)
    for (int i = 0; i < section->size[0]; i++) {
      if (!*inside++) continue;
      centroid[0] += (section->low[0] + i) / (double)section->count;
      centroid[1] += (section->low[1] + j) / (double)section->count;
    }
}

double ht_section_spread(const ht_section *section, double centroid[2]) {
  double farthest = 0;
  const uint8_t *inside = section->inside;
  ht_section_centroid(section, centroid);
  for (int j = 0; j < section->size[1]; j++)
    for (int i = 0; i < section->size[0]; i++)
      if (*inside++)
        farthest = fmax(
            farthest, hypot(section->low[0] + i - centroid[0], section->low[1] + j - centroid[1]));
  return farthest;
}

/* ---- distance from the rim ---- */

static int is_inside(const ht_section *s, int i, int j) {
  return i >= 0 && i < s->size[0] && j >= 0 && j < s->size[1] && s->inside[i + j * s->size[0]];
}

static double rim_distance(const ht_section *section, int i, int j) {
  int here = is_inside(section, i, j), reach = HT_SECTION_REACH;
  int nearest2 = (2 * reach + 1) * (2 * reach + 1);
  for (int dj = -reach; dj <= reach; dj++)
    for (int di = -reach; di <= reach; di++)
      if (di * di + dj * dj < nearest2 && is_inside(section, i + di, j + dj) != here)
        nearest2 = di * di + dj * dj;
  double distance = fmin(reach, sqrt(nearest2) - 0.5);
  return here ? distance : -distance;
}

static void bounds(const ht_section *section, int low[2], int high[2]) {
  for (int a = 0; a < 2; a++) low[a] = 1 << 30, high[a] = -1;
  for (int j = 0; j < section->size[1]; j++) {
    for (int i = 0; i < section->size[0]; i++) {
      const int at[2] = {i, j};
      if (!is_inside(section, i, j)) continue;
      for (int a = 0; a < 2; a++) {
        if (at[a] < low[a]) low[a] = at[a];
        if (at[a] > high[a]) high[a] = at[a];
      }
    }
  }
}

ht_status ht_section_measure(ht_section *section) {
  int low[2], high[2];
  ht_section cropped = {.count = section->count};
  bounds(section, low, high);
  for (int a = 0; a < 2; a++) {
    cropped.low[a] = section->low[a] + low[a] - HT_SECTION_REACH;
    cropped.size[a] = high[a] - low[a] + 1 + 2 * HT_SECTION_REACH;
  }
  size_t pixels = (size_t)cropped.size[0] * cropped.size[1];
  HT_TRY(ht_alloc((void **)&cropped.inside, pixels, 1, "a section"));
  ht_status status = ht_alloc((void **)&cropped.distance, pixels, sizeof(double), "a section");
  if (status != HT_OK) {
    free(cropped.inside);
    return status;
  }
  for (size_t p = 0; p < pixels; p++)
    cropped.inside[p] =
        (uint8_t)is_inside(section, cropped.low[0] - section->low[0] + (int)p % cropped.size[0],
                           cropped.low[1] - section->low[1] + (int)p / cropped.size[0]);
  for (size_t p = 0; p < pixels; p++)
    cropped.distance[p] =
        rim_distance(&cropped, (int)p % cropped.size[0], (int)p / cropped.size[0]);
  ht_section_free(section);
  *section = cropped;
  return HT_OK;
}

static double distance_at(const ht_section *s, int i, int j) {
  if (i < 0 || i >= s->size[0] || j < 0 || j >= s->size[1]) return -HT_SECTION_REACH;
  return s->distance[i + j * s->size[0]];
}

double ht_section_at(const ht_section *section, double i, double j) {
  double u = i - section->low[0], v = j - section->low[1];
  if (!(u > -1 && v > -1 && u < section->size[0] && v < section->size[1])) return -HT_SECTION_REACH;
  int p = (int)floor(u), q = (int)floor(v);
  u -= p, v -= q;
  return (1 - v) * ((1 - u) * distance_at(section, p, q) + u * distance_at(section, p + 1, q)) +
         v * ((1 - u) * distance_at(section, p, q + 1) + u * distance_at(section, p + 1, q + 1));
}
