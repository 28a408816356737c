#include "run/lattice/expected_error.h"
#include <math.h>
#include <stddef.h>

enum { ROWS = 7 };

typedef struct {
  const char *source;
  struct {
    double nodes_across, percent;
  } row[ROWS]; /* rising; the rest is 0 */
} measured;

static const measured drop[HT_FLOW_KINDS] = {
    [HT_FLOW_EVEN] = {"as in the sample aneurysm",
                      {{8, 27}, {10, 10}, {12, 6}, {14, 3}, {20, 2}, {28, 1}}},
    [HT_FLOW_NARROW] = {"as in a stenosis of 75 %", {{5, 25}, {8, 6}, {12, 3}}},
    [HT_FLOW_JET] = {"as in a coarctation and in the FDA's nozzle",
                     {{5, 30}, {13, 10}, {17, 8}, {20, 4}, {26, 1}}},
};

static const measured wss[HT_FLOW_KINDS] = {
    [HT_FLOW_EVEN] = {"99th percentile, as in the sample aneurysm",
                      {{8, 10}, {10, 9}, {12, 8}, {14, 8}, {16, 5}, {20, 2}, {28, 1}}},
    [HT_FLOW_NARROW] = {"the highest, as in a stenosis of 75 %", {{5, 22}, {8, 9}, {12, 4}}},
};

static ht_expected_error find(const measured *of, double nodes_across) {
  ht_expected_error found = {0, NULL};
  for (int i = 0; i < ROWS && of->row[i].nodes_across > 0; i++)
    if (of->row[i].nodes_across <= round(nodes_across))
      found = (ht_expected_error){of->row[i].percent, of->source};
  return found;
}

ht_expected_error ht_expected_drop_error(ht_flow_kind kind, double nodes_across) {
  return find(&drop[kind], nodes_across);
}

ht_expected_error ht_expected_wss_error(ht_flow_kind kind, double nodes_across) {
  return find(&wss[kind], nodes_across);
}
