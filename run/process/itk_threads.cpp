// ITK's pool of threads.
#include "run/process/itk_threads.h"
#include <exception>

#include <itkMultiThreaderBase.h>
#include <itkThreadPool.h>

extern "C" int ht_itk_threads(void) {
  try {
    return static_cast<int>(itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads());
  } catch (const std::exception &) {
    return 0;
  }
}

extern "C" ht_status ht_itk_threads_start(int threads) {
  try {
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(
        static_cast<itk::ThreadIdType>(threads));
    itk::ThreadPool::GetInstance();
    return HT_OK;
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_MEMORY, "the threads of ITK cannot be started: %s", error.what());
  }
}
