#include "export/files/image_write.h"
#include "core/disk/file.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <initializer_list>
#include <itkMetaImageIO.h>
#include <itkNrrdImageIO.h>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#ifdef __SANITIZE_ADDRESS__
/* Names ITK's leaks to the leak checker: ITK 5.2 leaks memory of a file whose writing failed, and
 * the names of every NIfTI file that it opens. */
extern "C" __attribute__((weak)) const char *__lsan_default_suppressions() {
  return "leak:libITKniftiio\nleak:libITKNrrdIO\nleak:libITKznz\nleak:libz.so\n";
}
#endif

namespace {

using image_io = itk::ImageIOBase;

/* Discards the error stream while it lives: MetaIO prints there, and a library must not. */
class silence {
public:
  silence() : kept_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = kept_ < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  ~silence() {
    if (kept_ < 0) return;
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  silence(const silence &) = delete;
  silence &operator=(const silence &) = delete;

private:
  const int kept_;
};

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/* Makes the ImageIO object explicitly, so that the file does not depend on registered factories. */
image_io::Pointer io_for(const std::string &path) {
  if (ends_with(path, ".nrrd")) return itk::NrrdImageIO::New().GetPointer();
  if (ends_with(path, ".mha")) return itk::MetaImageIO::New().GetPointer();
  return nullptr;
}

itk::IOComponentEnum component_of(ht_voxel_type type) {
  if (type == HT_VOXEL_UINT8) return itk::IOComponentEnum::UCHAR;
  return type == HT_VOXEL_INT16 ? itk::IOComponentEnum::SHORT : itk::IOComponentEnum::FLOAT;
}

void set_grid(image_io *io, const ht_grid *grid) {
  io->SetNumberOfDimensions(3);
  for (unsigned a = 0; a < 3; a++) {
    io->SetDimensions(a, static_cast<unsigned>(grid->dim[a]));
    io->SetSpacing(a, grid->spacing_mm[a]);
    io->SetOrigin(a, grid->origin_mm[a]);
    io->SetDirection(a, {grid->direction[0][a], grid->direction[1][a], grid->direction[2][a]});
  }
}

void set_region(image_io *io) {
  itk::ImageIORegion region(io->GetNumberOfDimensions());
  for (unsigned a = 0; a < io->GetNumberOfDimensions(); a++)
    region.SetSize(a, io->GetDimensions(a));
  io->SetIORegion(region);
}

void write_voxels(const std::string &path, const ht_image_array &image) {
  image_io::Pointer io = io_for(path);
  io->SetFileName(path);
  set_grid(io, image.grid);
  io->SetComponentType(component_of(image.type));
  io->SetNumberOfComponents(static_cast<unsigned>(image.components));
  io->SetPixelType(image.components == 1 ? itk::IOPixelEnum::SCALAR : itk::IOPixelEnum::VECTOR);
  io->SetByteOrderToLittleEndian();
  io->SetUseCompression(true);
  io->SetCompressionLevel(2);
  set_region(io);
  io->WriteImageInformation();
  io->Write(image.voxels);
}

/* The distance of the last voxel, as the file's header places it, from its true place, mm. */
double misplaced_mm(const image_io *io, const ht_grid *grid) {
  double off = 0;
  for (unsigned r = 0; r < 3; r++) {
    double found = io->GetOrigin(r), given = grid->origin_mm[r];
    for (unsigned a = 0; a < 3; a++) {
      const double steps = grid->dim[a] - 1;
      found += io->GetDirection(a)[r] * io->GetSpacing(a) * steps;
      given += grid->direction[r][a] * grid->spacing_mm[a] * steps;
    }
    off = std::max(off, std::abs(found - given));
  }
  return off;
}

bool is_placed(const image_io *io, const ht_grid *grid) {
  const double *spacing = grid->spacing_mm;
  return misplaced_mm(io, grid) <= 0.01 * std::min({spacing[0], spacing[1], spacing[2]});
}

void append(std::string &to, uLong number, std::initializer_list<int> shifts) {
  for (int shift : shifts) to += static_cast<char>(number >> shift & 255);
}

/* Tells whether the compressed voxels end in their checksum: gzip's in a NRRD file (RFC 1952),
 * zlib's in a MetaImage (RFC 1950). ITK reads a file that lacks it, other programs refuse it. */
bool ends_in_checksum(const std::string &path, const void *voxels, size_t bytes) {
  const Bytef *data = static_cast<const Bytef *>(voxels);
  std::string wanted;
  if (ends_with(path, ".nrrd")) {
    append(wanted, crc32_z(0, data, bytes), {0, 8, 16, 24});
    append(wanted, static_cast<uLong>(bytes), {0, 8, 16, 24});
  } else {
    append(wanted, adler32_z(1, data, bytes), {24, 16, 8, 0});
  }
  std::string last(wanted.size(), 0);
  std::ifstream file(path, std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(last.size()), std::ios::end);
  file.read(&last[0], static_cast<std::streamsize>(last.size()));
  return file && last == wanted;
}

/* Tells whether the file holds exactly these voxels. */
bool holds(const std::string &path, const ht_image_array &image) {
  image_io::Pointer io = io_for(path);
  io->SetFileName(path);
  io->ReadImageInformation();
  set_region(io);
  const size_t bytes = static_cast<size_t>(ht_grid_voxels(image.grid)) *
                       static_cast<size_t>(image.components) *
                       (image.type == HT_VOXEL_UINT8   ? 1
                        : image.type == HT_VOXEL_INT16 ? 2
                                                       : 4);
  if (io->GetNumberOfDimensions() != 3 || io->GetComponentType() != component_of(image.type) ||
      static_cast<size_t>(io->GetImageSizeInBytes()) != bytes || !is_placed(io, image.grid) ||
      !ends_in_checksum(path, image.voxels, bytes))
    return false;
  std::vector<char> back(bytes);
  io->Read(back.data());
  return std::memcmp(back.data(), image.voxels, bytes) == 0;
}

/* The errno of a file that could not be written whole: ITK does not report it, one more write does.
 */
int reason_of(const char *hidden) {
  const std::vector<char> more(1 << 16);
  const int descriptor = open(hidden, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (descriptor < 0) return errno;
  int error = write(descriptor, more.data(), more.size()) < 0 ? errno : 0;
  if (!error && write(descriptor, more.data(), more.size()) < 0) error = errno;
  if (!error && fsync(descriptor) != 0) error = errno;
  close(descriptor);
  return error;
}

ht_status not_written(ht_output *output, const char *told) {
  const int error = reason_of(output->hidden);
  ht_output_abandon(output);
  HT_TRY(ht_check_reason(output->path, told));
  if (error == ENOSPC || error == EDQUOT)
    return ht_fail(HT_ERR_WRITE,
                   "%s: the disk is full: nothing was written under this name; free some space or "
                   "choose another folder with -o",
                   output->path);
  return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", output->path,
                 error ? strerror(error) : told);
}

ht_status write_and_check(ht_output *output, const ht_image_array &image) {
  try {
    write_voxels(output->hidden, image);
    if (holds(output->hidden, image)) return ht_output_rename(output);
    return not_written(output, "the file differs from the data (is the disk full?)");
  } catch (const std::bad_alloc &) {
    ht_output_abandon(output);
    return ht_fail(HT_ERR_MEMORY, "%s: not enough memory to write the image", output->path);
  } catch (const itk::ExceptionObject &error) {
    return not_written(output, error.GetDescription());
  } catch (const std::exception &error) {
    return not_written(output, error.what());
  }
}

} // namespace

extern "C" ht_status ht_itk_write(const char *path, const ht_image_array *image) {
  ht_output output;
  HT_TRY(ht_grid_check(image->grid));
  try {
    if (!io_for(path))
      return ht_fail(HT_ERR_USAGE,
                     "%s: not an image format; allowed endings: .nii.gz, .nii, .nrrd, .mha", path);
  } catch (const std::exception &error) {
    return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", path, error.what());
  }
  HT_TRY(ht_output_name(path, &output));
  try {
    itk::Object::SetGlobalWarningDisplay(false);
    const silence while_writing;
    return write_and_check(&output, *image);
  } catch (const std::exception &error) {
    ht_output_abandon(&output);
    return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s", path, error.what());
  }
}
