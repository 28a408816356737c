/* Points in a vessel from files and in cases. */
#define _POSIX_C_SOURCE 200809L
#include "tests/check.h"

#include "run/case/points_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], file[128], yaml[128];
static ht_points points;
static ht_case one, two;

static int enter(void **state) {
  (void)state;
  strcpy(folder, "/tmp/hemotile-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(yaml, sizeof yaml, "%s/case.yaml", folder);
  file[0] = 0;
  return 0;
}

static int leave(void **state) {
  (void)state;
  if (file[0]) unlink(file);
  unlink(yaml);
  return rmdir(folder);
}

static void write_text(const char *path, const char *text) {
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static ht_status read_text(const char *name, const char *text) {
  if (file[0]) unlink(file);
  snprintf(file, sizeof file, "%s/%s", folder, name);
  write_text(file, text);
  return ht_points_read(file, &points);
}

static void check(int n, double x, double y, double z, const char *name, ht_role role) {
  const ht_named_point *at = &points.item[n];
  if (at->position_mm[0] != x || at->position_mm[1] != y || at->position_mm[2] != z)
    fail_msg("point %d at %g %g %g", n, at->position_mm[0], at->position_mm[1], at->position_mm[2]);
  assert_string_equal(at->name, name);
  assert_int_equal(at->role, role);
}

/* Each is [1.5, -2, 3], called "in A", and [4, 5, 6.25], an outlet. */
HT_TEST(test_every_form_says_the_same) {
  static const struct {
    const char *name, *text;
    int is_ras;
  } forms[] = {
      {"header.csv", "# ours\nname,x,y,z,description\nin A,1.5,-2,3,\nb,4,5,6.25,outlet\n", 0},
      {"mm.csv", "x_mm;y_mm;z_mm;label;more;desc\n1,5;-2;3;in A;7\n4;5;6,25;b;;outlet\n", 0},
      {"bom.csv",
       "\xEF\xBB\xBFsep=;\r\nL;P;S;Label;Description\r\n1.5;-2;3;in A\r\n4;5;6.25;b;outlet\r\n", 0},
      {"slicer.csv",
       "label,r,a,s,defined,selected,visible,locked,description\n\"in A\",-1.5,2,3,1,1,1,0,\n"
       "gone,0,0,0,0,1,1,0,\nb,-4,-5,6.25,1,1,1,0,outlet\n",
       1},
      {"bare.csv", "in A, 1.5, -2, 3\n\noutlet b, 4, 5, 6.25\n", 0},
      {"behind.txt", "1.5 -2 3 in A\n4 5 6.25 outlet b\n", 0},
      {"comma.txt", "1,5  -2 3,0 in A\n4 5 6,25 outlet b\n", 0},
      {"tab.tsv", "1.5\t-2\t3\tin A\n4\t5\t6.25\toutlet b\n", 0},
      {"old.fcsv",
       "# Markups fiducial file version = 4.11\n# CoordinateSystem = 0\n# columns = "
       "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
       "n_0,-1.5,2,3,0,0,0,1,1,1,0,in A,,\nn_1,-4,-5,6.25,0,0,0,1,1,1,0,b,outlet,\n",
       1},
      {"newer.fcsv",
       "# CoordinateSystem = LPS\nn_0,1.5,-2,3,0,0,0,1,1,1,0,in A,,,\n"
       "n_1,4,5,6.25,0,0,0,1,1,1,0,b,outlet,,\n",
       0},
      {"list.mrk.json",
       "{\"markups\": [{\"type\": \"Fiducial\", \"coordinateSystem\": \"RAS\", \"controlPoints\": ["
       "{\"label\": \"in A\", \"position\": [-1.5, 2, 3]},"
       "{\"label\": \"gone\", \"position\": [0, 0, 0], \"positionStatus\": \"undefined\"},"
       "{\"label\": \"b\", \"description\": \"outlet\", \"position\": [-4, -5, 6.25]}]}]}",
       -1},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (read_text(forms[i].name, forms[i].text) != HT_OK)
      fail_msg("%s: %s", forms[i].name, ht_error_message());
    const char *second = strstr(forms[i].text, "outlet b") ? "outlet b" : "b";
    assert_int_equal(points.count, 2);
    check(0, 1.5, -2, 3, "in A", HT_ROLE_NONE);
    check(1, 4, 5, 6.25, second, HT_ROLE_OUTLET);
    if (forms[i].is_ras >= 0) assert_int_equal(points.is_ras, forms[i].is_ras);
  }
}

/* SlicerVMTK's endpoints: the one that is not selected is the source. */
HT_TEST(test_the_source_is_not_selected) {
  static const char *const header = "label,r,a,s,defined,selected,visible,locked,description\n";
  static const struct {
    const char *rows;
    ht_role first, second;
  } lists[] = {
      {"E-1,1,2,3,1,1,1,0,\nE-2,4,5,6,1,0,1,0,\n", HT_ROLE_NONE, HT_ROLE_INLET},
      {"E-1,1,2,3,1,0,1,0,\nE-2,4,5,6,1,0,1,0,\n", HT_ROLE_NONE, HT_ROLE_NONE},
      {"E-1,1,2,3,1,1,1,0,\nE-2,4,5,6,1,0,1,0,outlet\n", HT_ROLE_NONE, HT_ROLE_OUTLET},
      {"inlet,1,2,3,1,1,1,0,\nE-2,4,5,6,1,0,1,0,\n", HT_ROLE_INLET, HT_ROLE_NONE},
  };
  char text[600];
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    snprintf(text, sizeof text, "%s%s", header, lists[i].rows);
    assert_int_equal(read_text("a.csv", text), HT_OK);
    assert_int_equal(points.item[0].role, lists[i].first);
    assert_int_equal(points.item[1].role, lists[i].second);
  }
  assert_int_equal(read_text("a.fcsv", "# CoordinateSystem = LPS\n"
                                       "n_0,1.5,-2,3,0,0,0,1,1,1,0,a,,,\n"
                                       "n_1,4,5,6.25,0,0,0,1,1,0,0,b,,,\n"),
                   HT_OK);
  assert_int_equal(points.item[1].role, HT_ROLE_INLET);
  for (int kept = 0; kept < 2; kept++) {
    snprintf(text, sizeof text,
             "{\"markups\": [{\"type\": \"Fiducial\", \"coordinateSystem\": \"LPS\", "
             "\"controlPoints\": [{\"label\": \"E-1\", \"position\": [1, 2, 3], \"selected\": %s}, "
             "{\"label\": \"E-2\", \"position\": [4, 5, 6], \"selected\": false}]}]}",
             kept ? "true" : "false");
    assert_int_equal(read_text("a.mrk.json", text), HT_OK);
    assert_int_equal(points.item[0].role, HT_ROLE_NONE);
    assert_int_equal(points.item[1].role, kept ? HT_ROLE_INLET : HT_ROLE_NONE);
  }
}

HT_TEST(test_names_are_kept_apart) {
  assert_int_equal(read_text("a.csv", "1 2 3 F\n4 5 6 F\n7 8 9\n"), HT_OK);
  assert_int_equal(points.count, 3);
  assert_string_equal(points.item[0].name, "F");
  assert_string_equal(points.item[1].name, "");
}

/* Checks names: a case file is UTF-8, so a long name ends between characters, and a table of
 * another code is read. */
HT_TEST(test_names_stay_text) {
  char name[2 * HT_NAME_MAX + 1] = "", expected[HT_NAME_MAX] = "", text[512];
  for (int n = 0; n < HT_NAME_MAX; n++) strcat(name, "\xc3\xa4");
  for (int n = 0; n < (HT_NAME_MAX - 1) / 2; n++) strcat(expected, "\xc3\xa4");
  snprintf(text, sizeof text, "x,y,z,name\n1,2,3,%s\n4,5,6,\xe4\n", name);
  assert_int_equal(read_text("a.csv", text), HT_OK);
  assert_string_equal(points.item[0].name, expected);
  assert_string_equal(points.item[1].name, "_");
  snprintf(text, sizeof text,
           "{\"markups\": [{\"type\": \"Fiducial\", \"coordinateSystem\": \"LPS\", "
           "\"controlPoints\": [{\"label\": \"%s\", \"position\": [1, 2, 3]}, "
           "{\"label\": \"b\", \"position\": [4, 5, 6]}]}]}",
           name);
  assert_int_equal(read_text("a.mrk.json", text), HT_OK);
  assert_string_equal(points.item[0].name, expected);
}

HT_TEST(test_mistakes_have_a_line) {
  static const struct {
    const char *name, *text, *says;
  } mistakes[] = {
      {"a.csv", "", "it holds no point"},
      {"a.csv", "x,y,z\n", "it holds no point"},
      {"a.csv", "1,2,3\n", "it holds one point: give at least two"},
      {"a.csv", "first,second\n1,2,3\n", ":1: the first line names no coordinates"},
      {"a.csv", "1,2,3\n4,5\n", ":2: expected three numbers"},
      {"a.csv", "1,2,3\n4,5,6,7\n", ":2: expected three numbers"},
      {"a.csv", "1,2,3\n4,a,5,6\n", ":2: expected three numbers"},
      {"a.csv", "x,y,z\n1,2,3\n4,5,\n", ":3: expected a coordinate in mm"},
      {"a.csv", "x,y,z\n1,2,3\n4,5\n", ":3: the line has too few columns"},
      {"a.csv", "x,y,z\n1,5,2,3\n", ":2: the line has more columns"},
      {"a.csv", "x;y;z\n1,5;2;3\n1.5;2;3\n", ":3: numbers with a decimal point and"},
      {"a.csv", "x,y,z\n1,2,3\n4,5,nan\n", ":3: expected a coordinate in mm, not 'nan'"},
      {"a.csv", "x,y,z\n1,2,3\n4,5,1e999\n", ":3: expected a coordinate in mm"},
      {"a.csv", "x,y,z\n1,2,3\n4,5,2e5\n", ":3: the coordinate 200000 is not from -100000"},
      {"a.csv", "x,y,z,name\n1,2,3,a\x1b[2J\n", ":2: the point's name holds a control"},
      {"a.fcsv", "1,2,3\n", ":1: no line says whether the points are LPS or RAS"},
      {"a.fcsv", "# CoordinateSystem = IJK\n", ":1: the CoordinateSystem must be LPS"},
      {"a.fcsv", "# CoordinateSystem = LPS\n# columns = id,u,v\n", ":2: the columns have no x,y,z"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    assert_int_equal(read_text(mistakes[i].name, mistakes[i].text), HT_ERR_CASE);
    if (!strstr(ht_error_message(), mistakes[i].says))
      fail_msg("%s: %s", mistakes[i].text, ht_error_message());
  }
  assert_int_equal(ht_points_read("/nowhere.csv", &points), HT_ERR_NOT_FOUND);
}

HT_TEST(test_as_many_as_there_is_room_for) {
  char text[2048] = "";
  for (int n = 0; n < HT_SEGMENT_POINTS_MAX; n++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d 0 0\n", n);
  assert_int_equal(read_text("a.txt", text), HT_OK);
  assert_int_equal(points.count, HT_SEGMENT_POINTS_MAX);
  strcat(text, "1 2 3\n");
  assert_int_equal(read_text("a.txt", text), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), ":33: more than 32 points"));
}

HT_TEST(test_a_plane_is_no_point) {
  assert_int_equal(read_text("a.mrk.json",
                             "{\"markups\": [{\"type\": \"Plane\", \"coordinateSystem\": \"LPS\", "
                             "\"center\": [1, 2, 3], \"normal\": [0, 0, 1]}]}"),
                   HT_ERR_FORMAT);
  assert_non_null(strstr(ht_error_message(), "go to --openings"));
}

HT_TEST(test_typed) {
  static const char *const wrong[] = {"",      "1,2",     "1,2,3,4",   "1;2;3",
                                      "a,2,3", "1,2,3x",  "ijk:1,2,3", "1,2,2e5",
                                      "1,,3",  "1,2,inf", "1,0x2,3"};
  memset(&points, 0, sizeof points);
  assert_int_equal(ht_points_add_typed("-12.5,3,40", "--from", &points), HT_OK);
  assert_int_equal(ht_points_add_typed("ras:-12.5, 3, 0", "--to", &points), HT_OK);
  check(0, -12.5, 3, 40, "", HT_ROLE_NONE);
  check(1, 12.5, -3, 0, "", HT_ROLE_NONE);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (ht_points_add_typed(wrong[i], "--to", &points) != HT_ERR_USAGE)
      fail_msg("accepted: %s", wrong[i]);
    assert_non_null(strstr(ht_error_message(), "--to"));
  }
  assert_int_equal(points.count, 2);
}

