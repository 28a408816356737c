#include "export/report/report.h"
#include "core/disk/file.h"
#include "core/disk/folder_names.h"
#include "export/report/page_parts.h"
#include "export/report/page_picture.h"
#include "export/report/page_text.h"
#include "core/text/shell_word.h"
#include <stdlib.h>
#include <string.h>

/* The pictures in the order of the page. */
static const struct {
  const char *file, *title, *caption;
  const char *of_beat; /* in place of the caption where the flow pulses; NULL: the same */
} pictures[] = {
    {"tawss.png", "Time-averaged wall shear stress (TAWSS)", "mean of the magnitude over the beat.",
     NULL},
    {"wall.png", "Wall shear stress", "on the wall, from three sides.",
     "the magnitude of its mean over the beat, from three sides: small where it turns to and fro."},
    {"osi.png", "Oscillatory shear index",
     "0: the stress keeps its direction; 0.5: it turns to and fro.", NULL},
    {"velocity.png", "Speed of the blood", "largest along the view, and in slices.",
     "mean flow of the beat: largest along the view, and in slices."},
    {"velocity_phase.png", "Speed at one moment of the beat",
     "largest along the view, and in slices.", NULL},
    {"streamlines.png", "Streamlines", "coloured by the speed.",
     "at one moment of the beat, coloured by the speed."},
    {"mask_on_scan.png", "The vessel on the scan",
     "three slices with the outline of the vessel that was found. Check here whether it is the "
     "right one.",
     NULL},
    {"projection.png", "Projections of the scan", "with the openings.", NULL},
    {"straightened.png", "The vessel straightened",
     "along its centreline, with the outline of the vessel that was found.", NULL},
    {"sections.png", "Sections across the vessel", "with the outline of the vessel that was found.",
     NULL},
    {"measured_flow.png", "The measured flow",
     "as read and as corrected, with the outline of the vessel that was found.", NULL},
};

typedef struct {
  const char *folder, *name;
  const ht_report_view *view;
} page;

/* Writes a file of the folder through `put`; nothing where it is absent. */
static ht_status put_file(FILE *stream, const page *of, const char *name,
                          void (*put)(FILE *, const char *, size_t)) {
  char path[HT_PATH_MAX], *bytes;
  size_t size;
  HT_TRY(ht_path_join(path, of->folder, name));
  if (!ht_file_exists(path)) return HT_OK;
  HT_TRY(ht_page_read(path, &bytes, &size));
  put(stream, bytes, size);
  free(bytes);
  return HT_OK;
}

static void put_image(FILE *stream, const char *bytes, size_t size) {
  ht_page_put_base64(stream, (const uint8_t *)bytes, size);
}

static ht_status put_pictures(FILE *stream, const page *of) {
  char beat[HT_PATH_MAX];
  HT_TRY(ht_path_join(beat, of->folder, HT_FOLDER_PICTURES "/tawss.png"));
  const int pulses = ht_file_exists(beat);
  for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
    char inner[64], path[HT_PATH_MAX];
    snprintf(inner, sizeof inner, HT_FOLDER_PICTURES "/%s", pictures[i].file);
    HT_TRY(ht_path_join(path, of->folder, inner));
    if (!ht_file_exists(path)) continue;
    int is_mean = pulses && pictures[i].of_beat;
    HT_TRY(ht_page_put_figure(stream, path, pictures[i].title,
                              is_mean ? pictures[i].of_beat : pictures[i].caption));
  }
  return HT_OK;
}

/* Writes the animation in a part that can be closed, since it moves as long as it is shown. */
static ht_status put_animation(FILE *stream, const page *of) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, of->folder, HT_FILE_ANIMATION));
  if (!ht_file_exists(path)) return HT_OK;
  fputs("<details open id=\"beat\"><summary>The beat as a moving picture</summary><figure><img "
        "alt=\"Speed of the blood and wall shear stress over one beat.\" "
        "src=\"data:image/webp;base64,",
        stream);
  HT_TRY(put_file(stream, of, HT_FILE_ANIMATION, put_image));
  fputs("\"><figcaption><b>One beat:</b> speed of the blood in m/s, and wall shear stress in Pa. "
        "Close this part to stop it.</figcaption></figure></details>\n",
        stream);
  return HT_OK;
}

static ht_status put_summary(FILE *stream, const page *of) {
  char path[HT_PATH_MAX];
  HT_TRY(ht_path_join(path, of->folder, HT_FILE_SUMMARY));
  if (!ht_file_exists(path)) {
    char typed[HT_SHELL_WORD_MAX(HT_PATH_MAX)];
    ht_shell_word(of->folder, typed, sizeof typed);
    return ht_fail(HT_ERR_NOT_FOUND, "%s: there is no such file: run `hemotile export %s` first",
                   path, typed);
  }
  return put_file(stream, of, HT_FILE_SUMMARY, ht_page_put_json);
}

/* Writes the page's code. Without a view it omits the viewer, which is most of it. */
static void put_code(FILE *stream, const page *of) {
  fputs(ht_page_numbers_js, stream);
  fputs(ht_page_plots_js, stream);
  if (!of->view || !of->view->text) return;
  fputs("</script>\n<script>\n", stream);
  fputs(ht_page_niivue_umd_js, stream);
  fputs("\n</script>\n<script>\n", stream);
  fputs(ht_page_view_js, stream);
}

/* Writes the part that a mark of the template stands for. */
static ht_status put_part(FILE *stream, const page *of, const char *mark, size_t length) {
#define IS(word) (length == sizeof word - 1 && memcmp(mark, word, length) == 0)
  if (IS("name")) ht_page_put_text(stream, of->name);
  if (IS("style")) fputs(ht_page_report_css, stream);
  if (IS("code")) put_code(stream, of);
  if (IS("licence")) ht_page_put_text(stream, ht_page_LICENSE);
  if (IS("animation")) return put_animation(stream, of);
  if (IS("pictures")) return put_pictures(stream, of);
  if (IS("summary")) return put_summary(stream, of);
  if (IS("waveforms")) return put_file(stream, of, HT_FILE_WAVEFORMS, ht_page_put_table);
  if (IS("inflow")) return put_file(stream, of, HT_FILE_INFLOW, ht_page_put_table);
  if (IS("centreline")) return put_file(stream, of, HT_FILE_CENTRELINE, ht_page_put_table);
  if (IS("view") && of->view && of->view->text) fwrite(of->view->text, 1, of->view->size, stream);
#undef IS
  return HT_OK;
}

static ht_status put_page(FILE *stream, const page *of) {
  const char *at = ht_page_template_html;
  for (;;) {
    const char *mark = strstr(at, "{{"), *end = mark ? strstr(mark, "}}") : NULL;
    if (!end) break;
    fwrite(at, 1, (size_t)(mark - at), stream);
    HT_TRY(put_part(stream, of, mark + 2, (size_t)(end - mark) - 2));
    at = end + 2;
  }
  fputs(at, stream);
  return HT_OK;
}

ht_status ht_report_write(const char *folder, const char *name, const ht_report_view *view) {
  char path[HT_PATH_MAX];
  ht_output output;
  const page of = {folder, name, view};
  HT_TRY(ht_path_join(path, folder, HT_FILE_REPORT));
  HT_TRY(ht_output_open(path, &output));
  return ht_output_end(&output, put_page(output.stream, &of));
}
