/* Ctrl-C and termination: the work is asked to stop. Work that does not ask within two seconds, or
 * does not end within 30 seconds after it asked, is ended by force, as by a second Ctrl-C: the
 * half-written files are removed, and the log gets a last line. */
#ifndef HT_INTERRUPT_H
#define HT_INTERRUPT_H

#include <sys/types.h>

/* To be called first in main(), before any other thread exists. A signal that was ignored at the
 * start (nohup, a background job of a script) stays ignored. */
void ht_interrupt_begin(void);

/* 1 once a signal asked to stop: the caller ends its work then. */
int ht_interrupt_asked(void);

/* The folder whose half-written files `sweep` removes at an ending by force; copied. `sweep` is
 * called from another thread, with the number of this process. */
void ht_interrupt_folder(const char *folder, void (*sweep)(const char *folder, pid_t pid));

/* The program has ended its work and only returns: no force any more. */
void ht_interrupt_done(void);

#endif
