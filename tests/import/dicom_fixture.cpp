#include "tests/import/dicom_fixture.h"
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dcpath.h>
#include <dcmtk/dcmdata/dcpixel.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <dcmtk/dcmdata/dcrledrg.h>
#include <dcmtk/dcmdata/dcrleerg.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmjpeg/djencode.h>
#include <dcmtk/dcmjpls/djencode.h>

namespace {

void set_up() {
  static std::once_flag once;
  std::call_once(once, [] {
    OFLog::configure(OFLogger::OFF_LOG_LEVEL);
    DcmRLEEncoderRegistration::registerCodecs();
    DJEncoderRegistration::registerCodecs();
    DJLSEncoderRegistration::registerCodecs();
  });
}

std::string decimals(const double *value, int count) {
  std::string text;
  char one[40];
  for (int i = 0; i < count; i++) {
    snprintf(one, sizeof one, "%s%.10g", i ? "\\" : "", value[i]);
    text += one;
  }
  return text;
}

struct Syntax {
  const char *name;
  E_TransferSyntax id;
};
const Syntax syntaxes[] = {
    {"explicit", EXS_LittleEndianExplicit},
    {"implicit", EXS_LittleEndianImplicit},
    {"big", EXS_BigEndianExplicit},
    {"deflated", EXS_DeflatedLittleEndianExplicit},
    {"rle", EXS_RLELossless},
    {"jpeg", EXS_JPEGProcess14SV1},
    {"jpegls", EXS_JPEGLSLossless},
    {"j2k", EXS_JPEG2000LosslessOnly},
    {"j2k2", EXS_JPEG2000MulticomponentLosslessOnly},
};

E_TransferSyntax syntax_of(const char *name) {
  for (const Syntax &syntax : syntaxes)
    if (strcmp(syntax.name, name) == 0) return syntax.id;
  return EXS_Unknown;
}

void put(DcmItem &item, const DcmTagKey &tag, const char *text) {
  if (text) item.putAndInsertString(tag, text);
}

void put_number(DcmItem &item, const DcmTagKey &tag, int value) {
  item.putAndInsertUint16(tag, static_cast<Uint16>(value));
}

void fill_identity(DcmItem &item, const dicom_image &image) {
  char uid[80];
  snprintf(uid, sizeof uid, "%s.%d", image.series, image.instance);
  put(item, DCM_SpecificCharacterSet, image.charset);
  put(item, DCM_SOPClassUID, UID_CTImageStorage);
  put(item, DCM_SOPInstanceUID, image.image ? image.image : uid);
  if (!(image.flags & WITHOUT_SERIES)) put(item, DCM_SeriesInstanceUID, image.series);
  put(item, DCM_StudyInstanceUID, image.study ? image.study : "1.2.3");
  put(item, DCM_FrameOfReferenceUID, image.frame_of_reference);
  put(item, DCM_PatientID, image.patient_id);
  put(item, DCM_PatientName, image.patient_name);
  put(item, DCM_SeriesDescription, image.description);
  put(item, DCM_Modality, image.modality);
  put(item, DCM_ImageType, image.type);
  put(item, DCM_SeriesNumber, std::to_string(image.series_number).c_str());
  put(item, DCM_InstanceNumber, std::to_string(image.instance).c_str());
  put(item, DCM_TriggerTime, image.trigger_ms);
  put(item, DCM_EchoTime, image.echo_ms);
}

bool put_tags(DcmDataset &dataset, const char *const *tags) {
  DcmPathProcessor path;
  for (; tags && *tags; tags += 2)
    if (path.applyPathWithValue(&dataset, (std::string(tags[0]) + "=" + tags[1]).c_str()).bad())
      return false;
  return true;
}

void fill_layout(DcmItem &item, const dicom_image &image) {
  double between[2] = {image.row_distance, image.column_distance};
  put_number(item, DCM_Rows, image.rows);
  put_number(item, DCM_Columns, image.columns);
  put_number(item, DCM_SamplesPerPixel, image.samples);
  if (image.samples > 1) put_number(item, DCM_PlanarConfiguration, 0);
  if (image.frames != 1) put(item, DCM_NumberOfFrames, std::to_string(image.frames).c_str());
  put(item, DCM_PhotometricInterpretation, image.photometric);
  put_number(item, DCM_BitsAllocated, image.allocated);
  put_number(item, DCM_BitsStored, image.stored);
  put_number(item, DCM_HighBit, image.high);
  put_number(item, DCM_PixelRepresentation, image.is_signed);
  put(item, DCM_RescaleSlope, image.slope);
  put(item, DCM_RescaleIntercept, image.intercept);
  if (!(image.flags & WITHOUT_SPACING)) put(item, DCM_PixelSpacing, decimals(between, 2).c_str());
  if (image.flags & WITHOUT_POSITION) return;
  put(item, DCM_ImagePositionPatient, decimals(image.position, 3).c_str());
  put(item, DCM_ImageOrientationPatient, decimals(image.axes, 6).c_str());
}

void fill_lookup_table(DcmItem &item) {
  DcmItem *table = nullptr;
  item.findOrCreateSequenceItem(DCM_ModalityLUTSequence, table);
  if (table) put(*table, DCM_ModalityLUTType, "HU");
}

void fill_pixels(DcmDataset &dataset, const dicom_image &image) {
  unsigned long count = static_cast<unsigned long>(image.frames) *
                        static_cast<unsigned long>(image.samples * image.rows * image.columns);
  if (image.allocated == 32) count *= 2;
  if (image.allocated != 8) {
    dataset.putAndInsertUint16Array(DCM_PixelData, image.pixels,
                                    count + static_cast<unsigned long>(image.extra));
    return;
  }
  std::vector<Uint8> bytes(image.pixels, image.pixels + count);
  if (image.flags & WITH_BYTES_AS_WORDS) {
    std::vector<Uint16> words((count + 1) / 2);
    for (size_t i = 0; i < count; i++)
      words[i / 2] = static_cast<Uint16>(words[i / 2] | bytes[i] << 8 * (i % 2));
    dataset.putAndInsertUint16Array(DCM_PixelData, words.data(), words.size());
    return;
  }
  DcmElement *element = new DcmPixelData(DCM_PixelData);
  element->setVR(EVR_OB);
  element->putUint8Array(bytes.data(), count);
  dataset.insert(element, OFTrue);
}

// Fragments of a compressed image that no codec here could make.
void fill_fragments(DcmDataset &dataset, E_TransferSyntax syntax) {
  Uint8 bytes[] = {0xff, 0x4f, 0xff, 0x51, 0, 0, 0, 0};
  DcmPixelSequence *sequence = new DcmPixelSequence(DCM_PixelSequenceTag);
  DcmPixelItem *offsets = new DcmPixelItem(DCM_PixelItemTag);
  DcmPixelItem *fragment = new DcmPixelItem(DCM_PixelItemTag);
  fragment->putUint8Array(bytes, sizeof bytes);
  sequence->insert(offsets);
  sequence->insert(fragment);
  DcmPixelData *pixels = new DcmPixelData(DCM_PixelData);
  pixels->putOriginalRepresentation(syntax, nullptr, sequence);
  dataset.insert(pixels, OFTrue);
}

} // namespace

