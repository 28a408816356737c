#include "segment/voxels/vessel.h"
#include "segment/voxels/itk_adapter.hpp"
#include <itkN4BiasFieldCorrectionImageFilter.h>
#include <itkThresholdSegmentationLevelSetImageFilter.h>
#include <cmath>
#include <limits>

namespace {

using namespace ht;

} // namespace

extern "C" {

ht_status ht_itk_contour(const ht_volume *drive, double curvature, int steps,
                         const ht_progress *progress, ht_volume *contour) {
  int64_t voxels = ht_grid_voxels(&drive->grid);
  std::memset(contour, 0, sizeof *contour);
  HT_TRY(ht_volume_alloc(&drive->grid, contour));
  for (int64_t v = 0; v < voxels; v++) contour->values[v] = -drive->values[v]; /* ITK's sign */
  ht_status status = guarded("level set", [&] {
    auto filter = itk::ThresholdSegmentationLevelSetImageFilter<FloatImage, FloatImage>::New();
    filter->SetInput(view(drive->grid, contour->values));
    filter->SetFeatureImage(view(drive->grid, drive->values));
    filter->SetLowerThreshold(0); /* outward where the drive is above, inward where it is below */
    filter->SetUpperThreshold(std::numeric_limits<float>::max());
    filter->SetEdgeWeight(0);
    filter->SetPropagationScaling(1);
    filter->SetCurvatureScaling(curvature);
    filter->SetMaximumRMSError(0.002);
    filter->SetNumberOfIterations(static_cast<unsigned>(steps));
    filter->SetIsoSurfaceValue(0);
    watch(filter, progress, "level set");
    filter->Update();
    const float *value = filter->GetOutput()->GetBufferPointer();
    for (int64_t v = 0; v < voxels; v++) contour->values[v] = -value[v];
  });
  if (status != HT_OK) ht_volume_free(contour);
  return status;
}

ht_status ht_itk_bias(const ht_volume *image, const ht_mask *where, const ht_progress *progress,
                      ht_volume *bias) {
  std::memset(bias, 0, sizeof *bias);
  HT_TRY(ht_volume_alloc(&image->grid, bias));
  ht_status status = guarded("bias correction", [&] {
    using Filter = itk::N4BiasFieldCorrectionImageFilter<FloatImage, ByteImage, FloatImage>;
    auto filter = Filter::New();
    Filter::VariableSizeArrayType iterations(3);
    iterations.Fill(20);
    filter->SetInput(view(image->grid, image->values));
    filter->SetMaskImage(view(where->grid, where->inside));
    filter->SetNumberOfFittingLevels(3);
    filter->SetMaximumNumberOfIterations(iterations);
    filter->SetConvergenceThreshold(0.001);
    watch(filter, progress, "bias correction");
    filter->Update();
    auto field = filter->ReconstructBiasField(filter->GetLogBiasFieldControlPointLattice());
    const float *value = field->GetBufferPointer();
    int64_t voxels = ht_grid_voxels(&image->grid);
    for (int64_t v = 0; v < voxels; v++) bias->values[v] = std::exp(value[v]);
  });
  if (status != HT_OK) ht_volume_free(bias);
  return status;
}

} // extern "C"
