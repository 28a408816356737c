#define _GNU_SOURCE
#include "run/process/console.h"
#include "core/machine/clock.h"
#include "run/process/interrupt.h"
#include "run/process/log_lock.h"
#include "run/process/progress_file.h"
#include "core/text/words.h"
#ifdef HEMOTILE_HAVE_IMAGING
#include "run/privacy/redact.h"
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const double terminal_period_s = 0.2, log_period_s = 10;
enum { LINE_MAX_LENGTH = 4500, BAR = 16, BELOW_MAX = 4096 };

static struct {
  int quiet, terminal;
  int lines_shown; /* lines of the progress on the terminal */
  char below[BELOW_MAX];
  FILE *log;
  FILE *tags;              /* stream for 3D Slicer's tags; NULL: none */
  double tagged_s, tagged; /* when, and which part of the whole */
  char *kept;              /* lines before the log was opened */
  size_t kept_size;
  FILE *kept_stream;
  char stage[32], hint[4096];
  int number, of;
  double begun_s, shown_s, logged_s;
  double from_s, from_done, last_done; /* start of the reported work; last_done < 0: none yet */
  ht_warnings *warnings;               /* the run's; NULL: there is none. Borrowed */
  ht_warnings early;                   /* those given meanwhile */
  ht_progress_file file;               /* while the log is open */
  int holds, shown;                    /* 1 while warnings are held; number already printed */
} console;

/* Writes control characters, which a terminal would obey, as their numbers; also those of two
 * bytes, U+0080 to U+009F. Line ends stay; HT_MARK_BEGIN and HT_MARK_END are left out. */
static void show_controls(const char *text, char *out, size_t size) {
  size_t end = 0;
  for (const unsigned char *c = (const unsigned char *)text; *c && end + 5 < size; c++) {
    int of_two = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
    if (of_two) c++;
    if (*c == *HT_MARK_BEGIN || *c == *HT_MARK_END) continue;
    if (of_two || *c == 0x7f || (*c < 0x20 && *c != '\n' && *c != '\t'))
      end += (size_t)snprintf(out + end, size - end, "\\x%02x", *c);
    else
      out[end++] = (char)*c;
  }
  out[end] = 0;
}

/* Writes to the log without the patient's identity. The second and later lines of a text are
 * indented: no path or name can fake an entry of the log. */
static void write_log(FILE *log, const char *stamp, const char *said) {
  char text[LINE_MAX_LENGTH + 512], shown[LINE_MAX_LENGTH + 512];
  snprintf(text, sizeof text, "%s", said);
#ifdef HEMOTILE_HAVE_IMAGING
  ht_redact(text, sizeof text);
#endif
  show_controls(text, shown, sizeof shown);
  fprintf(log, "%s ", stamp);
  for (const char *c = shown; *c; c++) fputs(*c == '\n' ? "\n    " : (const char[]){*c, 0}, log);
  fputc('\n', log);
  fflush(log);
}

/* Logs a text. Before the log is open, the patient is unknown: the stamp and the text are kept
 * unchanged. */
static void to_log(const char *said) {
  char stamp[32];
  ht_time_utc(stamp);
  if (console.log)
    write_log(console.log, stamp, said);
  else if (console.kept_stream)
    fprintf(console.kept_stream, "%s%c%s%c", stamp, 0, said, 0);
}

/* Moves the cursor to the first line of the progress. */
static void go_up(void) {
  if (console.lines_shown > 1) fprintf(stderr, "\033[%dA", console.lines_shown - 1);
  fputc('\r', stderr);
}

static void clear_lines(void) {
  if (console.lines_shown == 0) return;
  go_up();
  fputs("\033[J", stderr);
  console.lines_shown = 0;
}

static void say(const char *text, int always) {
  char shown[LINE_MAX_LENGTH + 512];
  to_log(text);
  if (console.quiet && !always) return;
  clear_lines();
  show_controls(text, shown, sizeof shown);
  fprintf(stderr, "%s\n", shown);
}

