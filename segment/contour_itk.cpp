#include "vessel.h"
#include "itk_adapter.hpp"
#include <itkGeodesicActiveContourLevelSetImageFilter.h>
#include <itkGradientMagnitudeImageFilter.h>
#include <itkN4BiasFieldCorrectionImageFilter.h>
#include <cmath>

namespace {

using namespace ht;

/* 1 where the image is flat, towards 0 at an edge: 1 / (1 + (|gradient| / edge)^2). */
FloatImage::Pointer edge_potential(const ht_volume *image, double edge) {
  auto gradient = itk::GradientMagnitudeImageFilter<FloatImage, FloatImage>::New();
  gradient->SetInput(view(image->grid, image->values));
  gradient->Update();
  FloatImage::Pointer potential = gradient->GetOutput();
  potential->DisconnectPipeline();
  float *value = potential->GetBufferPointer();
  for (int64_t v = 0; v < ht_grid_voxels(&image->grid); v++) {
    double steep = value[v] / edge;
    value[v] = static_cast<float>(1 / (1 + steep * steep));
  }
  return potential;
}

/* Of the surface, in the level set: little, since it draws thin vessels together. */
const double curvature = 0.05;

double smallest_spacing(const ht_grid *grid) {
  return std::fmin(grid->spacing_mm[0], std::fmin(grid->spacing_mm[1], grid->spacing_mm[2]));
}

} // namespace

extern "C" {

ht_status ht_itk_contour(const ht_volume *start, const ht_volume *image, double edge, int steps,
                         const ht_progress *progress, ht_volume *contour) {
  int64_t voxels = ht_grid_voxels(&start->grid);
  std::memset(contour, 0, sizeof *contour);
  HT_TRY(ht_volume_alloc(&start->grid, contour));
  for (int64_t v = 0; v < voxels; v++) contour->values[v] = -start->values[v]; /* ITK's sign */
  ht_status status = guarded("level set", [&] {
    auto filter = itk::GeodesicActiveContourLevelSetImageFilter<FloatImage, FloatImage>::New();
    filter->SetInput(view(start->grid, contour->values));
    filter->SetFeatureImage(edge_potential(image, edge));
    filter->SetPropagationScaling(0); /* neither outward nor inward: only to the edge */
    filter->SetCurvatureScaling(curvature);
    filter->SetAdvectionScaling(1);
    filter->SetDerivativeSigma(static_cast<float>(0.5 * smallest_spacing(&image->grid)));
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
