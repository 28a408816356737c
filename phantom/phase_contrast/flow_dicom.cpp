// Writes phase-contrast images as DICOM in the way of each make, through DCMTK; the C function is
// declared in flow_images.h. docs/measured-flow.md has the fields with their sources.
#include "core/disk/file.h"
#include "core/formats/dicom_dictionary.h"
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "export/dicom_file/dicom_file.hpp"
#include "phantom/dicom_fill.hpp"
#include "phantom/phase_contrast/flow_images.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

namespace {

using namespace ht_phantom_dicom;

enum { IMAGES_MOST = 9999 };
const int magnitude = -1;        // in place of the number of an encoding
const double weighted_scale = 3; // GE's velocity encode scale

// ---- What is stored ----

// Storage of the velocities along one direction.
struct Stored {
  double direction[3]; // in which stored values are positive, LPS
  double sign;         // of the measured values along it
  std::string word;    // "rl", "ap", "fh" or "in" (Siemens)
  int axis;            // of the patient: 0 R-L, 1 A-P, 2 F-H
  double slope, intercept;
};

struct Images {
  const ht_measured_flow &flow;
  ht_pc_convention convention;
  uint64_t identity;
  Stored stored[3];
  bool enhanced() const {
    return convention == HT_PC_SIEMENS_XA || convention == HT_PC_PHILIPS_ENHANCED ||
           convention == HT_PC_STANDARD;
  }
};

bool is_siemens(ht_pc_convention convention) {
  return convention == HT_PC_SIEMENS || convention == HT_PC_SIEMENS_XA;
}

bool is_ge(ht_pc_convention convention) {
  return convention == HT_PC_GE || convention == HT_PC_GE_WEIGHTED;
}

// Chooses the direction in which a make counts velocities positive.
Stored store_direction(const Images &images, int encoding, int turn) {
  static const char *const words[] = {"rl", "ap", "fh"};
  const double *axis = images.flow.encoding[encoding].direction;
  const double venc_cm_s = 100 * images.flow.encoding[encoding].venc_m_s;
  Stored stored = {{0, 0, 0}, 1, "", 0, 1, 0};
  for (int r = 1; r < 3; r++)
    if (std::fabs(axis[r]) > std::fabs(axis[stored.axis])) stored.axis = r;
  double positive = axis[stored.axis] > 0 ? 1 : -1; // towards the left, the back and the head
  stored.word = words[stored.axis];
  if (is_ge(images.convention) && stored.axis == 2) positive = -positive; // towards the feet
  const bool through = encoding == images.flow.encodings - 1;             // the slices' normal
  if (images.convention == HT_PC_SIEMENS && through) stored.word = "in";
  if (images.convention == HT_PC_STANDARD || images.convention == HT_PC_PHILIPS ||
      (is_siemens(images.convention) && through))
    positive = (turn + encoding) % 2 ? 1 : -1;
  stored.sign = positive;
  for (int r = 0; r < 3; r++) stored.direction[r] = positive * axis[r];
  if (is_siemens(images.convention)) stored.slope = 2, stored.intercept = -4096;
  if (!is_ge(images.convention) && !is_siemens(images.convention))
    stored.slope = 2 * venc_cm_s / 4095, stored.intercept = -venc_cm_s;
  return stored;
}

double level_of(const Images &images, int encoding) {
  const double venc = images.flow.encoding[encoding].venc_m_s;
  if (is_siemens(images.convention)) return venc / 2048;
  if (images.convention == HT_PC_GE) return 0.001;
  if (images.convention == HT_PC_GE_WEIGHTED) return venc / (HT_PI * weighted_scale * 1000);
  return 2 * venc / 4095;
}

double stored_value(const Images &images, int encoding, double m_s, double weight) {
  const Stored &stored = images.stored[encoding];
  const double venc = images.flow.encoding[encoding].venc_m_s, value = stored.sign * m_s;
  if (is_siemens(images.convention))
    return std::min(4095., std::nearbyint(2048 + 2048 * value / venc));
  if (images.convention == HT_PC_GE) return std::nearbyint(1000 * value);
  if (images.convention == HT_PC_GE_WEIGHTED)
    return std::nearbyint(value / venc * HT_PI * weighted_scale * weight);
  return std::nearbyint((100 * value - stored.intercept) / stored.slope);
}

// Appends the pixels of an image: plane k at a time.
void add_pixels(const Images &images, int encoding, int time, int k, std::vector<Uint16> &pixels) {
  const ht_grid &grid = images.flow.grid;
  const int64_t count = static_cast<int64_t>(grid.dim[0]) * grid.dim[1];
  const float *weight =
      images.flow.magnitude + time * ht_grid_voxels(&grid) + static_cast<int64_t>(k) * count;
  for (int64_t i = 0; i < count; i++) {
    const double value =
        encoding == magnitude
            ? weight[i]
            : stored_value(images, encoding,
                           ht_measured_part(&images.flow, time, encoding)[k * count + i],
                           weight[i]);
    pixels.push_back(static_cast<Uint16>(static_cast<Sint16>(value)));
  }
}

// ---- Elements ----

// Adds private elements: their creator, and the value with its representation.
void put_private(DcmItem &item, Uint16 group, const char *creator, Uint16 element, DcmEVR vr,
                 const std::string &text) {
  item.putAndInsertString(DcmTag(group, element >> 8, EVR_LO), creator);
  item.putAndInsertString(DcmTag(group, element, vr), text.c_str());
}

void put_doubles(DcmItem &item, const DcmTagKey &tag, const double *value, unsigned count) {
  item.putAndInsertFloat64Array(tag, value, count);
}

DcmItem &item_of(DcmItem &in, const DcmTag &sequence, long number = 0) {
  DcmItem *item = nullptr;
  if (in.findOrCreateSequenceItem(sequence, item, number).bad() || !item) throw std::bad_alloc();
  return *item;
}

void fill_study(Filler &fill, const Images &images, const std::string &series, int number) {
  static const char *const makers[] = {
      "SIEMENS", "SIEMENS", "GE MEDICAL SYSTEMS", "GE MEDICAL SYSTEMS", "Philips",
      "Philips", "hemotile"};
  fill.text(DCM_SpecificCharacterSet, "ISO_IR 192");
  fill.text(DCM_StudyDate, "20000101");
  fill.text(DCM_StudyTime, "120000");
  fill.text(DCM_AccessionNumber, "");
  fill.text(DCM_Modality, "MR");
  fill.text(DCM_Manufacturer, makers[images.convention]);
  fill.text(DCM_ReferringPhysicianName, "");
  fill.text(DCM_SeriesDescription, "hemotile phantom flow " + series);
  fill.text(DCM_PatientName, "PHANTOM^FLOW");
  fill.text(DCM_PatientID, HT_PHANTOM_PATIENT_ID);
  fill.text(DCM_PatientBirthDate, "");
  fill.text(DCM_PatientSex, "O");
  fill.text(DCM_PatientPosition, "HFS");
  fill.text(DCM_StudyID, "1");
  fill.text(DCM_SeriesNumber, std::to_string(number));
  fill.text(DCM_ImageComments, "Simulated by hemotile: no patient");
  fill.text(DCM_StudyInstanceUID, uid_of(images.identity, "study"));
  fill.text(DCM_SeriesInstanceUID, uid_of(images.identity, "series " + series));
  fill.text(DCM_FrameOfReferenceUID, images.flow.frame_uid);
  fill.text(DCM_PositionReferenceIndicator, "");
}

void fill_layout(Filler &fill, const Images &images, bool is_signed) {
  const bool wide = is_ge(images.convention);
  fill.number(DCM_SamplesPerPixel, 1);
  fill.text(DCM_PhotometricInterpretation, "MONOCHROME2");
  fill.number(DCM_Rows, images.flow.grid.dim[1]);
  fill.number(DCM_Columns, images.flow.grid.dim[0]);
  fill.number(DCM_BitsAllocated, 16);
  fill.number(DCM_BitsStored, wide ? 16 : 12);
  fill.number(DCM_HighBit, wide ? 15 : 11);
  fill.number(DCM_PixelRepresentation, is_signed);
}

void place_of(const ht_grid &grid, int k, double position[3], double axes[6]) {
  const double index[3] = {0, 0, static_cast<double>(k)};
  ht_grid_position(&grid, index, position);
  for (int r = 0; r < 3; r++) axes[r] = grid.direction[r][0], axes[3 + r] = grid.direction[r][1];
}

// ---- Classic images: one file a plane, time and component ----

std::string siemens_label(const Images &images, int encoding) {
  char text[32];
  snprintf(text, sizeof text, "v%.0f%s", 100 * images.flow.encoding[encoding].venc_m_s,
           images.stored[encoding].word.c_str());
  return text;
}

void fill_siemens(Filler &fill, DcmItem &item, const Images &images, int encoding) {
  fill.text(DCM_ImageType,
            std::string("ORIGINAL\\PRIMARY\\") + (encoding == magnitude ? "M" : "P") + "\\ND");
  if (encoding == magnitude) return;
  const std::string text = siemens_label(images, encoding);
  fill.text(DCM_SequenceName, "*fl3d1_" + text);
  put_private(item, 0x0051, "SIEMENS MR HEADER", 0x1014, EVR_SH, text);
  std::string protocol = "### ASCCONV BEGIN ###\n";
  for (int e = 0; e < images.flow.encodings; e++)
    protocol += "sAngio.sFlowArray.asElm[" + std::to_string(e) + "].nVelocity\t = \t" +
                decimal(100 * images.flow.encoding[e].venc_m_s) + "\n";
  protocol += "### ASCCONV END ###\n";
  item.putAndInsertString(DcmTag(0x0029, 0x0010, EVR_LO), "SIEMENS CSA HEADER");
  item.putAndInsertUint8Array(DcmTag(0x0029, 0x1020, EVR_OB),
                              reinterpret_cast<const Uint8 *>(protocol.data()), protocol.size());
}

void fill_ge(Filler &fill, DcmItem &item, const Images &images, int encoding) {
  const bool is_weighted = images.convention == HT_PC_GE_WEIGHTED;
  const double venc = images.flow.encoding[std::max(0, encoding)].venc_m_s;
  const int flag = encoding == magnitude ? 2 : 3 + images.stored[encoding].axis;
  fill.text(DCM_ImageType, "ORIGINAL\\PRIMARY\\OTHER");
  put_private(item, 0x0019, "GEMS_ACQU_01", 0x10cc, EVR_SS, std::to_string(int(1000 * venc + 0.5)));
  put_private(item, 0x0019, "GEMS_ACQU_01", 0x10e2, EVR_DS, decimal(weighted_scale));
  put_private(item, 0x0043, "GEMS_PARM_01", 0x1030, EVR_SS, std::to_string(flag));
  put_private(item, 0x0043, "GEMS_PARM_01", 0x1032, EVR_SS, is_weighted ? "2" : "0");
}

void fill_philips(Filler &fill, DcmItem &item, const Images &images, int encoding) {
  fill.text(DCM_ImageType, encoding == magnitude ? "ORIGINAL\\PRIMARY\\M_FFE\\M\\FFE"
                                                 : "ORIGINAL\\PRIMARY\\VELOCITY MAP\\P\\PCA");
  if (encoding == magnitude) return;
  Float32 venc[3] = {0, 0, 0};
  venc[images.stored[encoding].axis] =
      static_cast<Float32>(100 * images.flow.encoding[encoding].venc_m_s);
  item.putAndInsertString(DcmTag(0x2001, 0x0010, EVR_LO), "Philips Imaging DD 001");
  item.putAndInsertFloat32Array(DcmTag(0x2001, 0x101a, EVR_FL), venc, 3);
}

void fill_classic(Filler &fill, const Images &images, int encoding, int time, int k) {
  const ht_grid &grid = images.flow.grid;
  const double between[2] = {grid.spacing_mm[1], grid.spacing_mm[0]};
  double position[3], axes[6];
  place_of(grid, k, position, axes);
  fill.text(DCM_SOPClassUID, UID_MRImageStorage);
  fill.text(DCM_ScanningSequence, "GR");
  fill.text(DCM_SequenceVariant, "NONE");
  fill.text(DCM_ScanOptions, "");
  fill.text(DCM_MRAcquisitionType, grid.dim[2] > 1 ? "3D" : "2D");
  fill.text(DCM_RepetitionTime, "");
  fill.text(DCM_EchoTime, "");
  fill.text(DCM_EchoTrainLength, "");
  fill.text(DCM_TriggerTime, decimal(1000 * images.flow.time_s[time]));
  fill.text(DCM_NominalInterval, decimal(std::nearbyint(1000 * images.flow.period_s)));
  fill.text(DCM_ImagePositionPatient, decimals(position, 3));
  fill.text(DCM_ImageOrientationPatient, decimals(axes, 6));
  fill.text(DCM_PixelSpacing, decimals(between, 2));
  fill.text(DCM_SliceThickness, decimal(grid.spacing_mm[2]));
  if (encoding == magnitude || is_ge(images.convention)) return;
  fill.text(DCM_RescaleIntercept, decimal(images.stored[encoding].intercept));
  fill.text(DCM_RescaleSlope, decimal(images.stored[encoding].slope));
}

ht_status save(const char *folder, DcmFileFormat &file, const Filler &fill, int number) {
  char name[32], path[HT_PATH_MAX];
  snprintf(name, sizeof name, "slice-%04d.dcm", number);
  HT_TRY(ht_path_join(path, folder, name));
  if (!fill.problem().empty())
    return ht_fail(HT_ERR_INTERNAL, "%s: cannot compose the DICOM file: %s", path,
                   fill.problem().c_str());
  return ht_dicom_file::write(path, file, EXS_LittleEndianExplicit, EET_UndefinedLength);
}

std::string component_name(const Images &images, int encoding) {
  if (encoding == magnitude) return "magnitude";
  return images.flow.encodings == 1 ? "velocity" : "velocity " + std::to_string(encoding + 1);
}

ht_status write_classic_one(const char *folder, const Images &images, int encoding, int time, int k,
                            int number) {
  DcmFileFormat file;
  DcmDataset &dataset = *file.getDataset();
  Filler fill(dataset);
  std::vector<Uint16> pixels;
  fill_study(fill, images, component_name(images, encoding), encoding + 2);
  fill_classic(fill, images, encoding, time, k);
  if (images.convention == HT_PC_SIEMENS) fill_siemens(fill, dataset, images, encoding);
  if (is_ge(images.convention)) fill_ge(fill, dataset, images, encoding);
  if (images.convention == HT_PC_PHILIPS) fill_philips(fill, dataset, images, encoding);
  fill.text(DCM_SOPInstanceUID, uid_of(images.identity, "image " + std::to_string(number)));
  fill.text(DCM_InstanceNumber, std::to_string(time * images.flow.grid.dim[2] + k + 1));
  fill_layout(fill, images, is_ge(images.convention));
  add_pixels(images, encoding, time, k, pixels);
  fill.pixels(pixels);
  return save(folder, file, fill, number);
}

ht_status write_classic(const char *folder, const Images &images) {
  int number = 0;
  for (int encoding = magnitude; encoding < images.flow.encodings; encoding++)
    for (int time = 0; time < images.flow.times; time++)
      for (int k = 0; k < images.flow.grid.dim[2]; k++)
        HT_TRY(write_classic_one(folder, images, encoding, time, k, ++number));
  return HT_OK;
}

// ---- Enhanced images: one file a component, or one for all ----

void fill_velocity(DcmItem &frame, const Images &images, int encoding) {
  DcmItem &velocity = item_of(frame, DCM_MRVelocityEncodingSequence);
  const double venc_cm_s = 100 * images.flow.encoding[encoding].venc_m_s, least = -venc_cm_s;
  put_doubles(velocity, DCM_VelocityEncodingDirection, images.stored[encoding].direction, 3);
  put_doubles(velocity, DCM_VelocityEncodingMinimumValue, &least, 1);
  put_doubles(velocity, DCM_VelocityEncodingMaximumValue, &venc_cm_s, 1);
}

// The label in the sequence of private elements of a frame.
void fill_siemens_frame(DcmItem &frame, const Images &images, int encoding) {
  const char *creator = "SIEMENS MR SDI 02";
  DcmItem &own = item_of(frame, DcmTag(0x0021, 0x11fe, EVR_SQ));
  frame.putAndInsertString(DcmTag(0x0021, 0x0011, EVR_LO), creator);
  put_private(own, 0x0021, creator, 0x1129, EVR_LO, siemens_label(images, encoding));
}

// Real World Value Mapping in cm/s, over plain stored values.
void fill_mapping(DcmItem &frame, const Stored &stored) {
  DcmItem &mapping = item_of(frame, DCM_RealWorldValueMappingSequence);
  DcmItem &unit = item_of(mapping, DCM_MeasurementUnitsCodeSequence);
  put_doubles(mapping, DCM_RealWorldValueIntercept, &stored.intercept, 1);
  put_doubles(mapping, DCM_RealWorldValueSlope, &stored.slope, 1);
  mapping.putAndInsertUint16(DCM_RealWorldValueFirstValueMapped, 0);
  mapping.putAndInsertUint16(DCM_RealWorldValueLastValueMapped, 4095);
  mapping.putAndInsertString(DCM_LUTLabel, "velocity");
  mapping.putAndInsertString(DCM_LUTExplanation, "velocity");
  unit.putAndInsertString(DCM_CodeValue, "cm/s");
  unit.putAndInsertString(DCM_CodingSchemeDesignator, "UCUM");
  unit.putAndInsertString(DCM_CodeMeaning, "centimetre per second");
}

void fill_scale(DcmItem &frame, const Images &images, int encoding) {
  DcmItem &scale = item_of(frame, DCM_PixelValueTransformationSequence);
  const bool plain = encoding == magnitude || images.convention == HT_PC_STANDARD;
  scale.putAndInsertString(DCM_RescaleIntercept,
                           plain ? "0" : decimal(images.stored[encoding].intercept).c_str());
  scale.putAndInsertString(DCM_RescaleSlope,
                           plain ? "1" : decimal(images.stored[encoding].slope).c_str());
  scale.putAndInsertString(DCM_RescaleType, "US");
}

void fill_frame(DcmItem &frame, const Images &images, int encoding, int time, int k) {
  double position[3], axes[6];
  place_of(images.flow.grid, k, position, axes);
  DcmItem &content = item_of(frame, DCM_FrameContentSequence);
  content.putAndInsertString(DCM_StackID, "1");
  content.putAndInsertUint32(DCM_InStackPositionNumber, static_cast<Uint32>(k + 1));
  content.putAndInsertUint32(DCM_TemporalPositionIndex, static_cast<Uint32>(time + 1));
  item_of(frame, DCM_PlanePositionSequence)
      .putAndInsertString(DCM_ImagePositionPatient, decimals(position, 3).c_str());
  DcmItem &heart = item_of(frame, DCM_CardiacSynchronizationSequence);
  const double delay_ms = 1000 * images.flow.time_s[time],
               interval_ms = 1000 * images.flow.period_s;
  put_doubles(heart, DCM_NominalCardiacTriggerDelayTime, &delay_ms, 1);
  put_doubles(heart, DCM_RRIntervalTimeNominal, &interval_ms, 1);
  DcmItem &type = item_of(frame, DCM_MRImageFrameTypeSequence);
  type.putAndInsertString(DCM_FrameType, encoding == magnitude
                                             ? "ORIGINAL\\PRIMARY\\FLOW_ENCODED\\NONE"
                                             : "ORIGINAL\\PRIMARY\\VELOCITY\\NONE");
  type.putAndInsertString(DCM_ComplexImageComponent, encoding == magnitude ? "MAGNITUDE" : "PHASE");
  fill_scale(frame, images, encoding);
  if (encoding == magnitude) return;
  fill_velocity(frame, images, encoding);
  if (images.convention == HT_PC_SIEMENS_XA) fill_siemens_frame(frame, images, encoding);
  if (images.convention == HT_PC_STANDARD) fill_mapping(frame, images.stored[encoding]);
}

void fill_shared(DcmItem &shared, const ht_grid &grid) {
  const double between[2] = {grid.spacing_mm[1], grid.spacing_mm[0]};
  double position[3], axes[6];
  place_of(grid, 0, position, axes);
  DcmItem &measures = item_of(shared, DCM_PixelMeasuresSequence);
  measures.putAndInsertString(DCM_PixelSpacing, decimals(between, 2).c_str());
  measures.putAndInsertString(DCM_SliceThickness, decimal(grid.spacing_mm[2]).c_str());
  item_of(shared, DCM_PlaneOrientationSequence)
      .putAndInsertString(DCM_ImageOrientationPatient, decimals(axes, 6).c_str());
}

ht_status write_enhanced_one(const char *folder, const Images &images, int first, int last,
                             int number) {
  DcmFileFormat file;
  DcmDataset &dataset = *file.getDataset();
  Filler fill(dataset);
  std::vector<Uint16> pixels;
  long frames = 0;
  fill_study(fill, images, first < last ? "all" : component_name(images, first), number);
  fill.text(DCM_SOPClassUID, UID_EnhancedMRImageStorage);
  fill.text(DCM_SOPInstanceUID, uid_of(images.identity, "image " + std::to_string(number)));
  fill.text(DCM_InstanceNumber, "1");
  fill.text(DCM_ImageType, first < last         ? "ORIGINAL\\PRIMARY\\FLOW_ENCODED\\MIXED"
                           : first == magnitude ? "ORIGINAL\\PRIMARY\\FLOW_ENCODED\\NONE"
                                                : "ORIGINAL\\PRIMARY\\VELOCITY\\NONE");
  fill_shared(item_of(dataset, DCM_SharedFunctionalGroupsSequence), images.flow.grid);
  for (int encoding = first; encoding <= last; encoding++)
    for (int time = 0; time < images.flow.times; time++)
      for (int k = 0; k < images.flow.grid.dim[2]; k++, frames++) {
        fill_frame(item_of(dataset, DCM_PerFrameFunctionalGroupsSequence, frames), images, encoding,
                   time, k);
        add_pixels(images, encoding, time, k, pixels);
      }
  fill.text(DCM_NumberOfFrames, std::to_string(frames));
  fill_layout(fill, images, false);
  fill.pixels(pixels);
  return save(folder, file, fill, number);
}

ht_status write_enhanced(const char *folder, const Images &images) {
  const int last = images.flow.encodings - 1;
  if (images.convention == HT_PC_PHILIPS_ENHANCED)
    return write_enhanced_one(folder, images, magnitude, last, 1);
  for (int encoding = magnitude; encoding <= last; encoding++)
    HT_TRY(write_enhanced_one(folder, images, encoding, encoding, encoding + 2));
  return HT_OK;
}

// ---- All of it ----

uint64_t identity_of(const ht_measured_flow &flow, ht_pc_convention convention) {
  const size_t values = static_cast<size_t>(ht_grid_voxels(&flow.grid)) *
                        static_cast<size_t>(flow.times * flow.encodings);
  uint64_t hash = fnv1a(hash_begin, &convention, sizeof convention);
  hash = fnv1a(hash, flow.grid.origin_mm, sizeof flow.grid.origin_mm);
  hash = fnv1a(hash, flow.grid.direction, sizeof flow.grid.direction);
  return fnv1a(hash, flow.velocity_m_s, values * sizeof *flow.velocity_m_s);
}

ht_status write_all(const char *folder, ht_measured_flow &flow, ht_pc_convention convention,
                    int turn) {
  Images images = {flow, convention, identity_of(flow, convention), {}};
  const int64_t count = static_cast<int64_t>(flow.encodings + 1) * flow.times * flow.grid.dim[2];
  if (!dcmDataDict.isDictionaryLoaded()) return ht_no_dictionary("make no phase-contrast images");
  if (!images.enhanced() && count > IMAGES_MOST)
    return ht_fail(HT_ERR_USAGE,
                   "%lld images: at most %d are written one to a file; take fewer time points or "
                   "voxels across, or an enhanced convention",
                   static_cast<long long>(count), static_cast<int>(IMAGES_MOST));
  if (!flow.frame_uid[0])
    snprintf(flow.frame_uid, sizeof flow.frame_uid, "%s",
             uid_of(images.identity, "frame of reference").c_str());
  for (int e = 0; e < flow.encodings; e++) {
    images.stored[e] = store_direction(images, e, turn);
    flow.encoding[e].level_m_s = level_of(images, e);
  }
  HT_TRY(ht_folder_make(folder));
  return images.enhanced() ? write_enhanced(folder, images) : write_classic(folder, images);
}

} // namespace

extern "C" ht_status ht_pc_write(const char *folder, ht_measured_flow *flow,
                                 ht_pc_convention convention, int turn) {
  try {
    return write_all(folder, *flow, convention, turn);
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to write the DICOM files", folder);
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_INTERNAL, "%s: writing the DICOM files failed: %s", folder, error.what());
  }
}