void ht_console_begin(int quiet, const char *command) {
  console.quiet = quiet;
  console.terminal = isatty(STDERR_FILENO);
  console.begun_s = ht_clock_s();
  console.kept_stream = open_memstream(&console.kept, &console.kept_size);
  to_log(command);
}

int ht_console_set_quiet(int quiet) {
  const int before = console.quiet;
  console.quiet = quiet;
  return before;
}

int ht_console_is_quiet(void) {
  return console.quiet;
}

static void write_kept(FILE *log) {
  for (const char *at = console.kept; at < console.kept + console.kept_size;) {
    const char *said = at + strlen(at) + 1;
    write_log(log, at, said);
    at = said + strlen(said) + 1;
  }
}

static ht_status cannot_write(const char *path) {
  int is_refused = errno == EACCES || errno == EPERM || errno == EROFS;
  return ht_fail(HT_ERR_WRITE, "%s: cannot write: %s%s", path, strerror(errno),
                 is_refused ? ": you may not write into this folder; ask its owner, or work in a "
                              "copy of it"
                            : "");
}

/* Opens only a file of this folder, never through a link. */
static ht_status open_log(const char *path, int *descriptor) {
  struct stat info;
  *descriptor =
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (*descriptor < 0 && errno != ELOOP && errno != ENXIO) return cannot_write(path);
  if (*descriptor >= 0 && fstat(*descriptor, &info) == 0 && S_ISREG(info.st_mode)) return HT_OK;
  if (*descriptor >= 0) close(*descriptor);
  return ht_fail(HT_ERR_USAGE,
                 "%s: this is a link or no file, and nothing is written through it: remove it, or "
                 "choose another folder with -o",
                 path);
}

/* Removes an empty log: it would turn any folder into a case. The log of another run stays. */
static void drop_new_log(const char *path, int descriptor) {
  struct stat info;
  if (fstat(descriptor, &info) == 0 && info.st_size == 0) unlink(path);
}

static ht_status open_and_lock(const char *path, FILE **log) {
  int descriptor;
  HT_TRY(open_log(path, &descriptor));
  ht_status status = ht_log_lock(path, descriptor);
  if (status == HT_OK && (*log = fdopen(descriptor, "a"))) return HT_OK;
  if (status == HT_OK) {
    ht_log_unlock();
    status = ht_fail(HT_ERR_MEMORY, "not enough memory");
  }
  if (status == HT_ERR_WRITE) drop_new_log(path, descriptor);
  close(descriptor);
  return status;
}

ht_status ht_console_log(const char *path) {
  FILE *log;
  HT_TRY(open_and_lock(path, &log));
  console.log = log;
  ht_progress_file_begin(path, &console.file);
  if (console.kept_stream) {
    fclose(console.kept_stream);
    write_kept(log);
    free(console.kept);
    console.kept_stream = NULL;
    console.kept = NULL;
  }
  return HT_OK;
}

static void close_log(void) {
  if (!console.log) return;
  ht_progress_file_end(&console.file);
  ht_log_unlock();
  fclose(console.log);
  console.log = NULL;
}

void ht_console_end(void) {
  clear_lines();
  close_log();
  if (console.kept_stream) fclose(console.kept_stream);
  free(console.kept);
  console.kept_stream = NULL;
  console.kept = NULL;
}

void ht_console_next(void) {
  if (console.log) {
    close_log();
    console.kept_stream = open_memstream(&console.kept, &console.kept_size);
  }
  ht_console_warnings_to(NULL);
  console.early.count = 0;
  console.hint[0] = 0;
}

