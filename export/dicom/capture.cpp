// A PNG picture as a Secondary Capture (PS3.3 A.8.1).
#include "export/dicom/dataset.hpp"
#include <memory>
#include <png.h>

#include <dcmtk/dcmdata/dcrlerp.h>

using namespace ht_dicom_out;

namespace {

struct Png {
  png_image image = {};
  Png() { image.version = PNG_IMAGE_VERSION; }
  Png(const Png &) = delete;
  Png &operator=(const Png &) = delete;
  ~Png() { png_image_free(&image); }
};

ht_status unreadable(const char *picture, const Png &png) {
  HT_TRY(ht_check_reason(picture, png.image.message));
  return ht_fail(HT_ERR_FORMAT, "%s: the picture cannot be read: %s", picture, png.image.message);
}

void fill_image(Filler &fill, const ht_dicom_study &study, const char *title) {
  fill.text(DCM_ConversionType, "WSD");
  fill.text(DCM_ImageType, "DERIVED\\SECONDARY");
  fill.text(DCM_DerivationDescription, title);
  fill.text(DCM_ImageComments, std::string(title) + ". " + study.comment);
  // The picture shows the name of the case, which may be the patient's where identity is kept.
  fill.text(DCM_BurnedInAnnotation, study.is_pseudonymous ? "NO" : "YES");
  fill.text(DCM_LossyImageCompression, "00");
  fill.text(DCM_Laterality, ""); // not known
  fill.text(DCM_PatientOrientation, "");
  fill.text(DCM_PhotometricInterpretation, "RGB");
  fill.shorts(DCM_SamplesPerPixel, {3});
  fill.shorts(DCM_PlanarConfiguration, {0});
  fill.shorts(DCM_BitsAllocated, {8});
  fill.shorts(DCM_BitsStored, {8});
  fill.shorts(DCM_HighBit, {7});
  fill.shorts(DCM_PixelRepresentation, {0});
}

ht_status fill_pixels(Filler &fill, const char *picture) {
  Png png;
  if (!png_image_begin_read_from_file(&png.image, picture)) return unreadable(picture, png);
  png.image.format = PNG_FORMAT_RGB;
  if (png.image.width > 65535 || png.image.height > 65535)
    return ht_fail(HT_ERR_FORMAT, "%s: the picture is larger than DICOM allows", picture);
  fill.shorts(DCM_Columns, {static_cast<int>(png.image.width)});
  fill.shorts(DCM_Rows, {static_cast<int>(png.image.height)});
  const size_t bytes = PNG_IMAGE_SIZE(png.image);
  Uint8 *pixels = fill.bytes(DCM_PixelData, bytes + bytes % 2);
  if (!pixels) throw std::bad_alloc();
  pixels[bytes + bytes % 2 - 1] = 0;
  const png_color white = {255, 255, 255};
  if (!png_image_finish_read(&png.image, &white, pixels, 0, nullptr))
    return unreadable(picture, png);
  return HT_OK;
}

ht_status write(const char *path, const ht_dicom_study &study, const ht_dicom_place &place,
                const char *picture, const char *title) {
  DcmFileFormat file;
  DcmDataset &dataset = *file.getDataset();
  std::string problem;
  Filler fill(dataset, problem);
  const std::string number = std::to_string(place.number);
  const Object object = {UID_SecondaryCaptureImageStorage,
                         "OT",
                         "hemotile pictures",
                         "9105",
                         place.series_uid,
                         number.c_str()};
  HT_TRY(fill_identity(fill, study, object));
  fill_image(fill, study, title);
  HT_TRY(fill_pixels(fill, picture));
  if (!problem.empty()) return not_made(path, problem);
  const DcmRLERepresentationParameter lossless;
  const OFCondition packed = dataset.chooseRepresentation(EXS_RLELossless, &lossless);
  if (packed == EC_MemoryExhausted) throw std::bad_alloc();
  if (packed.bad()) return not_made(path, std::string("its pixels by RLE: ") + packed.text());
  return write_file(path, file, EXS_RLELossless);
}

} // namespace

extern "C" ht_status ht_dicom_capture(const char *path, const ht_dicom_study *study,
                                      const ht_dicom_place *place, const char *picture,
                                      const char *title) {
  return at_the_edge(path, [&] { return write(path, *study, *place, picture, title); });
}
