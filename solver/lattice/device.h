/* The device that a flow is computed on. */
#ifndef HT_DEVICE_H
#define HT_DEVICE_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HT_DEVICE_AUTO = 0, HT_DEVICE_CPU, HT_DEVICE_CUDA } ht_device;

/* The names in case files, options and results, in the order of the values; NULL at the end. */
extern const char *const ht_device_words[];

/* Describes the device that `device` chooses: "NVIDIA H200" or "CPU, 2 threads"; and the reason why
 * no GPU is used ("" where one is). HT_ERR_DEVICE: CUDA is requested and there is no GPU; says
 * why. */
ht_status ht_device_describe(ht_device device, char name[128], char why_no_gpu[256]);

/* Tells whether the GPU is used. HT_ERR_DEVICE as ht_device_describe. */
ht_status ht_choose_device(ht_device asked, int *on_gpu);

/* Waits until the device has finished its work. HT_ERR_DEVICE. */
ht_status ht_device_wait(ht_device device);

/* ---- provided by the backends ---- */

/* Tells whether there is a GPU that works (1); else 0 and the reason. `why` [256], `name` [128]. */
int ht_cuda_available(char name[128], char why[256]);
ht_status ht_cuda_wait(void);

/* The GPUs that this process sees; 0: none. */
int ht_cuda_count(void);

/* The calling thread uses GPU `number` (from 0) from now on; else it is the first. HT_ERR_DEVICE.
 */
ht_status ht_cuda_use(int number);

/* "host UUID" of that GPU: the same in all processes that use it. HT_ERR_DEVICE. */
enum { HT_CUDA_IDENTITY = 128 };
ht_status ht_cuda_identify(char identity[HT_CUDA_IDENTITY]);

/* The instructions that the CPU backend uses here: "AVX-512", "AVX2", "baseline". */
const char *ht_cpu_instruction_set(void);

/* Threads for a run that asks for `asked`; 0: all. */
int ht_cpu_threads(int asked);

#ifdef __cplusplus
}
#endif
#endif
