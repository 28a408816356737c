// Reader of DICOM segmentations. It does not use DCMTK's dcmseg, which knows no label maps and
// reads every frame into memory; the frames' places are those of any enhanced image
// (dicom_frames.cpp).
#include "import/series/dicom_segment.h"
#include "import/dicom/dicom_item.hpp"
#include "import/series/series_choice.h"
#include "import/slices/slice_stack.h"
#include "core/numbers/vector3.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <dcmtk/dcmdata/dcfcache.h>

namespace {

using namespace ht_dicom;

const double planes_most = 4096; // between the first and the last frame

struct Segment {
  int number;
  std::string label;
};

// Frames of a file, and the encoding of the inside in their pixels.
struct Segmentation {
  const char *path;
  DcmFileFormat file;
  std::string type; // BINARY, FRACTIONAL, LABELMAP
  std::vector<Segment> segments;
  std::vector<ht_slice> frames;
  int chosen;
};

ht_status refused(const Segmentation &from, ht_status status, const std::string &reason) {
  return ht_fail(status, "%s: %s", from.path, reason.c_str());
}

// ---- The header ----

void read_segments(DcmDataset &dataset, std::vector<Segment> &segments) {
  DcmSequenceOfItems *sequence = nullptr;
  if (dataset.findAndGetSequence(DCM_SegmentSequence, sequence).bad() || !sequence) return;
  for (DcmObject *at = sequence->nextInContainer(nullptr); at; at = sequence->nextInContainer(at)) {
    auto &item = static_cast<DcmItem &>(*at);
    char label[72];
    copy_text(label, sizeof label, utf8_of(dataset, text_of(item, DCM_SegmentLabel)));
    segments.push_back({whole(item, DCM_SegmentNumber, 0), label});
  }
}

bool is_known(DcmDataset &dataset, const std::string &type) {
  int allocated = whole(dataset, DCM_BitsAllocated, 0);
  bool encapsulated = is_encapsulated(dataset.getOriginalXfer());
  if (type == "BINARY") return allocated == 1 && !encapsulated;
  return (type == "FRACTIONAL" && allocated == 8) ||
         (type == "LABELMAP" && (allocated == 8 || allocated == 16));
}

ht_status read_frames(Segmentation &from) {
  DcmDataset &dataset = *from.file.getDataset();
  int frames = std::max(whole(dataset, DCM_NumberOfFrames, 1), 1);
  DcmSequenceOfItems *groups = nullptr;
  if (dataset.findAndGetSequence(DCM_PerFrameFunctionalGroupsSequence, groups).bad() || !groups ||
      groups->card() != static_cast<unsigned long>(frames))
    return refused(from, HT_ERR_FORMAT,
                   "the places of its " + std::to_string(frames) +
                       " frames are not given: export it again");
  for (int f = 0; f < frames; f++) {
    ht_slice slice = {};
    slice.path = const_cast<char *>(from.path); // lent: nothing here frees it
    slice.rows = whole(dataset, DCM_Rows, 0);
    slice.columns = whole(dataset, DCM_Columns, 0);
    slice.frame = f;
    slice.frames = frames;
    fill_frame(dataset, f, slice);
    if (slice.status != HT_OK)
      return refused(from, slice.status, "frame " + std::to_string(f + 1) + ": " + slice.problem);
    slice.slope = 1, slice.intercept = 0;
    from.frames.push_back(slice);
  }
  return HT_OK;
}

ht_status open(Segmentation &from) {
  OFCondition loaded = load(from.path, header_value_max, from.file);
  DcmDataset &dataset = *from.file.getDataset(); // only now: a mended file has another dataset
  if (loaded.bad())
    return refused(from, HT_ERR_FORMAT,
                   std::string("truncated or damaged (") + loaded.text() +
                       "); copy or export it again");
  if (text_of(dataset, DCM_Modality) != "SEG")
    return refused(from, HT_ERR_FORMAT,
                   "a DICOM file that is no segmentation (SEG): a mask is one, or an image file; "
                   "give a scan as `scan:`");
  from.type = text_of(dataset, DCM_SegmentationType);
  if (!is_known(dataset, from.type))
    return refused(from, HT_ERR_FORMAT,
                   "a segmentation of type \"" + from.type + "\" with " +
                       std::to_string(whole(dataset, DCM_BitsAllocated, 0)) +
                       " bits per pixel, which is not read: save it as NIfTI");
  read_segments(dataset, from.segments);
  return read_frames(from);
}

// ---- The segment ----

ht_status ask(const Segmentation &from, const std::string &what) {
  std::string text = what;
  for (size_t i = 0; i < from.segments.size() && text.size() < 3000; i++)
    text +=
        "\n  " + std::to_string(from.segments[i].number) + "  \"" + from.segments[i].label + "\"";
  return refused(from, HT_ERR_SERIES,
                 text + "\nchoose one with --series N or a part of its label (in a case file: "
                        "series)");
}

ht_status choose(Segmentation &from, const char *wish) {
  int fit = 0;
  for (const Segment &one : from.segments) {
    bool fits =
        !wish || (ht_series_is_number(wish) ? std::to_string(one.number) == wish
                                            : ht_series_contains(one.label.c_str(), wish) != 0);
    if (!fits) continue;
    from.chosen = one.number;
    fit++;
  }
  if (fit == 1) return HT_OK;
  if (from.segments.empty()) return refused(from, HT_ERR_FORMAT, "it lists no segments");
  if (!wish) return ask(from, "several segments:");
  return ask(from, "--series \"" + std::string(wish).substr(0, 80) + "\" fits " +
                       (fit ? "several" : "no") + " segments:");
}

// ---- The grid ----

// Distance of planes by the file, or the smallest between two of its planes; 0: one plane.
double distance_of(Segmentation &from, std::vector<double> along) {
  double told = 0, least = 0;
  DcmDataset &dataset = *from.file.getDataset();
  DcmItem *shared = first_item(dataset, DCM_SharedFunctionalGroupsSequence);
  DcmItem *measures = shared ? first_item(*shared, DCM_PixelMeasuresSequence) : nullptr;
  if (measures && numbers(*measures, DCM_SpacingBetweenSlices, &told, 1) && told > 0.01)
    return told;
  std::sort(along.begin(), along.end());
  for (size_t i = 1; i < along.size(); i++) {
    double gap = along[i] - along[i - 1];
    if (gap > 0.01 && (least == 0 || gap < least)) least = gap;
  }
  return least;
}

// Places each frame at a plane of the grid, within 5 % of the distance.
ht_status place_frames(const Segmentation &from, const ht_grid &grid, std::vector<int> &plane) {
  for (const ht_slice &frame : from.frames) {
    double index[3] = {0, 0, 0}, away[3], expected[3], normal[3], off = 0;
    for (int r = 0; r < 3; r++) {
      away[r] = frame.position_mm[r] - grid.origin_mm[r];
      normal[r] = grid.direction[r][2];
    }
    index[2] = std::nearbyint(ht_dot(away, normal) / grid.spacing_mm[2]);
    ht_grid_position(&grid, index, expected);
    for (int r = 0; r < 3; r++) off += std::pow(frame.position_mm[r] - expected[r], 2);
    if (std::sqrt(off) > std::max(0.05 * grid.spacing_mm[2], 0.01))
      return refused(from, HT_ERR_SERIES,
                     "frame " + std::to_string(frame.frame + 1) + " lies " +
                         std::to_string(std::sqrt(off)) +
                         " mm off the regular planes of the others: save it as NIfTI");
    plane.push_back(static_cast<int>(index[2]));
  }
  return HT_OK;
}

ht_status make_grid(Segmentation &from, ht_grid &grid) {
  const ht_slice &one = from.frames[0];
  double normal[3], most = 0;
  std::vector<double> along;
  size_t lowest = 0;
  ht_cross(one.axes[0], one.axes[1], normal);
  for (const ht_slice &frame : from.frames) {
    if (!ht_slices_same_direction(&one, &frame) || !ht_slices_same_spacing(&one, &frame))
      return refused(from, HT_ERR_SERIES, "its frames do not face the same way: save it as NIfTI");
    along.push_back(ht_dot(normal, frame.position_mm));
    if (along.back() < along[lowest]) lowest = along.size() - 1;
    most = std::max(most, along.back() - along[0]);
  }
  const double distance = distance_of(from, along);
  most += along[0] - along[lowest];
  if (!(distance > 0) || most < 0.5 * distance || most / distance > planes_most)
    return refused(from, HT_ERR_SERIES,
                   "its frames lie in one plane, or too many planes apart: save it as NIfTI");
  grid = ht_grid_make(one.columns, one.rows, static_cast<int>(std::nearbyint(most / distance)) + 1);
  for (int r = 0; r < 3; r++) {
    grid.origin_mm[r] = from.frames[lowest].position_mm[r];
    grid.direction[r][0] = one.axes[0][r];
    grid.direction[r][1] = one.axes[1][r];
    grid.direction[r][2] = normal[r];
  }
  grid.spacing_mm[0] = one.spacing_mm[0];
  grid.spacing_mm[1] = one.spacing_mm[1];
  grid.spacing_mm[2] = distance;
  return ht_grid_check(&grid);
}

// ---- The voxels ----

int segment_of(Segmentation &from, int frame) {
  DcmDataset &dataset = *from.file.getDataset();
  for (DcmItem *groups : {first_item(dataset, DCM_PerFrameFunctionalGroupsSequence, frame),
                          first_item(dataset, DCM_SharedFunctionalGroupsSequence)}) {
    DcmItem *item = groups ? first_item(*groups, DCM_SegmentIdentificationSequence) : nullptr;
    if (item) return whole(*item, DCM_ReferencedSegmentNumber, 0);
  }
  return 0;
}

// Checks for no more pixel values than the header says (by less than a line, and a byte of
// padding). Compressed frames are checked one by one as they are decoded.
ht_status check_excess(Segmentation &from) {
  DcmDataset &dataset = *from.file.getDataset();
  DcmElement *pixels = nullptr;
  const ht_slice &one = from.frames[0];
  const double bits = whole(dataset, DCM_BitsAllocated, 8);
  const double line = std::min(one.rows, one.columns) * bits / 8;
  const double bytes = double(one.rows) * one.columns * double(from.frames.size()) * bits / 8;
  if (is_encapsulated(dataset.getOriginalXfer()) ||
      dataset.findAndGetElement(DCM_PixelData, pixels).bad() || !pixels ||
      pixels->getLengthField() < bytes + std::max(line, 2.0))
    return HT_OK;
  return refused(from, HT_ERR_FORMAT,
                 std::to_string(pixels->getLengthField()) + " bytes of pixel values, but " +
                     std::to_string(from.frames.size()) + " frames of " +
                     std::to_string(one.columns) + " x " + std::to_string(one.rows) +
                     " pixels have " + std::to_string(std::llround(std::ceil(bytes))) +
                     ": its header does not fit; export it again");
}

// Reads a binary frame. Frames follow each other bit by bit, the lowest of a byte first (PS3.5
// 8.1.1, D.2).
ht_status read_bits(Segmentation &from, DcmFileCache &cache, const ht_slice &frame,
                    unsigned char *inside) {
  DcmElement *pixels = nullptr;
  const size_t count = static_cast<size_t>(frame.rows) * static_cast<size_t>(frame.columns);
  const size_t first = count * static_cast<size_t>(frame.frame), begin = first / 8;
  std::vector<Uint8> bytes((first + count + 7) / 8 - begin);
  from.file.getDataset()->findAndGetElement(DCM_PixelData, pixels);
  if (!pixels || begin + bytes.size() > pixels->getLengthField() ||
      pixels
          ->getPartialValue(bytes.data(), static_cast<Uint32>(begin),
                            static_cast<Uint32>(bytes.size()), &cache, EBO_LittleEndian)
          .bad())
    return refused(from, HT_ERR_FORMAT,
                   "truncated: fewer pixel values than frames; copy or export it again");
  for (size_t i = 0; i < count; i++) {
    size_t bit = first % 8 + i;
    inside[i] = static_cast<unsigned char>(inside[i] | (bytes[bit / 8] >> bit % 8 & 1));
  }
  return HT_OK;
}

// Reads a fractional frame, from half of the largest value on, or a label map, by the segment's
// number.
ht_status read_values(Segmentation &from, ht_dicom_file **file, const ht_slice &frame,
                      unsigned char *inside) {
  const size_t count = static_cast<size_t>(frame.rows) * static_cast<size_t>(frame.columns);
  std::vector<float> values(count);
  HT_TRY(ht_dicom_pixels(file, &frame, values.data()));
  const int most = whole(*from.file.getDataset(), DCM_MaximumFractionalValue, 255);
  const double half = (most > 0 ? most : 255) / 2.0; // 0 would be everywhere
  const bool labels = from.type == "LABELMAP";
  for (size_t i = 0; i < count; i++) {
    double value = static_cast<double>(values[i]);
    bool is_inside = labels ? value == from.chosen : value >= half;
    if (is_inside) inside[i] = 1;
  }
  return HT_OK;
}

// File that is also closed after an exception.
struct OpenFile {
  ht_dicom_file *file = nullptr;
  ~OpenFile() { ht_dicom_close(file); }
};

ht_status read_voxels(Segmentation &from, const std::vector<int> &plane, ht_mask *mask) {
  const size_t area =
      static_cast<size_t>(mask->grid.dim[0]) * static_cast<size_t>(mask->grid.dim[1]);
  DcmFileCache cache;
  OpenFile open;
  for (size_t f = 0; f < from.frames.size(); f++) {
    if (from.type != "LABELMAP" && segment_of(from, static_cast<int>(f)) != from.chosen) continue;
    unsigned char *inside = mask->inside + static_cast<size_t>(plane[f]) * area;
    HT_TRY(from.type == "BINARY" ? read_bits(from, cache, from.frames[f], inside)
                                 : read_values(from, &open.file, from.frames[f], inside));
  }
  return HT_OK;
}

ht_status check_filled(const Segmentation &from, const ht_mask &mask) {
  const int64_t voxels = ht_grid_voxels(&mask.grid);
  if (std::any_of(mask.inside, mask.inside + voxels, [](unsigned char value) { return value; }))
    return HT_OK;
  return refused(from, HT_ERR_VESSEL,
                 "segment " + std::to_string(from.chosen) + " is empty: no voxel is in it");
}

ht_status read(const char *path, const char *wish, int *chosen, ht_mask *mask) {
  Segmentation from = {};
  ht_grid grid;
  std::vector<int> plane;
  from.path = path;
  HT_TRY(open(from));
  HT_TRY(check_excess(from));
  HT_TRY(choose(from, wish));
  if (chosen) *chosen = from.chosen;
  HT_TRY(make_grid(from, grid));
  HT_TRY(place_frames(from, grid, plane));
  HT_TRY(ht_mask_alloc(&grid, mask));
  ht_status status = read_voxels(from, plane, mask);
  if (status == HT_OK) status = check_filled(from, *mask);
  if (status != HT_OK) ht_mask_free(mask);
  return status;
}

} // namespace

extern "C" ht_status ht_segmentation_read(const char *path, const char *wish, int *chosen,
                                          ht_mask *mask) {
  memset(mask, 0, sizeof *mask);
  return at_the_edge(path, [&] { return read(path, wish, chosen, mask); });
}

extern "C" int ht_segmentation_is(const char *path) {
  int is_one = 0;
  (void)at_the_edge(path, [&] {
    DcmFileFormat file;
    (void)load(path, header_value_max, file);
    is_one = text_of(*file.getDataset(), DCM_Modality) == "SEG";
    return HT_OK;
  });
  return is_one;
}
