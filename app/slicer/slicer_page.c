#include "app/slicer/slicer_page.h"
#include "core/disk/folder_names.h"
#include "core/version.h"
#include "segment/settings/segment_options.h"
#include "solver/inflow/published_waveforms.h"
#include <string.h>

static const char *const part_choices[] = {"other", "head", NULL};
static const char *const device_choices[] = {"auto", "cpu", "cuda", NULL};

const ht_slicer_parameter ht_slicer_parameters[] = {
    {.group = "Scan and vessel",
     .element = "image",
     .name = "scan",
     .label = "Scan",
     .description = "A scan with bright blood: CT or MR angiography, rotational angiography",
     .channel = "input",
     .use = HT_SLICER_SCAN},
    {.element = "point multiple=\"true\" coordinateSystem=\"lps\"",
     .name = "points",
     .flag = "point",
     .label = "Points in the vessel",
     .description = "The first where blood enters, the others where it leaves. Without points "
                    "hemotile finds the vessel by itself",
     .use = HT_SLICER_POINTS},
    {.element = "string-enumeration",
     .name = "preset",
     .flag = "preset",
     .label = "Kind of scan",
     .description = "Settings for finding the vessel. A volume in Slicer has no DICOM tags, so "
                    "auto chooses none: name the kind",
     .value = "auto",
     .choices = ht_segment_preset_words,
     .use = HT_SLICER_OPTION},
    {.group = "Flow",
     .element = "double",
     .name = "flow",
     .flag = "flow",
     .label = "Flow, mL/s",
     .description = "Mean flow through the inlet. 0: not known",
     .value = "0",
     .limits = "        <minimum>0</minimum>\n        <maximum>1000</maximum>\n"
               "        <step>0.1</step>\n",
     .use = HT_SLICER_FLOW},
    {.element = "string-enumeration",
     .name = "part",
     .flag = "part",
     .label = "Part of the body",
     .description = "head: a flow of 0 means the usual flow of an artery of this width in a head",
     .value = "other",
     .choices = part_choices,
     .use = HT_SLICER_PART},
    {.group = "Computation",
     .element = "integer",
     .name = "nodes",
     .flag = "nodes_across",
     .label = "Nodes across",
     .description = "Lattice nodes across the widest opening. More are finer and slower",
     .value = "20",
     .limits = "        <minimum>8</minimum>\n        <maximum>100</maximum>\n"
               "        <step>1</step>\n",
     .use = HT_SLICER_OPTION},
    {.element = "string-enumeration",
     .name = "device",
     .flag = "device",
     .label = "Device",
     .description = "auto: the GPU where there is one",
     .value = "auto",
     .choices = device_choices,
     .use = HT_SLICER_OPTION},
    {.group = "Results",
     .element = "directory",
     .name = "folder",
     .label = "Case folder",
     .description = "All results: report.html, pictures, numbers, files. An empty folder, or one "
                    "of the same scan",
     .channel = "output",
     .use = HT_SLICER_FOLDER},
    {.element = "image type=\"label\" fileExtensions=\".nii.gz\"",
     .name = "mask",
     .flag = "mask_file",
     .label = "Vessel",
     .description = "The vessel that was found, as a label map",
     .channel = "output",
     .file = HT_FILE_MASK,
     .use = HT_SLICER_RESULT},
    {.element = "geometry fileExtensions=\".vtp\"",
     .name = "wall",
     .flag = "wall_file",
     .label = "Wall",
     .description = "The vessel's wall with the wall shear stress, Pa",
     .channel = "output",
     .file = HT_FILE_WALL,
     .use = HT_SLICER_RESULT},
    {.element = NULL},
};

/* The texts of the table have none of XML's own signs. */
static void put_element(FILE *out, const char *name, const char *text) {
  fprintf(out, "      <%s>%s</%s>\n", name, text, name);
}

/* Writes a parameter; the order of the elements is that of the schema. */
static void put_parameter(FILE *out, const ht_slicer_parameter *one, int *place) {
  const int length = (int)strcspn(one->element, " ");
  fprintf(out, "    <%s>\n", one->element);
  put_element(out, "name", one->name);
  if (one->flag)
    put_element(out, "longflag", one->flag);
  else
    fprintf(out, "      <index>%d</index>\n", (*place)++);
  put_element(out, "description", one->description);
  put_element(out, "label", one->label);
  if (one->value) put_element(out, "default", one->value);
  if (one->channel) put_element(out, "channel", one->channel);
  for (int i = 0; one->choices && one->choices[i]; i++)
    put_element(out, "element", one->choices[i]);
  if (one->limits) fprintf(out, "      <constraints>\n%s      </constraints>\n", one->limits);
  fprintf(out, "    </%.*s>\n", length, one->element);
}

void ht_slicer_describe(FILE *out) {
  int place = 0;
  fprintf(
      out,
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<executable>\n"
      "  <category>Vascular</category>\n"
      "  <title>hemotile</title>\n"
      "  <description>From a scan to the blood flow in the vessel and the load on its wall. Not "
      "for clinical decisions.</description>\n"
      "  <version>%s</version>\n",
      ht_version());
  for (const ht_slicer_parameter *one = ht_slicer_parameters; one->element; one++) {
    if (one->group) {
      fprintf(out, "%s  <parameters>\n", one == ht_slicer_parameters ? "" : "  </parameters>\n");
      fprintf(out, "    <label>%s</label>\n    <description>%s</description>\n", one->group,
              one->group);
    }
    put_parameter(out, one, &place);
  }
  fputs("  </parameters>\n</executable>\n", out);
}
