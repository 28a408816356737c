/* Launches a kernel of the CUDA backend. Private to solver/cuda/. */
#ifndef HT_CUDA_LAUNCH_CUH
#define HT_CUDA_LAUNCH_CUH

#include "solver/cuda/cuda_state.cuh"

/* Launches a kernel. On a GPU with programmatic dependent launch it begins while the previous one
 * in the stream ends; not where it joins two streams, nor the portions of a step, which wait for
 * more than one launch, nor the kernels of a rank's part: the inner blocks would fill the GPU
 * before what crosses is packed (measured: docs/notes/speed/ranks.md). */
template <class... P, class... A>
static cudaError_t launch_with(const ht_cuda_state *state, cudaStream_t stream,
                               void (*kernel)(P...), unsigned blocks, unsigned threads,
                               size_t shared, A... arguments) {
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  const int follows = !state->streams.joins && !is_split(state) && !state->tables->send;
  config.numAttrs = state->streams.overlap && follows ? 1 : 0;
  state->streams.joins = 0;
  return cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

template <class... P, class... A>
static cudaError_t launch(const ht_cuda_state *state, cudaStream_t stream, void (*kernel)(P...),
                          unsigned blocks, unsigned threads, A... arguments) {
  return launch_with(state, stream, kernel, blocks, threads, 0, arguments...);
}

/* Makes a graph of what `launches` launches in a stream, and in those that it makes wait for that
 * and joins again. */
template <class L>
static cudaError_t make_graph(cudaStream_t stream, L launches, cudaGraphExec_t *graph) {
  cudaGraph_t captured = NULL;
  cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (error != cudaSuccess) return error;
  error = launches();
  cudaError_t ended = cudaStreamEndCapture(stream, &captured);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = cudaGraphInstantiate(graph, captured, 0);
  if (captured) cudaGraphDestroy(captured);
  return error;
}

#endif
