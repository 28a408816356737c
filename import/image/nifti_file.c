#include "import/image/nifti_file.h"
#include "core/formats/nifti_codes.h"
#include "import/image/nifti_header.h"
#include "import/image/nifti_tilt.h"
#include "import/slices/slice_stack.h"
#include "import/image/voxel_data.h"
#include "import/image/voxel_number.h"
#include "import/common/voxel_size.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- What it claims ---- */

static ht_status check_numbers(const char *path, const ht_nifti_header *header) {
  if (header->dim[0] < 1 || header->dim[0] > 7)
    return ht_fail(HT_ERR_FORMAT, "%s: damaged: the header claims %lld dimensions", path,
                   (long long)header->dim[0]);
  for (int a = 1; a <= header->dim[0]; a++)
    if (header->dim[a] < 1 || header->dim[a] > INT_MAX)
      return ht_fail(HT_ERR_FORMAT, "%s: damaged: the header claims %lld voxels in dim[%d]", path,
                     (long long)header->dim[a], a);
  return HT_OK;
}

static int64_t volumes_of(const ht_nifti_header *header) {
  return header->dim[0] >= 4 ? header->dim[4] : 1;
}

static ht_status check_claim(const char *path, const ht_nifti_header *header) {
  char problem[128];
  double bytes = ht_number_bytes(header->type) * (double)volumes_of(header);
  for (int a = 1; a <= 3; a++) bytes *= (double)header->dim[a];
  if (!ht_voxel_data_claims_more(header->voxels, bytes, problem)) return HT_OK;
  return ht_fail(HT_ERR_FORMAT, "%s: %s", path, problem);
}

/* ---- Is it a scan? ---- */

static int say(char problem[256], const char *reason) {
  snprintf(problem, 256, "%s", reason);
  return 1;
}

static int check_values(const ht_nifti_header *header, char problem[256]) {
  for (int a = 5; a <= header->dim[0]; a++)
    if (header->dim[a] > 1)
      return say(problem, "it has several values per voxel (vectors): a scan has one");
  if (header->dim[0] < 3 || header->dim[3] < 1)
    return say(problem, "it has one slice only: a volume needs at least 2");
  if (header->type == HT_NIFTI_RGB || header->type == HT_NIFTI_RGBA)
    return say(problem, "it is a colour image: a scan has one value per voxel");
  if (ht_number_bytes(header->type) == 0)
    return say(problem, "its voxels are complex or 128-bit numbers: save it as float or int16");
  if (header->units == HT_NIFTI_METRE)
    return say(problem, "its lengths are in metres: save it in mm");
  if (header->units == HT_NIFTI_MICRON)
    return say(problem, "its lengths are in micrometres: save it in mm");
  return 0;
}

/* Checks for a place in the patient; without one, left and right would be guessed. */
static int check_orientation(const ht_nifti_header *header, char problem[256]) {
  if (header->sform > 0 || header->qform > 0) return 0;
  return say(problem, "it has no orientation (its sform and qform codes are 0): left and right are "
                      "not known; save it with its orientation from the program that made it");
}

/* Checks the size. Lengths in metres make the axes look wrong too, so this is reported first. */
static int check_size(const ht_nifti_header *header, char problem[256]) {
  double size[3];
  for (int a = 0; a < 3; a++) {
    size[a] = fabs(header->pixdim[a + 1]);
    if (!(size[a] > 0 && isfinite(size[a]))) {
      snprintf(problem, 256, "its header gives voxels of %g mm in pixdim; save it again",
               header->pixdim[a + 1]);
      return 1;
    }
  }
  return ht_voxel_size_check(size) != HT_OK && say(problem, ht_error_message());
}

/* ---- Where it lies: sform and qform ---- */

static double column_dot(const double m[3][4], int a, int b) {
  double sum = 0;
  for (int r = 0; r < 3; r++) sum += m[r][a] * m[r][b];
  return sum;
}

