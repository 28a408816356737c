#include "segment/learned/stream.h"
#include <string.h>

static int add_stage(ht_stream *stream, ht_stage stage) {
  stage.ring = stage.kind == HT_STAGE_ADD ? stage.ring : stream->count;
  stage.slices = stream->size[2] >> stage.level;
  stream->stage[stream->count] = stage;
  return stream->count++;
}

static int add_layer(ht_stream *stream, ht_stage_kind kind, int level, int source,
                     const ht_learned_layer *layer) {
  return add_stage(
      stream,
      (ht_stage){
          .kind = kind, .level = level, .channels = layer->to, .source = source, .layer = layer});
}

static void list_stages(const ht_learned_weights *weights, ht_stream *stream) {
  const ht_learned_layer *layer = weights->layer;
  int own[HT_LEARNED_LEVELS]; /* the stage with each level's own values */
  int last = add_stage(stream, (ht_stage){.kind = HT_STAGE_INPUT, .channels = 1});
  for (int n = 0; n < weights->levels; n++) {
    if (n > 0)
      last = add_stage(stream, (ht_stage){.kind = HT_STAGE_POOL,
                                          .level = n,
                                          .channels = weights->width[n - 1],
                                          .source = last});
    for (int two = 0; two < 2; two++) last = add_layer(stream, HT_STAGE_CONV, n, last, layer++);
    own[n] = last;
  }
  for (int n = weights->levels - 2; n >= 0; n--) {
    last = add_layer(stream, HT_STAGE_LIFT, n + 1, last, layer++);
    last = add_stage(stream, (ht_stage){.kind = HT_STAGE_ADD,
                                        .level = n,
                                        .channels = weights->width[n],
                                        .source = last,
                                        .ring = own[n]});
    for (int two = 0; two < 2; two++) last = add_layer(stream, HT_STAGE_CONV, n, last, layer++);
  }
  add_layer(stream, HT_STAGE_OUTPUT, 0, last, layer);
}

typedef struct {
  ht_stream *stream;
  ht_stage_fn compute; /* NULL: only finds what is kept */
  void *user;
} run_state;

static ht_status make_slice(run_state *run, int stage);

/* Finds the slices of its source that slice z of a stage reads. */
static void find_read(const ht_stage *stage, int z, int *first, int *last) {
  *first = *last = z;
  if (stage->kind == HT_STAGE_CONV) *first = z - 1, *last = z + 1;
  if (stage->kind == HT_STAGE_POOL) *first = 2 * z, *last = 2 * z + 1;
  if (stage->kind == HT_STAGE_ADD) *first = *last = z / 2;
}

/* Notes that slice `first` of a stage's ring is read now. */
static void note_read(ht_stream *stream, int stage, int first) {
  ht_stage *ring = &stream->stage[stream->stage[stage].ring];
  const int needed = ring->made - (first > 0 ? first : 0);
  if (ring->kept < needed) ring->kept = needed;
}

static ht_status make_slice(run_state *run, int number) {
  ht_stage *stage = &run->stream->stage[number];
  const ht_stage *source = &run->stream->stage[stage->source];
  const int z = stage->made;
  int first, last;
  find_read(stage, z, &first, &last);
  while (stage->kind != HT_STAGE_INPUT && source->made <= last && source->made < source->slices)
    HT_TRY(make_slice(run, stage->source));
  if (run->compute) {
    HT_TRY(run->compute(run->user, stage, z));
  } else {
    if (stage->kind != HT_STAGE_INPUT) note_read(run->stream, stage->source, first);
    if (stage->kind == HT_STAGE_ADD) note_read(run->stream, number, z);
  }
  stage->made++;
  return HT_OK;
}

ht_status ht_stream_run(ht_stream *stream, ht_stage_fn compute, void *user) {
  run_state run = {stream, compute, user};
  for (int n = 0; n < stream->count; n++) stream->stage[n].made = 0;
  for (const ht_stage *last = &stream->stage[stream->count - 1]; last->made < last->slices;)
    HT_TRY(make_slice(&run, stream->count - 1));
  return HT_OK;
}

void ht_stream_make(const ht_learned_weights *weights, const int size[3], ht_stream *stream) {
  memset(stream, 0, sizeof *stream);
  memcpy(stream->size, size, sizeof stream->size);
  list_stages(weights, stream);
  ht_stream_run(stream, NULL, NULL);
}

int ht_stream_margin(const ht_learned_weights *weights) {
  return 6 << (weights->levels - 1);
}
