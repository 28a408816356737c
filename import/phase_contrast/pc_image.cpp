// Velocity encoding of MR images through DCMTK: the standard's attributes, and the private ones of
// Siemens, GE and Philips. docs/measured-flow.md lists the fields with their sources.
#include "core/numbers/units.h"
#include "core/numbers/vector3.h"
#include "import/dicom/dicom_item.hpp"
#include "import/phase_contrast/pc_image.h"
#include <cctype>
#include <cmath>
#include <cstring>
#include <memory>

namespace {

using namespace ht_dicom;

const double cm_s = 0.01, mm_s = 0.001; // in m/s

bool is_make(const std::string &manufacturer, const char *name) {
  std::string upper;
  for (char c : manufacturer) upper += static_cast<char>(toupper(static_cast<unsigned char>(c)));
  return upper.compare(0, strlen(name), name) == 0;
}

const char *make_of(DcmItem &dataset) {
  const std::string manufacturer = text_of(dataset, DCM_Manufacturer);
  if (is_make(manufacturer, "SIEMENS")) return "Siemens";
  if (is_make(manufacturer, "GE MEDICAL") || is_make(manufacturer, "GE HEALTHCARE") ||
      is_make(manufacturer, "GEMS"))
    return "GE";
  return is_make(manufacturer, "PHILIPS") ? "Philips" : "DICOM";
}

bool is_from(const ht_pc_image &image, const char *make) {
  return strcmp(image.make, make) == 0;
}

// ---- Directions ----

void normal_of(const ht_slice &slice, double normal[3]) {
  ht_cross(slice.axes[0], slice.axes[1], normal);
  ht_normalise(normal);
}

// Sets the image's axis (along a row, down a column, its normal) that is nearest to a direction of
// the patient: velocities are encoded along the image's axes, and vendors name them after the
// patient's.
void set_nearest_axis(const double wanted[3], ht_pc_image &image) {
  double axis[3][3], best = 0;
  memcpy(axis, image.slice->axes, sizeof image.slice->axes);
  normal_of(*image.slice, axis[2]);
  for (const double *one : {axis[0], axis[1], axis[2]}) {
    const double along = ht_dot(one, wanted);
    if (std::fabs(along) <= std::fabs(best)) continue;
    best = along;
    for (int r = 0; r < 3; r++) image.direction[r] = along > 0 ? one[r] : -one[r];
  }
}

bool is_set(const ht_pc_image &image) {
  return ht_length(image.direction) > 0.5;
}

// ---- The standard: MR Velocity Encoding Sequence, Real World Value Mapping ----

void read_standard(const Frame &frame, ht_pc_image &image) {
  double direction[3], least = 0, most = 0;
  DcmItem *velocity = frame.find(DCM_MRVelocityEncodingSequence);
  if (!velocity) return;
  if (numbers(*velocity, DCM_VelocityEncodingDirection, direction, 3) && ht_normalise(direction)) {
    memcpy(image.direction, direction, sizeof direction);
    image.sign = HT_SIGN_STANDARD;
  }
  numbers(*velocity, DCM_VelocityEncodingMinimumValue, &least, 1);
  numbers(*velocity, DCM_VelocityEncodingMaximumValue, &most, 1);
  image.venc_m_s = cm_s * std::fmax(std::fabs(least), std::fabs(most));
}

double unit_m_s(const std::string &unit) {
  return unit == "cm/s" ? cm_s : unit == "mm/s" ? mm_s : unit == "m/s" ? 1 : 0;
}

// Reads the mapping of stored values to velocities; that of stored values after slope and intercept
// follows.
void read_mapping(const Frame &frame, ht_pc_image &image) {
  double slope, intercept;
  DcmItem *mapping = frame.find(DCM_RealWorldValueMappingSequence);
  DcmItem *code = mapping ? first_item(*mapping, DCM_MeasurementUnitsCodeSequence) : nullptr;
  const double unit = code ? unit_m_s(text_of(*code, DCM_CodeValue)) : 0;
  if (unit == 0 || !numbers(*mapping, DCM_RealWorldValueSlope, &slope, 1) ||
      !numbers(*mapping, DCM_RealWorldValueIntercept, &intercept, 1))
    return;
  image.unit = HT_PC_UNIT_VELOCITY;
  image.scale = unit * slope / image.slice->slope;
  image.shift = unit * (intercept - slope * image.slice->intercept / image.slice->slope);
}

// ---- Siemens: "v150fh", "v150in", "v80_inplane_rl", "*fl2d1_v150through" ----

// Reads venc in cm/s and the word after it; false where the text has neither.
bool read_label(const std::string &text, double &venc, std::string &word) {
  for (size_t at = 0; at + 1 < text.size(); at++) {
    const bool begins = at == 0 || !isalnum(static_cast<unsigned char>(text[at - 1]));
    if (text[at] != 'v' || !begins || !isdigit(static_cast<unsigned char>(text[at + 1]))) continue;
    size_t end = at + 1;
    while (end < text.size() && isdigit(static_cast<unsigned char>(text[end]))) end++;
    venc = std::stod(text.substr(at + 1, std::min<size_t>(end - at - 1, 6)));
    word = text.substr(end);
    for (const char *skip : {"_", "inplane", "_"})
      if (word.compare(0, strlen(skip), skip) == 0) word = word.substr(strlen(skip));
    return true;
  }
  return false;
}

void set_siemens_direction(const std::string &word, ht_pc_image &image) {
  double direction[3];
  if (ht_pc_patient_direction(word.c_str(), direction)) {
    image.sign = HT_SIGN_VENDOR;
    return set_nearest_axis(direction, image);
  }
  if (word.compare(0, 2, "in") != 0 && word.compare(0, 2, "th") != 0) return;
  image.sign = HT_SIGN_OPEN; // readers disagree on it
  normal_of(*image.slice, image.direction);
}

// Reads venc from the protocol's text in the CSA header, where it has one encoding only.
double protocol_venc(DcmItem &dataset) {
  const char key[] = "sAngio.sFlowArray.asElm[0].nVelocity", second[] = "sFlowArray.asElm[1]";
  DcmElement *element = nullptr;
  Uint8 *bytes = nullptr;
  const DcmTagKey tag = private_tag(dataset, 0x0029, "SIEMENS CSA HEADER", 0x20);
  if (dataset.findAndGetElement(tag, element).bad() || !element ||
      element->getUint8Array(bytes).bad() || !bytes)
    return 0;
  const std::string text(reinterpret_cast<char *>(bytes), element->getLengthField());
  const size_t at = text.find(key);
  if (at == std::string::npos || text.find(second) != std::string::npos) return 0;
  const size_t equals = text.find('=', at);
  return equals == std::string::npos ? 0 : cm_s * atof(text.substr(equals + 1, 16).c_str());
}

void read_siemens(const Frame &frame, ht_pc_image &image) {
  DcmDataset &dataset = frame.dataset();
  DcmItem *own = frame.find(DcmTagKey(0x0021, 0x11fe)); // of XA's enhanced images
  double venc = 0;
  std::string word;
  for (const std::string &text :
       {private_text(dataset, private_tag(dataset, 0x0051, "SIEMENS MR HEADER", 0x14)),
        private_text(own ? *own : dataset, DcmTagKey(0x0021, 0x1129)),
        text_of(dataset, DCM_SequenceName), text_of(dataset, DCM_PulseSequenceName)}) {
    if (!read_label(text, venc, word)) continue;
    if (image.venc_m_s == 0) image.venc_m_s = cm_s * venc;
    if (!is_set(image)) set_siemens_direction(word, image);
  }
  if (image.venc_m_s == 0) image.venc_m_s = protocol_venc(dataset);
  double along[3];
  normal_of(*image.slice, along);
  // Exports are known whose standard direction through the plane is the wrong way round.
  if (image.sign == HT_SIGN_STANDARD && std::fabs(ht_dot(along, image.direction)) > 0.95)
    image.sign = HT_SIGN_OPEN;
}

// ---- GE: mm/s, or times the magnitude ----

void read_ge(DcmItem &dataset, ht_pc_image &image) {
  // Positive towards the left, the back and the feet.
  static const double positive[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  double venc = 0, flag = 0, weighting = 0;
  private_short(dataset, private_tag(dataset, 0x0019, "GEMS_ACQU_01", 0xcc), venc);
  private_short(dataset, private_tag(dataset, 0x0043, "GEMS_PARM_01", 0x30), flag);
  private_short(dataset, private_tag(dataset, 0x0043, "GEMS_PARM_01", 0x32), weighting);
  const double scale =
      atof(private_text(dataset, private_tag(dataset, 0x0019, "GEMS_ACQU_01", 0xe2)).c_str());
  if (image.venc_m_s == 0) image.venc_m_s = mm_s * std::fabs(venc);
  const int axis = static_cast<int>(flag) - (flag >= 9 ? 9 : 3);
  if (!is_set(image) && axis >= 0 && axis < 3) {
    set_nearest_axis(positive[axis], image);
    image.sign = HT_SIGN_VENDOR;
  }
  if (image.unit != HT_PC_UNIT_UNKNOWN || venc == 0) return;
  const bool weighted = static_cast<int>(weighting) & 2;
  if (weighted && !(scale > 0)) return;
  image.unit = weighted ? HT_PC_UNIT_WEIGHTED : HT_PC_UNIT_VELOCITY;
  image.scale = weighted ? 1 / (HT_PI * scale) : mm_s;
}

// ---- Philips: cm/s ----

void read_philips(DcmItem &dataset, ht_pc_image &image) {
  double venc[3]; // right-left, anterior-posterior, feet-head
  const DcmTagKey tag = private_tag(dataset, 0x2001, "Philips Imaging DD 001", 0x1a);
  if (private_floats(dataset, tag, venc, 3) && ht_length(venc) > 0) {
    if (image.venc_m_s == 0) image.venc_m_s = cm_s * ht_length(venc);
    const int count = (venc[0] != 0) + (venc[1] != 0) + (venc[2] != 0);
    if (!is_set(image) && count == 1) {
      set_nearest_axis(venc, image);
      image.sign = HT_SIGN_OPEN; // readers disagree on it
    }
  }
  if (image.venc_m_s == 0 && image.slice->intercept < 0)
    image.venc_m_s = -cm_s * image.slice->intercept;
}

// ---- Units ----

// Recognises values whose stored numbers, after slope and intercept, range from -|intercept| to
// |intercept|: these are -venc and venc, whatever the unit.
void read_range(DcmItem &dataset, ht_pc_image &image) {
  Layout layout;
  const ht_slice &slice = *image.slice;
  if (image.unit != HT_PC_UNIT_UNKNOWN || !read_layout(dataset, layout)) return;
  const double half = 0.5 * std::ldexp(1., layout.stored);
  if (slice.rescaled && !layout.is_signed && slice.intercept < 0 &&
      std::fabs(slice.slope * half / -slice.intercept - 1) < 0.01) {
    image.unit = HT_PC_UNIT_PHASE;
    image.scale = -1 / slice.intercept;
  } else if (!slice.rescaled && !layout.is_signed && is_from(image, "Siemens")) {
    image.unit = HT_PC_UNIT_PHASE;
    image.scale = 1 / half;
    image.shift = -1;
  }
}

// ---- An image ----

ht_pc_kind kind_of(const ht_slice &slice) {
  if (slice.component == HT_COMPONENT_PHASE) return HT_PC_VELOCITY;
  return slice.component == HT_COMPONENT_MAGNITUDE ? HT_PC_MAGNITUDE : HT_PC_OTHER;
}

void read_timing(const Frame &frame, ht_pc_image &image) {
  DcmItem &heart = frame.group(DCM_CardiacSynchronizationSequence);
  double ms = number_or_nan(heart, DCM_RRIntervalTimeNominal);
  if (!(ms > 0)) ms = number_or_nan(frame.dataset(), DCM_NominalInterval);
  const double rate = number_or_nan(frame.dataset(), DCM_HeartRate);
  image.interval_s = ms > 0 ? ms / 1000 : rate > 0 ? 60 / rate : NAN;
  image.thickness_mm = number_or_nan(frame.group(DCM_PixelMeasuresSequence), DCM_SliceThickness);
}

void read_one(DcmDataset &dataset, ht_pc_image &image) {
  const Frame frame(dataset, image.slice->frame);
  image.kind = kind_of(*image.slice);
  read_timing(frame, image);
  if (image.kind != HT_PC_VELOCITY) return;
  read_standard(frame, image);
  read_mapping(frame, image);
  if (is_from(image, "Siemens")) read_siemens(frame, image);
  if (is_from(image, "GE")) read_ge(dataset, image);
  if (is_from(image, "Philips")) read_philips(dataset, image);
  read_range(dataset, image);
}

ht_status read_file(const ht_slice *const *slice, int count, ht_pc_image *image) {
  DcmFileFormat file;
  if (load(slice[0]->path, header_value_max, file).bad())
    return ht_fail(HT_ERR_FORMAT, "%s: truncated or damaged; copy or export it again",
                   slice[0]->path);
  for (int i = 0; i < count; i++) {
    image[i] = {};
    image[i].slice = slice[i];
    image[i].make = make_of(*file.getDataset());
    read_one(*file.getDataset(), image[i]);
  }
  return HT_OK;
}

} // namespace

extern "C" int ht_pc_patient_direction(const char *word, double direction[3]) {
  static const struct {
    char word[3];
    double direction[3];
  } known[] = {{"rl", {1, 0, 0}},  {"lr", {-1, 0, 0}}, {"ap", {0, 1, 0}},
               {"pa", {0, -1, 0}}, {"fh", {0, 0, 1}},  {"hf", {0, 0, -1}}};
  for (const auto &one : known)
    if (strncmp(word, one.word, 2) == 0)
      return memcpy(direction, one.direction, sizeof one.direction), 1;
  return 0;
}

extern "C" ht_status ht_pc_images_read(const ht_slice *const *slice, int count,
                                       ht_pc_image *image) {
  for (int i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && strcmp(slice[end]->path, slice[i]->path) == 0;) end++;
    HT_TRY(at_the_edge(slice[i]->path, [&] { return read_file(slice + i, end - i, image + i); }));
  }
  return HT_OK;
}
