/* An array on the host that is freed at the end of its scope; for the CUDA backend. */
#ifndef HT_HOST_ARRAY_CUH
#define HT_HOST_ARRAY_CUH

#include "core/vessel/volume.h"
#include <cstdlib>

template <class T> struct ht_host_array {
  T *data = NULL;
  size_t count = 0;

  ht_host_array() = default;
  ht_host_array(const ht_host_array &) = delete;
  ht_host_array &operator=(const ht_host_array &) = delete;
  ~ht_host_array() { free(data); }

  /* Allocates the array, filled with zeros; called once. HT_ERR_MEMORY, with what it is for. */
  ht_status make(int64_t wanted, const char *what) {
    count = (size_t)wanted;
    return ht_alloc((void **)&data, count, sizeof(T), what);
  }
  size_t bytes() const { return count * sizeof(T); }
  T &operator[](int64_t i) { return data[i]; }
};

#endif
