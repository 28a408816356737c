// Signs of the kind of scan that a DICOM file belongs to: its tags through DCMTK, their words in
// sign_words.c.
#include "import/dicom/dicom_signs.h"
#include "import/dicom/dicom_item.hpp"
#include "import/dicom/sign_words.h"

using namespace ht_dicom;

namespace {

// Returns a functional group that all frames share: only these give the kind of the scan.
DcmItem &shared_group(DcmDataset &dataset, const DcmTagKey &sequence) {
  DcmItem *shared = first_item(dataset, DCM_SharedFunctionalGroupsSequence);
  DcmItem *group = shared ? first_item(*shared, sequence) : nullptr;
  return group ? *group : dataset;
}

unsigned signs_if(bool given, unsigned signs) {
  return given ? signs : 0;
}

std::string utf8_words(DcmDataset &dataset, const DcmTagKey &tag) {
  return utf8_of(dataset, text_of(dataset, tag));
}

unsigned part_signs(DcmDataset &dataset) {
  DcmItem *region =
      first_item(shared_group(dataset, DCM_FrameAnatomySequence), DCM_AnatomicRegionSequence);
  return ht_signs_of_part(text_of(dataset, DCM_BodyPartExamined).c_str()) |
         (region ? ht_signs_of_part(text_of(*region, DCM_CodeMeaning).c_str()) : 0);
}

// Signs in the words of a header. The protocol of a CT or of one sequence more names the
// examination, which may have series of other kinds: it gives the part of the body only.
unsigned word_signs(DcmDataset &dataset, const std::string &modality) {
  auto signs = [&](const DcmTagKey &tag) {
    return ht_signs_of_description(utf8_words(dataset, tag).c_str(), modality.c_str());
  };
  return signs(DCM_SeriesDescription) | (signs(DCM_ProtocolName) & HT_SIGNS_PARTS);
}

unsigned contrast_signs(DcmDataset &dataset) {
  bool agent = ht_signs_is_agent(utf8_words(dataset, DCM_ContrastBolusAgent).c_str()) ||
               first_item(dataset, DCM_ContrastBolusAgentSequence);
  return signs_if(agent, HT_SIGN_CONTRAST);
}

unsigned protocol_tof(DcmDataset &dataset) {
  return ht_signs_of_description(utf8_words(dataset, DCM_ProtocolName).c_str(), "MR") & HT_SIGN_TOF;
}

// Tells whether the repetition time is short. Blood flows in between two excitations: in 3D time of
// flight they are 15 ms and more apart, in angiography with a contrast agent 3 to 7 ms.
bool has_short_repetition(DcmDataset &dataset) {
  const double least_ms = 10;
  double ms = number_or_nan(shared_group(dataset, DCM_MRTimingAndRelatedParametersSequence),
                            DCM_RepetitionTime);
  return ms > 0 && ms < least_ms;
}

unsigned mr_signs(DcmDataset &dataset, unsigned words) {
  std::string sequence = text_of(dataset, DCM_ScanningSequence);
  std::string echo = text_of(dataset, DCM_EchoPulseSequence);
  bool told = !sequence.empty() || !echo.empty();
  bool gradient = has_value(sequence, "GR") || echo == "GRADIENT";
  unsigned signs = words | signs_if(gradient, HT_SIGN_GRADIENT_ECHO);
  signs |= signs_if(text_of(dataset, DCM_MRAcquisitionType) == "3D", HT_SIGN_3D);
  signs |= signs_if(text_of(dataset, DCM_AngioFlag) == "Y", HT_SIGN_ANGIO);
  signs |= signs_if(has_short_repetition(dataset), HT_SIGN_SHORT_TR);
  signs |= signs_if(text_of(dataset, DCM_PhaseContrast) == "YES", HT_SIGN_PHASE_CONTRAST);
  if (gradient && signs & HT_SIGN_3D) signs |= protocol_tof(dataset);
  if (told && !gradient) signs &= ~unsigned(HT_SIGN_TOF); // a description of something else
  bool tof = text_of(dataset, DCM_TimeOfFlightContrast) == "YES" ||
             text_of(shared_group(dataset, DCM_MRImageFrameTypeSequence),
                     DCM_AcquisitionContrast) == "TIME_OF_FLIGHT";
  return signs | signs_if(tof, HT_SIGN_TOF);
}

unsigned xa_signs(DcmDataset &dataset, unsigned words) {
  bool volume = text_of(dataset, DCM_SOPClassUID) == UID_XRay3DAngiographicImageStorage ||
                text_of(dataset, DCM_ImageType).find("3DRA") != std::string::npos;
  return words | signs_if(volume || words & HT_SIGN_3D, HT_SIGN_ROTATIONAL | HT_SIGN_3D);
}

bool is_projection(DcmDataset &dataset) {
  std::string type = text_of(dataset, DCM_ImageType);
  for (const char *word : {"MIP", "PROJECTION IMAGE", "SUBTRACTION", "PERFUSION"})
    if (has_value(type, word)) return true;
  return false;
}

unsigned signs_of(DcmDataset &dataset) {
  std::string modality = text_of(dataset, DCM_Modality);
  unsigned signs = word_signs(dataset, modality) | part_signs(dataset) | contrast_signs(dataset) |
                   signs_if(is_projection(dataset), HT_SIGN_COMPUTED);
  if (modality == "MR") return mr_signs(dataset, signs);
  return modality == "XA" ? xa_signs(dataset, signs) : signs;
}

} // namespace

extern "C" unsigned ht_dicom_signs(const char *path) {
  unsigned signs = 0;
  (void)at_the_edge(path, [&] {
    DcmFileFormat file;
    (void)load(path, header_value_max, file);
    signs = signs_of(*file.getDataset());
    return HT_OK;
  });
  return signs;
}