void ht_console_note(const char *format, ...) {
  char text[LINE_MAX_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  say(text, 0);
}

static ht_warnings *warnings(void) {
  return console.warnings ? console.warnings : &console.early;
}

void ht_console_warnings_to(ht_warnings *all) {
  ht_warnings *early = &console.early;
  console.warnings = all;
  for (int i = 0; all && i < early->count && all->count < HT_WARNINGS_MAX; i++)
    memcpy(all->text[all->count++], early->text[i], sizeof *all->text);
  if (all) early->count = 0;
}

static void say_warning(const char *text) {
  char line[HT_WARNING_LENGTH + 16];
  snprintf(line, sizeof line, "warning: %s", text);
  say(line, 1);
}

void ht_console_warn(const char *format, ...) {
  char text[HT_WARNING_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ht_warnings *all = warnings();
  for (int i = 0; i < all->count; i++)
    if (strcmp(all->text[i], text) == 0) return;
  int is_kept = all->count < HT_WARNINGS_MAX;
  if (is_kept) memcpy(all->text[all->count++], text, sizeof text);
  if (!console.holds || !is_kept) say_warning(text);
}

void ht_console_hold_warnings(void) {
  console.holds = 1;
  console.shown = warnings()->count;
}

void ht_console_show_warnings(void) {
  const ht_warnings *all = warnings();
  for (int i = console.shown; console.holds && i < all->count; i++) say_warning(all->text[i]);
  console.holds = 0;
}

void ht_console_drop_warnings(int from, int to) {
  ht_warnings *all = warnings();
  memmove(all->text[from], all->text[to], (size_t)(all->count - to) * sizeof *all->text);
  all->count -= to - from;
}

int ht_console_warnings(void) {
  return warnings()->count;
}

const char *ht_console_warning(int number) {
  return warnings()->text[number];
}

void ht_console_hint(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(console.hint, sizeof console.hint, format, arguments);
  va_end(arguments);
}

void ht_console_error(void) {
  char text[LINE_MAX_LENGTH];
  const char *message = ht_error_message();
  snprintf(text, sizeof text, "hemotile: error: %s", *message ? message : "unknown");
  say(text, 1);
  if (!console.hint[0]) return;
  snprintf(text, sizeof text, "hemotile: %s", console.hint);
  say(text, 1);
}

void ht_console_stage(const char *name, int number, int of) {
  snprintf(console.stage, sizeof console.stage, "%s", name);
  console.number = number;
  console.of = of;
  console.begun_s = console.logged_s = ht_clock_s();
  console.shown_s = 0;
  console.last_done = -1;
}

void ht_console_stage_end(void) {
  char text[128];
  clear_lines();
  console.below[0] = 0;
  snprintf(text, sizeof text, "%-8s done in %.1f s", console.stage, ht_clock_s() - console.begun_s);
  say(text, 0);
}

/* Follows the progress. Work that resumes from a checkpoint has done much before; that of a stage's
 * next part begins again. The time left is estimated from what was done since. */
static void follow(double done) {
  if (console.last_done < 0 || done < 0.5 * console.last_done) {
    console.from_s = ht_clock_s();
    console.from_done = done;
    ht_progress_file_restart(&console.file);
  }
  console.last_done = done;
}

/* Returns the time that the stage's work still takes; -1: not known. */
static double time_left(double done, double total) {
  double elapsed_s = ht_clock_s() - console.from_s, since = done - console.from_done;
  if (!(total > 0 && since > 0 && elapsed_s > 1)) return -1;
  double left_s = elapsed_s * (total - done) / since;
  return left_s > 3.6e6 ? -1 : fmax(left_s, -1);
}

static void format_left(double done, double total, char *text, size_t size) {
  const double left_s = time_left(done, total);
  text[0] = 0;
  if (left_s < 0) return;
  int seconds = (int)(left_s + 0.5);
  if (seconds >= 3600)
    snprintf(text, size, "%d:%02d:%02d left", seconds / 3600, seconds / 60 % 60, seconds % 60);
  else
    snprintf(text, size, "%d:%02d left", seconds / 60, seconds % 60);
}

static void format_progress(double done, double total, const char *note, char *text, size_t size) {
  char bar[BAR + 1], left[48], percent[16] = "", stage[64] = ""; /* "": a command without stages */
  double fraction = total > 0 ? fmin(fmax(done / total, 0), 1) : 0;
  for (int i = 0; i < BAR; i++) bar[i] = i < fraction * BAR ? '#' : '.';
  bar[BAR] = 0;
  if (total > 0) snprintf(percent, sizeof percent, "%3.0f %% ", 100 * fraction);
  format_left(done, total, left, sizeof left);
  if (console.of > 0)
    snprintf(stage, sizeof stage, "%d/%d %-8s ", console.number, console.of, console.stage);
  snprintf(text, size, "%s[%s] %s%s%s%s", stage, bar, percent, left, *note && *left ? ", " : "",
           note);
}

static void terminal_size(int *width, int *height) {
  struct winsize window;
  *width = 80, *height = 24;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0) return;
  if (window.ws_col >= 20) *width = window.ws_col;
  if (window.ws_row >= 2) *height = window.ws_row;
}

int ht_console_rows(void) {
  int width, height;
  if (!console.terminal || console.quiet) return 0;
  terminal_size(&width, &height);
  return height;
}

void ht_console_below(const char *lines) {
  snprintf(console.below, sizeof console.below, "%s", lines);
}

/* Draws over the earlier lines; a line is cut to the width, else it would take two. */
static void draw(const char *text) {
  char shown[BELOW_MAX];
  int width, height, lines = 1;
  terminal_size(&width, &height);
  go_up();
  fprintf(stderr, "%.*s\033[K", width - 1, text);
  show_controls(console.below, shown, sizeof shown);
  for (const char *at = shown; *at && lines < height; lines++) {
    const int length = (int)strcspn(at, "\n");
    fprintf(stderr, "\n%.*s\033[K", length < width ? length : width - 1, at);
    at += length + (at[length] == '\n');
  }
  fputs("\033[J", stderr);
  console.lines_shown = lines;
}

void ht_console_tags(FILE *stream) {
  if (stream)
    fputs("<filter-start><filter-name>hemotile</filter-name>"
          "<filter-comment>from the scan to the flow</filter-comment></filter-start>\n",
          stream);
  else if (console.tags)
    fputs("<filter-end><filter-name>hemotile</filter-name></filter-end>\n", console.tags);
  if (stream || console.tags) fflush(stream ? stream : console.tags);
  console.tags = stream;
}

/* Writes the tags; each stage counts the same in the whole. */
static void write_tags(double done, double total, double now) {
  if (!console.tags || now - console.tagged_s < terminal_period_s) return;
  const double part = total > 0 ? fmin(fmax(done / total, 0), 1) : 0;
  const double whole = console.of > 0 ? (console.number - 1 + part) / console.of : 0;
  console.tagged = fmax(console.tagged, whole); /* a stage may begin another part */
  fprintf(console.tags,
          "<filter-progress>%.4f</filter-progress>\n"
          "<filter-progress-text>%s</filter-progress-text>\n"
          "<filter-stage-progress>%.4f</filter-stage-progress>\n",
          console.tagged, console.stage, part);
  fflush(console.tags);
  console.tagged_s = now;
}

static void write_file(double done, double total, double now) {
  const ht_progress_state state = {.stage = console.stage,
                                   .number = console.number,
                                   .of = console.of,
                                   .done = done,
                                   .total = total,
                                   .left_s = time_left(done, total),
                                   .spent_s = now - console.begun_s};
  ht_progress_file_write(&state, &console.file);
}

static void take_number(void *user, const char *name, double done, double value) {
  (void)user;
  ht_progress_file_number(name, done, value, &console.file);
}

static int report(void *user, const char *stage, double done, double total, const char *note) {
  (void)user, (void)stage;
  char text[512];
  double now = ht_clock_s();
  follow(done);
  write_tags(done, total, now);
  write_file(done, total, now);
  int to_screen = console.terminal && !console.quiet && now - console.shown_s > terminal_period_s;
  int to_file = now - console.logged_s > log_period_s && (total > 0 || *note); /* no empty line */
  if (to_screen || to_file) format_progress(done, total, note, text, sizeof text);
  if (to_file && console.terminal) to_log(text);
  if (to_file && !console.terminal) say(text, 0);
  if (to_file) console.logged_s = now;
  if (to_screen) {
    draw(text);
    console.shown_s = now;
  }
  return ht_interrupt_asked();
}

const ht_progress *ht_console_progress(void) {
  static const ht_progress progress = {.report = report, .number = take_number};
  return &progress;
}
