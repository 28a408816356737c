#include "segment/learned/weights.h"
#include "core/disk/file.h"
#include "core/vessel/volume.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, MOST_BYTES = 1 << 26 };

/* By the assembler, in a source that CMake makes: ht_embed_parts. */
extern const unsigned char ht_learned_vessel_htnet[], ht_learned_vessel_htnet_end[];

static uint32_t read_u32(const unsigned char *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float read_f32(const unsigned char *bytes) {
  const uint32_t bits = read_u32(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float read_f16(const unsigned char *bytes) {
  const int exponent = bytes[1] >> 2 & 31, fraction = (bytes[1] & 3) << 8 | bytes[0];
  const float size = exponent == 31  ? NAN
                     : exponent == 0 ? ldexpf((float)fraction, -24)
                                     : ldexpf((float)(fraction + 1024), exponent - 25);
  return bytes[1] & 128 ? -size : size;
}

/* Rounds what was written as float32 to the number that was meant: 0.02 rather than 0.0199999996.
 */
static double meant(float value) {
  return round(1e6 * (double)value) / 1e6;
}

static ht_status decode_header(const unsigned char *bytes, size_t count, const char *name,
                               ht_learned_weights *weights) {
  if (count < HEADER || memcmp(bytes, "HTVESSEL", 8) != 0)
    return ht_fail(HT_ERR_FORMAT,
                   "%s: not the weights of a network: it does not begin with HTVESSEL", name);
  const uint32_t version = read_u32(bytes + 8), levels = read_u32(bytes + 12);
  if (version != 1)
    return ht_fail(HT_ERR_FORMAT, "%s: weights of version %u; this hemotile reads version 1", name,
                   version);
  if (levels < 1 || levels > HT_LEARNED_LEVELS)
    return ht_fail(HT_ERR_FORMAT, "%s: a network of %u levels; 1 to %d are possible", name, levels,
                   HT_LEARNED_LEVELS);
  weights->levels = (int)levels;
  for (uint32_t n = 0; n < levels; n++) {
    const uint32_t width = read_u32(bytes + 16 + 4 * n);
    if (width < HT_LEARNED_BLOCK || width > HT_LEARNED_WIDTH || width % HT_LEARNED_BLOCK != 0)
      return ht_fail(HT_ERR_FORMAT,
                     "%s: level %u has %u channels; multiples of %d up to %d are possible", name,
                     n + 1, width, HT_LEARNED_BLOCK, HT_LEARNED_WIDTH);
    weights->width[n] = (int)width;
  }
  for (int n = 0; n < 2; n++) {
    weights->quantile[n] = meant(read_f32(bytes + 48 + 4 * n));
    weights->range[n] = read_f32(bytes + 56 + 4 * n);
    if (!(weights->quantile[n] >= 0 && weights->quantile[n] <= 1 && isfinite(weights->range[n])))
      return ht_fail(HT_ERR_FORMAT, "%s: damaged: the quantiles or the range of the brightness",
                     name);
  }
  return HT_OK;
}

static void add_layer(ht_learned_weights *weights, int from, int to, int edge) {
  weights->layer[weights->count++] = (ht_learned_layer){.from = from, .to = to, .edge = edge};
}

static void list_layers(ht_learned_weights *weights) {
  const int *width = weights->width;
  for (int n = 0; n < weights->levels; n++) {
    add_layer(weights, n ? width[n - 1] : 1, width[n], 3);
    add_layer(weights, width[n], width[n], 3);
  }
  for (int n = weights->levels - 2; n >= 0; n--) {
    add_layer(weights, width[n + 1], width[n], 1);
    add_layer(weights, width[n], width[n], 3);
    add_layer(weights, width[n], width[n], 3);
  }
  add_layer(weights, width[0], HT_LEARNED_OUTPUTS, 1);
}

static size_t count_weights(const ht_learned_layer *layer) {
  return (size_t)layer->to * layer->from * layer->edge * layer->edge * layer->edge;
}

static ht_status decode_layers(const unsigned char *bytes, const char *name,
                               ht_learned_weights *weights) {
  float *next = weights->values;
  for (ht_learned_layer *layer = weights->layer; layer < weights->layer + weights->count; layer++) {
    layer->weight = next;
    for (size_t left = count_weights(layer); left > 0; left--, bytes += 2)
      *next++ = read_f16(bytes);
    layer->bias = next;
    for (int left = layer->to; left > 0; left--, bytes += 4) *next++ = read_f32(bytes);
    for (const float *value = layer->weight; value < next; value++)
      if (!isfinite(*value))
        return ht_fail(HT_ERR_FORMAT, "%s: damaged: a weight of layer %d is no number", name,
                       (int)(layer - weights->layer) + 1);
  }
  return HT_OK;
}

ht_status ht_learned_weights_decode(const unsigned char *bytes, size_t count, const char *name,
                                    ht_learned_weights *weights) {
  memset(weights, 0, sizeof *weights);
  ht_status status = decode_header(bytes, count, name, weights);
  if (status != HT_OK) goto done;
  list_layers(weights);
  size_t values = 0, expected = HEADER;
  for (int n = 0; n < weights->count; n++) {
    const size_t biases = (size_t)weights->layer[n].to;
    values += count_weights(&weights->layer[n]) + biases;
    expected += 2 * count_weights(&weights->layer[n]) + 4 * biases;
  }
  if (count != expected) {
    status = ht_fail(HT_ERR_FORMAT, "%s: damaged: %zu bytes; its header wants %zu", name, count,
                     expected);
    goto done;
  }
  HT_TRY_DONE(ht_alloc((void **)&weights->values, values, sizeof(float), "the network's weights"));
  HT_TRY_DONE(decode_layers(bytes + HEADER, name, weights));
done:
  if (status != HT_OK) ht_learned_weights_free(weights);
  return status;
}

ht_status ht_learned_weights_own(ht_learned_weights *weights) {
  const size_t count = (size_t)(ht_learned_vessel_htnet_end - ht_learned_vessel_htnet);
  const ht_status status = ht_learned_weights_decode(ht_learned_vessel_htnet, count,
                                                     "the network in this program", weights);
  return status == HT_ERR_FORMAT ? HT_ERR_INTERNAL : status;
}

ht_status ht_learned_weights_read(const char *path, ht_learned_weights *weights) {
  memset(weights, 0, sizeof *weights);
  ht_status status = HT_OK;
  unsigned char *bytes = NULL;
  FILE *file = ht_file_open(path);
  if (!file) return ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be opened: %s", path, ht_file_reason());
  HT_TRY_DONE(ht_alloc((void **)&bytes, MOST_BYTES, 1, "a file of weights"));
  const size_t count = fread(bytes, 1, MOST_BYTES, file);
  if (ferror(file)) {
    status = ht_fail(HT_ERR_NOT_FOUND, "%s: cannot be read: %s", path, ht_file_reason());
    goto done;
  }
  HT_TRY_DONE(ht_learned_weights_decode(bytes, count, path, weights));
done:
  free(bytes);
  fclose(file);
  return status;
}

void ht_learned_weights_free(ht_learned_weights *weights) {
  if (!weights) return;
  free(weights->values);
  memset(weights, 0, sizeof *weights);
}
