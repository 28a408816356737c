// Speed and load of the wall as Parametric Maps of floats (PS3.3 A.75, C.8.32).
#include "export/dicom/dataset.hpp"
#include "export/files/flow_image.h"
#include "export/files/wall_voxels.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

using namespace ht_dicom_out;

namespace {

// The quantity of a map. DICOM has no codes for these, so they are hemotile's own.
struct Quantity {
  const char *series, *number, *label, *about;
  const char *unit, *unit_name; // UCUM
  const char *code;             // of 99HEMOTILE
  float none;                   // the value of voxels without one
  bool of_mean_flow;            // in a beat: of its mean flow, far below the highest
};

// The description that a viewer shows, at most 64 characters.
std::string words(const char *what, const ht_dicom_study &study, const Quantity &of) {
  return std::string(what) + (study.is_beat && of.of_mean_flow ? ", beat's mean flow" : "");
}

const Quantity speed = {
    "hemotile speed", "9102", "SPEED", "speed of the blood", "m/s", "meter per second",
    "SPEED",          0,      true};
const Quantity loads[] = {
    {"hemotile wall shear stress", "9103", "WSS", "magnitude of the wall shear stress", "Pa",
     "Pascal", "WSS", HT_DICOM_NO_LOAD, true},
    {"hemotile TAWSS", "9104", "TAWSS", "wall shear stress, mean of the magnitude over the beat",
     "Pa", "Pascal", "TAWSS", HT_DICOM_NO_LOAD, false},
};

struct Free {
  void operator()(float *values) const { free(values); }
};
using Values = std::unique_ptr<float, Free>;

ht_status allocate(const ht_grid &grid, Values &values) {
  float *dense = nullptr;
  const size_t count = static_cast<size_t>(ht_grid_voxels(&grid));
  const ht_status status =
      ht_alloc(reinterpret_cast<void **>(&dense), count, sizeof *dense, "a map of DICOM");
  values.reset(dense);
  return status;
}

// ---- The values ----

void speeds(const ht_flow_image &image, float *out) {
  enum { PIECE = 4096 };
  const int64_t voxels = ht_grid_voxels(&image.grid);
  std::vector<float> u(3 * PIECE);
  for (int64_t first = 0; first < voxels; first += PIECE) {
    const int64_t count = std::min<int64_t>(PIECE, voxels - first);
    ht_flow_image_velocity(&image, 3 * first, 3 * count, u.data());
    for (int64_t i = 0; i < count; i++) {
      const float *at = u.data() + 3 * i;
      out[first + i] = std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    }
  }
}

// ---- The object ----

void fill_image(Filler &fill, const ht_dicom_study &study, const Quantity &of) {
  fill.text(DCM_ImageComments, study.comment);
  fill.text(DCM_ImageType, "DERIVED\\PRIMARY\\VOLUME\\NONE");
  fill.text(DCM_ContentLabel, of.label);
  fill.text(DCM_ContentDescription, words(of.about, study, of));
  fill.text(DCM_ContentCreatorName, "hemotile^");
  fill.text(DCM_ContentQualification, "RESEARCH");
  fill.text(DCM_RecognizableVisualFeatures, "NO");
  fill.text(DCM_BurnedInAnnotation, "NO");
  fill.text(DCM_LossyImageCompression, "00");
  fill.text(DCM_PresentationLUTShape, "IDENTITY");
  fill.text(DCM_PhotometricInterpretation, "MONOCHROME2");
  fill.shorts(DCM_SamplesPerPixel, {1});
  fill.shorts(DCM_BitsAllocated, {32});
  fill.nothing(DCM_AcquisitionContextSequence);
}

// Maps stored values to the quantity one to one.
void fill_unit(Filler &shared, const Quantity &of, double most) {
  Filler identity = shared.item(DCM_PixelValueTransformationSequence);
  identity.numbers(DCM_RescaleIntercept, {0});
  identity.numbers(DCM_RescaleSlope, {1});
  identity.text(DCM_RescaleType, "US");
  Filler real = shared.item(DCM_RealWorldValueMappingSequence);
  real.text(DCM_LUTExplanation, of.about);
  real.text(DCM_LUTLabel, of.label);
  real.numbers(DCM_DoubleFloatRealWorldValueFirstValueMapped, {0});
  real.numbers(DCM_DoubleFloatRealWorldValueLastValueMapped, {most});
  real.numbers(DCM_RealWorldValueIntercept, {0});
  real.numbers(DCM_RealWorldValueSlope, {1});
  real.code(DCM_MeasurementUnitsCodeSequence, "UCUM", of.unit, of.unit_name);
  Filler quantity = real.item(DCM_QuantityDefinitionSequence);
  quantity.text(DCM_ValueType, "CODE");
  quantity.code(DCM_ConceptNameCodeSequence, "SCT", "246205007", "Quantity");
  quantity.code(DCM_ConceptCodeSequence, "99HEMOTILE", of.code, of.about);
}

void fill_shared(Filler &shared, const Quantity &of, double most) {
  fill_unit(shared, of, most);
  shared.item(DCM_ParametricMapFrameTypeSequence)
      .text(DCM_FrameType, "DERIVED\\PRIMARY\\VOLUME\\NONE");
  Filler anatomy = shared.item(DCM_FrameAnatomySequence);
  anatomy.text(DCM_FrameLaterality, "U");
  anatomy.code(DCM_AnatomicRegionSequence, "SCT", "59820001", "Blood vessel");
}

ht_status write(const char *path, const ht_dicom_study &study, const ht_grid &grid,
                const Quantity &of, const float *values) {
  DcmFileFormat file;
  std::string problem;
  Filler fill(*file.getDataset(), problem);
  const size_t count = static_cast<size_t>(ht_grid_voxels(&grid));
  const float most = std::max(*std::max_element(values, values + count), 0.0f);
  const std::string series = words(of.series, study, of);
  const Object object = {UID_ParametricMapStorage, "OT", series.c_str(), of.number, nullptr, "1"};
  HT_TRY(fill_identity(fill, study, object));
  fill_image(fill, study, of);
  Filler shared = fill_frames(fill, study, grid, false);
  fill_shared(shared, of, static_cast<double>(most));
  fill.single(DCM_FloatPixelPaddingValue, of.none);
  fill.single(DCM_FloatPixelPaddingRangeLimit, of.none); // dciodvfy asks for it: a range of one
  fill.floats(DCM_FloatPixelData, values, count);
  if (!problem.empty()) return not_made(path, problem);
  return write_file(path, file, EXS_LittleEndianExplicit);
}

ht_status write_speed(const char *path, const ht_dicom_study &study, const ht_flow_image &image) {
  Values values;
  HT_TRY(check_size(path, image.grid, 32));
  HT_TRY(allocate(image.grid, values));
  speeds(image, values.get());
  return write(path, study, image.grid, speed, values.get());
}

ht_status write_load(const char *path, const ht_dicom_study &study, const ht_flow_image &image,
                     const ht_dicom_load &load) {
  const Quantity &of = loads[load.quantity];
  Values values;
  for (int64_t p = 0; p < load.surface->points; p++)
    if (!std::isfinite(load.values[p]))
      return ht_fail(HT_ERR_DIVERGED, "%s: the %s is not a finite number: it is not written", path,
                     of.about);
  HT_TRY(check_size(path, image.grid, 32));
  HT_TRY(allocate(image.grid, values));
  HT_TRY(ht_wall_voxels(&image, load.surface, load.values, of.none, values.get()));
  return write(path, study, image.grid, of, values.get());
}

} // namespace

extern "C" ht_status ht_dicom_speed(const char *path, const ht_dicom_study *study,
                                    const ht_domain *domain, const ht_flow *flow,
                                    const ht_grid *grid) {
  ht_flow_image image;
  HT_TRY(ht_flow_image_make(domain, flow, grid, &image));
  return at_the_edge(path, [&] { return write_speed(path, *study, image); });
}

extern "C" ht_status ht_dicom_wall(const char *path, const ht_dicom_study *study,
                                   const ht_domain *domain, const ht_flow *flow,
                                   const ht_grid *grid, const ht_dicom_load *load) {
  ht_flow_image image;
  HT_TRY(ht_flow_image_make(domain, flow, grid, &image));
  return at_the_edge(path, [&] { return write_load(path, *study, image, *load); });
}