/* Checks that case.yaml holds the points of a file, and repeats them without it. */
HT_TEST(test_round_trip_of_a_case) {
  char before[HT_HASH_TEXT], after[HT_HASH_TEXT];
  assert_int_equal(read_text("p.csv", "r,a,s,name\n-1.5,0.1,3,in A\n4,5,6,\n7,8,9,outlet b\n"),
                   HT_OK);
  write_text(yaml, "scan: a\nopenings:\n  - {point: 1, flow_ml_s: 4}\nvessel: {points: p.csv}\n");
  assert_int_equal(ht_case_read(yaml, &one), HT_OK);
  assert_int_equal(ht_case_check(&one), HT_OK);
  assert_int_equal(one.segment.points, 3);
  assert_true(one.segment.point_mm[0][0] == 1.5 && one.segment.point_mm[0][1] == -0.1);
  assert_true(one.segment.branch_diameters == 2 && one.points_are_ras);
  assert_int_equal(one.openings, 2); /* the second point has neither name nor role */
  assert_string_equal(one.opening[0].name, "in A");
  assert_true(one.opening[0].flow_ml_s == 4 && one.opening[0].point == 1);
  assert_int_equal(one.opening[1].point, 3);
  assert_int_equal(one.opening[1].role, HT_ROLE_OUTLET);
  ht_case_hash(&one, HT_HASH_MASK, before);
  assert_int_equal(ht_case_write(yaml, &one, "scan.nii.gz", NULL), HT_OK);
  assert_int_equal(ht_case_read(yaml, &two), HT_OK);
  assert_memory_equal(one.segment.point_mm, two.segment.point_mm, sizeof one.segment.point_mm);
  assert_int_equal(two.openings, 2);
  assert_string_equal(two.opening[0].name, "in A");
  ht_case_hash(&two, HT_HASH_MASK, after);
  assert_string_equal(before, after);
  two.segment.point_mm[1][2] += 0.5;
  ht_case_hash(&two, HT_HASH_MASK, after);
  assert_string_not_equal(before, after);
  two.segment.point_mm[1][2] -= 0.5;
  two.segment.branch_diameters = 3;
  ht_case_hash(&two, HT_HASH_MASK, after);
  assert_string_not_equal(before, after);
}

