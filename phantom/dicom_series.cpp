// Writes a volume as a DICOM series through DCMTK; the C function is declared in phantom.h.
#include "core/formats/dicom_dictionary.h"
#include "export/dicom_file/dicom_file.hpp"
#include "core/disk/file.h"
#include "phantom/dicom_fill.hpp"
#include "phantom/phantom.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

namespace {

using namespace ht_phantom_dicom;

// Hash of everything that is written.
uint64_t identity_of(const ht_volume &volume, const std::string &description, uint64_t seed) {
  const ht_grid &grid = volume.grid;
  uint64_t hash = fnv1a(hash_begin, &seed, sizeof seed);
  hash = fnv1a(hash, description.data(), description.size());
  hash = fnv1a(hash, grid.dim, sizeof grid.dim);
  hash = fnv1a(hash, grid.spacing_mm, sizeof grid.spacing_mm);
  hash = fnv1a(hash, grid.origin_mm, sizeof grid.origin_mm);
  hash = fnv1a(hash, grid.direction, sizeof grid.direction);
  return fnv1a(hash, volume.values,
               static_cast<size_t>(ht_grid_voxels(&grid)) * sizeof *volume.values);
}

// ---- Text of attributes ----

// Patient's name "PHANTOM^ANEURYSM" from "Aneurysm phantom, ..." or "hemotile phantom aneurysm":
// the first word other than those of every phantom.
std::string patient_name(const std::string &description) {
  std::string word;
  for (size_t i = 0; i <= description.size(); i++) {
    unsigned char c = i < description.size() ? static_cast<unsigned char>(description[i]) : ' ';
    if (isalnum(c) || c == '-') {
      word += static_cast<char>(toupper(c));
      continue;
    }
    if (!word.empty() && word != "HEMOTILE" && word != "PHANTOM") return "PHANTOM^" + word;
    word.clear();
  }
  return "PHANTOM^UNNAMED";
}

// Makes a long string (LO), which holds 64 characters and no backslash.
std::string long_string(const char *text) {
  std::string kept(text ? text : "");
  std::replace(kept.begin(), kept.end(), '\\', '/');
  return kept.substr(0, 64);
}

// ---- Values to 16-bit integers ----

struct Scaling {
  double slope, intercept;
};

// Chooses the scaling. Whole numbers are kept exactly, with the intercept -1024 that CT scanners
// use where it fits. Anything else gets the slope that spreads its range over the 16 bits. Slope
// and intercept are those that a reader will parse, so that the rounding error stays below half a
// slope.
ht_status scaling_of(const ht_volume &volume, Scaling &scaling) {
  int64_t voxels = ht_grid_voxels(&volume.grid);
  double low = volume.values[0], high = low;
  bool whole = true;
  for (int64_t i = 0; i < voxels; i++) {
    double value = volume.values[i];
    if (!std::isfinite(value))
      return ht_fail(HT_ERR_FORMAT,
                     "voxel %lld of the volume is not a finite number: DICOM cannot hold it",
                     static_cast<long long>(i));
    low = std::min(low, value);
    high = std::max(high, value);
    whole = whole && value == std::nearbyint(value);
  }
  bool ct = strcmp(volume.modality, "MR") != 0;
  if (whole && ct && low >= -1024 && high <= 32767 - 1024)
    scaling = {1, -1024};
  else if (whole && low >= -32768 && high <= 32767)
    scaling = {1, 0};
  else
    scaling = {strtod(decimal((high - low) / 65000).c_str(), nullptr),
               strtod(decimal(0.5 * low + 0.5 * high).c_str(), nullptr)};
  if (scaling.slope == 0) scaling.slope = 1;
  return HT_OK;
}

std::vector<Uint16> slice_pixels(const ht_volume &volume, const Scaling &scaling, int k) {
  int64_t count = static_cast<int64_t>(volume.grid.dim[0]) * volume.grid.dim[1];
  std::vector<Uint16> pixels(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; i++) {
    double stored =
        std::nearbyint((volume.values[k * count + i] - scaling.intercept) / scaling.slope);
    stored = std::min(std::max(stored, -32768.0), 32767.0);
    pixels[static_cast<size_t>(i)] = static_cast<Uint16>(static_cast<Sint16>(stored));
  }
  return pixels;
}

// ---- The data set ----

struct Series {
  const ht_volume &volume;
  std::string description;
  uint64_t identity;
  Scaling scaling;
};

void fill_study(Filler &fill, const Series &series) {
  fill.text(DCM_SpecificCharacterSet, "ISO_IR 192");
  fill.text(DCM_StudyDate, "20000101");
  fill.text(DCM_StudyTime, "120000");
  fill.text(DCM_AccessionNumber, "");
  fill.text(DCM_Manufacturer, "hemotile");
  fill.text(DCM_ReferringPhysicianName, "");
  fill.text(DCM_PatientName, patient_name(series.description));
  fill.text(DCM_PatientID, HT_PHANTOM_PATIENT_ID);
  fill.text(DCM_PatientBirthDate, "");
  fill.text(DCM_PatientSex, "O");
  fill.text(DCM_StudyID, "1");
  fill.text(DCM_SeriesNumber, "1");
  fill.text(DCM_SeriesDescription, series.description);
  fill.text(DCM_ImageComments, "Simulated by hemotile: no patient");
  fill.text(DCM_StudyInstanceUID, uid_of(series.identity, "study"));
  fill.text(DCM_SeriesInstanceUID, uid_of(series.identity, "series"));
  fill.text(DCM_FrameOfReferenceUID, uid_of(series.identity, "frame of reference"));
  fill.text(DCM_PositionReferenceIndicator, "");
  fill.text(DCM_PatientPosition, "HFS");
}

void fill_modality(Filler &fill, bool mr) {
  fill.text(DCM_SOPClassUID, mr ? UID_MRImageStorage : UID_CTImageStorage);
  fill.text(DCM_Modality, mr ? "MR" : "CT");
  fill.text(DCM_ImageType, mr ? "ORIGINAL\\PRIMARY\\OTHER" : "ORIGINAL\\PRIMARY\\AXIAL");
  fill.text(DCM_AcquisitionNumber, "1");
  if (!mr) {
    fill.text(DCM_KVP, "");
    return;
  }
  fill.text(DCM_ScanningSequence, "GR");
  fill.text(DCM_SequenceVariant, "NONE");
  fill.text(DCM_ScanOptions, "");
  fill.text(DCM_MRAcquisitionType, "3D");
  fill.text(DCM_RepetitionTime, "");
  fill.text(DCM_EchoTime, "");
  fill.text(DCM_EchoTrainLength, "");
}

void fill_place(Filler &fill, const ht_grid &grid, int k) {
  double index[3] = {0, 0, static_cast<double>(k)}, position[3], axes[6];
  // DICOM gives the distance between rows (y) first.
  double between[2] = {grid.spacing_mm[1], grid.spacing_mm[0]}, normal[3], location = 0;
  ht_grid_position(&grid, index, position);
  for (int r = 0; r < 3; r++) {
    axes[r] = grid.direction[r][0];
    axes[3 + r] = grid.direction[r][1];
    normal[r] = grid.direction[r][2];
    location += normal[r] * position[r];
  }
  fill.text(DCM_ImagePositionPatient, decimals(position, 3));
  fill.text(DCM_ImageOrientationPatient, decimals(axes, 6));
  fill.text(DCM_PixelSpacing, decimals(between, 2));
  fill.text(DCM_SliceThickness, decimal(grid.spacing_mm[2]));
  fill.text(DCM_SpacingBetweenSlices, decimal(grid.spacing_mm[2]));
  fill.text(DCM_SliceLocation, decimal(location));
}

void fill_image(Filler &fill, const Series &series, int k) {
  const ht_grid &grid = series.volume.grid;
  fill.text(DCM_SOPInstanceUID, uid_of(series.identity, "slice " + std::to_string(k)));
  fill.text(DCM_InstanceNumber, std::to_string(k + 1));
  fill.number(DCM_SamplesPerPixel, 1);
  fill.text(DCM_PhotometricInterpretation, "MONOCHROME2");
  fill.number(DCM_Rows, grid.dim[1]);
  fill.number(DCM_Columns, grid.dim[0]);
  fill.number(DCM_BitsAllocated, 16);
  fill.number(DCM_BitsStored, 16);
  fill.number(DCM_HighBit, 15);
  fill.number(DCM_PixelRepresentation, 1);
  fill.text(DCM_RescaleIntercept, decimal(series.scaling.intercept));
  fill.text(DCM_RescaleSlope, decimal(series.scaling.slope));
  if (strcmp(series.volume.modality, "MR") != 0) fill.text(DCM_RescaleType, "HU");
  fill.pixels(slice_pixels(series.volume, series.scaling, k));
}

// ---- Files ----

void slice_path(const char *folder, int k, char path[HT_PATH_MAX]) {
  char name[32];
  snprintf(name, sizeof name, "slice-%04d.dcm", k + 1);
  if (ht_path_join(path, folder, name) != HT_OK) path[0] = 0;
}

ht_status write_slice(const char *folder, const Series &series, int k) {
  char path[HT_PATH_MAX];
  slice_path(folder, k, path);
  if (!path[0]) return HT_ERR_USAGE;
  DcmFileFormat file;
  Filler fill(*file.getDataset());
  fill_study(fill, series);
  fill_modality(fill, strcmp(series.volume.modality, "MR") == 0);
  fill_place(fill, series.volume.grid, k);
  fill_image(fill, series, k);
  if (!fill.problem().empty())
    return ht_fail(HT_ERR_INTERNAL, "%s: cannot compose the DICOM file: %s", path,
                   fill.problem().c_str());
  ht_status status =
      ht_dicom_file::write(path, file, EXS_LittleEndianExplicit, EET_UndefinedLength);
  return status == HT_OK ? HT_OK : ht_fail_in(status, "nothing was kept of this series");
}

ht_status check_request(const char *folder, const ht_volume &volume) {
  HT_TRY(ht_grid_check(&volume.grid));
  if (volume.grid.dim[0] > 65535 || volume.grid.dim[1] > 65535 || volume.grid.dim[2] > 9999)
    return ht_fail(HT_ERR_FORMAT,
                   "the volume has %d x %d x %d voxels: a DICOM series holds at most 65535 x 65535 "
                   "x 9999",
                   volume.grid.dim[0], volume.grid.dim[1], volume.grid.dim[2]);
  if (!dcmDataDict.isDictionaryLoaded()) return ht_no_dictionary("write NIfTI (--format nifti)");
  char path[HT_PATH_MAX];
  slice_path(folder, volume.grid.dim[2], path);
  if (path[0] && ht_file_exists(path))
    return ht_fail(HT_ERR_WRITE,
                   "%s is there already: the folder holds another, longer series; empty it or "
                   "choose another folder",
                   path);
  return HT_OK;
}

ht_status write_series(const char *folder, const ht_volume &volume, const char *description,
                       uint64_t seed) {
  HT_TRY(check_request(folder, volume));
  std::string text = long_string(description);
  Series series = {volume, text, identity_of(volume, text, seed), {1, 0}};
  HT_TRY(scaling_of(volume, series.scaling));
  HT_TRY(ht_folder_make(folder));
  for (int k = 0; k < volume.grid.dim[2]; k++) {
    ht_status status = write_slice(folder, series, k);
    if (status == HT_OK) continue;
    for (int written = 0; written < k; written++) {
      char path[HT_PATH_MAX];
      slice_path(folder, written, path);
      unlink(path);
    }
    return status;
  }
  return HT_OK;
}

} // namespace

extern "C" void ht_dicom_series_frame(const ht_volume *volume, const char *description,
                                      uint64_t seed, char uid[HT_UID_TEXT]) {
  const uint64_t identity = identity_of(*volume, long_string(description), seed);
  snprintf(uid, HT_UID_TEXT, "%s", uid_of(identity, "frame of reference").c_str());
}

extern "C" ht_status ht_dicom_write_series(const char *folder, const ht_volume *volume,
                                           const char *description, uint64_t seed) {
  try {
    return write_series(folder, *volume, description, seed);
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to write the DICOM series", folder);
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: writing the DICOM series failed: %s", folder,
                   error.what());
  }
}
