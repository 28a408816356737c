#include "vessel_sections.h"
#include "console.h"
#include "place_flows.h"
#include "place_sections.h"
#include "segment.h"

static const double reference_across = 24; /* nodes, of the widest opening */
enum { REFERENCE_VOXELS = 40000000 };

static ht_status sample(ht_run *run, ht_mask *reference) {
  ht_segment_options options = run->settings->segment;
  ht_segment_report report = run->manifest.segment;
  options.spacing_mm = 0;
  options.nodes_across = reference_across;
  options.max_voxels = REFERENCE_VOXELS;
  if (run->vessel)
    return ht_vessel_sample(run->vessel, &options, ht_console_progress(), reference, &report);
  return ht_segment_mask(&run->drawn, &options, ht_console_progress(), reference, &report);
}

ht_status ht_run_measure_sections(ht_run *run, ht_openings *known) {
  ht_openings *openings = &run->placed.openings;
  ht_mask reference = {0};
  ht_status status = HT_ERR_MEMORY;
  if (!ht_place_wants_usual(run->settings, openings)) return HT_OK;
  if (ht_place_take_sections(known, openings) == 0) return HT_OK;
  if (!run->mask_edited && (run->vessel || (run->drawn.inside && !run->surface.corner)))
    status = sample(run, &reference);
  if (status == HT_ERR_INTERRUPTED) return status;
  status = ht_place_measure_sections(status == HT_OK ? &reference : &run->mask, openings);
  ht_mask_free(&reference);
  *known = *openings;
  return status;
}
