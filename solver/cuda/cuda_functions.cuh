/* The functions of the CUDA backend, by the file that has them. Those with `void *state` are slots
 * of ht_backend. Private to solver/cuda/. */
#ifndef HT_CUDA_FUNCTIONS_CUH
#define HT_CUDA_FUNCTIONS_CUH

#include "solver/cuda/cuda_state.cuh"

/* ---- cuda_tables.cu ---- */

/* Places all tables of a state whose blocks are built. HT_ERR_MEMORY, HT_ERR_DEVICE. */
ht_status ht_cuda_place_tables(ht_cuda_state *state);

/* Returns the address of a value of [tiles][directions][64] in the blocks, and that at which a step
 * reads it. */
uint32_t ht_cuda_address(const ht_cuda_state *state, int64_t value);
uint32_t ht_cuda_read_address(const ht_cuda_state *state, int64_t value);

/* ---- cuda_part.cu ---- */

ht_status ht_cuda_border(void *state, const ht_border *send, const ht_border *receive,
                         const ht_part_peer *peer, int64_t peers);
ht_status ht_cuda_pack(void *state, void *bytes);
ht_status ht_cuda_unpack(void *state, const void *bytes);
ht_status ht_cuda_offer(void *state, ht_offer *offer);
ht_status ht_cuda_link(void *state, const ht_offer *offer);
ht_status ht_cuda_join(void *state, const ht_offer *name, int rank, int ranks);
ht_status ht_cuda_exchange(void *state);
void ht_cuda_unlink(void *state);

/* Launches the exchange, of the state that lies up or not, in the order of a stream. */
cudaError_t ht_cuda_exchange_in(const ht_cuda_state *state, int is_up, cudaStream_t stream);

/* Checks the peers, after the stream has been waited for. HT_ERR_DEVICE: one is late. */
ht_status ht_cuda_check_peers(const ht_cuda_state *state);

/* Frees what is not in the state's memory. */
void ht_cuda_part_free(ht_cuda_part *part);

/* ---- cuda_steps.cu ---- */

ht_status ht_cuda_step(void *state, int64_t first, int64_t count);
ht_status ht_cuda_step_edge(void *state, int64_t step);
ht_status ht_cuda_step_rest(void *state);

/* ---- cuda_levels.cu ---- */

ht_status ht_cuda_couple(void *coarse, void *fine, const ht_interface *lists, void **coupling);
void ht_cuda_decouple(void *coupling);
ht_status ht_cuda_transfer_levels(void *coupling, ht_state *stream);
ht_status ht_cuda_owed_levels(void *coupling, double *mass);

/* Launches steps of a coarsest level with those of the finer ones. */
ht_status ht_cuda_step_levels(ht_cuda_state *state, int64_t first, int64_t count);

/* ---- cuda_measure.cu ---- */

ht_status ht_cuda_watch(void *state, ht_backend_change *change);
ht_status ht_cuda_watch_tiles(void *state, ht_backend_change *of_tile);
ht_status ht_cuda_momentum(void *state, double momentum[3]);
ht_status ht_cuda_port_flow(void *state, double *flow);
void ht_cuda_measure_cost(const void *state, ht_lattice_cost *cost);

/* ---- cuda_fields.cu, cuda_transfer.cu, cuda_values.cu ---- */

ht_status ht_cuda_keep(void *state, int64_t step, int stays);
ht_status ht_cuda_show(void *state, const ht_visitor *visitor);
ht_status ht_cuda_transfer(void *state, ht_state *stream);
extern const ht_value_access ht_cuda_values;

#endif
