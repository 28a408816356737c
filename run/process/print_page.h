/* A page of HTML printed to a PDF file by Chromium, without a screen. */
#ifndef HT_PRINT_PAGE_H
#define HT_PRINT_PAGE_H

#include "core/status.h"

/* Prints the local file `page` to the file `pdf`, which may exist. The browser is `chromium`,
 * `chromium-browser` or `google-chrome` of the PATH, or the one that the environment variable
 * HEMOTILE_BROWSER names ("": none). It has a profile of its own, removed afterwards, and uses no
 * network. HT_ERR_NOT_FOUND: there is no browser. HT_ERR_WRITE: it failed, or took longer than two
 * minutes. HT_ERR_INTERRUPTED: the user stopped it. */
ht_status ht_print_page(const char *page, const char *pdf);

#endif
