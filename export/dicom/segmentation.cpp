// The vessel as a binary Segmentation (PS3.3 A.51, C.8.20).
#include "export/dicom/dataset.hpp"
#include <algorithm>

using namespace ht_dicom_out;

namespace {

// Frames follow each other bit by bit, the lowest of a byte first (PS3.5 8.1.1).
void pack(const ht_mask &mask, Uint8 *bits) {
  const int64_t voxels = ht_grid_voxels(&mask.grid);
  for (int64_t v = 0; v < voxels; v++)
    if (mask.inside[v]) bits[v / 8] = static_cast<Uint8>(bits[v / 8] | 1u << v % 8);
}

void fill_segment(Filler &fill) {
  Filler one = fill.item(DCM_SegmentSequence);
  one.shorts(DCM_SegmentNumber, {1});
  one.text(DCM_SegmentLabel, "vessel");
  one.text(DCM_SegmentDescription, "lumen of the vessel, cut at its openings");
  one.text(DCM_SegmentAlgorithmType, "AUTOMATIC");
  one.text(DCM_SegmentAlgorithmName, "hemotile");
  one.code(DCM_SegmentedPropertyCategoryCodeSequence, "SCT", "123037004", "Anatomical Structure");
  one.code(DCM_SegmentedPropertyTypeCodeSequence, "SCT", "59820001", "Blood vessel");
  // L* 54, a* 81, b* 70, a red, in 16 bits (PS3.3 C.10.7.1.1).
  one.shorts(DCM_RecommendedDisplayCIELabValue, {35389, 53713, 50886});
}

void fill_image(Filler &fill, const ht_dicom_study &study) {
  fill.text(DCM_ImageComments, study.comment);
  fill.text(DCM_ImageType, "DERIVED\\PRIMARY");
  fill.text(DCM_SegmentationType, "BINARY");
  fill.text(DCM_ContentLabel, "VESSEL");
  fill.text(DCM_ContentDescription, "vessel of the flow computation");
  fill.text(DCM_ContentCreatorName, "hemotile^");
  fill.text(DCM_LossyImageCompression, "00");
  fill.text(DCM_BurnedInAnnotation, "NO");
  fill.text(DCM_PhotometricInterpretation, "MONOCHROME2");
  fill.shorts(DCM_SamplesPerPixel, {1});
  fill.shorts(DCM_BitsAllocated, {1});
  fill.shorts(DCM_BitsStored, {1});
  fill.shorts(DCM_HighBit, {0});
  fill.shorts(DCM_PixelRepresentation, {0});
}

ht_status write(const char *path, const ht_dicom_study &study, const ht_mask &mask) {
  DcmFileFormat file;
  std::string problem;
  Filler fill(*file.getDataset(), problem);
  const Object object = {UID_SegmentationStorage, "SEG", "hemotile vessel", "9101", nullptr, "1"};
  HT_TRY(ht_grid_check(&mask.grid));
  HT_TRY(check_size(path, mask.grid, 1));
  HT_TRY(fill_identity(fill, study, object));
  fill_image(fill, study);
  fill_segment(fill);
  fill_frames(fill, study, mask.grid, true);
  const size_t bytes = static_cast<size_t>((ht_grid_voxels(&mask.grid) + 7) / 8);
  Uint8 *bits = fill.bytes(DCM_PixelData, bytes + bytes % 2);
  if (!bits) throw std::bad_alloc();
  std::fill_n(bits, bytes + bytes % 2, Uint8(0));
  pack(mask, bits);
  if (!problem.empty()) return not_made(path, problem);
  return write_file(path, file, EXS_LittleEndianExplicit);
}

} // namespace

extern "C" ht_status ht_dicom_segmentation(const char *path, const ht_dicom_study *study,
                                           const ht_mask *mask) {
  return at_the_edge(path, [&] { return write(path, *study, *mask); });
}
