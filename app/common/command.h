/* The subcommands of `hemotile`. */
#ifndef HT_COMMAND_H
#define HT_COMMAND_H

#include "run/process/command_page.h"

/* Runs a command with the arguments from its own name on; returns the exit code (status.h). */
int ht_command_run(int argc, char **argv);
int ht_command_import(int argc, char **argv);
int ht_command_segment(int argc, char **argv);
int ht_command_edit(int argc, char **argv);
int ht_command_tile(int argc, char **argv);
int ht_command_solve(int argc, char **argv);
int ht_command_export(int argc, char **argv);
int ht_command_batch(int argc, char **argv);
int ht_command_report(int argc, char **argv);
int ht_command_info(int argc, char **argv);
int ht_command_phantom(int argc, char **argv);
int ht_command_converge(int argc, char **argv);
int ht_command_open(int argc, char **argv);
int ht_command_compare(int argc, char **argv);
int ht_command_measure(int argc, char **argv);
int ht_command_pacs(int argc, char **argv);
int ht_command_bench(int argc, char **argv);
int ht_command_validate(int argc, char **argv);

/* Fills the page of a command. */
void ht_page_run(ht_command_page *page);
void ht_page_import(ht_command_page *page);
void ht_page_segment(ht_command_page *page);
void ht_page_edit(ht_command_page *page);
void ht_page_tile(ht_command_page *page);
void ht_page_solve(ht_command_page *page);
void ht_page_export(ht_command_page *page);
void ht_page_report(ht_command_page *page);
void ht_page_batch(ht_command_page *page);
void ht_page_info(ht_command_page *page);
void ht_page_phantom(ht_command_page *page);
void ht_page_converge(ht_command_page *page);
void ht_page_open(ht_command_page *page);
void ht_page_compare(ht_command_page *page);
void ht_page_measure(ht_command_page *page);
void ht_page_pacs_find(ht_command_page *page);
void ht_page_pacs_get(ht_command_page *page);
void ht_page_pacs_send(ht_command_page *page);
void ht_page_pacs_watch(ht_command_page *page);
void ht_page_bench(ht_command_page *page);
void ht_page_validate(ht_command_page *page);

#endif
