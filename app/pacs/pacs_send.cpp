// C-STORE of files.
#include "app/pacs/association.hpp"
#include "app/pacs/pacs.h"
#include "core/disk/path_list.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmnet/diutil.h>
#include <set>
#include <vector>

namespace {

using namespace ht_pacs;

const char *const send_request = "the storage (C-STORE)";
enum { CONTEXTS_MAX = 128 };

struct object {
  std::string path, sop_class, sop_instance, syntax;
};

ht_status read_object(const char *path, object *to) {
  DcmMetaInfo meta;
  OFCondition result = meta.loadFile(path, EXS_Unknown, EGL_noChange, DCM_MaxReadLength);
  OFString sop_class, instance, syntax;
  meta.findAndGetOFString(DCM_MediaStorageSOPClassUID, sop_class);
  meta.findAndGetOFString(DCM_MediaStorageSOPInstanceUID, instance);
  meta.findAndGetOFString(DCM_TransferSyntaxUID, syntax);
  if (result.bad() || sop_class.empty() || instance.empty() || syntax.empty())
    return ht_fail(HT_ERR_FORMAT, "%s: this is no DICOM file: nothing was sent", path);
  *to = {path, sop_class.c_str(), instance.c_str(), syntax.c_str()};
  return HT_OK;
}

ht_status list_objects(const char *path, std::vector<object> *objects) {
  ht_path_list files = {};
  ht_status status = ht_folder_exists(path) ? ht_path_list_folder(path, 0, &files)
                                            : ht_path_list_add(&files, path);
  for (int i = 0; i < files.count && status == HT_OK; i++) {
    object one;
    status = read_object(files.path[i], &one);
    if (status == HT_OK) objects->push_back(one);
  }
  ht_path_list_free(&files);
  if (status == HT_OK && objects->empty())
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no file in this folder", path);
  return status;
}

ht_status offer(DcmSCU &scu, const std::vector<object> &objects) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const object &one : objects) pairs.insert({one.sop_class, one.syntax});
  if (pairs.size() > CONTEXTS_MAX)
    return ht_fail(HT_ERR_USAGE, "the files are of %zu kinds; at most %d are sent at once",
                   pairs.size(), static_cast<int>(CONTEXTS_MAX));
  for (const auto &pair : pairs) {
    OFList<OFString> syntaxes;
    syntaxes.push_back(pair.second.c_str());
    scu.addPresentationContext(pair.first.c_str(), syntaxes);
  }
  return HT_OK;
}

/* Returns true for a stored object, also after a warning (PS3.4 B.2.3). */
bool is_stored(Uint16 status) {
  return status == STATUS_Success || DICOM_WARNING_STATUS(status);
}

ht_status send_one(DcmSCU &scu, const ht_pacs_settings &settings, const object &one,
                   ht_pacs_sent *sent) {
  Uint16 status = 0xffff;
  T_ASC_PresentationContextID id =
      scu.findPresentationContextID(one.sop_class.c_str(), one.syntax.c_str());
  if (id == 0) {
    snprintf(sent->what, sizeof sent->what, "the archive does not take %s in this form",
             dcmFindNameOfUID(one.sop_class.c_str(), "this kind of object"));
    return HT_OK;
  }
  OFCondition result = scu.sendSTORERequest(id, one.path.c_str(), nullptr, status);
  if (result.bad()) {
    snprintf(sent->what, sizeof sent->what, "%s", result.text());
    return failed(settings, send_request, result);
  }
  sent->stored = is_stored(status);
  snprintf(sent->what, sizeof sent->what, "%s%s",
           status == STATUS_Success ? "stored"
           : sent->stored           ? "stored, with a warning: "
                                    : "refused: ",
           status == STATUS_Success ? "" : DU_cstoreStatusString(status));
  return HT_OK;
}

ht_status send_all(DcmSCU &scu, const ht_pacs_settings &settings,
                   const std::vector<object> &objects, int (*stop)(void), ht_pacs_sent *sent) {
  int lost = 0;
  for (size_t i = 0; i < objects.size(); i++) {
    if (stop && stop()) return ht_fail(HT_ERR_INTERRUPTED, "stopped");
    HT_TRY(send_one(scu, settings, objects[i], &sent[i]));
    lost += !sent[i].stored;
  }
  if (lost == 0) return HT_OK;
  return ht_fail(HT_ERR_NETWORK, "%s (%s:%d) did not store %d of %zu objects", settings.called_ae,
                 settings.host, settings.port, lost, objects.size());
}

ht_status send(const ht_pacs_settings &settings, const char *path, int (*stop)(void),
               ht_pacs_sent **sent, int *count) {
  std::vector<object> objects;
  HT_TRY(list_objects(path, &objects));
  *sent = static_cast<ht_pacs_sent *>(calloc(objects.size(), sizeof **sent));
  if (!*sent) return ht_fail(HT_ERR_MEMORY, "not enough memory for the list of files");
  *count = static_cast<int>(objects.size());
  for (size_t i = 0; i < objects.size(); i++) {
    snprintf((*sent)[i].file, sizeof(*sent)[i].file, "%s", objects[i].path.c_str());
    snprintf((*sent)[i].what, sizeof(*sent)[i].what, "not sent");
  }
  auto scu = make_scu(settings, nullptr);
  HT_TRY(offer(*scu, objects));
  HT_TRY(open(*scu, settings));
  ht_status status = send_all(*scu, settings, objects, stop, *sent);
  close(*scu, true);
  return status;
}

} // namespace

ht_status ht_pacs_send(const ht_pacs_settings *settings, const char *path, int (*stop)(void),
                       ht_pacs_sent **sent, int *count) {
  *sent = nullptr;
  *count = 0;
  HT_TRY(ht_pacs_check(settings));
  if (!ht_file_exists(path))
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file or folder", path);
  try {
    return send(*settings, path, stop, sent, count);
  } catch (const std::exception &e) {
    return ht_fail(HT_ERR_INTERNAL, "%s: %s", send_request, e.what());
  }
}
