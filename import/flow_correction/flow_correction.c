#include "import/flow_correction/flow_correction.h"
#include "import/flow_correction/flow_statistics.h"
#include "import/flow_correction/noise_mask.h"
#include "import/flow_correction/phase_offset.h"
#include "import/flow_correction/unwrap.h"
#include <math.h>
#include <string.h>

/* Part of venc above which velocities may be wrapped. */
static const double MAY_WRAP = 0.8;

static int has_venc(const ht_measured_flow *flow) {
  for (int e = 0; e < flow->encodings; e++)
    if (!(flow->encoding[e].venc_m_s > 0)) return 0;
  return 1;
}

/* Tells whether a voxel that is no noise is faster than that part of venc. */
static int may_be_wrapped(const ht_measured_flow *flow, const uint8_t *noise) {
  const int64_t voxels = ht_grid_voxels(&flow->grid);
  for (int t = 0; t < flow->times; t++)
    for (int e = 0; e < flow->encodings; e++)
      for (int64_t v = 0; v < voxels; v++)
        if (fabsf(ht_measured_part(flow, t, e)[v]) > MAY_WRAP * flow->encoding[e].venc_m_s &&
            !(noise && noise[v]))
          return 1;
  return 0;
}

/* Largest offset in the image, m/s: of its corners and its middle. */
static double largest_offset(const ht_grid *grid, int order, const double coefficient[10]) {
  double most = 0, term[10];
  for (int corner = 0; corner < 9; corner++) {
    int at[3];
    for (int a = 0; a < 3; a++)
      at[a] = corner == 8 ? grid->dim[a] / 2 : (corner >> a & 1) * (grid->dim[a] - 1);
    const int n = ht_offset_terms(grid, order, at, term);
    double sum = 0;
    for (int k = 0; k < n; k++) sum += coefficient[k] * term[k];
    most = fmax(most, fabs(sum));
  }
  return most;
}

static ht_status correct_offset(ht_measured_flow *flow, const ht_flow_corrections *wanted,
                                ht_import_notes *notes, ht_flow_corrected *done) {
  const int order = wanted->offset_order == 2 ? 2 : 1;
  if (wanted->offset == HT_CORRECT_OFF) return HT_OK;
  HT_TRY(ht_flow_subtract_offset(flow, order, wanted->vessel, done));
  double most = 0;
  for (int e = 0; e < flow->encodings; e++)
    most = fmax(most, largest_offset(&flow->grid, order, done->offset[e]));
  if (done->still)
    ht_import_note(notes,
                   "phase offset: a %s was fitted to %lld voxels of still tissue and "
                   "subtracted, at most %.2g m/s",
                   order == 2 ? "quadratic surface" : "plane", (long long)done->still, most);
  else if (wanted->offset == HT_CORRECT_ON)
    ht_import_warn(notes, "too little still tissue is in the images: the phase offset was not "
                          "corrected");
  return HT_OK;
}

ht_status ht_flow_correct(ht_measured_flow *flow, const ht_flow_corrections *wanted,
                          ht_import_notes *notes, ht_flow_corrected *done) {
  memset(done, 0, sizeof *done);
  if (!has_venc(flow)) {
    ht_import_note(notes, "without the velocity encoding (venc_m_s) nothing was corrected");
    return HT_OK;
  }
  if (wanted->noise == HT_CORRECT_ON || (wanted->noise == HT_CORRECT_AUTO && flow->magnitude &&
                                         flow->times >= HT_SCATTER_TIMES_LEAST))
    HT_TRY(ht_flow_mask_noise(flow, done));
  if (done->noisy)
    ht_import_note(notes, "%lld voxels are noise: their velocities became 0",
                   (long long)done->noisy);
  if (wanted->unwrap == HT_CORRECT_ON ||
      (wanted->unwrap == HT_CORRECT_AUTO && may_be_wrapped(flow, done->noise)))
    HT_TRY(ht_flow_unwrap(flow, done));
  if (done->unwrapped)
    ht_import_note(notes, "%lld velocities were wrapped and moved by multiples of 2 venc",
                   (long long)done->unwrapped);
  return correct_offset(flow, wanted, notes, done);
}