static int is_mirrored(const double m[3][4]) {
  double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return determinant < 0;
}

/* The kind of an sform, which may hold any affine map. */
typedef enum {
  SFORM_BOX,  /* a turned box of the voxel size in pixdim */
  SFORM_TILT, /* its slices are boxes, each shifted against the one before */
  SFORM_OTHER /* neither; why is in the problem */
} sform_kind;

static double sform_cosine(const ht_nifti_header *header, int a, int b) {
  return column_dot(header->rows, a, b) /
         sqrt(column_dot(header->rows, a, a) * column_dot(header->rows, b, b));
}

/* Checks the sform's voxel size against pixdim. For a tilted image pixdim may hold the length of
 * the step from slice to slice, or their distance: `share` of that length, the cosine of the
 * tilt. */
static int check_sform_size(const ht_nifti_header *header, double share, char problem[256]) {
  for (int a = 0; a < 3; a++) {
    double given = fabs(header->pixdim[a + 1]), size = sqrt(column_dot(header->rows, a, a));
    if (fabs(size - given) <= 1e-3 * given) continue;
    if (a == 2 && fabs(share * size - given) <= 1e-3 * given) continue;
    snprintf(
        problem, 256,
        "its header contradicts itself: voxels of %g mm along its %s axis in the sform, %g mm in "
        "pixdim; save it again with one of them",
        size, ht_axis_name(a), header->pixdim[a + 1]);
    return 1;
  }
  return 0;
}

/* cos2(tilt) of axis 2 against the normal of axes 0 and 1, which are at right angles. */
static sform_kind kind_of_sform(const ht_nifti_header *header, char problem[256]) {
  const double straight = 1e-3;
  double along[3], share = 1;
  for (int a = 0; a < 3; a++) along[a] = sform_cosine(header, a, (a + 1) % 3);
  int sheared = -1;
  for (int a = 2; a >= 0; a--)
    if (!(fabs(along[a]) <= straight)) sheared = a;
  if (sheared > 0) share = sqrt(fmax(0, 1 - along[1] * along[1] - along[2] * along[2]));
  if (check_sform_size(header, share, problem)) return SFORM_OTHER;
  if (sheared < 0) return SFORM_BOX;
  if (sheared > 0 && acos(share) * 180 / HT_PI <= HT_TILT_MOST) return SFORM_TILT;
  snprintf(problem, 256,
           "its sform is sheared: its %s and %s axis meet at %.2f degrees, not 90 (an affine "
           "registration?); resample it to a regular grid",
           ht_axis_name(sheared), ht_axis_name((sheared + 1) % 3),
           acos(along[sheared]) * 180 / HT_PI);
  return SFORM_OTHER;
}

static int check_qform(const ht_nifti_header *header, char problem[256]) {
  if (ht_dot(header->quaternion, header->quaternion) <= 1 + 1e-5) return 0;
  return say(problem, "its qform is not a rotation; save it again");
}

/* nifti1.h, "METHOD 2": the rotation of the unit quaternion (a, b, c, d), its third column turned
 * round where pixdim[0] is -1, times the voxel size. */
