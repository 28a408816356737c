/* NIfTI-1, one file (.nii, .nii.gz): https://nifti.nimh.nih.gov/nifti-1/
 *
 * It does not go through ITK, whose writer (5.2) does not report a full disk, prints, and rounds
 * directions to float before it uses them.
 *
 * Both sform and qform are declared. The qform's quaternion is coarse where an image is nearly
 * along the body's axes (its first component is the root of 1 less the squares of the others): off
 * by up to a tenth of a millimetre. Readers take the sform; so does ITK 5.2 unless the image is
 * also about a metre from the origin, where it mistakes the sform for singular. Without the qform
 * it would refuse such a file, which is worse. */
#include "core/disk/file.h"
#include "export/files/image_write.h"
#include "core/formats/nifti_codes.h"
#include "export/files/pack_blocks.h"
#include "core/numbers/vector3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 352 };

typedef struct {
  int16_t data_type, bits;
  size_t width; /* bytes of a number */
} number_type;

static number_type number_of(ht_voxel_type type) {
  if (type == HT_VOXEL_UINT8) return (number_type){HT_NIFTI_UINT8, 8, 1};
  return type == HT_VOXEL_INT16 ? (number_type){HT_NIFTI_INT16, 16, 2}
                                : (number_type){HT_NIFTI_FLOAT, 32, 4};
}

static void put16(uint8_t *header, int at, int value) {
  int16_t number = (int16_t)value;
  memcpy(header + at, &number, sizeof number);
}

static void put_float(uint8_t *header, int at, double value) {
  float number = (float)value;
  memcpy(header + at, &number, sizeof number);
}

/* Converts the axes to NIfTI's coordinates: to the right, front and head. */
static void axes_ras(const ht_grid *grid, double axes[3][3]) {
  for (int r = 0; r < 3; r++)
    for (int a = 0; a < 3; a++) axes[r][a] = (r < 2 ? -1 : 1) * grid->direction[r][a];
}

/* Computes the unit quaternion (a, b, c, d), a >= 0, of a rotation, from its largest component. */
static void quaternion_of(double m[3][3], double q[4]) {
  double square[4] = {1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2],
                      1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2]};
  int largest = 0;
  for (int n = 1; n < 4; n++)
    if (square[n] > square[largest]) largest = n;
  double twice = sqrt(square[largest]); /* 2 q[largest] */
  double minus[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  for (int n = 0; n < 4; n++) {
    int i = largest - 1, j = n - 1;
    if (n == largest)
      q[n] = twice / 2;
    else if (n == 0 || largest == 0)
      q[n] = minus[n == 0 ? i : j] / (2 * twice);
    else
      q[n] = (m[i][j] + m[j][i]) / (2 * twice);
  }
  for (int n = 0; n < 4 && q[0] < 0; n++) q[3 - n] = -q[3 - n];
}

static void put_qform(uint8_t *header, const ht_grid *grid) {
  double axes[3][3], q[4];
  axes_ras(grid, axes);
  int mirrored = ht_determinant((const double(*)[3])axes) < 0;
  for (int r = 0; r < 3 && mirrored; r++) axes[r][2] = -axes[r][2];
  quaternion_of(axes, q);
  put16(header, 252, HT_NIFTI_SCANNER);
  put_float(header, 76, mirrored ? -1 : 1);
  for (int n = 0; n < 3; n++) {
    put_float(header, 256 + 4 * n, q[n + 1]);
    put_float(header, 268 + 4 * n, (n < 2 ? -1 : 1) * grid->origin_mm[n]);
  }
}

static void put_sform(uint8_t *header, const ht_grid *grid) {
  double axes[3][3];
  axes_ras(grid, axes);
  put16(header, 254, HT_NIFTI_SCANNER);
  for (int r = 0; r < 3; r++) {
    for (int a = 0; a < 3; a++)
      put_float(header, 280 + 16 * r + 4 * a, axes[r][a] * grid->spacing_mm[a]);
    put_float(header, 280 + 16 * r + 12, (r < 2 ? -1 : 1) * grid->origin_mm[r]);
  }
}

/* Writes a text, cut to its field, whose last byte is 0. */
static void put_text(uint8_t *header, int at, size_t room, const char *text) {
  size_t length = strlen(text);
  memcpy(header + at, text, length < room ? length : room - 1);
}

static void make_header(const ht_image_array *image, uint8_t header[HEADER]) {
  const ht_grid *grid = image->grid;
  const int components = image->components;
  const int32_t size = HT_NIFTI1_BYTES;
  number_type number = number_of(image->type);
  memset(header, 0, HEADER);
  memcpy(header, &size, sizeof size);
  put16(header, 40, components > 1 ? 5 : image->frames ? 4 : 3);
  for (int n = 1; n < 8; n++) put16(header, 40 + 2 * n, n <= 3 ? grid->dim[n - 1] : 1);
  if (image->frames) put16(header, 48, image->frames);
  if (image->frames) put_float(header, 136, image->first_s); /* toffset */
  if (components > 1) put16(header, 50, components);
  if (components > 1) put16(header, 68, HT_NIFTI_VECTOR);
  put16(header, 70, number.data_type);
  put16(header, 72, number.bits);
  for (int n = 1; n < 8; n++) put_float(header, 76 + 4 * n, n <= 3 ? grid->spacing_mm[n - 1] : 1);
  if (image->frames) put_float(header, 92, image->frame_s);
  put_float(header, 108, HEADER);
  put_float(header, 112, 1); /* slope */
  header[123] = image->frames ? HT_NIFTI_MM | HT_NIFTI_SECOND : HT_NIFTI_MM;
  put_qform(header, grid);
  put_sform(header, grid);
  put_text(header, 148, 80, image->about); /* descrip */
  put_text(header, 328, 16, image->name);  /* intent_name */
  memcpy(header + 344, "n+1", 4);
}

