#include "app/manual/manual.h"
#include <string.h>

/* Writes what follows an option: a function of the script that fills COMPREPLY. */
static void put_value(FILE *stream, const ht_option *option) {
  fputs("      ", stream);
  if (option->brief) fprintf(stream, "%s | ", option->brief);
  fprintf(stream, "%s) ", option->name);
  switch (ht_value_kind_of(option)) {
  case HT_VALUE_WORDS:
    fputs("_hemotile_words '", stream);
    ht_value_words(stream, option);
    fputc('\'', stream);
    break;
  case HT_VALUE_FILE:
    fputs("_hemotile_paths -f", stream);
    break;
  case HT_VALUE_FOLDER:
    fputs("_hemotile_paths -d", stream);
    break;
  default:
    fputc(':', stream); /* a number or a text: nothing to offer */
  }
  fputs("; return ;;\n", stream);
}

static void put_page(FILE *stream, const ht_command_page *page) {
  fprintf(stream, "  '%s')\n    case $prev in\n", page->name);
  for (const ht_option *one = page->table.options; one->name; one++)
    if (ht_page_takes(page, one) && one->value) put_value(stream, one);
  fputs("    esac\n    options='", stream);
  for (const ht_option *one = page->table.options; one->name; one++)
    if (ht_page_takes(page, one)) fprintf(stream, "%s ", one->name);
  fputs("'\n", stream);
  if (!page->operand) fputs("    words=' '\n", stream);
  if (page->word) {
    fputs("    words='", stream);
    for (int i = 0; page->word(i); i++) fprintf(stream, "%s ", page->word(i));
    fputs("'\n", stream);
  }
  fputs("    ;;\n", stream);
}

/* Writes the commands, or with a group ("pacs") those below it. */
static void put_names(FILE *stream, const ht_manual *manual, const char *group, size_t length) {
  for (int i = 0; i < manual->pages; i++) {
    const char *name = manual->page[i].name;
    size_t own = ht_page_group(&manual->page[i]);
    if (group && own == length && strncmp(name, group, length) == 0)
      fprintf(stream, "%s ", name + length + 1);
    if (!group && own > 0 && !ht_page_group_seen(manual, i))
      fprintf(stream, "%.*s ", (int)own, name);
    if (!group && own == 0 && !strchr(name, ' ')) fprintf(stream, "%s ", name);
  }
}

static void put_groups(FILE *stream, const ht_manual *manual) {
  for (int i = 0; i < manual->pages; i++) {
    const char *name = manual->page[i].name;
    size_t length = ht_page_group(&manual->page[i]);
    if (length == 0 || ht_page_group_seen(manual, i)) continue;
    fprintf(stream, "  %.*s)\n    if ((COMP_CWORD == 2)); then\n      _hemotile_words '",
            (int)length, name);
    put_names(stream, manual, name, length);
    fputs("'\n      return\n    fi\n    command+=\" ${COMP_WORDS[2]}\"\n    ;;\n", stream);
  }
}

static const char begin[] =
    "# Completion of hemotile in bash; made by `hemotile help completion bash`.\n"
    "_hemotile_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_hemotile_paths() {\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "_hemotile() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local command=${COMP_WORDS[1]} options='' words=''\n"
    "  COMPREPLY=()\n"
    "  # --name=value comes as three words.\n"
    "  if [[ $cur == = ]]; then\n"
    "    cur=''\n"
    "  elif [[ $prev == = ]]; then\n"
    "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n"
    "  if ((COMP_CWORD == 1)); then\n";

void ht_manual_bash(FILE *stream, const ht_manual *manual) {
  fputs(begin, stream);
  fputs("    _hemotile_words '", stream);
  put_names(stream, manual, NULL, 0);
  fputs("help --help --version'\n    return\n  fi\n  case $command in\n  help)\n"
        "    _hemotile_words '",
        stream);
  put_names(stream, manual, NULL, 0);
  fputs("case'\n    return\n    ;;\n", stream);
  put_groups(stream, manual);
  fputs("  esac\n  case $command in\n", stream);
  for (int i = 0; i < manual->pages; i++) put_page(stream, &manual->page[i]);
  fputs("  *) return ;;\n  esac\n"
        "  if [[ $cur == -* ]]; then\n    _hemotile_words \"$options\"\n"
        "  elif [[ $words ]]; then\n    _hemotile_words \"$words\"\n"
        "  else\n    _hemotile_paths -f\n  fi\n}\n"
        "complete -F _hemotile hemotile\n",
        stream);
}
