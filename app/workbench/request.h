/* Requests of the page: JSON that becomes a command of hemotile. Every value is checked before it
 * is a word of the command: a setting by the schema of the case file, three coordinates, or true.
 */
#ifndef HT_REQUEST_H
#define HT_REQUEST_H

#include "app/workbench/server/job.h"
#include "run/folder/yaml_file.h"
#include "run/run_change.h"

/* Makes `hemotile segment FOLDER ...` of {"from": [x, y, z], "to": [[x, y, z], ...], "vessel": n,
 * "lower": v, "upper": v, "preset": word, "nodes_across": n, "set": [[name, text], ...], "force":
 * true}, each of which may be absent; points in LPS, mm. HT_ERR_USAGE: the text is no such object;
 * the message names the key.
 */
ht_status ht_request_segment(const char *text, size_t length, const char *folder,
                             ht_job_command *command);

/* Makes `hemotile run FOLDER ...` of {"flow": mL/s, "nodes_across": n, "device": word, "set":
 * [["flow.cycles", "5"], ...], "dry_run": true, "restart": true, "first_look": "auto", "force":
 * true}. Errors as above.
 */
ht_status ht_request_run(const char *text, size_t length, const char *folder,
                         ht_job_command *command);

/* Reads a pair of a setting and its text, which belong to the YAML. HT_ERR_USAGE: it is none, or a
 * setting that the browser may not change, as it names a file. */
ht_status ht_request_setting(struct fy_node *pair, ht_setting *setting);

#endif