/* ---- the voxels ---- */

/* Writes `count` values of one component, from voxel `first` on. */
static void fill_part(const ht_image_array *image, int component, int64_t first, int64_t count,
                      uint8_t *out) {
  size_t width = number_of(image->type).width;
  if (image->part) {
    image->part(image->voxels, component, first, count, out);
  } else if (image->components == 1) {
    memcpy(out, (const uint8_t *)image->voxels + width * (size_t)first, width * (size_t)count);
  } else {
    const uint8_t *from = (const uint8_t *)image->voxels + width * (size_t)component;
    for (int64_t v = first; v < first + count; v++, out += width)
      memcpy(out, from + width * (size_t)(image->components * v), width);
  }
}

/* Number of voxels in all frames. */
static int64_t voxels_of(const ht_image_array *image) {
  return ht_grid_voxels(image->grid) * (image->frames ? image->frames : 1);
}

/* Writes values in NIfTI's order: component c of all voxels, then c + 1. */
static void fill_voxels(const void *source, int64_t first, int64_t count, uint8_t *out) {
  const ht_image_array *image = source;
  int64_t width = (int64_t)number_of(image->type).width, voxels = voxels_of(image);
  int64_t at = first / width, end = (first + count) / width;
  while (at < end) {
    int64_t voxel = at % voxels, many = voxels - voxel < end - at ? voxels - voxel : end - at;
    fill_part(image, (int)(at / voxels), voxel, many, out);
    out += width * many;
    at += many;
  }
}

static void fill_header(const void *source, int64_t first, int64_t count, uint8_t *out) {
  memcpy(out, (const uint8_t *)source + first, (size_t)count);
}

/* ---- the file: as it is, or as one gzip member (RFC 1952) ---- */

typedef struct {
  FILE *stream;
  uLong crc;
  uint32_t plain; /* bytes, modulo 2^32 */
} sink;

static int put_block(void *user, const ht_packed_block *block) {
  sink *to = user;
  fwrite(block->bytes, 1, block->size, to->stream);
  to->crc = crc32_combine(to->crc, block->crc, (z_off_t)block->plain);
  to->plain += (uint32_t)block->plain;
  return ferror(to->stream);
}

static void put_number(FILE *stream, uint32_t number) {
  for (int byte = 0; byte < 4; byte++) fputc((int)(number >> 8 * byte & 255), stream);
}

static int is_packed(const char *path) {
  size_t length = strlen(path);
  return length > 3 && !strcmp(path + length - 3, ".gz");
}

static ht_status put_image(const ht_image_array *image, int packed, sink *to) {
  uint8_t header[HEADER];
  make_header(image, header);
  /* Level 3: within a few per cent of 6 on scans and flows, in half the time. */
  ht_pack_input input = {HEADER, fill_header, header, packed ? HT_PACK_DEFLATE : HT_PACK_NOT, 3};
  HT_TRY(ht_pack_blocks(&input, put_block, to));
  input.bytes = voxels_of(image) * image->components;
  input.bytes *= (int64_t)number_of(image->type).width;
  input.fill = fill_voxels;
  input.source = image;
  return ht_pack_blocks(&input, put_block, to);
}

static ht_status write_all(ht_output *output, const ht_image_array *image) {
  static const char gzip_head[10] = {0x1f, (char)0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3};
  static const char last_block[2] = {3, 0}; /* empty, of the deflate stream */
  sink to = {.stream = output->stream, .crc = crc32(0, NULL, 0)};
  int packed = is_packed(output->path);
  if (packed) fwrite(gzip_head, 1, sizeof gzip_head, to.stream);
  ht_status status = put_image(image, packed, &to);
  if (status != HT_OK) return ht_fail_in(status, output->path);
  if (!packed) return HT_OK;
  fwrite(last_block, 1, sizeof last_block, to.stream);
  put_number(to.stream, (uint32_t)to.crc);
  put_number(to.stream, to.plain);
  return HT_OK;
}

ht_status ht_nifti_write(const char *path, const ht_image_array *image) {
  ht_output output;
  HT_TRY(ht_grid_check(image->grid));
  for (int a = 0; a < 3; a++)
    if (image->grid->dim[a] > INT16_MAX)
      return ht_fail(HT_ERR_USAGE,
                     "%s: NIfTI holds at most 32767 voxels along an axis, the image has %d; "
                     "choose .nrrd or .mha",
                     path, image->grid->dim[a]);
  HT_TRY(ht_output_open(path, &output));
  return ht_output_end(&output, write_all(&output, image));
}
