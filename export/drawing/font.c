/* The glyphs were designed for this project (same licence); they are no copy of another font.
 *
 * A glyph is its width, then strokes of three characters each: an operation and a point x y. All
 * numbers are one digit in base 36, in 14ths of the height of a capital letter; y counts upwards
 * and the base line is at 4, the top of the capitals at 18 ('i'), of the small letters at 14 ('e').
 *   m  move there                l  straight line there
 *   h  quarter of an ellipse there that leaves horizontally and arrives vertically
 *   v  quarter of an ellipse there that leaves vertically and arrives horizontally
 */
#include "export/drawing/font.h"
#include <math.h>
#include <string.h>

static const char *const glyphs[95] = {
    /*   */ "4",
    /* ! */ "1m0il09m04l14l15l05l04",
    /* " */ "3m0il0em3il3e",
    /* # */ "9m23l4im53l7im0dl9dm08l98",
    /* $ */ "am9fv5ih0fv5bha8v54h07m5kl52",
    /* % */ "cm04lcim3ih6fv3ch0fv3im9ahc7v94h67v9a",
    /* & */ "bma4l2dv4ih7fl19h07v44ha9",
    /* ' */ "0m0il0e",
    /* ( */ "3m3jl1fl0bl17l33",
    /* ) */ "3m0jl2fl3bl27l03",
    /* * */ "6m3hl3bm0fl6dm0dl6f",
    /* + */ "8m4dl45m09l89",
    /* , */ "1m14l02",
    /* - */ "5m0al5a",
    /* . */ "1m04l14l15l05l04",
    /* / */ "6m03l6j",
    /* 0 */ "8m4ih8bv44h0bv4i",
    /* 1 */ "8m1fl4il44",
    /* 2 */ "8m0ev4ih8el7bl04l84",
    /* 3 */ "8m0fv4ih8fv4cl3cm4ch88v44h07",
    /* 4 */ "8m64l6il08l88",
    /* 5 */ "8m7il1il0bv4dh88v44h07",
    /* 6 */ "8m7gv4ih0bl08m4dh88v44h08v4d",
    /* 7 */ "8m0il8il34",
    /* 8 */ "8m4ih7fv4ch1fv4im4ch88v44h08v4c",
    /* 9 */ "8m16v44h8bl8em49h0ev4ih8ev49",
    /* : */ "1m04l14l15l05l04m0cl1cl1dl0dl0c",
    /* ; */ "1m0cl1cl1dl0dl0cm14l02",
    /* < */ "8m8el09l84",
    /* = */ "8m0bl8bm07l87",
    /* > */ "8m0el89l04",
    /* ? */ "7m0ev4ih7el3al38m34l34",
    /* @ */ "cm9cl97vb6hcbv6ih0bv64l94m6ch99v66h39v6c",
    /* A */ "am04l5ila4m29l89",
    /* B */ "9m04l0il5ih8fv5cl0cm5ch98v54l04",
    /* C */ "amaev6ih0bv64ha8",
    /* D */ "am04l0il4ihabv44l04",
    /* E */ "8m8il0il04l84m0bl7b",
    /* F */ "8m8il0il04m0bl7b",
    /* G */ "amaev6ih0bv64ha8labl6b",
    /* H */ "am04l0ima4laim0blab",
    /* I */ "0m04l0i",
    /* J */ "7m7il78v34h08",
    /* K */ "9m04l0im9il09m3cl94",
    /* L */ "8m0il04l84",
    /* M */ "cm04l0il68lcilc4",
    /* N */ "am04l0ila4lai",
    /* O */ "cm6ihcbv64h0bv6i",
    /* P */ "9m04l0il5ih9ev5al0a",
    /* Q */ "cm6ihcbv64h0bv6im88lc3",
    /* R */ "9m04l0il5ih9ev5al0am5al94",
    /* S */ "am9fv5ih0fv5bha8v54h07",
    /* T */ "am0ilaim5il54",
    /* U */ "am0il09v54ha9lai",
    /* V */ "am0il54lai",
    /* W */ "em0il44l7hla4lei",
    /* X */ "am0ila4mail04",
    /* Y */ "am0il5blaim5bl54",
    /* Z */ "am0ilail04la4",
    /* [ */ "3m3jl0jl03l33",
    /* \ */ "6m0jl63",
    /* ] */ "3m0jl3jl33l03",
    /* ^ */ "6m0el3il6e",
    /* _ */ "9m02l92",
    /* ` */ "2m0il2f",
    /* a */ "8m4eh89v44h09v4em8el84",
    /* b */ "8m0il04m4eh89v44h09v4e",
    /* c */ "8m8cv4eh09v44h86",
    /* d */ "8m8il84m4eh89v44h09v4e",
    /* e */ "8m09l89v4eh09v44h86",
    /* f */ "5m5ih2fl24m0el5e",
    /* g */ "8m4eh89v44h09v4em8el83v40h02",
    /* h */ "8m0il04m0av4eh8al84",
    /* i */ "0m04l0em0il0i",
    /* j */ "3m3im3el33v00m3il3i",
    /* k */ "7m04l0im7el07m3al74",
    /* l */ "2m0il06v24",
    /* m */ "cm04l0em0bv3eh6bl64m6bv9ehcblc4",
    /* n */ "8m04l0em0av4eh8al84",
    /* o */ "8m4eh89v44h09v4e",
    /* p */ "8m0el00m4eh89v44h09v4e",
    /* q */ "8m8el80m4eh89v44h09v4e",
    /* r */ "5m04l0em0av4el5e",
    /* s */ "7m7cv4eh0cv49h77v44h06",
    /* t */ "5m2il27v54m0el5e",
    /* u */ "8m0el08v44h88m8el84",
    /* v */ "8m0el44l8e",
    /* w */ "cm0el34l6cl94lce",
    /* x */ "7m0el74m7el04",
    /* y */ "8m0el44m8el20",
    /* z */ "7m0el7el04l74",
    /* { */ "4m4jl2il2dl0bl29l24l43",
    /* | */ "0m0jl02",
    /* } */ "4m0jl2il2dl4bl29l24l03",
    /* ~ */ "9m08l2al78l9a",
};