static void qform_rows(const ht_nifti_header *header, double rows[3][4]) {
  const double b = header->quaternion[0], c = header->quaternion[1], d = header->quaternion[2];
  const double a = sqrt(fmax(0, 1 - ht_dot(header->quaternion, header->quaternion)));
  const double turn[3][3] = {
      {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
      {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
      {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}};
  for (int r = 0; r < 3; r++) {
    for (int n = 0; n < 3; n++)
      rows[r][n] =
          turn[r][n] * fabs(header->pixdim[n + 1]) * (n == 2 && header->pixdim[0] < 0 ? -1 : 1);
    rows[r][3] = header->shift[r];
  }
}

/* Largest distance, mm, of a corner of the image between its two places, over the eight corners. */
static double apart(const ht_nifti_header *header, const double q[3][4]) {
  double most = 0;
  for (int corner = 0; corner < 8; corner++) {
    double square = 0;
    for (int r = 0; r < 3; r++) {
      double off = header->rows[r][3] - q[r][3];
      for (int a = 0; a < 3; a++)
        if (corner >> a & 1)
          off += (header->rows[r][a] - q[r][a]) * (double)(header->dim[a + 1] - 1);
      square += off * off;
    }
    most = fmax(most, sqrt(square));
  }
  return most;
}

static void remark_on(const ht_nifti_header *header, int takes_q, double apart_mm, sform_kind kind,
                      char remark[256]) {
  char why[96] = "";
  if (kind != SFORM_BOX)
    snprintf(why, sizeof why, "%s",
             takes_q ? ", as the sform is sheared or of another voxel size"
                     : ", as a qform holds no tilt");
  else if ((header->sform == HT_NIFTI_SCANNER) != (header->qform == HT_NIFTI_SCANNER))
    snprintf(why, sizeof why, ", whose code says that it is the scanner's");
  snprintf(remark, 256,
           "its header gives two places, sform (code %d) and qform (code %d), up to %.3g mm apart: "
           "the %s was taken%s",
           header->sform, header->qform, apart_mm, takes_q ? "qform" : "sform", why);
}

/* A registration to an atlas leaves the patient's place in the qform. With the same first voxel the
 * qform is a program's copy of this sform, without its shear or size. */
static int is_registered(const ht_nifti_header *header, double voxel) {
  double square = 0;
  for (int r = 0; r < 3; r++)
    square += (header->rows[r][3] - header->shift[r]) * (header->rows[r][3] - header->shift[r]);
  if (sqrt(square) <= HT_NIFTI_AGREE * voxel) return 0;
  return header->sform > HT_NIFTI_ALIGNED ||
         (header->qform == HT_NIFTI_SCANNER && header->sform != HT_NIFTI_SCANNER);
}

/* Chooses where both are there; returns 1, with the problem, where neither can be taken. */
static int choose_place(const ht_nifti_header *header, ht_nifti_info *info, double rows[3][4]) {
  char sheared[256] = "", turned[256] = "";
  double q[3][4], voxel = INFINITY;
  sform_kind kind = kind_of_sform(header, sheared);
  info->tilted = kind == SFORM_TILT;
  if (check_qform(header, turned)) return kind == SFORM_OTHER && say(info->problem, sheared);
  qform_rows(header, q);
  if (is_mirrored(header->rows) != is_mirrored((const double(*)[4])q))
    return say(info->problem, "its header contradicts itself: sform and qform are mirror images, "
                              "so left and right are not known; save it again with one of them");
  for (int a = 1; a < 4; a++) voxel = fmin(voxel, fabs(header->pixdim[a]));
  double apart_mm = apart(header, (const double(*)[4])q);
  int agree = kind == SFORM_BOX && apart_mm <= HT_NIFTI_AGREE * voxel;
  int takes_q = !agree && (kind == SFORM_BOX ? header->qform == HT_NIFTI_SCANNER &&
                                                   header->sform != HT_NIFTI_SCANNER
                                             : is_registered(header, voxel));
  if (kind == SFORM_OTHER && !takes_q) return say(info->problem, sheared);
  if (!agree) remark_on(header, takes_q, apart_mm, kind, info->remark);
  if (!takes_q) return 0;
  memcpy(rows, q, sizeof q);
  info->tilted = 0;
  return 0;
}

/* Rows of the chosen one, RAS. */
static int find_place(const ht_nifti_header *header, ht_nifti_info *info, double rows[3][4]) {
  memcpy(rows, header->rows, sizeof header->rows);
  if (header->sform > 0 && header->qform > 0) return choose_place(header, info, rows);
  if (header->sform > 0) {
    sform_kind kind = kind_of_sform(header, info->problem);
    info->tilted = kind == SFORM_TILT;
    return kind == SFORM_OTHER;
  }
  if (check_qform(header, info->problem)) return 1;
  qform_rows(header, rows);
  return 0;
}

/* NIfTI's axes are RAS: the first two signs turn. The voxel size is pixdim's, unless the rows'
 * differs by more than rounding: over hundreds of voxels the small difference that check_sform_size
 * accepts is as large as a voxel. */
static void fill_grid(const ht_nifti_header *header, const double rows[3][4], ht_grid *grid) {
  *grid = ht_grid_make(1, 1, 1);
  for (int a = 0; a < 3; a++) {
    grid->dim[a] = (int)header->dim[a + 1];
    grid->spacing_mm[a] = fabs(header->pixdim[a + 1]);
    double length = sqrt(column_dot(rows, a, a));
    if (fabs(length - grid->spacing_mm[a]) > 1e-6 * length) grid->spacing_mm[a] = length;
    for (int r = 0; r < 3; r++) grid->direction[r][a] = (r < 2 ? -1 : 1) * rows[r][a] / length;
  }
  for (int r = 0; r < 3; r++) grid->origin_mm[r] = (r < 2 ? -1 : 1) * rows[r][3];
}

/* The tilt first, then other remarks. */
static ht_status fill_tilted(ht_nifti_header *header, ht_nifti_info *info, ht_grid *grid) {
  char tilt[128], other[256];
  HT_TRY(ht_nifti_tilt_grid(header, grid, tilt));
  memcpy(other, info->remark, sizeof other);
  snprintf(info->remark, sizeof info->remark, "%s%s%.*s", tilt, *other ? "; " : "",
           (int)(sizeof info->remark - strlen(tilt) - 3), other);
  return HT_OK;
}

ht_status ht_nifti_header_info(const char *path, ht_nifti_info *info) {
  ht_nifti_header header;
  double rows[3][4];
  ht_grid grid;
  memset(info, 0, sizeof *info);
  HT_TRY(ht_nifti_header_read(path, &header));
  HT_TRY(check_numbers(path, &header));
  info->volumes = (int)volumes_of(&header);
  if (check_values(&header, info->problem) || check_orientation(&header, info->problem) ||
      (header.sform <= 0 && check_size(&header, info->problem)) ||
      find_place(&header, info, rows) || check_size(&header, info->problem))
    return HT_OK;
  if (info->tilted)
    HT_TRY(check_claim(path, &header)); /* before memory for its slices is allocated */
  ht_status status = info->tilted ? fill_tilted(&header, info, &grid) : HT_OK;
  if (!info->tilted) fill_grid(&header, (const double(*)[4])rows, &grid);
  if (status == HT_OK) status = ht_grid_check(&grid);
  if (status == HT_OK) status = ht_scan_size_check(&grid);
  if (status == HT_ERR_MEMORY) return status;
  if (status != HT_OK) {
    say(info->problem, ht_error_message());
    return HT_OK;
  }
  HT_TRY(check_claim(path, &header));
  for (int a = 0; a < 3; a++) info->dim[a] = (int)header.dim[a + 1];
  info->grid = grid;
  return HT_OK;
}

/* ---- The voxels ---- */

static void convert(int type, const void *block, int count, double slope, double intercept,
                    float *to) {
  for (int i = 0; i < count; i++) to[i] = (float)(ht_number_at(type, block, i) * slope + intercept);
}

static ht_status too_short(const char *path, gzFile file, int64_t expected, int64_t got) {
  int code;
  if (ht_nifti_no_memory(file))
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  gzerror(file, &code);
  if (code != Z_OK && code != Z_STREAM_END)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: truncated or damaged: its compressed data ends early or fails its "
                   "checksum; copy or export it again",
                   path);
  return ht_fail(
      HT_ERR_FORMAT,
      "%s: truncated: its header promises %lld voxels, there are %lld; copy or export it "
      "again",
      path, (long long)expected, (long long)got);
}

/* The rest of a compressed file is read for its checksum. */
static ht_status check_end(const char *path, gzFile file, unsigned char *block, unsigned size) {
  int got, code;
  while ((got = gzread(file, block, size)) > 0) {
  }
  gzerror(file, &code);
  return got == 0 && (code == Z_OK || code == Z_STREAM_END) ? HT_OK : too_short(path, file, 0, 0);
}

enum { BLOCK = 1 << 18 };

typedef struct {
  const ht_nifti_header *header;
  gzFile file;
  int64_t skipped, count; /* number of voxels before the wanted ones, and of these */
  float *values;
  unsigned char *block;
} voxel_stream;

/* The voxels of earlier images are read and dropped, so that the checksum covers them. */
static ht_status read_blocks(const char *path, voxel_stream *from, int64_t total) {
  const ht_nifti_header *header = from->header;
  int bytes = ht_number_bytes(header->type);
  int scaled = isfinite(header->slope) && header->slope != 0; /* slope 0: no scaling */
  double slope = scaled ? header->slope : 1;
  double intercept = scaled && isfinite(header->intercept) ? header->intercept : 0;
  for (int64_t done = 0; done < total;) {
    int64_t end = done < from->skipped                 ? from->skipped
                  : done < from->skipped + from->count ? from->skipped + from->count
                                                       : total;
    int now = end - done < BLOCK / bytes ? (int)(end - done) : BLOCK / bytes;
    int got = gzread(from->file, from->block, (unsigned)(now * bytes));
    if (got < now * bytes)
      return too_short(path, from->file, total, done + (got > 0 ? got / bytes : 0));
    if (header->swapped) ht_number_swap(from->block, bytes, now);
    int wanted = done >= from->skipped && done < from->skipped + from->count;
    if (from->values && wanted)
      convert(header->type, from->block, now, slope, intercept,
              from->values + (done - from->skipped));
    done += now;
  }
  return check_end(path, from->file, from->block, BLOCK);
}

/* A plain file shows its length before anything is read. */
static ht_status check_length(const char *path, const voxel_stream *from, int64_t total) {
  struct stat info;
  int bytes = ht_number_bytes(from->header->type);
  if (!gzdirect(from->file) || stat(from->header->voxels, &info) != 0) return HT_OK;
  double there = ((double)info.st_size - from->header->offset) / bytes;
  if (there >= (double)total) return HT_OK;
  return too_short(path, from->file, total, there > 0 ? (int64_t)there : 0);
}

static ht_status read_stream(const char *path, voxel_stream *from) {
  int64_t total = from->count * volumes_of(from->header);
  if (gzseek(from->file, (z_off_t)from->header->offset, SEEK_SET) < 0)
    return too_short(path, from->file, total, 0);
  return read_blocks(path, from, total);
}

static ht_status open_stream(const char *path, ht_nifti_header *header, voxel_stream *from) {
  HT_TRY(ht_nifti_header_read(path, header));
  *from = (voxel_stream){header, NULL, 0, 1, NULL, NULL};
  for (int a = 1; a <= 3; a++) from->count *= header->dim[a];
  return ht_nifti_open(header->voxels, &from->file);
}

ht_status ht_nifti_check_length(const char *path) {
  ht_nifti_header header;
  voxel_stream from;
  HT_TRY(open_stream(path, &header, &from));
  ht_status status = check_length(path, &from, from.count * volumes_of(&header));
  gzclose(from.file);
  return status;
}

ht_status ht_nifti_read_voxels(const char *path, int volume, float *values) {
  ht_nifti_header header;
  voxel_stream from;
  HT_TRY(open_stream(path, &header, &from));
  from.skipped = volume * from.count;
  from.values = values;
  from.block = malloc(BLOCK);
  ht_status status = from.block
                         ? read_stream(path, &from)
                         : ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the file", path);
  free(from.block);
  gzclose(from.file);
  return status;
}