/* Checks that other points keep what the case says of those that stay. */
HT_TEST(test_new_points_keep_the_entries_of_old_ones) {
  write_text(yaml, "scan: a\nvessel: {points: [[1, 2, 3], [4, 5, 6]], branches: 3}\nopenings:\n"
                   "  - {point: 1, name: gone}\n  - {point: 2, name: kept, flow_ml_s: 2}\n"
                   "  - {near_mm: [9, 9, 9], name: own}\n");
  assert_int_equal(ht_case_read(yaml, &one), HT_OK);
  assert_int_equal(read_text("a.csv", "4 5 6\n7 8 9 new\n0 0 0\n"), HT_OK);
  assert_int_equal(ht_case_set_points(&one, &points), HT_OK);
  assert_int_equal(one.segment.points, 3);
  assert_int_equal(one.openings, 3);
  assert_string_equal(one.opening[0].name, "kept");
  assert_true(one.opening[0].point == 1 && one.opening[0].flow_ml_s == 2);
  assert_string_equal(one.opening[1].name, "own");
  assert_string_equal(one.opening[2].name, "new");
  assert_int_equal(one.opening[2].point, 2);
}

HT_TEST(test_mistakes_of_a_case) {
  static const struct {
    const char *text, *says;
  } mistakes[] = {
      {"vessel: {points: [[1, 2, 3]]}\n", ":2:"},
      {"vessel: {points: []}\n", "at least two"},
      {"vessel:\n  points:\n", "at least two"},
      {"vessel: {points: [1, 2, 3]}\n", "each of the points is three numbers"},
      {"vessel: {points: [[1, 2, 3], [4, 5]]}\n", ":2:31: each of the points"},
      {"vessel: {points: [[1, 2, 3], [4, 5, a]]}\n", "must be a number, not 'a'"},
      {"vessel: {points: [[1, 2, 3], [4, 5, 2e5]]}\n", "from -100000 to 100000"},
      {"vessel: {points: [[1, 2, 3], [1, 2, 3]]}\n", "the same place"},
      {"vessel: {points: [[1, 2, 3], [4, 5, 6]], branches: 0.5}\n", "from 1 to 50"},
      {"vessel: {branches: 3}\n", "give vessel.points too"},
      {"vessel: {point: 3}\n", "did you mean 'points'?"},
      {"vessel: {points: [[1, 2, 3], [4, 5, 6]]}\nopenings:\n  - {point: 3}\n", ":4:"},
      {"vessel: {points: [[1, 2, 3], [4, 5, 6]]}\nopenings:\n  - {point: 1}\n  - {point: 1}\n",
       "two openings have 'point: 1'"},
      {"vessel: {points: [[1, 2, 3], [4, 5, 6]]}\nopenings:\n  - {role: inlet}\n", "needs either"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char text[256];
    snprintf(text, sizeof text, "scan: a\n%s", mistakes[i].text);
    write_text(yaml, text);
    ht_status status = ht_case_read(yaml, &one);
    if (status == HT_OK) status = ht_case_check(&one);
    if (status != HT_ERR_CASE) fail_msg("accepted: %s", text);
    if (!strstr(ht_error_message(), mistakes[i].says)) fail_msg("%s: %s", text, ht_error_message());
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_every_form_says_the_same, enter, leave),
      cmocka_unit_test_setup_teardown(test_the_source_is_not_selected, enter, leave),
      cmocka_unit_test_setup_teardown(test_names_are_kept_apart, enter, leave),
      cmocka_unit_test_setup_teardown(test_names_stay_text, enter, leave),
      cmocka_unit_test_setup_teardown(test_mistakes_have_a_line, enter, leave),
      cmocka_unit_test_setup_teardown(test_as_many_as_there_is_room_for, enter, leave),
      cmocka_unit_test_setup_teardown(test_a_plane_is_no_point, enter, leave),
      cmocka_unit_test(test_typed),
      cmocka_unit_test_setup_teardown(test_round_trip_of_a_case, enter, leave),
      cmocka_unit_test_setup_teardown(test_new_points_keep_the_entries_of_old_ones, enter, leave),
      cmocka_unit_test_setup_teardown(test_mistakes_of_a_case, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