enum { MAX_POINTS = 160, ARC_STEPS = 7 };
static const double gap = 3.6;     /* between two letters, in 14ths of the size */
static const double weight = 0.13; /* stroke width / size */

/* The strokes of a glyph as line segments in pixels. */
typedef struct {
  int count;
  double end[MAX_POINTS][2][2];
} strokes;

static int digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The letters from U+00C0 to U+00FF without their marks: names are seldom in English. */
static const char unmarked[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";

/* The glyph of the character (UTF-8) at *text, which then points past it. */
static const char *next_glyph(const char **text) {
  const unsigned char *at = (const unsigned char *)*text;
  unsigned c = *at++;
  if (c == 0xc3 && (*at & 0xc0) == 0x80) c = (unsigned char)unmarked[*at & 0x3f];
  while ((*at & 0xc0) == 0x80) at++;
  *text = (const char *)at;
  return glyphs[(c < ' ' || c > '~' ? '?' : c) - ' '];
}

static void add(strokes *s, const double from[2], const double to[2]) {
  if (s->count == MAX_POINTS) return;
  memcpy(s->end[s->count][0], from, 2 * sizeof(double));
  memcpy(s->end[s->count][1], to, 2 * sizeof(double));
  s->count++;
}

static void add_arc(strokes *s, const double from[2], const double to[2], int horizontal) {
  double last[2] = {from[0], from[1]};
  for (int i = 1; i <= ARC_STEPS; i++) {
    double angle = i * acos(0.0) / ARC_STEPS, rise = 1 - cos(angle), run = sin(angle);
    double at[2] = {from[0] + (to[0] - from[0]) * (horizontal ? run : rise),
                    from[1] + (to[1] - from[1]) * (horizontal ? rise : run)};
    add(s, last, at);
    memcpy(last, at, sizeof last);
  }
}

static void outline(const char *glyph, double x, double y, double size, strokes *s) {
  double pen[2] = {x, y}, unit = size / 14;
  s->count = 0;
  for (const char *op = glyph + 1; op[0] && op[1] && op[2]; op += 3) {
    double to[2] = {x + unit * digit(op[1]), y + unit * (18 - digit(op[2]))};
    if (op[0] == 'l') add(s, pen, to);
    if (op[0] == 'h' || op[0] == 'v') add_arc(s, pen, to, op[0] == 'h');
    memcpy(pen, to, sizeof pen);
  }
}

/* The strokes that come within `reach` of row y. */
static int strokes_near(const strokes *s, double y, double reach, int near[MAX_POINTS]) {
  int count = 0;
  for (int k = 0; k < s->count; k++) {
    double a = s->end[k][0][1], b = s->end[k][1][1];
    if (y > (a < b ? a : b) - reach && y < (a < b ? b : a) + reach) near[count++] = k;
  }
  return count;
}

/* The square of the distance to the nearest stroke; HUGE_VAL where none comes within `reach`. */
static double nearest_stroke2(const strokes *s, const int near[], int count, const double at[2],
                              double reach) {
  double nearest = HUGE_VAL;
  for (int n = 0; n < count; n++) {
    const double *a = s->end[near[n]][0], *b = s->end[near[n]][1];
    if (at[0] < (a[0] < b[0] ? a[0] : b[0]) - reach) continue;
    if (at[0] > (a[0] < b[0] ? b[0] : a[0]) + reach) continue;
    double distance = ht_segment_distance2(at, a, b);
    if (distance < nearest) nearest = distance;
  }
  return nearest;
}

/* Draws a glyph with one coverage per pixel, so that strokes that cross are not drawn twice. */
static void draw_strokes(ht_canvas *canvas, const strokes *s, double x, double y, double size,
                         double width, ht_rgb colour) {
  int x0 = (int)floor(x - width), x1 = (int)ceil(x + size * 1.1 + width);
  int y0 = (int)floor(y - 0.1 * size - width), y1 = (int)ceil(y + 1.35 * size + width);
  double reach = 0.5 + 0.5 * width;
  int near[MAX_POINTS];
  for (int j = y0; j <= y1; j++) {
    int count = strokes_near(s, j + 0.5, reach, near);
    for (int i = x0; count > 0 && i <= x1; i++) {
      double centre[2] = {i + 0.5, j + 0.5};
      double nearest2 = nearest_stroke2(s, near, count, centre, reach);
      if (nearest2 < reach * reach) ht_canvas_blend(canvas, i, j, colour, reach - sqrt(nearest2));
    }
  }
}

static void draw(ht_canvas *canvas, double x, double y, double size, double width, ht_rgb colour,
                 const char *text) {
  strokes s;
  if (!(fabs(x) < 1e6 && fabs(y) < 1e6)) return;
  while (*text) {
    const char *glyph = next_glyph(&text);
    outline(glyph, x, y, size, &s);
    draw_strokes(canvas, &s, x, y, size, width, colour);
    x += size / 14 * (digit(glyph[0]) + gap);
  }
}

void ht_font_draw(ht_canvas *canvas, double x, double y, double size, ht_rgb colour,
                  const char *text) {
  draw(canvas, x, y, size, fmax(weight * size, 1.3), colour, text);
}

void ht_font_draw_rimmed(ht_canvas *canvas, double x, double y, double size, ht_rgb colour,
                         ht_rgb rim, const char *text) {
  draw(canvas, x, y, size, weight * size + 4, rim, text);
  ht_font_draw(canvas, x, y, size, colour, text);
}

double ht_font_width(double size, const char *text) {
  double units = *text ? -gap : 0;
  while (*text) units += digit(next_glyph(&text)[0]) + gap;
  return units * size / 14;
}
