// A grid as the frames of a multi-frame object (PS3.3 C.7.6.16, C.7.6.17).
#include "export/dicom/dataset.hpp"
#include <stdexcept>

namespace ht_dicom_out {

namespace {

const int side_max = 65535;      // Rows and Columns are 16 bits
const double bytes_max = 4.29e9; // a length in a file is 32 bits, and even

void fill_dimension(Filler &fill, const char *organization, const DcmTagKey &index,
                    const DcmTagKey &group, const char *label) {
  Filler one = fill.item(DCM_DimensionIndexSequence);
  one.text(DCM_DimensionOrganizationUID, organization);
  one.points_at(DCM_DimensionIndexPointer, index);
  one.points_at(DCM_FunctionalGroupPointer, group);
  one.text(DCM_DimensionDescriptionLabel, label);
}

void fill_dimensions(Filler &fill, bool of_segment) {
  char uid[HT_UID_TEXT];
  if (ht_uid_new(uid) != HT_OK) throw std::runtime_error(ht_error_message());
  fill.item(DCM_DimensionOrganizationSequence).text(DCM_DimensionOrganizationUID, uid);
  if (of_segment)
    fill_dimension(fill, uid, DCM_ReferencedSegmentNumber, DCM_SegmentIdentificationSequence,
                   "Segment");
  fill_dimension(fill, uid, DCM_ImagePositionPatient, DCM_PlanePositionSequence, "Plane");
}

void fill_frame(Filler &fill, const ht_grid &grid, int k, bool of_segment) {
  const double index[3] = {0, 0, static_cast<double>(k)};
  double at[3];
  ht_grid_position(&grid, index, at);
  Filler frame = fill.item(DCM_PerFrameFunctionalGroupsSequence);
  Filler content = frame.item(DCM_FrameContentSequence);
  if (of_segment) {
    content.longs(DCM_DimensionIndexValues, {1, k + 1});
    frame.item(DCM_SegmentIdentificationSequence).shorts(DCM_ReferencedSegmentNumber, {1});
  } else {
    content.longs(DCM_DimensionIndexValues, {k + 1});
  }
  content.text(DCM_StackID, "1");
  content.longs(DCM_InStackPositionNumber, {k + 1});
  frame.item(DCM_PlanePositionSequence).numbers(DCM_ImagePositionPatient, {at[0], at[1], at[2]});
}

} // namespace

ht_status check_size(const char *path, const ht_grid &grid, double bits_a_voxel) {
  const double bytes = static_cast<double>(ht_grid_voxels(&grid)) * bits_a_voxel / 8;
  if (grid.dim[0] <= side_max && grid.dim[1] <= side_max && bytes < bytes_max) return HT_OK;
  return ht_fail(HT_ERR_USAGE,
                 "%s: %d x %d x %d voxels are too many for a DICOM file (at most 4.29 GB, and %d "
                 "a side): take a coarser lattice, or leave out the DICOM files (export.dicom: no)",
                 path, grid.dim[0], grid.dim[1], grid.dim[2], side_max);
}

Filler fill_frames(Filler &fill, const ht_dicom_study &study, const ht_grid &grid,
                   bool of_segment) {
  const auto &d = grid.direction;
  fill.text(DCM_FrameOfReferenceUID, study.frame_uid);
  fill.text(DCM_PositionReferenceIndicator, "");
  fill.text(DCM_NumberOfFrames, std::to_string(grid.dim[2]));
  fill.shorts(DCM_Rows, {grid.dim[1]});
  fill.shorts(DCM_Columns, {grid.dim[0]});
  fill_dimensions(fill, of_segment);
  Filler shared = fill.item(DCM_SharedFunctionalGroupsSequence);
  Filler measures = shared.item(DCM_PixelMeasuresSequence);
  measures.numbers(DCM_PixelSpacing, {grid.spacing_mm[1], grid.spacing_mm[0]}); // of rows first
  measures.numbers(DCM_SliceThickness, {grid.spacing_mm[2]});
  measures.numbers(DCM_SpacingBetweenSlices, {grid.spacing_mm[2]});
  shared.item(DCM_PlaneOrientationSequence)
      .numbers(DCM_ImageOrientationPatient, {d[0][0], d[1][0], d[2][0], d[0][1], d[1][1], d[2][1]});
  for (int k = 0; k < grid.dim[2]; k++) fill_frame(fill, grid, k, of_segment);
  return shared;
}

} // namespace ht_dicom_out
