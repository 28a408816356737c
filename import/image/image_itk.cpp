// Image files: NIfTI through nifti_file.h, MetaImage through meta_file.h, NRRD through ITK. ITK's
// reader is used directly, without factories: the result does not depend on which are registered.
// Nothing is printed.
#include "image.h"
#include "file.h"
#include "meta_file.h"
#include "nifti_file.h"
#include "nifti_tilt.h"
#include "nrrd_header.h"
#include "voxel_data.h"
#include "voxel_size.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <itkNrrdImageIO.h>
#include <memory>
#include <new>
#include <string>

namespace {

using image_io = itk::ImageIOBase;

// ITK's warnings go to std::cerr; while this lives, nowhere.
class Silence {
public:
  Silence() : kept_(std::cerr.rdbuf(nullptr)) { itk::Object::GlobalWarningDisplayOff(); }
  ~Silence() {
    std::cerr.rdbuf(kept_);
    std::cerr.clear();
  }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;

private:
  std::streambuf *kept_;
};

// ---- Formats ----

// Takes no memory: ht_image_named() has no place to report that there is none.
const char *format_of(const char *path) {
  for (const char *end : {".nii", ".nii.gz", ".hdr", ".img"})
    if (ht_path_ends(path, end)) return "NIfTI";
  if (ht_path_ends(path, ".nrrd") || ht_path_ends(path, ".nhdr")) return "NRRD";
  if (ht_path_ends(path, ".mha") || ht_path_ends(path, ".mhd")) return "MetaImage";
  return nullptr;
}

bool is_format(const std::string &path, const char *format) {
  return strcmp(format_of(path.c_str()), format) == 0;
}

// Of NRRD; null of the formats that are read without ITK.
image_io::Pointer reader_of(const std::string &path) {
  image_io::Pointer io;
  if (!is_format(path, "NRRD")) return io;
  io = itk::NrrdImageIO::New().GetPointer();
  io->SetFileName(path);
  return io;
}

// ---- The header ----

void refuse(ht_image_info &info, const std::string &reason) {
  if (info.status != HT_OK) return;
  info.status = HT_ERR_FORMAT;
  snprintf(info.problem, sizeof info.problem, "%s", reason.c_str());
}

// Images in time, which ITK takes for the components of a vector.
bool is_list(const image_io *io) {
  ht_nrrd_header header;
  return io->GetNumberOfComponents() > 1 &&
         ht_nrrd_header_read(io->GetFileName(), &header) == HT_OK && header.is_list;
}

bool one_number(const image_io *io) {
  switch (io->GetComponentType()) {
  case itk::IOComponentEnum::UNKNOWNCOMPONENTTYPE:
  case itk::IOComponentEnum::LDOUBLE:
    return false;
  default:
    return io->GetNumberOfComponents() == 1 || is_list(io);
  }
}

void check_values(const image_io *io, ht_image_info &info) {
  unsigned dimensions = io->GetNumberOfDimensions();
  if (!one_number(io))
    refuse(info, "it has several values a voxel (" +
                     itk::ImageIOBase::GetPixelTypeAsString(io->GetPixelType()) +
                     "), or of an unknown type: a scan has one number");
  if (dimensions > 3 && io->GetDimensions(3) <= INT_MAX)
    info.volumes = static_cast<int>(io->GetDimensions(3));
  if (is_list(io)) info.volumes = static_cast<int>(io->GetNumberOfComponents());
  for (unsigned a = is_list(io) ? 3 : 4; a < dimensions; a++)
    if (io->GetDimensions(a) > 1)
      refuse(info, "it has " + std::to_string(dimensions) + " dimensions, " +
                       std::to_string(io->GetDimensions(a)) +
                       " images along the last: save the one to use as an image of its own");
  if (dimensions < 3 || io->GetDimensions(2) < 2)
    refuse(info, "it has one slice only: a volume needs at least 2");
}

void fill_grid(const image_io *io, ht_image_info &info) {
  ht_grid grid = ht_grid_make(1, 1, 1);
  for (unsigned a = 0; a < 3; a++) {
    auto voxels = io->GetDimensions(a);
    if (voxels > INT_MAX) return refuse(info, "it claims more than 2^31 voxels along an axis");
    grid.dim[a] = static_cast<int>(voxels);
    grid.spacing_mm[a] = io->GetSpacing(a);
    grid.origin_mm[a] = io->GetOrigin(a);
    auto axis = io->GetDirection(a);
    for (unsigned r = 0; r < 3; r++) grid.direction[r][a] = axis[r];
  }
  if (ht_grid_check(&grid) == HT_OK && ht_scan_size_check(&grid) == HT_OK)
    info.grid = grid, memcpy(info.dim, grid.dim, sizeof info.dim);
  else
    refuse(info, ht_error_message());
}

// Not checked where the voxels lie in another file.
void check_claim(const std::string &path, double voxel_bytes, ht_image_info &info) {
  char problem[128];
  if (info.status != HT_OK || ht_path_ends(path.c_str(), ".nhdr")) return;
  double voxels = static_cast<double>(ht_grid_voxels(&info.grid)) * info.volumes;
  if (!ht_voxel_data_claims_more(path.c_str(), voxels * voxel_bytes, problem)) return;
  info.grid.dim[0] = 0;
  refuse(info, problem);
}

ht_status check_data(const std::string &path, double bytes) {
  ht_nrrd_header header;
  HT_TRY(ht_nrrd_header_read(path.c_str(), &header));
  return ht_voxel_data_check(path.c_str(), &header.file, bytes);
}

ht_status read_nifti_header(const std::string &path, ht_image_info &info) {
  ht_nifti_info nifti;
  HT_TRY(ht_nifti_header_info(path.c_str(), &nifti));
  if (nifti.problem[0]) refuse(info, nifti.problem);
  info.grid = nifti.grid;
  info.tilted = nifti.tilted;
  memcpy(info.dim, nifti.dim, sizeof info.dim);
  info.volumes = nifti.volumes;
  memcpy(info.remark, nifti.remark, sizeof info.remark);
  return HT_OK;
}

ht_status read_header(const std::string &path, image_io *io, ht_image_info &info) {
  memset(&info, 0, sizeof info);
  info.volumes = 1;
  snprintf(info.format, sizeof info.format, "%s", format_of(path.c_str()));
  if (is_format(path, "NIfTI")) return read_nifti_header(path, info);
  if (!io) return ht_meta_info(path.c_str(), &info);
  if (!io->CanReadFile(path.c_str()))
    return ht_fail(HT_ERR_FORMAT, "%s: not a %s file, or its header is damaged", path.c_str(),
                   info.format);
  // ITK's own error about a missing data file names no file.
  HT_TRY(check_data(path, 0));
  io->ReadImageInformation();
  check_values(io, info);
  if (info.status == HT_OK) fill_grid(io, info);
  check_claim(path, io->GetComponentSize(), info);
  return HT_OK;
}

// ---- The voxels ----

template <class Stored> void convert(const void *from, size_t step, float *to, size_t count) {
  const Stored *stored = static_cast<const Stored *>(from);
  for (size_t i = 0; i < count; i++) to[i] = static_cast<float>(stored[i * step]);
}

// Every `step`th number.
void to_float(itk::IOComponentEnum type, const void *from, size_t step, float *to, size_t count) {
  using component = itk::IOComponentEnum;
  switch (type) {
  case component::UCHAR:
    return convert<unsigned char>(from, step, to, count);
  case component::CHAR:
    return convert<signed char>(from, step, to, count);
  case component::USHORT:
    return convert<unsigned short>(from, step, to, count);
  case component::SHORT:
    return convert<short>(from, step, to, count);
  case component::UINT:
    return convert<unsigned>(from, step, to, count);
  case component::INT:
    return convert<int>(from, step, to, count);
  case component::ULONG:
    return convert<unsigned long>(from, step, to, count);
  case component::LONG:
    return convert<long>(from, step, to, count);
  case component::ULONGLONG:
    return convert<unsigned long long>(from, step, to, count);
  case component::LONGLONG:
    return convert<long long>(from, step, to, count);
  case component::FLOAT:
    return convert<float>(from, step, to, count);
  case component::DOUBLE:
    return convert<double>(from, step, to, count);
  default:
    throw std::runtime_error("unknown voxel type");
  }
}

void set_region(image_io *io) {
  itk::ImageIORegion region(io->GetNumberOfDimensions());
  for (unsigned a = 0; a < io->GetNumberOfDimensions(); a++)
    region.SetSize(a, io->GetDimensions(a));
  io->SetIORegion(region);
}

// ITK reads all images in time at once, one after the other or, of a list, voxel by voxel.
void read_stored(image_io *io, size_t volume, float *values, size_t count) {
  size_t step = is_list(io) ? io->GetNumberOfComponents() : 1;
  size_t first = is_list(io) ? volume : volume * count;
  std::unique_ptr<char[]> stored(new char[io->GetImageSizeInBytes()]());
  set_region(io);
  io->Read(stored.get());
  to_float(io->GetComponentType(), stored.get() + first * io->GetComponentSize(), step, values,
           count);
}

// ITK holds all images in time as they are stored beside the one that is taken; shearing back needs
// the voxels as they are stored.
ht_status check_memory(const image_io *io, const ht_image_info &info) {
  ht_grid stored = ht_grid_make(info.dim[0], info.dim[1], info.dim[2]);
  double voxels = static_cast<double>(ht_grid_voxels(&stored)), more = 0;
  if (io) more = voxels * info.volumes * io->GetComponentSize();
  if (info.tilted) more = voxels * sizeof(float);
  return ht_scan_memory_check(&info.grid, more);
}

// Are all voxels there? Asked before memory for them is.
ht_status check_voxels(const std::string &path, const image_io *io, const ht_image_info &info) {
  double bytes = static_cast<double>(ht_grid_voxels(&info.grid)) * info.volumes;
  if (io) return check_data(path, bytes * io->GetComponentSize());
  if (is_format(path, "NIfTI")) return ht_nifti_check_length(path.c_str());
  return ht_meta_check_voxels(path.c_str());
}

ht_status read_values(const std::string &path, image_io *io, int volume, ht_volume *image) {
  if (is_format(path, "NIfTI")) return ht_nifti_read_voxels(path.c_str(), volume, image->values);
  if (!io) return ht_meta_read_voxels(path.c_str(), volume, image->values);
  read_stored(io, static_cast<size_t>(volume), image->values,
              static_cast<size_t>(ht_grid_voxels(&image->grid)));
  return HT_OK;
}

// `image` null: only checks whether all voxels are there.
ht_status read_voxels(const std::string &path, int volume, ht_volume *image) {
  ht_image_info info;
  image_io::Pointer io = reader_of(path);
  HT_TRY(read_header(path, io, info));
  if (info.status != HT_OK) return ht_fail(info.status, "%s: %s", path.c_str(), info.problem);
  if (image) HT_TRY(check_memory(io, info));
  HT_TRY(check_voxels(path, io, info));
  if (!image && is_format(path, "NIfTI")) return ht_nifti_read_voxels(path.c_str(), 0, nullptr);
  if (!image) return HT_OK;
  ht_grid grid = info.tilted ? ht_grid_make(info.dim[0], info.dim[1], info.dim[2]) : info.grid;
  HT_TRY(ht_volume_alloc(&grid, image));
  return read_values(path, io, volume, image);
}

// ---- The edge ----

// The reason without ITK's prefix: "itk::ERROR: NrrdImageIO(0x5581ab0): ".
std::string reason_of(const itk::ExceptionObject &error) {
  std::string text = error.GetDescription();
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (const char *before : {"): ", "ERROR: "}) {
    size_t at = text.rfind(before);
    if (at != std::string::npos) text.erase(0, at + strlen(before));
  }
  return text.substr(0, 300);
}

template <class Work> ht_status at_the_edge(const char *path, Work work) {
  try {
    Silence silence;
    return work();
  } catch (const std::bad_alloc &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the image", path);
  } catch (const itk::MemoryAllocationError &) {
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to read the image", path);
  } catch (const itk::ExceptionObject &error) {
    return ht_fail(HT_ERR_FORMAT, "%s: truncated or damaged (\"%s\"); copy or export it again",
                   path, reason_of(error).c_str());
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_FORMAT, "%s: cannot be read: \"%s\"", path, error.what());
  }
}

} // namespace

extern "C" int ht_image_named(const char *path) {
  return format_of(path) != nullptr;
}

extern "C" ht_status ht_image_header(const char *path, ht_image_info *info) {
  ht_status status = at_the_edge(path, [&] { return read_header(path, reader_of(path), *info); });
  if (status != HT_OK) memset(info, 0, sizeof *info);
  return status;
}

extern "C" ht_status ht_image_check_voxels(const char *path) {
  return at_the_edge(path, [&] { return read_voxels(path, 0, nullptr); });
}

extern "C" ht_status ht_image_voxels(const char *path, int volume, ht_volume *image) {
  memset(image, 0, sizeof *image);
  ht_status status = at_the_edge(path, [&] { return read_voxels(path, volume, image); });
  if (status != HT_OK) ht_volume_free(image);
  return status;
}

extern "C" ht_status ht_image_shear_back(const char *path, const ht_image_info *info,
                                         const ht_progress *progress, ht_volume *image) {
  return info->tilted ? ht_nifti_shear_back(path, progress, image) : HT_OK;
}
