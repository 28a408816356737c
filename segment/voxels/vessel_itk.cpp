#include "segment/voxels/vessel.h"
#include "segment/voxels/itk_adapter.hpp"
#include <itkDiscreteGaussianImageFilter.h>
#include <itkSmoothingRecursiveGaussianImageFilter.h>
#include <itkHessianToObjectnessMeasureImageFilter.h>
#include <itkHistogram.h>
#include <itkMultiScaleHessianBasedMeasureImageFilter.h>
#include <itkOtsuMultipleThresholdsCalculator.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>
#include <algorithm>
#include <cmath>

namespace {

using namespace ht;

/* The sigmas of the strongest response to tubes of these radii: radius / sqrt(2), the maximum over
 * sigma of the scale-normalised second derivative at the centre of a disc. */
template <typename Filter> void set_scales(Filter *filter, const double radius_mm[2]) {
  double octaves = std::log2(radius_mm[1] / radius_mm[0]);
  filter->SetSigmaMinimum(radius_mm[0] / std::sqrt(2.0));
  filter->SetSigmaMaximum(radius_mm[1] / std::sqrt(2.0));
  filter->SetNumberOfSigmaSteps(
      static_cast<unsigned>(std::clamp(std::ceil(2 * octaves) + 1, 1.0, 10.0)));
  filter->SetSigmaStepMethodToLogarithmic();
}

using Smoother = itk::ImageToImageFilter<FloatImage, FloatImage>;

/* Least width, voxels, for the recursive filter, whose time does not grow with the width. */
const double wide_voxels = 5;

int is_wide(const ht_grid &grid, const double sigma_mm[3]) {
  for (unsigned a = 0; a < 3; a++)
    if (sigma_mm[a] < wide_voxels * grid.spacing_mm[a] || grid.dim[a] < 4) return 0;
  return 1;
}

Smoother::Pointer wide_gaussian(const double sigma_mm[3], const ht_progress *progress) {
  auto filter = itk::SmoothingRecursiveGaussianImageFilter<FloatImage, FloatImage>::New();
  itk::FixedArray<double, 3> sigma;
  for (unsigned a = 0; a < 3; a++) sigma[a] = sigma_mm[a];
  filter->SetSigmaArray(sigma);
  watch(filter, progress, "smoothing");
  return filter.GetPointer();
}

Smoother::Pointer gaussian(const ht_grid &grid, const double sigma_mm[3],
                           const ht_progress *progress) {
  using Gaussian = itk::DiscreteGaussianImageFilter<FloatImage, FloatImage>;
  if (is_wide(grid, sigma_mm)) return wide_gaussian(sigma_mm, progress);
  auto filter = Gaussian::New();
  Gaussian::ArrayType variance;
  for (unsigned a = 0; a < 3; a++) variance[a] = sigma_mm[a] * sigma_mm[a];
  filter->SetVariance(variance);
  filter->SetUseImageSpacingOn();
  filter->SetMaximumError(0.002);
  filter->SetMaximumKernelWidth(128);
  watch(filter, progress, "smoothing");
  return filter.GetPointer();
}

} // namespace

