#include "segment/level/tubes.h"
#include "segment/settings/segment_options.h"
#include "segment/voxels/block.h"
#include "segment/voxels/vessel.h"
#include <math.h>
#include <string.h>

enum { SIDE = 96, FEWEST = 8 };
static const double least_sigma =
    0.6; /* of the averaged image, voxels: the least for its Hessian */

/* One scale: the image in boxes of factor[] voxels. */
typedef struct {
  const ht_volume *image;
  double radius_mm, contrast, least;
  int factor[3];
  ht_volume small;
  ht_mask *tubes;
} scale;

static int is_flat(const ht_volume *part, double contrast) {
  float least = part->values[0], most = part->values[0];
  int64_t voxels = ht_grid_voxels(&part->grid);
  for (int64_t v = 0; v < voxels; v++) {
    least = fminf(least, part->values[v]);
    most = fmaxf(most, part->values[v]);
  }
  return most - least < 1.25 * contrast;
}

/* All voxels of the image under voxel `at` of the averaged one. */
static void mark_box(const scale *s, const int at[3]) {
  const int *dim = s->image->grid.dim, *small = s->small.grid.dim;
  int end[3];
  for (int a = 0; a < 3; a++) end[a] = at[a] == small[a] - 1 ? dim[a] : (at[a] + 1) * s->factor[a];
  for (int z = at[2] * s->factor[2]; z < end[2]; z++)
    for (int y = at[1] * s->factor[1]; y < end[1]; y++)
      for (int x = at[0] * s->factor[0]; x < end[0]; x++)
        s->tubes->inside[x + dim[0] * (y + (int64_t)dim[1] * z)] = 1;
}

static void mark_tubular(const int at[3], float measure, void *of) {
  const scale *s = of;
  if (measure >= s->least) mark_box(s, at);
}

static ht_status tubes_of_block(const scale *s, const ht_block *block) {
  ht_volume part, measure = {0};
  const double radius_mm[2] = {s->radius_mm, s->radius_mm};
  HT_TRY(ht_volume_crop(&s->small, &block->outer, &part));
  ht_status status = HT_OK;
  if (!is_flat(&part, s->contrast)) {
    status = ht_itk_vesselness(&part, radius_mm, s->contrast, NULL, &measure);
    if (status == HT_OK) ht_block_visit(block, &measure, mark_tubular, (void *)s);
  }
  ht_volume_free(&measure);
  ht_volume_free(&part);
  return status;
}

static ht_status tubes_of_blocks(const scale *s, double done, double scales,
                                 const ht_progress *progress) {
  int halo[3];
  ht_block_halo(&s->small.grid, 4 * s->radius_mm / sqrt(2.0), halo);
  int64_t blocks = ht_block_count(&s->small.grid, SIDE);
  for (int64_t n = 0; n < blocks; n++) {
    ht_block block = ht_block_at(&s->small.grid, SIDE, halo, n);
    double share = (done + (double)n / (double)blocks) / scales;
    HT_TRY(ht_progress_report(progress, "segment", 100 * share, 100, "vesselness"));
    HT_TRY(tubes_of_block(s, &block));
  }
  return HT_OK;
}

static ht_status tubes_of_scale(scale *s, double done, double scales, const ht_progress *progress) {
  const int *dim = s->image->grid.dim;
  const ht_box all = {{0, 0, 0}, {dim[0] - 1, dim[1] - 1, dim[2] - 1}};
  int averaged = s->factor[0] > 1 || s->factor[1] > 1 || s->factor[2] > 1;
  s->small = *s->image; /* borrowed, unless averaged */
  if (averaged) HT_TRY(ht_volume_shrink(s->image, &all, s->factor, &s->small));
  ht_status status = tubes_of_blocks(s, done, scales, progress);
  if (averaged) ht_volume_free(&s->small);
  return status;
}

ht_status ht_find_tubes(const ht_volume *image, const double radius_mm[2], double contrast,
                        double least, const ht_progress *progress, ht_mask *tubes) {
  double octaves = log2(radius_mm[1] / radius_mm[0]);
  int scales = (int)ceil(octaves - 1e-9) + 1;
  const int *dim = image->grid.dim, needed = HT_SEGMENT_VOXELS_LEAST;
  if (dim[0] < needed || dim[1] < needed || dim[2] < needed)
    return ht_fail(HT_ERR_CASE,
                   "the region has %d x %d x %d voxels, and vesselness needs at least %d along "
                   "each axis: give a larger `region`, or segment.method threshold",
                   dim[0], dim[1], dim[2], needed);
  for (int n = 0; n < scales; n++) {
    scale s = {.image = image, .contrast = contrast, .least = least, .tubes = tubes};
    s.radius_mm = radius_mm[0] * pow(2, scales > 1 ? n * octaves / (scales - 1) : 0);
    for (int a = 0; a < 3; a++) {
      double most = image->grid.dim[a] / FEWEST; /* the filter needs some voxels along each axis */
      s.factor[a] = (int)fmax(
          1, fmin(most, floor(s.radius_mm / sqrt(2.0) / least_sigma / image->grid.spacing_mm[a])));
    }
    HT_TRY(tubes_of_scale(&s, n, scales, progress));
  }
  return HT_OK;
}