extern "C" dicom_image dicom_image_default(int k) {
  dicom_image image = {};
  image.series = "1.2.3.4";
  image.description = "Angio 0.5";
  image.modality = "CT";
  image.type = "ORIGINAL\\PRIMARY\\AXIAL";
  image.series_number = 3;
  image.instance = k + 1;
  image.columns = 6;
  image.rows = 5;
  image.frames = image.samples = 1;
  image.position[0] = -100;
  image.position[1] = 20.5;
  image.position[2] = 7 + 1.5 * k;
  image.axes[0] = image.axes[4] = 1;
  image.row_distance = 0.7;
  image.column_distance = 0.5;
  image.slope = "2";
  image.intercept = "-1024";
  image.photometric = "MONOCHROME2";
  image.allocated = 16;
  image.stored = 12;
  image.high = 11;
  image.syntax = "explicit";
  return image;
}

extern "C" int dicom_image_write(const char *path, const dicom_image *image) {
  set_up();
  DcmFileFormat file;
  DcmDataset &dataset = *file.getDataset();
  E_TransferSyntax syntax = syntax_of(image->syntax);
  fill_identity(dataset, *image);
  if (!(image->flags & WITHOUT_IMAGE)) fill_layout(dataset, *image);
  if (!put_tags(dataset, image->tags)) return 0;
  if (!(image->flags & WITHOUT_IMAGE)) {
    if (image->flags & WITH_LOOKUP_TABLE) fill_lookup_table(dataset);
    if (syntax == EXS_JPEG2000LosslessOnly || syntax == EXS_JPEG2000MulticomponentLosslessOnly)
      fill_fragments(dataset, syntax);
    else if (!(image->flags & WITHOUT_PIXELS))
      fill_pixels(dataset, *image);
  }
  if (dataset.chooseRepresentation(syntax, nullptr).bad()) return 0;
  E_FileWriteMode mode = image->flags & WITHOUT_PREAMBLE ? EWM_dataset : EWM_fileformat;
  return file.saveFile(path, syntax, EET_UndefinedLength, EGL_recalcGL, EPD_noChange, 0, 0, mode)
      .good();
}

extern "C" int dicom_copy_as_slice(const char *from, const char *to, const char *series,
                                   int instance, double z_mm) {
  set_up();
  DcmFileFormat file;
  if (file.loadFile(from).bad()) return 0;
  DcmDataset &dataset = *file.getDataset();
  char uid[80];
  snprintf(uid, sizeof uid, "%s.%d", series, instance);
  double position[3] = {0, 0, z_mm};
  put(dataset, DCM_SOPInstanceUID, uid);
  put(dataset, DCM_SeriesInstanceUID, series);
  put(dataset, DCM_ImageType, "ORIGINAL\\PRIMARY\\M");
  put(dataset, DCM_InstanceNumber, std::to_string(instance).c_str());
  put(dataset, DCM_ImagePositionPatient, decimals(position, 3).c_str());
  put(dataset, DCM_ImageOrientationPatient, "1\\0\\0\\0\\1\\0");
  return file.saveFile(to, dataset.getOriginalXfer()).good();
}
