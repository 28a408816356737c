#include "app/manual/manual.h"
#include <string.h>

/* Writes a text within '...[HERE]...' of an argument of zsh's _arguments. */
static void put_text(FILE *stream, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '\'')
      fputs("'\\''", stream);
    else if (strchr("[]:\\", *c))
      fprintf(stream, "\\%c", *c);
    else
      fputc(*c, stream);
  }
}

static void put_option(FILE *stream, const ht_option_table *table, const ht_option *option) {
  char help[HT_OPTION_HELP];
  fputs(" \\\n        '*'", stream);
  if (option->brief)
    fprintf(stream, "{%s,%s}", option->brief, option->name);
  else
    fputs(option->name, stream);
  fputs("'[", stream);
  ht_option_help(table, option, help);
  put_text(stream, help);
  fputc(']', stream);
  for (int v = 0; option->value && v < (option->values ? option->values : 1); v++) {
    fputc(':', stream);
    put_text(stream, option->value);
    fputc(':', stream);
    switch (ht_value_kind_of(option)) {
    case HT_VALUE_WORDS:
      fputc('(', stream);
      ht_value_words(stream, option);
      fputc(')', stream);
      break;
    case HT_VALUE_FILE:
      fputs("_files", stream);
      break;
    case HT_VALUE_FOLDER:
      fputs("_files -/", stream);
      break;
    default:
      fputc(' ', stream);
    }
  }
  fputc('\'', stream);
}

static void put_page(FILE *stream, const ht_command_page *page) {
  fprintf(stream, "    '%s')\n      _arguments", page->name);
  for (const ht_option *one = page->table.options; one->name; one++)
    if (ht_page_takes(page, one)) put_option(stream, &page->table, one);
  if (page->operand) {
    fputs(" \\\n        '*:", stream);
    put_text(stream, page->operand);
    if (page->word) {
      fputs(":(", stream);
      for (int i = 0; page->word(i); i++) fprintf(stream, "%s%s", i ? " " : "", page->word(i));
      fputs(")'", stream);
    } else {
      fputs(":_files'", stream);
    }
  }
  fputs("\n      ;;\n", stream);
}

/* Writes 'name:summary' of each command, or with a group ("pacs") of those below it. */
static void put_names(FILE *stream, const ht_manual *manual, const char *group, size_t length) {
  for (int i = 0; i < manual->pages; i++) {
    const ht_command_page *page = &manual->page[i];
    size_t own = ht_page_group(page);
    const char *name = page->name;
    if (group && (own != length || strncmp(name, group, length) != 0)) continue;
    if (!group && (ht_page_group_seen(manual, i) || (own == 0 && strchr(name, ' ')))) continue;
    if (group) name += length + 1;
    fprintf(stream, "'%.*s:", group || own == 0 ? (int)strlen(name) : (int)own, name);
    put_text(stream, page->summary);
    fputs("' ", stream);
  }
}

static void put_groups(FILE *stream, const ht_manual *manual) {
  for (int i = 0; i < manual->pages; i++) {
    const char *name = manual->page[i].name;
    size_t length = ht_page_group(&manual->page[i]);
    if (length == 0 || ht_page_group_seen(manual, i)) continue;
    fprintf(stream,
            "  if [[ $command == %.*s ]]; then\n    if (( CURRENT == 2 )); then\n"
            "      commands=(",
            (int)length, name);
    put_names(stream, manual, name, length);
    fputs(")\n      _describe -t commands 'hemotile command' commands\n      return\n    fi\n"
          "    command+=\" $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n",
          stream);
  }
}

void ht_manual_zsh(FILE *stream, const ht_manual *manual) {
  fputs("#compdef hemotile\n"
        "# Completion of hemotile in zsh; made by `hemotile help completion zsh`.\n"
        "_hemotile() {\n  local -a commands\n  local command=$words[2]\n"
        "  if (( CURRENT == 2 )); then\n    commands=(",
        stream);
  put_names(stream, manual, NULL, 0);
  fputs(")\n    _describe -t commands 'hemotile command' commands\n"
        "    _arguments '--help[the commands]' '--version[version, GPU support and devices]'\n"
        "    return\n  fi\n"
        "  shift words\n  (( CURRENT-- ))\n",
        stream);
  put_groups(stream, manual);
  fputs("  case $command in\n", stream);
  for (int i = 0; i < manual->pages; i++) put_page(stream, &manual->page[i]);
  fputs("  esac\n}\n_hemotile \"$@\"\n", stream);
}
