// Attributes that differ from frame to frame of an enhanced image (PS3.3 C.7.6.16), or file to file
// of a classic series: place, scale of the values, type, times.
#include "import/dicom/dicom_item.hpp"
#include "core/numbers/vector3.h"
#include <cmath>
#include <cstdio>
#include <cstring>

namespace ht_dicom {
namespace {

const double farthest_mm = 1e8; // a number of so many digits is no place, and fits no message

bool unit(double axis[3]) {
  double length = ht_length(axis);
  for (int r = 0; r < 3; r++) axis[r] /= length;
  return std::fabs(length - 1) <= 1e-3;
}

void read_place(const Frame &frame, ht_slice &slice) {
  double between[2], axes[6];
  if (!numbers(frame.group(DCM_PlanePositionSequence), DCM_ImagePositionPatient, slice.position_mm,
               3) ||
      !numbers(frame.group(DCM_PlaneOrientationSequence), DCM_ImageOrientationPatient, axes, 6)) {
    put_aside(slice, "no place in the patient is given");
    return refuse(slice, HT_ERR_SERIES,
                  "no Image Position and Orientation (Patient): a projection or a plain picture");
  }
  for (double mm : slice.position_mm)
    if (std::fabs(mm) > farthest_mm)
      return refuse(slice, HT_ERR_FORMAT,
                    "Image Position (Patient) is 100 km off and more: damaged; export it again");
  memcpy(slice.axes, axes, sizeof slice.axes);
  double product = axes[0] * axes[3] + axes[1] * axes[4] + axes[2] * axes[5];
  bool units = unit(slice.axes[0]) && unit(slice.axes[1]);
  if (!units || !(std::fabs(product) <= 1e-3))
    return refuse(slice, HT_ERR_FORMAT,
                  "Image Orientation (Patient) is not two unit vectors at a right angle");
  // DICOM gives the distance between rows (j) first.
  if (!numbers(frame.group(DCM_PixelMeasuresSequence), DCM_PixelSpacing, between, 2) ||
      !(between[0] > 0) || !(between[1] > 0))
    return refuse(slice, HT_ERR_SERIES, "no Pixel Spacing, or one that is not > 0");
  slice.spacing_mm[0] = between[1];
  slice.spacing_mm[1] = between[0];
}

void read_scale(const Frame &frame, ht_slice &slice) {
  DcmItem &item = frame.group(DCM_PixelValueTransformationSequence);
  bool slope = numbers(item, DCM_RescaleSlope, &slice.slope, 1);
  bool intercept = numbers(item, DCM_RescaleIntercept, &slice.intercept, 1);
  slice.rescaled = slope && intercept;
  if (slope != intercept || (slope && slice.slope == 0))
    refuse(slice, HT_ERR_FORMAT, "Rescale Slope and Intercept are not two numbers, slope not 0");
  if (!slice.rescaled) slice.slope = 1, slice.intercept = 0;
}

// ---- Type ----

// Returns the group that gives the type of a frame, by the kind of the image.
DcmItem &type_group(const Frame &frame) {
  for (const DcmTagKey &tag :
       {DCM_MRImageFrameTypeSequence, DCM_CTImageFrameTypeSequence, DCM_XRay3DFrameTypeSequence}) {
    DcmItem &item = frame.group(tag);
    if (&item != &frame.dataset()) return item;
  }
  return frame.dataset();
}

// Component by the standard's attribute; else by the third and later values of Image Type, as
// Siemens (M, P), Philips (M_FFE, PHASE MAP, VELOCITY) and others write them.
ht_component component_of(DcmItem &item, const std::string &type) {
  std::string told = text_of(item, DCM_ComplexImageComponent);
  struct {
    ht_component component;
    const char *name, *value[4];
  } const known[] = {
      {HT_COMPONENT_MAGNITUDE, "MAGNITUDE", {"M", "M_FFE", "M_PCA", "MAGNITUDE"}},
      {HT_COMPONENT_PHASE, "PHASE", {"P", "PHASE MAP", "VELOCITY", "PHASE"}},
      {HT_COMPONENT_REAL, "REAL", {"R", "REAL", "R_FFE", "R_IR"}},
      {HT_COMPONENT_IMAGINARY, "IMAGINARY", {"I", "IMAGINARY", "I_FFE", "I_IR"}},
  };
  for (const auto &one : known)
    if (told == one.name) return one.component;
  for (const auto &one : known)
    for (const char *value : one.value)
      if (has_value(type, value)) return one.component;
  for (const auto &one : known) // Philips: M_SWI, P_SWI and other sequences
    if (type.find(std::string("\\") + one.value[0] + "_") != std::string::npos)
      return one.component;
  return HT_COMPONENT_UNKNOWN;
}

// GE tells its phase-contrast images apart by a flag (docs/measured-flow.md).
ht_component ge_component(DcmItem &item) {
  double flag, venc;
  if (!private_short(item, private_tag(item, 0x0043, "GEMS_PARM_01", 0x30), flag) ||
      !private_short(item, private_tag(item, 0x0019, "GEMS_ACQU_01", 0xcc), venc) || venc == 0)
    return HT_COMPONENT_UNKNOWN;
  if (flag == 2 || flag == 8) return HT_COMPONENT_MAGNITUDE;
  return (flag >= 3 && flag <= 5) || (flag >= 9 && flag <= 11) ? HT_COMPONENT_PHASE
                                                               : HT_COMPONENT_UNKNOWN;
}

bool any_value(const std::string &type, std::initializer_list<const char *> words) {
  for (const char *word : words)
    if (has_value(type, word)) return true;
  return false;
}

// Sets aside what its type excludes. A projection is no scan: one value stands for a whole ray. A
// reformat is a scan, but of another, whose values are the measured ones.
void check_type(const std::string &type, ht_slice &slice) {
  slice.localizer = any_value(type, {"LOCALIZER", "SCOUT", "TOPOGRAM"});
  if (slice.localizer) put_aside(slice, "a localizer");
  if (any_value(type, {"MIP", "MAX_IP", "MIN_IP", "MINIP", "MAXIP", "MEAN_IP", "THICK MIP",
                       "PROJECTION IMAGE", "VOLUME_RENDER", "SURFACE_RENDER", "VRT", "VR",
                       "RENDERED", "CURVED_MPR", "CURVED MPR", "CPR"})) {
    put_aside(slice, "a projection or curved reformat");
    refuse(slice, HT_ERR_SERIES,
           "a projection, rendering or curved reformat of a scan (Image Type " + type +
               "), not a scan: choose the series that it was made from");
  }
  if (!has_value(type, "DERIVED")) return;
  if (any_value(type, {"MPR", "REFORMATTED", "REFORMAT", "RESAMPLED"}))
    put_aside(slice, "a reformat derived from another series");
  if (any_value(type, {"RCBF", "RCBV", "CBF", "CBV", "MTT", "TTP", "T_TEST", "Z_SCORE", "ADC", "FA",
                       "STD_DEVIATION", "SCREEN SAVE"}))
    put_aside(slice, "a map computed from other images");
}

void read_type(const Frame &frame, ht_slice &slice) {
  DcmItem &item = type_group(frame);
  std::string type = text_of(item, DCM_FrameType);
  if (type.empty()) type = text_of(frame.dataset(), DCM_ImageType);
  std::string technique = text_of(item, DCM_VolumeBasedCalculationTechnique);
  copy_text(slice.type, sizeof slice.type, type);
  slice.component = component_of(item, type);
  if (slice.component == HT_COMPONENT_UNKNOWN) slice.component = ge_component(frame.dataset());
  check_type(technique.empty() || technique == "NONE" ? type : type + "\\" + technique, slice);
}

// ---- Times ----

// Seconds of "HHMMSS.FFFFFF", also cut after the hours or minutes (PS3.5 6.2, TM).
double time_of_day(const std::string &text) {
  int hours = 0, minutes = 0;
  double seconds = 0;
  int parts = sscanf(text.c_str(), "%2d%2d%lf", &hours, &minutes, &seconds);
  return parts >= 1 ? 3600. * hours + 60. * minutes + seconds : NAN;
}

// Time of a frame: of a date and time (DT), or of the time of the whole image.
double frame_time(DcmItem &content, const DcmTagKey &date_time, DcmItem &dataset,
                  const DcmTagKey &time) {
  std::string both = text_of(content, date_time);
  return time_of_day(both.size() > 8 ? both.substr(8) : text_of(dataset, time));
}

double first_given(double value, double otherwise) {
  return std::isnan(value) ? otherwise : value;
}

void read_velocity(const Frame &frame, ht_slice &slice) {
  DcmItem *way =
      first_item(frame.group(DCM_MRVelocityEncodingSequence), DCM_VelocityEncodingDirection);
  DcmItem &item = way ? *way : frame.group(DCM_MRVelocityEncodingSequence);
  if (!numbers(item, DCM_VelocityEncodingDirection, slice.velocity_direction, 3))
    memset(slice.velocity_direction, 0, sizeof slice.velocity_direction);
}

void read_times(const Frame &frame, ht_slice &slice) {
  DcmItem &content = frame.group(DCM_FrameContentSequence), &dataset = frame.dataset();
  DcmItem &heart = frame.group(DCM_CardiacSynchronizationSequence);
  copy_text(slice.stack, sizeof slice.stack, text_of(content, DCM_StackID));
  slice.acquisition =
      whole(content, DCM_FrameAcquisitionNumber, whole(dataset, DCM_AcquisitionNumber, 0));
  slice.temporal =
      whole(content, DCM_TemporalPositionIndex, whole(dataset, DCM_TemporalPositionIdentifier, 0));
  slice.echo = whole(dataset, DCM_EchoNumbers, 0);
  slice.echo_time_ms =
      first_given(number_or_nan(frame.group(DCM_MREchoSequence), DCM_EffectiveEchoTime),
                  number_or_nan(dataset, DCM_EchoTime));
  slice.trigger_ms = first_given(number_or_nan(heart, DCM_NominalCardiacTriggerDelayTime),
                                 number_or_nan(dataset, DCM_TriggerTime));
  slice.phase_percent = number_or_nan(heart, DCM_NominalPercentageOfCardiacPhase);
  slice.acquired_s =
      frame_time(content, DCM_FrameAcquisitionDateTime, dataset, DCM_AcquisitionTime);
  slice.content_s = frame_time(content, DCM_FrameReferenceDateTime, dataset, DCM_ContentTime);
  read_velocity(frame, slice);
}

} // namespace

bool is_enhanced(DcmDataset &dataset) {
  return dataset.tagExists(DCM_PerFrameFunctionalGroupsSequence) ||
         dataset.tagExists(DCM_SharedFunctionalGroupsSequence);
}

void fill_frame(DcmDataset &dataset, int number, ht_slice &slice) {
  const Frame frame(dataset, number);
  read_type(frame, slice);
  read_place(frame, slice);
  read_scale(frame, slice);
  read_times(frame, slice);
}

} // namespace ht_dicom
