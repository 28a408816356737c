// Reads a DICOMDIR through DCMTK: its records as a plain list, never as DCMTK's directory class,
// which can write.
#include "import/dicom/dicom_directory.h"
#include "import/dicom/dicom_item.hpp"
#include "core/vessel/volume.h"
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <strings.h>
#include <vector>

namespace {

using namespace ht_dicom;
namespace fs = std::filesystem;

struct Entry {
  fs::path path;
  bool is_there;
  std::string series_uid;
};

// Removes the version or the dot that a disc's file system (ISO 9660) may have added to a name:
// "IM000001.;1".
std::string bare(std::string name) {
  size_t version = name.find(';');
  if (version != std::string::npos) name.resize(version);
  if (!name.empty() && name.back() == '.') name.pop_back();
  return name;
}

// The entry of the folder with that name; the name itself where there is none.
fs::path find_name(const fs::path &folder, const std::string &name) {
  std::error_code error;
  if (fs::exists(folder / name, error)) return folder / name;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string found = at->path().filename().string();
    if (strcasecmp(bare(found).c_str(), bare(name).c_str()) == 0) return at->path();
  }
  return folder / name;
}

// "IMAGES\\SER1\\IM1" below the folder. Empty where a part would lead out of it.
fs::path resolve(fs::path folder, const std::string &file_id) {
  for (size_t begin = 0, end; begin <= file_id.size(); begin = end + 1) {
    end = std::min(file_id.find('\\', begin), file_id.size());
    std::string part = file_id.substr(begin, end - begin);
    part.erase(part.find_last_not_of(' ') + 1);
    if (part.empty() || part == "." || part == ".." || part.find('/') != std::string::npos)
      return {};
    folder = find_name(folder, part);
  }
  return folder;
}

bool is_directory(const char *path) {
  DcmFileFormat file;
  return file.loadFile(path, EXS_Unknown, EGL_noChange, header_value_max, ERM_metaOnly).good() &&
         text_of(*file.getMetaInfo(), DCM_MediaStorageSOPClassUID) ==
             UID_MediaStorageDirectoryStorage;
}

// Reads the records. Those of a series come after its own (the order of every writer): this gives
// the series of a missing image.
ht_status read_records(const char *path, DcmSequenceOfItems &records, std::vector<Entry> &entries) {
  const fs::path folder = fs::path(path).parent_path();
  std::string series;
  for (DcmObject *at = records.nextInContainer(nullptr); at; at = records.nextInContainer(at)) {
    auto &record = static_cast<DcmItem &>(*at);
    const std::string type = text_of(record, DCM_DirectoryRecordType);
    if (type == "SERIES") series = text_of(record, DCM_SeriesInstanceUID);
    const std::string file_id = text_of(record, DCM_ReferencedFileID);
    if (type != "IMAGE" || file_id.empty()) continue;
    const fs::path image = resolve(folder.empty() ? "." : folder, file_id);
    std::error_code error;
    if (image.empty())
      return ht_fail(HT_ERR_FORMAT, "%s: it names a file outside of its folder: %s", path,
                     file_id.c_str());
    entries.push_back({image, fs::is_regular_file(image, error), series});
  }
  if (entries.empty()) return ht_fail(HT_ERR_FORMAT, "%s: this DICOMDIR names no images", path);
  return HT_OK;
}

ht_status read_entries(const char *path, std::vector<Entry> &entries) {
  DcmFileFormat file;
  DcmSequenceOfItems *records = nullptr;
  OFCondition loaded = load(path, header_value_max, file);
  if (loaded.bad())
    return ht_fail(HT_ERR_FORMAT,
                   "%s: a damaged DICOMDIR (%s): give the folder of the images instead", path,
                   loaded.text());
  if (file.getDataset()->findAndGetSequence(DCM_DirectoryRecordSequence, records).bad() || !records)
    return ht_fail(HT_ERR_FORMAT, "%s: this DICOMDIR names no images", path);
  return read_records(path, *records, entries);
}

ht_status give(const std::vector<Entry> &entries, ht_directory_entry **entry, int *count) {
  HT_TRY(ht_alloc(reinterpret_cast<void **>(entry), entries.size(), sizeof **entry,
                  "the images of a DICOMDIR"));
  for (const Entry &from : entries) {
    ht_directory_entry *to = &(*entry)[(*count)++];
    to->path = strdup(from.path.c_str());
    if (!to->path) throw std::bad_alloc();
    to->is_there = from.is_there;
    copy_text(to->series_uid, sizeof to->series_uid, from.series_uid);
  }
  return HT_OK;
}

} // namespace

extern "C" ht_status ht_directory_read(const char *path, int *is_dir, ht_directory_entry **entry,
                                       int *count) {
  *is_dir = *count = 0;
  *entry = nullptr;
  ht_status status = at_the_edge(path, [&] {
    std::vector<Entry> entries;
    *is_dir = is_directory(path);
    if (!*is_dir) return HT_OK;
    HT_TRY(read_entries(path, entries));
    return give(entries, entry, count);
  });
  if (status == HT_OK) return HT_OK;
  ht_directory_free(*entry, *count);
  *entry = nullptr;
  *count = 0;
  return status;
}

extern "C" void ht_directory_free(ht_directory_entry *entry, int count) {
  for (int i = 0; entry && i < count; i++) free(entry[i].path);
  free(entry);
}