extern "C" {

ht_status ht_itk_smooth(ht_volume *image, const double sigma_mm[3], double a,
                        const ht_progress *progress) {
  if (!(sigma_mm[0] > 0 || sigma_mm[1] > 0 || sigma_mm[2] > 0)) return HT_OK;
  return guarded("smoothing", [&] {
    size_t voxels = static_cast<size_t>(ht_grid_voxels(&image->grid));
    auto once = gaussian(image->grid, sigma_mm, progress);
    once->SetInput(view(image->grid, image->values));
    once->Update();
    const float *g = once->GetOutput()->GetBufferPointer();
    if (a == 0) {
      std::copy(g, g + voxels, image->values);
      return;
    }
    auto twice = gaussian(image->grid, sigma_mm, progress);
    twice->SetInput(once->GetOutput());
    twice->Update();
    const float *gg = twice->GetOutput()->GetBufferPointer();
    for (size_t v = 0; v < voxels; v++)
      image->values[v] = static_cast<float>((1 + a) * g[v] - a * gg[v]);
  });
}

ht_status ht_itk_otsu(const int64_t *histogram, int bins, double least, double most, int count,
                      double *thresholds) {
  return guarded("Otsu's thresholds", [&] {
    using Histogram = itk::Statistics::Histogram<double>;
    auto values = Histogram::New();
    Histogram::SizeType size(1);
    Histogram::MeasurementVectorType lower(1), upper(1);
    size[0] = static_cast<itk::SizeValueType>(bins);
    lower[0] = least;
    upper[0] = most;
    values->SetMeasurementVectorSize(1);
    values->Initialize(size, lower, upper);
    for (int b = 0; b < bins; b++)
      values->SetFrequency(static_cast<itk::Statistics::Histogram<double>::InstanceIdentifier>(b),
                           static_cast<Histogram::AbsoluteFrequencyType>(histogram[b]));
    auto otsu = itk::OtsuMultipleThresholdsCalculator<Histogram>::New();
    otsu->SetInputHistogram(values);
    otsu->SetNumberOfThresholds(static_cast<itk::SizeValueType>(count));
    otsu->Compute();
    std::copy_n(otsu->GetOutput().begin(), count, thresholds);
  });
}

ht_status ht_itk_vesselness(const ht_volume *image, const double radius_mm[2], double contrast,
                            const ht_progress *progress, ht_volume *vesselness) {
  std::memset(vesselness, 0, sizeof *vesselness);
  HT_TRY(ht_volume_alloc(&image->grid, vesselness));
  ht_status status = guarded("vesselness", [&] {
    using Tensors = itk::Image<itk::SymmetricSecondRankTensor<float, 3>, 3>;
    auto measure = itk::HessianToObjectnessMeasureImageFilter<Tensors, FloatImage>::New();
    measure->SetObjectDimension(1);
    measure->SetBrightObject(true);
    measure->SetAlpha(0.5); /* Frangi's values for alpha and beta */
    measure->SetBeta(0.5);
    /* The Hessian's norm at the centre of a tube is about 0.6 of the contrast; noise far below. */
    measure->SetGamma(contrast / 4);
    measure->SetScaleObjectnessMeasure(false);
    auto filter =
        itk::MultiScaleHessianBasedMeasureImageFilter<FloatImage, Tensors, FloatImage>::New();
    filter->SetInput(view(image->grid, image->values));
    filter->SetHessianToMeasureFilter(measure);
    set_scales(filter.GetPointer(), radius_mm);
    watch(filter, progress, "vesselness");
    filter->Update();
    copy(filter->GetOutput(), vesselness->values);
  });
  if (status != HT_OK) ht_volume_free(vesselness);
  return status;
}

ht_status ht_itk_distance(const ht_mask *mask, const ht_progress *progress, ht_volume *distance) {
  std::memset(distance, 0, sizeof *distance);
  HT_TRY(ht_volume_alloc(&mask->grid, distance));
  ht_status status = guarded("distance map", [&] {
    auto filter = itk::SignedMaurerDistanceMapImageFilter<ByteImage, FloatImage>::New();
    filter->SetInput(view(mask->grid, mask->inside));
    filter->SetUseImageSpacing(true);
    filter->SetSquaredDistance(false);
    filter->SetInsideIsPositive(false);
    watch(filter, progress, "distance");
    filter->Update();
    copy(filter->GetOutput(), distance->values);
    size_t voxels = static_cast<size_t>(ht_grid_voxels(&mask->grid));
    for (size_t v = 0; v < voxels; v++)
      if (mask->inside[v]) distance->values[v] = 0;
  });
  if (status != HT_OK) ht_volume_free(distance);
  return status;
}

} // extern "C"
