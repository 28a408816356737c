/* Functions that the adapters to ITK share: our arrays as ITK's images, our progress in its
 * filters, its exceptions as our errors. C++; included by *_itk.cpp only. */
#ifndef HT_ITK_ADAPTER_HPP
#define HT_ITK_ADAPTER_HPP

#include "core/work/progress.h"
#include "core/vessel/volume.h"
#include <itkCommand.h>
#include <itkImage.h>
#include <itkImportImageFilter.h>
#include <cstring>
#include <new>
#include <system_error>

namespace ht {

using FloatImage = itk::Image<float, 3>;
using ByteImage = itk::Image<uint8_t, 3>;

/* Passes on a filter's progress to us, and our interrupt to the filter. */
class Watcher : public itk::Command {
public:
  using Self = Watcher;
  using Pointer = itk::SmartPointer<Self>;
  itkNewMacro(Self);
  const ht_progress *progress = nullptr;
  const char *note = "";

  void Execute(itk::Object *caller, const itk::EventObject &) override {
    auto *filter = dynamic_cast<itk::ProcessObject *>(caller);
    if (!filter) return;
    if (ht_progress_report(progress, "segment", 100 * filter->GetProgress(), 100, note) != HT_OK)
      filter->SetAbortGenerateData(true);
  }
  void Execute(const itk::Object *, const itk::EventObject &) override {}
};

inline void watch(itk::ProcessObject *filter, const ht_progress *progress, const char *note) {
  if (!progress || !progress->report) return;
  auto watcher = Watcher::New();
  watcher->progress = progress;
  watcher->note = note;
  filter->AddObserver(itk::ProgressEvent(), watcher);
}

/* Runs `work` and turns its exceptions into a status. */
template <typename Work> ht_status guarded(const char *what, Work work) {
  itk::Object::SetGlobalWarningDisplay(false); /* a library does not print */
  try {
    work();
    return HT_OK;
  } catch (const itk::ProcessAborted &) {
    return ht_fail(HT_ERR_INTERRUPTED, "%s: stopped as asked", what);
  } catch (const itk::MemoryAllocationError &) {
    return ht_fail(HT_ERR_MEMORY, "not enough memory for %s: give a smaller region", what);
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "not enough memory for %s: give a smaller region", what);
  } catch (const std::system_error &) { // a thread cannot be started
    return ht_fail(HT_ERR_MEMORY, "not enough memory for %s: no thread can be started", what);
  } catch (const itk::ExceptionObject &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: ITK says: %s", what, error.GetDescription());
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: %s", what, error.what());
  } catch (...) {
    return ht_fail(HT_ERR_INTERNAL, "%s: an unknown exception", what);
  }
}

/* ITK's view of our array, not a copy. ITK wants a pointer that is not const; its filters do not
 * write to their input. */
template <typename Pixel>
typename itk::Image<Pixel, 3>::Pointer view(const ht_grid &grid, const Pixel *values) {
  auto import = itk::ImportImageFilter<Pixel, 3>::New();
  typename itk::ImportImageFilter<Pixel, 3>::SizeType size;
  for (unsigned a = 0; a < 3; a++) size[a] = static_cast<itk::SizeValueType>(grid.dim[a]);
  typename itk::ImportImageFilter<Pixel, 3>::RegionType region;
  region.SetSize(size);
  import->SetRegion(region);
  import->SetSpacing(grid.spacing_mm);
  import->SetImportPointer(const_cast<Pixel *>(values), region.GetNumberOfPixels(), false);
  import->Update();
  typename itk::Image<Pixel, 3>::Pointer image = import->GetOutput();
  image->DisconnectPipeline();
  return image;
}

template <typename Image> size_t bytes(const Image *image) {
  return image->GetLargestPossibleRegion().GetNumberOfPixels() * sizeof(typename Image::PixelType);
}

template <typename Image> void copy(const Image *image, void *target) {
  std::memcpy(target, image->GetBufferPointer(), bytes(image));
}

} // namespace ht

#endif
